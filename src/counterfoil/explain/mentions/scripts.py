"""Names that a Korean reply writes in Latin letters: Gagarin is 가가린."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

# The consonants of Hangul and of Latin letters, by how they sound alike.
_INITIALS = ["K", "K", "N", "T", "T", "L", "M", "P", "P", "S", "S", "-", "J", "J", "J", "K", "T", "P", "-"]
_FINALS = [
    "-",
    "K",
    "K",
    "K",
    "N",
    "N",
    "N",
    "T",
    "L",
    "K",
    "M",
    "P",
    "S",
    "T",
    "P",
    "-",
    "M",
    "P",
    "P",
    "S",
    "S",
    "N",
    "J",
    "J",
    "K",
    "T",
    "P",
    "-",
]
_LATIN = (
    ("sch|sh|x|s", "S"),
    ("ch|j|z", "J"),
    ("ph|[bpfv]", "P"),
    ("ck|[kqcg]", "K"),
    ("th|[dt]", "T"),
    ("r(?=[^aeiouy]|$)", ""),
    ("[lr]", "L"),
    ("m", "M"),
    ("ng|n", "N"),
)
_SOUNDS = re.compile("|".join(f"({letters})" for letters, _ in _LATIN))
_CLASSES = [sound for _, sound in _LATIN]
_TWICE = re.compile(r"(.)\1+")
_LATIN_NAME = re.compile(r"(?<![A-Za-z])[A-Z][a-z]{3,}(?![A-Za-z])")
_LEAST = 3


def _of_hangul(word: str) -> str:
    sounds = []
    for letter in word:
        code = ord(letter) - 0xAC00
        sounds += [_INITIALS[code // 588], _FINALS[code % 28]]
    return _TWICE.sub(r"\1", "".join(sound for sound in sounds if sound != "-"))


def _of_latin(word: str) -> str:
    found = _SOUNDS.finditer(word.casefold())
    return _TWICE.sub(r"\1", "".join(_CLASSES[(match.lastindex or 1) - 1] for match in found))


def sounds_of(names: Sequence[tuple[int, str]]) -> dict[str, int]:
    """The last words of names in Hangul, by their consonants: those that only one answer has."""
    owners: dict[str, set[int]] = {}
    for owner, name in names:
        words = name.split()
        if words and all("가" <= letter <= "힣" for letter in words[-1]):
            owners.setdefault(_of_hangul(words[-1]), set()).add(owner)
    return {sound: next(iter(of)) for sound, of in owners.items() if len(of) == 1 and len(sound) >= _LEAST}


def in_latin_letters(text: str, sounds: Mapping[str, int]) -> list[tuple[int, int, int]]:
    """Where a name that is known in Hangul stands in Latin letters: start, end and owner."""
    matches = ((match, sounds.get(_of_latin(match[0]))) for match in _LATIN_NAME.finditer(text))
    return [(*match.span(), owner) for match, owner in matches if owner is not None]
