"""Tables of estimates: models, variants and groups down, metrics across."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from counterfoil.figures.numbers import between, cell, plural
from counterfoil.report.html import Html, details, items, joined, table, tag
from counterfoil.stats.estimate import Estimate

ALL = "all"
# A table this long is folded away at first.
SHOWN_ROWS = 30

Pair = tuple[str, ...]


def overall_tables(estimates: Sequence[Estimate], order: Sequence[Pair]) -> Html:
    """What is over all groups, and what is over all models."""
    of_models = [it for it in estimates if not it.group]
    over_models = [it for it in estimates if it.group and (it.model, it.variant) == (ALL, ALL)]
    parts = [_table("Overall", of_models, order)] if of_models else []
    for keys, some in _by_keys(over_models).items():
        parts.append(_table(f"Over all models and prompts, by {_and(keys)}", some, order))
    return joined(parts)


def group_tables(estimates: Sequence[Estimate], order: Sequence[Pair]) -> Html:
    """What is by category, label, judge and so on: one table for each, folded away where it is long."""
    grouped = (it for it in estimates if it.group and (it.model, it.variant) != (ALL, ALL))
    parts = []
    for keys, some in _by_keys(grouped).items():
        name = f"By {_and(keys)}"
        rows = len({_row(it) for it in some})
        content = _table(name, some, order)
        parts.append(details(f"{name} ({plural(rows, 'row')})", content, open_=rows <= SHOWN_ROWS and len(keys) == 1))
    return joined(parts)


def agreement_table(estimates: Sequence[Estimate]) -> Html | None:
    """How far algorithm, judges and people agree; None where only one of them was there."""
    if not estimates:
        return None
    return joined(
        _table(f"Agreement, by {_and(keys)}" if keys else "Agreement", some, [])
        for keys, some in _by_keys(estimates).items()
    )


def _by_keys(estimates: Iterable[Estimate]) -> dict[tuple[str, ...], list[Estimate]]:
    found: dict[tuple[str, ...], list[Estimate]] = {}
    for it in estimates:
        found.setdefault(tuple(it.group), []).append(it)
    return found


def _and(keys: Sequence[str]) -> str:
    return ", ".join(keys)


def _row(estimate: Estimate) -> tuple[str, ...]:
    return (estimate.model, estimate.variant, *map(str, estimate.group.values()))


def _table(caption: str, estimates: Sequence[Estimate], order: Sequence[Pair]) -> Html:
    """One group's names for all of the estimates; notes below, by number."""
    keys = list(estimates[0].group)
    metrics = list(dict.fromkeys(it.metric for it in estimates))
    cells = {(_row(it), it.metric): it for it in estimates}
    rank = {pair: place for place, pair in enumerate(order)}
    # Rows of one group stay together, in the order of the summary; within it in the order of asking.
    first: dict[tuple[str, ...], int] = {}
    for row in dict.fromkeys(_row(it) for it in estimates):
        for depth in range(3, len(row) + 1):
            first.setdefault(row[2:depth], len(first))
    rows = sorted(
        dict.fromkeys(_row(it) for it in estimates),
        key=lambda row: (*(first[row[2:depth]] for depth in range(3, len(row) + 1)), rank.get(row[:2], len(rank))),
    )
    notes = {note: str(i) for i, note in enumerate(dict.fromkeys(it.note for it in estimates if it.note), 1)}
    names = ["model", "prompt", *keys]
    # The groups come first, and a model or prompt that is the same in every row has no column.
    who = [i for i in (0, 1) if len({row[i] for row in rows}) > 1]
    columns = [*range(2, len(names)), *who] or [0, 1]
    body = [
        [*(row[i] for i in columns), *(_cell(cells.get((row, metric)), notes) for metric in metrics)] for row in rows
    ]
    return joined(
        [
            table(caption, [*(names[i] for i in columns), *metrics], body, names=len(columns), kind="estimates"),
            tag("div", tag("p", "Notes"), items(notes, numbered=True), class_="notes") if notes else None,
        ]
    )


def _cell(estimate: Estimate | None, notes: Mapping[str, str]) -> str:
    if estimate is None:
        return ""
    mark = tag("sup", notes[estimate.note]) if estimate.note else None
    size = tag("small", f"n {estimate.n:,} · {plural(estimate.clusters, 'cluster')}")
    if estimate.value is None:
        return joined([tag("span", "not defined", class_="none"), mark, size])
    # Where there is no interval, a note says why, or the method does: the mean over five prompts, say.
    interval = between(estimate.low, estimate.high).strip() or ("no interval" if estimate.note else estimate.method)
    tested = None if estimate.p is None else tag("small", f"p {estimate.p:.4f}")
    return joined([tag("b", cell(estimate.value)), mark, tag("span", interval, class_="interval"), tested, size])
