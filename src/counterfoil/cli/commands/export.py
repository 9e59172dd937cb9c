"""counterfoil export: a run in other people's formats."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from counterfoil.cli.options import add_option
from counterfoil.errors import UserError
from counterfoil.suite.options import DEFAULT_LEDGER, Option, nearest, with_defaults

if TYPE_CHECKING:
    from counterfoil.running.folder import Run

EXAMPLE = "counterfoil export runs/bias-kqzrmwpd --to csv tables"
OPTIONS = (
    Option(name="data", metavar="NAME", help="the questions, where the run's have moved"),
    Option(
        name="variant",
        repeatable=True,
        metavar="NAME",
        help="variants to export, or the files they come from (default: all)",
    ),
    Option(name="score", metavar="COLUMN", help="what makes a reply good (default: correct; explain: score_threshold)"),
    Option(
        name="min-score",
        kind=float,
        metavar="X",
        help="score from which a reply is learnt from, or chosen (default: 1; explain: 0.6)",
    ),
    Option(
        name="max-score",
        kind=float,
        metavar="X",
        help="score up to which a reply is rejected (default: 0; explain: 0.3)",
    ),
    Option(
        name="test-share",
        kind=float,
        least=0.01,
        most=0.99,
        default=0.2,
        metavar="X",
        help="share of the questions that is held out",
    ),
    Option(name="seed", kind=int, least=0, default=0, metavar="N", help="seed of which questions are held out"),
    Option(
        name="ledger",
        default=DEFAULT_LEDGER,
        metavar="FILE",
        help="where the run's replies are kept, which tells of those that were cut off",
    ),
)


class Format(NamedTuple):
    """A format: what it is, who writes it, and the options it takes."""

    what: str
    write: Callable[[Run, Path, argparse.Namespace], list[Path]]
    options: Sequence[str] = ()


def _csv(run: Run, folder: Path, parsed: argparse.Namespace) -> list[Path]:
    from counterfoil.report.tables import write_csv

    return write_csv(run, folder)


def _parquet(run: Run, folder: Path, parsed: argparse.Namespace) -> list[Path]:
    from counterfoil.report.tables import write_parquet

    return write_parquet(run, folder)


def _latex(run: Run, folder: Path, parsed: argparse.Namespace) -> list[Path]:
    from counterfoil.report.tables import write_latex

    return write_latex(run, folder)


def _kobbq(run: Run, folder: Path, parsed: argparse.Namespace) -> list[Path]:
    from counterfoil.bias.official import export_files
    from counterfoil.bias.questions import Questions
    from counterfoil.console import say
    from counterfoil.running.asked import questions_of, variants_of

    manifest = run.manifest
    if manifest["suite"] != "bias":
        raise UserError(f"{run.folder} is a run of {manifest['suite']}: KoBBQ's files are for runs of bias.")
    questions = questions_of(run, parsed.data)
    if not isinstance(questions, Questions) or questions.language != "korean":
        raise UserError("The official files are KoBBQ's, and these questions are not: there is no such export of BBQ.")
    variants = variants_of(run, questions, parsed.variant or ())
    written = export_files(run, questions, {name: it.prompt for name, it in variants.items()}, folder)
    if manifest["options"]["repeats"] > 1:
        say("The official files hold one reply to each question: the first of the repeats.")
    return written


def _inspect(run: Run, folder: Path, parsed: argparse.Namespace) -> list[Path]:
    from counterfoil.adapters.inspect.log import export_log

    return export_log(run, folder)


def _training(kind: Literal["sft", "dpo"]) -> Callable[[Run, Path, argparse.Namespace], list[Path]]:
    def write(run: Run, folder: Path, parsed: argparse.Namespace) -> list[Path]:
        from counterfoil.adapters.training.export import Wanted, export_training

        values = with_defaults(OPTIONS, vars(parsed))
        variants = values.pop("variant") or ()
        return export_training(run, folder, kind, Wanted(variants=variants, **values))

    return write


_SFT = ("data", "variant", "score", "min-score", "test-share", "seed", "ledger")
FORMATS = {
    "csv": Format("summary and records as CSV, safe to open in a spreadsheet", _csv),
    "parquet": Format("the same as parquet", _parquet),
    "latex": Format("the summary as tables", _latex),
    "kobbq": Format("a run of bias as KoBBQ's official files", _kobbq, ("data", "variant")),
    "inspect": Format("a log for `inspect view`", _inspect),
    "sft": Format("good replies to fine-tune on, as TRL reads them", _training("sft"), _SFT),
    "dpo": Format("pairs of better and worse replies, as TRL reads them", _training("dpo"), (*_SFT, "max-score")),
}


def configure(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    parser.add_argument("run", metavar="RUN", help="a run folder")
    formats = "; ".join(f"{name}: {it.what}" for name, it in FORMATS.items())
    parser.add_argument("--to", required=True, metavar="FORMAT", help=formats)
    parser.add_argument("folder", metavar="DIR", help="where the files are written")
    for option in OPTIONS:
        add_option(parser, replace(option, help=f"with --to {_formats(option)}: {option.help}"))
    parser.add_argument("--json", action="store_true", help="print the files' paths as JSON")


def call(parsed: argparse.Namespace) -> int:
    from counterfoil.cli.results import print_json
    from counterfoil.running.folder import RECORDS, Run

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
    written = FORMATS[parsed.to].write(run, Path(parsed.folder), parsed)
    if parsed.json:
        print_json(list(map(str, written)))
    else:
        print("\n".join(["Written:", *(f"  {path}" for path in written)]))
    return 0


def _formats(option: Option) -> str:
    *others, last = [name for name, it in FORMATS.items() if option.name in it.options]
    return f"{', '.join(others)} or {last}" if others else last
