"""The rule `strict`: a reply that is an answer and nothing else."""

from __future__ import annotations

import re

# A letter, in brackets or not, with a period or a colon or not, and what stands behind it.
_LETTER = re.compile(r"\(?\s?([A-Za-z])(?![A-Za-z])\s?[).:]{0,2}\s?(\S[^\n]*)?\Z")
_SPACES = re.compile(r"\s+")


def read_strict(reply: str, choices: tuple[str, ...], letters: tuple[str, ...], unknown: int | None) -> int | None:
    """The choice whose letter, text, or letter and text the reply is, in either case; None for all else.

    Brackets around the letter, a period or colon behind it, and a period at the end are allowed.
    """
    said = reply.strip()
    texts = [_plain(choice) for choice in choices]
    text = _plain(said)
    if text in texts:
        return texts.index(text)
    match = _LETTER.match(said)
    if match is None or match[1].upper() not in letters:
        return None
    index = letters.index(match[1].upper())
    return index if match[2] is None or _plain(match[2]) == texts[index] else None


def _plain(text: str) -> str:
    return _SPACES.sub(" ", text).strip().removesuffix(".").lower()
