"""counterfoil plan: how many questions a difference takes, and what they cost."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from counterfoil.cli.commands.run import add_suite_options
from counterfoil.cli.options import add_option
from counterfoil.cli.results import print_json
from counterfoil.console import table
from counterfoil.suite.options import RUN_OPTIONS, Option

if TYPE_CHECKING:
    from counterfoil.comparing.planning import StudyPlan

EXAMPLE = "counterfoil plan bias --detect 0.03 --run runs/bias-kqzrmwpd --model openai/gpt-4o"
# What says whom to ask what, and what that costs; nothing is asked.
HERE = ("model", "variant", "data", "repeats", "max-tokens", "param", "prices")
OWN = (
    Option(
        name="detect",
        kind=float,
        least=1e-6,
        most=1,
        metavar="D",
        help="the difference to find, as a share: 0.03 is three points of a hundred",
    ),
    Option(name="run", metavar="RUN", help="an earlier run, which says how much answers vary"),
    Option(name="metric", metavar="NAME", help="the metric in which it is to be found"),
    Option(
        name="correlation",
        kind=float,
        least=0,
        most=0.99,
        metavar="R",
        help="assumed between the two sides on the same question, where no run has both (default: 0.5)",
    ),
)


def configure(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    parser.add_argument("suite", metavar="SUITE", help="what is to be tested")
    for option in (*OWN, *(option for option in RUN_OPTIONS if option.name in HERE)):
        add_option(parser, option)
    parser.add_argument("--json", action="store_true", help="print the plan as JSON")
    add_suite_options(parser, _without_own(arguments))


def call(parsed: argparse.Namespace) -> int:
    from counterfoil.comparing.planning import CORRELATION, REPEATS, plan_suite
    from counterfoil.errors import UserError
    from counterfoil.running.folder import Run
    from counterfoil.running.request import make_request
    from counterfoil.suite.finding import load_suite

    if parsed.detect is None:
        raise UserError("Say which difference is to be found, as in --detect 0.03.")
    suite = load_suite(parsed.suite)
    run = Run(parsed.run) if parsed.run else None
    keys = {option.key for option in (*RUN_OPTIONS, *suite.options)}
    given = {key: value for key, value in vars(parsed).items() if key in keys}
    if run is not None and given.get("data") is None:
        given["data"] = run.manifest["data"]["given"]
    planned = plan_suite(
        suite,
        make_request(suite, given, {}, ""),
        parsed.detect,
        run=run,
        metric=parsed.metric,
        correlation=CORRELATION if parsed.correlation is None else parsed.correlation,
        repeats=REPEATS if parsed.repeats is None else (parsed.repeats,),
    )
    if parsed.json:
        print_json(planned)
    else:
        print(plan_text(planned))
    return 0


def plan_text(planned: StudyPlan) -> str:
    """A table of designs, what to do in one sentence, and what it rests on."""
    several = len({it.variants for it in planned.designs}) > 1
    heading = [
        "repeats",
        *(["variants"] if several else []),
        "clusters",
        "questions",
        "asks per model",
        "all could show",
    ]
    if planned.models:
        heading += ["~tokens in", "~tokens out", "~cost"]
    rows = [heading]
    for it in planned.designs:
        few = "" if it.in_dataset else "*"
        with_all = "" if it.with_all is None else f"{it.with_all:.3f}"
        often = [f"{it.repeats}", *([f"{it.variants}"] if several else [])]
        rows.append([*often, f"{it.clusters:,}{few}", f"{it.questions:,}", f"{it.asks_per_model:,}", with_all])
        if planned.models:
            tokens = ["?" if number is None else f"{number:,}" for number in (it.input_tokens, it.output_tokens)]
            rows[-1] += [*tokens, "?" if it.cost is None else f"${it.cost:,.2f}"]
    sections = [table(rows)]
    if not all(it.in_dataset for it in planned.designs):
        sections.append(f"* more than {planned.dataset} has: {planned.dataset_questions:,} questions.")
    sections += [_sentence(planned), "\n".join(planned.assumptions)]
    return "\n\n".join(sections)


def _sentence(planned: StudyPlan) -> str:
    what = f"To find a difference of {planned.detect:g} in {planned.metric} in 4 of 5 comparisons"
    there = [it for it in planned.designs if it.in_dataset]
    if not there:
        shown = min((it.with_all for it in planned.designs if it.with_all is not None), default=None)
        best = "" if shown is None else f" All of it could show {shown:.3f}."
        return f"{what}, {planned.dataset} is too small.{best}"
    # The fewest asks; of equals, the fewest repeats and variants.
    best_design = min(there, key=lambda it: (it.asks_per_model, it.repeats, it.variants))
    variants = best_design.variants
    in_each = f"in each of {variants} variants" if variants > 1 else "in one variant"
    times = "once" if best_design.repeats == 1 else f"{best_design.repeats} times"
    cost = "" if best_design.cost is None else f", for about ${best_design.cost:,.2f}"
    asked = f"ask both sides {best_design.questions:,} questions {times}, {in_each}{cost}"
    return f"{what}, {asked}. Nothing was asked."


def _without_own(arguments: Sequence[str]) -> list[str]:
    """Without the options that runs do not have, and their values: what is left names the suite."""
    own = [f"--{option.name}" for option in OWN]
    return [
        argument
        for place, argument in enumerate(arguments)
        if argument.partition("=")[0] not in own and (place == 0 or arguments[place - 1] not in own)
    ]
