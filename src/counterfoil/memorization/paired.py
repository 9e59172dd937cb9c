"""From records to one row for each question: its original beside the means over each arm's draws."""

from __future__ import annotations

import polars as pl

# Gold answers that were computed, and those of files from elsewhere; what a model wrote is shown apart.
TRUSTED = ("verified", "imported")
GAP_LEVELS = (1, 2)
# What becomes a column of its own: the levels of the gap together, each level, each control.
ARMS = ("perturbed", "level 1", "level 2", "level 3", "again", "reshuffled", "renamed")
WHO = ["model", "variant", "parent"]


def questions_of(records: pl.DataFrame, *, trusted: bool = True) -> pl.DataFrame:
    """One row for each model, variant and original: `o`, and for each arm the share of right draws (null where a draw
    is missing: a question without all of its draws has no part in that arm), with `any` and `all` of the gap's draws.

    `trusted` chooses draws whose gold is computed, or those whose gold a model wrote and nothing confirms.
    """
    is_trusted = pl.col("status").is_in(TRUSTED)
    mine = (pl.col("level") == 0) | (is_trusted if trusted else ~is_trusted)
    right = pl.when(pl.col("correct").is_not_null()).then(pl.col("correct").cast(pl.Float64))
    # Repeats are members of the question, and never new n.
    by_draw = (
        records.filter(mine, pl.col("control").is_null() | (pl.col("control") != "lure"))
        .group_by([*WHO, "cluster", "topic", "level", "control", "draw"], maintain_order=True)
        .agg(right=pl.when(right.null_count() == 0).then(right.mean()))
    )
    original = (pl.col("level") == 0) & pl.col("control").is_null()
    in_gap = pl.col("level").is_in(GAP_LEVELS)
    arms = {
        "perturbed": in_gap,
        **{f"level {level}": pl.col("level") == level for level in (1, 2, 3)},
        **{control: pl.col("control") == control for control in ("again", "reshuffled", "renamed")},
    }
    return by_draw.group_by([*WHO, "cluster", "topic"], maintain_order=True).agg(
        o=_complete_mean(original),
        **{name: _complete_mean(condition) for name, condition in arms.items()},
        draws=in_gap.sum(),
        all_right=(pl.col("right") == 1).filter(in_gap).all() & in_gap.any(),
        any_right=(pl.col("right") > 0).filter(in_gap).any(),
    )


def _complete_mean(condition: pl.Expr) -> pl.Expr:
    """The mean of an arm; null where the arm is empty, or one of its draws is."""
    values = pl.col("right").filter(condition)
    return pl.when((values.len() > 0) & (values.null_count() == 0)).then(values.mean())


def lures_of(records: pl.DataFrame) -> pl.DataFrame:
    """The replies of the lure arm: whether each kept the old answer, or took the sham; unread ones took neither."""
    lures = records.filter(pl.col("control") == "lure", pl.col("correct").is_not_null())
    old, sham = (pl.col(name).fill_null(False).cast(pl.Float64) for name in ("kept_old", "took_sham"))
    return lures.with_columns(old=old, excess=old - sham)
