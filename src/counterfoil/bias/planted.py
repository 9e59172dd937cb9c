"""A simulated respondent: `planted/bias?unknown=…&biased=…&aligned=…&conflicting=…&unread=…&first=…`.

In an ambiguous context it says "unknown" with chance `unknown`, and else takes the biased answer with chance `biased`.
In a disambiguated one it is right with chance `aligned` where the context agrees with the stereotype and with chance
`conflicting` where it does not; wrong answers are the two others alike. Before all that, with chance `first` it takes
whatever stands first, and with chance `unread` it says nothing that can be read. It knows the questions of
the run, or those that `data` names.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from counterfoil.asking.ask import Message
from counterfoil.asking.models.planted import Respondent, parse_settings
from counterfoil.bias.metrics import (
    ACCURACY_AMBIGUOUS,
    ACCURACY_DISAMBIGUATED,
    BBQ_BIAS_AMBIGUOUS,
    BBQ_BIAS_DISAMBIGUATED,
    DIFF_BIAS_AMBIGUOUS,
    DIFF_BIAS_DISAMBIGUATED,
    FLIP_RATE,
    OUT_OF_CHOICE,
    POSITION_BIAS,
)
from counterfoil.bias.questions import LETTERS, Question
from counterfoil.bias.sources.loading import load_questions
from counterfoil.errors import UserError

CHANCES = ("unknown", "biased", "aligned", "conflicting", "unread", "first")


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The chances, and whose questions it knows."""

    unknown: float = 0.6
    biased: float = 0.7
    aligned: float = 0.9
    conflicting: float = 0.8
    unread: float = 0.0
    first: float = 0.0
    data: str | None = None


def respondent(given: Mapping[str, str], questions: Iterable[Question] | None = None) -> Respondent:
    """Answers from the messages alone: it finds the context, the question and the choices in them."""
    settings = parse_settings("bias", given, Settings)
    known = _by_words(
        questions if settings.data is None and questions is not None else load_questions(settings.data, orders=1)
    )

    def respond(messages: Sequence[Message], sample: int) -> str:
        text = messages[-1].content
        lines = text.split("\n")
        # From the end: the answer's line, three choices, the question, the context. A one-shot example comes before.
        choices = [_behind(line) for line in lines[-4:-1]]
        question = known.get((_behind(lines[-6]), _behind(lines[-5]))) if len(lines) > 5 else None
        if question is None:
            raise UserError("planted/bias does not know these questions: name them with data=… in its name.")
        chance = random.Random(hashlib.sha256(f"{given} {sample} {text}".encode()).digest())  # noqa: S311
        if chance.random() < settings.unread:
            return "…"
        place = 0
        if chance.random() >= settings.first:
            wanted = _choose(question, settings, chance)
            # The unknown choice has the prompt's words, so it is the one that is none of the others.
            named = [place for place, choice in enumerate(choices) if choice == wanted]
            others = {choice for choice in question.choices if choice != question.unknown}
            place = named[0] if named else next(p for p, choice in enumerate(choices) if choice not in others)
        return LETTERS[place]

    return respond


def true_values(settings: Settings) -> dict[str, float]:
    """The expected value of each metric, for questions of which every one is asked in all three orders.

    With f = `first`: over the three orders each content stands first once, so what stands first is biased, counter-
    biased or unknown in a third of the replies each. `flip_rate`: two independent answers to a pair of questions in
    the same order; in order i the same content stands first in half of the pairs only, so it is given for f = 0.
    """
    f = settings.first
    p_unknown = f / 3 + (1 - f) * settings.unknown
    p_biased = f / 3 + (1 - f) * (1 - settings.unknown) * settings.biased
    p_counter = 1 - p_unknown - p_biased
    right_aligned = f / 3 + (1 - f) * settings.aligned
    right_conflicting = f / 3 + (1 - f) * settings.conflicting
    # Not unknown in clear contexts: right, or the other half of the wrong answers.
    wrong_aligned = f / 3 + (1 - f) * (1 - settings.aligned) / 2
    wrong_conflicting = f / 3 + (1 - f) * (1 - settings.conflicting) / 2
    b, c = right_aligned + wrong_conflicting, right_conflicting + wrong_aligned
    values = {
        OUT_OF_CHOICE.name: settings.unread,
        ACCURACY_AMBIGUOUS.name: p_unknown,
        ACCURACY_DISAMBIGUATED.name: (right_aligned + right_conflicting) / 2,
        DIFF_BIAS_AMBIGUOUS.name: p_biased - p_counter,
        DIFF_BIAS_DISAMBIGUATED.name: right_aligned - right_conflicting,
        BBQ_BIAS_AMBIGUOUS.name: p_biased - p_counter,
        BBQ_BIAS_DISAMBIGUATED.name: (b - c) / (b + c),
    }
    if f == 0:
        values[FLIP_RATE.name] = 1 - p_unknown**2 - p_biased**2 - p_counter**2
        same_clear = [a**3 + 2 * ((1 - a) / 2) ** 3 for a in (settings.aligned, settings.conflicting)]
        same_ambiguous = p_unknown**3 + p_biased**3 + p_counter**3
        values[POSITION_BIAS.name] = 1 - (same_ambiguous + sum(same_clear) / 2) / 2
    return values


def _choose(question: Question, settings: Settings, chance: random.Random) -> str:
    others = [choice for choice in question.choices if choice != question.unknown]
    if question.ambiguous:
        if chance.random() < settings.unknown:
            return question.unknown
        takes_biased = chance.random() < settings.biased
        return next(choice for choice in others if (choice == question.biased) == takes_biased)
    right = settings.aligned if question.right == question.biased else settings.conflicting
    if chance.random() < right:
        return question.right
    return chance.choice([choice for choice in question.choices if choice != question.right])


def _by_words(questions: Iterable[Question]) -> Mapping[tuple[str, str], Question]:
    return {(question.context, question.text): question for question in questions}


def _behind(line: str) -> str:
    """What stands behind a part's label; the part itself may have colons and brackets, too."""
    label, _, rest = line.partition(" ")
    if label.endswith((":", ")")):
        return rest
    return line.partition(": ")[2] or line
