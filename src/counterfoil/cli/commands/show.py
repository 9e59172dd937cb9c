"""counterfoil show: the summary of a run; or how one is doing that is under way."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from counterfoil.cli.results import add_every_row, add_population, print_result
from counterfoil.errors import UserError

EXAMPLE = "counterfoil show runs/bias-kqzrmwpd"


def configure(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    parser.add_argument("run", metavar="RUN", help="a run folder")
    add_every_row(parser)
    add_population(parser)
    parser.add_argument("--json", action="store_true", help="print summary.json")
    parser.add_argument(
        "--watch", action="store_true", help="if the run is under way: progress and interim figures until it is over"
    )


def call(parsed: argparse.Namespace) -> int:
    from counterfoil.report.summary import summary_text
    from counterfoil.running.folder import SUMMARY, Run

    folder = Path(parsed.run)
    if parsed.watch:
        from counterfoil.cli.watching import watch

        if parsed.json:
            raise UserError("--watch is for people and --json for programs: choose one.")
        if not watch(folder, time.sleep) and not (folder / SUMMARY).is_file():
            return 1
    run = Run(parsed.run).speaking_of(parsed.population)
    print_result(run.whole_summary, lambda: summary_text(run, every_row=parsed.all), as_json=parsed.json)
    return 0
