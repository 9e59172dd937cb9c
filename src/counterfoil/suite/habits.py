"""Habits and placebos: what can be replied without reading, how much of a model's replies that is, and respondents who
reply in no other way. The figures of such a respondent can look like progress, so the headline says what they are.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from counterfoil.asking.ask import Message
from counterfoil.asking.models.planted import Respondent
from counterfoil.errors import UserError
from counterfoil.figures.numbers import between, cell, naming, overall, plural
from counterfoil.stats.estimate import Estimate
from counterfoil.stats.metric import Metric
from counterfoil.suite.options import nearest
from counterfoil.suite.outcome import LEFT_OUT
from counterfoil.suite.planting import luck_of

if TYPE_CHECKING:
    import polars as pl

    from counterfoil.suite.suite import AnySuite, Variant

HABIT = Metric(
    name="habit",
    formula="Replies that are as the habit has them ÷ replies of which that can be told.",
    says="How many of the replies a habit explains that takes no reading.",
)
# From this share on, replies are told of as a habit, if the interval lies above what reading would bring.
MOSTLY = 0.8
# Habits of so many models and prompts are told.
TOLD = 6


class Habit(msgspec.Struct, frozen=True, kw_only=True):
    """What can be replied without reading.

    `fits`: of a record, whether its reply is as the habit has it, and null where that can't be told. `ordinary`: the
    share that one who reads would have at the most. `unless`: a metric that is above this number only for one who
    reads: whoever does may have the habit by the questions alone. `says` tells it, behind the model's name, with how
    many replies it is as {count}.
    """

    name: str
    fits: Callable[[], pl.Expr]
    ordinary: float
    says: str
    unless: tuple[str, float] | None = None


def letter_habits(letters: str, unless: tuple[str, float], chance: str, but: str) -> tuple[Habit, ...]:
    """One for each letter, where replies are letters in the column `choice`. `but`: what such a model is not."""

    def fits(letter: str) -> Callable[[], pl.Expr]:
        def is_letter() -> pl.Expr:
            import polars as pl

            return pl.col("choice") == letter

        return is_letter

    return tuple(
        Habit(
            name=f"letter {letter}",
            fits=fits(letter),
            ordinary=0.5,
            unless=unless,
            says=f"answers {letter} in {{count}} replies, {{share}}, {chance}: this is a constant letter, {but}",
        )
        for letter in letters
    )


def all_estimates(suite: AnySuite, records: pl.DataFrame, facts: Any) -> list[Estimate]:
    """What a summary says of records without texts: the suite's figures, then its habits."""
    return [*suite.summarize(records, facts), *habit_estimates(suite.habits, records)]


def habit_estimates(habits: Sequence[Habit], records: pl.DataFrame) -> list[Estimate]:
    """How much of the replies each habit explains, for each model and variant, from records without texts."""
    import polars as pl

    from counterfoil.stats.summary import summarize

    if not habits:
        return []
    frame = records.select(
        *("model", "variant", "cluster"),
        item="question_id",
        left_out=pl.col("outcome").is_in(LEFT_OUT),
        **{habit.name: habit.fits() for habit in habits},
    )
    metrics = [HABIT.changed(mean=habit.name, label=((HABIT.name, habit.name),)) for habit in habits]
    return summarize(metrics, {HABIT.of: frame})


def habit_sentences(habits: Sequence[Habit], estimates: Sequence[Estimate]) -> list[str]:
    """For each model and prompt whose replies are a habit, which: the first of these, for the others may follow."""
    by_name = {habit.name: (place, habit) for place, habit in enumerate(habits)}
    found: dict[tuple[str, str], tuple[int, str]] = {}
    told = [one for one in estimates if one.metric == HABIT.name and one.group.get(HABIT.name) in by_name]
    names = naming(told)
    for one in told:
        place, habit = by_name[str(one.group[HABIT.name])]
        pair = one.model, one.variant
        if _is_habit(habit, one, estimates) and place < found.get(pair, (len(habits), ""))[0]:
            count = f"{round((one.value or 0) * one.n):,} of {one.n:,}"
            share = f"{cell(one.value)}{between(one.low, one.high)}"
            found[pair] = place, f"{names[pair]} {habit.says.format(count=count, share=share)}."
    sentences = [text for _, text in found.values()]
    more = len(sentences) - TOLD
    return sentences if more <= 0 else [*sentences[:TOLD], f"So it is for {plural(more, 'more combination')}."]


def _is_habit(habit: Habit, one: Estimate, estimates: Sequence[Estimate]) -> bool:
    if one.value is None or one.value < MOSTLY or one.low is None or one.low <= habit.ordinary:
        return False
    if habit.unless is None:
        return True
    metric, most = habit.unless
    reads = [
        each.value for each in overall(estimates, metric) if (each.model, each.variant) == (one.model, one.variant)
    ]
    return not any(value is not None and value > most for value in reads)


class Placebo(msgspec.Struct, frozen=True, kw_only=True):
    """A respondent that takes no notice of what a suite measures: `planted/SUITE?placebo=NAME`.

    `answer` is its reply to a question, in this wording. `says`: parts of sentences, all of which the headline must
    have. `nothing`: metrics whose interval must hold 0. `draws`: how often one that leaves it to luck is asked.
    """

    name: str
    what: str
    answer: Callable[[Any, Sequence[Message], random.Random], str]
    says: tuple[str, ...]
    nothing: tuple[str, ...] = ()
    draws: int = 1


class PlaceboTable(msgspec.Struct, kw_only=True):
    """What placebos show on the questions of one dataset: the mean of each figure over sets, by placebo, with the
    standard error of that mean; and the share of intervals that hold 0, by figure.
    """

    data: str
    questions: int
    originals: int
    means: dict[str, dict[str, float]]
    errors: dict[str, dict[str, float]]
    covered: dict[str, float]


class PlaceboSets(msgspec.Struct, kw_only=True):
    """A test of a suite's own: its placebos on many sets of questions. `claimed`: the figures that must be 0."""

    suite: str
    sets: int
    seed: int
    claimed: list[str]
    tables: list[PlaceboTable]
    failures: list[str]


def placebo_respondent(
    suite: AnySuite, given: Mapping[str, str], questions: Iterable[Any], variants: Sequence[Variant]
) -> Respondent:
    """The placebo that `placebo=NAME` names; `seed=N` gives it other luck. It knows the questions by their words."""
    known = {placebo.name: placebo for placebo in suite.placebos}
    name = given["placebo"]
    if name not in known or given.keys() - {"placebo", "seed"}:
        there = f"there are {', '.join(known)}" if known else "there are none"
        raise UserError(f"planted/{suite.name}: no placebo={name}{nearest(name, known)}: {there}; beside it, seed=….")
    by_words = {_words(suite.messages(question, variant)): question for question in questions for variant in variants}

    def respond(messages: Sequence[Message], sample: int) -> str:
        # In a later turn the first question stands before what was said since.
        starts: Iterator[Any] = (by_words.get(_words(messages[:end])) for end in range(len(messages), 0, -1))
        question = next((found for found in starts if found is not None), None)
        if question is None:
            raise UserError(f"planted/{suite.name}?placebo={name} does not know these questions.")
        return known[name].answer(question, messages, luck_of(given, sample, _words(messages)))

    return respond


def _words(messages: Sequence[Message]) -> tuple[str, ...]:
    return tuple(message.content for message in messages)
