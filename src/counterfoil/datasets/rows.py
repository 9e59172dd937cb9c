"""The rows of files that people have questions in, each with its place: "line 3" is what a sentence says of it."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Collection, Iterator
from typing import Any

from counterfoil.errors import UserError

_SHOWN = 5

Row = tuple[str, Any]


def rows_of(raw: bytes, where: str, ending: str, columns: Collection[str] = ()) -> Iterator[Row]:
    """Of a .json, .jsonl, .csv or .parquet file's content. A row that can't be read is a ValueError that says why.
    `columns`: those that a CSV file must have.
    """
    if ending == ".parquet":
        return _parquet_rows(raw, where)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{where} is not UTF-8: {error}.") from error
    if ending == ".csv":
        return _csv_rows(text, where, columns)
    return _json_rows(text, where) if ending == ".json" else _jsonl_rows(text)


def bad_rows(where: str, wrong: list[str]) -> UserError:
    """The first of them, and how many more there are."""
    more = f"; and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
    return UserError(f"{where} has bad rows: {'; '.join(wrong[:_SHOWN])}{more}.")


def _json_rows(text: str, where: str) -> Iterator[Row]:
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{where} is not valid JSON: {error}.") from error
    if not isinstance(rows, list):
        raise UserError(f"{where} must hold a list of questions.")
    for number, row in enumerate(rows, start=1):
        yield f"question {number}", row


def _jsonl_rows(text: str) -> Iterator[Row]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield f"line {number}", json.loads(line)
            except (ValueError, RecursionError):
                yield f"line {number}", ValueError("it is not valid JSON")


def _csv_rows(text: str, where: str, columns: Collection[str]) -> Iterator[Row]:
    csv.field_size_limit(sys.maxsize)
    reader = csv.DictReader(io.StringIO(text, newline=""))
    if missing := set(columns) - set(reader.fieldnames or ()):
        raise UserError(f"{where} lacks the column {', '.join(sorted(missing))}.")
    for row in reader:
        yield f"line {reader.line_num}", row


def _parquet_rows(raw: bytes, where: str) -> Iterator[Row]:
    import polars as pl

    try:
        rows = pl.read_parquet(io.BytesIO(raw)).to_dicts()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise UserError(f"{where} is no Parquet file that can be read: {error}.") from error
    for number, row in enumerate(rows, start=1):
        yield f"row {number}", row
