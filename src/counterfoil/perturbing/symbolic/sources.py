"""Where published templates lie: in a file of them, or beside GSM8K's questions; fetched, or the user's own copy."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from counterfoil.datasets.registry import registered
from counterfoil.errors import UserError
from counterfoil.files import read_bytes
from counterfoil.perturbing.symbolic.annotated import gold_of
from counterfoil.perturbing.symbolic.published import Refused, Row, template_id, templates_of
from counterfoil.perturbing.templates.template import Template
from counterfoil.tables import in_words, json_lines, parsed, rows_of

GSM8K = "gsm8k"
OTHER_QUESTION = "its original is not the question of its line"
_TEMPLATE_FILE = re.compile(r"\d{4}\.json|.*symbolic.*\.jsonl")


class Published(NamedTuple):
    """The templates of a file, those that can't be expressed, and how many questions there are in all."""

    templates: list[Template]
    refused: list[Refused]
    questions: int
    name: str
    sha256: str


def is_published(path: Path) -> bool:
    """Whether a .jsonl file holds published templates or GSM8K's questions, and no frozen set."""
    if path.suffix.lower() != ".jsonl" or not path.is_file():
        return False
    with path.open("rb") as file:
        line = file.readline().lstrip(b"\xef\xbb\xbf")
    try:
        row = json.loads(line)
    except ValueError:
        return False
    return isinstance(row, Mapping) and (_is_template(row) or _is_question(row))


def _is_template(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("question_annotated"), str)


def _is_question(row: Mapping[str, Any]) -> bool:
    is_asked = isinstance(row.get("question"), str) and isinstance(row.get("answer"), str)
    return is_asked and gold_of(row["answer"]) is not None


def load_published(path: Path | None) -> Published:
    """The templates of a file, or those for a file of GSM8K's questions; without a path, what was fetched."""
    if path is None:
        from counterfoil.datasets.fetch import dataset_path  # loads aiohttp

        path = dataset_path(GSM8K)
    rows = parsed(json_lines(read_bytes(path).decode("utf-8-sig"), str(path)), str(path), _mapping)
    if rows and _is_template(rows[0]):
        return _published(path, [path], [])
    if not rows or not _is_question(rows[0]):
        raise UserError(f"{path} holds neither GSM8K's questions nor GSM-Symbolic's templates.")
    return _published(path, _templates_beside(path), [str(row.get("question")) for row in rows])


def _published(path: Path, files: Sequence[Path], questions: Sequence[str]) -> Published:
    contents = [read_bytes(file) for file in files]
    rows = [row for file, content in zip(files, contents, strict=True) for row in _rows(file, content)]
    templates, refused = templates_of(rows)
    if questions:
        wrong = {
            template_id(row, place)
            for place, row in enumerate(rows)
            if row.id_orig is not None
            and (row.id_orig >= len(questions) or questions[row.id_orig].split() != row.question.split())
        }
        templates = [template for template in templates if template.id not in wrong]
        refused += [Refused(name, OTHER_QUESTION, f"{OTHER_QUESTION} of {path}") for name in sorted(wrong)]
    if not templates:
        told = f": {refused[0].reason}" if refused else ""
        raise UserError(f"{path}: none of its questions has a template that can be used{told}.")
    sha256 = hashlib.sha256(b"".join(contents)).hexdigest()
    return Published(templates, refused, len(questions) or len(rows), path.name, sha256)


def _rows(file: Path, content: bytes) -> list[Row]:
    if file.suffix.lower() == ".json" and content.lstrip().startswith(b"{"):
        # One template in a file of its own, as they are published.
        content, file = content.replace(b"\r", b"").replace(b"\n", b" "), file.with_suffix(".jsonl")
    return parsed(rows_of(content, str(file), file.suffix.lower()), str(file), _row)


def _row(row: Any) -> Row:
    try:
        return msgspec.convert(_mapping(row), Row)
    except msgspec.ValidationError as error:
        raise ValueError(f"it is no template: {in_words(error)}") from error


def _mapping(row: Any) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise ValueError("it is no object")
    return row


def _templates_beside(path: Path) -> list[Path]:
    """The files of templates in the folder of the questions, or else those that were fetched, unchanged since then."""
    fetched = registered(GSM8K)
    found = sorted(file for file in path.parent.iterdir() if _TEMPLATE_FILE.fullmatch(file.name))
    if found and path.parent != fetched.folder:
        return found
    from counterfoil.datasets.fetch import dataset_path

    try:
        return [dataset_path(GSM8K, file.name) for file in fetched.files[1:]]
    except UserError as error:
        raise UserError(
            f"{path} has GSM8K's questions, and no templates to change them by: fetch these with "
            f"`counterfoil data get {GSM8K}`, or put GSM-Symbolic's beside the file."
        ) from error
