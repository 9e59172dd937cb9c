"""counterfoil data perturb: make a frozen set of perturbed questions, or show one beside its original."""

from __future__ import annotations

import argparse
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterfoil.cli.options import add_option
from counterfoil.cli.results import print_json
from counterfoil.console import say, table
from counterfoil.errors import UserError
from counterfoil.suite.options import RUN_OPTIONS, Option, with_defaults

if TYPE_CHECKING:
    from counterfoil.perturbing.making.report import PerturbRequest, Report, Tally
    from counterfoil.perturbing.questions import Question

HELP = "make a frozen set of questions with other numbers, from templates or from existing questions"
EXAMPLE = "counterfoil data perturb --from bank --levels 1 2 3 --controls --lure --out set.jsonl"
# How a model is asked is given as everywhere.
MODEL_OPTION_NAMES = ("base-url", "concurrency", "timeout", "max-cost", "prices", "ledger")
OPTIONS = (
    Option(name="from", metavar="SOURCE", help="bank, cfa-easy, or a file: templates (.toml) or existing questions"),
    Option(
        name="data", metavar="FILE", help="your copy of the questions for --from cfa-easy (default: the fetched one)"
    ),
    Option(name="controls", kind=bool, default=False, help="the controls, too: asked again, reshuffled, renamed"),
    Option(name="lure", kind=bool, default=False, help="the lure arm, too: the old answer is among the options"),
    Option(name="draws", kind=int, least=1, default=5, metavar="N", help="variants of each level and control"),
    Option(name="seed", kind=int, least=0, default=0, metavar="N", help="seed of the draws and of the sample"),
    Option(name="limit", kind=int, least=1, metavar="N", help="perturb a stratified, seeded sample of N questions"),
    Option(name="out", metavar="SET.jsonl", help="the set to write; its report goes beside it"),
    Option(
        name="generator",
        default="template",
        choices=("template", "direct"),
        metavar="WAY",
        help="compute the variants from templates, or let the proposer write them",
    ),
    Option(name="proposer", metavar="NAME", help="a model that proposes templates for existing questions"),
    Option(name="show", metavar="ID", help="print this question beside its original"),
    Option(name="set", metavar="SET.jsonl", help="a set that was made before, for --show"),
    *(option for option in RUN_OPTIONS if option.name in MODEL_OPTION_NAMES),
)


# Why a template can't have a level or a control.
def configure(parser: argparse.ArgumentParser) -> None:
    for option in OPTIONS:
        add_option(parser, option)
        if option.name == "from":
            parser.add_argument(
                "--levels", nargs="+", type=int, choices=(1, 2, 3), default=(1,), metavar="LEVEL",
                help="1: one number changed, 2: two, 3: another unknown (default: 1)",
            )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print the report, or the question to show, as JSON")


def call(parsed: argparse.Namespace) -> int:
    values = with_defaults(OPTIONS, vars(parsed))
    if values["show"] is not None and (values["set"] is not None or values["from"] is None):
        if values["set"] is None and values["out"] is None:
            raise UserError("Name the set that holds the question to show: --set SET.jsonl.")
        return _show(Path(values["set"] or values["out"]), values["show"], as_json=parsed.json)
    if values["set"] is not None:
        raise UserError("--set goes with --show ID; the set to write is named with --out.")
    if values["from"] is None:
        raise UserError("Name what to perturb: --from bank, --from cfa-easy, or --from FILE.")
    if values["out"] is None:
        raise UserError("Name the file to write: --out SET.jsonl.")

    from counterfoil.perturbing.making.perturb import perturb

    report = perturb(_request(values, parsed.levels), say)
    is_open = any(report.left_open.values())
    if values["show"] is not None and report.sha256 is not None:
        if not parsed.json:
            print(_report_text(report), end="\n\n")
        _show(Path(values["out"]), values["show"], as_json=parsed.json)
    elif parsed.json:
        print_json(report)
    else:
        print(_report_text(report))
    return 1 if is_open else 0


def _request(values: Mapping[str, Any], levels: Sequence[int]) -> PerturbRequest:
    from counterfoil.asking.models.base import ModelSpec
    from counterfoil.datasets.judged import JudgeSettings
    from counterfoil.perturbing.making.report import PerturbRequest

    proposer = None
    if values["proposer"] is not None:
        spec = ModelSpec(
            name=values["proposer"],
            base_url=values["base_url"],
            params={"temperature": 0.0},
            concurrency=values["concurrency"],
            timeout=values["timeout"],
        )
        prices = Path(values["prices"]) if values["prices"] else None
        proposer = JudgeSettings(spec=spec, ledger=Path(values["ledger"]), max_cost=values["max_cost"], prices=prices)
    return PerturbRequest(
        source=values["from"],
        out=Path(values["out"]),
        levels=tuple(sorted(set(levels))),
        data=Path(values["data"]) if values["data"] is not None else None,
        direct=values["generator"] == "direct",
        proposer=proposer,
        **{name: values[name] for name in ("controls", "lure", "draws", "seed", "limit")},
    )


def _report_text(report: Report) -> str:
    """What was made and of what; what was set aside, refused or rejected and why; how the numbers shifted."""
    from counterfoil.perturbing.making.report import LACKING

    sections = []
    if report.existing is not None:
        rows = [["existing questions", "number"], ["all", f"{report.existing:,}"]]
        rows += [[f"set aside: {reason}", f"{count:,}"] for reason, count in report.set_aside.items()]
        rows.append(["can be perturbed", f"{report.perturbable:,}"])
        sections.append(table(rows))
        unused = f"; {len(report.unused_recipes):,} recipes found no question" if report.unused_recipes else ""
        covered = f"Recipes cover {report.covered:,} of {report.existing:,} questions"
        sections.append(f"{covered}, {report.perturbable:,} of which can be perturbed{unused}.")
    if report.proposals is not None and report.proposals.asked:
        sections.append(_asked_text("proposed templates", report.proposals))
    if report.rewritten is not None and report.rewritten.asked:
        sections.append(_asked_text("questions written directly", report.rewritten))
    if report.sha256 is not None:
        rows = [["questions", "number"], *([arm, f"{count:,}"] for arm, count in report.counts.items())]
        sections.append(table([*rows, ["all", f"{report.questions:,}"]]))
    notes = [f"{count:,} templates give no {arm}: {LACKING[arm]}." for arm, count in sorted(report.without.items())]
    notes += [f"Refused: {it.reason}" for it in report.refused]
    if set(report.statuses) - {"verified"}:
        told = ", ".join(f"{count:,} {status}" for status, count in sorted(report.statuses.items()))
        notes.append(f"Of the changed questions, {told}. Only gaps over verified ones can be relied on.")
    if notes:
        sections.append("\n".join(notes))
    if report.shifts:
        sections.append(_shifts_text(report))
    sections.append(_ending(report))
    return "\n\n".join(sections)


def _asked_text(what: str, asked: Tally) -> str:
    rows = [[what, "number"], ["asked for", f"{asked.asked:,}"], ["accepted", f"{asked.accepted:,}"]]
    rows += [[f"rejected: {reason}", f"{count:,}"] for reason, count in asked.rejected.items()]
    rows += [
        [name, f"{count:,}"] for name, count in (("failed", asked.failed), ("not asked", asked.not_asked)) if count
    ]
    return table(rows)


def _shifts_text(report: Report) -> str:
    def cell(value: float | None, digits: int) -> str:
        return "" if value is None else f"{value:.{digits}f}"

    rows = [["level", "numbers", "n", "digits", "D", "p", "log10", "D", "p"]]
    for shift in report.shifts:
        row = [str(shift.level), shift.of, f"{shift.n_before:,} → {shift.n_after:,}"]
        for comparison in (shift.digits, shift.magnitude):
            means = f"{cell(comparison.before, 2)} → {cell(comparison.after, 2)}"
            p = "<0.0001" if comparison.p is not None and comparison.p < 0.0001 else cell(comparison.p, 4)
            row += [means, cell(comparison.statistic, 3), p]
        rows.append(row)
    heading = "How the numbers shifted from originals to variants (means; Kolmogorov–Smirnov's D and p):"
    return f"{heading}\n{table(rows, left=True)}"


def _ending(report: Report) -> str:
    from counterfoil.perturbing.making.perturb import report_path

    left = report.left_open
    lines = []
    if left["not_asked"]:
        lines.append(f"{left['not_asked']:,} asks were not made: run the same command again to go on.")
    if left["failed"]:
        lines.append(f"{left['failed']:,} asks failed: the same command asks again.")
    if report.sha256 is None:
        lines.append(f"{report.set} was not written: a set is frozen once all was asked.")
    else:
        lines.append(f"The set is {report.set}, its report {report_path(Path(report.set))}.\nSHA-256 {report.sha256}")
    return "\n".join(lines)


def _show(path: Path, name: str, *, as_json: bool) -> int:
    from counterfoil.perturbing.questions import read_set
    from counterfoil.suite.options import nearest

    questions = {question.id: question for question in read_set(path)}
    if name not in questions:
        raise UserError(f"{path} holds no question {name}{nearest(name, questions)}.")
    question = questions[name]
    original = questions[question.parent] if question.parent is not None else question
    if as_json:
        print_json({"original": original, "question": question})
    else:
        print(side_by_side(original, question, shutil.get_terminal_size((110, 24)).columns))
    return 0


def side_by_side(original: Question, question: Question, width: int) -> str:
    """Two questions in two columns, what changed between them, and how the answer comes about."""
    column = max(20, (width - 3) // 2)
    blocks = list(zip(_blocks(original), _blocks(question), strict=True))
    rule = "-" * column
    lines = [f"{'original'.ljust(column)} | variant" if question.parent else "original", f"{rule} | {rule}"]
    for left, right in blocks:
        pairs = zip_longest(_wrapped(left, column), _wrapped(right, column) if question.parent else (), fillvalue="")
        lines += [f"{one.ljust(column)} | {other}".rstrip() for one, other in pairs]
    facts = [f"changed: {_plain(it.name)} from {_plain(it.before)} to {_plain(it.after)}" for it in question.changes]
    facts += [f"solution: {_plain(question.steps)}"] if question.steps else []
    facts += [f"expression: {_plain(question.expression)}"] if question.expression else []
    if question.computed is not None:
        facts.append(f"in decimals: {question.computed.decimal}")
        facts.append(f"in floating point: {question.computed.float}")
        facts.append(f"by the check: {question.computed.check}")
    facts.append(f"status: {question.status} ({question.source})")
    return "\n".join([*lines, "", *facts])


def _blocks(question: Question) -> list[str]:
    from counterfoil.perturbing.questions import LETTERS

    lettered = zip(LETTERS, question.options, strict=True)
    marks = {question.gold: "  <- gold"}
    if question.parent is not None:
        marks |= {letter: "  <- old" for letter in (question.old,) if letter not in (None, question.gold)}
        marks |= {letter: "  <- sham" for letter in (question.sham,) if letter is not None}
    options = [f"{letter}: {_plain(option)}{marks.get(letter, '')}" for letter, option in lettered]
    return [
        question.id,
        "",
        _plain(question.text),
        "",
        *options,
        "",
        f"answer: {question.gold}, {_plain(question.value)}",
    ]


def _wrapped(text: str, width: int) -> list[str]:
    return [part for line in text.split("\n") for part in textwrap.wrap(line, width) or [""]]


def _plain(text: str) -> str:
    """Without what a terminal would take for a command."""
    return "".join(character if character.isprintable() or character == "\n" else "?" for character in text)
