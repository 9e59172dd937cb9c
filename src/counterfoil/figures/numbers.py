"""Numbers in sentences and tables: an estimate never without its interval."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

import msgspec

from counterfoil.figures.names import short_names
from counterfoil.figures.plots import MOST_PROMPTS, Axis, Dot, Dots, Histogram, Lines, Of, Plot, Scatter
from counterfoil.stats.estimate import ALL, Estimate

UNDEFINED = "undefined"
_FEW_CLUSTERS = re.compile(r"fewer than (\d+) clusters \((\d+)\)")
# What is nearer to 0 than this is 0, but for the rounding of sums.
ROUNDING = 1e-12


def table(plot: Plot) -> list[list[str]]:
    """A heading and one row for every value, in the plot's order; columns that nobody fills are left out."""
    match plot:
        case Dots():
            return _rows(plot.rows, plot.label_name, plot.series_name, plot.x.label)
        case Lines():
            return _rows(plot.rows, plot.x, plot.series_name, plot.y.label)
        case Scatter():
            return _points(plot)
        case Histogram():
            return _bins(plot)


def cell(value: float | None) -> str:
    """Three decimals, or four digits where these say too little; what is no number is undefined."""
    if value is None or not math.isfinite(value):
        return UNDEFINED
    size = abs(value)
    if size < ROUNDING:
        return "0.000"
    return f"{value:.4g}" if size >= 1e6 or 0 < size < 0.001 else f"{value:z.3f}"


def edge(value: float | None) -> str:
    """A bound of an interval; nothing where there is none."""
    if value is None or math.isnan(value):
        return ""
    return cell(value) if math.isfinite(value) else f"{value:g}"


def between(low: float | None, high: float | None) -> str:
    """An interval in brackets, or nothing where there is none."""
    return f" [{edge(low) or '?'}, {edge(high) or '?'}]" if edge(low) or edge(high) else ""


def _rows(rows: tuple[Dot, ...], label: str, series: str, value: str) -> list[list[str]]:
    head = ["group", label, series, "prompt", value, "low", "high", "n", "note"]
    cells = [
        [
            *(row.group, row.label, row.series, row.prompt, cell(row.value), edge(row.low), edge(row.high)),
            *("" if row.n is None else f"{row.n:,}", row.note),
        ]
        for row in rows
    ]
    return _filled(head, cells, {0, 3, 5, 6, 7, 8})


def _points(plot: Scatter) -> list[list[str]]:
    x, y = plot.x.label, plot.y.label
    head = [plot.label_name, plot.series_name, x, f"{x}: low", f"{x}: high", y, f"{y}: low", f"{y}: high", "note"]
    cells = [
        [
            *(point.label, point.series),
            *(cell(point.x), edge(point.x_low), edge(point.x_high)),
            *(cell(point.y), edge(point.y_low), edge(point.y_high)),
            point.note,
        ]
        for point in plot.points
    ]
    return _filled(head, cells, {3, 4, 6, 7, 8})


def _bins(plot: Histogram) -> list[list[str]]:
    head = [f"{plot.x}: from", "to", *(one.series or plot.y for one in plot.series)]
    bins = zip(plot.edges, plot.edges[1:], *(one.counts for one in plot.series), strict=False)
    return [head, *([f"{low:g}", f"{high:g}", *(f"{count:,}" for count in counts)] for low, high, *counts in bins)]


def _filled(head: list[str], cells: list[list[str]], optional: set[int]) -> list[list[str]]:
    kept = [i for i in range(len(head)) if i not in optional or any(row[i] for row in cells)]
    return [[row[i] for i in kept] for row in (head, *cells)]


def with_interval(estimate: Estimate) -> str:
    """0.170 [0.147, 0.194]; why there is no value, or no interval, where that is so."""
    if estimate.value is None:
        return f"not defined ({estimate.note})" if estimate.note else "not defined"
    return f"{cell(estimate.value)}{between(estimate.low, estimate.high) or f' ({without_interval(estimate)})'}"


def without_interval(estimate: Estimate) -> str:
    """That there is no interval, and why, where its note says so."""
    notes = (estimate.note or "").split("; ")
    why = next((note for note in notes if note.startswith("no interval")), "no interval")
    return _FEW_CLUSTERS.sub(r"\2 of the \1 clusters that it takes", why)


def side_of(estimate: Estimate) -> int | None:
    """1 or -1 where the whole interval lies above or below 0, 0 where it holds 0, None without an interval."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    return 1 if estimate.low > 0 else -1 if estimate.high < 0 else 0


def overall(estimates: Iterable[Estimate], metric: str) -> list[Estimate]:
    """The metric's estimates over all groups, one for each model and variant."""
    return [estimate for estimate in estimates if estimate.metric == metric and not estimate.group]


def naming(estimates: Sequence[Estimate]) -> dict[tuple[str, str], str]:
    """A name for each model and variant, without what is the same for all of them."""
    pairs = list(dict.fromkeys((estimate.model, estimate.variant) for estimate in estimates))
    short = short_names(model for model, _ in pairs)
    if len({variant for _, variant in pairs}) < 2:
        return {pair: short[pair[0]] for pair in pairs}
    if len(short) < 2:
        return {pair: f"prompt {pair[1]}" for pair in pairs}
    return {(model, variant): f"{short[model]} (prompt {variant})" for model, variant in pairs}


def money(amount: float | None) -> str:
    """US dollars, with more digits where they are few."""
    if amount is None:
        return "not known"
    return f"${amount:,.2f}" if amount >= 1 or amount == 0 else f"${amount:.4f}"


def listed(names: Iterable[str], most_named: int | None = None) -> str:
    """a, b and c; of more than `most_named`: a, b and 4 more."""
    found = list(names) or [""]
    if most_named is not None and len(found) > most_named:
        found = [*found[: most_named - 1], f"{len(found) - most_named + 1:,} more"]
    *most, last = found
    return f"{', '.join(most)} and {last}" if most else last


def plural(count: int, one: str, many: str = "") -> str:
    """1 record, 2,000 records."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def replies_to(answered: int, questions: int, replies: int, asks: int) -> str:
    """9 of 20 questions; with the orders and draws of questions, where some of these are missing."""
    text = f"{answered:,} of {plural(questions, 'question')}"
    return text if asks == questions or replies == asks else f"{text}, {replies:,} of {asks:,} with orders and draws"


def forest(title: str, description: str, estimates: Iterable[Estimate], x: Axis) -> Dots:
    """Estimates with their intervals: a row for each metric, a series for each model and variant."""
    rows = tuple(dot(one.metric, f"{one.model}, {one.variant}", one) for one in estimates)
    return Dots(
        title=title, description=description, x=x, rows=rows, label_name="metric", series_name="model and prompt"
    )


def dot(label: str, series: str, estimate: Estimate, group: str = "") -> Dot:
    """An estimate with its interval and its note, as a row of a plot."""
    bounds = estimate.low, estimate.high
    return Dot(
        label, series, estimate.value, *bounds, estimate.note or "", group, n=estimate.n, of=records_of(estimate)
    )


def records_of(estimate: Estimate) -> Of:
    """The records of its model, prompt and group."""
    of = {"model": estimate.model, "variant": estimate.variant, **estimate.group}
    return tuple((name, str(value)) for name, value in of.items() if value != ALL)


def dots_by_model(labelled: Iterable[tuple[str, str, Estimate]]) -> tuple[Dot, ...]:
    """A row for each label, group and estimate. The series is the estimate's model, and its prompt has a mark of its
    own; of one model, or of many prompts, each prompt is a series.
    """
    labelled = list(labelled)
    names = naming([estimate for *_, estimate in labelled])
    short = short_names(model for model, _ in names)
    if len(short) < 2 or not 1 < len({variant for _, variant in names}) <= MOST_PROMPTS:
        return tuple(dot(label, names[one.model, one.variant], one, group) for label, group, one in labelled)
    return tuple(
        msgspec.structs.replace(dot(label, short[one.model], one, group), prompt=one.variant)
        for label, group, one in labelled
    )


def dots_by_group(estimates: Iterable[Estimate], metric: str, group: str, overall: str) -> tuple[Dot, ...]:
    """A row for each value of one group; `overall` is the label of the figure over all of them."""
    some = [one for one in estimates if one.metric == metric and set(one.group) <= {group}]
    return dots_by_model((str(one.group.get(group, overall)), "", one) for one in some)
