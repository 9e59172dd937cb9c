"""Tables that people and other programs wrote: CSV, TSV, JSON, lines of JSON, Parquet.

Each row comes with its place in the file, such as "line 3". One sentence says what is wrong with a file, and where.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from counterfoil.errors import UserError
from counterfoil.files import without_mark

# What may stand between the cells of a file that a spreadsheet has saved.
DELIMITERS = ",;\t"
_SHOWN = 5

T = TypeVar("T")
# A row and its place. A line that is not valid JSON is a ValueError that says so.
Row = tuple[str, Any]
Cells = dict[str, str]


def text_of(raw: bytes, where: str) -> str:
    """The text of a file, without a byte order mark."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _not_utf8(where, error) from error


def numbered(lines: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
    """The lines that are not empty, each with its place; the first without a byte order mark."""
    for number, raw in enumerate(lines, start=1):
        line = without_mark(raw) if number == 1 else raw
        if line.strip():
            yield f"line {number}", line


def lines_of(path: Path) -> Iterator[tuple[str, bytes]]:
    """The lines of a file that are not empty, as they are read; each with where it stands: the file and the line."""
    try:
        with path.open("rb") as file:
            for place, line in numbered(file):
                yield f"{path}, {place}", line
    except OSError as error:
        raise UserError(f"{path} can't be read: {error.strerror}.") from error


def decoded(line: bytes, kind: type[T], where: str) -> T:
    """A line of JSON as that kind; `where` begins the sentence if it is none."""
    import msgspec

    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{where}: {error}.") from error


def cells_of(
    lines: str | Iterable[str], where: str, needed: Collection[str] = (), delimiter: str = ","
) -> Iterator[tuple[str, Cells]]:
    """The rows of a table, a text or its lines, whose first line names the columns; `needed` are those it must have.

    A cell may be in quotation marks and go over several lines. One that a row lacks is empty.
    """
    csv.field_size_limit(sys.maxsize)
    lines = io.StringIO(lines, newline="") if isinstance(lines, str) else lines
    reader = csv.DictReader(lines, delimiter=delimiter, restval="")
    missing = [name for name in needed if name not in (reader.fieldnames or ())]
    if missing:
        raise UserError(f"{where} lacks the column {', '.join(missing)}.")
    try:
        for row in reader:
            yield f"line {reader.line_num}", row
    except csv.Error as error:
        raise UserError(f"{where}, line {reader.line_num}: {error}.") from error


def cells_in(path: Path, needed: Collection[str] = (), delimiter: str = ",") -> Iterator[tuple[str, Cells]]:
    """The same for a file, which is read as the rows are taken; each with where it stands: the file and the line."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for place, row in cells_of(file, str(path), needed, delimiter):
                yield f"{path}, {place}", row
    except UnicodeDecodeError as error:
        raise _not_utf8(str(path), error) from error
    except OSError as error:
        raise UserError(f"{path} can't be read: {error.strerror or error}.") from error


def delimiter_of(text: str) -> str:
    """What stands between the cells, by the first line: spreadsheets do not agree."""
    return max(DELIMITERS, key=text.partition("\n")[0].count)


def rows_of(raw: bytes, where: str, ending: str, columns: Collection[str] = ()) -> Iterator[Row]:
    """The rows of a .json, .jsonl, .csv or .parquet file's content. `columns`: those that a CSV file must have."""
    if ending == ".parquet":
        return _parquet_rows(raw, where)
    text = text_of(raw, where)
    if ending == ".csv":
        return cells_of(text, where, columns)
    return _json_rows(text, where) if ending == ".json" else json_lines(text)


def json_lines(text: str) -> Iterator[Row]:
    """The values of a text with one on each line."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield f"line {number}", json.loads(line)
            except (ValueError, RecursionError):
                yield f"line {number}", ValueError("it is not valid JSON")


def parsed(rows: Iterable[Row], where: str, parse: Callable[[Any], T]) -> list[T]:
    """What `parse` makes of each row. One sentence names the first rows of which it raises a ValueError."""
    found: list[T] = []
    wrong: list[str] = []
    for place, row in rows:
        try:
            if isinstance(row, ValueError):
                raise row
            found.append(parse(row))
        except ValueError as error:
            wrong.append(f"{place}: {error}")
    if wrong:
        raise UserError(f"{where} has bad rows: {first_of(wrong)}.")
    return found


def first_of(problems: Collection[str]) -> str:
    """The first of them, and how many more there are."""
    more = [f"and {len(problems) - _SHOWN} more"] if len(problems) > _SHOWN else []
    return "; ".join([*list(problems)[:_SHOWN], *more])


def _json_rows(text: str, where: str) -> Iterator[Row]:
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{where} is not valid JSON: {error}.") from error
    if not isinstance(rows, list):
        raise UserError(f"{where} must hold a list of questions.")
    for number, row in enumerate(rows, start=1):
        yield f"question {number}", row


def _parquet_rows(raw: bytes, where: str) -> Iterator[Row]:
    import polars as pl

    try:
        rows = pl.read_parquet(io.BytesIO(raw)).to_dicts()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise UserError(f"{where} is no Parquet file that can be read: {error}.") from error
    for number, row in enumerate(rows, start=1):
        yield f"row {number}", row


def _not_utf8(where: str, error: UnicodeDecodeError) -> UserError:
    return UserError(f"{where} is not UTF-8 (byte {error.start}: {error.reason}): save it in UTF-8.")
