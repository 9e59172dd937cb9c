"""counterfoil run: ask, read, score, estimate."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from counterfoil.cli.options import add_options, given_options
from counterfoil.cli.results import add_every_row, print_result, run_and_show
from counterfoil.console import say
from counterfoil.errors import UserError
from counterfoil.suite.options import BUILT_IN, RUN_OPTIONS, Option

EXAMPLE = "counterfoil run explain --model openai/gpt-4o --model vllm/my-model --limit 100"


def configure(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    """The options of every run, and those of the suite where one is named."""
    parser.add_argument(
        "suite",
        nargs="?",
        metavar="SUITE",
        help=f"what to test: {', '.join(BUILT_IN)}, or MODULE:ATTRIBUTE; `counterfoil run SUITE --help` shows its own "
        "options and variants (not needed where --experiment says it)",
    )
    add_options(parser, RUN_OPTIONS)
    parser.add_argument(
        "--experiment", metavar="FILE", help="a TOML file that holds these options; the command line wins"
    )
    parser.add_argument("--dry-run", action="store_true", help="show asks, tokens and cost; ask nothing")
    add_every_row(parser)
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    add_suite_options(parser, arguments)


def call(parsed: argparse.Namespace) -> int:
    from counterfoil.running.request import make_request
    from counterfoil.suite.finding import load_suite

    experiment, where = _experiment(parsed.experiment)
    name = parsed.suite or experiment.get("suite")
    if not isinstance(name, str):
        raise UserError("Name a suite: counterfoil run SUITE, or `suite = …` in the experiment file.")
    suite = load_suite(name)
    request = make_request(suite, given_options(parsed, suite), experiment, where)
    if parsed.dry_run:
        from counterfoil.report.text import dry_run_text
        from counterfoil.running.dry import dry_run

        rows = dry_run(suite, request)
        if request.until is not None:
            say("With --until the run may stop before: this is what it asks at the most.")
        print_result(rows, lambda: dry_run_text(rows), as_json=parsed.json)
        return 0
    from counterfoil.deciding.run import run_until_decided

    if request.model_is_default:
        say("No --model was named: asking smollm2, a tiny model in this process. It is a smoke test, not a benchmark.")
    return run_and_show(
        lambda: run_until_decided(suite, request, say), request, as_json=parsed.json, every_row=parsed.all
    )


def add_suite_options(
    parser: argparse.ArgumentParser, arguments: Sequence[str], further: Sequence[Option] = ()
) -> None:
    """The options of the suite that these arguments will name, under a heading of their own. The command has `further`
    options beside those of a run.
    """
    from counterfoil.suite.finding import load_suite

    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    first.add_argument("suite", nargs="?")
    first.add_argument("--experiment")
    for option in (*RUN_OPTIONS, *further):
        action = argparse.BooleanOptionalAction if option.kind is bool else "append"
        first.add_argument(f"--{option.name}", action=action)
    parsed, _ = first.parse_known_args([argument for argument in arguments if argument not in ("-h", "--help")])
    name: Any = parsed.suite
    if name is None and parsed.experiment is not None:
        name = _experiment(parsed.experiment)[0].get("suite")
    suite = load_suite(name) if isinstance(name, str) else None
    if suite is None:
        return
    if suite.options:
        add_options(parser.add_argument_group(f"options of {suite.name}"), suite.options)
    if names := suite.variant_names:
        parser.epilog = f"variants of {suite.name}: {', '.join(names)}, or a file\n\n{parser.epilog}"


def _experiment(path: str | None) -> tuple[dict[str, Any], str]:
    from counterfoil.running.request import read_experiment

    return (read_experiment(Path(path)), path) if path is not None else ({}, "")
