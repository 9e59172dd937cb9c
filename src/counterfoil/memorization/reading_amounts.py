"""Which number a reply states as its answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from counterfoil.memorization.reading_numbers import Stated, number_at, numbers_in
from counterfoil.memorization.reading_stated import (
    EXPLICIT,
    SAID,
    WEAK,
    Decision,
    behind,
    conclusions,
    explicit,
    sentence_end,
)

_LEAD = re.compile(
    r"(?:[\s:=≈~>\"'\[{<|→]|(?:approximately|approx\.?|about|around|roughly|circa|nearly|almost|closest|close|equal|to|the"
    r"|an?|is|be|of|value|amount|loss|gain|profit|increase|decrease|decline|return|rate|price|option"
    r"|choice|[abc]|exactly|rounded|final|result|answer|약|은|는)(?![a-z])[.:),]?)*+"
)
_OPERATOR = re.compile(r" ?(?:[+*/^×÷·]|- ?[\d(]|x \d)")
_EQUALS = re.compile(r"[=≈]|\bequals\b|\bgives\b|\byields\b")
_RANGE = re.compile(r" ?(?:-|to|and|~) ?(?=[\d(.])")
_AGAIN = re.compile(
    r",? ?(?P<word>or|i\.e\.,?|which is|equivalently|that is,?|=|≈|\(|/) ?(?:about |approximately |roughly )?"
)
_BEHIND = re.compile(
    r"[)\]\"']{0,2} (?:years |days |per share )?"
    r"(?:is|as|would be|must be) (?:the |my |our )?(?:final |correct |right )?answer\b"
)
_CLOSEST = re.compile(r"\b(?:is|are|=) (?:therefore |thus |then )?closest to\b")
_LINE = re.compile(r"[\s=≈~:]*+(?:approximately |about |roughly |around )?")
_GOES_ON = re.compile(r"[\d=+*/^×÷?:]")
_UNIT_WORDS = re.compile(r"(?: [a-z]{1,12}){0,2}[ .)\]\"']{0,3}")
_SAME = Decimal("0.01")
_LIMIT = 300


def amounts(lower: str) -> Iterator[Decision[Stated]]:
    """The numbers that plain text, in lower case, states as the answer."""
    for cue in explicit(lower):
        stated = stated_amount(lower, cue.end)
        if stated is not None:
            yield Decision(EXPLICIT, cue.start, stated.end, stated)
        elif _is_open(lower, cue.end):
            yield Decision(EXPLICIT, cue.start, cue.end, None)
    for match in _BEHIND.finditer(lower):
        before = numbers_in(lower, max(0, match.start() - 40), match.start() + 1)
        if before and before[-1].end >= match.start():
            yield Decision(EXPLICIT, before[-1].start, match.end(), before[-1])
    for match in _CLOSEST.finditer(lower):
        stated = stated_amount(lower, match.end())
        if stated is not None:
            yield Decision(SAID, match.start(), stated.end, stated)
    yield from _on_a_line(lower)
    yield from _concluded(lower)


def stated_amount(lower: str, at: int) -> Stated | None:
    """The number that stands here as an answer: right behind, or as the result of a calculation in the sentence.

    None where there is none, where several stand side by side, or where a calculation has no result.
    """
    lead = _LEAD.match(lower, at)
    start = lead.end() if lead else at
    limit = min(len(lower), start + _LIMIT)
    line = lower.find("\n", start, limit)
    first = number_at(lower, start, line if line >= 0 else limit)
    if first is not None and not _OPERATOR.match(lower, first.end):
        return _said_again(lower, first, line if line >= 0 else limit)
    end = sentence_end(lower, at)
    if lower[end : end + 1] == "?":
        return None
    result = None
    for match in _EQUALS.finditer(lower, at, end):
        result = match
    found = numbers_in(lower, at if result is None else result.end(), end)
    if not found:
        return None
    if result is not None:
        one = found[0]
        return None if _OPERATOR.match(lower, one.end) else _said_again(lower, one, end)
    # Between words, the last number of the sentence, unless it belongs to a calculation.
    one = found[-1]
    if first is not None or lower[max(0, one.start - 2) : one.start].strip(" (")[-1:] in ("*", "/", "^", "×", "÷", "+"):
        return None
    return None if _OPERATOR.match(lower, one.end) or _is_range(lower, found) else one


def _said_again(lower: str, first: Stated, end: int) -> Stated | None:
    """ "0.155 or 15.5%", "1.5 million (1,500,000)": the same number again, with the unit if either has one."""
    if _RANGE.match(lower, first.end) and number_at(lower, _RANGE.match(lower, first.end).end(), end) is not None:  # type: ignore[union-attr]
        return None
    again = _AGAIN.match(lower, first.end, end)
    second = None if again is None else number_at(lower, again.end(), end)
    if again is None or second is None:
        return first
    same = abs(abs(first.absolute) - abs(second.absolute)) <= _SAME * abs(second.absolute)
    if same and first.unit is None and second.unit is not None:
        return second if first.value >= 0 or second.value < 0 else second._replace(value=-second.value)
    if again["word"] in ("=", "≈"):
        # What is rounded further than the first number adds nothing to it.
        return first if same and second.decimals < first.decimals and second.unit == first.unit else second
    return None if again["word"] in ("or", "/") and not same else first


def _is_open(lower: str, at: int) -> bool:
    """Whether several numbers stand here, without a decision between them."""
    lead = _LEAD.match(lower, at)
    start = lead.end() if lead else at
    first = number_at(lower, start, start + _LIMIT)
    if first is None or _OPERATOR.match(lower, first.end):
        return False
    return _said_again(lower, first, min(len(lower), start + _LIMIT)) is None


def _is_range(lower: str, found: list[Stated]) -> bool:
    if len(found) < 2:
        return False
    return _RANGE.fullmatch(lower, found[-2].end, found[-1].start) is not None or lower[
        found[-2].end : found[-1].start
    ].strip() in ("-", "to", "and", "or", "~")


def _on_a_line(lower: str) -> Iterator[Decision[Stated]]:
    """A number that is all there is on the first line or on the last, or that the only line ends with."""
    first_end = lower.find("\n")
    whole = first_end < 0
    spans = [(0, len(lower), SAID)] if whole else [(lower.rfind("\n") + 1, len(lower), SAID), (0, first_end, WEAK)]
    for start, end, firmness in spans:
        lead = _LINE.match(lower, start, end)
        stated = number_at(lower, lead.end() if lead else start, end)
        if (
            stated is not None
            and len(lower[stated.end : end].split()) <= 3
            and not _GOES_ON.search(lower, stated.end, end)
        ):
            yield Decision(firmness, start, end, stated)
        elif whole:
            result = (
                list(_EQUALS.finditer(lower))[-1:] or list(re.finditer(r"\b(?:is|was|of|be|get|obtain)\b", lower))[-1:]
            )
            stated = number_at(lower, _LEAD.match(lower, result[0].end()).end(), end) if result else None  # type: ignore[union-attr]
            if stated is not None and _UNIT_WORDS.fullmatch(lower, stated.end):
                yield Decision(WEAK, start, end, stated)


def _concluded(lower: str) -> Iterator[Decision[Stated]]:
    """What the last sentence, if it begins with "therefore", says that something is."""
    for start, end in conclusions(lower):
        if len(lower) - end > 2:
            continue
        links = list(re.finditer(r"\b(?:is|are|equals|be|of|was|to)\b|[=≈:]", lower[start:end]))
        for link in reversed(links):
            at = start + link.end()
            lead = _LEAD.match(lower, at, end)
            stated = number_at(lower, lead.end() if lead else at, end)
            if stated is not None:
                if not _OPERATOR.match(lower, stated.end):
                    yield Decision(WEAK, start, end, stated)
                break
