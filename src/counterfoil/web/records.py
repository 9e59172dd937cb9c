"""The pages of records: a list that is filtered by its address, and one record with all that belongs to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from counterfoil.asking.ask import Message, Reply
from counterfoil.asking.ledger import REPLY_COLUMNS, Lookup, reply_from_row
from counterfoil.asking.ledger_file import connect_to_read, explained
from counterfoil.report.html import Html, tag
from counterfoil.report.page.card import card, named, reply_box, values, who, why
from counterfoil.running.asked import shown_of, suite_to_show
from counterfoil.suite.suite import Record
from counterfoil.web.pages import page, served, whole_number
from counterfoil.web.records_query import PAGE, Query, find, parsed, read_rows, rows_of_question, table_of
from counterfoil.web.served import NotHere

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
    found = find(table, query)
    suite = suite_to_show(run)
    cards = [_card(name, record, reply_box(record, {}, suite, EXCERPT, search=query.text)) for record in found.records]
    filters = _filters(query)
    pages = max(1, -(-found.total // PAGE))
    return page(
        request,
        "runs/records.html",
        name=name,
        cards=cards,
        found=found,
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
