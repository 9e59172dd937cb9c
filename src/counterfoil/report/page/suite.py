"""What a suite's report shows: its module `plots`, or nothing of its own where it has none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from counterfoil.errors import UserError
from counterfoil.figures.plots import Plot
from counterfoil.running.folder import Run
from counterfoil.suite.finding import load_suite, module_beside

Record = Mapping[str, Any]


def _no_plots(run: Run) -> list[Plot]:
    return []


def _no_headline(run: Run) -> list[str]:
    return []


def _no_marks(record: Record) -> list[tuple[int, int, str]]:
    return []


def _nothing_asked(run: Run, records: Sequence[Record]) -> list[Mapping[str, str]]:
    return [{} for _ in records]


class Showing(NamedTuple):
    """What a suite adds to the page.

    `headline`: the main result in sentences. `formulas`: how each metric is computed. `marks`: spans of a record's
    reply with their class (mention, choice, answer). `asked`: for each of the records what its question says, by name,
    where the dataset is still there; `marks` gets it as the record's "asked".
    """

    plots: Callable[[Run], list[Plot]] = _no_plots
    headline: Callable[[Run], list[str]] = _no_headline
    formulas: Mapping[str, str] = {}
    marks: Callable[[Record], list[tuple[int, int, str]]] = _no_marks
    asked: Callable[[Run, Sequence[Record]], list[Mapping[str, str]]] = _nothing_asked


def showing(suite: str) -> Showing:
    """What `plots.py` beside the suite says; a suite without one, or that is not installed here, gets tables and
    records.
    """
    try:
        module = module_beside(load_suite(suite), "plots")
    except UserError:
        module = None
    if module is None:
        return Showing()
    return Showing(
        module.plots, module.headline, module.FORMULAS, module.marks, getattr(module, "asked", _nothing_asked)
    )
