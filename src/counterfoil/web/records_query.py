"""Which records an address asks for: filters to rows, without reading a text that nobody sees."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from counterfoil.errors import UserError
from counterfoil.running.folder import RECORDS, Run
from counterfoil.running.records import COLUMNS, TEXT_COLUMNS

if TYPE_CHECKING:
    import polars as pl

PAGE = 50
# A column with more values than these is no group to choose from.
MOST_CHOICES = 60
NEVER_GROUPS = ("question_id", "cluster", "repeat")
FIRST_GROUPS = ("model", "variant", "outcome", "correct")
RESERVED = ("text", "score", "low", "high", "page")
EMPTY = "(none)"


class Query(NamedTuple):
    """What is asked for: values of group columns, a score with its range, words that a text holds, a page."""

    groups: tuple[tuple[str, str], ...] = ()
    score: str = ""
    low: float | None = None
    high: float | None = None
    text: str = ""
    page: int = 1


class Columns(NamedTuple):
    """What can be filtered by: group columns with their values, and columns of scores."""

    groups: dict[str, list[str]]
    scores: list[str]


class Found(NamedTuple):
    """One page of records, each with its `row`, and how many there are in all."""

    records: list[dict[str, Any]]
    total: int
    whole: int


class Table(NamedTuple):
    """A records.parquet: all columns but the texts are in memory."""

    path: Path
    stamp: int
    light: pl.DataFrame
    columns: Columns


def table_of(run: Run) -> Table:
    """The run's records; read again when the file has changed."""
    import polars as pl

    path = run.folder / RECORDS
    try:
        table = _table(path, path.stat().st_mtime_ns)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise UserError(f"{RECORDS} of this run can't be read: {str(error).splitlines()[0]}.") from error
    missing = [name for name in COLUMNS if name not in (*table.light.columns, *TEXT_COLUMNS)]
    if missing:
        raise UserError(f"{RECORDS} of this run lacks the column {', '.join(missing)}: make the run again.")
    return table


def parsed(values: Mapping[str, str], columns: Columns) -> Query:
    """The query of an address; what it does not understand is left out."""
    groups = tuple((name, values[name]) for name in columns.groups if values.get(name))
    score = values.get("score", "")
    return Query(
        groups,
        score if score in columns.scores else "",
        _number(values.get("low", "")),
        _number(values.get("high", "")),
        values.get("text", "").strip()[:200],
        max(1, int(_number(values.get("page", "")) or 1)),
    )


def find(table: Table, query: Query) -> Found:
    """The page's records, in the order of the file."""
    rows = _rows(table.path, table.stamp, query._replace(page=1))
    start = (query.page - 1) * PAGE
    return Found(read_rows(table, rows[start : start + PAGE].to_list()), len(rows), table.light.height)


def read_rows(table: Table, rows: Sequence[int]) -> list[dict[str, Any]]:
    """These rows with all their columns. Of the file only the stretch between the first and the last is read."""
    import polars as pl

    if not rows:
        return []
    first, last = min(rows), max(rows)
    stretch = pl.scan_parquet(table.path).slice(first, last - first + 1)
    if last - first >= len(rows):
        stretch = stretch.with_row_index("row").filter(pl.col("row").is_in([row - first for row in rows])).drop("row")
    # In ascending order, as the file has them.
    return [{"row": row, **record} for row, record in zip(sorted(rows), stretch.collect().to_dicts(), strict=True)]


def rows_of_question(table: Table, question_id: str, **of: str) -> list[int]:
    """All rows of one question, of a model or variant if that is named; of one that was only asked in other numbers,
    those.
    """
    import polars as pl

    for name in ("question_id", "parent"):
        if name in table.light.columns:
            rows: list[int] = table.light.filter(pl.col(name) == question_id, **of)["row"].to_list()
            if rows:
                return rows
    return []


@lru_cache(maxsize=4)
def _table(path: Path, stamp: int) -> Table:
    import polars as pl

    frame = pl.scan_parquet(path)
    texts = [name for name in TEXT_COLUMNS if name in frame.collect_schema()]
    light = frame.drop(texts).with_row_index("row").collect()
    return Table(path, stamp, light, _columns(light))


def _columns(light: pl.DataFrame) -> Columns:
    import polars as pl

    groups: dict[str, list[str]] = {}
    kinds = {name: kind for name, kind in light.schema.items() if name not in ("row", *NEVER_GROUPS, *RESERVED)}
    for name in sorted(kinds, key=lambda it: FIRST_GROUPS.index(it) if it in FIRST_GROUPS else len(FIRST_GROUPS)):
        if kinds[name] in (pl.String, pl.Boolean) or kinds[name].is_integer():
            values = _words(light[name]).unique().sort()
            if 1 < len(values) <= MOST_CHOICES:
                groups[name] = values.to_list()
    return Columns(groups, [name for name, kind in kinds.items() if kind.is_float()])


def _words(column: Any) -> Any:
    """A group's values as an address has them."""
    import polars as pl

    return column.cast(pl.String).fill_null(EMPTY)


@lru_cache(maxsize=64)
def _rows(path: Path, stamp: int, query: Query) -> pl.Series:
    """All rows that fit: kept, since who looks at one page looks at the next."""
    import polars as pl

    light = _table(path, stamp).light
    conditions = [_words(pl.col(name)) == value for name, value in query.groups]
    if query.score:
        score = pl.col(query.score)
        conditions += [score >= query.low] if query.low is not None else []
        conditions += [score <= query.high] if query.high is not None else []
        conditions.append(score.is_not_nan() & score.is_not_null())
    rows = light.filter(conditions)["row"] if conditions else light["row"]
    if query.text:
        rows = rows.filter(rows.is_in(_with_text(path, stamp, query.text).implode()))
    return rows


@lru_cache(maxsize=64)
def _with_text(path: Path, stamp: int, text: str) -> pl.Series:
    """The rows whose reply, question or reason holds the text, in whatever case."""
    import polars as pl

    pattern = f"(?i){pl.escape_regex(text)}"
    holds = [pl.col(name).str.contains(pattern).fill_null(False) for name in ("reply", "question_id", "reason")]
    return pl.scan_parquet(path).with_row_index("row").filter(pl.any_horizontal(holds)).select("row").collect()["row"]


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and abs(number) < 1e12 else None
