"""counterfoil report: one HTML page on one or more runs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from counterfoil.cli.options import add_options
from counterfoil.cli.results import print_result
from counterfoil.console import say
from counterfoil.errors import UserError
from counterfoil.lazy import load_numpy
from counterfoil.suite.options import OVERWRITE

EXAMPLE = "counterfoil report runs/bias-kqzrmwpd --plots plots"


def configure(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    parser.add_argument("runs", nargs="+", metavar="RUN", help="a run folder; several become one page")
    parser.add_argument("--out", metavar="FILE", help="the page (default: report.html in the first run's folder)")
    parser.add_argument("--plots", metavar="DIR", help="write every plot there, too, as SVG and PNG")
    parser.add_argument(
        "--columns",
        type=int,
        choices=(1, 2),
        help="plots as wide as one or two columns of a journal (84 or 174 mm), PNG with 600 dots in an inch",
    )
    parser.add_argument("--title", metavar="TEXT", help="the title of the page")
    parser.add_argument(
        "--anonymous",
        action="store_true",
        help="for blind review: without folders, paths, addresses of servers and the manifest",
    )
    add_options(parser, [OVERWRITE])
    parser.add_argument("--json", action="store_true", help="print what was written as JSON")


def call(parsed: argparse.Namespace) -> int:
    load_numpy()
    from counterfoil.report.page.page import write_report
    from counterfoil.report.plots.svg import write_plots
    from counterfoil.running.folder import Run

    runs = [Run(folder) for folder in dict.fromkeys(parsed.runs)]
    path = Path(parsed.out) if parsed.out else runs[0].folder / "report.html"
    overwrite = bool(parsed.overwrite)
    if parsed.columns and not parsed.plots:
        raise UserError("--columns is the width of plots: name a folder for them with --plots.")
    write_report(runs, path, overwrite=overwrite, title=parsed.title, anonymous=parsed.anonymous)
    folder = Path(parsed.plots) if parsed.plots else None
    plots = write_plots(runs, folder, overwrite=overwrite, columns=parsed.columns) if folder else []
    text = f"The report is {path}."
    if plots:
        text += f"\nThe plots are in {parsed.plots}: {len(plots)} files."
    print_result({"report": str(path), "plots": list(map(str, plots))}, lambda: text, as_json=parsed.json)
    if parsed.plots and not plots:
        say("There are no plots: no suite of these runs is here that has some.")
    return 0
