"""records.parquet in memory, but for its texts; and what can be told of it by its columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from counterfoil.errors import UserError
from counterfoil.running.folder import RECORDS, Run
from counterfoil.running.records import COLUMNS, NEWER_COLUMNS, TEXT_COLUMNS
from counterfoil.suite.suite import Record

# A column with more values than these is no group to choose from.
MOST_CHOICES = 60
NEVER_GROUPS = ("question_id", "cluster", "repeat")
FIRST_GROUPS = ("model", "variant", "outcome", "correct")
# Words of an address that are no columns.
RESERVED = ("text", "where", "sort", "page", "row", "format", "csrf", "token", "order_by")
EMPTY = "(none)"


class Table(NamedTuple):
    """A records.parquet: all columns but the texts are in memory. `groups`: columns with few values, and these."""

    path: Path
    stamp: int
    light: pl.DataFrame
    groups: dict[str, list[str]]

    @property
    def columns(self) -> list[str]:
        return [name for name in self.light.columns if name != "row"]


def table_of(run: Run) -> Table:
    """The run's records; read again when the file has changed."""
    path = run.folder / RECORDS
    try:
        table = _table(path, path.stat().st_mtime_ns)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise UserError(f"{RECORDS} of this run can't be read: {str(error).splitlines()[0]}.") from error
    missing = [name for name in COLUMNS if name not in (*table.light.columns, *TEXT_COLUMNS, *NEWER_COLUMNS)]
    if missing:
        raise UserError(f"{RECORDS} of this run lacks the column {', '.join(missing)}: make the run again.")
    return table


@lru_cache(maxsize=4)
def _table(path: Path, stamp: int) -> Table:
    frame = pl.scan_parquet(path)
    texts = [name for name in TEXT_COLUMNS if name in frame.collect_schema()]
    light = frame.drop(texts).with_row_index("row").collect()
    return Table(path, stamp, light, _groups(light))


def _groups(light: pl.DataFrame) -> dict[str, list[str]]:
    kinds = {name: kind for name, kind in light.schema.items() if name not in ("row", *NEVER_GROUPS, *RESERVED)}
    first = [name for name in FIRST_GROUPS if name in kinds]
    groups = {}
    for name in (*first, *(name for name in kinds if name not in first)):
        if kinds[name] in (pl.String, pl.Boolean) or kinds[name].is_integer():
            values = words(light[name]).unique().sort()
            if 1 < len(values) <= MOST_CHOICES:
                groups[name] = values.to_list()
    return groups


def words(column: Any) -> Any:
    """A group's values as an address has them."""
    return column.cast(pl.String).fill_null(EMPTY)


def read_rows(table: Table, rows: Sequence[int]) -> list[Record]:
    """These rows with all their columns, in the order in which they are named. Of the file only the stretch between
    the first and the last is read.
    """
    if not rows:
        return []
    first, last = min(rows), max(rows)
    stretch = pl.scan_parquet(table.path).slice(first, last - first + 1)
    if last - first >= len(rows):
        stretch = stretch.with_row_index("row").filter(pl.col("row").is_in([row - first for row in rows])).drop("row")
    there = dict(zip(sorted(rows), stretch.collect().to_dicts(), strict=True))
    return [{"row": row, **there[row]} for row in rows]


def rows_of_question(table: Table, question_id: str, **of: Any) -> list[int]:
    """All rows of one question; of those the ones with these values, such as a model. Of a question that was only
    asked in other numbers, the rows of those.
    """
    names = [name for name in ("question_id", "parent") if name in table.light.columns]
    there = {name: value for name, value in of.items() if name in table.light.columns}
    conditions = [words(pl.col(name)) == value for name, value in there.items()]
    found = (table.light.filter(pl.col(name) == question_id, *conditions)["row"].to_list() for name in names)
    return next(filter(None, found), [])
