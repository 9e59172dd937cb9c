"""The form: what is asked of which task, and which values answer it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.bias.suite import suite as bias
from counterfoil.errors import UserError
from counterfoil.explain.metrics import BANDS
from counterfoil.explain.people import FORM as EXPLAIN
from counterfoil.memorization.suite import FORM as MEMORIZATION
from counterfoil.rating.store import LONGEST_TEXT, checked_item, checked_value
from counterfoil.suite.form import Task
from counterfoil.suite.opinions import items, names_in, plain_number

assert bias.form is not None
BIAS = bias.form
FORMS = {form.suite: form for form in (EXPLAIN, BIAS, MEMORIZATION)}
NAMED = Task(id=1, question="Which?", right="Gold", reply="Gold, not A or B.", alternatives=("A", "B"))
BARE = Task(id=2, question="Which?", right="Gold", reply="Gold.")


def test_what_is_asked_of_a_reply_that_names_alternatives() -> None:
    aspects = ("plausible", "clear", "accurate", "convincing")
    expected = ["correct", "confusion", *(f"{it}.0" for it in aspects), *(f"{it}.1" for it in aspects)]
    assert [item.key for item in items(EXPLAIN, NAMED)] == [*expected, "misread", "missing", "unneeded"]
    assert [item.key for item in items(EXPLAIN, BARE)] == ["correct", "confusion", "misread", "missing", "unneeded"]


def test_of_the_other_suites_only_what_was_answered() -> None:
    with_options = Task(id=1, question="?", right="A: x", reply="A", options=("x", "y", "z"))
    assert [item.key for item in items(BIAS, with_options)] == ["answer"]
    assert [item.key for item in items(MEMORIZATION, with_options)] == ["answer"]
    assert [item.key for item in items(MEMORIZATION, BARE)] == ["number"]


def test_the_anchors_are_the_bands_of_the_scale() -> None:
    anchors = EXPLAIN.question("confusion").anchors
    assert [(it.low, it.high) for it in anchors] == list(BANDS)
    assert anchors[0].words == "Straightforward; people rarely mix it up."


def test_the_version_is_that_of_every_word() -> None:
    assert len({form.version for form in FORMS.values()}) == 3
    first, *rest = EXPLAIN.questions
    changed = msgspec.structs.replace(first, text=f"{first.text}!")
    assert msgspec.structs.replace(EXPLAIN, questions=(changed, *rest)).version != EXPLAIN.version
    again = msgspec.json.decode(msgspec.json.encode(EXPLAIN), type=type(EXPLAIN))
    assert again.version == EXPLAIN.version


@pytest.mark.parametrize(
    ("name", "value", "stored"),
    [
        ("correct", True, True),
        ("correct", False, False),
        ("confusion", 0, 0.0),
        ("confusion", "66", 66.0),
        ("confusion", 100.0, 100.0),
        ("missing", "  ", ""),
        ("missing", " Sydney \n", "Sydney"),
    ],
)
def test_values_that_answer(name: str, value: Any, stored: Any) -> None:
    found = checked_value(EXPLAIN.question(name), value)
    assert found == stored
    assert type(found) is type(stored)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("correct", "yes", "the answer is yes or no"),
        ("correct", 1, "the answer is yes or no"),
        ("correct", None, "the answer is yes or no"),
        *[("confusion", value, "a number from 0 to 100") for value in (-1, 100.5, "many", True, None, "nan", 10**400)],
        ("missing", 5, "the answer is a text"),
        ("missing", "x" * (LONGEST_TEXT + 1), "at most 5,000 characters"),
        ("missing", "a\0b", "a text of at most"),
    ],
)
def test_values_that_do_not(name: str, value: Any, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        checked_value(EXPLAIN.question(name), value)


def test_choices_and_numbers() -> None:
    assert checked_value(BIAS.question("answer"), "none") == "none"
    with pytest.raises(UserError, match="one of A, B, C, none, not 'D'"):
        checked_value(BIAS.question("answer"), "D")
    number = MEMORIZATION.question("number")
    assert checked_value(number, "") == ""
    assert checked_value(number, "$1,234.50") == "$1,234.50"
    assert plain_number("$1,234.50", "number") == Decimal("1234.5")
    assert plain_number("−15.5 %", "number") == Decimal("-15.5")
    for odd in ("about 5", "nan", "Infinity", "1e"):
        with pytest.raises(UserError, match="is no number"):
            checked_value(number, odd)


@given(st.one_of(st.text(), st.integers(), st.floats(), st.booleans(), st.none(), st.lists(st.integers())))
def test_any_value_is_stored_or_refused_in_a_sentence(value: Any) -> None:
    for form in FORMS.values():
        for question in form.questions:
            try:
                stored = checked_value(question, value)
            except UserError:
                continue
            assert msgspec.json.decode(msgspec.json.encode(stored)) == stored
            assert checked_value(question, stored) == stored


def test_what_there_is_not() -> None:
    with pytest.raises(UserError, match=r"no question 'clear\.2'"):
        checked_item(EXPLAIN, NAMED, "clear.2")
    with pytest.raises(UserError, match="no question 'judge'"):
        EXPLAIN.question("judge")


def test_names_in_a_free_text() -> None:
    assert names_in("Sydney; Melbourne\n\n  sydney\n;Perth ") == ["sydney", "Melbourne", "Perth"]
    assert names_in(" \n; ") == []
