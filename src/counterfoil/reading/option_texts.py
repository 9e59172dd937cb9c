"""Which option is meant by a number or by words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from counterfoil.reading.letters_text import plain
from counterfoil.reading.numbers import Stated, in_unit, number_at, printed_number

LETTERS = "ABC"
# How far from the nearest option, as a share of its size, a number may be that is given instead of a letter: as far
# as rounding in between can lead, and not as far as another option.
_CLOSE = Decimal("0.01")
_QUOTE = re.compile(r"[)\].:,;\"' =(-]{1,5}")


def option_of(stated: Stated, options: Sequence[str]) -> str | None:
    """The option that is meant by its number: close to it, and less than half as far as the next one."""
    distances = []
    for letter, option in zip(LETTERS, options, strict=True):
        printed = printed_number(option)
        if printed is not None:
            unit = Decimal(1) if printed.unit is None else printed.unit
            away = abs(in_unit(stated, unit, printed.decimals, abs(printed.value)) - printed.value)
            close = max(Decimal(1).scaleb(-printed.decimals) / 2, _CLOSE * abs(printed.value))
            distances.append((away * unit, letter, away <= close))
    if not distances:
        return None
    nearest, *others = sorted(distances)
    unambiguous = all(2 * nearest[0] < other[0] for other in others)
    return nearest[1] if nearest[2] and unambiguous else None


def text_of(option: str) -> str:
    return plain(option).lower().rstrip(". ")


def checked(lower: str, found: tuple[str | None, int], options: Sequence[str], texts: Sequence[str]) -> str | None:
    """The letter, unless another option's number or text stands beside it."""
    letter, end = found
    if letter is None:
        return None
    quote = _QUOTE.match(lower, end)
    if quote is None:
        return letter
    # Brackets around a quoted number say nothing about its sign.
    number = number_at(lower, quote.end(), quote.end() + 60)
    if number is not None:
        meant = option_of(number, options)
        return letter if meant in (None, letter) else None
    named = [i for i, text in enumerate(texts) if len(text) > 1 and lower.startswith(text, quote.end())]
    if named:
        longest = max(named, key=lambda i: len(texts[i]))
        return letter if LETTERS[longest] == letter else None
    return letter


def quoted(lower: str, at: int, texts: Sequence[str]) -> str | None:
    """The option whose words, other than a number's, stand in the line; the longest of those within each other."""
    line = lower[at : at + 400].lstrip().partition("\n")[0]
    named = [i for i, text in enumerate(texts) if len(text) > 3 and not text[0].isdigit() and text in line]
    if not named:
        return None
    longest = max(named, key=lambda i: len(texts[i]))
    return LETTERS[longest] if all(texts[i] in texts[longest] for i in named) else None
