"""counterfoil compare: paired, item by item, with tests."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from counterfoil.cli.options import add_options
from counterfoil.cli.results import add_population
from counterfoil.console import say
from counterfoil.lazy import load_numpy
from counterfoil.suite.options import Option

EXAMPLE = "counterfoil compare runs/a runs/b --fail-if 'accuracy < -0.02'"
MARGIN = Option(
    "margin", "call overall figures equal whose difference is shown to be smaller than this", kind=float, metavar="M"
)


def configure(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    parser.add_argument(
        "runs", nargs="+", metavar="RUN", help="run folders: two, or one with several models or variants"
    )
    parser.add_argument(
        "--models", nargs="+", default=[], metavar="NAME", help="compare these models; with one name, take it alone"
    )
    parser.add_argument(
        "--variants",
        nargs="+",
        default=[],
        metavar="NAME",
        help="compare these variants, or with several --models, in these; x,y is the mean over x and y",
    )
    for side, where in (("a", "first"), ("b", "last")):
        parser.add_argument(
            f"--{side}",
            nargs="+",
            default=[],
            metavar="NAME",
            help=f"side {side}: a model, prompts or both, of the {where} run; then only these two sides are compared",
        )
    parser.add_argument(
        "--by",
        metavar="GROUP",
        help="compare a model with itself in every two groups of questions, as language: in pairs where these are "
        "parallel, else unpaired",
    )
    parser.add_argument(
        "--fail-if",
        action="append",
        default=[],
        metavar="CONDITION",
        help="exit code 1 if the difference lies there with its whole interval, as 'accuracy < -0.02'; "
        "METRIC.low or METRIC.high tests one bound; can be given again",
    )
    add_population(parser)
    add_options(parser, [MARGIN])
    parser.add_argument("--json", action="store_true", help="print the comparison as JSON")


def call(parsed: argparse.Namespace) -> int:
    load_numpy()
    from counterfoil.cli.results import print_result
    from counterfoil.comparing.compare import compare_runs
    from counterfoil.comparing.gate import failing, parse_gate
    from counterfoil.report.comparison_text import comparison_text
    from counterfoil.running.asked import suite_of
    from counterfoil.running.folder import Run

    gates = [parse_gate(text) for text in parsed.fail_if]
    runs = [Run(folder) for folder in parsed.runs]
    comparison = compare_runs(
        runs,
        models=parsed.models,
        variants=parsed.variants,
        a=parsed.a,
        b=parsed.b,
        by=parsed.by,
        margin=parsed.margin,
        population=parsed.population or "new",
    )
    sentences = failing(comparison, gates)
    print_result(comparison, lambda: comparison_text(comparison, suite_of(runs[0])), as_json=parsed.json)
    for sentence in sentences:
        say(sentence)
    return 1 if sentences else 0
