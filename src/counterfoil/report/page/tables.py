"""Tables of estimates, with models, variants and groups down, metrics across; and how each number was computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterfoil.figures.numbers import between, cell, plural
from counterfoil.report.html import Html, details, facts, items, joined, table, tag
from counterfoil.report.tables import by_keys
from counterfoil.stats.estimate import ALL, Estimate
from counterfoil.stats.metric import Metric

# A table this long is folded away at first.
SHOWN_ROWS = 30

Pair = tuple[str, ...]


def overall_tables(estimates: Sequence[Estimate], order: Sequence[Pair]) -> Html:
    """What is over all groups, and what is over all models."""
    overall = [estimate for estimate in estimates if not estimate.group]
    parts = [_table("Overall", overall, order)] if overall else []
    over_models = (estimate for estimate in estimates if estimate.group and _is_over_models(estimate))
    for keys, some in by_keys(over_models).items():
        parts.append(_table(f"Over all models and prompts, by {', '.join(keys)}", some, order))
    return joined(*parts)


def group_tables(estimates: Sequence[Estimate], order: Sequence[Pair]) -> Html:
    """What is by category, label, judge and so on: one table for each, folded away where it is long."""
    grouped = (estimate for estimate in estimates if estimate.group and not _is_over_models(estimate))
    parts = []
    for keys, some in by_keys(grouped).items():
        name = f"By {', '.join(keys)}"
        rows = len({_row(estimate) for estimate in some})
        is_open = rows <= SHOWN_ROWS and len(keys) == 1
        parts.append(details(f"{name} ({plural(rows, 'row')})", _table(name, some, order), open_=is_open))
    return joined(*parts)


def agreement_tables(estimates: Sequence[Estimate]) -> Html:
    """How far algorithm, judges and people agree."""
    return joined(
        *(
            _table(f"Agreement, by {', '.join(keys)}" if keys else "Agreement", some, [])
            for keys, some in by_keys(estimates).items()
        )
    )


def _is_over_models(estimate: Estimate) -> bool:
    return (estimate.model, estimate.variant) == (ALL, ALL)


def _row(estimate: Estimate) -> tuple[str, ...]:
    return (estimate.model, estimate.variant, *map(str, estimate.group.values()))


def _table(caption: str, estimates: Sequence[Estimate], order: Sequence[Pair]) -> Html:
    """Estimates of one kind of group; notes below, by number."""
    metrics = list(dict.fromkeys(estimate.metric for estimate in estimates))
    cells = {(_row(estimate), estimate.metric): estimate for estimate in estimates}
    rows = _sorted_rows(estimates, order)
    notes = {
        note: str(number)
        for number, note in enumerate(dict.fromkeys(estimate.note for estimate in estimates if estimate.note), 1)
    }
    names = ["model", "prompt", *estimates[0].group]
    # The groups come first, and a model or prompt that is the same in every row has no column.
    who = [i for i in (0, 1) if len({row[i] for row in rows}) > 1]
    columns = [*range(2, len(names)), *who] or [0, 1]
    body = [
        [*(row[i] for i in columns), *(_cell(cells.get((row, metric)), notes) for metric in metrics)] for row in rows
    ]
    head = [*(names[i] for i in columns), *metrics]
    below = tag("div", tag("p", "Notes"), items(notes, numbered=True), class_="notes") if notes else None
    return joined(table(caption, head, body, names=len(columns), kind="estimates"), below)


def _sorted_rows(estimates: Sequence[Estimate], order: Sequence[Pair]) -> list[tuple[str, ...]]:
    """Rows of one group stay together, in the order of the summary; within it in the order of asking."""
    rows = list(dict.fromkeys(map(_row, estimates)))
    rank = {pair: place for place, pair in enumerate(order)}
    first: dict[tuple[str, ...], int] = {}
    for row in rows:
        for depth in range(3, len(row) + 1):
            first.setdefault(row[2:depth], len(first))
    return sorted(
        rows,
        key=lambda row: (*(first[row[2:depth]] for depth in range(3, len(row) + 1)), rank.get(row[:2], len(rank))),
    )


def _cell(estimate: Estimate | None, notes: Mapping[str, str]) -> str:
    if estimate is None:
        return ""
    mark = tag("sup", notes[estimate.note]) if estimate.note else None
    size = tag("small", f"n {estimate.n:,} · {plural(estimate.clusters, 'cluster')}")
    if estimate.value is None:
        return joined(tag("span", "not defined", class_="none"), mark, size)
    # Where there is no interval, a note says why, or the method does: the mean over five prompts, say.
    interval = between(estimate.low, estimate.high).strip() or ("no interval" if estimate.note else estimate.method)
    tested = None if estimate.p is None else tag("small", f"p {estimate.p:.4f}")
    return joined(tag("b", cell(estimate.value)), mark, tag("span", interval, class_="interval"), tested, size)


# By how a method's name begins.
METHODS = {
    "Wilson": "Wilson's score interval for values from 0 to 1, with n_eff = m(1 − m) ÷ V in place of n and Student's t "
    "in place of the normal quantile; m is the mean, V its variance over clusters (the larger of the cluster-robust "
    "one and the one from the correlation within clusters).",
    "Bonett–Price": "Bonett and Price's interval for values from −1 to 1: one +1 and one −1 are added to "
    "n_eff = σ² ÷ V records, then mean ± t · √(variance ÷ n).",
    "Agresti–Caffo": "Agresti and Caffo's interval for the difference of two shares: a success and a failure are added "
    "to either side, with n_eff = n ÷ design effect from the joint influence of both sides within clusters.",
    "Fieller": "Fieller's interval for a ratio of two sums, with the pseudo-pairs (1, 0) and (0, 1).",
    "Cohen's kappa": "Kappa with a quarter added to each cell, delta method on the scale of atanh, clustered.",
    "Spearman": "Rank correlation; jackknife over clusters on the scale of atanh, with t on clusters − 1.",
    "Pearson": "Pearson's correlation over replies, as the source has it; labels belong to questions, so no interval.",
}
CLUSTERS = (
    "n is the number of records that count, clusters the number of questions or templates that they come from: records "
    "of one cluster are not independent, and the intervals take that into account. Under 5 clusters there is no "
    "interval, under 15 it is rough. Each interval is at its own confidence, not at one for all of them together."
)


def methods_part(estimates: Sequence[Estimate], metrics: Mapping[str, Metric]) -> Html:
    """A row for each metric; below, what the names of the methods mean."""
    by_metric: dict[str, list[Estimate]] = {}
    for estimate in estimates:
        by_metric.setdefault(estimate.metric, []).append(estimate)
    rows = [
        [
            tag("code", metric),
            metrics[metric].formula if metric in metrics else "",
            "; ".join(dict.fromkeys(estimate.method for estimate in some)),
            _range([estimate.n for estimate in _overall(some)]),
            _range([estimate.clusters for estimate in _overall(some)]),
        ]
        for metric, some in by_metric.items()
    ]
    used = {estimate.method for estimate in estimates}
    known = [(name, text) for name, text in METHODS.items() if any(method.startswith(name) for method in used)]
    levels = ", ".join(f"{level:.0%}" for level in sorted({estimate.confidence for estimate in estimates}))
    return joined(
        table("Metrics", ["metric", "formula", "interval", "n, overall", "clusters"], rows),
        tag("p", f"Intervals are at {levels} confidence. {CLUSTERS}") if levels else None,
        facts(known) if known else None,
    )


def _overall(estimates: Sequence[Estimate]) -> Sequence[Estimate]:
    """Those of all groups, where there are any."""
    return [estimate for estimate in estimates if not estimate.group] or estimates


def _range(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
