"""Where a reply states an answer: the words that point to it, in front of it or behind it."""

from __future__ import annotations

import operator
import re
from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic, NamedTuple, TypeVar

_Said = TypeVar("_Said")

# How firmly an answer is stated. The last of the firmest ones counts, unless a later one corrects it.
EXPLICIT, SAID, WEAK = 3, 2, 1
LONGEST_SENTENCE = 400
_MOST = 500

# Where words that state an answer may begin; found fast, as each begins with a letter of its own.
_TRIGGER = re.compile(
    r"answer|ans|correct|right|best|closest|nearest|final|chosen|selected|my |response|choice|selection"
    r"|정답|답|答案|答え"
)
_NOUN = (
    r"(?:answer|ans(?<![a-z]ans)|(?:correct|right|best|closest|nearest|final|chosen|selected|my) "
    r"(?:choice|option|response|result|solution|letter|value|one|statement))"
)
_MIDDLE = (
    r"(?: (?:choice|option|letter|value|amount|number|key))?"
    r"(?: (?:to|for|of|in|from|among) (?:the|this|your|that|part)(?: [a-z]{1,12}){0,3}?)?"
    r"(?:,? (?:here|then|therefore|thus|hence|now|also|clearly|finally|again|i (?:get|choose|select|have)))?,?"
)
_LINK = r"(?:is|are|was|would be|should be|must be|will be|becomes|comes (?:out )?to|equals|remains)\b:?"
_CUE = re.compile(
    rf"{_NOUN}\b[\"')\]]{{0,2}}{_MIDDLE} ?(?:[:=→]|->|- |(?P<link>{_LINK}))|(?:response|choice|selection) ?:|ans\. "
    r"|(?:정답|답변|답)(?:은|는|이|을|:| :)+|答案(?:是|为|為|选|:)+|答え(?:は|:)+"
)
_BEFORE_CUE = re.compile(r"(?:[\s.,;:!()\[\]{}\"'|/-]|the|my|so|final|correct|right|best|overall)*+")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n")
_CONCLUSION = re.compile(
    r"(?:^|[.:;!?] |\n|, (?=(?:so|thus|hence|therefore) ))"
    r"(?:therefore|thus|hence|so|in conclusion|consequently|accordingly|finally|in summary"
    r"|to summarize|overall|this means|따라서|그러므로|결론적으로)\b,?"
)
_IF = re.compile(r"\b(?:if|had (?:we|i|you|it)|were (?:we|it)|suppose|assuming|unless)\b")
_CORRECTS = re.compile(
    r"\b(?:wait|actually|correction|sorry|apologi[sz]e|oops|hold on|on second thought|mistake"
    r"|let me (?:re|double)|scratch)"
)
_WITHDRAWN = re.compile(
    r"\bthat(?:'s| is| was| can't be| cannot be) (?:not (?:right|correct)|wrong|incorrect)\b"
    r"|\bi (?:have )?made (?:a|an) (?:\w{1,15} )?(?:mistake|error)\b"
)


class Cue(NamedTuple):
    """Where the words that state an answer begin, and where they end: the answer is right behind."""

    start: int
    end: int


class Decision(NamedTuple, Generic[_Said]):
    """An answer that is stated; `said` is None where it stays open between several."""

    firmness: int
    start: int
    end: int
    said: _Said | None


def decided(
    lower: str, decisions: list[Decision[_Said]], same: Callable[[_Said, _Said], bool] = operator.eq
) -> _Said | None:
    """The last of the firmest answers; or a later one that corrects it.

    None where it is taken back, or where another one, not the same, stands right before it without a word in between.
    """
    if not decisions:
        return None
    decisions.sort(key=lambda one: (one.firmness, one.start))
    firmest = decisions[-1]
    correction = _CORRECTS.search(lower, firmest.end)
    if correction is not None:
        later = [one for one in decisions if one.start >= correction.start()]
        if later:
            return max(later, key=lambda one: one.start).said
    if len(decisions) > 1:
        before = decisions[-2]
        adjacent = before.firmness == firmest.firmness and behind(_BEFORE_CUE, lower, before.end) >= firmest.start
        if adjacent and (before.said is None or firmest.said is None or not same(before.said, firmest.said)):
            return None
    return None if _WITHDRAWN.search(lower, firmest.end) else firmest.said


def explicit(lower: str) -> Iterator[Cue]:
    """ "ANSWER:", "the correct answer is", "정답은": but not "if …, the answer would be". Of very many, the last."""
    return iter(deque(_explicit(lower), maxlen=_MOST))


def _explicit(lower: str) -> Iterator[Cue]:
    at = 0
    for trigger in _TRIGGER.finditer(lower):
        match = _CUE.match(lower, trigger.start()) if trigger.start() >= at else None
        if match is None:
            continue
        at = match.end()
        if match["link"] is not None and match["link"].startswith("would be"):
            low = max(0, match.start() - 120)
            begin = max(low, lower.rfind("\n", low, match.start()), lower.rfind(". ", low, match.start()))
            if _IF.search(lower, begin, match.start()):
                continue
        yield Cue(match.start(), match.end())


def conclusions(lower: str) -> Iterator[tuple[int, int]]:
    """The sentences that begin with "therefore" or the like, and are not asked."""
    for match in _CONCLUSION.finditer(lower):
        end = sentence_end(lower, match.end())
        if lower[end : end + 1] != "?":
            yield match.end(), end


def sentence_end(lower: str, at: int) -> int:
    """Where the sentence or the line ends; blank lines at its beginning do not count."""
    while at < len(lower) and lower[at] in " \n":
        at += 1
    end = _SENTENCE_END.search(lower, at, at + LONGEST_SENTENCE)
    return end.start() if end else min(len(lower), at + LONGEST_SENTENCE)


def behind(words: re.Pattern[str], lower: str, at: int, end: int | None = None) -> int:
    """The place behind words that do not matter, if they stand here."""
    match = words.match(lower, at, len(lower) if end is None else end)
    return at if match is None else match.end()


def last(pattern: re.Pattern[str], lower: str, start: int, end: int) -> re.Match[str] | None:
    """The last match within these bounds."""
    return next(iter(deque(pattern.finditer(lower, start, end), maxlen=1)), None)
