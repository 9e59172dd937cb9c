"""The self-test as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from counterfoil.console import table
from counterfoil.progress import Progress
from counterfoil.selftest.results import LEAST_MEAN, MOST_MEAN, ComparisonCoverage, MetricCoverage, named
from counterfoil.selftest.selftest import SelfTest, Tell

HEADING = ["cell", "clusters", "true value", "mean", "bias", "coverage", "width", "no interval"]


def selftest_text(result: SelfTest) -> str:
    """The cells, a table for each metric, the comparisons, and what does not hold."""
    return "\n\n".join([_introduction(result), *_tables(result), verdict_on(result.failures)])


def _introduction(result: SelfTest) -> str:
    width = max(map(len, result.cells), default=0)
    cells = "\n".join(f"  {label:<{width}}  {text}" for label, text in result.cells.items())
    heading = f"{result.suite}: {result.trials:,} trials in each cell, seed {result.seed}. Clusters, and respondents:"
    return f"{heading}\n{cells}"


def _tables(result: SelfTest) -> list[str]:
    made = []
    for metric in dict.fromkeys(map(named, result.estimates)):
        rows = [_row(one, result.trials) for one in result.estimates if named(one) == metric]
        made.append(f"{metric}\n\n{table([HEADING, *rows])}")
    means = [[metric, f"{mean:.1%}"] for metric, mean in result.mean_coverage.items()]
    made.append(
        f"Mean coverage over cells and groups, without those (*) where clusters often all agree or most trials have no "
        f"interval, which may cover more; with 2,000 trials it must be {LEAST_MEAN:.0%} to {MOST_MEAN:.1%}\n\n"
        + table([["metric", "mean"], *means])
    )
    if result.comparisons:
        made.append(f"Comparisons, two respondents on the same questions\n\n{table(comparison_rows(result))}")
    return made


def _row(one: MetricCoverage, trials: int) -> list[str]:
    return [
        one.cell + (" *" if one.degenerate else ""),
        f"{one.clusters:.0f}",
        f"{one.truth:z.3f}",
        _number(one.mean),
        "" if one.bias is None else f"{one.bias:+.4f}",
        _share(one.coverage),
        _number(one.width),
        f"{1 - one.intervals / trials:.1%}" if one.intervals < trials else "",
    ]


def comparison_rows(result: SelfTest) -> list[list[str]]:
    """One row for each metric and cell: false alarms where nothing differs, and power where something does."""
    rows = [["metric", "cell", "false alarms", "coverage", "true difference", "power", "coverage"]]
    pairs: dict[tuple[str, str], dict[bool, ComparisonCoverage]] = {}
    for one in result.comparisons:
        pairs.setdefault((named(one), one.cell), {})[one.alike] = one
    for (metric, cell), both in pairs.items():
        alike, unlike = both.get(True), both.get(False)
        row = [metric, cell]
        row += ["", ""] if alike is None else [_share(alike.found), _share(alike.coverage)]
        row += (
            [""] * 3
            if unlike is None
            else [f"{unlike.difference:+z.3f}", _share(unlike.found), _share(unlike.coverage)]
        )
        rows.append(row)
    return rows


def verdict_on(failures: Sequence[str]) -> str:
    """That all holds, or what does not."""
    if not failures:
        return "All of it holds."
    return "\n".join(["This does not hold:", *(f"- {failure}." for failure in failures)])


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:z.3f}"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"


class _Trials:
    """The trials of a self-test, as progress shows them."""

    def __init__(self, name: str, what: str) -> None:
        self.name = name
        self.what = what
        self.cell, self.done, self.total = "", 0, 0

    def describe(self, seconds: float) -> str:
        left = seconds * (self.total - self.done) / max(1, self.done)
        return f"{self.done:,} of {self.total:,} {self.what}, at {self.cell}, about {left:.0f} s left"


@contextmanager
def watching(name: str, what: str = "trials") -> Iterator[Tell]:
    """What to call with the cell, the trials that are done, and those that there are."""
    trials = _Trials(name, what)
    progress = Progress([trials])

    def tell(cell: str, done: int, total: int) -> None:
        trials.cell, trials.done, trials.total = cell, done, total
        if done < total:
            progress.look()

    with progress.shown():
        yield tell
