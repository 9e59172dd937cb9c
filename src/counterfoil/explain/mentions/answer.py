"""Which of the names in a reply is its answer.

A reply names alternatives, too: what others think, what was so once, what is larger, what is rejected. The answer is
what the reply says to be the answer, or what stands in the clause that speaks of what the question asks for.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from counterfoil.explain.mentions import cues
from counterfoil.explain.mentions.asked import asked, stem
from counterfoil.explain.mentions.forms import gold_lexicon, wrong_candidates
from counterfoil.explain.mentions.names import GOLD
from counterfoil.explain.mentions.own import OwnSaying
from counterfoil.explain.mentions.saying import ENDING
from counterfoil.explain.mentions.spans import Span, reply_of, spans
from counterfoil.explain.mentions.vocabulary import folded
from counterfoil.explain.mentions.words import is_hangul, tokens_of
from counterfoil.reading.text import own_words
from counterfoil.reading.ways import ReadBy

# Of a reply with very many names, its beginning and its end are looked at.
_MOST, _FIRST, _LAST, _NEAR, _SOON, _FEW = 200, 10, 4, 40, 250, 8
# A clause that says at least so much of what is asked is sure to answer, says the answer; what a conclusion adds.
_CERTAIN, _SAID, _DECIDED, _CONCLUDED = 1.29, 0.5, 0.6, 0.5
# What it adds to stand where a clause has its answer: "X is …", "… is X".
_SUBJECT, _COMPLEMENT = 0.3, 0.4
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_BEFORE = re.compile(
    r"([^\W\d_]+|[:=])[\s\"“'‘*_]*(?:(?:the|an?|its|his|actually|really|now|jupiter's)\s[\s\"“'‘*_]*)*$", re.I
)
_OTHER_ONE = re.compile(r"([\w-]+)\s(?:of|in|for)\s(?:the\s)?([A-Z][\w'’]+(?:\s[A-Z]\w+)*)")
_GENERAL = frozenset(("moon", "city", "capital", "one", "part"))
_KOREAN_OTHER_ONE = re.compile(r"([가-힣]{2,}의) ([가-힣]+)")
_RANKED = re.compile(
    r"\b(?:second|third|fourth|fifth|next)[- ](?:\w+est\b|"
    r"most\b|to\b|place\b)|\brunner-?up\b|두 번째|둘째|(?<!\d)[2-9]대|[2-9]위",
    re.I,
)
_FIRST_ONE = re.compile(r"\bwas (?:the |its |their )?(?:very )?(?:first|original)\b", re.I)
_BRACKETS = re.compile(r"\([^()\n]*\)")
_KOREAN_OBLIQUE = re.compile(r"보다|처럼|[과와] 달리|에 이어|[이]?라기보다")
# "That one is Stoker's" speaks of something else than what is asked.
_OTHER_THAN_ASKED = re.compile(r"\b(?:that one|the other(?: one)?)(?:'s|’s| is| was)\s", re.I)
_STANDS_FOR = re.compile(
    r"\b(?:stands?|stood|short|shorthand|symbol) for (?:the \w+ )?[\"“'‘*]*$|"
    r"\b(?:denotes|represents|signifies|refers to|goes to|went to|belongs to) (?:the (?:\w+ )?)?[\"“'‘*]*$",
    re.I,
)
_CLEFT = re.compile(r"\bit(?:'s|’s| is| was| must be| has to be) (?:the |actually |really )?[\"“'‘*]*$", re.I)
_WHO = re.compile(r"[\"”'’*]* (?:who|that|which)\b", re.I)
_RANGE = re.compile(r"\d\s?(?:to|and|through|or|[-–—~])\s?$", re.I)
_RANGE_ON = re.compile(r"\s?(?:to|through|[-–—~])\s?\d", re.I)
_COPULAS = folded(
    "born name picked chose chosen selected named crowned elected is was are were be been by in called to became "
    "become remains on at being"
) | {":", "=", "s"}
_OBLIQUE = folded("than between like unlike near against after before over from with beyond behind beside including")


class Answer(NamedTuple):
    """What a reply gives as its answer, as an owner (GOLD or a candidate's place), and how that was read.

    No owner: it gives none of them, or several.
    """

    owner: int | None
    read_by: str | None


def answer_is_right(
    reply: str, gold: str, *, aliases: Sequence[str] = (), candidates: Sequence[str] = (), question: str = ""
) -> bool:
    """Whether the answer that the reply gives is `gold` or one of its aliases, in any of their forms.

    The answer is what the reply says to be the answer, or says where it speaks of what is asked; an alternative that
    it names and rejects is not, and where `candidates` are given, one of them in the answer's place makes it wrong.
    """
    return given_answer(reply, gold, aliases=aliases, candidates=candidates, question=question).owner == GOLD


def answer_instead(
    reply: str, gold: str, *, aliases: Sequence[str] = (), candidates: Sequence[str] = (), question: str = ""
) -> str | None:
    """The candidate that the reply gives as its answer in place of the right one; None where it gives none of them."""
    owner = given_answer(reply, gold, aliases=aliases, candidates=candidates, question=question).owner
    if owner is None or owner == GOLD:
        return None
    return wrong_candidates(gold, tuple(aliases), tuple(candidates))[owner]


def given_answer(
    reply: str, gold: str, *, aliases: Sequence[str] = (), candidates: Sequence[str] = (), question: str = ""
) -> Answer:
    """What the reply gives as its answer, of all that it names."""
    reply = own_words(reply)
    known = gold_lexicon(gold, tuple(aliases), tuple(candidates), question)
    found = spans(reply, known, gaps=True)
    if len(found) > 2 * _MOST:
        found = found[:_MOST] + found[-_MOST:]
    return _Reading(reply_of(reply), found, asked(question)).answer() if found else Answer(None, None)


class _Reading(OwnSaying):
    """Decides which name is the answer."""

    @cached_property
    def _affirms(self) -> bool:
        if not cues.AFFIRMING_KEYS.isdisjoint(self.words.keys):
            return True
        return not self.text.isascii() and cues.AFFIRMING.search(self.text) is not None

    def answer(self) -> Answer:
        begin = self._behind_correction()
        explicit = self._explicit(begin)
        if explicit is not None:
            boxed = "boxed" in self.text[max(0, self.starts[explicit] - 20) : self.starts[explicit]]
            return self._unless_two(explicit, ReadBy.BOXED if boxed else ReadBy.FINAL_LINE)
        if self._is_something_else(begin):
            return Answer(None, None)
        best, given = 0.0, None
        for number, at in enumerate(self._looked_at(begin)):
            score = self._score(at, number == 0)
            if given is None or score > best:
                best, given = score, at
            if best >= _CERTAIN and not self._affirms:
                break
        if given is None:
            given = self._explicit(begin, asides=True)
            return Answer(None, None) if given is None else self._unless_two(given, ReadBy.STATED)
        for at in self._concluded(given):
            score = self._score(at, False) + _CONCLUDED
            if score > best:
                best, given = score, at
        how = ReadBy.LAST_DECISION if begin else ReadBy.STATED if best >= _SAID else ReadBy.ONLY_MENTIONED
        return self._unless_two(given, how)

    def _looked_at(self, begin: int) -> Iterator[int]:
        """The first and the last few names that the reply says for itself: the answer is not hidden in the middle."""
        own = (at for at in range(begin, len(self.found)) if self.is_own(at))
        at = begin
        for at in islice(own, _FIRST):
            yield at
        yield from (last for last in range(max(at + 1, len(self.found) - _LAST), len(self.found)) if self.is_own(last))

    def _unless_two(self, at: int, how: str) -> Answer:
        """ "Canberra or Sydney" gives none."""
        for left in (at - 1, at):
            if not 0 <= left < len(self.found) - 1:
                continue
            one, other = self.found[left], self.found[left + 1]
            between = self.text[one.end : other.start]
            if one.owner == other.owner or len(between) > _NEAR or self.is_rejected(left) or self.is_rejected(left + 1):
                continue
            low, _ = self.clause(one)
            if cues.COMMA.fullmatch(between) and self._is_list(left):
                return Answer(None, None)
            if cues.OR.fullmatch(between) or (
                cues.AND.fullmatch(between)
                and (self.is_bare(one, other) or cues.BOTH.search(self.text, low, one.start))
            ):
                return Answer(None, None)
        return Answer(self.found[at].owner, how)

    def _is_list(self, at: int) -> bool:
        """Whether three names or more stand in a row: "Fleming, Florey and Chain"."""
        for left, joints in ((at - 1, (cues.COMMA,)), (at + 1, (cues.COMMA, cues.AND, cues.OR))):
            if not 0 <= left < len(self.found) - 1 or self.is_rejected(left) or self.is_rejected(left + 1):
                continue
            one, other = self.found[left : left + 2]
            if one.owner != other.owner and any(joint.fullmatch(self.text, one.end, other.start) for joint in joints):
                return True
        return False

    def _behind_correction(self) -> int:
        """The first name behind the last correction, where that gives an answer; else 0."""
        for match in reversed(self.cues(cues.CORRECTION)):
            if not self.is_head(match):
                continue
            first = bisect_left(self.starts, match.end())
            for at in range(first, min(len(self.found), first + _FEW)) if first else ():
                if self.starts[at] - match.end() > _SOON:
                    break
                if self.is_own(at) and self._score(at, False) >= _DECIDED:
                    return first
        return 0

    def _explicit(self, begin: int, asides: bool = False) -> int | None:
        """The last one that is said in so many words to be the answer."""
        for match in reversed(self.cues(cues.ANSWER)):
            at = max(begin, bisect_left(self.starts, match.end()))
            while at < len(self.starts) and self.starts[at] - match.end() < 120:
                if self.is_own(at) or (asides and not self.is_rejected(at)):
                    return at
                at += 1
        return self._pointed_at(begin)

    def _is_something_else(self, begin: int) -> bool:
        """Whether the last answer that is said to be one is none of the names: "답은 노란색으로 할게요"."""
        said = self.cues(cues.ANSWER)
        if not said or (begin and said[-1].end() < self.starts[begin]):
            return False
        return cues.SOMETHING_ELSE.match(self.text, said[-1].end()) is not None

    def _pointed_at(self, begin: int) -> int | None:
        """What is said to be the answer where it is not named again: "and that's your answer", "the latter"."""
        for match in reversed(self.cues(cues.POINTING)):
            before = [at for at in range(begin, bisect_left(self.starts, match.start())) if not self.is_rejected(at)]
            last = before[-1] if before else None
            if last is None or cues.FORMER.search(match[0]) is None:
                return last
            owner = self.found[last].owner
            return next((at for at in reversed(before) if self.found[at].owner != owner), None)
        return None

    def _is_affirmed(self, span: Span) -> bool:
        after = self.text[span.end : span.end + 50]
        if cues.AFFIRMING_AFTER.match(after):
            return True
        return cues.AFFIRMING_BEFORE.search(self.text, max(0, span.start - 50), span.start) is not None

    def _concluded(self, given: int) -> Iterator[int]:
        """What is concluded, of all names behind this one."""
        for match in self.cues(cues.CONCLUSION):
            at = bisect_left(self.starts, match.end())
            if not (given <= at < len(self.found) and self.is_head(match)):
                continue
            if self.starts[at] <= self.sentence_end(match.end()) and self.is_own(at):
                yield at

    def _score(self, at: int, is_first: bool) -> float:
        """How much the clause says that this is what is asked for."""
        text, span = self.text, self.found[at]
        low, high = self.clause(span)
        if cues.IN_PASSING.search(text, max(0, span.start - 50), span.start):
            return -0.5
        bare = self.is_bare(span) or (at == 0 and self._is_headline(span))
        relative = self.relative_end(span, high)
        share = 1.0 if bare else self.share(low, relative)
        place = self._place(span, low)
        score = share + (max(0.0, place) if relative > high else place)
        if is_first and (share > 0 or place > _SUBJECT or not self.text[:low].strip()):
            score += 0.1
        clause = text[low:relative] if "(" not in text[low:relative] else _BRACKETS.sub("", text[low:relative])
        if not bare:
            if cues.FORMERLY.search(clause):
                score -= share + 0.3
            elif self._is_of_another(text[low : span.start] + text[span.end : relative], share):
                score -= 0.4
        if cues.NOW.search(clause):
            score += 0.3
        if (_RANKED.search(clause) and not self.asked.ranked) or (_FIRST_ONE.search(clause) and not self.asked.first):
            score -= 0.5
        if text[low - 1 : low] == "(":
            score -= 0.3
        if at and _OTHER_THAN_ASKED.search(text, low, span.start):
            score -= 0.8
        if self._affirms and self._is_affirmed(span):
            score += 0.8
        if cues.BUT.match(text, self.sentence_start(span.start)):
            score += 0.2
        return score

    def _is_of_another(self, clause: str, share: float) -> bool:
        """Whether the clause speaks of something else of the kind: the capital of New South Wales, the cup of 2014."""
        for owner, owned in _KOREAN_OTHER_ONE.findall(clause) if self.is_korean else ():
            if stem(owner) not in self.asked.weights and self.asked.weights.get(stem(owned), 0.0) >= 1:
                return True
        for owned, owner in _OTHER_ONE.findall(clause) if 0 < share < 1 else ():
            is_asked = self.asked.weights.get(stem(owned), 0.0) >= 1 or owned.casefold() in _GENERAL
            if is_asked and not any(stem(raw) in self.asked.weights for raw in tokens_of(owner)):
                return True
        years = set(_YEAR.findall(clause))
        return bool(years and self.asked.years and years.isdisjoint(self.asked.years))

    def _is_headline(self, span: Span) -> bool:
        """The Pacific of "The Pacific: the Mariana Trench goes down …", at the head of the reply."""
        ahead = self.raws(0, span.start)
        titles = [self.text[one.end : one.end + 3].lstrip('*_"”').startswith(":") for one in self.found[:_FIRST]]
        return titles[0] and not any(titles[1:]) and all(map(self._is_fill, ahead))

    def _place(self, span: Span, low: int) -> float:
        """Whether it stands where the clause has its answer: "X is …" or "… is X"; not "larger than X"."""
        text = self.text
        ending = ENDING.match(text, span.end)
        if ending is not None and ending[0]:
            return -0.5 if _KOREAN_OBLIQUE.match(text, span.end) else _SUBJECT
        if _RANGE.search(text, max(low, span.start - 20), span.start) or _RANGE_ON.match(text, span.end):
            return -0.5
        before = _BEFORE.search(text, low, span.start)
        if before is None or is_hangul(before[1]):
            return _SUBJECT
        key = before[1].casefold()
        if key == "=":
            return 0.6
        if _CLEFT.search(text, max(low, span.start - 24), span.start) and not _WHO.match(text, span.end):
            return 0.6
        if key in ("is", "was") and len(self.raws(low, span.start)) > 2:
            return _COMPLEMENT
        if _STANDS_FOR.search(text, max(low, span.start - 40), span.start):
            return _COMPLEMENT
        if key in _COPULAS:
            return _SUBJECT
        if key in _OBLIQUE and key not in self.asked.words:
            return -0.5
        return _SUBJECT if len(self.raws(low, span.start)) <= 2 else 0.0
