"""Whether the answer that a reply gives is the right one."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from counterfoil.explain.mentions.clauses import (
    SENTENCE_END,
    is_affirmed,
    is_rejected,
    outside_asides,
    sentence_end,
    without_conceded,
)
from counterfoil.explain.mentions.forms import gold_lexicon
from counterfoil.explain.mentions.names import GOLD
from counterfoil.explain.mentions.spans import Span, spans
from counterfoil.explain.mentions.text import own_words
from counterfoil.explain.mentions.vocabulary import FUNCTION_WORDS
from counterfoil.explain.mentions.words import keys_of

# Says in so many words what the answer is.
_ANSWER = re.compile(r"\banswer\b[^.:\n]{0,60}?(?:\bis\b|\bwas\b|:)|정답은|답은", re.I)
_RIGHT_ANSWER = re.compile(
    r"(?<!not the )(?<!not a )\b(?:correct|right|final|actual|the) answer\b"
    r"[^.:\n]{0,60}?(?:\bis\b(?! not)|\bwas\b(?! not)|:)|정답은",
    re.I,
)
_CONCLUSION = re.compile(r"\b(?:therefore|thus|hence|so|in conclusion|in summary)\b|따라서|그러므로", re.I)
_IN_PASSING = re.compile(r"(?:also|better|otherwise) (?:known as|called)\s[\w\s]{0,20}$", re.I)
_BUT = re.compile(r",? (?:but|while|whereas) [\"“'‘]?(?=(?:the|its|his|her|their)\b)|(?<=[가-힣])[고며],? ", re.I)
_SO = re.compile(r", so (?:(?:it is|it's|it was|it must be) )?(?:the )?[\"“'‘*]*", re.I)


def answer_is_right(
    reply: str, gold: str, *, aliases: Sequence[str] = (), candidates: Sequence[str] = (), question: str = ""
) -> bool:
    """Whether the answer that the reply gives is `gold` or one of its aliases, in any of their forms.

    The answer is what the reply says first, or says to be the answer; an alternative that it names and rejects is not,
    and where `candidates` are given, one of them in the answer's place makes it wrong.
    """
    reply = own_words(reply)
    known = gold_lexicon(gold, tuple(aliases), tuple(candidates), question)
    found = spans(reply, known, gaps=True)
    if all(span.owner != GOLD for span in found):
        return False
    given = _given_answer(reply, found, frozenset(known.question_keys) - FUNCTION_WORDS)
    return given is not None and given.owner == GOLD


def _given_answer(reply: str, found: Sequence[Span], asked: frozenset[str]) -> Span | None:
    """What the reply gives as its answer, of all that it names; None where that is something else."""
    asserted = without_conceded(reply, [span for span in found if not is_rejected(reply, span)])
    ahead = outside_asides(reply, asserted)
    if not ahead:
        return _after(reply, _RIGHT_ANSWER, asserted)
    affirmed = next((span for span in ahead if is_affirmed(reply, span)), None)
    said = affirmed or _after(reply, _ANSWER, ahead)
    if said is not None:
        return said
    first = next((span for span in ahead if not _is_in_passing(reply, span)), ahead[0])
    if SENTENCE_END.search(reply, 0, first.start):
        return _after(reply, _CONCLUSION, ahead) or first
    return _after_but(reply, first, ahead, asked) or _after_so(reply, first, ahead) or first


def _after_but(reply: str, first: Span, ahead: Sequence[Span], asked: frozenset[str]) -> Span | None:
    """The Canberra of "Sydney is the largest, but the capital is Canberra", where the capital is asked for."""
    but = _BUT.search(reply, first.end, sentence_end(reply, first.end))
    if but is None:
        return None
    after = next((span for span in ahead if span.start > but.end()), None)
    if after is None or after.start - but.end() > 60:
        return None
    subject = asked & set(keys_of(reply[but.end() : after.start]))
    return after if subject - set(keys_of(reply[: but.start()])) else None


def _after_so(reply: str, first: Span, ahead: Sequence[Span]) -> Span | None:
    """The red of "Infrared can't be seen, so red": what the same sentence concludes."""
    so = _SO.search(reply, first.end, sentence_end(reply, first.end))
    return None if so is None else next((span for span in ahead if span.start == so.end()), None)


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
