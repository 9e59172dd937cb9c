"""Draws are as round as the original, and their options as close as the printed ones."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest

from counterfoil.perturbing.questions import LETTERS, Question
from counterfoil.perturbing.templates import numbers
from counterfoil.perturbing.templates.likeness import as_round, round_values, rounder, told_by_text, told_by_zeros
from counterfoil.perturbing.templates.tables import template_from
from counterfoil.perturbing.templates.template import Template
from counterfoil.perturbing.templates.variants import CONTROLS, make_variants

INTEREST: dict[str, Any] = {
    "id": "interest",
    "topic": "tests",
    "text": "A deposit of ${amount} earns {rate}% a year, compounded monthly. After a year it is closest to:",
    "answer": "amount * (1 + rate / 12) ^ 12",
    "check": "fv(rate / 12, 12, 0, amount)",
    "distractors": ["amount * (1 + rate)", "amount * (1 + rate / 4) ^ 4"],
    "digits": 0,
    "prefix": "$",
    "slots": {
        "amount": {"original": "20,000", "low": "5,000", "high": "90,000", "step": "100"},
        "rate": {"original": "6", "low": "2", "high": "9.5", "step": "0.25", "percent": True},
    },
    # 20,000 · 1.005^12 = 21,233.56; simple interest gives 21,200, quarterly compounding 21,227.27.
    "options": ["$21,200", "$21,234", "$21,227"],
    "gold": "B",
}


def template(**changes: Any) -> Template:
    return template_from(INTEREST | changes, "tests", "file")


def value(question: Question, letter: str) -> Decimal:
    return numbers.only_number(question.options["ABC".index(letter)]).value


def test_values_are_as_round_as_the_original() -> None:
    slots = template().slots
    # One significant digit: 5,000 to 9,000 and 10,000 to 90,000 in steps of 10,000; 2 to 9.
    assert set(round_values(slots["amount"])) == {Decimal(1000 * n) for n in (5, 6, 7, 8, 9, *range(10, 91, 10))}
    assert set(round_values(slots["rate"])) == set(map(Decimal, range(2, 10)))


def test_where_too_few_values_are_as_round_others_are_taken() -> None:
    # 950 has two significant digits, as 910, 920, 930 and 940 have; 900 and 1,000 have fewer.
    narrow = template(slots=INTEREST["slots"] | {"rate": {"original": "5", "low": "4", "high": "5", "step": "0.25"}})
    # 4 and 5 are as round; 4.5 has a digit more, 4.25 and 4.75 two.
    assert set(round_values(narrow.slots["rate"])) == set(map(Decimal, ("4", "4.25", "4.5", "4.75", "5")))


@pytest.mark.parametrize(
    ("number", "like", "digits", "expected"),
    [
        # One zero at the end, and no 5 before it.
        ("23417", "22890", 0, "23420"),
        # Two zeros are too many: the next one.
        ("23398", "22890", 0, "23410"),
        ("23.417", "96.00", 2, "23.00"),
        ("23.417", "95.00", 2, "25.00"),
        # 95 ends in 5, and so does 25.
        ("23.417", "95", 0, "25"),
    ],
)
def test_a_number_as_round_as_another(number: str, like: str, digits: int, expected: str) -> None:
    assert as_round(Decimal(number), Decimal(like), digits) == Decimal(expected)


def test_how_the_gold_is_told_by_its_zeros() -> None:
    # Of 40.0, 41.3 and 42.0 the first is the roundest and the second the least round; 40.0 and 42.0 end in 0.
    assert told_by_zeros(Decimal("42.0"), [Decimal("40.0"), Decimal("41.3")], 1) == (0, 0, 3)
    # Alone, shared by two, shared by all: 6, 3 and 2 of 6.
    assert told_by_zeros(Decimal("41"), [Decimal("37"), Decimal("40")], 0) == (0, 3, 0)
    assert told_by_zeros(Decimal("41"), [Decimal("37"), Decimal("43")], 0) == (2, 2, 2)


def test_how_the_gold_is_told_by_the_text() -> None:
    # 760 and 1,240 are 240 from 1,000, and share it; 750 is 250 away, and 510 from 240.
    assert told_by_text([760.0, 750.0, 1240.0], [1000.0, 240.0]) == (3, 0, 3)
    assert told_by_text([1.0, 2.0, 3.0], []) == (2, 2, 2)


def test_a_rounder_number_has_one_more_zero() -> None:
    assert rounder(Decimal("1234"), Decimal("570"), 0) == Decimal(1200)
    assert rounder(Decimal("1.26"), Decimal("3.47"), 2) == Decimal("1.30")


def test_options_are_on_the_sides_and_at_the_distances_of_the_printed_ones() -> None:
    made = template()
    # 34 of 21,234 is 0.16 %, 7 of it 0.03 %: closer than 1 %, as printed.
    assert made.apart.units == 4
    assert made.apart.share == Decimal(7) / Decimal(21234)
    assert [option.distractor and option.distractor.source for option in made.printed] == INTEREST["distractors"]
    for question in make_variants(made, 0, [1, 2], ["reoptioned", "stand_in"], count=20)[1:]:
        gold = value(question, question.gold)
        others = [value(question, letter) for letter in LETTERS if letter != question.gold]
        near, far = sorted((gold - other) / gold for other in others)
        # Both printed ones are below the gold; with a digit of rounding no nearer than 1.5 times, and no farther.
        unit = 2 / gold
        assert Decimal("0.0016") / Decimal("1.5") - unit <= far <= Decimal("0.0016") * Decimal("1.5") + unit
        assert Decimal("0.0003") / Decimal("1.5") - unit <= near <= Decimal("0.0003") * Decimal("1.5") + unit


def test_an_option_that_no_distractor_gives_is_made_in_proportion() -> None:
    made = template(options=["$22,295", "$21,234", "$21,200"])
    # 22,295 is 5 % above the gold, as no mistake is.
    assert [option.distractor is None for option in made.printed] == [True, False]
    assert made.printed[0].away == Decimal(1061) / Decimal(21234)
    for question in make_variants(made, 0, [1], count=8)[1:]:
        values = sorted(value(question, letter) for letter in LETTERS)
        assert value(question, question.gold) == values[1]
        # At most 1.5 times nearer or farther than 5 %, so that the gold is told by its zeros as the original's is.
        assert Decimal("0.05") / Decimal("1.5") <= values[2] / values[1] - 1 <= Decimal("0.05") * Decimal("1.5")


def test_reoptioned_has_the_original_numbers_and_all_orders() -> None:
    original, *found = make_variants(template(), 0, [], ["reoptioned"], count=6)
    assert {question.text for question in found} == {original.text}
    assert len({question.options for question in found}) == 6
    # As the gold, 21,234, the wrong ones end neither in 0 nor in 5.
    assert set(found[0].options) == {"$21,201", "$21,227", "$21,234"}
    assert all(question.value == "$21,234" and question.old == question.gold for question in found)
    assert len({question.asked_before for question in (original, *found)}) == 7


def test_stand_ins_have_other_numbers_as_round() -> None:
    *_, one = make_variants(template(), 0, [], CONTROLS, count=1)
    assert one.control == "stand_in"
    assert one.text != make_variants(template(), 0, [])[0].text
    assert {numbers.significant(numbers.read(text).value) for text in numbers.in_text(one.text)} == {1}


def test_lures_come_in_mirrored_pairs() -> None:
    seen = set()
    for seed in range(30):
        lures = make_variants(template(), seed, [], lure=True, count=4)[1:]
        assert len(lures) == 4
        for one, mirror in list(pairwise(lures))[::2]:
            places = []
            for question in (one, mirror):
                assert question.old is not None
                assert question.sham is not None
                new, old, sham = (value(question, letter) for letter in (question.gold, question.old, question.sham))
                assert old == 21234
                # Five digits, and neither 0 nor 5 at the end.
                assert len(f"{sham:f}") == 5
                assert sham % 5
                places.append((new > old) + (new > sham))
                seen.add((places[-1], sham > old))
            # The new gold is in the same place, the old one on the other side of the sham.
            assert places[0] == places[1]
        above = [value(question, question.sham or "") > value(question, question.old or "") for question in lures]
        assert above[0] != above[1]
        assert above[2] != above[3]
    # Below both, or above both; between them there is no room here.
    assert seen == {(place, side) for place in (0, 2) for side in (True, False)}


def test_without_a_mirror_there_is_no_lure_arm() -> None:
    # At least 20,000 and at least 6 %: no answer is below the original's.
    slots = {
        "amount": INTEREST["slots"]["amount"] | {"low": "20,000"},
        "rate": INTEREST["slots"]["rate"] | {"low": "6"},
    }
    assert make_variants(template(slots=slots), 0, [], lure=True)[1:] == []
