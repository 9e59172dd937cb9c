"""How often a comparison of two respondents that are alike shows something, on simulated data.

    python -m benchmarks.false_alarms [--trials N]

Each trial draws questions anew, and two planted respondents with the same settings answer them; then everything is
compared that `compare` compares, overall and in groups. Prints, for each suite and cell, the share of trials in which
an overall figure, a group's figure or either is told apart, and in how many an uncorrected test of an overall figure
would have said so. Exits with 1 if more than 5 % of the trials of a cell show something, beyond what chance explains.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from counterfoil.comparing.compared import compared_figures, is_apart
from counterfoil.comparing.items import differences_between, joined_items, told_by, with_partners
from counterfoil.selftest.selftest import by_trial
from counterfoil.selftest.trials import Pool, batches
from counterfoil.stats.power import LEVEL
from counterfoil.suite.finding import load_suite
from counterfoil.suite.options import BUILT_IN
from counterfoil.suite.planting import Cell, Planting

SEED = 20261117
TRIALS = 1000


class Alarms(NamedTuple):
    """The trials in which something was told apart: overall, in a group, in either, and without any correction."""

    trials: int
    overall: int
    groups: int
    either: int
    uncorrected: int

    @property
    def too_many(self) -> bool:
        """More than 5 % in either, by more than three standard errors of so many trials."""
        return self.either / self.trials > LEVEL + 3 * math.sqrt(LEVEL * (1 - LEVEL) / self.trials)


def false_alarms(planting: Planting, cell: Cell, trials: int) -> Alarms:
    """Of respondents that are alike."""
    pool = Pool(planting, cell)
    metrics = pool.suite.metrics
    shown = []
    for batch in batches(pool, cell, trials, [SEED, cell.clusters]):
        assert batch.alike is not None, cell.label
        first, alike = (by_trial(with_partners(pool.suite.items(it), metrics)) for it in (batch.first, batch.alike))
        for trial, items in alike.items():
            joined = joined_items(first[trial], items, metrics)
            differences = differences_between(joined, list(told_by(first[trial], metrics)), "a", "b")
            rows = compared_figures(differences)
            apart = [any(row.told_apart and bool(row.group) == grouped for row in rows) for grouped in (False, True)]
            shown.append((*apart, any(apart), any(is_apart(row.p) for row in rows if not row.group)))
    return Alarms(len(shown), *(sum(column) for column in zip(*shown, strict=True)))


def compared_cells(name: str) -> Iterator[tuple[Planting, Cell]]:
    """The cells of a suite's self-test in which two respondents are alike."""
    planting = load_suite(name).planting()
    assert planting is not None, name
    yield from ((planting, cell) for cell in planting.cells if cell.compared)


def main(arguments: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.false_alarms")
    parser.add_argument("--trials", type=int, default=TRIALS, help=f"trials of each cell (default: {TRIALS})")
    trials = parser.parse_args(arguments).trials
    print("| suite | cell | trials | overall | in groups | either | overall, uncorrected |")
    print("|---" * 7 + "|")
    failed = False
    for name in BUILT_IN:
        for planting, cell in compared_cells(name):
            found = false_alarms(planting, cell, trials)
            shares = " | ".join(f"{100 * count / found.trials:.1f} %" for count in found[1:])
            print(f"| {name} | {cell.label} | {found.trials:,} | {shares} |", flush=True)
            failed |= found.too_many
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
