"""A record as the site shows it: its reply with what was read from it marked, and its values as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from counterfoil.figures.numbers import cell
from counterfoil.report.page.html import Html, highlighted
from counterfoil.running.records import COLUMNS
from counterfoil.suite.suite import AnySuite

EXCERPT = 320
# Beyond this a browser takes its time; the rest is in records.parquet.
LONGEST = 200_000


class Card(NamedTuple):
    """One record. `reply` is None where there was none."""

    row: int
    model: str
    variant: str
    question_id: str
    repeat: int
    outcome: str
    right: str
    reply: Html | None
    cut: int
    reason: str | None
    values: list[tuple[str, str]]


def card(record: Mapping[str, Any], asked: Mapping[str, str], suite: AnySuite, *, most: int, search: str = "") -> Card:
    """The record with at most so many characters of its reply; what was searched for is marked where it is found."""
    reply = record.get("reply")
    content = None
    start = 0
    if reply is not None:
        start = _start(reply, most, search)
        head = reply[start : start + most]
        spans = suite.marks({**record, "reply": head}, asked)
        content = highlighted(head, spans or _found(head, search))
    correct = record.get("correct") if record["outcome"] == "answered" else None
    return Card(
        int(record["row"]),
        str(record["model"]),
        str(record["variant"]),
        str(record["question_id"]),
        int(record["repeat"] or 0),
        str(record["outcome"]),
        "" if correct is None else "right" if correct else "wrong",
        content,
        max(0, len(reply or "") - most),
        record.get("reason"),
        list(_values(record)),
    )


def _start(reply: str, most: int, search: str) -> int:
    """Where an excerpt begins, so that it holds what was searched for."""
    spans = _found(reply, search) if len(reply) > most else []
    return max(0, spans[0][0] - most // 3) if spans and spans[0][1] > most else 0


def _found(text: str, search: str) -> list[tuple[int, int, str]]:
    if not search:
        return []
    return [(*it.span(), "found") for it in re.finditer(re.escape(search), text, re.IGNORECASE)]


def _values(record: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """What was read, and the scores: the suite's own columns, where there is something in them."""
    for name, value in record.items():
        values = value if isinstance(value, list) else [value]
        if name not in COLUMNS and name != "row" and any(it is not None for it in values):
            yield name, value_text(value)


def value_text(value: Any) -> str:
    """A value of a record, for people."""
    if isinstance(value, list):
        return ", ".join(map(value_text, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return cell(value)
    return "–" if value is None else str(value)
