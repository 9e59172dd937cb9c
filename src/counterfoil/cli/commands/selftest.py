"""counterfoil selftest: does the whole pipeline find a truth that was planted?"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from counterfoil.cli.options import add_options
from counterfoil.errors import UserError
from counterfoil.lazy import load_numpy
from counterfoil.suite.options import Option, run_options

EXAMPLE = "counterfoil selftest explain --trials 400"
OF_STOPPING = run_options("until", "looks", "margin", "futility")
TRIALS = 400
SEED = Option("seed", "draw other questions and replies", kind=int, least=0, default=0)


def configure(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    parser.add_argument("suite", metavar="SUITE", help="the suite's name")
    parser.add_argument(
        "--trials",
        type=int,
        metavar="N",
        help="how often questions and replies are drawn (default: 400; of memorization with --placebos 10 sets)",
    )
    parser.add_argument(
        "--questions",
        type=int,
        metavar="N",
        help="draw so many questions in each trial (templates, where questions come in such), whatever the grid says",
    )
    parser.add_argument(
        "--placebos",
        action="store_true",
        help="ask respondents that must score nothing instead: the headline must call each what it is; of memorization "
        "every figure that speaks of memory must be 0 for them",
    )
    parser.add_argument(
        "--data",
        action="append",
        default=[],
        metavar="NAME|FILE",
        help="with --placebos, of memorization: the questions, as for `run` (default: the bank, and what was fetched "
        "of cfa-easy and gsm8k); can be given again",
    )
    add_options(parser, [SEED, *OF_STOPPING])
    parser.add_argument("--json", action="store_true", help="print the results as JSON")


def call(parsed: argparse.Namespace) -> int:
    load_numpy()
    from counterfoil.cli.results import print_result
    from counterfoil.console import say
    from counterfoil.selftest.selftest import selftest
    from counterfoil.selftest.text import selftest_text, watching

    if parsed.placebos:
        return _placebos(parsed)
    if parsed.data:
        raise UserError("--data is for the placebos of a suite: add --placebos.")
    parsed.trials = TRIALS if parsed.trials is None else parsed.trials
    if parsed.until:
        return _stopping(parsed)
    with watching(parsed.suite) as progress:
        result = selftest(
            parsed.suite,
            trials=parsed.trials,
            questions=parsed.questions,
            seed=parsed.seed or 0,
            progress=progress,
        )
    print_result(result, lambda: selftest_text(result), as_json=parsed.json)
    for failure in result.failures:
        say(f"{failure}.")
    return 1 if result.failures else 0


def _stopping(parsed: argparse.Namespace) -> int:
    from counterfoil.cli.results import print_result
    from counterfoil.console import say
    from counterfoil.running.looks.design import design_of
    from counterfoil.selftest.stopping import stopping_test
    from counterfoil.selftest.stopping_text import stopping_text
    from counterfoil.selftest.text import watching

    design = design_of({**vars(parsed), "batch": False, "engine": "local"})
    assert design is not None
    settings = {"trials": parsed.trials, "clusters": parsed.questions, "seed": parsed.seed or 0}
    with watching(parsed.suite, "until") as progress:
        tested = stopping_test(parsed.suite, design, **settings, progress=progress)
    print_result(tested, lambda: stopping_text(tested), as_json=parsed.json)
    for failure in tested.failures:
        say(f"{failure}.")
    return 1 if tested.failures else 0


def _placebos(parsed: argparse.Namespace) -> int:
    from counterfoil.cli.results import print_result
    from counterfoil.console import say
    from counterfoil.selftest.placebos import placebo_test, placebo_text
    from counterfoil.selftest.text import watching

    with watching(parsed.suite, "placebos") as progress:
        tested = placebo_test(
            parsed.suite, data=parsed.data, sets=parsed.trials, seed=parsed.seed or 0, progress=progress
        )
    print_result(tested, lambda: placebo_text(tested), as_json=parsed.json)
    for failure in tested.failures:
        say(f"{failure}.")
    return 1 if tested.failures else 0
