"""Comparing: two sides of the same items, metric by metric and group by group."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import polars as pl

from counterfoil.comparing.compared import (
    ComparedFigure,
    FigureDifference,
    compared_figures,
    group_text,
    of_these_alone,
    tied_groups,
)
from counterfoil.comparing.corrected import corrected_differences, only_one_is_rated
from counterfoil.comparing.groups import beside_items, group_contrasts
from counterfoil.comparing.items import (
    SideItems,
    differences_between,
    items_of,
    joined_items,
    paired_with,
    records_of,
)
from counterfoil.comparing.sides import Side, chosen_sides, contrasts
from counterfoil.comparing.stopped import level_of, stopped_caveat
from counterfoil.errors import UserError
from counterfoil.figures.population import population_sentence
from counterfoil.running.asked import suite_of
from counterfoil.running.folder import Run
from counterfoil.stats.estimate import BASES, BASIS, NEW, THESE, Population
from counterfoil.stats.metric import QUESTION, Metric, by_name

if TYPE_CHECKING:
    from counterfoil.stats.estimate import Estimate
    from counterfoil.suite.suite import AnySuite

# Of the items without a partner, as many are named.
NAMED = 10
# Of more pairs than these nobody reads the groups: two of the sides can be named.
MOST_WITH_GROUPS = 6


class Alignment(msgspec.Struct, kw_only=True):
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
    """What a comparison found. `tied`: for each metric, with more than two sides, the groups that can't be told apart.

    `not_compared`: metrics that not all sides have. `seed_table`: the table that the suite's source document gives.
    """

    suite: str
    rows: list[ComparedFigure]
    alignment: list[Alignment]
    tied: dict[str, list[list[str]]]
    not_compared: list[str]
    seed_table: list[dict[str, Any]]
    # Whether groups were compared, too: not between more than MOST_WITH_GROUPS pairs.
    with_groups: bool = True
    # Of whom the intervals speak, and that in words.
    population: Population = NEW
    of_whom: str = ""
    # Sentences on the conditions of --fail-if that are met.
    failed: list[str] = []

    @property
    def table(self) -> pl.DataFrame:
        """One row for each metric, group and pair of sides; `group` as text."""
        numbers = ("value_a", "value_b", "difference", "low", "high", "p", "p_adjusted", "detectable")
        types: dict[str, Any] = dict.fromkeys(numbers, pl.Float64) | {"equivalent": pl.Boolean, "note": pl.String}
        rows = [{**msgspec.to_builtins(row), "group": group_text(row.group)} for row in self.rows]
        return pl.DataFrame(rows, schema_overrides=types, infer_schema_length=None)


class JoinedSides(NamedTuple):
    """Two sides, the metrics that both have, and their items beside each other."""

    one: Side
    other: Side
    metrics: list[Metric]
    frames: Mapping[str, pl.DataFrame]


def compare_runs(
    runs: Sequence[Run],
    *,
    models: Sequence[str] = (),
    variants: Sequence[str] = (),
    a: Sequence[str] = (),
    b: Sequence[str] = (),
    by: str | None = None,
    margin: float | None = None,
    population: Population = NEW,
) -> Comparison:
    """Compare two runs, or models or variants inside one or across several, item by item. `a` and `b` name any two
    sides by their model, prompts or both: only these are compared then. With `by`, a model's questions of one group are
    compared with those of another, as `language`: in pairs where they are parallel.

    With a `margin`, overall figures whose difference is shown to be smaller are called equal within it. Of the
    `population` "these", differences are about the questions of the dataset alone.
    """
    if not runs:
        raise UserError("Name two runs to compare, or one with several models or variants.")
    if (a or b) and (models or variants):
        raise UserError("Name the sides with --a and --b, or with --models and --variants.")
    _one_suite(runs)
    if by is not None:
        if a or b:
            raise UserError("--by compares every two groups: leave --a and --b out.")
        records = {id(run): records_of(run) for run in runs}
        return compare_pairs(group_contrasts(records, runs, by, models, variants), margin, population)[0]
    pairs = [chosen_sides(runs, a, b)] if a or b else contrasts(runs, models, variants)
    return compare_pairs(pairs, margin, population)[0]


def compare_pairs(
    pairs: Sequence[tuple[Side, Side]], margin: float | None = None, population: Population = NEW
) -> tuple[Comparison, list[JoinedSides]]:
    """Compare each two sides; with them their items, for whoever shows these."""
    if margin is not None and not 0 < margin < math.inf:
        raise UserError(
            f"The margin must be above 0, not {margin:g}: give the largest difference that does not matter."
        )
    sides = {side.label: side for pair in pairs for side in pair}
    runs = list({id(side.run): side.run for side in sides.values()}.values())
    name = _one_suite(runs)
    suite = suite_of(pairs[0][0].run)
    records = {id(run): records_of(run) for run in runs}
    items = {label: items_of(side, records[id(side.run)]) for label, side in sides.items()}
    every = list(dict.fromkeys(metric for of_side in items.values() for metric in of_side.metrics))
    shared = [metric for metric in every if all(metric in of_side.metrics for of_side in items.values())]
    differences: list[FigureDifference] = []
    alignment: list[Alignment] = []
    joined: list[JoinedSides] = []
    seed_table: list[dict[str, Any]] = []
    with_groups = len(pairs) <= MOST_WITH_GROUPS

    @cache
    def prepared(label: str, others: tuple[str, ...]) -> SideItems:
        return paired_with(items[label], others)

    for a, b in pairs:
        one, other = prepared(a.label, b.variants), prepared(b.label, a.variants)
        frames, aligned = align(suite, one, other)
        alignment.append(aligned)
        mine = zip(one.metrics, items[a.label].metrics, strict=True)
        metrics = [metric for metric, as_declared in mine if as_declared in shared]
        joined.append(JoinedSides(a, b, metrics, frames))
        compared = metrics if with_groups else list(map(_overall, metrics))
        differences += differences_between(frames, compared, a.label, b.label)
        if a.only is None:
            differences += corrected_differences(by_name(metrics), a, b)
            aligned.caveats += only_one_is_rated(a, b)
            seed_table += suite.published_comparison(_estimates(a), _estimates(b), a.label, b.label)
    shares = {label: side.run.share_asked(side.model) for label, side in sides.items()} if population == THESE else {}
    if shares:
        differences = [of_these_alone(one, min(shares[one.a], shares[one.b])) for one in differences]
    rows = compared_figures(differences, margin, level_of(runs))
    lost = {metric.name for metric in every} - {metric.name for metric in shared}
    alignment[0].caveats += stopped_caveat(runs)
    comparison = Comparison(
        suite=name,
        rows=rows,
        alignment=alignment,
        tied=tied_groups(rows, differences),
        not_compared=sorted(lost),
        seed_table=seed_table,
        with_groups=with_groups,
        population=population,
        of_whom=population_sentence(population, shares),
    )
    return comparison, joined


def _one_suite(runs: Sequence[Run]) -> str:
    suites = {run.whole_summary.suite for run in runs}
    if len(suites) > 1:
        raise UserError(f"These are runs of different suites ({', '.join(sorted(suites))}): compare runs of one.")
    return suites.pop()


def _overall(metric: Metric) -> Metric:
    """The metric without the groups that it has beside its overall figure."""
    return metric.changed(groups=((),)) if () in metric.groups else metric


def _estimates(side: Side) -> list[Estimate]:
    return [
        one
        for one in side.run.estimates
        if one.model == side.model and one.variant in side.variants and one.group.get(BASIS) not in BASES
    ]


def align(suite: AnySuite, one: SideItems, other: SideItems) -> tuple[dict[str, pl.DataFrame], Alignment]:
    """Items that both sides have; a failed one leaves the item out on both sides. Questions are counted."""
    a, b = one.frames[QUESTION], other.frames[QUESTION]
    every = joined_items(one.frames, other.frames, one.metrics)
    both = every[QUESTION]
    unpaired: list[str] = []
    if not both.height:
        if one.side.only is None:
            raise UserError(
                f"{one.side.label} and {other.side.label} have no question in common: compare runs on the same "
                "questions."
            )
        unpaired = [
            f"{one.side.label} and {other.side.label} have no parallel questions: they are compared as groups, "
            "unpaired, and what differs may be the questions."
        ]
        every = beside_items(one.frames, other.frames, one.metrics)
    answered = {kind: frame.filter(~(frame["left_out"] | frame["left_out b"])) for kind, frame in every.items()}
    aligned = Alignment(
        a=one.side.label,
        b=other.side.label,
        both=both.height,
        compared=0 if unpaired else answered[QUESTION].height,
        only_a=a.height - both.height,
        only_b=b.height - both.height,
        unpaired=[] if unpaired else [*_unpaired(a, b), *_unpaired(b, a)][:NAMED],
        left_out={one.side.label: int(both["left_out"].sum()), other.side.label: int(both["left_out b"].sum())},
        outcomes_a=_outcomes(one),
        outcomes_b=_outcomes(other),
        caveats=[*unpaired, *_over(one.side, other.side), *_caveats(suite, one.side, other.side)],
    )
    return answered, aligned


def _unpaired(frame: pl.DataFrame, other: pl.DataFrame) -> list[str]:
    return frame.join(other, on="item", how="anti", maintain_order="left")["item"].to_list()


def _outcomes(of_side: SideItems) -> dict[str, int]:
    """How the records ended, as the run counts them; of a group of questions, as its records say."""
    side = of_side.side
    if side.only is not None:
        return dict(of_side.outcomes)
    mine = [row for row in side.run.outcomes if row["model"] == side.model and row["variant"] in side.variants]
    counts = {name: sum(row.get(name, 0) for row in mine) for name in mine[0] if name not in ("model", "variant")}
    return {name: number for name, number in counts.items() if number}


def _over(one: Side, other: Side) -> list[str]:
    """Which variants each side is the mean of, if there are several."""
    a, b = (", ".join(side.variants) for side in (one, other))
    if len(one.variants) == len(other.variants) == 1:
        return []
    return [f"Over the variants {a}." if a == b else f"Each side is a mean over its variants: {a}; {b}."]


def _caveats(suite: AnySuite, one: Side, other: Side) -> list[str]:
    """What differs between the runs beside models and variants, in sentences; and that nothing can differ."""
    a, b = one.run.manifest, other.run.manifest
    found = []
    same_folder = one.run.folder.resolve() == other.run.folder.resolve()
    if same_folder and (one.model, one.variants, one.only) == (other.model, other.variants, other.only):
        found.append("Both sides are the same replies of the same run: nothing can differ.")
    if a["data"]["sha256"] != b["data"]["sha256"] and one.only is None:
        names = [a["data"]["name"], b["data"]["name"]]
        if names[0] == names[1]:
            hashes = [f"{name}, {data['data']['sha256'][:8]}" for name, data in zip(names, (a, b), strict=True)]
            found.append(
                f"Two sets with the same name are not the same questions ({'; '.join(hashes)}): they are paired by "
                "their ids, and what differs may be the questions."
            )
        else:
            found.append(f"The datasets differ ({', '.join(names)}): questions are paired by their ids.")
    for option in suite.options:
        values = a["options"].get(option.key), b["options"].get(option.key)
        if option.part_of_run and values[0] != values[1]:
            found.append(f"The runs differ in --{option.name}: {values[0]}, {values[1]}.")
    return found
