"""One reader for every suite: any number of choices, any letters, named by letter, by text or by amount."""

from __future__ import annotations

import doctest
import json
from pathlib import Path
from typing import Any

import pytest

from counterfoil.errors import UserError
from counterfoil.reading import amounts, choices, numbers, read_choice

TESTS = Path(__file__).parents[1]
FILES = (TESTS / "bias" / "readings.jsonl", TESTS / "memorization" / "readings.jsonl")
LINES = [line for file in FILES for line in file.read_text(encoding="utf-8").strip().split("\n")]
READINGS = [row for row in map(json.loads, LINES) if "choices" in row or "options" in row]
GREEK = ("Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta", "Eta", "Theta", "Iota", "Kappa")
PEOPLE = ("The nurse", "The cook", "The driver")
RATES = ("12.25%", "15.50%", "9.75%", "4.00%")


@pytest.mark.parametrize("row", READINGS, ids=lambda row: row["reply"][-40:].encode("unicode_escape").decode())
def test_both_suites_replies_are_read_without_knowing_the_suite(row: dict[str, Any]) -> None:
    place = read_choice(row["reply"], row.get("choices") or row["options"], unknown=row.get("unknown"))
    said = None if place is None else "ABC"[place]
    assert (said != row["expected"]) == row.get("missed", False)


@pytest.mark.parametrize("module", [amounts, choices, numbers])
def test_the_documented_examples_hold(module: Any) -> None:
    tried = doctest.testmod(module)
    assert tried.attempted >= 3
    assert tried.failed == 0


@pytest.mark.parametrize("count", range(2, 11))
@pytest.mark.parametrize(
    "form",
    [
        "{0}", "{1}", "({0})", "**{0}**", "{0}: {1}", "The answer is {0}.", "정답은 {0}입니다.", "I choose {0}.",
        "Option {0} is correct.", "It is {1}.", "I would say {0} because it fits.", "\\boxed{{{0}}}",
        "I looked at all of them.\n\nFinal answer: {0}",
    ],
)  # fmt: skip
def test_two_to_ten_choices(count: int, form: str) -> None:
    shown = GREEK[:count]
    letters = "ABCDEFGHIJ"[:count]
    read = [read_choice(form.format(letter, text), shown) for letter, text in zip(letters, shown, strict=True)]
    assert read == list(range(count))
    assert read_choice(form.format("K", "Lambda"), shown) is None


def test_the_pronoun_is_no_letter() -> None:
    for reply in ("I am not able to help with that.", "I don't know.", "Sorry, I can't say.", "I like them all."):
        assert read_choice(reply, GREEK) is None
    assert [read_choice(reply, GREEK) for reply in ("I", "The answer is I.", "I is correct.", "I like B.")] == [
        8,
        8,
        8,
        1,
    ]


def test_other_labels() -> None:
    assert [read_choice(said, PEOPLE[:2], labels=("(x)", "(y)")) for said in ("X", "정답은 y입니다", "B")] == [
        0,
        1,
        None,
    ]
    assert [read_choice(said, PEOPLE, labels=("1", "2", "3")) for said in ("1", "(2)", "The answer is 3.")] == [0, 1, 2]


def test_what_cannot_be_asked_for_is_said() -> None:
    with pytest.raises(UserError, match="each choice needs one"):
        read_choice("A", PEOPLE, labels=("A", "B"))
    with pytest.raises(UserError, match="unlike others"):
        read_choice("A", PEOPLE, labels=("A", "B", "(b)"))
    with pytest.raises(UserError, match="more than there are letters"):
        read_choice("A", ["x"] * 27)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("The answer is 0.155.", 1),
        ("B: 15.5 percent", 1),
        ("D (400 bps)", 3),
        ("B: 4%", None),
        ("With a coupon of 12.25%, the yield is 15.5%.", 1),
        ("The rate is between 4% and 9.75%.", None),
        ("A = 2,000 and B = 1.07, so 15.5%", 1),
    ],
)
def test_amounts_name_choices(reply: str, expected: int | None) -> None:
    assert read_choice(reply, RATES) == expected


def test_a_number_within_a_text_is_part_of_the_text() -> None:
    ages = ("78세 남성", "22세 남성", "알 수 없음")
    assert read_choice("답은 22세 남성입니다.", ages) == 1
    assert read_choice("A: 22세 남성", ages) is None
    people = ("The 78 year old man", "The 22 year old man", "Unknown")
    assert read_choice("It was the 22 year old man.", people) == 1


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Is it the cook? Yes.", 1),
        ("Is it the cook?", None),
        ("Could it be A? No. C.", 2),
        ("Let's look at option A first.", None),
        ("The answer is A. Wait, that is not right.", None),
        ("The answer is A. Wait, that is not right. The answer is B.", 1),
        ("The answer is A. Some would say B. That is wrong.", 0),
        ("The answer is A.\nThe answer is B.", None),
        ("A\n\nThe final answer is B.", 1),
        ("답은 A.\n\nThe final answer is B.", 1),
        ("If the nurse had a car, the answer would be A. She has none: B.", 1),
        ("A: The nurse\nB: The cook\nC: The driver\n\nB: The cook", 1),
        ("A: The nurse\nB: The cook\nC: The driver", None),
    ],
)
def test_what_is_asked_weighed_or_taken_back_is_not_decided(reply: str, expected: int | None) -> None:
    assert read_choice(reply, PEOPLE) == expected


def test_a_long_reply_must_decide() -> None:
    story = "The nurse came home at ten. " + "It had been a long day, and the streets were empty. " * 4
    assert read_choice("The nurse came home at ten.", PEOPLE) == 0
    assert read_choice(story, PEOPLE) is None
    assert read_choice(f"{story}So it was the nurse.", PEOPLE) == 0
    # In KoBBQ and BBQ, who alone is named is who is meant.
    assert choices.choice_of(story, PEOPLE, ("A", "B", "C"), None) == (0, "only_mentioned")
