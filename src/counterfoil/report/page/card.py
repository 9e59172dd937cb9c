"""A record for people: who replied, the reply with what was read from it marked, and the record's values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from counterfoil.figures.numbers import cell, plural
from counterfoil.report.html import Html, facts, highlighted, tag
from counterfoil.running.records import COLUMNS
from counterfoil.suite.suite import AnySuite, Record

LONGEST_VALUE = 600


def card(record: Record, name: Html, *content: Html | None) -> Html:
    """The record under that name, with the content and all that was read and scored."""
    return tag("article", who(record, name), *content, why(record), facts((k, cut(v)) for k, v in values(record)))


def named(record: Record) -> str:
    """The question, and which repeat of it."""
    repeat = f", repeat {record['repeat']}" if record["repeat"] else ""
    return f"{record['question_id']}{repeat}"


def who(record: Record, name: str | None) -> Html:
    """Model and variant, that name, and how the record ended."""
    correct = record.get("correct") if record["outcome"] == "answered" else None
    right = "" if correct is None else "right" if correct else "wrong"
    ended = ", ".join(filter(None, (record["outcome"].replace("_", " "), right)))
    outcome = tag("span", ended, class_=f"outcome {right or record['outcome']}")
    middle = (f" · {record['variant']} · ", *((name, " · ") if name else ()))
    return tag("p", tag("b", str(record["model"])), *middle, outcome, class_="who")


def why(record: Record) -> Html | None:
    """Why the record ended so, where that is known."""
    return tag("p", f"Why: {cut(record['reason'])}") if record.get("reason") else None


def reply_box(
    record: Record, asked: Mapping[str, str], suite: AnySuite, most: int, *, search: str = "", kind: str = "reply"
) -> Html:
    """At most so many characters of the reply, from where they hold what was searched for; the rest is counted."""
    reply = record["reply"]
    if not reply:
        return tag("p", "no reply" if reply is None else "an empty reply", class_="none")
    start = _start(reply, most, search)
    part = reply[start : start + most]
    content = highlighted(part, suite.marks({**record, "reply": part}, asked) or _found(part, search))
    hidden = len(reply) - len(part)
    rest = tag("span", f" … {plural(hidden, 'more character')}", class_="none") if hidden else None
    # The text's own direction stays its own: it can't turn what stands around it.
    return tag("div", content, rest, class_=kind, dir="auto")


def _start(reply: str, most: int, search: str) -> int:
    spans = _found(reply, search) if len(reply) > most else []
    return max(0, spans[0][0] - most // 3) if spans and spans[0][1] > most else 0


def _found(text: str, search: str) -> list[tuple[int, int, str]]:
    matches = re.finditer(re.escape(search), text, re.IGNORECASE) if search else ()
    return [(*match.span(), "found") for match in matches]


def values(record: Record) -> Iterator[tuple[str, str]]:
    """What was read, and the scores: the suite's own columns, where there is something in them."""
    for name, value in record.items():
        parts = value if isinstance(value, list) else [value]
        if name not in (*COLUMNS, "row") and any(part is not None for part in parts):
            yield name, _text(value)


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return cell(value)
    return "–" if value is None else str(value)


def cut(text: str) -> str:
    """As much of a value as a list of records shows."""
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]} …"
