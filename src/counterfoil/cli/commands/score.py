"""counterfoil score: read, judge and score replies that were made elsewhere."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from counterfoil.cli.commands.run import add_suite_options
from counterfoil.cli.options import add_options, given_options
from counterfoil.cli.results import add_every_row, run_and_show
from counterfoil.console import say
from counterfoil.lazy import load_numpy
from counterfoil.suite.options import NOT_TO_SCORE, RUN_OPTIONS

EXAMPLE = "counterfoil score explain --from jsonl replies.jsonl --data questions.json --out scored"
# What these say of asking holds for judges here.
OF_JUDGES = {
    "variant": "the wording that the replies answer, where the files don't say it",
    "base-url": "address of the judges' OpenAI-compatible server, as http://localhost:8000/v1",
    "concurrency": "asks in flight per judge (default: as many as it takes)",
    "reasoning-effort": "how much judges think",
}


def configure(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    parser.add_argument("suite", metavar="SUITE", help="whose rules to read and score by")
    parser.add_argument(
        "--from", required=True, dest="format", metavar="FORMAT", help="jsonl, inspect, or one of the suite's own"
    )
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="the replies; `samples`: those that ship, of bias in the format kobbq"
    )
    parser.add_argument(
        "--model", dest="imported_model", metavar="NAME", help="whose replies, where the file is silent"
    )
    here = [option for option in RUN_OPTIONS if option.name not in NOT_TO_SCORE]
    add_options(parser, [replace(option, help=OF_JUDGES.get(option.name, option.help)) for option in here])
    add_every_row(parser)
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    add_suite_options(parser, arguments)


def call(parsed: argparse.Namespace) -> int:
    load_numpy()
    from counterfoil.running.request import make_request
    from counterfoil.running.score import score_replies
    from counterfoil.suite.finding import load_suite
    from counterfoil.suite.imports import files_named
    from counterfoil.suite.suite import Context

    suite = load_suite(parsed.suite)
    files = tuple(files_named(parsed.files, suite.sample_replies, parsed.format))
    imported = Context(format=parsed.format, files=files, imported_model=parsed.imported_model)
    request = make_request(suite, given_options(parsed, suite), {}, "", imported)
    return run_and_show(lambda: score_replies(suite, request, say), request, as_json=parsed.json, every_row=parsed.all)
