"""The clauses of a reply that do not give its answer: what others think, what is granted, what is rejected."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from counterfoil.explain.reading_spans import Span

SENTENCE_END = re.compile(r"[.!?:]\s|\n")
# A full stop after an initial or a title ends nothing.
_FULL_STOP = re.compile(r"(?<!\b[A-Z])(?<!\bSt)(?<!\bDr)(?<!\bMr)(?<!\bMt)[.!?](?=\s|$)|\n")
# From here on a reply speaks of answers that it does not give.
_HEADING = (
    r"(?P<heading>clarification|(?:incorrect|wrong|alternative|plausible)[\w ,]{0,30}(?:answer|alternative|option))"
)
_ASIDE = re.compile(
    r"(?P<heading>clarification|"
    r"(?:incorrect|wrong|alternative|plausible)[\w ,]{0,30}(?:answer|alternative|option))|misconception|"
    r"\b(?:some|one|others?|people|someone|you|many)\b[^.\n]{0,20}"
    r"\b(?:might|may|could|mistak\w+|confus\w+|assum\w+|think|thinks|thought|believ\w+|says?|said|guess)\b"
    r"(?! (?:already )?(?:have (?:heard|read|seen)|know|recognize|remember))|"
    r"[^.!?\n]{0,60}(?:오답|착각|혼동|헷갈)",  # in Korean the verb comes last: the aside is the whole sentence
    re.I,
)
_CONCESSION = re.compile(
    r"(?:^|(?<=[.!?:;] )|(?<=\n))(?:[-*•\s]*)(?:but |yet |and )?"
    r"(?:while|although|though|even though|even if|whereas|despite)\b",
    re.I,
)
_KOREAN_CONCESSION = re.compile(r"지만")
# Where what is granted ends and what is said begins. A comma before "and", "or" or "which" goes on with the first.
_CLAUSE_END = re.compile(
    r",(?=\s)(?!\s(?:and|or|which|who|as|because|since|due|given|like|such)\b)|;|\bbut\b|\bhowever\b|지만|는데|으나",
    re.I,
)
_GOES_ON = re.compile(r"[\"”'’*]*(?:,|\s(?:and|or|&)\s|[과와도랑])", re.I)

_REJECTING_BEFORE = re.compile(
    r"(?:\b(?:not|never|rather than|instead of|unlike|other than|neither|nor)|"
    r"\b(?:incorrect|wrong|confus|mistak)\w*|n't)\b"
    r"(?!.*\bbut\b)[^.!?,;:\n]{0,40}$|"
    r"\b(?:ruled out|eliminated|excluded|incorrect|wrong)[.,;]\s*(?:and )?so (?:can|is|are|was) (?:the )?\W{0,3}$",
    re.I,
)
_REJECTING_AFTER = re.compile(
    r"[^.!?,\n]{0,12}?(?:\b(?:is|was|are|were)(?:n't| not| (?:also )?(?:incorrect|wrong|false|ruled out|"
    r"an? (?:common|frequent|popular|typical) (?:mistake|error|misconception|wrong \w+)))\b|"
    r"\b(?:can|could|may|must) (?:also )?be (?:ruled out|excluded|eliminated)\b|"
    r"[이가은는도] (?:아[니닌닙]|틀[렸린립]|오답))|"
    # "who did not" speaks of the one named, "did not" of whether it was that one.
    r"[\"”'’*]*\s(?:(?:did|does|do)(?:n't| not)|never)\b|"
    r"[\"”'’*]*\?[\"”'’*]*\s*(?:no|nope|wrong|아니|아닙)|"
    r"[\"”'’*]*(?::|\s[-–—])[*\s]*(?:incorrect|wrong|false|no\b|틀[렸린립]|오답)|"
    r"[\"”'’*]*\s?\((?:incorrect|wrong|false|no|오답|틀림)\)",
    re.I,
)
_AFFIRMING_BEFORE = re.compile(
    r"\b(?:the (?:right|correct) (?:one|choice|option|name) (?:is|was)|(?:that|which|this) leaves(?: us with)?)"
    r"(?: the| an?)?[\s:*\"“'‘]+$",
    re.I,
)
_AFFIRMING_AFTER = re.compile(
    r"[\"”'’*]*(?:\s(?:is|was) (?:the )?(?:correct|right)(?: (?:one|answer|choice|option))?\**(?=[.,;!)\n]|$)|"
    r"(?::|\s[-–—])[*\s]*(?:correct|right)\b|\s?\((?:correct|right|정답)\)|[이가]? ?(?:맞[습다아는음]|정답[이입]))",
    re.I,
)


def is_rejected(reply: str, span: Span) -> bool:
    before, after = reply[max(0, span.start - 80) : span.start], reply[span.end : span.end + 50]
    return bool(_REJECTING_BEFORE.search(before) or _REJECTING_AFTER.match(after))


def is_affirmed(reply: str, span: Span) -> bool:
    """Whether the reply says in so many words that this one is right."""
    before, after = reply[max(0, span.start - 50) : span.start], reply[span.end : span.end + 50]
    return bool(_AFFIRMING_BEFORE.search(before) or _AFFIRMING_AFTER.match(after))


def without_conceded(reply: str, asserted: Sequence[Span]) -> list[Span]:
    """What is asserted, less what a clause only grants to another name in the same sentence."""
    starts = [span.start for span in asserted]
    dropped: set[int] = set()
    for match in _CONCESSION.finditer(reply):
        stop = sentence_end(reply, match.end())
        clause = clause_end(reply, match.end(), stop, asserted)
        if bisect_left(starts, clause) < bisect_left(starts, stop):
            dropped.update(range(bisect_left(starts, match.start()), bisect_left(starts, clause)))
    begin = 0
    for match in _KOREAN_CONCESSION.finditer(reply):
        begin = max((end.end() for end in _FULL_STOP.finditer(reply, begin, match.start())), default=begin)
        first, last = bisect_left(starts, begin), bisect_left(starts, match.start())
        # "서울이지만" says that it is 서울.
        is_it = last > first and " " not in reply[asserted[last - 1].end : match.start()]
        if last > first and not is_it and last < bisect_right(starts, sentence_end(reply, match.end())):
            dropped.update(range(first, last))
    return [span for at, span in enumerate(asserted) if at not in dropped]


def outside_asides(reply: str, asserted: Sequence[Span]) -> list[Span]:
    """What is asserted ahead of the first aside.

    An aside that opens the reply ends with its clause; one behind an answer goes on to the end.
    """
    starts = [span.start for span in asserted]
    begin = 0
    for match in _ASIDE.finditer(reply):
        if match.start() < begin:
            continue
        ahead = asserted[bisect_left(starts, begin) : bisect_left(starts, match.start())]
        if ahead or SENTENCE_END.search(reply, begin, match.start()):
            return list(ahead)
        stop = sentence_end(reply, match.end())
        begin = stop if match["heading"] else clause_end(reply, match.end(), stop, asserted)
    return list(asserted[bisect_left(starts, begin) :])


def sentence_end(reply: str, at: int) -> int:
    end = _FULL_STOP.search(reply, at)
    return end.end() if end is not None else len(reply)


def clause_end(reply: str, at: int, stop: int, asserted: Sequence[Span]) -> int:
    """Where the clause ends that goes on at `at`; the commas in a list of names do not end it."""
    for match in _CLAUSE_END.finditer(reply, at, stop):
        if match[0] != "," or not _is_in_list(reply, match.start(), asserted):
            return match.end()
    return stop


def _is_in_list(reply: str, comma: int, asserted: Sequence[Span]) -> bool:
    at = bisect_left(asserted, comma, key=lambda span: span.start)
    if at == 0 or at == len(asserted):
        return False
    left, right = asserted[at - 1], asserted[at]
    near = comma - left.end <= 2 and right.start - comma <= 4
    return near and _GOES_ON.match(reply, right.end) is not None
