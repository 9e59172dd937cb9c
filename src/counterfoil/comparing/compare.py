"""Comparing: two sides of the same items, metric by metric and group by group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from counterfoil.comparing.compared import LEVEL, Compared, Found, judged, tied
from counterfoil.comparing.sides import Side, contrasts
from counterfoil.errors import UserError
from counterfoil.running.asked import suite_of
from counterfoil.running.folder import Run
from counterfoil.stats.pairing import Arms, Case, differences_of
from counterfoil.suite.metric import QUESTION, Measure, is_of
from counterfoil.suite.outcome import LEFT_OUT

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from counterfoil.suite.suite import AnySuite

__all__ = ["LEVEL", "Aligned", "Compared", "Comparison", "compare_runs", "left_out_column"]

# Of the items without a partner, as many are named.
NAMED = 10


class Aligned(msgspec.Struct, kw_only=True):
    """How the items of two sides fit together, and how the records of each ended.

    `both`: items that are on both sides; `left_out` of them failed or were not asked, on the side named, and
    `compared` are left. `caveats`: what else differs between the runs.
    """

    a: str
    b: str
    both: int
    compared: int
    only_a: int
    only_b: int
    # The first of those that have no partner.
    unpaired: list[str]
    left_out: dict[str, int]
    outcomes_a: dict[str, int]
    outcomes_b: dict[str, int]
    caveats: list[str]


class Comparison(msgspec.Struct, kw_only=True):
    """All of it. `tied`: for each metric, with more than two sides, the groups that can't be told apart;
    `not_compared`: metrics that not all sides have.
    """

    suite: str
    rows: list[Compared]
    alignment: list[Aligned]
    tied: dict[str, list[list[str]]]
    not_compared: list[str]
    seed_table: list[dict[str, Any]]

    @property
    def table(self) -> pl.DataFrame:
        """One row for each metric, group and pair of sides; `group` as text."""
        import polars as pl

        numbers = ("value_a", "value_b", "difference", "low", "high", "p", "p_adjusted", "detectable")
        types: dict[str, Any] = dict.fromkeys(numbers, pl.Float64) | {"equivalent": pl.Boolean, "note": pl.String}
        rows = [{**msgspec.to_builtins(row), "group": _group_text(row.group)} for row in self.rows]
        return pl.DataFrame(rows, schema_overrides=types, infer_schema_length=None)


class Items(NamedTuple):
    """The items of a side, made from so many records, and what they are compared by."""

    side: Side
    records: int
    items: pl.DataFrame
    measures: Sequence[Measure]


def compare_runs(
    runs: Sequence[Run], *, models: Sequence[str] = (), variants: Sequence[str] = (), margin: float | None = None
) -> Comparison:
    """Compare two runs, or models or variants inside one or across several, item by item.

    With a `margin`, overall figures whose difference is shown to be smaller are called equal within it.
    """
    if margin is not None and not margin > 0:
        raise UserError(
            f"The margin must be above 0, not {margin:g}: give the largest difference that does not matter."
        )
    if not runs:
        raise UserError("Name two runs to compare, or one with several models or variants.")
    suites = {run.whole_summary.suite for run in runs}
    if len(suites) > 1:
        raise UserError(f"These are runs of different suites ({', '.join(sorted(suites))}): compare runs of one.")
    [name] = suites
    suite = suite_of(runs[0])
    pairs = contrasts(runs, models, variants)
    frames = {
        side.label: items_of(suite, side) for side in {side.label: side for pair in pairs for side in pair}.values()
    }
    every = list(dict.fromkeys(measure for frame in frames.values() for measure in frame.measures))
    shared = [measure for measure in every if all(measure in frame.measures for frame in frames.values())]
    found: list[Found] = []
    alignment: list[Aligned] = []
    seed_table: list[dict[str, Any]] = []
    for a, b in pairs:
        joined, aligned = align(suite, frames[a.label], frames[b.label])
        alignment.append(aligned)
        found += differences_between(joined, shared, a.label, b.label)
        seed_table += suite.published_comparison(_estimates(a), _estimates(b), a.label, b.label)
    rows = judged(found, margin)
    lost = {measure.metric for measure in every} - {measure.metric for measure in shared}
    return Comparison(
        suite=name,
        rows=rows,
        alignment=alignment,
        tied=tied(rows, found),
        not_compared=sorted(lost),
        seed_table=seed_table,
    )


def items_of(suite: AnySuite, side: Side) -> Items:
    import polars as pl

    from counterfoil.running.folder import readable
    from counterfoil.running.records import read_scores

    path = side.run.folder / "records.parquet"
    with readable(path):
        records = read_scores(path)
    records = records.filter(pl.col("model") == side.model, pl.col("variant") == side.variant)
    items, measures = suite.measures(records, settings_of(side.run))
    return Items(side, records.height, items, measures)


def _estimates(side: Side) -> list[Any]:
    return [it for it in side.run.estimates if (it.model, it.variant) == (side.model, side.variant)]


def align(suite: AnySuite, one: Items, other: Items) -> tuple[pl.DataFrame, Aligned]:
    """Items that both sides have; a failed one leaves the item out on both sides. Questions are counted."""
    import polars as pl

    together = one.items.join(other.items, on="item", suffix=" b", maintain_order="left")
    a, b, joined = (frame.filter(is_of(frame, QUESTION)) for frame in (one.items, other.items, together))
    missing = [
        *a.join(b, on="item", how="anti", maintain_order="left")["item"].to_list(),
        *b.join(a, on="item", how="anti", maintain_order="left")["item"].to_list(),
    ]
    if not joined.height:
        raise UserError(
            f"{one.side.label} and {other.side.label} have no question in common: compare runs on the same questions."
        )
    counts = ~(pl.col("left_out") | pl.col("left_out b"))
    aligned = Aligned(
        a=one.side.label,
        b=other.side.label,
        both=joined.height,
        compared=joined.filter(counts).height,
        only_a=a.height - joined.height,
        only_b=b.height - joined.height,
        unpaired=missing[:NAMED],
        left_out={
            one.side.label: int(joined["left_out"].sum()),
            other.side.label: int(joined["left_out b"].sum()),
        },
        outcomes_a=_outcomes(one.side),
        outcomes_b=_outcomes(other.side),
        caveats=_caveats(suite, one.side.run, other.side.run),
    )
    return together.filter(counts), aligned


def _outcomes(side: Side) -> dict[str, int]:
    row = next(row for row in side.run.outcomes if (row["model"], row["variant"]) == (side.model, side.variant))
    return {name: number for name, number in row.items() if name not in ("model", "variant") and number}


def _caveats(suite: AnySuite, one: Run, other: Run) -> list[str]:
    """What differs between the runs beside models and variants, in sentences."""
    a, b = one.manifest, other.manifest
    found = []
    if a["data"]["sha256"] != b["data"]["sha256"]:
        names = f"{a['data']['name']}, {b['data']['name']}"
        found.append(f"The datasets differ ({names}): questions are paired by their ids.")
    for option in suite.options:
        values = a["options"].get(option.key), b["options"].get(option.key)
        if option.part_of_run and values[0] != values[1]:
            found.append(f"The runs differ in --{option.name}: {values[0]}, {values[1]}.")
    return found


def settings_of(run: Run) -> dict[str, Any]:
    """The options that were in force, and `data`, the dataset's name."""
    return {**run.manifest["options"], "data": run.manifest["data"]["name"]}


def differences_between(joined: pl.DataFrame, measures: Sequence[Measure], a: str, b: str) -> list[Found]:
    """Each metric in each group, over items that are joined."""
    import polars as pl

    @cache
    def both(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        one, other = (joined[column].cast(pl.Float64).fill_null(np.nan).to_numpy() for column in (name, f"{name} b"))
        return one, other

    def arms(c: float, column: str, where: NDArray[np.bool_], most: float | None = None) -> Arms:
        one, other = both(column)
        end = 1.0 if most is None else float(np.nan_to_num([one, other]).max(initial=most))
        return Arms(c * end, one[where] / end, other[where] / end)

    @cache
    def groups(kind: str, by: tuple[str, ...]) -> list[tuple[dict[str, str | int], NDArray[np.bool_]]]:
        return list(_groups(joined, is_of(joined, kind), by))

    clusters = joined["cluster"].cast(pl.Categorical).to_physical().to_numpy().astype(np.int64)
    about: list[tuple[Measure, dict[str, str | int], bool, str | None]] = []
    cases: list[Case] = []
    for measure in measures:
        counts = np.ones(joined.height, dtype=bool)
        if measure.where_both is not None:
            right = both(measure.where_both)
            counts = (right[0] == 1) & (right[1] == 1)
        for by in measure.groups:
            for group, within in groups(measure.kind, by):
                where = within & counts
                withheld = None
                if measure.limit is not None and where.any():
                    shares = [float(side[where].mean()) for side in both(measure.limit.column)]
                    withheld = measure.limit.why if max(shares) > measure.limit.most else None
                if withheld is not None:
                    where = np.zeros_like(where)
                over = None if measure.over is None else arms(1.0, measure.over, where)
                terms = [arms(*term, where, measure.most) for term in measure.terms]
                cases.append(Case(terms, clusters[where], measure.low, over))
                about.append((measure, {**group, **dict(measure.label)}, not by, withheld))
    return [
        Found(measure.metric, a, b, group, measure.label, overall, withheld, measure.note, difference)
        for (measure, group, overall, withheld), difference in zip(about, differences_of(cases), strict=True)
    ]


def _groups(
    frame: pl.DataFrame, mine: NDArray[np.bool_], by: Sequence[str]
) -> Iterable[tuple[dict[str, str | int], NDArray[np.bool_]]]:
    """Of the rows that are `mine`: those of each group that there is."""
    import polars as pl

    if not by:
        yield {}, mine
        return
    for key in frame.filter(mine).select(by).drop_nulls().unique().sort(by).iter_rows():
        conditions = [pl.col(name) == value for name, value in zip(by, key, strict=True)]
        where = frame.select(pl.all_horizontal(conditions).fill_null(False)).to_series().to_numpy()
        yield dict(zip(by, key, strict=True)), where & mine


def _group_text(group: dict[str, str | int]) -> str:
    return ", ".join(f"{name} {value}" for name, value in group.items())


def left_out_column() -> Any:
    """For a suite's frame of items: whether a record was left out for a reason that is not the model's answer."""
    import polars as pl

    return pl.col("outcome").is_in(LEFT_OUT)
