"""The headline table as data: a row for each model and prompt, the few figures that the suite says count.

Terminal, report and site draw the same table. Which row is best in a figure, and which can't be told from it, is said
by paired tests (`comparing/best.py`).
"""

from __future__ import annotations

from typing import NamedTuple

from counterfoil.comparing.standing import Figure, Pair, Standing
from counterfoil.errors import UserError
from counterfoil.figures.names import short_names
from counterfoil.figures.plots import Axis
from counterfoil.report.plots.marks import span
from counterfoil.running.folder import Run
from counterfoil.stats.estimate import ALL, Estimate
from counterfoil.stats.metric import Metric, by_name
from counterfoil.suite.suite import AnySuite

# Without a word from the suite, so many figures.
MOST = 3
BETTER = {"higher": "higher is better", "lower": "lower is better", "zero": "nearer 0 is better", None: ""}
BEST, NOT_TOLD, UNTESTED = "★", "≈", "?"
SIGNS: dict[str, str] = {"best": BEST, "not told": NOT_TOLD, "untested": UNTESTED}
IN_WORDS: dict[str, str] = {
    "best": "best",
    "not told": "can't be told from the best",
    "behind": "told apart from the best",
    "untested": "not tested",
}


class Column(NamedTuple):
    """A figure: what it is called, which way is better, and from where to where its cells' axes go."""

    figure: Figure
    # The metric, then the group.
    title: list[str]
    says: str
    better: str
    low: float
    high: float

    @property
    def holds_0(self) -> bool:
        """Whether 0 lies inside of the axis, and wants a line."""
        return self.low < 0 < self.high


class Cell(NamedTuple):
    """An estimate, if the run has it, and where it stands; None where there is nothing to stand against."""

    estimate: Estimate | None
    standing: Standing | None

    @property
    def sign(self) -> str:
        return SIGNS.get(self.standing, "") if self.standing else ""


class Row(NamedTuple):
    """`name` is the model without what all models' names share; `prompt` is empty where all rows have the same."""

    model: str
    variant: str
    name: str
    prompt: str
    cells: list[Cell]


class HeadlineTable(NamedTuple):
    columns: list[Column]
    rows: list[Row]
    # What the signs mean, in a sentence; empty where there are none.
    note: str


def headline_table(run: Run, suite: AnySuite) -> HeadlineTable | None:
    """None where the run has none of the figures, as where its suite is not here."""
    metrics = by_name([*suite.metrics, *suite.people_metrics])
    there = [one for one in run.estimates if ALL not in (one.model, one.variant)]
    figures = [figure for figure in _figures(suite, there) if any(map(figure.is_of, there))]
    if not figures:
        return None
    found = {
        (n, one.model, one.variant): one for n, figure in enumerate(figures) for one in filter(figure.is_of, there)
    }
    order: list[Pair] = [(str(row["model"]), str(row["variant"])) for row in run.outcomes]
    order += [pair for pair in dict.fromkeys((one.model, one.variant) for one in found.values()) if pair not in order]
    order = [pair for pair in order if any((n, *pair) in found for n in range(len(figures)))]
    stands = _standings(run, figures, list(suite.metrics)) if len(order) > 1 else [{} for _ in figures]
    names = short_names(model for model, _ in order)
    several = len({variant for _, variant in order}) > 1
    rows = [
        Row(
            *(model, variant, names[model], variant if several else ""),
            [Cell(found.get((n, model, variant)), of.get((model, variant))) for n, of in enumerate(stands)],
        )
        for model, variant in order
    ]
    columns = [
        _column(suite, figure, metrics.get(figure.metric), [row.cells[n].estimate for row in rows])
        for n, figure in enumerate(figures)
    ]
    return HeadlineTable(columns, rows, _note(stands))


def _figures(suite: AnySuite, there: list[Estimate]) -> list[Figure]:
    if suite.headline_figures:
        return [Figure(metric, group) for metric, group in suite.headline_figures]
    names = [metric.name for metric in suite.metrics if metric.headline]
    names = names or [one.metric for one in there if not one.group]
    return [Figure(name) for name in list(dict.fromkeys(names))[:MOST]]


def _standings(run: Run, figures: list[Figure], metrics: list[Metric]) -> list[dict[Pair, Standing]]:
    """Nothing stands anywhere where the records are gone: the table is still there."""
    from counterfoil.comparing.best import standings

    try:
        return standings(run, figures, metrics)
    except UserError:
        return [{} for _ in figures]


def _column(suite: AnySuite, figure: Figure, metric: Metric | None, estimates: list[Estimate | None]) -> Column:
    groups = [suite.group_names.get(f"{key}={value}", str(value)) for key, value in figure.group.items()]
    better = metric.better if metric else None
    ends = [end for one in estimates if one for end in (one.value, one.low, one.high) if end is not None]
    low, high = span(Axis(figure.metric), [*ends, 0.0] if better == "zero" else ends)
    says = metric.says if metric else ""
    return Column(figure, [figure.metric, *groups], says, BETTER[better], low, high)


def _note(stands: list[dict[Pair, Standing]]) -> str:
    there = {standing for of in stands for standing in of.values()}
    if "best" not in there:
        return ""
    words = {"best": "best", "not told": "can't be told from it", "untested": "no test can be made"}
    signs = "; ".join(f"{SIGNS[standing]} {text}" for standing, text in words.items() if standing in there)
    return (
        f"{signs}. By paired tests on the same questions: in 95 of 100 such columns the one that is truly best has a "
        "sign."
    )
