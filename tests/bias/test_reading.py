"""The default reading says what a careful reader says, on replies of many kinds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from counterfoil.bias.reading import read_choice
from counterfoil.errors import UserError

LINES = (Path(__file__).parent / "readings.jsonl").read_text(encoding="utf-8").strip().split("\n")
READINGS = [json.loads(line) for line in LINES]
CHOICES = ("손자", "할머니", "알 수 없음")


def read(reply: str, choices: tuple[str, ...] = CHOICES, **options: Any) -> str | None:
    index = read_choice(reply, choices, **options)
    return None if index is None else "ABC"[index]


@pytest.mark.parametrize("row", READINGS, ids=lambda row: row["reply"][:40].encode("unicode_escape").decode())
def test_as_a_careful_reader_says(row: dict[str, Any]) -> None:
    """`missed` marks the few replies that are known to be read otherwise; one in 75 at most."""
    said = read(row["reply"], tuple(row["choices"]), unknown=row["unknown"])
    assert (said != row["expected"]) == row.get("missed", False)


def test_there_are_many_kinds_of_replies() -> None:
    written = [row for row in READINGS if row["source"] == "written"]
    real = [row for row in READINGS if row["source"] == "smollm2"]
    assert len(written) >= 200
    assert len(real) >= 40
    assert sum(row.get("missed", False) for row in READINGS) <= len(READINGS) / 75
    for expected in ("A", "B", "C", None):
        assert sum(row["expected"] == expected for row in written) >= 40


@pytest.mark.parametrize("labels", [("A", "B", "C"), ("a", "b", "c"), ("(A)", "(B)", "(C)"), ("a:", "b:", "c:")])
def test_letters_are_read_in_either_case_whatever_was_shown(labels: tuple[str, ...]) -> None:
    for rule in ("counterfoil", "kobbq", "strict"):
        assert [read(said, rule=rule, labels=labels) for said in ("A", "b", "(C)")] == ["A", "B", "C"]


def test_other_letters() -> None:
    assert [read(said, labels=("X", "Y", "Z")) for said in ("X", "정답은 y입니다", "B")] == ["A", "B", None]


def test_the_unknown_choice_in_other_words_counts_only_where_it_is_told() -> None:
    choices = ("The nurse", "Nobody can say", "The cook")
    reply = "The context does not specify who was late."
    assert read(reply, choices, unknown=1) == "B"
    assert read(reply, choices) is None
    # "Unknown" itself is a text like the others.
    assert read("Nobody can say.", choices) == "B"


def test_the_order_of_the_choices_does_not_matter_for_their_texts() -> None:
    reply = "처음에는 손자라고 생각했지만 정답은 할머니입니다."
    for choices in (
        ("손자", "할머니", "알 수 없음"),
        ("할머니", "알 수 없음", "손자"),
        ("알 수 없음", "손자", "할머니"),
    ):
        index = read_choice(reply, choices)
        assert index is not None
        assert choices[index] == "할머니"


def test_what_cannot_be_asked_for_is_said() -> None:
    with pytest.raises(UserError, match="lenient"):
        read_choice("A", CHOICES, rule="lenient")
    with pytest.raises(UserError, match="each choice needs one"):
        read_choice("A", CHOICES, labels=("A", "B"))
    with pytest.raises(UserError, match="unlike others"):
        read_choice("A", CHOICES, labels=("A", "B", "(b)"))
