"""counterfoil export: a run in other people's formats."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterfoil.errors import UserError

if TYPE_CHECKING:
    from counterfoil.bias.prompts import Prompt
    from counterfoil.bias.questions import Questions
    from counterfoil.runs.folder import Run

EXAMPLE = "counterfoil export runs/bias-kqzrmwpd --to csv tables"
FORMATS = {
    "csv": "summary and records as CSV, safe to open in a spreadsheet",
    "parquet": "the same as parquet",
    "latex": "the summary as tables",
    "kobbq": "a run of bias as KoBBQ's official files",
}


def configure(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    parser.add_argument("run", metavar="RUN", help="a run folder")
    formats = "; ".join(f"{name}: {text}" for name, text in FORMATS.items())
    parser.add_argument("--to", required=True, metavar="FORMAT", help=formats)
    parser.add_argument("folder", metavar="DIR", help="where the files are written")
    parser.add_argument("--data", metavar="NAME", help="with --to kobbq: the questions, where the run's have moved")
    parser.add_argument(
        "--variant",
        action="append",
        default=[],
        metavar="NAME",
        help="with --to kobbq: variants to export, or the tables they come from (default: all); can be given again",
    )
    parser.add_argument("--json", action="store_true", help="print the files' paths as JSON")


def call(parsed: argparse.Namespace) -> int:
    from counterfoil.cli.results import print_json
    from counterfoil.report.tables import write_csv, write_latex, write_parquet
    from counterfoil.runs.folder import RECORDS, Run
    from counterfoil.runs.options import nearest

    if parsed.to not in FORMATS:
        raise UserError(
            f"There is no export to {parsed.to}{nearest(parsed.to, FORMATS)}. There are: {', '.join(FORMATS)}."
        )
    run, folder = Run(parsed.run), Path(parsed.folder)
    if not (run.folder / RECORDS).is_file():
        raise UserError(f"{run.folder} has no {RECORDS}: run the command that made it again.")
    if parsed.to == "kobbq":
        written = _to_kobbq(run, folder, parsed.data, parsed.variant)
    elif parsed.data or parsed.variant:
        raise UserError("--data and --variant are for --to kobbq: leave them out.")
    else:
        written = {"csv": write_csv, "parquet": write_parquet, "latex": write_latex}[parsed.to](run, folder)
    if parsed.json:
        print_json(list(map(str, written)))
    else:
        print("\n".join(["Written:", *(f"  {path}" for path in written)]))
    return 0


def _to_kobbq(run: Run, folder: Path, data: str | None, names: Sequence[str]) -> list[Path]:
    from counterfoil.bias.official import export_files
    from counterfoil.console import say

    manifest = run.manifest
    if manifest["suite"] != "bias":
        raise UserError(f"{run.folder} is a run of {manifest['suite']}: KoBBQ's files are for runs of bias.")
    questions = _questions(manifest, data)
    prompts = _prompts(run, manifest, names)
    written = export_files(run, questions, prompts, folder)
    if manifest["options"]["repeats"] > 1:
        say("The official files hold one reply to each question: the first of the repeats.")
    return written


def _questions(manifest: Mapping[str, Any], data: str | None) -> Questions:
    """The questions that were asked, the very same."""
    from counterfoil.bias.questions import load_questions

    about = manifest["data"]
    try:
        questions = load_questions(data or about["given"], manifest["options"]["orders"])
    except UserError as error:
        if data:
            raise
        raise UserError(
            f"The run's questions ({about['name']}) can't be loaded: name them with --data. ({error})"
        ) from error
    if questions.sha256 != about["sha256"]:
        raise UserError(
            f"{data or about['given'] or questions.name} is not what the run was asked from: its hash is another. "
            f"That was {about['name']}, with SHA-256 {about['sha256'][:12]}…: name it with --data."
        )
    if questions.language != "korean":
        raise UserError("The official files are KoBBQ's, and these questions are not: there is no such export of BBQ.")
    return questions


def _prompts(run: Run, manifest: Mapping[str, Any], names: Sequence[str]) -> dict[str, Prompt]:
    """The prompts of the run's variants, by name; where names are given, those of them."""
    from counterfoil.bias.prompts import load_variants

    there = list(dict.fromkeys(str(row["variant"]) for row in run.outcomes))
    hashes = {variant["name"]: variant["sha256"] for variant in manifest["variants"]}
    prompts: dict[str, Prompt] = {}
    for name in names or there:
        try:
            found = [variant for variant in load_variants([name], "korean") if variant.name in there]
        except UserError as error:
            if names:
                raise
            raise UserError(
                f"The prompt of variant {name} does not ship with counterfoil: name its table with "
                "--variant FILE.tsv, and every other variant that is to be exported as well."
            ) from error
        if not found:
            raise UserError(f"The run has no variant of {name}: it has {', '.join(there)}.")
        for variant in found:
            if hashes.get(variant.name, variant.sha256) != variant.sha256:
                raise UserError(
                    f"The prompt of variant {variant.name} is not the one that was asked: name its table with "
                    "--variant FILE.tsv, as it was then."
                )
            prompts[variant.name] = variant.prompt
    return prompts
