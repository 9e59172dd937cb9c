"""The simulation of runs that stop early, as plain text."""

from __future__ import annotations

from counterfoil.console import table
from counterfoil.selftest.stopping import StoppingTest
from counterfoil.stats.stopping.levels import fractions_text

HEADING = ["clusters", "correlation", "mean", "models", "difference", "false alarms", "told right", "asks", "coverage"]


def stopping_text(result: StoppingTest) -> str:
    """A row for each cell, means, and what does not hold."""
    margin = "" if result.margin is None else f", margin {result.margin:g} detectable differences"
    heading = (
        f"{result.suite}, --until {result.condition!r}: {result.trials:,} simulated runs in each cell, seed "
        f"{result.seed}; looks at {fractions_text(result.looks)} of the clusters{margin}, futility {result.futility:g}."
    )
    rows = [
        [
            f"{one.clusters}",
            f"{one.correlation:g}",
            f"{one.mean:g}",
            f"{one.models}",
            f"{one.difference:.3f} ({one.multiple:g}×)",
            f"{one.false_alarms:.1%}",
            f"{one.decided:.0%}",
            f"{one.asks:.0%}",
            f"{one.coverage:.1%}",
        ]
        for one in result.cells
    ]
    asks = ", ".join(f"{share:.0%} at {multiple}×" for multiple, share in result.asks.items())
    worst = max((one.false_alarms for one in result.cells), default=0.0)
    means = (
        f"False alarms: {worst:.1%} at the most. Asks on average: {asks} the difference that all clusters would find "
        f"in 4 of 5 runs. Coverage on average: {result.mean_coverage:.1%}."
    )
    verdict = "What must hold holds." if not result.failures else f"{len(result.failures)} things do not hold."
    return "\n\n".join([heading, table([HEADING, *rows]), means, verdict])
