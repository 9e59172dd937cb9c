"""The summary of `memorization`: the declared figures, level by level and status by status."""

from __future__ import annotations

import polars as pl

from counterfoil.memorization.metrics import (
    BY_LEVEL,
    GAP_LEVELS,
    OF_CONTROLS,
    OF_LEVELS,
    OF_LURES,
    OF_OTHER_LEVEL,
    OF_QUESTIONS,
    OF_STATUSES,
    OTHER_LEVEL,
    OUT_OF_CHOICE,
    WRITTEN_BY_A_MODEL,
)
from counterfoil.stats import Estimate
from counterfoil.stats.metric import Items
from counterfoil.stats.summary import summarize as summary_of


def summarize(items: Items) -> list[Estimate]:
    """All estimates: paired, over questions with all their draws; by level, control and topic; level 3 apart.

    Whatever was asked has its estimates, without a value where nothing is left of it. Each level and each status is
    tested by itself.
    """
    estimates = summary_of([OUT_OF_CHOICE.changed(groups=((),)), *OF_QUESTIONS], items)
    of_levels = (OUT_OF_CHOICE.changed(groups=BY_LEVEL), *OF_LEVELS, OF_OTHER_LEVEL)
    for level in (*GAP_LEVELS, OTHER_LEVEL):
        estimates += summary_of(of_levels, _only(items, "level", level))
    estimates += summary_of(OF_CONTROLS, items)
    for metric in OF_LURES:
        estimates += summary_of([metric], items)
    for status in WRITTEN_BY_A_MODEL:
        estimates += summary_of(OF_STATUSES, _only(items, "status", status))
    return estimates


def _only(items: Items, column: str, value: str | int) -> Items:
    return {kind: frame.filter(pl.col(column) == value) for kind, frame in items.items() if column in frame.columns}
