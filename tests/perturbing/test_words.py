"""Numbers in words, as dates and as times; listed values; clauses that come and go."""

from __future__ import annotations

import copy
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.errors import UserError
from counterfoil.perturbing.templates import draws, wording, words
from counterfoil.perturbing.templates.tables import template_from
from counterfoil.perturbing.templates.template import Template

BAKERY: dict[str, Any] = {
    "id": "bakery",
    "topic": "school maths",
    "text": "{trays} {trays:tray|trays} of {packs:words} {unit} rolls; {share} are sold.{thrown} {{left?}}",
    "answer": "trays * packs * unit * (1 - share) - stale",
    "check": "trays * packs * unit - trays * packs * unit * share - stale",
    "distractors": ["trays * packs * unit", "trays * packs * unit * share / 2"],
    "digits": 0,
    "slots": {
        "trays": {"original": "3", "low": "1", "high": "9", "step": "1"},
        "packs": {"original": "2", "low": "2", "high": "5", "step": "1"},
        "unit": {"original": "dozen", "values": {"dozen": 12, "score": 20}},
        "share": {"original": "1/2", "values": ["1/2", "1/3", "3/4"]},
        "stale": {"original": "0", "low": "0", "high": "8", "step": "1"},
    },
    "clauses": {"thrown": {"when": "stale > 0", "text": " {stale} {stale:is|are} stale."}},
}


def bakery(*changes: tuple[str, Any]) -> Template:
    table = copy.deepcopy(BAKERY)
    for path, value in changes:
        *parents, last = path.split(".")
        place = table
        for parent in parents:
            place = place[parent]
        place[last] = value
    return template_from(table, "bakery.toml", "file")


def text(template: Template, **slots: str) -> tuple[str, Decimal]:
    values = {name: Decimal(value) for name, value in slots.items()}
    draw = draws.work_out(template, draws.original_slots(template) | values)
    return template.text.render(wording.printed(template, draw, {})), draw.answer


def test_words_units_plurals_and_clauses_follow_the_numbers() -> None:
    # 3 × 2 × 12 = 72, half of them 36.
    assert text(bakery()) == ("3 trays of two dozen rolls; 1/2 are sold. {left?}", 36)
    # 1 × 5 × 20 = 100, a half of them, less 1.
    changed = text(bakery(), trays="1", packs="5", unit="20", stale="1")
    assert changed == ("1 tray of five score rolls; 1/2 are sold. 1 is stale. {left?}", 49)
    # A third of 72 is 24, and 72 - 24 - 2 = 46: the digits that 1/3 lacks do not show.
    third = bakery().slots["share"].value(1)
    draw = draws.work_out(bakery(), draws.original_slots(bakery()) | {"share": third, "stale": Decimal(2)})
    assert draw.answer == 46
    assert bakery().text.render(wording.printed(bakery(), draw, {})).endswith("1/3 are sold. 2 are stale. {left?}")


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("text", "{trays:roman} {packs} {unit} {share} {stale} {thrown}", "{trays:roman}: there is no form 'roman'"),
        ("text", "{trays} {packs} {unit} {share:date} {thrown}", "{share:date}: 1/2 is not a whole number"),
        ("text", "{trays} {packs} {unit} {share}", "{thrown} does not occur in it"),
        ("clauses.thrown.when", "stale", "clauses.thrown.when: it is a number, and must be a condition"),
        ("clauses.thrown.text", "{thrown}", "clauses.thrown.text: {thrown} is nothing that can be printed"),
        ("clauses.trays", {"when": "stale > 0", "text": ""}, "clauses.trays: the name is taken"),
        ("slots.unit.original", "gross", "slots.unit.original: 'gross' must be one of the values"),
        ("slots.unit.values", {"dozen": 12}, "slots.unit.values: there must be two different"),
        ("slots.unit.values", {"dozen": 12, "many": "many"}, "slots.unit.values: 'many' is not a printed number"),
        ("slots.unit.low", "1", "slots.unit: it has values, and then no low"),
    ],
)
def test_a_wrong_form_value_or_clause_is_named(path: str, value: Any, said: str) -> None:
    with pytest.raises(UserError) as error:
        bakery((path, value))
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("number", "form", "printed"),
    [
        ("0", "words", "zero"),
        ("21", "words", "twenty-one"),
        ("105", "words", "one hundred five"),
        ("2400", "words", "two thousand four hundred"),
        ("3/4", "words", "three-quarters"),
        ("2/21", "words", "two-twenty-firsts"),
        ("5/2", "words", "two and a half"),
        ("3/4", "fraction", "3/4"),
        ("2", "times", "twice"),
        ("5", "times", "five times"),
        ("1/3", "times", "one-third"),
        ("3", "multiple", "triple"),
        ("12", "ordinal", "twelfth"),
        ("40", "ordinal", "fortieth"),
        ("111", "th", "111th"),
        ("22", "th", "22nd"),
        ("1", "egg|eggs", "egg"),
        ("0", "egg|eggs", "eggs"),
        ("60", "date", "March 1"),  # 31 + 28 + 1
        ("366", "date", "January 1"),
        ("0", "time", "12:00 a.m."),
        ("870", "time", "2:30 p.m."),  # 14 · 60 + 30
        ("725", "clock", "12:05"),
        ("85", "duration", "1 hour 25 minutes"),
        ("120", "duration", "2 hours"),
    ],
)
def test_forms(number: str, form: str, printed: str) -> None:
    assert words.shaped(Fraction(number), form) == printed


@pytest.mark.parametrize(
    ("word", "form", "printed"),
    [
        ("glass", "plural", "glasses"),
        ("berry", "plural", "berries"),
        ("day", "plural", "days"),
        ("ounces", "plural", "ounces"),
        ("hour", "a", "an hour"),
        ("unit", "a", "a unit"),
        ("apple", "a", "an apple"),
        ("80-year bond", "a", "an 80-year bond"),
        ("7", "a", "a 7"),
        ("iPad", "capital", "IPad"),
    ],
)
def test_forms_of_words(word: str, form: str, printed: str) -> None:
    assert words.TEXT_FORMS[form](word) == printed


def test_a_name_has_the_forms_of_words_and_no_others() -> None:
    template = bakery(
        ("text", "{unit:capital} {unit:a}: {grain:plural capital} {packs:words capital}. {trays} {share} {thrown}"),
        ("names", {"grain": ["rye", "berry"]}),
    )
    draw = draws.work_out(template, draws.original_slots(template))
    printed = template.text.render(wording.printed(template, draw, {"grain": "berry"}))
    assert printed == "Dozen a dozen: Berries Two. 3 1/2 "
    with pytest.raises(UserError, match="only a number has this form"):
        bakery(("text", "{grain:words} {unit} {packs} {trays} {share} {thrown}"), ("names", {"grain": ["rye", "oat"]}))


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("1,200", "1200"),
        ("400 000", "400000"),
        ("0.25", "1/4"),
        ("1/16", "1/16"),
        ("Twenty", "20"),
        ("three quarters", "3/4"),
        ("one-fifth", "1/5"),
        ("a third", "1/3"),
        ("two and a half", "5/2"),
        ("thrice", "3"),
        ("four times", "4"),
    ],
)
def test_words_are_read(said: str, number: str) -> None:
    assert words.read_number(said) == Fraction(number)


@pytest.mark.parametrize("said", ["shark", "", "1/0", "one and two", "half a pie", "1.2.3"])
def test_what_is_no_number_is_not_read(said: str) -> None:
    assert words.read_number(said) is None


@given(st.fractions(min_value=0, max_value=1000, max_denominator=100))
def test_what_is_written_in_words_is_read_again(number: Fraction) -> None:
    assert words.read_number(words.words_of(number)) == number


@given(st.integers(0, 500), st.integers(1, 900))
def test_a_decimal_of_a_fraction_is_that_fraction(above: int, below: int) -> None:
    from counterfoil.perturbing.templates.numbers import quotient

    assert words.exact(quotient(above, below)) == Fraction(above, below)
