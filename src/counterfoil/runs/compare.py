"""Comparing: two sides of the same items, metric by metric and group by group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from counterfoil.errors import UserError
from counterfoil.runs.folder import Run
from counterfoil.runs.measure import Measure
from counterfoil.runs.outcome import LEFT_OUT
from counterfoil.runs.sides import Side, contrasts
from counterfoil.runs.suites import load_suite
from counterfoil.stats.cliques import cliques
from counterfoil.stats.holm import holm
from counterfoil.stats.pairing import Arms, Difference, difference_of
from counterfoil.stats.signflips import out_of_reach

if TYPE_CHECKING:
    import polars as pl

LEVEL = 0.05


class Compared(msgspec.Struct, kw_only=True):
    """One metric in one group: both sides, and b − a. `p_adjusted` is p after Holm over the metric's groups."""

    metric: str
    a: str
    b: str
    group: dict[str, str | int]
    value_a: float | None
    value_b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    smallest_p: float
    detectable: float | None
    pairs: int
    clusters: int
    verdict: str
    method: str
    note: str | None


class Aligned(msgspec.Struct, kw_only=True):
    """How the items of two sides fit together, and how the records of each ended."""

    a: str
    b: str
    both: int
    only_a: int
    only_b: int
    # The first of those that have no partner.
    unpaired: list[str]
    left_out: dict[str, int]
    outcomes_a: dict[str, int]
    outcomes_b: dict[str, int]


class Comparison(msgspec.Struct, kw_only=True):
    """All of it. `tied`: for each metric, with more than two sides, the groups that can't be told apart."""

    suite: str
    rows: list[Compared]
    alignment: list[Aligned]
    tied: dict[str, list[list[str]]]
    seed_table: list[dict[str, Any]]

    @property
    def table(self) -> pl.DataFrame:
        """One row for each metric, group and pair of sides; `group` as text."""
        import polars as pl

        rows = [{**msgspec.to_builtins(row), "group": _group_text(row.group)} for row in self.rows]
        return pl.DataFrame(rows, infer_schema_length=None)


class _Frame(NamedTuple):
    side: Side
    items: pl.DataFrame


def compare_runs(runs: Sequence[Run], *, models: Sequence[str] = (), variants: Sequence[str] = ()) -> Comparison:
    """Compare two runs, or models or variants inside one or across several, item by item."""
    suites = {run.whole_summary.suite for run in runs}
    if len(suites) > 1:
        raise UserError(f"These are runs of different suites ({', '.join(sorted(suites))}): compare runs of one.")
    [name] = suites
    suite = load_suite(name)
    rows: list[Compared] = []
    alignment: list[Aligned] = []
    seed_table: list[dict[str, Any]] = []
    frames: dict[str, _Frame] = {}
    measures: Sequence[Measure] = ()
    pairs = contrasts(runs, models, variants)
    for side in {side.label: side for pair in pairs for side in pair}.values():
        items, measures = suite.measures(_records(side), side.run.manifest["options"])
        frames[side.label] = _Frame(side, items)
    for a, b in pairs:
        one, other = frames[a.label], frames[b.label]
        joined, aligned = _align(one, other)
        alignment.append(aligned)
        rows += [row for measure in measures for row in _compare(joined, measure, a.label, b.label)]
        seed_table += suite.seed_comparison(_estimates(a), _estimates(b), a.label, b.label)
    rows, tied = _all_pairs(rows)
    return Comparison(suite=name, rows=rows, alignment=alignment, tied=tied, seed_table=seed_table)


def _records(side: Side) -> pl.DataFrame:
    import polars as pl

    from counterfoil.runs.records import read_scores

    return read_scores(side.run.folder / "records.parquet").filter(
        pl.col("model") == side.model, pl.col("variant") == side.variant
    )


def _estimates(side: Side) -> list[Any]:
    return [it for it in side.run.estimates if (it.model, it.variant) == (side.model, side.variant)]


def _align(one: _Frame, other: _Frame) -> tuple[pl.DataFrame, Aligned]:
    """Items that both sides have; a failed one leaves the item out on both sides, and is counted."""
    import polars as pl

    a, b = one.items, other.items
    missing = [
        *a.join(b, on="item", how="anti", maintain_order="left")["item"].to_list(),
        *b.join(a, on="item", how="anti", maintain_order="left")["item"].to_list(),
    ]
    joined = a.join(b, on="item", suffix=" b", maintain_order="left")
    failed = pl.col("left_out") | pl.col("left_out b")
    left_out = {
        one.side.label: int(joined["left_out"].sum()),
        other.side.label: int(joined["left_out b"].sum()),
    }
    aligned = Aligned(
        a=one.side.label,
        b=other.side.label,
        both=joined.height,
        only_a=a.height - joined.height,
        only_b=b.height - joined.height,
        unpaired=missing[:10],
        left_out=left_out,
        outcomes_a=_outcomes(one.side),
        outcomes_b=_outcomes(other.side),
    )
    if not joined.height:
        raise UserError(
            f"{one.side.label} and {other.side.label} have no question in common: compare runs on the same questions."
        )
    return joined.filter(~failed), aligned


def _outcomes(side: Side) -> dict[str, int]:
    row = next(row for row in side.run.outcomes if (row["model"], row["variant"]) == (side.model, side.variant))
    return {name: number for name, number in row.items() if name not in ("model", "variant") and number}


def _compare(joined: pl.DataFrame, measure: Measure, a: str, b: str) -> list[Compared]:
    """One row for each group; those that are no overall figure are one family for Holm."""
    import polars as pl

    if measure.where_both is not None:
        joined = joined.filter(pl.col(measure.where_both) & pl.col(f"{measure.where_both} b"))
    clusters = joined["cluster"].cast(pl.Categorical).to_physical().to_numpy().astype(np.int64)
    values = {
        column: tuple(joined[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in (column, f"{column} b"))
        for _, column in measure.terms
    }
    rows: list[tuple[dict[str, str | int], Difference]] = []
    for by in measure.groups:
        for group, where in _groups(joined, by):
            arms = [Arms(c, values[column][0][where], values[column][1][where]) for c, column in measure.terms]
            _, numbered = np.unique(clusters[where], return_inverse=True)
            label = dict([measure.label]) if measure.label else {}
            rows.append(({**group, **label}, difference_of(arms, numbered.astype(np.int64), low=measure.low)))
    overall = [
        index
        for index, (group, _) in enumerate(rows)
        if set(group) <= set(dict([measure.label] if measure.label else []))
    ]
    adjusted = holm([None if i in overall else rows[i][1].test.p for i in range(len(rows))])
    family = sum(1 for i, (_, it) in enumerate(rows) if i not in overall and it.test.p is not None)
    return [
        _row(measure.metric, a, b, group, it, it.test.p if i in overall else adjusted[i], 1 if i in overall else family)
        for i, (group, it) in enumerate(rows)
    ]


def _groups(frame: pl.DataFrame, by: Sequence[str]) -> Iterable[tuple[dict[str, str | int], Any]]:
    import polars as pl

    if not by:
        yield {}, np.ones(frame.height, dtype=bool)
        return
    for key in frame.select(by).drop_nulls().unique().sort(by).iter_rows():
        conditions = [pl.col(name) == value for name, value in zip(by, key, strict=True)]
        where = frame.select(pl.all_horizontal(conditions).fill_null(False)).to_series().to_numpy()
        yield dict(zip(by, key, strict=True)), where


def _row(
    metric: str, a: str, b: str, group: dict[str, str | int], it: Difference, p_adjusted: float | None, family: int
) -> Compared:
    level = LEVEL / max(family, 1)
    notes = [it.interval.note, it.test.note, out_of_reach(it.test.smallest_p, it.test.differing, level)]
    return Compared(
        metric=metric,
        a=a,
        b=b,
        group=group,
        value_a=it.value_a,
        value_b=it.value_b,
        difference=it.interval.value,
        low=it.interval.low,
        high=it.interval.high,
        p=it.test.p,
        p_adjusted=p_adjusted,
        smallest_p=it.test.smallest_p,
        detectable=it.detectable(level),
        pairs=it.pairs,
        clusters=it.interval.clusters,
        verdict=_verdict(it, p_adjusted),
        method=f"{it.interval.method}; {it.test.method}",
        note="; ".join(dict.fromkeys(note for note in notes if note)) or None,
    )


def _verdict(it: Difference, p: float | None) -> str:
    """In plain words. Not told apart is not equal."""
    if it.interval.value is None or p is None:
        return "not defined"
    if p < LEVEL:
        return "higher" if it.interval.value > 0 else "lower"
    return "can't be told apart"


def _all_pairs(rows: list[Compared]) -> tuple[list[Compared], dict[str, list[list[str]]]]:
    """With more than two sides: p of the overall figures after Holm over all pairs, and who can't be told apart."""
    sides = list(dict.fromkeys(side for row in rows for side in (row.a, row.b)))
    every = {frozenset(pair) for pair in combinations(sides, 2)}
    if len(sides) < 3 or every != {frozenset((row.a, row.b)) for row in rows}:
        return rows, {}
    tied: dict[str, list[list[str]]] = {}
    for metric in dict.fromkeys(row.metric for row in rows):
        family = [row for row in rows if row.metric == metric and not row.group]
        for row, p in zip(family, holm([row.p for row in family]), strict=True):
            row.p_adjusted = p
            if row.difference is not None and p is not None:
                shown = "higher" if row.difference > 0 else "lower"
                row.verdict = shown if p < LEVEL else "can't be told apart"
        apart = [(row.a, row.b) for row in family if row.p_adjusted is not None and row.p_adjusted < LEVEL]
        if family:
            tied[metric] = [list(group) for group in cliques(sides, apart)]
    return rows, tied


def _group_text(group: dict[str, str | int]) -> str:
    return ", ".join(f"{name} {value}" for name, value in group.items())


def left_out_column() -> Any:
    """For a suite's frame of items: whether a record was left out for a reason that is not the model's answer."""
    import polars as pl

    return pl.col("outcome").is_in(LEFT_OUT)
