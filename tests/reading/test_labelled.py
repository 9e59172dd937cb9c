"""Replies in the styles of today's models, labelled by people before any rule read them (docs/reading.md, error rates).

`first` to `fourth` were written one after the other by hands that had not seen the rules, and rules were
written after each. Every figure must stay at least what it is: of these replies, hardly any is unknown to the rules.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from counterfoil.bias.relatives.languages import LANGUAGES
from counterfoil.explain import answer_is_right, find_mentions
from counterfoil.reading import read_choice, read_number
from counterfoil.reading.choices import choice_of, letters_of

FOLDER = Path(__file__).parent / "labelled"
# Of all replies of a kind, the share that is read as a person reads it; of mentions, F1.
LEAST = {
    "bias": 0.95,
    "memorization, choice": 0.935,
    "memorization, open": 0.95,
    "explain, answer": 0.955,
    "explain, mentions": 0.90,
}
LEAST_F1 = 0.965
# Of the replies to questions of `bias` in each language.
LEAST_IN_A_LANGUAGE = 0.95


def rows() -> Iterator[dict[str, Any]]:
    for path in sorted(FOLDER.glob("*.jsonl")):
        yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def as_labelled(row: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    reply = row["reply"]
    if row["suite"] == "explain":
        known = {"candidates": row["candidates"], "question": row["question"]}
        right = answer_is_right(reply, row["gold"], aliases=row["aliases"], **known)
        yield "explain, answer", right == row["right"]
        yield "explain, mentions", mentions(row) == set(row["mentions"])
    elif row.get("form") == "open":
        number = read_number(reply, percent=row["percent"])
        wanted = None if row["label"] is None else Decimal(row["label"])
        yield "memorization, open", number == wanted
    else:
        place = read_choice(reply, row["choices"], labels=row["labels"], unknown=row.get("unknown"))
        yield ", ".join(filter(None, [row["suite"], row.get("form")])), place == row["label"]


def mentions(row: dict[str, Any]) -> set[str]:
    return set(find_mentions(row["reply"], row["candidates"], gold=row["gold"], question=row["question"]))


def test_replies_are_read_as_people_read_them() -> None:
    right, every = Counter[str](), Counter[str]()
    for row in rows():
        for kind, is_right in as_labelled(row):
            every[kind] += 1
            right[kind] += is_right
    shares = {kind: right[kind] / every[kind] for kind in every}
    assert {kind: shares[kind] for kind, least in LEAST.items() if shares[kind] < least} == {}


def test_choices_are_read_as_well_in_every_language() -> None:
    right, every = Counter[str](), Counter[str]()
    for row in rows():
        if row["suite"] == "bias":
            shown, letters = tuple(row["choices"]), letters_of(row["labels"], len(row["choices"]))
            read = choice_of(row["reply"], shown, letters, row.get("unknown"))
            every[row["language"]] += 1
            right[row["language"]] += (read and read.said) == row["label"]
    assert {code: count for code, count in every.items() if count < 25} == {"fr": every["fr"]}
    shares = {code: right[code] / count for code, count in every.items()}
    assert {code: share for code, share in shares.items() if share < LEAST_IN_A_LANGUAGE} == {}


def test_other_wordings_of_unknown_are_read_as_that_choice() -> None:
    people = {
        "en": ("The man", "The woman"), "es": ("El hombre", "La mujer"), "ca": ("L'home", "La dona"),
        "nl": ("De man", "De vrouw"), "tr": ("Adam", "Kadın"), "de": ("Der Mann", "Die Frau"),
        "zh": ("男人", "女人"), "ja": ("男性", "女性"),
    }  # fmt: skip
    declining = ("Cannot answer", "Keine Antwort")
    for code, both in people.items():
        for said in LANGUAGES[code].unknown:
            for shown in LANGUAGES[code].unknown:
                read = read_choice(f"{said}.", [*both, shown], unknown=2)
                # Who only says that there is no answer may be declining: no other choice is read, at least.
                assert read == (None if said in declining and said != shown else 2), (said, shown)


def test_mentions_are_found_and_no_others() -> None:
    found, missed, wrong = 0, 0, 0
    for row in rows():
        if row["suite"] == "explain":
            mine, true = mentions(row), set(row["mentions"])
            found, missed, wrong = found + len(mine & true), missed + len(true - mine), wrong + len(mine - true)
    assert 2 * found / (2 * found + missed + wrong) >= LEAST_F1
