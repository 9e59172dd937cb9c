"""A simulated respondent: `planted/memorization?skill=…&memorized=…&slip=…&survives=…&unread=…`.

Each original is one that it can solve with chance `skill`, and one that it has memorized with chance `memorized`. What
it can solve it answers right, but for slips (chance `slip`, to any of the other options). What it can't solve and has
memorized it answers with the original's answer, but for slips, wherever that is among the options; in the controls
`reshuffled` and `renamed` its memory survives with chance `survives`. Else it guesses. In the open form what it
neither solves nor remembers is wrong. With chance `unread` nothing can be read from a reply. `seed` draws other states.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from counterfoil.asking.ask import Message
from counterfoil.asking.models.planted import Respondent, parse_settings
from counterfoil.errors import UserError
from counterfoil.memorization.metrics import (
    ACCURACY_ORIGINAL,
    ACCURACY_PERTURBED,
    CONSISTENCY,
    CONTROL_GAP,
    EXCESS_GAP,
    KEPT_OLD,
    KEPT_OLD_EXCESS,
    MEMORIZATION_GAP,
    MEMORIZATION_SUSPECT,
    OUT_OF_CHOICE,
    ROBUST_ACCURACY,
)
from counterfoil.perturbing.questions import LETTERS, Question

CHANCES = ("skill", "memorized", "slip", "survives", "unread")
GUESS = 1 / 3


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The chances, and which states are drawn with them."""

    skill: float = 0.6
    memorized: float = 0.3
    slip: float = 0.05
    survives: float = 1.0
    unread: float = 0.0
    seed: int = 0


class State(msgspec.Struct, frozen=True):
    """What the respondent can do with one original."""

    solves: bool
    remembers: bool


def respondent(given: Mapping[str, str], questions: Iterable[Question] | None = None) -> Respondent:
    """Answers from the messages alone: it knows the questions of the run by their texts and options."""
    settings = parse_settings("memorization", given, Settings)
    known: dict[str, list[Question]] = {}
    for question in questions or ():
        known.setdefault(question.text, []).append(question)

    def respond(messages: Sequence[Message], sample: int) -> str:
        text = messages[-1].content
        question = _find(known, text)
        if question is None:
            raise UserError("planted/memorization knows only the questions of a run of memorization.")
        chance = random.Random(hashlib.sha256(f"{given} {sample} {text}".encode()).digest())  # noqa: S311
        latent = random.Random(hashlib.sha256(f"{settings.seed} {question.unit}".encode()).digest())  # noqa: S311
        state = State(latent.random() < settings.skill, latent.random() < settings.memorized)
        shows_options = all(option in text for option in question.options)
        return answer(question, state, settings, chance, open_form=not shows_options)

    return respond


def answer(question: Question, state: State, settings: Settings, chance: random.Random, *, open_form: bool) -> str:
    """A reply to this question by a respondent in this state."""
    if chance.random() < settings.unread:
        return "I would need more time for this one."
    old = question.gold if question.level == 0 and question.control != "lure" else question.old
    remembers = state.remembers
    if question.control in ("reshuffled", "renamed"):
        remembers = remembers and chance.random() < settings.survives
    if state.solves:
        wanted: str | None = question.gold
    elif remembers and old is not None:
        wanted = old
    else:
        wanted = None if open_form else chance.choice(LETTERS)
        return _said(question, wanted, open_form)
    if chance.random() < settings.slip:
        wanted = None if open_form else chance.choice([letter for letter in LETTERS if letter != wanted])
    return _said(question, wanted, open_form)


def true_values(settings: Settings, draws: int, *, open_form: bool = False) -> dict[str, float]:
    """The expected value of each metric (docs/statistics.md, Planted truths), for levels 1 and 2 and K = `draws`.

    At these levels the old answer is not among the options, and who remembers it guesses: q = g. What can't be read is
    wrong, in every reply apart. In the open form a slip is neither the old answer nor the sham, and there are no
    options to reshuffle.
    """
    s, m, slip = settings.skill, settings.memorized, settings.slip
    a, u, kappa = 1 - slip, 1 - settings.skill, settings.survives
    read = 1 - settings.unread
    g = q = 0.0 if open_form else GUESS
    other = 0.0 if open_form else slip / 2
    accuracy_original = read * (a * (1 - u * (1 - m)) + g * u * (1 - m))
    accuracy_perturbed = read * (a * s + u * (m * q + (1 - m) * g))
    gap = read * u * m * (a - q)
    renamed = read * u * m * (1 - kappa) * (a - g)

    def robust_at(k: int) -> float:
        return read ** (k + 1) * (s * a ** (k + 1) + u * m * a * q**k + u * (1 - m) * g ** (k + 1))

    values = {
        ACCURACY_ORIGINAL.name: accuracy_original,
        ACCURACY_PERTURBED.name: accuracy_perturbed,
        MEMORIZATION_GAP.name: gap,
        f"{CONTROL_GAP.name} again": 0.0,
        f"{CONTROL_GAP.name} renamed": renamed,
        KEPT_OLD.name: read * (s * other + u * (m * a + (1 - m) * g)),
        KEPT_OLD_EXCESS.name: read * u * m * (a - other),
        ROBUST_ACCURACY.name: robust_at(draws),
        f"{ROBUST_ACCURACY.name} at 1": robust_at(1),
        MEMORIZATION_SUSPECT.name: accuracy_original - robust_at(draws),
        f"{MEMORIZATION_SUSPECT.name} at 1": accuracy_original - robust_at(1),
        CONSISTENCY.name: accuracy_perturbed / accuracy_original if accuracy_original else 0.0,
        OUT_OF_CHOICE.name: settings.unread,
    }
    if not open_form:
        values |= {f"{CONTROL_GAP.name} reshuffled": renamed, EXCESS_GAP.name: gap - renamed}
    return values


def _find(known: Mapping[str, list[Question]], text: str) -> Question | None:
    """The question whose text stands in the prompt, with its options in the order in which they are shown."""
    parts = (text, *text.split("\n\n"), *text.split("\n"))
    found = next((known[part.strip()] for part in parts if part.strip() in known), None)
    if found is None:
        found = next((known[whole] for whole in known if whole in text), None)
    if found is None:
        return None
    return next((question for question in found if _is_shown(question.options, text)), found[0])


def _is_shown(options: Sequence[str], text: str) -> bool:
    shown = "\n".join(f"{letter}: {option}" for letter, option in zip(LETTERS, options, strict=True))
    return shown in text


def _said(question: Question, letter: str | None, open_form: bool) -> str:
    if open_form:
        value = "0" if letter is None else question.options[LETTERS.index(letter)]
        return f"Working it out step by step.\nANSWER: {value}"
    return f"Working it out step by step.\nANSWER: {letter}"
