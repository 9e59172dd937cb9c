"""The records of a run as a table: filtered by its address, sorted, with a way to each record and each filter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import polars as pl
from starlette.requests import Request
from starlette.responses import Response

from counterfoil.errors import UserError
from counterfoil.figures.numbers import cell
from counterfoil.report.html import Html, language_of
from counterfoil.running.asked import key_of_record
from counterfoil.running.records import COLUMNS
from counterfoil.suite.second_reader import SECOND_READING
from counterfoil.suite.suite import AnySuite, Record
from counterfoil.web.pages import page, served
from counterfoil.web.records.query import PAGE, REPLY, Query, parsed, rows_of
from counterfoil.web.records.questions import Asked, asked_of
from counterfoil.web.records.shown import EXCERPT, excerpt, reply_text, words_of
from counterfoil.web.records.table import EMPTY, Table, read_rows, table_of

# Columns of scores that the table has room for.
MOST_SCORES = 3


class Cell(NamedTuple):
    """What stands in a cell; `filter`: the query that takes the records with this value alone."""

    content: Html | str
    filter: str | None = None
    kind: str = ""
    language: str | None = None


class Line(NamedTuple):
    """A record in the table; `place` among those that fit, `address` of its page."""

    row: int
    place: int
    id: str
    question: Cell
    reply: Cell
    cells: list[Cell]
    outcome: Cell


def records_page(request: Request) -> Response:
    """One page of the records that fit. A filter that can't be read is said, and takes nothing away."""
    name = request.path_params["run"]
    table, asked, query, rows, trouble = fitting(request)
    pages = max(1, -(-len(rows) // PAGE))
    query = query._replace(page=min(query.page, pages))
    start = (query.page - 1) * PAGE
    records = read_rows(table, rows.slice(start, PAGE).to_list())
    columns = shown_columns(asked.suite, table)
    return page(
        request,
        "runs/records.html",
        name=name,
        lines=[_line(record, start + i, asked, query, table, columns) for i, record in enumerate(records)],
        heads=list(_heads(query, columns)),
        total=len(rows),
        whole=table.light.height,
        query=query,
        trouble=trouble,
        choices=table.groups,
        chosen=dict(query.groups),
        sortable=[*table.columns, REPLY],
        columns=table.columns,
        pages=pages,
        near=near(query.page, pages),
    )


class Fitting(NamedTuple):
    """The records that fit the query of an address; `trouble`: why its filter can't be read, and is left out."""

    table: Table
    asked: Asked
    query: Query
    rows: pl.Series
    trouble: str


def fitting(request: Request) -> Fitting:
    """The records of the run in the address that fit."""
    run = served(request).run(request.path_params["run"])
    table = table_of(run)
    query, trouble = parsed(request.query_params, table), ""
    try:
        rows = rows_of(run, table, query)
    except UserError as error:
        trouble = str(error)
        rows = rows_of(run, table, query._replace(where=""))
    return Fitting(table, asked_of(run, table), query, rows, trouble)


def shown_columns(suite: AnySuite, table: Table) -> list[str]:
    """Beside question, reply and outcome: whose it is, what was read, and the first scores."""
    kinds = table.light.schema
    own = [name for name in suite.columns if name in kinds] or [name for name in kinds if name not in (*COLUMNS, "row")]
    read = [name for name in suite.read_columns if name in kinds and name != "correct"]
    scores = [name for name in own if kinds[name].is_float()][:MOST_SCORES]
    told = [name for name in ("category", "level", "control", "order") if name in own and name in table.groups]
    second = [SECOND_READING] if SECOND_READING in kinds else []
    return ["model", "variant", *told, *read, *second, *scores]


def _heads(query: Query, columns: Sequence[str]) -> Iterator[tuple[str, str, str, str]]:
    """Of each column its name, how it is called, the address that sorts by it, and how it is sorted now."""
    names = {"question_id": "question", "variant": "prompt", "outcome": "outcome"}
    for name in ("question_id", *columns, REPLY, "outcome"):
        now = {name: "ascending", f"-{name}": "descending"}.get(query.sort, "none")
        sort = f"-{name}" if now == "ascending" else "" if now == "descending" else name
        yield name, names.get(name, name.replace("_", " ")), query.address(sort=sort), now


def _line(record: Record, place: int, asked: Asked, query: Query, table: Table, columns: Sequence[str]) -> Line:
    words = asked.words(key_of_record(asked.suite, record))
    text, reply = words_of(words), record.get("reply") or ""
    repeat = f", repeat {record['repeat'] + 1}" if record["repeat"] else ""
    return Line(
        record["row"],
        place,
        f"{record['question_id']}{repeat}",
        Cell(excerpt(text, query.text), language=language_of(text)),
        Cell(reply_text(record, words, asked.suite, EXCERPT, search=query.text), language=language_of(reply)),
        [_cell(name, record.get(name), query, table) for name in columns],
        _outcome(record, query, table),
    )


def _cell(name: str, value: Any, query: Query, table: Table) -> Cell:
    if isinstance(value, list):
        return Cell(", ".join(map(str, value)) or "none")
    if isinstance(value, float):
        return Cell(cell(value), kind="number")
    text = {None: "–", True: "true", False: "false"}[value] if value is None or isinstance(value, bool) else str(value)
    return Cell(text, _filter(name, value, query, table))


def _filter(name: str, value: Any, query: Query, table: Table) -> str | None:
    """The address of the records with this value, where there are others, too."""
    if name not in table.groups or name in dict(query.groups):
        return None
    word = EMPTY if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return query.address(also={name: word})


def _outcome(record: Record, query: Query, table: Table) -> Cell:
    correct = record.get("correct") if record["outcome"] == "answered" else None
    if correct is None:
        outcome = record["outcome"]
        return Cell(outcome.replace("_", " "), _filter("outcome", outcome, query, table), f"outcome {outcome}")
    kind = "right" if correct else "wrong"
    return Cell(kind, _filter("correct", correct, query, table), f"outcome {kind}")


def near(at: int, pages: int) -> list[int]:
    """The numbers of pages to go to from this one."""
    return sorted({number for number in (1, at - 2, at - 1, at, at + 1, at + 2, pages) if 1 <= number <= pages})
