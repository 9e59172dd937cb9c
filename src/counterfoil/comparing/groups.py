"""Sides that are groups of one run's questions, as those in each language: paired where they are parallel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import polars as pl

from counterfoil.comparing.sides import Side
from counterfoil.errors import UserError
from counterfoil.running.asked import suite_of
from counterfoil.suite.options import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from counterfoil.running.folder import Run
    from counterfoil.stats.metric import Metric


def group_contrasts(
    records: Mapping[int, pl.DataFrame],
    runs: Sequence[Run],
    column: str,
    models: Sequence[str],
    variants: Sequence[str],
) -> list[tuple[Side, Side]]:
    """The pairs to compare: for each model, what it was asked in one group with what it was asked in another.

    `records` are those of each run, by its identity. Only named models and variants take part, where any are named.
    """
    known = dict.fromkeys(
        name for run in runs for metric in suite_of(run).metrics for by in metric.groups for name in by
    )
    if column not in known:
        raise UserError(f"--by {column}{nearest(column, known)}: there are {', '.join(known)}.")
    cells = [
        (run, model, names, value)
        for run in runs
        for model, names in _asked(run, models, variants).items()
        for value in _values(run, records[id(run)], column)
    ]
    pairs = [pair for pair in combinations(cells, 2) if pair[0][1] == pair[1][1] and pair[0][3] != pair[1][3]]
    if not pairs:
        there = dict.fromkeys(value for *_, value in cells)
        raise UserError(f"--by {column}: there is nothing to compare, only {', '.join(there) or 'no groups'}.")
    several_models = len({model for _, model, *_ in cells}) > 1
    several_runs = len({(model, value) for _, model, _, value in cells}) < len(cells)

    def side(run: Run, model: str, names: tuple[str, ...], value: str) -> Side:
        parts = (str(run.folder) if several_runs else "", model if several_models else "", value)
        return Side(run, model, names, " ".join(filter(None, parts)), (column, value))

    return [(side(*a), side(*b)) for a, b in pairs]


def _asked(run: Run, models: Sequence[str], variants: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The variants that each model was asked in."""
    found: dict[str, tuple[str, ...]] = {}
    for row in run.outcomes:
        model, variant = str(row["model"]), str(row["variant"])
        if model in (models or [model]) and variant in (variants or [variant]):
            found[model] = (*found.get(model, ()), variant)
    return found


def _values(run: Run, records: pl.DataFrame, column: str) -> list[str]:
    return with_group(run, records, column)[column].drop_nulls().unique().sort().to_list()


def with_group(run: Run, records: pl.DataFrame, column: str) -> pl.DataFrame:
    """The records with the group of each; where they don't say theirs, it is that of the whole dataset."""
    whole = pl.lit(run.manifest["data"].get(column), pl.String)
    own = pl.col(column).cast(pl.String) if column in records.columns else pl.lit(None, pl.String)
    return records.with_columns(pl.coalesce(own, whole).alias(column))


def records_of_group(side: Side, records: pl.DataFrame) -> pl.DataFrame:
    """A side's records, with what is parallel under the same names as on other sides. They are in no group any more."""
    if side.only is None:
        return records
    column, value = side.only
    mine = suite_of(side.run).of_group(with_group(side.run, records, column), column, value)
    return mine.with_columns(pl.lit(None, pl.String).alias(column))


def beside_items(
    one: Mapping[str, pl.DataFrame], other: Mapping[str, pl.DataFrame], metrics: Iterable[Metric]
) -> dict[str, pl.DataFrame]:
    """The items of two sides that have none in common, each with a value on its own side alone."""
    values = {name for metric in metrics for name in metric.columns}
    values |= {str(metric.limit.metric.mean) for metric in metrics if metric.limit is not None}
    frames = {}
    for kind, frame in one.items():
        if kind not in other:
            continue
        joined = frame.join(other[kind], on="item", how="full", suffix=" b", coalesce=True, maintain_order="left_right")
        about = [name for name in frame.columns if name not in (*values, "item", "left_out")]
        frames[kind] = joined.with_columns(
            *(pl.coalesce(name, f"{name} b") for name in about),
            *(pl.col(name).fill_null(False) for name in ("left_out", "left_out b")),
        )
    return frames
