"""The pages of records: a list that is filtered by its address, and one record with all that belongs to it.

Filters become rows without reading a text that nobody sees.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import msgspec
import polars as pl
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from counterfoil.asking.ask import Message, Reply
from counterfoil.asking.ledger.file import connect_to_read, explained
from counterfoil.asking.ledger.lookup import Lookup
from counterfoil.asking.ledger.replies import REPLY_COLUMNS, reply_from_row
from counterfoil.errors import UserError
from counterfoil.report.html import Html, tag
from counterfoil.report.page.records import card, named, reply_box, values, who, why
from counterfoil.running.asked import shown_of, suite_to_show
from counterfoil.running.folder import RECORDS, Run
from counterfoil.running.records import COLUMNS, NEWER_COLUMNS, TEXT_COLUMNS
from counterfoil.suite.second_reader import READERS_AGREE
from counterfoil.suite.suite import Record
from counterfoil.web.pages import page, served, whole_number
from counterfoil.web.served import NotHere

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


class Table(NamedTuple):
    """A records.parquet: all columns but the texts are in memory."""

    path: Path
    stamp: int
    light: pl.DataFrame
    columns: Columns


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


def find(table: Table, query: Query) -> tuple[list[Record], int]:
    """The page's records, each with its `row`; and how many fit in all. Those that a second reader reads otherwise come
    first, and all are in the order of the file.
    """
    rows = _rows(table.path, table.stamp, query._replace(page=1))
    start = (query.page - 1) * PAGE
    wanted = rows[start : start + PAGE].to_list()
    return sorted(read_rows(table, wanted), key=lambda record: wanted.index(record["row"])), len(rows)


def read_rows(table: Table, rows: Sequence[int]) -> list[Record]:
    """These rows with all their columns. Of the file only the stretch between the first and the last is read."""
    if not rows:
        return []
    first, last = min(rows), max(rows)
    stretch = pl.scan_parquet(table.path).slice(first, last - first + 1)
    if last - first >= len(rows):
        stretch = stretch.with_row_index("row").filter(pl.col("row").is_in([row - first for row in rows])).drop("row")
    # In ascending order, as the file has them.
    return [{"row": row, **record} for row, record in zip(sorted(rows), stretch.collect().to_dicts(), strict=True)]


def rows_of_question(table: Table, question_id: str, **of: str) -> list[int]:
    """All rows of one question, of a model or variant if that is named. Of one that was only asked in other numbers,
    the rows of those.
    """
    names = [name for name in ("question_id", "parent") if name in table.light.columns]
    found = (table.light.filter(pl.col(name) == question_id, **of)["row"].to_list() for name in names)
    return next(filter(None, found), [])


@lru_cache(maxsize=4)
def _table(path: Path, stamp: int) -> Table:
    frame = pl.scan_parquet(path)
    texts = [name for name in TEXT_COLUMNS if name in frame.collect_schema()]
    light = frame.drop(texts).with_row_index("row").collect()
    return Table(path, stamp, light, _columns(light))


def _columns(light: pl.DataFrame) -> Columns:
    groups: dict[str, list[str]] = {}
    kinds = {name: kind for name, kind in light.schema.items() if name not in ("row", *NEVER_GROUPS, *RESERVED)}
    for name in (
        *(name for name in FIRST_GROUPS if name in kinds),
        *(name for name in kinds if name not in FIRST_GROUPS),
    ):
        if kinds[name] in (pl.String, pl.Boolean) or kinds[name].is_integer():
            values = _words(light[name]).unique().sort()
            if 1 < len(values) <= MOST_CHOICES:
                groups[name] = values.to_list()
    return Columns(groups, [name for name, kind in kinds.items() if kind.is_float()])


def _words(column: Any) -> Any:
    """A group's values as an address has them."""
    return column.cast(pl.String).fill_null(EMPTY)


@lru_cache(maxsize=64)
def _rows(path: Path, stamp: int, query: Query) -> pl.Series:
    """All rows that fit: kept, since who looks at one page looks at the next."""
    light = _table(path, stamp).light
    conditions = [_words(pl.col(name)) == value for name, value in query.groups]
    if query.score:
        score = pl.col(query.score)
        conditions += [score >= query.low] if query.low is not None else []
        conditions += [score <= query.high] if query.high is not None else []
        conditions.append(score.is_not_nan() & score.is_not_null())
    found = light.filter(conditions) if conditions else light
    if READERS_AGREE in found.columns:
        found = found.sort(pl.col(READERS_AGREE).fill_null(True), maintain_order=True)
    rows = found["row"]
    if query.text:
        rows = rows.filter(rows.is_in(_with_text(path, stamp, query.text).implode()))
    return rows


@lru_cache(maxsize=64)
def _with_text(path: Path, stamp: int, text: str) -> pl.Series:
    """The rows whose reply, question or reason holds the text, in whatever case."""
    pattern = f"(?i){pl.escape_regex(text)}"
    holds = [pl.col(name).str.contains(pattern).fill_null(False) for name in ("reply", "question_id", "reason")]
    return pl.scan_parquet(path).with_row_index("row").filter(pl.any_horizontal(holds)).select("row").collect()["row"]


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and abs(number) < 1e12 else None


EXCERPT = 320
# Beyond this a browser takes its time; the rest is in records.parquet.
LONGEST = 200_000
LONGEST_SIBLING = 4_000
# A question with more records than these, by its repeats, orders and models, shows the first.
MOST_SIBLINGS = 60
_KEY = re.compile("[0-9a-f]{64}")


class Exchange(NamedTuple):
    """One ask and its reply, from a ledger; `model` by the name it was asked under."""

    model: str
    messages: tuple[Message, ...]
    params: dict[str, Any]
    reply: Reply


class _Asked(msgspec.Struct):
    messages: tuple[Message, ...] = ()
    params: dict[str, Any] = {}


def records_page(request: Request) -> Response:
    """One page of the records that fit."""
    name = request.path_params["run"]
    run = served(request).run(name)
    table = table_of(run)
    query = parsed(request.query_params, table.columns)
    records, total = find(table, query)
    suite = suite_to_show(run)
    cards = [_card(name, record, reply_box(record, {}, suite, EXCERPT, search=query.text)) for record in records]
    filters = _filters(query)
    pages = max(1, -(-total // PAGE))
    return page(
        request,
        "runs/records.html",
        name=name,
        cards=cards,
        total=total,
        whole=table.light.height,
        query=query,
        columns=table.columns,
        groups=dict(query.groups),
        pages=pages,
        links={number: urlencode([*filters, ("page", number)]) for number in _near(query.page, pages)},
        is_filtered=bool(filters),
    )


def record_page(request: Request) -> Response:
    """One record: the exchange, what was read from it, the same question elsewhere, the judges' steps."""
    name = request.path_params["run"]
    run = served(request).run(name)
    table = table_of(run)
    row = whole_number(request.query_params.get("row", ""))
    if row is None or row >= table.light.height:
        raise NotHere(f"{name}, row {row}")
    [record] = read_rows(table, [row])
    rows = [other for other in rows_of_question(table, record["question_id"]) if other != row][:MOST_SIBLINGS]
    siblings = read_rows(table, rows)
    suite = suite_to_show(run)
    asked = shown_of(run, [record, *siblings])
    ledgers: Sequence[Path] = request.app.state.ledgers
    keys = [key for key in (record.get("ask_key"), *(record.get("judge_keys") or ())) if key]
    known = find_exchanges(ledgers, keys)
    return page(
        request,
        "runs/record.html",
        name=name,
        row=row,
        last=table.light.height - 1,
        question_id=record["question_id"],
        who=who(record, f"repeat {record['repeat']}" if record["repeat"] else None),
        asked=asked[0],
        reply=reply_box(record, asked[0], suite, LONGEST, kind="reply whole"),
        why=why(record),
        values=list(values(record)),
        exchange=known.get(record.get("ask_key") or ""),
        siblings=[
            _card(name, sibling, reply_box(sibling, question, suite, LONGEST_SIBLING))
            for sibling, question in zip(siblings, asked[1:], strict=True)
        ],
        steps=[(key, known.get(key)) for key in record.get("judge_keys") or ()],
        has_ledger=any(path.exists() for path in ledgers),
    )


def question_page(request: Request) -> Response:
    """To the first record of a question, or of one that was made from it, by that model in that variant."""
    asked = request.query_params
    name, wanted = asked.get("run", ""), asked.get("id", "")
    table = table_of(served(request).run(name))
    sides = {name: asked[name] for name in ("model", "variant") if name in asked}
    rows = rows_of_question(table, wanted, **sides)
    if not rows:
        raise NotHere(wanted)
    return RedirectResponse(f"/record/{quote(name)}?row={rows[0]}", 303)


def _card(run: str, record: Record, reply: Html) -> Html:
    """A record in a list; its name leads to its page."""
    link = tag("a", named(record), class_="id", href=f"/record/{quote(run)}?row={record['row']}")
    return card(record, link, reply)


def _near(at: int, pages: int) -> list[int]:
    return sorted({number for number in (1, at - 2, at - 1, at, at + 1, at + 2, pages) if 1 <= number <= pages})


def _filters(query: Query) -> list[tuple[str, object]]:
    """What is asked for, as an address has it."""
    words = {"score": query.score, "text": query.text}
    numbers = {"low": query.low, "high": query.high}
    given = {name: f"{number:g}" for name, number in numbers.items() if number is not None}
    return [*query.groups, *((name, word) for name, word in words.items() if word), *given.items()]


def find_exchanges(ledgers: Sequence[Path], keys: Sequence[str]) -> dict[str, Exchange]:
    """Those of the keys that a ledger holds, each from the first that does."""
    found: dict[str, Exchange] = {}
    for path in ledgers:
        missing = [key for key in keys if key not in found and _KEY.fullmatch(key)]
        if missing:
            found |= _read(path, missing)
    return found


def _read(path: Path, keys: Sequence[str]) -> dict[str, Exchange]:
    connection = connect_to_read(path)
    if connection is None:
        return {}
    found: dict[str, Exchange] = {}
    with explained(path), closing(connection):
        rows = Lookup(connection).rows([bytes.fromhex(key) for key in keys], f"model, ask, {REPLY_COLUMNS}")
        for key, (model, ask, *values) in rows:
            asked = msgspec.json.decode(ask, type=_Asked)
            found[key.hex()] = Exchange(model, asked.messages, asked.params, reply_from_row(values))
    return found
