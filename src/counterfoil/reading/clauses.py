"""A reply clause by clause, and what each clause does: states, rejects, weighs, supposes, quotes, asks or corrects.

For plain text in lower case, as `text.clean` gives it. Places are places in that text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from counterfoil.reading import words


class Does:
    """What a clause does with what it names."""

    STATES = "states"
    # "It is not A", "A is wrong".
    REJECTS = "rejects"
    # "It might be A", "let's consider A".
    WEIGHS = "weighs"
    # "If it were A".
    SUPPOSES = "supposes"
    # "Many people think of A", "often thought to be A".
    QUOTES = "quotes"
    # "Is it A?"
    ASKS = "asks"
    # "Wait, I meant A": what was said before no longer counts.
    CORRECTS = "corrects"


class Clause(NamedTuple):
    start: int
    end: int
    # A word of `Does`.
    does: str
    # The place of its sentence among the sentences of the text.
    sentence: int


# The end of a sentence: a mark with a blank, a bracket, or a letter of a script without blanks behind it; a line's end.
# Not the full stop of "e.g. ", of "A. The nurse" and "1. First", of "St. Louis".
_ABBREVIATED = "".join(
    rf"(?<!\b{word}\.)" for word in (r"e\.g", r"i\.e", "vs", "approx", "mr", "mrs", "ms", "dr", "st", "no")
)
_LABEL = r"(?<!^\w\.)(?<!^\(\w\.)(?<!\n\w\.)(?<!\n\(\w\.)"
_SENTENCE_END = re.compile(
    rf"(?:\.{_ABBREVIATED}{_LABEL}|[!?…])[\"')\]*]*(?:\s+|$|(?=[\u3040-\u30ff\u4e00-\u9fff가-힣]))|\n+"
)
_SIGNS = (
    (Does.CORRECTS, words.CORRECTS),
    (Does.SUPPOSES, words.SUPPOSES),
    (Does.QUOTES, words.QUOTES),
    (Does.REJECTS, words.REJECTS),
    (Does.WEIGHS, words.WEIGHS),
)
# Chinese and Japanese have no blanks: a comma may end a clause.
_SCRIPTLESS = r"[\u3040-\u30ff\u4e00-\u9fff]"
# A correction stands at the head of its clause.
_HEAD = 24


@lru_cache(maxsize=8)
def sentences(lower: str) -> tuple[tuple[int, int], ...]:
    """Where the sentences of a text begin and end; a line is at least one. Several rules ask for those of one text."""
    out = []
    start = 0
    for end in _SENTENCE_END.finditer(lower):
        if lower[start : end.end()].strip():
            out.append((start, end.end()))
        start = end.end()
    if lower[start:].strip():
        out.append((start, len(lower)))
    return tuple(out)


def clauses(lower: str, languages: tuple[str, ...] | None = None) -> list[Clause]:
    """The clauses of a text, in order, each with what it does; in these languages, or those that it seems to be in."""
    joints, concedes, signs = _patterns(languages or words.languages_in(lower))
    out = []
    for number, (start, end) in enumerate(sentences(lower)):
        asked = "?" in lower[max(start, end - 4) : end]
        begin, announced = start, ""
        stops = [joint.end() for joint in joints.finditer(lower, start + 1, end) if joint.end() < end]
        comma = lower.find(", ", start, end) + 2
        if comma > 1 and concedes.match(lower, start) and comma not in stops:
            stops = sorted([*stops, comma])
        for stop in [*stops, end]:
            does = announced or _does(lower, begin, stop, asked, signs)
            out.append(Clause(begin, stop, does, number))
            # What others say, behind a colon.
            announced = does if does == Does.QUOTES and lower[stop - 2 : stop - 1] == ":" else ""
            begin = stop
    return out


def clause_at(found: Sequence[Clause], at: int) -> Clause | None:
    """The clause that holds this place."""
    i = bisect_right(found, at, key=lambda clause: clause.start) - 1
    return found[i] if 0 <= i < len(found) and at < found[i].end else None


@lru_cache(maxsize=64)
def _patterns(
    languages: tuple[str, ...],
) -> tuple[re.Pattern[str], re.Pattern[str], tuple[tuple[str, re.Pattern[str]], ...]]:
    """Between two clauses; at the head of one that concedes; the words by which one does something else than state."""
    joints = re.compile(
        rf"[;:] |,? - |,? (?={words.either(words.CONTRAST, languages)})|, ?(?={_SCRIPTLESS})|"
        rf"(?:{words.either(words.GRANTED, languages)})[,\s]+|, (?:so|therefore|thus|which means) "
    )
    concedes = re.compile(words.either(words.CONCEDES, languages))
    return joints, concedes, tuple((does, re.compile(words.either(table, languages))) for does, table in _SIGNS)


def _does(lower: str, start: int, end: int, asked: bool, signs: Iterable[tuple[str, re.Pattern[str]]]) -> str:
    if asked:
        return Does.ASKS
    for does, sign in signs:
        if sign.search(lower, start, min(end, start + _HEAD) if does == Does.CORRECTS else end):
            return does
    return Does.STATES
