"""The long self-test: 2,000 trials in each cell, every suite, and its table for the documentation.

    python -m benchmarks.selftest [--write] [SUITE…]

Takes some ten minutes for each suite. With --write the tables go into docs/statistics.md, between the comments
`<!-- selftest SUITE -->` and `<!-- end of selftest SUITE -->`, with the date and the commit. Exits with 1 if what must
hold does not: see `counterfoil.selftest.results`.
"""

from __future__ import annotations

import datetime
import subprocess
import sys
from pathlib import Path

from counterfoil.selftest.results import MetricCoverage, named
from counterfoil.selftest.selftest import SelfTest, selftest
from counterfoil.selftest.text import comparison_rows, watching

TRIALS = 2_000
SUITES = ("explain", "bias", "memorization")
PAGE = Path(__file__).parents[1] / "docs" / "statistics.md"


def main(arguments: list[str] | None = None) -> int:
    given = arguments or []
    write = "--write" in given
    failed = False
    for suite in [name for name in given if name != "--write"] or SUITES:
        with watching(suite) as progress:
            result = selftest(suite, trials=TRIALS, progress=progress)
        text = tables(result)
        print(text, flush=True)
        if write:
            put(suite, f"{made_at(suite)}\n\n{text}")
        for failure in result.failures:
            print(f"FAILED {suite}: {failure}", file=sys.stderr)
        failed = failed or bool(result.failures)
    return 1 if failed else 0


def tables(result: SelfTest) -> str:
    """The cells; one row for each metric over its cells; the comparisons."""
    cells = "\n".join(f"- {label}: {text}" for label, text in result.cells.items())
    metrics = [["metric", "true values", "largest bias", "worst coverage", "there", "mean coverage", "widths"]]
    for name in dict.fromkeys(map(named, result.estimates)):
        metrics.append(metric_row(name, [it for it in result.estimates if named(it) == name]))
    return "\n\n".join([cells, markdown(metrics), markdown(comparison_rows(result))])


def metric_row(name: str, over: list[MetricCoverage]) -> list[str]:
    with_interval = [it for it in over if it.coverage is not None]
    worst = min(with_interval, key=lambda it: it.coverage or 0.0)
    held = [it.coverage for it in with_interval if not it.degenerate and it.coverage is not None]
    widths = [it.width for it in with_interval if it.width is not None]
    return [
        name,
        f"{min(it.truth for it in over):.3f} to {max(it.truth for it in over):.3f}",
        f"{max((it.bias or 0.0 for it in over), key=abs):+.4f}",
        share(worst.coverage),
        worst.cell,
        share(sum(held) / len(held) if held else None),
        f"{min(widths):.3f} to {max(widths):.3f}",
    ]


def markdown(rows: list[list[str]]) -> str:
    heading, *rest = rows
    return "\n".join(f"| {' | '.join(row)} |" for row in (heading, ["---"] * len(heading), *rest))


def share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"


def made_at(suite: str) -> str:
    said = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=True, cwd=PAGE.parent
    )
    today = datetime.datetime.now(datetime.UTC).date()
    return f"`python -m benchmarks.selftest --write {suite}` on {today}, commit {said.stdout.strip()}:"


def put(suite: str, text: str) -> None:
    """Replace what stands between the suite's comments."""
    start, end = f"<!-- selftest {suite} -->", f"<!-- end of selftest {suite} -->"
    before, found, rest = PAGE.read_text(encoding="utf-8").partition(start)
    _, also_found, after = rest.partition(end)
    if not found or not also_found:
        raise SystemExit(f"{PAGE} lacks the comments {start} and {end}: write them where the table belongs.")
    PAGE.write_text(f"{before}{start}\n{text}\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
