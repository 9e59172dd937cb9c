"""One record with all that belongs to it: the exchange, what was read, the judges' steps, the way to its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from counterfoil.report.html import language_of, tag
from counterfoil.report.page.records import values, who, why
from counterfoil.running.asked import key_of_record
from counterfoil.web.pages import page, served, whole_number
from counterfoil.web.records.exchanges import find_exchanges
from counterfoil.web.records.query import PAGE, parsed, rows_of
from counterfoil.web.records.questions import asked_of
from counterfoil.web.records.shown import found_in, layered, reply_text
from counterfoil.web.records.table import read_rows, rows_of_question, table_of
from counterfoil.web.served import NotHere

# Beyond this a browser takes its time; the rest is in records.parquet.
LONGEST = 200_000


def record_page(request: Request) -> Response:
    """One record; previous and next are those of the list that it was opened from."""
    name = request.path_params["run"]
    run = served(request).run(name)
    table = table_of(run)
    row = whole_number(request.query_params.get("row", ""))
    if row is None or row >= table.light.height:
        raise NotHere(f"{name}, row {row}")
    query = parsed(request.query_params, table)
    rows = rows_of(run, table, query)
    at = rows.index_of(row)
    [record] = read_rows(table, [row])
    asked = asked_of(run, table)
    words = asked.words(key_of_record(asked.suite, record))
    ledgers: Sequence[Path] = request.app.state.ledgers
    keys = [key for key in (record.get("ask_key"), *(record.get("judge_keys") or ())) if key]
    known = find_exchanges(ledgers, keys)
    reply = reply_text(record, words, asked.suite, LONGEST, search=query.text)
    question = asked.question[row]
    family = asked.families[asked.family[question]]
    return page(
        request,
        "runs/record.html",
        name=name,
        row=row,
        place=None if at is None else at + 1,
        total=len(rows),
        before=rows[at - 1] if at else None,
        after=rows[at + 1] if at is not None and at + 1 < len(rows) else None,
        back=query.address(page=1 if at is None else at // PAGE + 1),
        query=query.own,
        is_filtered=query.is_filter,
        question_id=record["question_id"],
        who=who(record, f"repeat {record['repeat'] + 1}" if record["repeat"] else None),
        asked=[(key, layered(text, found_in(text, query.text)), language_of(text)) for key, text in words.items()],
        reply=reply,
        language=language_of(record.get("reply") or ""),
        marks=_marks_of(reply),
        why=why(record),
        values=list(values(record)),
        exchange=known.get(record.get("ask_key") or ""),
        versions=len(family),
        others=int(asked.question.is_in(family).sum()) - 1,
        steps=[(key, known.get(key)) for key in record.get("judge_keys") or ()],
        has_ledger=any(path.exists() for path in ledgers),
    )


def _marks_of(reply: str) -> list[str]:
    """What the marks in the reply mean, of those that are in it."""
    kinds = {"mention": "mentioned", "choice": "the choice that was read", "answer": "the right answer"}
    return [tag("mark", said, class_=kind) for kind, said in kinds.items() if f'<mark class="{kind}' in reply]


def question_page(request: Request) -> Response:
    """To the first record of a question, or of one that was made from it, that has what else the address says of it:
    its model, prompt, order, repeat.
    """
    asked = dict(request.query_params)
    name, wanted = asked.pop("run", ""), asked.pop("id", "")
    rows = rows_of_question(table_of(served(request).run(name)), wanted, **asked)
    if not rows:
        raise NotHere(wanted)
    return RedirectResponse(f"/record/{quote(name)}?row={rows[0]}", 303)
