"""Names that take the place of those in public questions, for the control `renamed`."""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal["person", "company", "currency"]

# Given names that women and men have, since the question's pronouns stay.
_PERSONS = (
    "Robin", "Kim", "Noor", "Sasha", "Ariel", "Jules", "Nikita", "Andrea", "Toni", "Yuki", "Amal", "Charlie",
)  # fmt: skip
_COMPANIES = (
    "Halden", "Orrin Works", "Tavira", "Lindqvist", "Marlow Freight", "Peregrine Mills", "Sabine Foods", "Castor Lines",
)  # fmt: skip
_CURRENCY_SIGNS = ("$", "€", "£")
_CURRENCY_CODES = ("CAD", "SGD", "CHF", "AUD")


def other_names(kind: Kind, name: str, taken: str, number: int) -> tuple[str, ...]:
    """A name and what can stand in its place: nothing that `taken` (the question) holds, nor another name's words.

    The number-th name of its kind in a question has every third word of the list, so that no two names share one.
    """
    choices: tuple[str, ...]
    if kind == "currency":
        choices = _CURRENCY_CODES if name.isalpha() else _CURRENCY_SIGNS
    else:
        choices = (_PERSONS if kind == "person" else _COMPANIES)[number % 3 :: 3]
    return (name, *(choice for choice in choices if choice not in taken))


def occurrences(name: str, text: str) -> list[tuple[int, int]]:
    """Where a name stands in a text as a word of its own; a currency sign stands anywhere."""
    pattern = rf"(?<!\w){re.escape(name)}(?!\w)" if name[0].isalnum() else re.escape(name)
    return [match.span() for match in re.finditer(pattern, text)]
