"""counterfoil export: a run in other people's formats."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from counterfoil.cli.options import add_options
from counterfoil.errors import UserError
from counterfoil.suite.options import DEFAULT_LEDGER, OVERWRITE, Option, nearest, with_defaults

if TYPE_CHECKING:
    from counterfoil.running.folder import Run

EXAMPLE = "counterfoil export runs/bias-kqzrmwpd --to csv tables"
OPTIONS = (
    Option("data", "the questions, where the run's have moved", metavar="NAME"),
    Option(
        "variant", "variants to export, or the files they come from (default: all)", repeatable=True, metavar="NAME"
    ),
    Option(
        "score",
        "what makes a reply good (default: correct; explain: score_threshold, and also score_confusion_index, "
        "judge_f1, judge_quality, judge_restraint, human_f1, human_quality, human_restraint)",
        metavar="COLUMN",
    ),
    Option(
        "min-score",
        "score from which a reply is learnt from, or chosen (default: 1; explain: 0.6, of a quality 60)",
        kind=float,
        metavar="X",
    ),
    Option(
        "max-score",
        "score up to which a reply is rejected (default: 0; explain: 0.3, of a quality 30)",
        kind=float,
        metavar="X",
    ),
    Option(
        "test-share",
        "share of the questions that is held out",
        kind=float,
        least=0.01,
        most=0.99,
        default=0.2,
        metavar="X",
    ),
    Option("seed", "seed of which questions are held out", kind=int, least=0, default=0),
    Option(
        "ledger",
        "where the run's replies are kept, which tells of those that were cut off",
        default=DEFAULT_LEDGER,
        metavar="FILE",
    ),
)


class Format(NamedTuple):
    """A format: what it is, who writes it, and the options it takes."""

    what: str
    write: Callable[[Run, Path, argparse.Namespace], list[Path]]
    options: Sequence[str] = ()


def _tables(run: Run, folder: Path, parsed: argparse.Namespace) -> list[Path]:
    from counterfoil.report.tables import write_csv, write_latex, write_parquet

    return {"csv": write_csv, "parquet": write_parquet, "latex": write_latex}[parsed.to](run, folder)


def _kobbq(run: Run, folder: Path, parsed: argparse.Namespace) -> list[Path]:
    from counterfoil.bias.official import export_files
    from counterfoil.bias.questions import Questions
    from counterfoil.bias.relatives.languages import KOREAN
    from counterfoil.console import say
    from counterfoil.running.asked import questions_of, variants_of

    manifest = run.manifest
    if manifest["suite"] != "bias":
        raise UserError(f"{run.folder} is a run of {manifest['suite']}: KoBBQ's files are for runs of bias.")
    questions = questions_of(run, parsed.data)
    if not isinstance(questions, Questions) or questions.language != KOREAN:
        raise UserError("The official files are KoBBQ's, and these questions are not: there is no such export of BBQ.")
    variants = variants_of(run, questions, parsed.variant or ())
    written = export_files(run, questions, {name: variant.prompt for name, variant in variants.items()}, folder)
    if manifest["options"]["repeats"] > 1:
        say("The official files hold one reply to each question: the first of the repeats.")
    return written


def _inspect(run: Run, folder: Path, parsed: argparse.Namespace) -> list[Path]:
    from counterfoil.adapters.inspect.log import export_log

    return export_log(run, folder)


def _training(run: Run, folder: Path, parsed: argparse.Namespace) -> list[Path]:
    from counterfoil.adapters.training.export import Wanted, export_training

    values = with_defaults(OPTIONS, vars(parsed))
    variants = values.pop("variant") or ()
    return export_training(run, folder, parsed.to, Wanted(variants=variants, **values))


_SFT = ("data", "variant", "score", "min-score", "test-share", "seed", "ledger")
FORMATS = {
    "csv": Format("summary and records as CSV, safe to open in a spreadsheet", _tables),
    "parquet": Format("the same as parquet", _tables),
    "latex": Format("the summary as tables", _tables),
    "kobbq": Format("a run of bias as KoBBQ's official files", _kobbq, ("data", "variant")),
    "inspect": Format("a log for `inspect view`", _inspect),
    "sft": Format("good replies to fine-tune on, as TRL reads them", _training, _SFT),
    "dpo": Format("pairs of better and worse replies, as TRL reads them", _training, (*_SFT, "max-score")),
}


def configure(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    parser.add_argument("run", metavar="RUN", help="a run folder")
    formats = "; ".join(f"{name}: {format.what}" for name, format in FORMATS.items())
    parser.add_argument("--to", required=True, metavar="FORMAT", help=formats)
    parser.add_argument("folder", metavar="DIR", help="where the files are written")
    add_options(parser, [*(replace(o, help=f"with --to {_formats(o)}: {o.help}") for o in OPTIONS), OVERWRITE])
    parser.add_argument("--json", action="store_true", help="print the files' paths as JSON")


def call(parsed: argparse.Namespace) -> int:
    from counterfoil.cli.results import print_result
    from counterfoil.running.folder import RECORDS, Run, writing_about

    if parsed.to not in FORMATS:
        raise UserError(
            f"There is no export to {parsed.to}{nearest(parsed.to, FORMATS)}. There are: {', '.join(FORMATS)}."
        )
    run = Run(parsed.run)
    if not (run.folder / RECORDS).is_file():
        raise UserError(f"{run.folder} has no {RECORDS}: run the command that made it again.")
    for option in OPTIONS:
        if getattr(parsed, option.key) is not None and option.name not in FORMATS[parsed.to].options:
            raise UserError(f"--{option.name} is for --to {_formats(option)}: leave it out.")
    inputs = (parsed.data, parsed.ledger or DEFAULT_LEDGER, *(parsed.variant or ()))
    with writing_about(f"export --to {parsed.to}", [run.folder], inputs, overwrite=bool(parsed.overwrite)):
        written = FORMATS[parsed.to].write(run, Path(parsed.folder), parsed)
    paths = list(map(str, written))
    print_result(paths, lambda: "\n  ".join(["Written:", *paths]), as_json=parsed.json)
    return 0


def _formats(option: Option) -> str:
    *others, last = [name for name, format in FORMATS.items() if option.name in format.options]
    return f"{', '.join(others)} or {last}" if others else last
