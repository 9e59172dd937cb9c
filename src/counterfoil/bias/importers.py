"""Predictions from elsewhere: KoBBQ's official pipeline, before and after its post-processing, and BBQ's results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from counterfoil.asking.ask import Reply
from counterfoil.bias.prompts import KOBBQ, prompt_for, shown_choices
from counterfoil.bias.questions import Question
from counterfoil.bias.reading import Reading, read_by_rule
from counterfoil.bias.sources import bbq
from counterfoil.errors import UserError
from counterfoil.suite.imports import Imported
from counterfoil.suite.suite import Variant
from counterfoil.tables import cells_in, decoded_row, kept, lines_of, sound

# As the official scripts name their files: …_evaluation_PROMPT_MODEL_predictions.tsv. The fourth of them leaves out
# _predictions.
_FILE_NAME = re.compile(r".*_evaluation(?P<debiased>_debiased)?_(?P<prompt>\d+)_(?P<model>.+?)(?:_predictions)?\.tsv")


def import_kobbq(
    files: Sequence[Path],
    questions: Mapping[str, Question],
    *,
    column: str,
    variants: Sequence[Variant],
    model: str | None,
) -> Iterator[Imported]:
    """Raw predictions (`guid`, `raw`), or processed ones (`sample_id` or `guid`, `prediction`: a choice's text).

    KoBBQ's samples with the column `prediction` filled have ids without an order: a choice's text needs none.
    """
    for path in files:
        name = _FILE_NAME.fullmatch(path.name)
        variant = _variant(path, name, variants)
        answered_by = model or (name and name["model"])
        if not answered_by:
            raise UserError(f"{path}: its name does not say whose predictions these are: name the model with --model.")
        for where, row in sound(cells_in(path, (column,), delimiter="\t"), str(path)):
            question_id = row.get("guid", row.get("sample_id"))
            if question_id is None:
                raise UserError(f"{path} lacks the column {'guid' if column == 'raw' else 'sample_id'}.")
            if column == "prediction" and question_id not in questions and f"{question_id}-0" in questions:
                question_id = f"{question_id}-0"
            question, text = questions.get(question_id), row[column]
            reading = None
            if question and column == "prediction":
                # A choice's text, whole, as the official script looks for it.
                worded = (shown_choices(question, prompt_for(question, variant)), question.shown)
                shown = next((choices for choices in worded if text in choices), None)
                reading = None if shown is None else Reading(question.turned(shown.index(text)))
            yield Imported(
                model=answered_by,
                variant=variant.name,
                question_id=question_id,
                reply=Reply(status="ok", text=text),
                reading=reading,
                was_read=column == "prediction",
                where=where,
            )


def import_bbq(
    files: Sequence[Path], questions: Mapping[str, Question], *, columns: Sequence[str], model: str | None
) -> Iterator[Imported]:
    """BBQ's questions with predictions as texts, one column for each model."""
    if not columns:
        raise UserError("--from bbq needs the name of the predictions' column: --column NAME.")
    if model and len(columns) > 1:
        raise UserError("--model names the predictions of one column: leave it out, and each is named by its column.")
    for path in files:
        for where, row in kept(lines_of(path), str(path), lambda where, raw: (where, _bbq_row(raw, columns))):
            question_id = f"{bbq.question_id(row)}-0"
            question = questions.get(question_id)
            for column in columns:
                text = str(row[column] or "")
                yield Imported(
                    model=model or column,
                    variant="bbq",
                    question_id=question_id,
                    reply=Reply(status="ok", text=text),
                    reading=_as_written(text, question) if question else None,
                    was_read=True,
                    where=where,
                )


def _bbq_row(raw: bytes, columns: Sequence[str]) -> dict[str, Any]:
    row = decoded_row(raw, dict[str, Any])
    for column in ("category", "example_id", *columns):
        if column not in row:
            raise ValueError(f"it has no {column}: name the predictions with --column NAME")
    return row


def _variant(path: Path, name: re.Match[str] | None, variants: Sequence[Variant]) -> Variant:
    """The one that the user named, or the one in the file's name."""
    wanted = name and name["prompt"] + ("-debiased" if name["debiased"] else "")
    if len(variants) == 1:
        [variant] = variants
        if wanted and wanted != variant.name and variant.name in KOBBQ:
            raise UserError(
                f"{path} is of prompt {wanted} by its name, and --variant says {variant.name}: "
                "give each prompt's files a command of their own, or leave --variant out."
            )
        return variant
    for variant in variants:
        if variant.name == wanted:
            return variant
    raise UserError(f"{path}: its name does not say which prompt was asked: name one with --variant.")


def _as_written(text: str, question: Question) -> Reading | None:
    """The one of the choices whose words these are; else what can be read from them."""
    plain = [_plain(choice) for choice in question.choices]
    if plain.count(_plain(text)) == 1:
        return Reading(plain.index(_plain(text)))
    read = read_by_rule(text, question.choices, unknown=question.choices.index(question.unknown))
    return None if read is None else Reading(read.said, read_by=read.by)


def _plain(text: str) -> str:
    """Without case, article and punctuation at its ends."""
    return text.casefold().strip(" .\n\t\"'").removeprefix("the ").strip()
