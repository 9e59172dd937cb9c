"""Numbers in replies: which choice one stands for, and whether one is the right one."""

from __future__ import annotations

from decimal import Decimal

import pytest

from counterfoil.reading import number_matches, read_choice
from counterfoil.reading.numbers import is_close

MONEY = ("$14,047.16", "$16,215.64", "$15,030.46")


@pytest.mark.parametrize(
    ("reply", "options", "letter"),
    [
        # 14,047.16 is 0.16 from A, and 983.30 from the next one.
        ("14,047", MONEY, "A"),
        # 1 % of 15,030.46 is 150.30: 15,180 is 149.54 away from C, and 1,035.64 from B.
        ("15,180", MONEY, "C"),
        ("15,181", MONEY, None),
        # Half way: 10.05 is 0.05 from A, which is less than 1 % of it, but no less than half of the 0.1 from B.
        ("10.05", ("10.00", "10.15", "12.00"), None),
        ("10.04", ("10.00", "10.15", "12.00"), "A"),
        # The last digit of 0.3 leaves open what is within 0.05 of it.
        ("0.34", ("0.3", "0.9", "1.5"), "A"),
        ("0.36", ("0.3", "0.9", "1.5"), None),
        # Without a unit: a share of 1, or the whole amount, where only that is of the options' size.
        ("0.155", ("15.5%", "12.2%", "0.9%"), "A"),
        ("269,280,000", ("$283.00 million", "$269.28 million", "$12.00 million"), "B"),
        ("1,732,000", ("$1,732 thousand", "$1,472 thousand", "$900 thousand"), "A"),
        ("900,000", ("$1,732 thousand", "$1,472 thousand", "$900 thousand"), "C"),
        # With one: no other reading.
        ("0.155%", ("15.5%", "12.2%", "0.9%"), None),
        ("0.9 billion", ("$900 million", "$800 million", "$0.9 million"), "A"),
        ("45 bps", ("0.45%", "0.54%", "4.5%"), "A"),
        ("0.45%", ("45 bps.", "54 bps.", "450 bps."), "A"),
    ],
)
def test_a_number_instead_of_a_letter(reply: str, options: tuple[str, ...], letter: str | None) -> None:
    place = read_choice(f"ANSWER: {reply}", options)
    assert (None if place is None else "ABC"[place]) == letter


def test_matching_is_within_half_a_unit_of_the_last_digit() -> None:
    value = Decimal("15030.46")
    for number, right in (("15030.455", True), ("15030.465", True), ("15030.4549", False), ("15030.4651", False)):
        assert number_matches(Decimal(number), value, 2) is right
    assert number_matches(Decimal("15.5"), Decimal("15"), 0)
    assert not number_matches(Decimal("15.51"), Decimal("15"), 0)


def test_a_tolerance_widens_and_never_narrows() -> None:
    value = Decimal("15.50")
    assert is_close(Decimal("15.60"), value, 2, Decimal("0.1"))
    assert not is_close(Decimal("15.61"), value, 2, Decimal("0.1"))
    assert is_close(Decimal("15.505"), value, 2, Decimal("0.001"))
