"""counterfoil plan: how many questions a difference takes, and what they cost."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from counterfoil.cli.commands.run import add_suite_options
from counterfoil.cli.options import add_options, given_options
from counterfoil.cli.results import print_result
from counterfoil.console import table
from counterfoil.suite.options import Option, run_options

if TYPE_CHECKING:
    from counterfoil.comparing.planning import Design, StudyPlan
    from counterfoil.rating.labels import LabelPlan

EXAMPLE = "counterfoil plan bias --detect 0.03 --run runs/bias-kqzrmwpd --model openai/gpt-4o"
# What says whom to ask what, and what that costs; nothing is asked.
OF_RUNS = run_options("model", "variant", "data", "repeats", "max-tokens", "param", "prices", "ledger")
# Nobody plans for less, in hours.
_SHORT = 0.1
OWN = (
    Option(
        "detect",
        "the difference to find, as a share: 0.03 is three points of a hundred",
        kind=float,
        least=1e-6,
        most=1,
        metavar="D",
    ),
    Option("run", "an earlier run, which says how much answers vary", metavar="RUN"),
    Option("metric", "the metric in which it is to be found", metavar="NAME"),
    Option(
        "labels",
        "how many labels of people correct the metric of --run to which width, and the minutes that they take",
        kind=bool,
        default=False,
    ),
    Option(
        "correlation",
        "assumed between the two sides on the same question, where no run has both (default: 0.5)",
        kind=float,
        least=0,
        most=0.99,
        metavar="R",
    ),
)


def configure(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    parser.add_argument("suite", metavar="SUITE", help="what is to be tested")
    add_options(parser, (*OWN, *OF_RUNS))
    parser.add_argument("--json", action="store_true", help="print the plan as JSON")
    add_suite_options(parser, arguments, OWN)


def call(parsed: argparse.Namespace) -> int:
    from counterfoil.comparing.planning import CORRELATION, REPEATS, plan_suite
    from counterfoil.errors import UserError
    from counterfoil.running.folder import Run
    from counterfoil.running.request import make_request
    from counterfoil.suite.finding import load_suite

    if parsed.labels:
        return _labels(parsed)
    if parsed.detect is None:
        raise UserError("Say which difference is to be found, as in --detect 0.03.")
    suite = load_suite(parsed.suite)
    run = Run(parsed.run) if parsed.run else None
    given = given_options(parsed, suite)
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
    print_result(planned, lambda: plan_text(planned), as_json=parsed.json)
    return 0


def _labels(parsed: argparse.Namespace) -> int:
    from counterfoil.errors import UserError
    from counterfoil.rating.labels import plan_labels
    from counterfoil.running.folder import Run

    if not parsed.run or parsed.detect is not None:
        raise UserError("--labels is about a run that is to be corrected: name it with --run, and leave --detect out.")
    run = Run(parsed.run)
    if run.whole_summary.suite != parsed.suite:
        raise UserError(f"{run.folder} is a run of {run.whole_summary.suite}, not of {parsed.suite}: name another.")
    planned = plan_labels(run, parsed.metric)
    print_result(planned, lambda: labels_text(planned), as_json=parsed.json)
    return 0


def labels_text(planned: LabelPlan) -> str:
    """A table of how many labels give which width, and what to do."""
    first = planned.designs[0]
    measured = first.as_before is not None
    right = [f"right in {share}" for share in first.machine]
    rows = [["labels", "minutes", "people alone", *right, *(["as in the study"] if measured else [])]]
    for one in planned.designs:
        widths = [one.people, *one.machine.values(), *([one.as_before] if one.as_before is not None else [])]
        rows.append([f"{one.labels:,}", f"{one.minutes:,.0f}", *(f"{width:.3f}" for width in widths)])
    command = f"counterfoil rate new --run {planned.run} --name NAME --sample N --metric {planned.metric}"
    what = f"The width of the 95 % interval of {planned.metric}, of {planned.model} in {planned.variant}:"
    return "\n\n".join([what, table(rows), f"`{command}` draws them.", "\n".join(planned.assumptions)])


def plan_text(planned: StudyPlan) -> str:
    """A table of designs, what to do in one sentence, and what it rests on."""
    cells: dict[str, Callable[[Design], str]] = {
        "repeats": lambda design: f"{design.repeats}",
        "variants": lambda design: f"{design.variants}",
        "clusters": lambda design: f"{design.clusters:,}{'' if design.in_dataset else '*'}",
        "questions": lambda design: f"{design.questions:,}",
        "asks per model": lambda design: f"{design.asks_per_model:,}",
        "all could show": lambda design: "" if design.with_all is None else f"{design.with_all:.3f}",
    }
    if len({design.variants for design in planned.designs}) <= 1:
        del cells["variants"]
    if planned.models:
        cells["~tokens in"] = lambda design: "?" if design.input_tokens is None else f"{design.input_tokens:,}"
        cells["~tokens out"] = lambda design: "?" if design.output_tokens is None else f"{design.output_tokens:,}"
        cells["~cost"] = lambda design: _dollars(design.cost)
        if any(design.hours is not None for design in planned.designs):
            cells["~hours"] = lambda design: _hours(design.hours)
    rows = [list(cells), *([cell(design) for cell in cells.values()] for design in planned.designs)]
    sections = [table(rows)]
    if not all(design.in_dataset for design in planned.designs):
        sections.append(f"* more than {planned.dataset} has: {planned.dataset_questions:,} questions.")
    sections += [_sentence(planned), *_until(planned), "\n".join(planned.assumptions)]
    return "\n\n".join(sections)


def _dollars(cost: float | None) -> str:
    return "?" if cost is None else f"${cost:,.2f}"


def _hours(hours: float | None) -> str:
    return "?" if hours is None else f"{hours:,.1f}" if hours >= _SHORT else f"under {_SHORT:g}"


def _until(planned: StudyPlan) -> list[str]:
    """The same with --until: at the most, and what is expected, by how much the models differ."""
    pairs = [(design, design.until) for design in planned.designs if design.until is not None]
    if not pairs:
        return []
    has_hours = any(each.hours is not None for _, until in pairs for each in until.expected)
    heads = [
        "no difference" if not each.multiple else f"{each.multiple * planned.detect:g}" for each in pairs[0][1].expected
    ]
    rows = [["repeats", "variants", "questions at most", "asks at most", *heads]]
    for design, until in pairs:
        told = [
            ", ".join(
                [f"{each.asks_per_model:,}"]
                + ([_dollars(each.cost)] if planned.models else [])
                + ([f"{_hours(each.hours)} h"] if has_hours else [])
            )
            for each in until.expected
        ]
        most = f"{until.questions:,}{'' if until.in_dataset else '*'}"
        rows.append([f"{design.repeats}", f"{design.variants}", most, f"{until.asks_per_model:,}", *told])
    what = (
        f"With --until 'compare {planned.metric}' the run stops as soon as that is decided. Asks per model that are "
        "expected, by the true difference:"
    )
    return [f"{what}\n\n{table(rows)}"]


def _sentence(planned: StudyPlan) -> str:
    what = f"To find a difference of {planned.detect:g} in {planned.metric} in 4 of 5 comparisons"
    there = [design for design in planned.designs if design.in_dataset]
    if not there:
        shown = min((design.with_all for design in planned.designs if design.with_all is not None), default=None)
        best = "" if shown is None else f" All of it could show {shown:.3f}."
        return f"{what}, {planned.dataset} is too small.{best}"
    # The fewest asks; of equals, the fewest repeats and variants.
    best_design = min(there, key=lambda design: (design.asks_per_model, design.repeats, design.variants))
    variants = best_design.variants
    in_each = f"in each of {variants} variants" if variants > 1 else "in one variant"
    times = "once" if best_design.repeats == 1 else f"{best_design.repeats} times"
    cost = "" if best_design.cost is None else f", for about ${best_design.cost:,.2f}"
    asked = f"ask both sides {best_design.questions:,} questions {times}, {in_each}{cost}"
    return f"{what}, {asked}. Nothing was asked."
