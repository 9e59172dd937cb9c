"""The simulated respondent `planted/memorization?…`, its true values, and what the self-test plants.

docs/memorization.md says what the respondent does with which chance.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import msgspec

from counterfoil.asking.ask import Message
from counterfoil.asking.models.planted import Respondent, parse_settings
from counterfoil.errors import UserError
from counterfoil.memorization import metrics
from counterfoil.memorization.options import DRAWS
from counterfoil.perturbing.questions import LETTERS, Question
from counterfoil.suite.planting import Cell, Planting, luck_of

GUESS = 1 / 3


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The chances, and which states are drawn with them."""

    skill: float = 0.6
    memorized: float = 0.3
    slip: float = 0.05
    survives: float = 1.0
    distracted: float = 0.0
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
        latent = luck_of(settings.seed, question.unit)
        state = State(latent.random() < settings.skill, latent.random() < settings.memorized)
        shows_options = all(option in text for option in question.options)
        return answer(question, state, settings, luck_of(given, sample, text), open_form=not shows_options)

    return respond


def answer(question: Question, state: State, settings: Settings, chance: random.Random, *, open_form: bool) -> str:
    """A reply to this question by a respondent in this state."""
    if chance.random() < settings.unread:
        return "I would need more time for this one."
    # Nobody has seen what stands in for the original.
    unseen = ("lure", "stand_in", metrics.NOISE_CHANGED)
    old = question.gold if question.level == 0 and question.control not in unseen else question.old
    remembers = state.remembers
    if question.control in (*metrics.OF_OPTIONS, "renamed"):
        remembers = remembers and chance.random() < settings.survives
    wanted = question.gold if state.solves else old if remembers else None
    if question.control in (metrics.NOISE, metrics.NOISE_CHANGED) and chance.random() < settings.distracted:
        wanted = None
    if wanted is None or chance.random() < settings.slip:
        wanted = None if open_form else chance.choice([letter for letter in LETTERS if letter != wanted])
    said: str | None = wanted
    if open_form:
        said = "0" if wanted is None else question.options[LETTERS.index(wanted)]
    return f"Working it out step by step.\nANSWER: {said}"


def true_values(settings: Settings, draws: int, *, open_form: bool = False) -> dict[tuple[str, str], float]:
    """The expected value of each metric in each group (docs/statistics.md, Planted truths), for levels 1 and 2 and
    K = `draws`.

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

    # Of lures: right, and with the sham.
    lured = read * (a * s + u * (m * other + (1 - m) * g))
    sham = read * (other * s + u * (m * other + (1 - m) * g))
    missed = (1 - accuracy_perturbed) + (1 - lured + sham)

    def robust_at(k: int) -> float:
        return read ** (k + 1) * (s * a ** (k + 1) + u * m * a * q**k + u * (1 - m) * g ** (k + 1))

    values = {
        (metrics.ACCURACY_ORIGINAL, ""): accuracy_original,
        (metrics.ACCURACY_PERTURBED, ""): accuracy_perturbed,
        (metrics.MEMORIZATION_GAP, ""): gap,
        (metrics.MEMORIZED_SHARE, ""): (gap + read * u * m * (a - other)) / missed if missed else 0.0,
        (metrics.CONTROL_GAP, "control again"): 0.0,
        (metrics.CONTROL_GAP, "control stand_in"): 0.0,
        (metrics.CONTROL_GAP, "control renamed"): renamed,
        (metrics.KEPT_OLD, ""): read * (s * other + u * (m * a + (1 - m) * g)),
        (metrics.KEPT_OLD_EXCESS, ""): read * u * m * (a - other),
        (metrics.ROBUST_ACCURACY, ""): robust_at(draws),
        (metrics.ROBUST_ACCURACY, "k 1"): robust_at(1),
        (metrics.MEMORIZATION_SUSPECT, ""): accuracy_original - robust_at(draws),
        (metrics.MEMORIZATION_SUSPECT, "k 1"): accuracy_original - robust_at(1),
        (metrics.CONSISTENCY, ""): accuracy_perturbed / accuracy_original if accuracy_original else 0.0,
        (metrics.OUT_OF_CHOICE, ""): settings.unread,
    }
    if not open_form:
        values |= {(metrics.CONTROL_GAP, f"control {name}"): renamed for name in metrics.OF_OPTIONS}
        values[metrics.EXCESS_GAP, ""] = gap - renamed
    return {(metric.name, group): value for (metric, group), value in values.items()}


def _find(known: Mapping[str, list[Question]], text: str) -> Question | None:
    """The question whose text stands in the prompt, with its options in the order in which they are shown."""
    parts = (text, *text.split("\n\n"), *text.split("\n"))
    found = next((known[part.strip()] for part in parts if part.strip() in known), None)
    if found is None:
        found = next((known[whole] for whole in known if whole in text), None)
    if found is None:
        return None
    for question in found:
        if "\n".join(map("{}: {}".format, LETTERS, question.options)) in text:
            return question
    return found[0]


MIDDLE = {"skill": 0.5, "memorized": 0.4, "slip": 0.05, "survives": 0.8, "unread": 0.0}
ABLE = {"skill": 0.9, "memorized": 0.2, "slip": 0.02, "survives": 1.0, "unread": 0.0}
PARROT = {"skill": 0.1, "memorized": 0.9, "slip": 0.1, "survives": 0.5, "unread": 0.0}
GUESSING = {"skill": 0.15, "memorized": 0.0, "slip": 0.1, "survives": 1.0, "unread": 0.0}
BETTER = {"skill": 0.8, "memorized": 0.1}
# Able, and without memory: few large differences below 0, and many small ones above.
CLEAN = {"skill": 0.9, "memorized": 0.0, "slip": 0.02, "survives": 1.0, "unread": 0.0}
_cell = partial(Cell, correlation=1.0)


class MemorizationPlanting(Planting):
    """A cluster is an original with its draws and controls. It can be solved or not, and is remembered or not: so the
    correlation within clusters is always 1.
    """

    variant = "mcq"
    constant: Sequence[str] = ("slip", "survives", "unread")
    names: Sequence[str] = ("parent",)
    cells: Sequence[Cell] = (
        _cell(name="middling", clusters=8, settings=MIDDLE, compared=True),
        _cell(name="middling", clusters=30, settings=MIDDLE, options={"draws": 2}, compared=True, other=BETTER),
        _cell(name="able", clusters=30, settings=ABLE),
        _cell(name="without memory", clusters=30, settings=CLEAN, options={"draws": 5}),
        _cell(name="parrot", clusters=100, settings=PARROT, options={"draws": 2}),
        _cell(name="guessing", clusters=100, settings=GUESSING, options={"draws": 1}),
        _cell(name="middling", clusters=269, settings=MIDDLE, options={"draws": 1}),
    )

    witnesses: Sequence[Cell] = (
        _cell(name="few giants", clusters=30, settings=MIDDLE, giants=3, options={"draws": 1}),
        _cell(name="giants without memory", clusters=30, settings=CLEAN, giants=3, options={"draws": 2}),
        _cell(name="unread", clusters=40, settings=MIDDLE | {"unread": 0.15}, options={"draws": 2}),
    )

    def clusters(self, questions: Iterable[Question], cell: Cell) -> list[list[Question]]:
        by_original: dict[str, list[Question]] = {}
        for question in questions:
            by_original.setdefault(question.unit, []).append(question)
        return list(by_original.values())

    def truth(
        self, clusters: Sequence[Sequence[Question]], facts: None, cell: Cell, settings: Mapping[str, float]
    ) -> dict[tuple[str, str], float]:
        """The same for all questions: what a reply says does not depend on which it is."""
        return true_values(Settings(**settings), cell.options.get("draws", DRAWS))  # type: ignore[arg-type]
