"""What two sides of `memorization` are compared by."""

from __future__ import annotations

import polars as pl

from counterfoil.memorization.paired import lures_of, questions_of
from counterfoil.memorization.scoring import GAP_LEVELS, TRUSTED
from counterfoil.runs.measure import Measure
from counterfoil.runs.outcome import LEFT_OUT

GROUPS = ((), ("topic",))


def measures(rows: pl.DataFrame) -> tuple[pl.DataFrame, list[Measure]]:
    """One item for each original: the gap and what it is made of, over questions with all their draws on both sides."""
    changed = pl.col("level").is_in(GAP_LEVELS) & pl.col("status").is_in(TRUSTED)
    in_gap = pl.col("control").is_null() & ((pl.col("level") == 0) | changed)
    lost = rows.group_by("parent").agg(left_out=(pl.col("outcome").is_in(LEFT_OUT) & in_gap).any())
    excess = lures_of(rows).group_by("parent").agg(pl.col("excess").mean())
    both = pl.col("o").is_not_null() & pl.col("perturbed").is_not_null()
    o, v = (pl.when(both).then(pl.col(name)) for name in ("o", "perturbed"))
    items = (
        questions_of(rows)
        .join(lost, on="parent", how="left", maintain_order="left")
        .join(excess, on="parent", how="left", maintain_order="left")
        .with_columns(
            item=pl.col("parent"),
            right_original=o,
            right_perturbed=v,
            gap=o - v,
        )
    )
    made = [
        Measure(metric="accuracy_original", terms=((1.0, "right_original"),), groups=GROUPS),
        Measure(metric="accuracy_perturbed", terms=((1.0, "right_perturbed"),), groups=GROUPS),
        Measure(metric="memorization_gap", terms=((1.0, "gap"),), low=-1.0, groups=GROUPS),
        Measure(metric="robust_accuracy", terms=((1.0, "robust"),), groups=GROUPS),
    ]
    if items["excess"].count():
        made.append(Measure(metric="kept_old_excess", terms=((1.0, "excess"),), low=-1.0, groups=GROUPS))
    return items, made
