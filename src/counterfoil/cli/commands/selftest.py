"""counterfoil selftest: does the whole pipeline find a truth that was planted?"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from counterfoil.cli.options import add_option
from counterfoil.suite.options import Option

EXAMPLE = "counterfoil selftest explain --trials 400"
SEED = Option(name="seed", kind=int, least=0, default=0, metavar="N", help="draw other questions and replies")


def configure(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    parser.add_argument("suite", metavar="SUITE", help="the suite's name")
    parser.add_argument(
        "--trials", type=int, default=400, metavar="N", help="how often questions and replies are drawn (default: 400)"
    )
    parser.add_argument(
        "--questions",
        type=int,
        metavar="N",
        help="draw so many questions in each trial (templates, where questions come in such), whatever the grid says",
    )
    add_option(parser, SEED)
    parser.add_argument("--json", action="store_true", help="print the results as JSON")


def call(parsed: argparse.Namespace) -> int:
    from counterfoil.cli.results import print_json
    from counterfoil.console import say
    from counterfoil.selftest.selftest import selftest
    from counterfoil.selftest.text import selftest_text, watching

    with watching(parsed.suite) as progress:
        result = selftest(
            parsed.suite, trials=parsed.trials, questions=parsed.questions, seed=parsed.seed or 0, progress=progress
        )
    if parsed.json:
        print_json(result)
    else:
        print(selftest_text(result))
    for failure in result.failures:
        say(f"{failure}.")
    return 1 if result.failures else 0
