"""counterfoil show: the summary of a run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

EXAMPLE = "counterfoil show runs/bias-kqzrmwpd"


def configure(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    parser.add_argument("run", metavar="RUN", help="a run folder")
    parser.add_argument("--json", action="store_true", help="print summary.json")


def call(parsed: argparse.Namespace) -> int:
    from counterfoil.report.text import summary_text
    from counterfoil.runs.folder import SUMMARY, Run

    run = Run(parsed.run)
    if parsed.json:
        sys.stdout.write((run.folder / SUMMARY).read_text(encoding="utf-8"))
    else:
        print(summary_text(run))
    return 0
