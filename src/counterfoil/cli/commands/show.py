"""counterfoil show: the summary of a run."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from counterfoil.cli.results import add_every_row, print_result

EXAMPLE = "counterfoil show runs/bias-kqzrmwpd"


def configure(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    parser.add_argument("run", metavar="RUN", help="a run folder")
    add_every_row(parser)
    parser.add_argument("--json", action="store_true", help="print summary.json")


def call(parsed: argparse.Namespace) -> int:
    from counterfoil.report.summary import summary_text
    from counterfoil.running.folder import Run

    run = Run(parsed.run)
    print_result(run.whole_summary, lambda: summary_text(run, every_row=parsed.all), as_json=parsed.json)
    return 0
