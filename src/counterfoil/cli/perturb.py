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
from counterfoil.console import say
from counterfoil.errors import UserError
from counterfoil.suite.options import RUN_OPTIONS, Option, with_defaults

if TYPE_CHECKING:
    from counterfoil.perturbing.making.report import PerturbRequest
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
    from counterfoil.perturbing.making.report import report_text

    report = perturb(_request(values, parsed.levels), say)
    is_shown = values["show"] is not None and report.sha256 is not None
    if not parsed.json:
        print(report_text(report), end="\n\n" if is_shown else "\n")
    elif not is_shown:
        print_json(report)
    if is_shown:
        _show(Path(values["out"]), values["show"], as_json=parsed.json)
    return 1 if any(report.left_open.values()) else 0


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
        proposer = JudgeSettings(
            spec=spec,
            ledger=Path(values["ledger"]),
            max_cost=values["max_cost"],
            prices=Path(values["prices"]) if values["prices"] else None,
        )
    return PerturbRequest(
        source=values["from"],
        out=Path(values["out"]),
        levels=tuple(sorted(set(levels))),
        data=Path(values["data"]) if values["data"] is not None else None,
        direct=values["generator"] == "direct",
        proposer=proposer,
        **{name: values[name] for name in ("controls", "lure", "draws", "seed", "limit")},
    )


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
    rule = "-" * column
    lines = [f"{'original'.ljust(column)} | variant" if question.parent else "original", f"{rule} | {rule}"]
    for left, right in zip(_blocks(original), _blocks(question), strict=True):
        pairs = zip_longest(_wrapped(left, column), _wrapped(right, column) if question.parent else (), fillvalue="")
        lines += [f"{one.ljust(column)} | {other}".rstrip() for one, other in pairs]
    changes = [[_plain(part) for part in (change.name, change.before, change.after)] for change in question.changes]
    facts = [f"changed: {name} from {before} to {after}" for name, before, after in changes]
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

    marks = {question.sham: "  <- sham", question.old: "  <- old"} if question.parent is not None else {}
    marks[question.gold] = "  <- gold"
    lettered = zip(LETTERS, question.options, strict=True)
    options = [f"{letter}: {_plain(option)}{marks.get(letter, '')}" for letter, option in lettered]
    answer = f"answer: {question.gold}, {_plain(question.value)}"
    return [question.id, "", _plain(question.text), "", *options, "", answer]


def _wrapped(text: str, width: int) -> list[str]:
    return [part for line in text.split("\n") for part in textwrap.wrap(line, width) or [""]]


def _plain(text: str) -> str:
    """Without what a terminal would take for a command."""
    return "".join(character if character.isprintable() or character == "\n" else "?" for character in text)
