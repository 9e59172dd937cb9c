"""From records to one row for each question: its original beside the means over each arm's draws."""

from __future__ import annotations

import polars as pl

from counterfoil.memorization.scoring import GAP_LEVELS, TRUSTED

WHO = ["model", "variant", "parent"]
KINDS = ("robust", "suspect", "improved")
_ORIGINAL = (pl.col("level") == 0) & pl.col("control").is_null()
_IN_GAP = pl.col("level").is_in(GAP_LEVELS)


def questions_of(records: pl.DataFrame, *, trusted: bool = True) -> pl.DataFrame:
    """One row for each model, variant and original: `o`, and for each arm the share of right draws (null where a draw
    is missing: a question without all of its draws has no part in that arm); with `robust`, `suspect` and `improved`
    over the gap's draws. `original` is what `accuracy_original` is a mean of: `o` where all draws of the gap are there.
    Where a model and variant has none (level 3 alone was asked for, or no gold is trusted), all other draws have to be;
    where it has no draws at all, `o` is all there is.

    `trusted` chooses draws whose gold is computed, or those whose gold a model wrote and nothing confirms.
    """
    replies = _replies(records, trusted)
    by_draw = _by_draw(replies)
    arms = {
        "perturbed": _IN_GAP,
        **{f"level {level}": pl.col("level") == level for level in (1, 2, 3)},
        **{control: pl.col("control") == control for control in ("again", "reshuffled", "renamed")},
    }
    questions = by_draw.group_by([*WHO, "cluster", "topic"], maintain_order=True).agg(
        o=_complete_mean(_ORIGINAL),
        **{name: _complete_mean(condition) for name, condition in arms.items()},
        draws=_IN_GAP.sum(),
    )
    both = pl.col("o").is_not_null() & pl.col("perturbed").is_not_null()
    in_gap = (pl.col("draws") > 0).any().over("model", "variant")
    alone = pl.col("complete").is_null().all().over("model", "variant")
    counts = pl.when(in_gap).then(both).otherwise(alone | pl.col("complete"))
    questions = questions.join(_kinds(replies), on=WHO, how="left", maintain_order="left")
    return questions.join(_complete(records), on=WHO, how="left", maintain_order="left").with_columns(
        *(pl.when(both).then(pl.col(name)).alias(name) for name in KINDS),
        original=pl.when(counts).then(pl.col("o")),
    )


def differences_of(
    records: pl.DataFrame, questions: pl.DataFrame, arm: pl.Expr, *, trusted: bool = True
) -> pl.DataFrame:
    """One row for each draw of an arm: `difference` = base − right, where `questions` has the column `base` (null where
    the question has no part in it); `weight` makes each question count once, however many draws it has.

    A question without draws in the arm has one row without a difference: it is there, and not counted.
    """
    draws = _by_draw(_replies(records, trusted)).filter(arm).select(*WHO, "right")
    joined = questions.join(draws, on=WHO, how="left", maintain_order="left")
    return joined.with_columns(
        difference=pl.col("base") - pl.col("right"), weight=1.0 / pl.len().over(WHO).cast(pl.Float64)
    )


def _replies(records: pl.DataFrame, trusted: bool) -> pl.DataFrame:
    is_trusted = pl.col("status").is_in(TRUSTED)
    mine = (pl.col("level") == 0) | (is_trusted if trusted else ~is_trusted)
    return records.filter(mine, pl.col("control").is_null() | (pl.col("control") != "lure")).with_columns(
        right=pl.col("correct").cast(pl.Float64)
    )


def _by_draw(replies: pl.DataFrame) -> pl.DataFrame:
    """Repeats are members of the question, and never new n."""
    right = pl.col("right")
    return replies.group_by([*WHO, "cluster", "topic", "level", "control", "draw"], maintain_order=True).agg(
        right=pl.when(right.null_count() == 0).then(right.mean())
    )


def _kinds(replies: pl.DataFrame) -> pl.DataFrame:
    """Whether original and draws are right together, in each repeat by itself: asking more often is no harder test."""
    right = pl.col("right")
    by_repeat = replies.group_by([*WHO, "repeat"], maintain_order=True).agg(
        o=(right.filter(_ORIGINAL) == 1).all(),
        every=(right.filter(_IN_GAP) == 1).all(),
        some=(right.filter(_IN_GAP) == 1).any(),
    )
    o, every, some = pl.col("o"), pl.col("every"), pl.col("some")
    return by_repeat.group_by(WHO, maintain_order=True).agg(
        robust=(o & every).mean(), suspect=(o & ~every).mean(), improved=(~o & some).mean()
    )


def _complete_mean(condition: pl.Expr) -> pl.Expr:
    """The mean of an arm; null where the arm is empty, or one of its draws is."""
    values = pl.col("right").filter(condition)
    return pl.when((values.len() > 0) & (values.null_count() == 0)).then(values.mean())


def _complete(records: pl.DataFrame) -> pl.DataFrame:
    """For each original that was changed in any way, whether there is a reply to all that was made of it."""
    draws = records.filter(pl.col("level") > 0, pl.col("control").is_null())
    return draws.group_by(WHO).agg(complete=pl.col("correct").null_count() == 0)


def lures_of(records: pl.DataFrame) -> pl.DataFrame:
    """The replies of the lure arm, of questions with all their draws: whether each kept the old answer, or took the
    sham; unread ones took neither.
    """
    return asked_lures(records).drop_nulls("excess")


def asked_lures(records: pl.DataFrame) -> pl.DataFrame:
    """As `lures_of`, with those of questions that lack a draw: they are there, and null."""
    lures = records.filter(pl.col("control") == "lure", pl.col("status").is_in(TRUSTED))
    every = pl.col("correct").is_not_null().all().over(WHO)
    old, sham = (pl.when(every).then(pl.col(name).cast(pl.Float64)) for name in ("kept_old", "took_sham"))
    return lures.with_columns(old=old, excess=old - sham)
