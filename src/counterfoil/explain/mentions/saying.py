"""The names of a reply in their sentences and clauses."""

from __future__ import annotations

import operator
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from counterfoil.explain.mentions.asked import Asked, stem
from counterfoil.explain.mentions.context import Reply
from counterfoil.explain.mentions.spans import Span
from counterfoil.explain.mentions.vocabulary import TITLES
from counterfoil.explain.mentions.words import fold, is_hangul

HANGUL = re.compile("[가-힣]")
ENDING = re.compile(r"[가-힣]*")
# Longer sentences are not looked at as a whole.
_FAR = 300
_IS_YEAR = re.compile(r"[12]\d{3}")
# A full stop after an initial or a title ends nothing.
_FULL_STOP = re.compile(
    r"[.!?\n](?:(?<=\n)|(?<!\b[A-Z].)(?<!\bSt.)(?<!\bDr.)(?<!\bMr.)(?<!\bMt.)(?<!\be\.g.)(?<!\bi\.e.)(?<!\bvs.)(?<!\bNo.)"
    r"(?=[\s*\"”)]|$))"
)
_CLAUSE = re.compile(
    r"\((?=[^()\n]{0,200}\))[^()\n]*\)|;|\s?[–—]\s|\s-\s|"
    r"(?<!\ba),? \b(?:but|while|whereas|although|even though|yet|because)\b|,? \bthough\b(?!,)|"
    r", (?:which|who|whose|where|when|so|and|not|since|as)\b|"
    r"(?<=[가-힣])(?:지만|는데요?|으나|니다만),? ?|(?<=[이였했었하셨])[고며],? |(?:[고며]|(?<=[가-힣])로), ",
    re.I,
)
_GOES_ON_ABOUT = re.compile(r"[\"”'’*]*(?:, (?:which|who|whose|where|when|and|so|while)\b|\s[–—-]\s(?!not\b)\w)", re.I)
_IN_RELATIVE = re.compile(r".*\b(?:which|who|whose|where)$", re.I)
_RELATIVE = re.compile(r"[\"”'’*]*(?:, (?:though|however))?, (?:which|who|whose|where|the)\b[^,.;\n]*", re.I)
# A main clause that goes on behind a relative one: "Sydney, which is the largest city, is not the capital".
_MAIN_GOES_ON = re.compile(
    r"[\"”'’*)]*, (?:which|who|whose|where)\b[^,.;:\n]{1,120}, "
    r"(?:is|was|are|were|has|had|have|comes|came|ranks|ranked|did|does|do|only|also|then|lies|flows|won|lost)\b",
    re.I,
)
_LIST = re.compile(
    r"[\s\"“”'‘’*,/&]*(?:\b(?:and|or)\b|[와과나]|이나|또는|혹은)?[\s\"“”'‘’*(]*(?:(?:the|an?) )?[\"“'‘*]*", re.I
)
_CUT = re.compile(r"[,:]| and | before | until | then |(?<=[가-힣][어여아고며자해]) ", re.I)
_DASH = re.compile(r".?\s?[-–—]\s?$")
# Where what is granted ends and what is said begins. A comma before "and", "or" or "which" goes on with the first.
_CONCESSION_END = re.compile(
    r",(?=\s)(?!\s(?:and|or|which|who|as|because|since|due|given|like|such|the (?:country|city|most|larg|big))\b)|;|"
    r"\bbut\b|\bhowever\b|지만|는데|으나",
    re.I,
)
_GOES_ON = re.compile(r"[\"”'’*]*(?:,|\s(?:and|or|&)\s|[과와도랑])", re.I)
_KOREAN_FILL = """
정답 답 바로 사실 사실은 실제 실제로 현재 지금 그것 이것 저 제 생각 아 네 예 아니 따라서 결국
그러나 하지만 그래서 즉 최종 답변 정확히 그 이 오늘날 입니다 정정 정정합니다 음 참고 그리고
"""
# What may stand around a name that is all a clause has.
_FILL = """
it this that these those the a an is was are were be been being would will should must have has had there here
answer correct right actual actually in fact truth reality really indeed so therefore thus hence well ok okay
yes sure i we my say think believe guess go with final choice name today now currently instead rather simply
just definitely certainly clearly probably likely of course however though but and no not nope hmm oh ah to d ll
s m re meant mean sorry wait scratch correction called known as one you your question short conclusion total all
honor belongs goes distinction title remains still always only exactly about around approximately since
"""
_KOREAN_WORDS = frozenset(_KOREAN_FILL.split())
_FILL_STEMS = frozenset(map(stem, (_FILL + _KOREAN_FILL).split()))


class Saying:
    """A reply with the names in it. Only what is looked at is worked out: most replies answer at once."""

    def __init__(self, words: Reply, found: Sequence[Span], question: Asked) -> None:
        self.text, self.words = words.text, words
        self.asked = question
        self.ends = [end.end() for end in _FULL_STOP.finditer(words.text)]
        self.found = found
        self.starts = [span.start for span in found]
        self.is_korean = not words.text.isascii() and HANGUL.search(words.text) is not None
        self._marks: dict[tuple[int, int], list[tuple[int, int]]] = {}

    def share(self, low: int, high: int) -> float:
        raws = self.raws(low, high)
        if self.is_korean:
            raws += map(operator.add, raws, raws[1:])  # 행주 대첩 is 행주대첩
        return self.asked.share(map(stem, raws))

    def raws(self, low: int, high: int) -> list[str]:
        starts = self.words.starts
        return self.words.raws[bisect_left(starts, low) : bisect_left(starts, high)]

    def keys(self, low: int, high: int) -> list[str]:
        starts = self.words.starts
        return self.words.keys[bisect_left(starts, low) : bisect_left(starts, high)]

    def is_bare(self, span: Span, until: Span | None = None) -> bool:
        """Whether the clause has nothing but this name: "It's Canberra.", "정답은 캔버라입니다."."""
        low, high = self.clause(span)
        if self.text[low - 1 : low] == "(" or _IN_RELATIVE.match(self.text, max(0, low - 7), low):
            return False
        at = bisect_left(self.starts, span.start)
        if at and _DASH.match(self.text, max(0, low - 3), low) and self.starts[at - 1] >= self.sentence_start(low):
            return False  # said of what stands before the dash
        end = (until or span).end
        if not self.raws(low, span.start) and low and _GOES_ON_ABOUT.match(self.text, end):
            return False
        if _MAIN_GOES_ON.match(self.text, end):
            return False
        ending = ENDING.match(self.text, end)
        rest = self.raws(low, span.start) + self.raws(ending.end() if ending else end, high)
        return all(map(self._is_fill, rest))

    def _is_fill(self, raw: str) -> bool:
        one = stem(raw)
        return (
            one in _FILL_STEMS
            or _IS_YEAR.fullmatch(raw) is not None
            or one in self.asked.kinds
            or one in self.asked.topic
            or fold(raw) in TITLES
            or (is_hangul(raw) and (not one or raw in _KOREAN_WORDS))
        )

    def sentence(self, at: int) -> tuple[int, int]:
        return self.sentence_start(at), self.sentence_end(at)

    def sentence_end(self, at: int) -> int:
        after = bisect_right(self.ends, at)
        return min(self.ends[after] if after < len(self.ends) else len(self.text), at + _FAR)

    def sentence_start(self, at: int) -> int:
        before = bisect_right(self.ends, at)
        return max(self.ends[before - 1] if before else 0, at - _FAR)

    def clause_bounds(self, at: int) -> tuple[int, int]:
        low, high = self.sentence(at)
        marks = self._marks.get((low, high))
        if marks is None:
            marks = self._marks[low, high] = [mark.span() for mark in _CLAUSE.finditer(self.text, low, high)]
        closed = 0
        for start, end in marks:
            if self.text[start] == "(":
                if start < at < end:
                    return start + 1, end - 1
                closed = end
            elif start < closed:
                continue
            elif end <= at:
                low = end
            elif start > at:
                return low, start
        return low, high

    def clause(self, span: Span) -> tuple[int, int]:
        """The clause around a name, up to the other names in it."""
        text = self.text
        low, high = self.clause_bounds(span.start)
        at = bisect_left(self.starts, span.start)
        left = self.found[at - 1] if at else None
        right = self.found[at + 1] if at + 1 < len(self.found) else None
        if (
            left is not None
            and left.end > low
            and left.owner != span.owner
            and not _LIST.fullmatch(text, left.end, span.start)
        ):
            low = max((cut.end() for cut in _CUT.finditer(text, left.end, span.start)), default=low)
        if (
            right is not None
            and right.start < high
            and right.owner != span.owner
            and not _LIST.fullmatch(text, span.end, right.start)
        ):
            high = max((cut.start() for cut in _CUT.finditer(text, span.end, right.start)), default=high)
        return low, high

    def concession_end(self, at: int, stop: int) -> int:
        """Where the clause ends that goes on at `at`; the commas in a list of names do not end it."""
        for match in _CONCESSION_END.finditer(self.text, at, stop):
            if match[0] != "," or not self._is_in_list(match.start()):
                return match.end()
        return stop

    def _is_in_list(self, comma: int) -> bool:
        at = bisect_left(self.starts, comma)
        if at == 0 or at == len(self.found):
            return False
        left, right = self.found[at - 1], self.found[at]
        near = comma - left.end <= 2 and right.start - comma <= 4
        return near and _GOES_ON.match(self.text, right.end) is not None

    def relative_end(self, span: Span, high: int) -> int:
        """The end of the clause with what is said of the name behind it: "Ganymede, which is the largest moon"."""
        relative = _RELATIVE.match(self.text, span.end)
        if relative is None or relative.end() <= high:
            return high
        after = bisect_right(self.starts, span.start)
        is_free = after == len(self.starts) or relative.end() <= self.starts[after]
        return relative.end() if is_free else high
