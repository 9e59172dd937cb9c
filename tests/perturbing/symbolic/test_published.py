"""Published templates as templates of ours: the text, the numbers, what follows from them, and why some can't be."""

from __future__ import annotations

import json
from collections import Counter
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.perturbing.symbolic.published import Row, template_of, templates_of
from counterfoil.perturbing.symbolic.syntax import Unexpressed
from counterfoil.perturbing.templates import draws, wording
from counterfoil.perturbing.templates.template import Template
from symbolic_rows import EGGS, TRIP, row

DATA = Path(__file__).parents[4] / "shared" / "data" / "gsm"


def rendered(template: Template, names: dict[str, str] | None = None, **slots: str) -> tuple[str, Decimal]:
    values = draws.original_slots(template) | {name: Decimal(value) for name, value in slots.items()}
    draw = draws.work_out(template, values, conditions=False)
    return template.text.render(wording.printed(template, draw, template.first_names | (names or {}))), draw.answer


def test_the_text_is_the_originals_with_other_numbers() -> None:
    template = template_of(row(), "eggs")
    assert rendered(template)[0] == (
        "Ada fills three cartons with 12 eggs each. Half of the eggs are white, the rest are brown. Brown eggs cost "
        "$0.50 each. How much do the brown eggs cost in a week?"
    )
    assert template.own_text == "Ada's own words"
    # 5 boxes of 18 are 90 eggs; three quarters of them are white, and 22.5 brown ones at 0.50 cost 11.25: int gives 11.
    text, answer = rendered(template, boxes="5", n="18", share="0.75")
    assert text.startswith("Ada fills five cartons with 18 eggs each. Three-quarters of the eggs")
    assert answer == 11


def test_words_change_as_the_sentence_wants_them() -> None:
    template = template_of(row(), "eggs")
    text, _ = rendered(template, {"kind": "box", "c2": "blue"})
    assert "three boxes with" in text
    assert "the rest are blue. Blue eggs cost" in text
    # `when` decides on the answer: it stays. No word is a choice of two names.
    assert set(template.names) == {"name", "kind", "c1", "c2", "cur"}
    assert template.names["kind"] == ("carton", "box", "tray")
    choices = [word for words in template.names.values() for word in words]
    assert len(choices) == len(set(choices))


def test_conditions_and_the_check_are_those_of_the_publisher() -> None:
    template = template_of(row(), "eggs")
    # 3 · 6 · 1/4 = 4.5 eggs.
    slots = draws.original_slots(template) | {"n": Decimal(6), "share": Decimal("0.25")}
    with pytest.raises(draws.Rejected, match="the condition"):
        draws.work_out(template, slots)
    assert template.check.source != template.answer.source
    # Of 2 to 8 boxes, 2 to 7: up to the double of three, and six values at least.
    assert [slot.choices for slot in template.slots.values()] == [6, 4, 19, 3]


def test_numbers_that_the_text_does_not_give_follow_from_the_others() -> None:
    template = template_of(row(TRIP, "#### 150", ""), "trip")
    assert [value.name for value in template.derived] == ["k", "total"]
    # 50 + 30 = 80 = k, and 80 + 70 = 150.
    assert rendered(template, a="50", b="30") == (
        "Ben drives 50 miles and then 30 more. He has 70 miles left of 150.",
        150,
    )
    # The range of b ends before a.
    with pytest.raises(draws.Rejected, match="b < a"):
        draws.work_out(template, draws.original_slots(template) | {"a": Decimal(40), "b": Decimal(45)})


DICE = """{n,Cleo} rolls a {die,six-sided} die {m,2} times. How many points are the most?
#init:
- n = sample(names)
- die, $sides = sample([("four-sided", 4), ("six-sided", 6), ("ten-sided", 10)])
- $m = range(2, 9)
#answer: sides * m
"""


def test_a_word_can_stand_for_a_number() -> None:
    template = template_of(row(DICE, "#### 12", ""), "dice")
    assert rendered(template, sides="10", m="3") == (
        "Cleo rolls a ten-sided die 3 times. How many points are the most?",
        30,
    )


SHAPES = """On the {d,3rd} day, in the {w,second} week, {n,Six} people pay {p,$5} each for a {s,two-sided} card \
with {r,10%} off, at {t,8 AM}. In all?

# Init :
$d = range(2, 30)
$w=range(1, 9)   # weeks
- $n = range(2, 40)
- $p = range(2, 30)
- $s = range(2,
    9)
- $r = range(5, 60, 5)
- $t = range(6, 12)
#condition
(d > 0)
#ANSWER:
 d + w + n * p +
 s + r + t
"""


def test_numbers_keep_the_shape_of_the_originals() -> None:
    # 3 + 2 + 6 · 5 + 2 + 10 + 8 = 55.
    template = template_of(row(SHAPES, "#### 55", ""), "shapes")
    text, answer = rendered(template, d="22", w="12", n="21", p="7", s="4", r="25", t="9")
    assert text == (
        "On the 22nd day, in the twelfth week, twenty-one people pay $7 each for a four-sided card with 25% off, at "
        "9 AM. In all?"
    )
    assert answer == 22 + 12 + 147 + 4 + 25 + 9


@pytest.mark.parametrize(
    ("annotated", "answer", "kind"),
    [
        (EGGS, "no number", "its solution gives no answer"),
        (EGGS, "#### 10", "its formula does not give the original's answer"),
        (EGGS.split("#answer")[0], "#### 9", "its annotation has no text, no #init or no #answer"),
        (EGGS.replace("#answer: int(", "#answer: cube("), "#### 9", "a function that our language does not have"),
        (EGGS.replace("#answer: int(", "#answer: q * int("), "#### 9", "a name that nothing defines"),
        (EGGS.replace("{n, 12}", "{n, several}"), "#### 9", "a number whose original value can't be read"),
        (EGGS.replace("in a {when", "for {p,0.75} a {when"), "#### 9", "a number with two original values"),
        (TRIP.replace("- k == a + b", "- k > a + b"), "#### 150", "a number that the text does not give"),
        (EGGS.replace("- $n = ", "- n is "), "#### 9", "a line of #init that assigns nothing"),
    ],
)  # fmt: skip
def test_what_can_not_be_expressed_has_a_reason(annotated: str, answer: str, kind: str) -> None:
    with pytest.raises(Unexpressed) as error:
        template_of(row(annotated, answer, ""), "eggs")
    assert error.value.kind == kind


def test_a_wrong_formula_beside_a_right_one_is_not_used() -> None:
    template = template_of(row(EGGS.replace("#answer: int(", "#answer: 1 + int(")), "eggs")
    assert rendered(template)[1] == 9


PARTS = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    '"',
    "#init:",
    "\n- ",
    "$",
    "range(",
    "sample(",
    "0",
    "/",
    "**",
    "if",
    "\0",
    "==",
]


@given(st.lists(st.tuples(st.integers(0, len(EGGS)), st.integers(0, 6), st.sampled_from(["", *PARTS])), max_size=3))
def test_any_annotation_is_expressed_or_has_a_reason(edits: list[tuple[int, int, str]]) -> None:
    text = EGGS
    for place, length, part in edits:
        text = text[:place] + part + text[place + length :]
    templates, refused = templates_of([row(text)])
    assert len(templates) + len(refused) == 1


def published() -> list[Row]:
    path = DATA / "gsm_symbolic_dev.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is not here")
    return [msgspec.convert(json.loads(line), Row) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.heavy
def test_all_published_templates_give_their_originals_answers() -> None:
    rows = published()
    templates, refused = templates_of(rows)
    assert (len(templates), Counter(one.kind for one in refused)) == (50, {})
    for template, one in zip(templates, rows, strict=True):
        draw = draws.work_out(template, draws.original_slots(template), conditions=False)
        assert draw.answer == Decimal(one.answer.rpartition("####")[2].strip().replace(",", ""))
        assert template.own_text == one.question
