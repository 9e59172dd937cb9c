"""Loading questions: the samples that ship, datasets that were fetched, and files of KoBBQ, of BBQ and of our own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path

import msgspec

from counterfoil import targets
from counterfoil.bias.questions import ORDERS, UNKNOWN, Question, Questions
from counterfoil.bias.relatives.languages import ENGLISH, KOREAN
from counterfoil.bias.relatives.table import BY_NAME, relative_of
from counterfoil.bias.sources import templates, templates_bbq
from counterfoil.bias.sources.bbq import METADATA, Targets, read_rows, read_targets
from counterfoil.bias.sources.kobbq import SAMPLE_COLUMNS, read_samples
from counterfoil.bias.sources.survey import with_survey
from counterfoil.console import say
from counterfoil.datasets.registry import is_registered, no_dataset
from counterfoil.errors import UserError
from counterfoil.files import read_bytes
from counterfoil.inputs import inputs_now, text_of
from counterfoil.suite.options import LINE
from counterfoil.tables import cell_rows, decoded_row, numbered, parsed, rows_of

SAMPLES = {"korean": "kobbq_templates.tsv", "english": "bbq_templates.csv"}
DEFAULT_SAMPLE = "korean"
# What no line of BBQ's has, and each of our own.
_MARK = b'"sample_id"'
# The files of BBQ and its relatives: rows on lines, in a list, or as the Hugging Face hub has them.
ENDINGS = (".jsonl", ".json", ".parquet")


def sample_predictions() -> list[Path]:
    """Raw predictions of three simulated models to 192 of the Korean samples, in the words of prompts 1
    and 1-debiased, as KoBBQ's script 2 writes them.
    """
    folder = Path(str(resources.files("counterfoil.bias"))) / "samples" / "predictions"
    return sorted(folder.glob("*_predictions.tsv"))


def load_questions(data: str | None, orders: int = ORDERS, metadata: str | None = None) -> Questions:
    """The samples by name, a dataset that was fetched, or files of KoBBQ or BBQ. Every bad row is named."""
    name, paths = _files(data)
    about = (".jsonl", ".tsv") if metadata and metadata.lower().endswith((".tsv", ".json")) else (".jsonl",)
    if metadata and not any(path.lower().endswith(about) for path, _ in paths):
        raise UserError(
            f"--metadata {metadata} is for BBQ's own .jsonl files, or with KoBBQ's survey for its .tsv files, and "
            f"{name} has none: leave it out."
        )
    every = _told([_parse(raw, path, metadata) for path, raw in paths])
    sha256 = hashlib.sha256(b"".join(raw for _, raw in paths)).hexdigest()
    by_id: dict[str, Question] = {}
    twice = [question.sample_id for question in every if by_id.setdefault(question.sample_id, question) is not question]
    found = list(by_id.values())
    found = with_survey(found, [path for path, _ in paths], metadata)
    inputs_now().leave_out(name, [f"the id {sample_id} was there before" for sample_id in twice], len(found))
    _say_untold(name, found)
    language = _language(found[0]) if found else ENGLISH
    return Questions(name, sha256, found, orders, language)


def _say_untold(name: str, questions: Sequence[Question]) -> None:
    untold = [question for question in questions if not question.biased]
    if not untold:
        return
    more = "" if untold[0].dataset else " BBQ's additional_metadata.csv (--metadata) may say more."
    say(
        f"{len(untold):,} of {len(questions):,} questions of {name} do not say which of the two the stereotype is "
        f"about: they count for accuracy, and not for bias.{more}"
    )


def _told(files: list[list[Question]]) -> list[Question]:
    """The questions of all files; where they are in several languages, each says its own."""
    every = [question for questions in files for question in questions]
    if all(question.language is None for question in every) and len({_language(it) for it in every}) < 2:
        return every
    return [msgspec.structs.replace(question, language=_language(question)) for question in every]


def _language(question: Question) -> str:
    return question.language or (KOREAN if question.unknown == UNKNOWN else ENGLISH)


def _files(data: str | None) -> tuple[str, list[tuple[str, bytes]]]:
    """The name of all, and the files: `data` names a sample, a dataset that was fetched, a file, a folder, or several
    of them, each in a line.
    """
    found = [_files_of(name) for name in (data or DEFAULT_SAMPLE).split(LINE)]
    return " + ".join(name for name, _ in found), [file for _, files in found for file in files]


def _files_of(data: str) -> tuple[str, list[tuple[str, bytes]]]:
    if data in SAMPLES:
        return data, [(SAMPLES[data], (resources.files("counterfoil.bias") / "samples" / SAMPLES[data]).read_bytes())]
    try:
        paths = [Path(data)]
        if is_registered(data):
            from counterfoil.datasets.fetch import dataset_paths  # loads aiohttp

            paths = dataset_paths(data)
        elif paths[0].is_dir():
            paths = _in_folder(paths[0])
        elif paths[0].suffix.lower() == ".json" and not paths[0].read_bytes()[:8].lstrip(b"\xef\xbb\xbf \n").startswith(
            b"["
        ):
            paths = [_beside(paths[0])]
        if not paths:
            raise UserError(f"--data {data}: there are no .jsonl files in this folder, and no .json or .parquet files.")
        targets.reading(*paths)
        return Path(data).name, [(str(path), path.read_bytes()) for path in paths]
    except OSError as error:
        raise no_dataset(data, [*SAMPLES, "kobbq", "kobbq-all", "bbq", *BY_NAME]) from error


def _in_folder(folder: Path) -> list[Path]:
    """A folder's files with a row on each line; else its lists, which may lie in folders of its own, as CBBQ's do."""
    for pattern in ("*.jsonl", "**/*.jsonl", "**/*.json", "**/*.parquet"):
        if paths := sorted(folder.glob(pattern)):
            return paths
    return []


def _beside(path: Path) -> Path:
    """KoBBQ's .json has the words of the prompts; what they are about is in the .tsv that is made with it."""
    table = path.with_suffix(".tsv")
    if not table.is_file():
        raise UserError(
            f"{path} does not say which answers are biased: KoBBQ's preprocessing writes that into {table.name}. Put "
            "that beside this file, or name it."
        )
    return table


def _parse(raw: bytes, where: str, metadata: str | None) -> list[Question]:
    suffix = Path(where).suffix.lower()
    if suffix in ENDINGS and _MARK not in raw.partition(b"\n")[0]:
        rows = list(rows_of(raw, where, suffix))
        relative = relative_of(rows, where)
        return relative.read(rows, where) if relative else read_rows(rows, where, _targets(where, metadata))
    text = text_of(raw, where)
    if suffix == ".csv":
        return templates_bbq.expand(cell_rows(text, where, templates_bbq.COLUMNS), where)
    if suffix == ".tsv" and _has_templates(text.partition("\n")[0]):
        return templates.expand(cell_rows(text, where, templates.COLUMNS, "\t"), where)
    if suffix == ".tsv":
        return read_samples(text, where)
    if suffix in ENDINGS:
        return _read_encoded(text, where)
    raise UserError(
        f"{where}: a dataset is KoBBQ's .tsv or .json, BBQ's .jsonl, a file of its relatives, their templates, or "
        "held-out questions."
    )


def _has_templates(heading: str) -> bool:
    """Whether more of a table's columns are those of templates than those of samples; it may lack some of either."""
    columns = {name.strip(' "\r') for name in heading.split("\t")}
    return len(columns.intersection(templates.COLUMNS)) > len(columns.intersection(SAMPLE_COLUMNS))


def _targets(where: str, metadata: str | None) -> Targets:
    """Whom the stereotypes are about, from the file that was named or the one that lies beside the questions."""
    path = Path(metadata) if metadata else Path(where).parent / METADATA
    if not metadata and not path.is_file():
        return {}
    return read_targets(text_of(read_bytes(path), str(path)), str(path))


def encode_questions(questions: Iterable[Question]) -> bytes:
    """Our own file: a line of JSON for each sample, whatever file it came from. The orders are no part of it."""
    return b"".join(msgspec.json.encode(question) + b"\n" for question in questions if question.order == 0)


def _read_encoded(text: str, where: str) -> list[Question]:
    """The questions of a file that `encode_questions` wrote."""

    def parse(line: bytes) -> Question:
        question = decoded_row(line, Question)
        _check(question)
        return question

    return parsed(numbered(text.encode().split(b"\n")), where, parse)


def _check(question: Question) -> None:
    if not question.sample_id.strip() or not question.template.strip() or question.order:
        raise ValueError("its sample_id or template is empty, or its order is not 0")
    if len(set(question.choices)) < len(question.choices):
        raise ValueError("its choices are not three different texts")
    for name in ("unknown", "right", "biased"):
        value = getattr(question, name)
        if value not in question.choices and (name != "biased" or value):
            raise ValueError(f"its {name} answer {value!r} is not among its choices")
    if question.biased and question.biased == question.unknown:
        raise ValueError("its biased answer is the unknown one")
    if question.ambiguous != (question.right == question.unknown):
        raise ValueError("an ambiguous context has the right answer unknown, and no other has")
