"""What can be said without knowing what is confusing: everything, nothing, the question again, a wrong answer, or
something wherever a question has a certain word.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from counterfoil.asking.ask import Message
from counterfoil.explain.metrics import DISCERNMENT
from counterfoil.explain.questions import Question
from counterfoil.suite.habits import Habit, Placebo

if TYPE_CHECKING:
    import polars as pl

_SUPERLATIVE = re.compile(
    r"\b(?:most|least|first|last|best|worst|(?!forest|interest|harvest|request|honest|modest|budapest|northwest|"
    r"southwest)[a-z]{3,}est)\b|가장|제일|최초|최고|최대|최장|최후|첫|마지막",
    re.IGNORECASE,
)


@lru_cache(4096)
def has_superlative(text: str) -> bool:
    """Whether a question asks for what is most, first or last of its kind."""
    return _SUPERLATIVE.search(text) is not None


def _own_wrong_answers() -> pl.Expr:
    import polars as pl

    mentioned = pl.col("mentioned")
    is_only = (mentioned.list.len() == 1) & (mentioned.list.first() == pl.col("instead"))
    return pl.when(mentioned.list.len() > 0).then(is_only.fill_null(False))


def _says_everything() -> pl.Expr:
    import polars as pl

    # The penalty is 1 only for all candidates together.
    return pl.when(~pl.col("confusing")).then(pl.col("penalty") > 1 - 1e-9)


def _says_nothing() -> pl.Expr:
    import polars as pl

    return pl.when(pl.col("confusing")).then(~pl.col("clarifies"))


def _follows_the_word() -> pl.Expr:
    import polars as pl

    # Only where the word and the confusion say different things can it be told which is followed.
    return pl.when(pl.col("superlative") != pl.col("confusing")).then(pl.col("clarifies") == pl.col("superlative"))


def _repeats() -> pl.Expr:
    import polars as pl

    return pl.when(pl.col("clarifies").is_not_null()).then(pl.col("repeats").fill_null(False))


HABITS = (
    Habit(
        name="repeats the question",
        fits=_repeats,
        ordinary=0.2,
        says="has no words but the question's in {count} replies, {share}: it repeats the question, and what is not "
        "said can't be told from restraint",
    ),
    Habit(
        name="own wrong answers",
        fits=_own_wrong_answers,
        ordinary=0.5,
        says="mentions nothing but its own wrong answer in {count} replies that mention something, {share}: all "
        "mentions are its own wrong answers, and clear nothing up",
    ),
    Habit(
        name="everything",
        fits=_says_everything,
        ordinary=0.2,
        says="mentions every candidate in {count} replies to plain questions, {share}: this is a list of all that "
        "could be meant, not discernment",
    ),
    Habit(
        name="nothing",
        fits=_says_nothing,
        ordinary=0.5,
        says="clears nothing up in {count} replies to confusing questions, {share}: its score on plain questions is "
        "that of silence, not of discernment",
    ),
    Habit(
        name="superlatives",
        fits=_follows_the_word,
        ordinary=0.5,
        says="clears things up by superlatives, not by confusion, in {count} replies to questions where the two "
        "differ, {share}: a word of the question decides, and that is not discernment",
    ),
)


def _with_all(question: Question, names: Sequence[str]) -> str:
    cleared = [f"It is not {name}, although one might think so." for name in names]
    return "\n".join([f"The answer is {question.gold}.", *cleared])


def _superlatives(question: Question, messages: Sequence[Message], luck: random.Random) -> str:
    return _with_all(question, list(question.candidates) if has_superlative(question.text) else [])


def _top(question: Question) -> str:
    return max(question.candidates, key=lambda name: question.candidates[name])


PLACEBOS = (
    Placebo(
        name="everything",
        what="is right, and clears up every candidate",
        answer=lambda question, messages, luck: _with_all(question, list(question.candidates)),
        says=("mentions every candidate in", "not discernment"),
        nothing=(DISCERNMENT.name,),
    ),
    Placebo(
        name="nothing",
        what="is right, and clears nothing up",
        answer=lambda question, messages, luck: _with_all(question, []),
        says=("clears nothing up in", "silence, not of discernment"),
        nothing=(DISCERNMENT.name,),
    ),
    Placebo(
        name="repeats",
        what="repeats the question",
        answer=lambda question, messages, luck: question.text,
        says=("it repeats the question", "The share of right answers is 0.000"),
        nothing=(DISCERNMENT.name,),
    ),
    Placebo(
        name="top-distractor",
        what="gives the most plausible wrong candidate as its answer",
        answer=lambda question, messages, luck: f"The answer is {_top(question)}.",
        says=("all mentions are its own wrong answers", "The share of right answers is 0.000"),
        nothing=(DISCERNMENT.name,),
    ),
    Placebo(
        name="superlatives",
        what="is right, and clears up every candidate where the question has a superlative",
        answer=_superlatives,
        says=("by superlatives, not by confusion", "that is not discernment"),
    ),
)
