"""What differs between two texts, word by word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from counterfoil.web.records.shown import Span

CHANGED = "changed"
# Beyond so many words a comparison takes longer than anybody waits.
MOST_WORDS = 1_500
# Numbers whole, letters of scripts without blanks one by one, words, signs.
_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[\u3040-\u30ff\u3400-\u9fff]|[^\W\d\u3040-\u30ff\u3400-\u9fff]+|[^\w\s]")


class Differences(NamedTuple):
    """Spans of one text that the other does not have, and the other way round; None where the texts are too long."""

    one: list[Span]
    other: list[Span]


def differences(one: str, other: str) -> Differences | None:
    """The words in which two texts differ. Blanks don't count; neighbouring words are one span."""
    if one == other:
        return Differences([], [])
    here, there = list(_WORD.finditer(one)), list(_WORD.finditer(other))
    if max(len(here), len(there)) > MOST_WORDS:
        return None
    matcher = SequenceMatcher(None, [word[0] for word in here], [word[0] for word in there], autojunk=False)
    found = Differences([], [])
    for kind, start, end, begin, stop in matcher.get_opcodes():
        if kind != "equal":
            found.one.extend(_span(here, start, end))
            found.other.extend(_span(there, begin, stop))
    return found


def _span(words: Sequence[re.Match[str]], start: int, end: int) -> list[Span]:
    return [(words[start].start(), words[end - 1].end(), CHANGED)] if start < end else []
