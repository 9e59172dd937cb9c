"""counterfoil data perturb: make a frozen set of perturbed questions, or show one beside its original."""

from __future__ import annotations

import argparse
import shutil
import textwrap
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from counterfoil.cli.options import JUDGE_OPTION_NAMES, add_options, judge_settings
from counterfoil.cli.results import print_result
from counterfoil.console import say
from counterfoil.errors import UserError
from counterfoil.inputs import Inputs, telling_of_inputs
from counterfoil.suite.options import OVERWRITE, Option, nearest, run_options, with_defaults

if TYPE_CHECKING:
    from counterfoil.perturbing.questions import Question

HELP = "make a frozen set of questions with other numbers, from templates or from existing questions"
EXAMPLE = "counterfoil data perturb --from bank --levels 1 2 3 --controls --lure --out set.jsonl"
FROM = Option("from", "bank, cfa-easy, gsm8k, or a file: templates (.toml) or existing questions", metavar="SOURCE")
OPTIONS = (
    Option("data", "your copy of the questions of cfa-easy or gsm8k (default: the fetched one)", metavar="FILE"),
    Option(
        "controls",
        "the controls, too: again, reshuffled, reoptioned, renamed, stand_in",
        kind=bool,
        default=False,
    ),
    Option("lure", "the lure arm, too: the old answer is among the options", kind=bool, default=False),
    Option(
        "noise",
        "sentences that do not matter, too, in the original and the changed questions",
        kind=bool,
        default=False,
    ),
    Option("draws", "variants of each level and control", kind=int, least=1, default=5),
    Option("seed", "seed of the draws and of the sample", kind=int, least=0, default=0),
    Option("limit", "perturb a stratified, seeded sample of N questions", kind=int, least=1),
    Option(
        "topic", "only templates of this topic; of the bank also those beside finance", repeatable=True, metavar="TOPIC"
    ),
    Option("out", "the set to write; its report goes beside it", metavar="SET.jsonl"),
    OVERWRITE,
    Option(
        "allow-unbalanced",
        "write the set even if responders without memory show some on it; its report says so",
        kind=bool,
        default=False,
    ),
    Option(
        "generator",
        "compute the variants from templates, or let the proposer write them",
        default="template",
        choices=("template", "direct"),
        metavar="WAY",
    ),
    Option("proposer", "a model that proposes templates for existing questions", metavar="NAME"),
    Option("show", "print this question beside its original", metavar="ID"),
    Option("set", "a set that was made before, for --show", metavar="SET.jsonl"),
    *run_options("encoding", "strict", *JUDGE_OPTION_NAMES),
)


def configure(parser: argparse.ArgumentParser) -> None:
    add_options(parser, [FROM])
    parser.add_argument(
        "--levels", nargs="+", type=int, choices=(1, 2, 3), default=(1,), metavar="LEVEL",
        help="1: one number changed, 2: two, 3: another unknown (default: 1)",
    )  # fmt: skip
    add_options(parser, OPTIONS)
    parser.add_argument("--json", action="store_true", help="print the report, or the question to show, as JSON")


def call(parsed: argparse.Namespace) -> int:
    values = with_defaults((FROM, *OPTIONS), vars(parsed))
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
    from counterfoil.perturbing.making.report import PerturbRequest, report_text

    request = PerturbRequest(
        source=values["from"],
        out=Path(values["out"]),
        levels=tuple(sorted(set(parsed.levels))),
        data=Path(values["data"]) if values["data"] is not None else None,
        topics=tuple(values["topic"] or ()),
        direct=values["generator"] == "direct",
        proposer=judge_settings(values["proposer"], values),
        **{
            name: values[name]
            for name in ("controls", "lure", "noise", "draws", "seed", "limit", "overwrite", "allow_unbalanced")
        },
    )
    inputs = Inputs(strict=values["strict"], encoding=values["encoding"])
    with telling_of_inputs(inputs):
        report = perturb(request, say)
    is_shown = values["show"] is not None and report.sha256 is not None
    if not (is_shown and parsed.json):
        print_result(report, lambda: report_text(report) + ("\n" if is_shown else ""), as_json=parsed.json)
    if is_shown:
        _show(request.out, values["show"], as_json=parsed.json)
    return 1 if any(report.left_open.values()) else 0


def _show(path: Path, name: str, *, as_json: bool) -> int:
    from counterfoil.perturbing.questions import read_set

    questions = {question.id: question for question in read_set(path)}
    if name not in questions:
        raise UserError(f"{path} holds no question {name}{nearest(name, questions)}.")
    question = questions[name]
    original = questions[question.parent] if question.parent is not None else question
    width = shutil.get_terminal_size((110, 24)).columns
    pair = {"original": original, "question": question}
    print_result(pair, lambda: side_by_side(original, question, width), as_json=as_json)
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
