"""The number that a reply states in the end: not what it says by the way, nor one of several."""

from __future__ import annotations

from decimal import Decimal

import pytest

from counterfoil.errors import UserError
from counterfoil.reading import read_choice, read_number


@pytest.mark.parametrize(
    ("reply", "number"),
    [
        # What follows the result is said by the way: the sum of all payments, a margin, another convention.
        ("Amount: $20,000\nMonthly payment: $386.66\nTotal paid: $23,199.60", "386.66"),
        ("Interest = 2,000 × 0.05 × 1 = $100.\n\nTotal to repay: $2,100.", "100"),
        ("PMT = $120.50, so over 24 months the total comes to $2,892.", "120.50"),
        ("Profit: 900 - 600 = 300. That's a margin of 33.3%.", "300"),
        ("The price is 95.24. If it were paid at once, it would be 100.", "95.24"),
        ("The yield is 4.2. Some textbooks divide by the par value, which gives 4.", "4.2"),
        # But a sum that is asked for is the result.
        ("Apples: 3 × 5 = 15\nPears: 3 × 10 = 30\nTotal cost: $45", "45"),
        # More precisely, and in whole units.
        ("Roughly 7 years; more precisely, 7.27.", "7.27"),
        ("The answer is about 30, or 29.6 to be exact.", "29.6"),
        ("That is 1,000 / 48 = 20.83, and since you can't rent half a bus, 21.", "21"),
        ("We need 6.2 boxes, rounded up to 7.", "7"),
        # A ratio to one; the number first, its reason after it; Korean sums.
        ("2.4 to 1", "2.4"),
        ("Eight. There are four terms a year, for two years.", "8"),
        ("300만 원의 4%이므로 12만 500원입니다.", "120500"),
        # Several, or none.
        ("Between 3 and 4 years, closer to 4.", None),
        ("A strangle has two breakeven prices: $28 below and $47 above.", None),
        ("That depends: 40 if tax is paid, 55 if not, or 60 if it comes later.", None),
        ("I can't calculate the margin without sales. For instance, 10 of 50 would be 20.", None),
        ("- Year 1: 100 / 1.1 = 90.91\n- Year 2: 100 / 1.21 = 82.64\n\nNow we add these up", None),
        ("The difference between 48 and 30 is 18.", "18"),
    ],
)
def test_the_result_counts_and_not_what_is_said_by_the_way(reply: str, number: str | None) -> None:
    assert read_number(reply) == (None if number is None else Decimal(number))


def test_where_a_percentage_is_asked_a_share_is_no_remark() -> None:
    assert read_number("Profit: 900 - 600 = 300. That's a margin of 33.3%.", percent=True) == Decimal("33.3")
    assert read_number("Ratio = 1.2/4.8 = 0.25, or twenty-five percent.", percent=True) == 25


@pytest.mark.parametrize(
    ("reply", "place"),
    [
        ("Let's test each.\nA) 4% needs a price of 50.\nB) 5% needs a price of 40. That matches!\nC) 6% needs 33.", 1),
        ("P(A)=0.1\nP(B)=0.2\nP(C)=0.7", 2),
        ("Yield = 2/40 = 5%. Some analysts divide by last year's price, 2/50 = 4%, but that is not asked.", 1),
    ],
)
def test_a_match_a_probability_or_a_result_decides(reply: str, place: int) -> None:
    assert read_choice(reply, ["4%", "5%", "6%"]) == place


@pytest.mark.parametrize(
    ("reply", "place"),
    [
        ("The answer is (ii).", 1),
        ("iii", 2),
        ("I think that iv) is right, I really do.", 3),
        ("So the answer is **(i) the nurse**.", 0),
        ("I don't know.", None),
        ("Not ii. The answer is iii.", 2),
    ],
)
def test_labels_may_have_several_characters(reply: str, place: int | None) -> None:
    people = ["the nurse", "the cook", "the driver", "the clerk"]
    assert read_choice(reply, people, labels=("i", "ii", "iii", "iv")) == place


def test_labels_that_can_not_be_told_apart_are_refused() -> None:
    assert read_choice("Option 12.", ["one", "other"], labels=("11)", "12)")) == 1
    with pytest.raises(UserError, match="unlike others"):
        read_choice("x", ["one", "other"], labels=("x", "(X)"))
