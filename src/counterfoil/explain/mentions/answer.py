"""Whether the answer that a reply gives is the right one.

Some clauses do not give it: what others think, what is granted, what is rejected.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache

from counterfoil.explain.mentions.forms import gold_lexicon, wrong_candidates
from counterfoil.explain.mentions.names import GOLD
from counterfoil.explain.mentions.spans import Span, spans
from counterfoil.explain.mentions.vocabulary import FUNCTION_WORDS
from counterfoil.explain.mentions.words import keys_of
from counterfoil.reading.text import own_words

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

_SENTENCE_END = re.compile(r"[.!?:]\s|\n")
# A full stop after an initial or a title ends nothing.
_FULL_STOP = re.compile(r"(?<!\b[A-Z])(?<!\bSt)(?<!\bDr)(?<!\bMr)(?<!\bMt)[.!?](?=\s|$)|\n")
# From here on a reply speaks of answers that it does not give.
_ASIDE = re.compile(
    r"(?P<heading>clarification|"
    r"(?:incorrect|wrong|alternative|plausible)[\w ,]{0,30}(?:answer|alternative|option))|misconception|"
    r"\b(?:some|one|others?|people|someone|you|many)\b[^.\n]{0,20}"
    r"\b(?:might|may|could|mistak\w+|confus\w+|assum\w+|think|thinks|thought|believ\w+)\b"
    r"(?! (?:already )?(?:have (?:heard|read|seen)|know|recognize|remember|be surprised))|"
    r"\b(?:some|others|people|many|most)\b[^.\n]{0,20}\b(?:say|guess|answer)\b|"
    r"[^.!?\n]{0,60}(?:오답|착각|혼동|헷갈)",  # in Korean the verb comes last: the aside is the whole sentence
    re.I,
)
_CONCESSION = re.compile(
    r"(?:^|(?<=[.!?:;] )|(?<=\n))[-*•\s]{0,8}(?:but |yet |and )?"
    r"(?:while|although|though|even though|even if|whereas|despite|at first|I (?:\w+ )?(?:thought|assumed)|"
    r"it (?:could|may|might) (?:be|have been)|it (?:used to be|was (?:once|long)) (?:thought|believed))\b",
    re.I,
)
_TURN = re.compile(r"\s*(?:but|however|yet|actually|in fact|in reality)\b", re.I)
_KOREAN_CONCESSION = re.compile(r"지만|(?:생각|오해|대답|추측)하(?:는데|나)|알고 있(?:는데|으나)")
_QUESTION = re.compile(r"\?(?=\s)")
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
    r"[\"”'’*]*(?:\s\w{1,20}){0,3}\?[\"”'’*]*\s*(?:no\b(?! (?:doubt|question))|nope|wrong|아니|아닙)|"
    r"[\"”'’*]*(?::|\s[-–—])[*\s]*(?:(?:incorrect|wrong|false|no)\b(?! \w)|틀[렸린립]|오답)|"
    r"[\"”'’*]*\s?\((?:incorrect|wrong|false|no|x|오답|틀림)\)|~~|"
    r"[\"”'’*]*\s?\|[\s*]*(?:(?:no|incorrect|wrong|false)\b|[✗✘❌])|"
    r"[,;.…\s–—-]{1,4}(?:oh,? )?(?:no,? )?(?:wait|scratch that|I mean|correction)\b",
    re.I,
)
_AFFIRMING_BEFORE = re.compile(
    r"\b(?:the (?:right|correct) (?:one|choice|option|name) (?:is|was)|(?:that|which|this) leaves(?: us with)?)"
    r"(?: the| an?)?[\s:*\"“'‘]+$",
    re.I,
)
_AFFIRMING_AFTER = re.compile(
    r"[\"”'’*]*(?:\s(?:is|was) (?:the )?(?:correct|right)(?: (?:one|answer|choice|option))?\**(?=[.,;!)\n]|$)|"
    r"(?::|\s[-–—])[*\s]*(?:correct|right)\b(?! \w)|"
    r"\s?\|[\s*]*(?:(?:yes|correct|right|true)\b|[✓✔✅])|"
    r"\s?\((?:correct|right|o|정답)\)|[이가]? ?(?:맞(?:[습다아음]|는(?!지))|정답[이입]))",
    re.I,
)


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


def answer_instead(
    reply: str, gold: str, *, aliases: Sequence[str] = (), candidates: Sequence[str] = (), question: str = ""
) -> str | None:
    """The candidate that the reply gives as its answer in place of the right one; None where it gives none of them."""
    reply = own_words(reply)
    others = wrong_candidates(gold, tuple(aliases), tuple(candidates))
    known = gold_lexicon(gold, tuple(aliases), tuple(candidates), question)
    given = _given_answer(reply, spans(reply, known, gaps=True), frozenset(known.question_keys) - FUNCTION_WORDS)
    return None if given is None or given.owner == GOLD else others[given.owner]


def _given_answer(reply: str, found: Sequence[Span], asked: frozenset[str]) -> Span | None:
    """What the reply gives as its answer, of all that it names; None where that is something else."""
    asserted = _without_conceded(reply, [span for span in found if not _is_rejected(reply, span)])
    ahead = _outside_asides(reply, asserted)
    if not ahead:
        return _after(reply, _RIGHT_ANSWER, asserted)
    affirmed = next((span for span in ahead if _is_affirmed(reply, span)), None)
    said = affirmed or _after(reply, _ANSWER, ahead)
    if said is not None:
        return said
    own = (span for span in ahead if not _IN_PASSING.search(reply, max(0, span.start - 50), span.start))
    first = next(own, ahead[0])
    if _SENTENCE_END.search(reply, 0, first.start):
        return _after(reply, _CONCLUSION, ahead) or first
    return _after_but(reply, first, ahead, asked) or _after_so(reply, first, ahead) or first


def _after_but(reply: str, first: Span, ahead: Sequence[Span], asked: frozenset[str]) -> Span | None:
    """The Canberra of "Sydney is the largest, but the capital is Canberra", where the capital is asked for."""
    but = _BUT.search(reply, first.end, _sentence_end(reply, first.end))
    if but is None:
        return None
    after = next((span for span in ahead if span.start > but.end()), None)
    if after is None or after.start - but.end() > 60:
        return None
    subject = asked & set(keys_of(reply[but.end() : after.start]))
    return after if subject - set(keys_of(reply[: but.start()])) else None


def _after_so(reply: str, first: Span, ahead: Sequence[Span]) -> Span | None:
    """The red of "Infrared can't be seen, so red": what the same sentence concludes."""
    so = _SO.search(reply, first.end, _sentence_end(reply, first.end))
    return None if so is None else next((span for span in ahead if span.start == so.end()), None)


def _after(reply: str, cue: re.Pattern[str], asserted: Sequence[Span]) -> Span | None:
    """What stands right after the cue."""
    starts = [span.start for span in asserted]
    for match in cue.finditer(reply):
        at = bisect_left(starts, match.end())
        if at < len(starts) and starts[at] - match.end() < 120:
            return asserted[at]
    return None


def _is_rejected(reply: str, span: Span) -> bool:
    before, after = reply[max(0, span.start - 80) : span.start], reply[span.end : span.end + 50]
    return bool(_REJECTING_BEFORE.search(before) or _REJECTING_AFTER.match(after))


def _is_affirmed(reply: str, span: Span) -> bool:
    """Whether the reply says in so many words that this one is right."""
    before, after = reply[max(0, span.start - 50) : span.start], reply[span.end : span.end + 50]
    return bool(_AFFIRMING_BEFORE.search(before) or _AFFIRMING_AFTER.match(after))


def _without_conceded(reply: str, asserted: Sequence[Span]) -> list[Span]:
    """What is asserted, less what a clause only grants, or a question offers, before another name is given."""
    starts = [span.start for span in asserted]
    dropped: set[int] = set()
    for match in _CONCESSION.finditer(reply):
        stop = _sentence_end(reply, match.end())
        clause = _clause_end(reply, match.end(), stop, asserted)
        if _TURN.match(reply, stop):
            stop = _sentence_end(reply, stop)
        if bisect_left(starts, clause) < bisect_left(starts, stop):
            dropped.update(range(bisect_left(starts, match.start()), bisect_left(starts, clause)))
    last = 0
    for match in _KOREAN_CONCESSION.finditer(reply):
        first = max(last, bisect_left(starts, _sentence_start(reply, match.start())))
        last = bisect_left(starts, match.start())
        # "서울이지만" says that it is 서울.
        is_it = last > first and " " not in reply[asserted[last - 1].end : match.start()]
        if last > first and not is_it and last < bisect_right(starts, _sentence_end(reply, match.end())):
            dropped.update(range(first, last))
    for match in _QUESTION.finditer(reply):
        first, last = (bisect_left(starts, at) for at in (_sentence_start(reply, match.start()), match.start()))
        # "Sydney or Canberra?" gives neither; "Canberra?" by itself may be a shy answer.
        if last < len(asserted) and len({span.owner for span in asserted[first:last]}) > 1:
            dropped.update(range(first, last))
    return [span for at, span in enumerate(asserted) if at not in dropped]


def _outside_asides(reply: str, asserted: Sequence[Span]) -> list[Span]:
    """What is asserted ahead of the first aside.

    An aside that opens the reply ends with its clause; one behind an answer goes on to the end.
    """
    starts = [span.start for span in asserted]
    begin = 0
    for match in _ASIDE.finditer(reply):
        if match.start() < begin:
            continue
        ahead = asserted[bisect_left(starts, begin) : bisect_left(starts, match.start())]
        if ahead or _SENTENCE_END.search(reply, begin, match.start()):
            return list(ahead)
        stop = _sentence_end(reply, match.end())
        begin = stop if match["heading"] else _clause_end(reply, match.end(), stop, asserted)
    return list(asserted[bisect_left(starts, begin) :])


def _sentence_end(reply: str, at: int) -> int:
    ends = _sentence_ends(reply)
    after = bisect_right(ends, at)
    return ends[after] if after < len(ends) else len(reply)


def _sentence_start(reply: str, at: int) -> int:
    ends = _sentence_ends(reply)
    before = bisect_right(ends, at)
    return ends[before - 1] if before else 0


@lru_cache(maxsize=2)
def _sentence_ends(reply: str) -> list[int]:
    """Found once for a reply: a long one can ask for them at every word."""
    return [end.end() for end in _FULL_STOP.finditer(reply)]


def _clause_end(reply: str, at: int, stop: int, asserted: Sequence[Span]) -> int:
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
