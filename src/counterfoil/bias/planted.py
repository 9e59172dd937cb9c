"""The simulated respondent `planted/bias?…`, its true values, and what the self-test plants.

docs/bias.md says what the respondent does with which chance.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import prod

import msgspec

from counterfoil.asking.ask import Message
from counterfoil.asking.models.planted import Respondent, parse_settings
from counterfoil.bias import metrics
from counterfoil.bias.prompts import pattern_of, shipped_variants
from counterfoil.bias.questions import LETTERS, ORDERS, Question
from counterfoil.bias.sources.loading import load_questions
from counterfoil.errors import UserError
from counterfoil.selftest.levels import BETA, HEAVY, LOGISTIC_NORMAL, after_losses, level_chances
from counterfoil.suite.planting import Cell, Planting, luck_of


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The chances, and whose questions it knows."""

    unknown: float = 0.6
    biased: float = 0.7
    aligned: float = 0.9
    conflicting: float = 0.8
    unread: float = 0.0
    first: float = 0.0
    # How often it is right in a control set.
    control: float = 0.9
    data: str | None = None


def respondent(given: Mapping[str, str], questions: Iterable[Question] | None = None) -> Respondent:
    """Answers from the messages alone: it finds the context, the question and the choices in them.

    It knows the prompts that ship, and those whose parts stand in lines. Where no choices are shown, it says one's
    text.
    """
    settings = parse_settings("bias", given, Settings)
    asked = questions if settings.data is None and questions is not None else load_questions(settings.data, orders=1)
    known = {(question.context, question.text): question for question in asked}
    patterns = [pattern_of(variant.prompt) for variant in shipped_variants().values()]

    likely = patterns[0]

    def parts_of(text: str) -> Mapping[str, str]:
        nonlocal likely
        for pattern in (likely, *patterns):
            found = pattern.fullmatch(text)
            if found is not None and (found["context"], found["question"]) in known:
                likely = pattern  # the next prompt is likely to be in the same words
                return found.groupdict()
        lines = text.split("\n")
        # From the end: the answer's line, three choices, the question, the context. A one-shot example comes before.
        named = zip(("context", "question", "a", "b", "c"), map(_behind, lines[-6:-1]), strict=False)
        return dict(named) if len(lines) > 5 else {}

    def respond(messages: Sequence[Message], sample: int) -> str:
        text = messages[-1].content
        parts = parts_of(text)
        question = known.get((parts.get("context", ""), parts.get("question", "")))
        if question is None:
            raise UserError("planted/bias does not know these questions: name them with data=… in its name.")
        choices = [parts[letter.lower()] for letter in LETTERS if letter.lower() in parts]
        chance = luck_of(given, sample, text)
        if chance.random() < settings.unread:
            return "…"
        if chance.random() < settings.first:
            return LETTERS[0]
        wanted = _choose(question, settings, chance)
        if not choices:
            return wanted
        if wanted not in choices:
            # The unknown choice has the prompt's words, so it is the one that is none of the others.
            wanted = next(choice for choice in choices if choice not in question.choices or choice == question.unknown)
        return LETTERS[choices.index(wanted)]

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
        metrics.OUT_OF_CHOICE.name: settings.unread,
        metrics.ACCURACY_AMBIGUOUS.name: p_unknown,
        metrics.ACCURACY_DISAMBIGUATED.name: (right_aligned + right_conflicting) / 2,
        metrics.DIFF_BIAS_AMBIGUOUS.name: p_biased - p_counter,
        metrics.DIFF_BIAS_DISAMBIGUATED.name: right_aligned - right_conflicting,
        metrics.BBQ_BIAS_AMBIGUOUS.name: p_biased - p_counter,
        metrics.BBQ_BIAS_DISAMBIGUATED.name: (b - c) / (b + c),
    }
    if f == 0:
        values[metrics.FLIP_RATE.name] = 1 - p_unknown**2 - p_biased**2 - p_counter**2
        same_clear = [a**3 + 2 * ((1 - a) / 2) ** 3 for a in (settings.aligned, settings.conflicting)]
        same_ambiguous = p_unknown**3 + p_biased**3 + p_counter**3
        values[metrics.POSITION_BIAS.name] = 1 - (same_ambiguous + sum(same_clear) / 2) / 2
    return values


def _choose(question: Question, settings: Settings, chance: random.Random) -> str:
    others = [choice for choice in question.choices if choice != question.unknown]
    if question.control:
        wrong = [choice for choice in question.choices if choice != question.right]
        return question.right if chance.random() < settings.control else chance.choice(wrong)
    if question.ambiguous:
        if chance.random() < settings.unknown:
            return question.unknown
        if not question.biased:
            return chance.choice(others)
        takes_biased = chance.random() < settings.biased
        return next(choice for choice in others if (choice == question.biased) == takes_biased)
    right = settings.aligned if question.right == question.biased else settings.conflicting
    if not question.biased:
        right = (settings.aligned + settings.conflicting) / 2
    if chance.random() < right:
        return question.right
    return chance.choice([choice for choice in question.choices if choice != question.right])


def _behind(line: str) -> str:
    """What stands behind a part's label; the part itself may have colons and brackets, too."""
    label, _, rest = line.partition(" ")
    if label.endswith((":", ")")):
        return rest
    return line.partition(": ")[2] or line


MIDDLE = {"unknown": 0.5, "biased": 0.7, "aligned": 0.8, "conflicting": 0.6, "unread": 0.0}
GOOD = {"unknown": 0.95, "biased": 0.5, "aligned": 0.97, "conflicting": 0.95, "unread": 0.05}
BIASED = {"unknown": 0.1, "biased": 0.9, "aligned": 0.7, "conflicting": 0.3, "unread": 0.2}
BETTER = {"unknown": 0.7, "biased": 0.5, "aligned": 0.9, "conflicting": 0.85}
VARYING = ("unknown", "biased", "aligned", "conflicting")
# Means of products of chances: how the chances differ between clusters counts.
NOT_LINEAR = (metrics.FLIP_RATE.name, metrics.POSITION_BIAS.name)
ONE_ORDER = {"orders": 1}


class BiasPlanting(Planting):
    """A cluster is a template with one of its samples: ambiguous and not, asked both ways, the groups swapped. Where
    sizes are uneven, some have two samples.
    """

    variant = "1"
    constant: Sequence[str] = ("unread", "first")
    names: Sequence[str] = ("pair",)
    cells: Sequence[Cell] = (
        Cell(name="middling, correlated", clusters=8, settings=MIDDLE, correlation=0.3, compared=True),
        Cell(
            name="middling, correlated",
            clusters=30,
            settings=MIDDLE,
            correlation=0.3,
            options=ONE_ORDER,
            compared=True,
            other=BETTER,
        ),
        Cell(name="biased", clusters=30, settings=BIASED),
        Cell(
            name="middling, means over templates",
            clusters=30,
            settings=MIDDLE,
            correlation=0.3,
            uneven=True,
            options={"aggregate": "templates"},
        ),
        Cell(name="good", clusters=100, settings=GOOD, correlation=0.1, options=ONE_ORDER),
        Cell(name="biased, correlated", clusters=100, settings=BIASED, correlation=0.3, uneven=True, options=ONE_ORDER),
        Cell(name="middling", clusters=269, settings=MIDDLE, options=ONE_ORDER),
    )

    witnesses: Sequence[Cell] = (
        Cell(
            name="logistic-normal",
            clusters=30,
            settings=MIDDLE,
            correlation=0.3,
            spread=LOGISTIC_NORMAL,
            options=ONE_ORDER,
        ),
        Cell(name="heavy-tailed", clusters=30, settings=BIASED, correlation=0.2, spread=HEAVY, options=ONE_ORDER),
        Cell(name="few giants", clusters=30, settings=MIDDLE, correlation=0.1, giants=3, options=ONE_ORDER),
        Cell(
            name="missing by difficulty",
            clusters=40,
            settings=MIDDLE,
            correlation=0.3,
            missing=0.6,
            options=ONE_ORDER,
        ),
    )

    def clusters(self, questions: Iterable[Question], cell: Cell) -> list[list[Question]]:
        samples: dict[str, dict[str, list[Question]]] = {}
        for question in questions:
            # category-NUMBERversion-SAMPLE-amb|dis-bsd|cnt
            sample = question.sample_id.rsplit("-", 3)[1]
            samples.setdefault(question.template, {}).setdefault(sample, []).append(question)
        clusters = []
        for of_template in samples.values():
            first, *others = of_template.values()
            clusters += [first, [*first, *others[0]]] if cell.uneven else [first]
        return clusters

    def settings_used(self, question: Question) -> Sequence[str]:
        if question.ambiguous:
            return ("unknown", "biased", "unread")
        return ("aligned" if question.right == question.biased else "conflicting", "unread")

    def truth(
        self, clusters: Sequence[Sequence[Question]], facts: None, cell: Cell, settings: Mapping[str, float]
    ) -> dict[tuple[str, str], float]:
        """Each question has as many partners of the other kinds in its cluster, so that none weighs more."""
        planted = Settings(**after_losses(settings, cell))  # type: ignore[arg-type]
        values = true_values(planted)
        if cell.spread == BETA and not cell.missing:
            values |= _means(planted, cell.correlation)
        else:
            # Too many states to go through them all.
            values = {name: value for name, value in values.items() if name not in NOT_LINEAR}
        if cell.options.get("aggregate") == "templates":
            # The mean of the templates' ratios is not the ratio of their means.
            del values[metrics.BBQ_BIAS_DISAMBIGUATED.name]
        if cell.options.get("orders", ORDERS) < ORDERS:
            values.pop(metrics.POSITION_BIAS.name, None)
        return {
            **{(name, ""): value for name, value in values.items()},
            **{(score.name, "policy keep"): values[score.name] * (1 - planted.unread) for score in metrics.SCORES},
        }


def _means(settings: Settings, correlation: float) -> dict[str, float]:
    """The means over all latent states of what is not linear in the chances."""
    levels = [level_chances(getattr(settings, name), correlation).items() for name in VARYING]
    means = dict.fromkeys(NOT_LINEAR, 0.0)
    for state in product(*levels):
        weight = prod(chance for _, chance in state)
        chances = {name: level for name, (level, _) in zip(VARYING, state, strict=True)}
        values = true_values(msgspec.structs.replace(settings, **chances))
        for metric in NOT_LINEAR:
            means[metric] += weight * values[metric]
    return means
