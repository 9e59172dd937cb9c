"""Questions down, models and prompts across: who is right about what, at a glance."""

from __future__ import annotations

from typing import Any, NamedTuple

import polars as pl
from starlette.requests import Request
from starlette.responses import Response

from counterfoil.figures.names import short_names
from counterfoil.report.html import Html, language_of
from counterfoil.web.pages import page
from counterfoil.web.records.listing import fitting, near
from counterfoil.web.records.query import PAGE, Query
from counterfoil.web.records.questions import Asked
from counterfoil.web.records.shown import excerpt, words_of
from counterfoil.web.records.table import Table

# More columns than these are no glance any more.
MOST_COLUMNS = 40
# The order in which those come first on which the columns are least of one mind.
APART = "apart"


class Mark(NamedTuple):
    """How one respondent did on a question: `ended` in a word, the record, how many repeats are like it."""

    row: int
    kind: str
    read: str
    share: str


class Row(NamedTuple):
    """A question; `row` of its first record."""

    row: int
    id: str
    words: Html
    language: str | None
    marks: list[Mark | None]


def matrix_page(request: Request) -> Response:
    """The questions of the records that fit, a page of them."""
    name = request.path_params["run"]
    table, asked, query, rows, trouble = fitting(request)
    order = APART if request.query_params.get("order_by") == APART else ""
    questions = _questions(table, asked, rows, order)
    pages = max(1, -(-len(questions) // PAGE))
    query = query._replace(page=min(query.page, pages))
    shown = questions[(query.page - 1) * PAGE : query.page * PAGE]
    columns = table.light.select("model", "variant").unique(maintain_order=True).rows()
    return page(
        request,
        "runs/matrix.html",
        name=name,
        columns=columns[:MOST_COLUMNS],
        short=short_names(model for model, _ in columns),
        hidden=max(0, len(columns) - MOST_COLUMNS),
        lines=_lines(table, asked, shown, columns[:MOST_COLUMNS], query),
        total=len(questions),
        query=query,
        order=order,
        trouble=trouble,
        choices=table.groups,
        chosen=dict(query.groups),
        names=table.columns,
        pages=pages,
        near=near(query.page, pages),
    )


def _questions(table: Table, asked: Asked, rows: pl.Series, order: str) -> list[int]:
    """The questions of these rows, each once."""
    questions = asked.question.gather(rows)
    if order != APART or "correct" not in table.light.columns:
        return questions.unique(maintain_order=True).to_list()
    right = table.light["correct"].gather(rows).cast(pl.Float64).fill_null(0.0)
    frame = pl.DataFrame({"question": questions, "right": right})
    found = frame.group_by("question", maintain_order=True).agg(pl.col("right").mean())
    return found.sort((pl.col("right") - 0.5).abs(), maintain_order=True)["question"].to_list()


def _lines(table: Table, asked: Asked, questions: list[int], columns: list[tuple[Any, ...]], query: Query) -> list[Row]:
    frame = table.light.with_columns(asked_about=asked.question).filter(pl.col("asked_about").is_in(questions))
    by_place: dict[tuple[int, str, str], list[dict[str, Any]]] = {}
    for record in frame.iter_rows(named=True):
        by_place.setdefault((record["asked_about"], record["model"], record["variant"]), []).append(record)
    first: dict[int, dict[str, Any]] = {}
    for (question, *_), records in by_place.items():
        first.setdefault(question, records[0])
    lines = []
    for question in questions:
        text = words_of(asked.words(asked.keys[question]))
        marks = [_mark(by_place.get((question, *column), []), asked) for column in columns]
        id = " ".join(str(part) for part in asked.keys[question] if part is not None)
        words = excerpt(text, query.text, 120)
        lines.append(Row(first[question]["row"], id, words, language_of(text), marks))
    return lines


def _mark(records: list[dict[str, Any]], asked: Asked) -> Mark | None:
    """The first repeat's, with how many of them are right where there are several."""
    if not records:
        return None
    record = records[0]
    answered = record["outcome"] == "answered"
    correct = record.get("correct") if answered else None
    kind = record["outcome"] if correct is None else "right" if correct else "wrong"
    names = [name for name in asked.suite.read_columns if name != "correct"]
    read = ", ".join(str(record[name]) for name in names if isinstance(record.get(name), str))
    right = sum(bool(each.get("correct")) for each in records)
    return Mark(record["row"], kind, read, f"{right} of {len(records)}" if len(records) > 1 else "")
