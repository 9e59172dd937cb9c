"""What is asked of the records, as an address says it; and the rows that fit, in their order.

Filters become rows without reading a text that nobody sees.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import polars as pl

from counterfoil.errors import UserError
from counterfoil.running.folder import Run
from counterfoil.suite.second_reader import READERS_AGREE
from counterfoil.web.latest import Latest
from counterfoil.web.pages import whole_number
from counterfoil.web.records import language
from counterfoil.web.records.questions import asked_of, texts_of
from counterfoil.web.records.table import RESERVED, Table, words

PAGE = 50
LONGEST_TEXT = 200
# The question's words as a column of filters; the reply's length as one to sort by.
QUESTION, REPLY = "question", "reply"


class Query(NamedTuple):
    """Values of group columns, words that a text holds, a filter, a column to sort by (`-` before it: the largest
    first), a page.
    """

    groups: tuple[tuple[str, str], ...] = ()
    text: str = ""
    where: str = ""
    sort: str = ""
    page: int = 1

    @property
    def is_filter(self) -> bool:
        return bool(self.groups or self.text or self.where)

    def address(
        self, *, page: int = 1, sort: str | None = None, without: str = "", also: Mapping[str, str] | None = None
    ) -> str:
        """The query as an address has it, with these changes, from its first page on unless one is named."""
        groups = also or {}
        kept = [pair for pair in self.groups if pair[0] not in (without, *groups)]
        words = {"text": self.text, "where": self.where, "sort": self.sort if sort is None else sort}
        pairs = [*kept, *groups.items(), *(pair for pair in words.items() if pair[1] and pair[0] != without)]
        return urlencode([*pairs, *([("page", str(page))] if page > 1 else [])])

    @property
    def own(self) -> str:
        """All but the page: what leads from a record back, and to the one after it."""
        return self.address()


def parsed(values: Mapping[str, str], table: Table) -> Query:
    """The query of an address; what it does not understand is left out, but for a filter."""
    groups = tuple((name, values[name]) for name in table.columns if values.get(name) and name not in RESERVED)
    sort = values.get("sort", "")
    return Query(
        groups,
        values.get("text", "").strip()[:LONGEST_TEXT],
        values.get("where", "").strip(),
        sort if sort.removeprefix("-") in (*table.columns, REPLY) else "",
        max(1, whole_number(values.get("page", "")) or 1),
    )


def rows_of(run: Run, table: Table, query: Query) -> pl.Series:
    """All rows that fit, in the order that is asked for; else what a second reader reads otherwise comes first, and all
    are in the order of the file.
    """
    state = table.path, table.stamp, query._replace(page=1)
    return _ROWS.of(state, lambda: _found(run, table, query))


_ROWS: Latest[tuple[Path, int, Query], pl.Series] = Latest(64)


def _found(run: Run, table: Table, query: Query) -> pl.Series:
    light = table.light
    conditions = [words(pl.col(name)) == value for name, value in query.groups]
    found = light.filter(conditions) if conditions else light
    if query.where:
        mask = _mask(run, table, query.where)
        found = found.filter(mask.gather(found["row"]))
    if query.text:
        found = found.filter(_with_text(run, table, query.text).gather(found["row"]))
    if query.sort:
        return _sorted(table, found, query.sort)
    if READERS_AGREE in found.columns:
        found = found.sort(pl.col(READERS_AGREE).fill_null(True), maintain_order=True)
    return found["row"]


def _sorted(table: Table, found: pl.DataFrame, sort: str) -> pl.Series:
    name, descending = sort.removeprefix("-"), sort.startswith("-")
    if name == REPLY:
        by = _text_column(table, REPLY).str.len_chars().gather(found["row"])
    else:
        by = found[name].fill_nan(None) if found[name].dtype.is_float() else found[name]
        if by.dtype.is_nested():
            by = by.list.len()
    keyed = found.select("row", by=by)
    return keyed.sort("by", descending=descending, nulls_last=True, maintain_order=True)["row"]


def _text_column(table: Table, name: str) -> pl.Series:
    return pl.scan_parquet(table.path).select(name).collect()[name]


def _mask(run: Run, table: Table, where: str) -> pl.Series:
    """For every row whether it fits the filter."""
    found = language.parsed(where)
    wanted = language.columns_of(found)
    schema: dict[str, pl.DataType] = {name: table.light.schema[name] for name in table.columns}
    schema |= {name: pl.String() for name in ("reply", "reason", QUESTION) if name not in schema}
    expression = language.expression(found, schema)
    # Only what the filter asks about is read.
    frame = table.light.lazy()
    if not wanted <= {*table.light.columns, QUESTION}:
        frame = pl.scan_parquet(table.path).select(
            name for name in pl.read_parquet_schema(table.path) if name in wanted
        )
    if QUESTION in wanted and QUESTION not in table.light.columns:
        asked = asked_of(run, table)
        frame = frame.with_columns(texts_of(asked, table).gather(asked.question).alias(QUESTION))
    try:
        return frame.select(expression.alias("fits")).collect()["fits"]
    except pl.exceptions.PolarsError as error:
        raise UserError(f"The filter does not suit these columns: {str(error).splitlines()[0]}") from error


@lru_cache(maxsize=64)
def _in_replies(path: str, stamp: int, text: str) -> pl.Series:
    """For every row whether its reply, id or reason holds the text, in whatever case."""
    pattern = f"(?i){pl.escape_regex(text)}"
    holds = [pl.col(name).str.contains(pattern).fill_null(False) for name in ("reply", "question_id", "reason")]
    return pl.scan_parquet(path).select(fits=pl.any_horizontal(holds)).collect()["fits"]


def _with_text(run: Run, table: Table, text: str) -> pl.Series:
    """The same, or the words of its question."""
    asked = asked_of(run, table)
    in_questions = texts_of(asked, table).str.contains(f"(?i){pl.escape_regex(text)}")
    return _in_replies(str(table.path), table.stamp, text) | in_questions.gather(asked.question)
