"""Names that can stand for others: as many words, of the same kind, of no trade, and known to nobody."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

# Given names that women and men have, since a question's pronouns stay.
GIVEN = (
    "Robin", "Kim", "Noor", "Sasha", "Ariel", "Jules", "Nikita", "Andrea", "Toni", "Yuki", "Amal", "Charlie",
    "Sam", "Alex", "Dana", "Kiran", "Marlin", "Rowan",
)  # fmt: skip
SURNAMES = (
    "Okafor", "Lindgren", "Moreau", "Castillo", "Novak", "Haddad", "Ferrari", "Kowalski", "Tanaka", "Petrov",
    "Silva", "Jensen", "Adeyemi", "Rossi", "Weber", "Nakamura", "Ivanova", "Mensah",
)  # fmt: skip
# Each begins with a letter of its own, as far as the letters go.
WORDS = (
    "Halden", "Orrin", "Tavira", "Lindqvist", "Marlow", "Peregrine", "Sabine", "Castor", "Rosmere", "Wexley",
    "Norrland", "Ashgrove", "Ellery", "Varden", "Kestria", "Dunmore", "Belvoir", "Juniper",
)  # fmt: skip
_SECONDS = (
    "Vale", "Hill", "Bridge", "Point", "Gate", "Harbour", "Field", "Park", "Ridge", "Lane", "Shore", "Grove", "Crest",
    "Ford", "Glen", "Bay", "Cross", "Heath",
)  # fmt: skip
_COUNTRIES = ("Norvania", "Estalia", "Tamarland", "Quillon", "Marovia", "Belmark", "Soravia", "Ardenia", "Vestria")
# So many others a name has at least, where there are so many.
LEAST = 6
SHORT = "_short"


def other_persons(text: str, start: int, name: str, turn: int) -> list[str]:
    """Others for a person's name at this place: a full name for a full one, a surname behind a given name, else a given
    name. Each turn has every third word, so that no two names of a question share one.
    """
    given, surnames = GIVEN[turn % 3 :: 3], SURNAMES[turn % 3 :: 3]
    if " " in name:
        choices: Sequence[str] = [" ".join(pair) for pair in zip(given, surnames, strict=True)]
    else:
        is_surname = re.search(r"(?:[A-Z][\w’'-]+|\b(?:Mr|Mrs|Ms|Dr)\.) $", text[:start])
        choices = surnames if is_surname else given
    return _free(choices, text)


def other_companies(text: str, name: str, turn: int) -> list[str]:
    """Others for a company's name, of as many words."""
    firsts, seconds = WORDS[turn % 3 :: 3], _SECONDS[turn % 3 :: 3]
    several = [" ".join(pair) for pair in zip(firsts, seconds, strict=True)]
    return _free(several if " " in name else firsts, text)


def behind(text: str, name: str, short: str) -> str | None:
    """The words between a name and its abbreviation in brackets; None if it is none of this name."""
    found = re.search(rf"{re.escape(name)}((?: [\w.&]+)*),? \({re.escape(short)}\)", text)
    return None if found is None else found[1]


def initials(words: str) -> str:
    return "".join(word[0].upper() for word in re.findall(r"\w+", words))


def extended(names: Mapping[str, tuple[str, ...]], text: str) -> dict[str, tuple[str, ...]]:
    """The names of a template with enough others for each draw to have its own: of persons and countries from lists; of
    firms and funds by another first word, so that the trade stays.
    """
    found: dict[str, tuple[str, ...]] = {}
    for turn, (marker, words) in enumerate(names.items()):
        _, *rest = words[0].split(" ")
        pools = {
            "person": GIVEN[turn % 3 :: 3],
            "country": _COUNTRIES,
            "firm": [" ".join([first, *rest]) for first in WORDS[turn % 3 :: 3]],
        }
        others = _free(pools.get("firm" if marker == "fund" else marker, ()), text)
        there = [word for some in (*names.values(), *found.values()) for word in some]
        found[marker] = (*words, *[word for word in others if word not in there][: max(0, LEAST + 1 - len(words))])
    return found


def _free(choices: Sequence[str], text: str) -> list[str]:
    """Those of which no word stands in the text."""
    there = set(re.findall(r"\w+", text))
    return [choice for choice in choices if not there & set(choice.split(" ")[:1])]
