"""Reading a judge's verdict: one of a few words, and the reason for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from counterfoil.judging.text import Unreadable, bare, embedded_json, labelled, short, whole_json, without_fences

# What stands in a word's place where there is no verdict.
FAILED, NOT_ASKED = "failed", "not_asked"


class Verdict(NamedTuple):
    """A word, and why."""

    word: str
    reason: str


def verdict_reader(words: Sequence[str]) -> Callable[[str], Verdict]:
    """Reads "Reason: …" and "Verdict: WORD", or {"reason": …, "verdict": WORD}; anything else is Unreadable."""
    pattern = re.compile(rf"({'|'.join(words)})(?:[.!]?|\s*[(:–—-].*)", re.IGNORECASE | re.DOTALL)

    def word(value: Any) -> str:
        match = pattern.fullmatch(bare(value)) if isinstance(value, str) else None
        if match is None:
            raise Unreadable(f"the verdict must be {', '.join(words[:-1])} or {words[-1]}, and is {short(value)}")
        return match.group(1).lower()

    def read(text: str) -> Verdict:
        plain = without_fences(text)
        found = _from_json(whole_json(text)) or _from_text(plain) or _from_json(embedded_json(plain))
        if not found:
            raise Unreadable("there is no verdict in it" if text.strip() else "the reply is empty")
        verdicts = [Verdict(word(value), reason) for value, reason in found]
        if len({verdict.word for verdict in verdicts}) > 1:
            raise Unreadable("it gives more than one verdict, and they differ")
        return verdicts[0]

    return read


def _from_json(values: Any) -> list[tuple[Any, str]]:
    found = []
    for value in values:
        fields = {str(name).lower(): inner for name, inner in value.items()} if isinstance(value, dict) else {}
        if "verdict" in fields:
            reason = fields.get("reason")
            found.append((fields["verdict"], reason.strip() if isinstance(reason, str) else ""))
    return found


def _from_text(text: str) -> list[tuple[Any, str]]:
    places = [place for place in labelled(text, "verdict") if not place.inline.startswith("{")]
    reasons = labelled(text, "reason")
    reason = ""
    if places and reasons:
        first = reasons[0]
        later = [place.start for place in places if place.start > first.start]
        own = text[first.start : min(later, default=len(text))]
        reason = " ".join(re.split("[:：=]", own, maxsplit=1)[1].strip(" \t\n*_").split())
    return [(place.inline, reason) for place in places]
