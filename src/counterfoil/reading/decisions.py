"""What a reply decides for: in order, by how firmly it says so. The last of the firmest decisions counts."""

from __future__ import annotations

import operator
import re
from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic, NamedTuple, TypeVar

from counterfoil.reading import cues
from counterfoil.reading.text import sentence_end
from counterfoil.reading.ways import Read, ReadBy

_Said = TypeVar("_Said")

# How firmly a decision is worded.
EXPLICIT, SAID, WEAK, ASSERTED = 4, 3, 2, 1
_MOST, _NEAR, _FAR = 500, 100, 120

# Between two answers that stand side by side.
_FILL = re.compile(r"(?:[\s.,;:!()\[\]{}\"'|/-]|(?:the|my|so|correct|right|best|overall|boxed)(?![a-z]))*+")


class Decision(NamedTuple, Generic[_Said]):
    """What is decided for between `start` and `end`; None where it stays open between several."""

    firmness: int
    start: int
    end: int
    said: _Said | None
    by: str = ReadBy.STATED


def decided(
    lower: str, decisions: list[Decision[_Said]], same: Callable[[_Said, _Said], bool] = operator.eq
) -> Read[_Said] | None:
    """What the last of the firmest decisions is for; behind a correction only what is decided there counts.

    None where it is taken back, or where the reply decides for something else right before it.
    """
    firm = [one for one in decisions if one.firmness > ASSERTED]
    last = max((one.start for one in firm), default=0)
    corrections = deque(cues.CORRECTION.finditer(lower, 0, last), maxlen=1)
    if corrections:
        decisions = [one for one in firm if one.start >= corrections[0].start()]
    later = list(cues.CORRECTION.finditer(lower, last)) if decisions else []
    if later:
        # Behind the last firm decision, what is said at once counts; or else, what was decided is open again.
        near = sentence_end(lower, sentence_end(lower, later[-1].end()) + 1)
        at_once = [one for one in decisions if later[-1].start() <= one.start <= near]
        if at_once:
            decisions, corrections = at_once, deque(later, maxlen=1)
        elif _is_reopened(lower, later):
            return None
    if not decisions:
        return None
    final = max(decisions, key=lambda one: (one.firmness, one.start))
    if final.said is None or is_withdrawn(lower, final.end) or _is_contradicted(lower, final, decisions, same):
        return None
    by = final.by
    if by == ReadBy.STATED and lower.endswith("boxed ", 0, final.start):
        by = ReadBy.BOXED
    elif by == ReadBy.STATED and (corrections or _is_changed(final, firm, same)):
        by = ReadBy.LAST_DECISION
    return Read(final.said, by)


def _is_reopened(lower: str, corrections: list[re.Match[str]]) -> bool:
    """Whether what was decided is looked at again, and not said to stand."""
    reopened = any(cues.REOPENED.match(lower, one.start()) for one in corrections)
    return reopened and not cues.CONFIRMED.search(lower, corrections[-1].end())


def _is_changed(final: Decision[_Said], firm: list[Decision[_Said]], same: Callable[[_Said, _Said], bool]) -> bool:
    """Whether the reply decides for something else before."""
    assert final.said is not None
    return any(one.said is not None and one.end <= final.start and not same(one.said, final.said) for one in firm)


def _is_contradicted(
    lower: str, final: Decision[_Said], decisions: list[Decision[_Said]], same: Callable[[_Said, _Said], bool]
) -> bool:
    """ "ANSWER: A. ANSWER: B": whether the reply states something else right before, in the same way."""
    headed = [one for one in decisions if one.firmness == final.firmness and cues.AHEAD.match(lower, one.start)]
    start = min((one.start for one in headed if one.end == final.end), default=0)
    nearest = max((one for one in headed if one.end <= start), key=lambda one: one.end, default=None)
    if nearest is None or behind(_FILL, lower, nearest.end) < start:
        return False
    return nearest.said is None or final.said is None or not same(nearest.said, final.said)


def is_withdrawn(lower: str, end: int) -> bool:
    """Whether the reply takes back what it has decided: "Wait, that is not right"."""
    if not cues.WITHDRAWING.search(lower, end):
        return False
    at_once = cues.WITHDRAWN_AT_ONCE.match(lower, sentence_end(lower, end))
    return at_once is not None or cues.WITHDRAWN.search(lower, end) is not None


def cues_ahead(lower: str) -> Iterator[re.Match[str]]:
    """Words that point to an answer behind them: "the answer is", "정답은"; of very many, the last.

    Not where they are supposed: "if …, the answer would be".
    """
    return iter(deque(_cues_ahead(lower), maxlen=_MOST))


def _cues_ahead(lower: str) -> Iterator[re.Match[str]]:
    end = 0
    for beginning in cues.AHEAD_BEGINS.finditer(lower):
        start = beginning.start()
        cue = cues.AHEAD.match(lower, start) if start >= end else None
        if cue is None:
            continue
        end = cue.end()
        if cues.HYPOTHESIS.search(lower, clause_start(lower, start), start):
            continue
        if "would" in cue[0]:
            low = max(0, start - _FAR)
            begin = max(low, lower.rfind("\n", low, start), lower.rfind(". ", low, start))
            if cues.SUPPOSED.search(lower, begin, start):
                continue
        yield cue


def conclusions(lower: str) -> Iterator[tuple[int, int]]:
    """The sentences that begin with "therefore" or the like, and are not asked."""
    for match in cues.CONCLUSION.finditer(lower):
        if match.start() and not lower.endswith(cues.CONCLUSION_BEFORE, 0, match.start()):
            continue
        end = sentence_end(lower, match.end())
        if lower[end : end + 1] != "?":
            yield match.end(), end


def clause_start(lower: str, at: int) -> int:
    """Where the clause around `at` begins."""
    low = max(0, at - _NEAR)
    return max(low, lower.rfind("\n", low, at) + 1, lower.rfind(". ", low, at) + 1, lower.rfind(", ", low, at) + 1)


def behind(words: re.Pattern[str], lower: str, at: int, end: int | None = None) -> int:
    """The place behind words that do not matter, if they stand here."""
    match = words.match(lower, at, len(lower) if end is None else end)
    return at if match is None else match.end()


def last(pattern: re.Pattern[str], lower: str, start: int, end: int) -> re.Match[str] | None:
    """The last match within these bounds."""
    return next(iter(deque(pattern.finditer(lower, start, end), maxlen=1)), None)
