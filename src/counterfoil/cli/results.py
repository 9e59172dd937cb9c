"""What every command does that makes a run: do it, show it, give the exit code."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from counterfoil.console import printable, say

if TYPE_CHECKING:
    from counterfoil.running.folder import Run
    from counterfoil.running.request import RunRequest


def run_and_show(make_run: Callable[[], Run], request: RunRequest, *, as_json: bool, every_row: bool = False) -> int:
    """Make the run and its report, and print its summary; 1 if questions were left out or replies not judged."""
    from counterfoil import targets
    from counterfoil.running.folder import REPORT, REPORT_ON, writing_about
    from counterfoil.running.run import LeftAtOnce

    with writing_about(REPORT_ON, [request.out], request.inputs, overwrite=request.overwrite):
        targets.refuse(request.out / REPORT)
    try:
        run = make_run()
    except LeftAtOnce:
        say("Left at once. Every reply that had come is in the ledger: the same command goes on from there.")
        sys.stderr.flush()
        os._exit(130)  # a model in this process may still be busy
    # They need tables and statistics, which are loaded while the first asks are on their way.
    from counterfoil.report.page.page import write_report
    from counterfoil.report.sentences import ledger_sentences
    from counterfoil.report.summary import summary_text

    write_report([run], run.folder / REPORT, overwrite=request.overwrite)
    for sentence in ledger_sentences(run.manifest):
        say(sentence)
    where = f"The run is in {run.folder}: report.html, summary.json, records.parquet, manifest.json."
    print_result(run.whole_summary, lambda: f"{summary_text(run, every_row=every_row)}\n\n{where}", as_json=as_json)
    return 0 if run.is_complete else 1


def add_every_row(parser: argparse.ArgumentParser) -> None:
    """The option of every command that prints a summary."""
    parser.add_argument("--all", action="store_true", help="print every figure, not only those to read first")


def add_population(parser: argparse.ArgumentParser) -> None:
    """The option of every command that shows what was estimated before."""
    parser.add_argument(
        "--population",
        choices=("new", "these"),
        help="of whom intervals speak: of new questions of this kind, or of these questions alone",
    )


def print_result(value: Any, text: Callable[[], str], *, as_json: bool) -> None:
    """Print a result: as JSON that people can read, too, or as this text."""
    import msgspec

    print(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() if as_json else printable(text()))
