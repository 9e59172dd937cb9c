"""Choices' texts as they are inflected in a sentence: "dem Arbeitslosen" for "Der Arbeitslose", "torunu" "
"for "Torun"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from counterfoil.reading.mentions import Mention

INFLECTED = frozenset({"de", "tr"})
_SHORTEST = 4
_TURKISH_LETTERS = "a-zçğıöşü"
# A last consonant that turns soft before a vowel.
_SOFT = {"k": "[kğ]", "p": "[pb]", "t": "[td]", "ç": "[çc]"}
_ADJECTIVE = re.compile(r"(?P<stem>\w{3,}?)e[nmrs]?")


def find_inflections(lower: str, texts: Sequence[tuple[str, ...]], languages: Sequence[str]) -> list[Mention]:
    """All places of the choices' texts with an ending that they do not have as they are shown."""
    found = []
    for language in languages:
        if language in INFLECTED:
            for place, pattern in _patterns(tuple(own[0] if own else "" for own in texts), language):
                found += [Mention(one.start(), one.end(), place, False) for one in pattern.finditer(lower)]
    return found


@lru_cache(maxsize=65_536)
def _patterns(texts: tuple[str, ...], language: str) -> list[tuple[int, re.Pattern[str]]]:
    inflect = _german if language == "de" else _turkish
    return [
        (place, re.compile(rf"(?<!\w){inflect(text)}(?!\w)"))
        for place, text in enumerate(texts)
        if len(text) >= _SHORTEST and text[-1].isalpha()
    ]


def _german(text: str) -> str:
    """Adjectives in all cases; a noun with the ending of a case."""
    *before, noun = text.split(" ")
    return " ".join([*map(_declined, before), rf"{re.escape(noun)}(?:n|en|s|es)?"])


def _declined(word: str) -> str:
    adjective = _ADJECTIVE.fullmatch(word)
    return re.escape(word) if adjective is None else rf"{re.escape(adjective['stem'])}e[nmrs]?"


def _turkish(text: str) -> str:
    """The noun at the end with its case, its owner, or a verb's ending."""
    return rf"{re.escape(text[:-1])}{_SOFT.get(text[-1], re.escape(text[-1]))}[{_TURKISH_LETTERS}]{{1,7}}"
