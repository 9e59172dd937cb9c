"""What a reply says for itself, of all the names in it: not what it rejects, grants, asks, or has others say."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property

from counterfoil.explain.mentions import cues
from counterfoil.explain.mentions.asked import Asked
from counterfoil.explain.mentions.context import Reply
from counterfoil.explain.mentions.saying import HANGUL, Saying
from counterfoil.explain.mentions.spans import Span

_FEW = 8
_YES = re.compile(r"[\s*]*(?:yes|yep|yeah|correct|right|indeed|exactly|네|예|맞)", re.I)


class OwnSaying(Saying):
    def __init__(self, words: Reply, found: Sequence[Span], question: Asked) -> None:
        super().__init__(words, found, question)
        self._own: dict[int, bool] = {}
        self._found_cues: dict[re.Pattern[str], list[re.Match[str]]] = {}
        for at in [at for at, key in enumerate(words.keys) if key in cues.CUES]:
            for pattern in cues.CUES[words.keys[at]]:
                match = pattern.match(self.text, words.starts[at])
                if match is not None:
                    self._found_cues.setdefault(pattern, []).append(match)

    def is_own(self, at: int) -> bool:
        """Whether the reply says this for itself: it does not reject it, grant it, ask it, or say that others do."""
        known = self._own.get(at)
        if known is None:
            known = self._own[at] = not (self.is_rejected(at) or self.is_conceded(at) or self.is_aside(at))
        return known

    def is_bare(self, span: Span, until: Span | None = None) -> bool:
        """As for any clause; one that a comma cuts off from another name's is bare only if that one is rejected."""
        if not super().is_bare(span, until):
            return False
        low = self.clause(span)[0]
        if low == self.clause_bounds(span.start)[0] or self.text[low - 1] == ":":
            return True
        at = bisect_left(self.starts, span.start)
        return at == 0 or self.is_rejected(at - 1)

    def is_rejected(self, at: int) -> bool:
        span = self.found[at]
        if cues.REJECTING_AFTER.match(self.text[span.end : span.end + 70]):
            return True
        if cues.NEGATING_KEYS.isdisjoint(self.keys(span.start - 80, span.start)):
            return False
        return cues.REJECTING_BEFORE.search(self.text[max(0, span.start - 80) : span.start]) is not None

    def is_conceded(self, at: int) -> bool:
        """Whether a clause only grants it, or a question offers it, before another name is given."""
        text, span = self.text, self.found[at]
        start, stop = self.sentence(span.start)
        if text[stop - 1 : stop] == "?":
            # "Sydney or Canberra?" gives neither; "Canberra?" by itself may be a shy answer.
            return self._has_another(at, stop, len(text)) and not _YES.match(text, stop)
        begin = max(start, *(text.rfind(mark, start, span.start) + 1 for mark in ";:"))
        for head in {start, begin}:
            match = cues.CONCESSION.match(text, head)
            if match is not None and match.end() <= span.start:
                clause = self.concession_end(match.end(), stop)
                if cues.TURN.match(text, stop) or cues.THEN.match(match[0]):
                    stop = self.sentence_end(stop)
                if span.start < clause and self._has_another(at, clause, stop):
                    return True
        granted = cues.KOREAN_CONCESSION.search(text, span.end, stop) if self.is_korean else None
        if granted is None or not self._has_another(at, granted.end(), stop + 1):
            return False
        # "서울이지만" says that it is 서울, unless something else is it: "최대 도시는 시드니지만".
        is_it = " " not in text[span.end : granted.start()] and text[granted.start() - 1] not in "었였셨"
        return not (is_it and (self.share(*self.clause(span)) > 0 or self.is_bare(span)))

    def _has_another(self, at: int, low: int, high: int) -> bool:
        """Whether another name is given between these places, and not rejected."""
        places = range(max(at + 1, bisect_left(self.starts, low)), bisect_left(self.starts, high))
        return any(not self.is_rejected(place) for place in places[:_FEW])

    def is_aside(self, at: int) -> bool:
        """Whether it is what others think, or stands below a heading like "Clarifications"."""
        span = self.found[at]
        if any(low <= span.start < high for low, high in self._asides):
            return True
        start, stop = self.sentence(span.start)
        if not self.is_korean and cues.OTHERS_KEYS.isdisjoint(self.keys(start, stop)):
            return False
        for match in cues.OTHERS.finditer(self.text, start, stop):
            low = self.clause_bounds(match.start())[0]
            if low <= span.start < max(match.end(), self.concession_end(match.end(), stop)):
                return True
        return False

    @cached_property
    def _asides(self) -> list[tuple[int, int]]:
        """From a heading like "Clarifications" to the end, or to a line with the answer."""
        found: list[tuple[int, int]] = []
        for match in self.cues(cues.HEADING):
            if found and match.start() < found[-1][1]:
                continue
            ahead = range(bisect_left(self.starts, match.start()))
            answer = cues.ANSWER_LINE.search(self.text, match.end())
            end = answer.start() if answer else len(self.text)
            if not any(not self.is_rejected(at) for at in ahead[-_FEW:]):
                end = self.sentence_end(match.end())
            found.append((match.start(), end))
        return found

    def cues(self, pattern: re.Pattern[str]) -> list[re.Match[str]]:
        """Where the pattern stands, looked for at the words that can begin a cue; Korean ones anywhere."""
        found = self._found_cues.get(pattern, [])
        if not self.is_korean:
            return found
        return sorted([*found, *cues.KOREAN[pattern].finditer(self.text)], key=lambda match: match.start())

    def is_head(self, match: re.Match[str]) -> bool:
        """Whether the cue stands at the head of its clause; a Korean one may stand anywhere."""
        if HANGUL.match(match[0]):
            return HANGUL.match(self.text, match.start() - 1) is None if match.start() else True
        return cues.HEAD.search(self.text, max(0, match.start() - 20), match.start()) is not None
