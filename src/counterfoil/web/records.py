"""The pages of records: a list that is filtered by its address, and one record with all that belongs to it."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from counterfoil.report.html import Html, tag
from counterfoil.report.page.card import card, named, reply_box, values, who, why
from counterfoil.running.asked import shown_of, suite_to_show
from counterfoil.suite.suite import Record
from counterfoil.web.exchange import Exchanges
from counterfoil.web.pages import page, served, whole_number
from counterfoil.web.records_query import PAGE, Query, find, parsed, read_rows, rows_of_question, table_of
from counterfoil.web.served import NotHere

EXCERPT = 320
# Beyond this a browser takes its time; the rest is in records.parquet.
LONGEST = 200_000
LONGEST_SIBLING = 4_000
# A question with more records than these, by its repeats, orders and models, shows the first.
MOST_SIBLINGS = 60


def records_page(request: Request) -> Response:
    """One page of the records that fit."""
    name = request.path_params["run"]
    run = served(request).run(name)
    table = table_of(run)
    query = parsed(request.query_params, table.columns)
    found = find(table, query)
    suite = suite_to_show(run)
    cards = [_card(name, record, reply_box(record, {}, suite, EXCERPT, search=query.text)) for record in found.records]
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
        links={number: _address(query, number) for number in _near(query.page, pages)},
        is_filtered=bool(_pairs(query)),
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
    exchanges: Exchanges = request.app.state.exchanges
    keys = [key for key in (record.get("ask_key"), *(record.get("judge_keys") or ())) if key]
    known = exchanges.find(keys)
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
        has_ledger=exchanges.is_there,
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


def _pairs(query: Query) -> list[tuple[str, str]]:
    numbers = [(name, f"{value:g}") for name in ("low", "high") if (value := getattr(query, name)) is not None]
    words = [(name, value) for name in ("score", "text") if (value := getattr(query, name))]
    return [*query.groups, *words, *numbers]


def _address(query: Query, number: int) -> str:
    return urlencode([*_pairs(query), ("page", str(number))])
