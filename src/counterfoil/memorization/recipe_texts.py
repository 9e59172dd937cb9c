"""From a public question's text and spans in it to the markup of a template."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from counterfoil.memorization import numbers
from counterfoil.memorization.questions import LETTERS
from counterfoil.memorization.texts import escaped

Span = tuple[int, int]

_TEXT = re.compile(r"Q:(?P<stem>.*),CHOICES: A: (?P<A>.*),B: (?P<B>.*),C: (?P<C>.*)", re.DOTALL)
_CONTINUES_BEFORE = re.compile(r"\d[.,]?$", re.ASCII)
_CONTINUES_BEHIND = re.compile(r"[.,]?\d", re.ASCII)


class Mark(NamedTuple):
    """What stands in a span is replaced by the marker."""

    span: Span
    marker: str


class Layout(NamedTuple):
    """Where a question's text has its stem and its options."""

    stem: Span
    options: tuple[Span, Span, Span]


def layout(text: str) -> Layout:
    """ValueError if the text has not the form that questions have."""
    match = _TEXT.fullmatch(text)
    if match is None:
        raise ValueError("the question has not the form Q:…,CHOICES: A: …,B: …,C: …")
    one, two, three = (match.span(letter) for letter in LETTERS)
    return Layout(match.span("stem"), (one, two, three))


def spans_of(span: Sequence[int | Span]) -> list[Span]:
    """One span or several, as recipes write them: [start, end] or [[start, end], …]."""
    several = [part for part in span if isinstance(part, tuple)]
    numbers_only = [part for part in span if isinstance(part, int)]
    if len(numbers_only) == 2 and not several:
        return [(numbers_only[0], numbers_only[1])]
    if not several or numbers_only:
        raise ValueError(f"the span {list(span)} is neither [start, end] nor a list of those")
    return several


def printed_number(text: str, spans: Sequence[Span], within: Span) -> str:
    """The number that stands in all these spans. ValueError if they do not cover a whole one, or not the same."""
    found = set()
    for start, end in spans:
        if not within[0] <= start < end <= within[1]:
            raise ValueError(f"the span {start} to {end} is not within {within[0]} to {within[1]}")
        if _CONTINUES_BEFORE.search(text[:start][-2:]) or _CONTINUES_BEHIND.match(text[end : end + 2]):
            raise ValueError(f"the span {start} to {end} does not cover the whole number")
        numbers.read(text[start:end])
        found.add(text[start:end])
    if len(found) != 1:
        raise ValueError(f"the spans {list(spans)} hold different numbers")
    return found.pop()


def option_number(text: str, option: Span, span: Span | None) -> Span:
    """Where the one number of an option stands; ValueError if there are more, or it is not where `span` says."""
    start, end = numbers.only(text[slice(*option)])
    found = (option[0] + start, option[0] + end)
    if span is not None:
        printed_number(text, [span], option)
        if numbers.read(text[slice(*span)]).value != numbers.read(text[slice(*found)]).value:
            raise ValueError(f"the span {span[0]} to {span[1]} is not where the option's number stands")
    return found


def around(text: str, option: Span, number: Span, marks: Sequence[Mark]) -> tuple[str, str]:
    """The markup before and behind an option's number: its sign belongs to the number, its currency sign does not."""
    printed = numbers.read(text[slice(*number)])
    currency = number[0] + len(printed.sign)
    before = markup(text, (option[0], number[0]), marks)
    before += markup(text, (currency, currency + len(printed.currency)), marks)
    return before, markup(text, (number[1], option[1]), marks)


def markup(text: str, within: Span, marks: Sequence[Mark]) -> str:
    """A part of the text, with what stands in the marks' spans replaced. ValueError if two of them overlap."""
    pieces, position = [], within[0]
    for (start, end), marker in sorted(
        mark for mark in marks if within[0] <= mark.span[0] and mark.span[1] <= within[1]
    ):
        if start < position:
            raise ValueError(f"the span {start} to {end} ({marker}) overlaps another one")
        pieces += [escaped(text[position:start]), f"{{{marker}}}"]
        position = end
    return "".join([*pieces, escaped(text[position : within[1]])])
