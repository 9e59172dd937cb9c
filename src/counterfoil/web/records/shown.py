"""Texts of questions and replies as pages show them: as much as there is room for, with all that is marked in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise

from counterfoil.figures.numbers import plural
from counterfoil.report.html import Html, joined, tag
from counterfoil.suite.suite import AnySuite, Record

Span = tuple[int, int, str]
# In a record's table; what is longer is cut, and its page has all of it.
EXCERPT = 220
FOUND = "found"


def layered(text: str, spans: Iterable[Span]) -> Html:
    """The text with its spans marked by their classes; where spans overlap, the part has the classes of all of them."""
    inside = [(max(0, start), min(end, len(text)), kind) for start, end, kind in spans]
    inside = [(start, end, kind) for start, end, kind in inside if start < end]
    edges = sorted({0, len(text), *(edge for start, end, _ in inside for edge in (start, end))})
    parts = []
    for start, end in pairwise(edges):
        kinds = dict.fromkeys(kind for one, other, kind in inside if one <= start and end <= other)
        part = text[start:end]
        parts.append(tag("mark", part, class_=" ".join(kinds)) if kinds else part)
    return joined(*parts)


def found_in(text: str, search: str) -> list[Span]:
    """Where the text holds what was searched for, in whatever case."""
    return [(*match.span(), FOUND) for match in re.finditer(re.escape(search), text, re.IGNORECASE)] if search else []


def excerpt(text: str, search: str = "", most: int = EXCERPT) -> Html:
    """As much of a text as a list shows, from where it holds what was searched for."""
    start = start_of(text, most, search)
    part = text[start : start + most]
    before, behind = ("… " if start else None), (" …" if start + most < len(text) else None)
    return joined(before, layered(part, found_in(part, search)), behind)


def reply_text(
    record: Record,
    words: Mapping[str, str],
    suite: AnySuite,
    most: int,
    *,
    search: str = "",
    spans: Iterable[Span] = (),
) -> Html:
    """At most so many characters of the reply, with what was read in it, what was searched for, and these spans."""
    reply = record.get("reply")
    if not reply:
        return tag("span", "no reply" if reply is None else "an empty reply", class_="none")
    start = start_of(reply, most, search)
    part = reply[start : start + most]
    moved = [(one - start, other - start, kind) for one, other, kind in spans]
    marks = [*suite.marks({**record, "reply": part}, words), *found_in(part, search), *moved]
    hidden = len(reply) - len(part)
    rest = tag("span", f" … {plural(hidden, 'more character')}", class_="none") if hidden else None
    return joined(layered(part, marks), rest)


def start_of(text: str, most: int, search: str) -> int:
    """Where an excerpt begins, so that what was searched for is in it."""
    spans = found_in(text, search) if len(text) > most else []
    return max(0, spans[0][0] - most // 3) if spans and spans[0][1] > most else 0


def words_of(words: Mapping[str, str]) -> str:
    """What tells a question best in a line: its context before it, where there is one."""
    named = " ".join(words[name] for name in ("context", "question") if words.get(name))
    return named or next(iter(words.values()), "")
