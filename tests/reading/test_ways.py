"""How an answer was read is one of a closed set of words; each word for what it says."""

from __future__ import annotations

from decimal import Decimal

import pytest

from counterfoil.reading.amounts import number_of
from counterfoil.reading.choices import choice_of
from counterfoil.reading.ways import WAYS, WEAK, ReadBy

PEOPLE = ("The nurse", "The cook", "Not known")
LETTERS = ("A", "B", "C")


@pytest.mark.parametrize(
    ("reply", "place", "by"),
    [
        ("B", 1, ReadBy.FINAL_LINE),
        ("The cook was late.\n\nANSWER: B", 1, ReadBy.FINAL_LINE),
        ("So we get\n\n\\boxed{B}", 1, ReadBy.BOXED),
        ("The answer is B, because the cook overslept.", 1, ReadBy.STATED),
        ("I'd go with B. The nurse was early.", 1, ReadBy.STATED),
        ("The answer is A. Sorry, I meant B.", 1, ReadBy.LAST_DECISION),
        ("I first chose A but changed to B.", 1, ReadBy.STATED),
        ("I picked the nurse at once, but then switched my answer to B.", 1, ReadBy.STATED),
        ("I chose A but then the bus changed to line B.", 0, ReadBy.STATED),
        ("The answer is the cook.", 1, ReadBy.BY_TEXT),
        ("The text doesn't say who was late.", 2, ReadBy.IN_OTHER_WORDS),
        ("The nurse came at eight. Therefore the cook came in after everybody else.", 1, ReadBy.CONCLUDED),
        ("It isn't A. Nor is C correct.", 1, ReadBy.BY_ELIMINATION),
        ("The cook overslept that morning.", 1, ReadBy.ONLY_MENTIONED),
    ],
)
def test_how_a_choice_is_read(reply: str, place: int, by: str) -> None:
    assert choice_of(reply, PEOPLE, LETTERS, 2) == (place, by)


def test_a_number_may_name_a_choice() -> None:
    assert choice_of("The rate is 15.5%.", ("12.25%", "15.50%", "9.75%"), LETTERS, None) == (1, ReadBy.BY_NUMBER)


@pytest.mark.parametrize(
    ("reply", "number", "by"),
    [
        ("2 × 21\n\nANSWER: 42", "42", ReadBy.FINAL_LINE),
        ("\\boxed{42}", "42", ReadBy.BOXED),
        ("The answer is 42.", "42", ReadBy.STATED),
        ("The answer is 41. Sorry, the answer is 42.", "42", ReadBy.LAST_DECISION),
        ("First, 2 × 20 = 40.\n\nThen the total is 42.", "42", ReadBy.CONCLUDED),
        ("She has 42 of them.", "42", ReadBy.ONLY_MENTIONED),
    ],
)
def test_how_a_number_is_read(reply: str, number: str, by: str) -> None:
    assert number_of(reply, Decimal(1), 2, None) == (Decimal(number), by)


def test_the_words_are_a_closed_set() -> None:
    assert len(WAYS) == len(set(WAYS)) == 12
    assert set(WAYS) > WEAK == {"concluded", "by_elimination", "only_mentioned"}
