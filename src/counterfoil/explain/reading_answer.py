"""Whether the answer that a reply gives is the right one."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from counterfoil.explain.forms import gold_lexicon
from counterfoil.explain.forms_names import GOLD
from counterfoil.explain.reading_spans import Span, spans

# From here on a reply speaks of answers that it does not give.
_ASIDE = re.compile(
    r"clarification|(?:incorrect|wrong|alternative|plausible)[\w ,]{0,30}(?:answer|alternative|option)|misconception|"
    r"\b(?:some|one|others?|people|someone|you|many)\b[^.\n]{0,20}"
    r"\b(?:might|may|could|mistak\w+|confus\w+|assum\w+|think|thinks|thought|believ\w+)|"
    r"[^.!?\n]{0,60}(?:오답|착각|혼동|헷갈)",  # in Korean the verb comes last: the aside is the whole sentence
    re.I,
)
# Says in so many words what the answer is.
_ANSWER = re.compile(r"\banswer\b[^.:\n]{0,60}?(?:\bis\b|\bwas\b|:)|정답은|답은", re.I)
_RIGHT_ANSWER = re.compile(
    r"(?<!not the )(?<!not a )\b(?:correct|right|final|actual|the) answer\b"
    r"[^.:\n]{0,60}?(?:\bis\b(?! not)|\bwas\b(?! not)|:)|정답은",
    re.I,
)
_TURN = re.compile(r"\b(?:but|however|actually|in fact|in reality)\b|사실|실제로", re.I)
_CONCLUSION = re.compile(r"\b(?:therefore|thus|hence|so|in conclusion|in summary)\b|따라서|그러므로", re.I)
_IN_PASSING = re.compile(r"(?:also|better|otherwise) (?:known as|called)\s[\w\s]{0,20}$", re.I)
_SENTENCE_END = re.compile(r"[.!?:]\s|\n")
_REJECTING_BEFORE = re.compile(
    r"(?:\b(?:not|never|rather than|instead of|unlike|other than|neither|nor)|"
    r"\b(?:incorrect|wrong|confus|mistak)\w*|n't)\b"
    r"(?!.*\bbut\b)[^.!?,;:\n]{0,40}$",
    re.I,
)
_REJECTING_AFTER = re.compile(
    r"[^.!?,\n]{0,12}?(?:\b(?:is|was|are|were)(?:n't| not| (?:also )?(?:incorrect|wrong))\b|[이가은는] 아[니닌닙])",
    re.I,
)


def answer_is_right(
    reply: str, gold: str, *, aliases: Sequence[str] = (), candidates: Sequence[str] = (), question: str = ""
) -> bool:
    """Whether the answer that the reply gives is `gold` or one of its aliases, in any of their forms.

    The answer is what the reply says first, or says to be the answer; an alternative that it names and rejects is not,
    and where `candidates` are given, one of them in the answer's place makes it wrong.
    """
    known = gold_lexicon(gold, tuple(aliases), tuple(candidates), question)
    found = spans(reply, known, gaps=True)
    if all(span.owner != GOLD for span in found):
        return False
    given = _given_answer(reply, found)
    return given is not None and given.owner == GOLD


def _given_answer(reply: str, found: Sequence[Span]) -> Span | None:
    """What the reply gives as its answer, of all that it names; None where that is something else."""
    aside = _ASIDE.search(reply)
    asserted = [span for span in found if not _is_rejected(reply, span)]
    ahead = [span for span in asserted if aside is None or span.start < aside.start()]
    if not ahead:
        opens_with_it = aside is not None and not _SENTENCE_END.search(reply, 0, aside.start())
        return _after(reply, _RIGHT_ANSWER, asserted) or (_after(reply, _TURN, asserted) if opens_with_it else None)
    said = _after(reply, _ANSWER, ahead)
    if said is not None:
        return said
    first = next((span for span in ahead if not _is_in_passing(reply, span)), ahead[0])
    if _SENTENCE_END.search(reply, 0, first.start):
        return _after(reply, _CONCLUSION, ahead) or first
    return first


def _after(reply: str, cue: re.Pattern[str], asserted: Sequence[Span]) -> Span | None:
    """What stands right after the cue."""
    starts = [span.start for span in asserted]
    for match in cue.finditer(reply):
        at = bisect_left(starts, match.end())
        if at < len(starts) and starts[at] - match.end() < 120:
            return asserted[at]
    return None


def _is_in_passing(reply: str, span: Span) -> bool:
    return _IN_PASSING.search(reply, max(0, span.start - 50), span.start) is not None


def _is_rejected(reply: str, span: Span) -> bool:
    before, after = reply[max(0, span.start - 80) : span.start], reply[span.end : span.end + 50]
    return bool(_REJECTING_BEFORE.search(before) or _REJECTING_AFTER.match(after))
