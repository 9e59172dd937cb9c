"""Tables that people and other programs wrote: CSV, TSV, JSON, lines of JSON, Parquet.

Each row comes with its place in the file, such as "line 3". One sentence says what is wrong with a file, and where.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, TypeVar

from counterfoil.errors import UserError
from counterfoil.files import without_mark
from counterfoil.inputs import inputs_now, opened, text_of

# What may stand between the cells of a file that a spreadsheet has saved.
DELIMITERS = ",;\t"

T = TypeVar("T")
# A row and its place. A row that can't be read is a ValueError that says why.
Row = tuple[str, Any]
Cells = dict[str, str]


def numbered(lines: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
    """The lines that are not empty, each with its place; the first without a byte order mark."""
    for number, raw in enumerate(lines, start=1):
        line = without_mark(raw) if number == 1 else raw
        if line.strip():
            yield f"line {number}", line


def lines_of(path: Path) -> Iterator[tuple[str, bytes]]:
    """The lines of a file that are not empty, in UTF-8, as they are read; each with its place: file and line."""
    with opened(path) as (file, encoding):
        if encoding == "utf-8-sig":
            for place, line in numbered(file):
                yield f"{path}, {place}", line
            return
        with io.TextIOWrapper(file, encoding, newline="\n") as text:
            for place, line in numbered(line.encode() for line in text):
                yield f"{path}, {place}", line


def decoded(line: bytes, kind: type[T], where: str) -> T:
    """A line of JSON as that kind; `where` begins the sentence if it is none."""
    try:
        return decoded_row(line, kind)
    except ValueError as error:
        raise UserError(f"{where}: {error}.") from error


def decoded_row(line: bytes, kind: type[T]) -> T:
    """The same for rows that may be left out: a ValueError says what is wrong."""
    import msgspec

    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(in_words(error)) from error


_TYPES = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
}
_MISSING = re.compile(r"Object missing required field `(?P<name>[^`]+)`(?: - at `\$\.?(?P<path>[^`]*)`)?")
_WRONG_TYPE = re.compile(r"Expected `(?P<wanted>[^`]+)`, got `(?P<got>[^`]+)`(?: - at `\$\.?(?P<path>[^`]*)`)?")
_LENGTH = re.compile(r"Expected `array` of length (?P<length>[^`]+?)(?:, got [^`]+)?(?: - at `\$\.?(?P<path>[^`]*)`)?")
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<name>[^`]+)`(?: - at `\$\.?(?P<path>[^`]*)`)?")


def in_words(error: Exception) -> str:
    """What msgspec found wrong with a line or a file, as a sentence without its full stop."""
    text = str(error)
    if match := _MISSING.fullmatch(text):
        return f"it has no {match['name']}" + (f" in {match['path']}" if match["path"] else "")
    if match := _UNKNOWN.fullmatch(text):
        return f"it has {match['name']}, which is not known" + (f", in {match['path']}" if match["path"] else "")
    if match := _LENGTH.fullmatch(text):
        what = f"its {match['path']}" if match["path"] else "it"
        return f"{what} must be a list of {match['length']}"
    if match := _WRONG_TYPE.fullmatch(text):
        wanted = " or ".join(_TYPES.get(kind, kind) for kind in match["wanted"].split(" | "))
        what = f"its {match['path']}" if match["path"] else "it"
        return f"{what} is {_TYPES.get(match['got'], match['got'])}, and must be {wanted}"
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8"
    if isinstance(error, RecursionError) or text.startswith(("JSON is malformed", "Input data was truncated")):
        return "it is not valid JSON"
    return text


def cell_rows(
    lines: str | Iterable[str], where: str, needed: Collection[str] = (), delimiter: str = ","
) -> Iterator[Row]:
    """The rows of a table, a text or its lines, whose first line names the columns; `needed` are those it must have.

    A cell may be in quotation marks and go over several lines. One that a row lacks is empty. Where the columns are not
    there by this delimiter and are by another one of spreadsheets', that one is taken.
    """
    csv.field_size_limit(sys.maxsize)
    source = io.StringIO(lines, newline="") if isinstance(lines, str) else iter(lines)
    heading = str(next((line for line in source if line.strip()), ""))
    delimiter = _delimiter(heading, needed, delimiter)
    pending: list[str] = []
    reader = csv.reader(_noting(chain([heading], source), pending), delimiter=delimiter)
    try:
        columns = _columns(next(reader, []), where, needed)
        pending.clear()
        for cells in reader:
            place = f"line {reader.line_num}"
            is_odd = len(pending) > 1 or sum(line.count('"') for line in pending) % 2
            if is_odd and _is_unclosed(pending, delimiter):
                begin = reader.line_num - len(pending) + 1
                raise UserError(f"{where}, line {begin}: a quotation mark is opened there and never closed.")
            has_nul = "\0" in pending[0] if len(pending) == 1 else any("\0" in line for line in pending)
            pending.clear()
            if any(cells[len(columns) :]):
                yield place, ValueError(f"it has {len(cells)} cells, and there are {len(columns)} columns")
            elif has_nul:
                yield place, ValueError("it holds the character NUL, which is no text")
            elif len(cells) == len(columns):
                yield place, dict(zip(columns, cells, strict=True))
            elif cells:
                yield place, dict(zip_longest(columns, cells[: len(columns)], fillvalue=""))
    except csv.Error as error:
        raise UserError(f"{where}, line {reader.line_num}: {error}.") from error


def cells_of(
    lines: str | Iterable[str], where: str, needed: Collection[str] = (), delimiter: str = ","
) -> Iterator[tuple[str, Cells]]:
    """The same for a table that must have no bad row."""
    for place, row in cell_rows(lines, where, needed, delimiter):
        if isinstance(row, ValueError):
            raise UserError(f"{where}, {place}: {row}.")
        yield place, row


def cells_in(path: Path, needed: Collection[str] = (), delimiter: str = ",") -> Iterator[Row]:
    """The rows of a file, which is read as they are taken; each with where it stands: the file and the line."""
    with opened(path) as (file, encoding), io.TextIOWrapper(file, encoding, newline="") as text:
        for place, row in cell_rows(text, str(path), needed, delimiter):
            yield f"{path}, {place}", row


def _noting(lines: Iterable[str], pending: list[str]) -> Iterator[str]:
    """The lines, each also among those of the row that is being read."""
    for line in lines:
        pending.append(line)
        yield line


def _is_unclosed(lines: Sequence[str], delimiter: str) -> bool:
    """Whether a quotation mark in these lines goes on to the end of the file."""
    try:
        list(csv.reader(lines, delimiter=delimiter, strict=True))
    except csv.Error as error:
        return "unexpected end of data" in str(error)
    return False


def _delimiter(heading: str, needed: Collection[str], usual: str) -> str:
    """The usual one; another one if the columns are there by that and not by the usual one."""
    for delimiter in usual + DELIMITERS:
        names = {_plain(name) for name in heading.split(delimiter)}
        if needed and {name.casefold() for name in needed} <= names:
            return delimiter
    return usual


def _plain(name: str) -> str:
    return name.strip().strip('"').strip().casefold()


def _columns(heading: Sequence[str], where: str, needed: Collection[str]) -> list[str]:
    """The names of the columns, those that are needed as they are called here; UserError where they can't be used."""
    if not any(name.strip() for name in heading):
        named = f" {', '.join(needed)}" if needed else ""
        raise UserError(f"{where} is empty: its first line must name the columns{named}.")
    called = {_plain(name): name for name in needed}
    columns = [called.get(_plain(name), name.strip()) for name in heading]
    if missing := [name for name in needed if name not in columns]:
        there = ", ".join(filter(None, columns))
        raise UserError(f"{where} lacks the column{'s' * (len(missing) > 1)} {', '.join(missing)}. It has {there}.")
    if twice := [name for name, times in Counter(columns).items() if name and times > 1]:
        raise UserError(f"{where} has the column {twice[0]} more than once: leave one of them.")
    return columns


def delimiter_of(text: str) -> str:
    """What stands between the cells, by the first line: spreadsheets do not agree."""
    return max(DELIMITERS, key=text.partition("\n")[0].count)


def rows_of(raw: bytes, where: str, ending: str, columns: Collection[str] = ()) -> Iterator[Row]:
    """The rows of a .json, .jsonl, .csv or .parquet file's content. `columns`: those that a CSV file must have."""
    if ending == ".parquet":
        return _parquet_rows(raw, where)
    text = text_of(raw, where)
    if ending == ".csv":
        return cell_rows(text, where, columns)
    return _json_rows(text, where) if ending == ".json" else json_lines(text, where)


def json_lines(text: str, where: str) -> Iterator[Row]:
    """The values of a text with one on each line."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            if number == 1 and line.lstrip().startswith("[") and _is_list(text):
                raise UserError(f"{where} holds one list, not a row on each line: name it .json.")
            try:
                yield f"line {number}", _sound(json.loads(line), line)
            except (ValueError, RecursionError) as error:
                said = str(error) if isinstance(error, _NotText) else "it is not valid JSON"
                yield f"line {number}", ValueError(said)


# Halves of characters, which a pair of them makes whole, and NUL.
_ODD = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


class _NotText(ValueError):
    """A text that can't be written to a file, or sent."""


def _sound(value: Any, written: str) -> Any:
    """The value, if all texts in it can be written. Only what is escaped can be otherwise."""
    if not _ODD.search(written):
        return value
    try:
        encoded = json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise _NotText(f"it holds half a character, \\u{ord(error.object[error.start]):04x}") from error
    if b"\\u0000" in encoded:
        raise _NotText("it holds the character NUL, which is no text")
    return value


def kept(rows: Iterable[Row], where: str, parse: Callable[[str, Any], T]) -> Iterator[T]:
    """What `parse` makes of each row and its place, as they come. Those of which it raises a ValueError are left out,
    or refuse the file where that is strict.
    """
    wrong: list[str] = []
    good = 0
    for place, row in rows:
        try:
            if isinstance(row, ValueError):
                raise row
            made = parse(place, row)
        except ValueError as error:
            wrong.append(f"{place.removeprefix(f'{where}, ')}: {error}")
            continue
        good += 1
        yield made
    inputs_now().leave_out(where, wrong, good)


def sound(rows: Iterable[Row], where: str) -> Iterator[tuple[str, Any]]:
    """The rows that could be read, each with its place."""
    return kept(rows, where, lambda place, row: (place, row))


def parsed(rows: Iterable[Row], where: str, parse: Callable[[Any], T]) -> list[T]:
    """What `parse` makes of each row, without its place."""
    return list(kept(rows, where, lambda place, row: parse(row)))


def _is_list(text: str) -> bool:
    try:
        return isinstance(json.loads(text), list)
    except (ValueError, RecursionError):
        return False


def _json_rows(text: str, where: str) -> Iterator[Row]:
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError) as error:
        lines = [line for line in text.split("\n") if line.strip()]
        if len(lines) > 1 and all(line.lstrip().startswith("{") and line.rstrip().endswith("}") for line in lines):
            raise UserError(f"{where} holds a row on each line, not one list: name it .jsonl.") from error
        raise UserError(f"{where} is not valid JSON: {error}.") from error
    if not isinstance(rows, list):
        raise UserError(f"{where} must hold a list of questions.")
    odd = _ODD.search(text)
    to_check = odd[0] if odd else ""
    for number, row in enumerate(rows, start=1):
        try:
            yield f"question {number}", _sound(row, to_check)
        except _NotText as error:
            yield f"question {number}", error


def _parquet_rows(raw: bytes, where: str) -> Iterator[Row]:
    import polars as pl

    try:
        rows = pl.read_parquet(io.BytesIO(raw)).to_dicts()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise UserError(f"{where} is no Parquet file that can be read: {error}.") from error
    for number, row in enumerate(rows, start=1):
        yield f"row {number}", row
