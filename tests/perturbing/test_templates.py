"""Reading templates: what is accepted, how numbers are printed, and how each mistake is named."""

from __future__ import annotations

import copy
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.errors import UserError
from counterfoil.memorization.check import main as check
from counterfoil.perturbing.templates import numbers
from counterfoil.perturbing.templates.tables import load_templates, parse_templates, template_from
from counterfoil.perturbing.templates.template import escaped, parse_text

ANNUITY = (Path(__file__).parent / "annuity.toml").read_bytes()


def table() -> dict[str, Any]:
    found: dict[str, Any] = copy.deepcopy(tomllib.loads(ANNUITY.decode())["template"][0])
    return found


def test_the_worked_example_is_read() -> None:
    (template,) = parse_templates(ANNUITY, "annuity.toml")
    assert template.id == "annuity-due"
    assert set(template.text.markers) == {"person", "rate", "years", "payment", "pv"}
    # 2 to 12 by 0.5: 21 values; 500 to 5,000 by 100: 46.
    assert [slot.choices for slot in template.slots.values()] == [21, 21, 46]
    assert template.slots["rate"].high == 12


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("id",), "Annuity Due", "id: it is made of a to z"),
        (("topic",), " ", "topic: it is empty"),
        (("colour",), "red", "it has colour, which is not known"),
        (("text",), "{rate} {years} {payment} {pv} {person} {", "text: the brace at character 40"),
        (("text",), "{rate} {years} {payment} {pv} {person} {tax}", "text: {tax} is nothing that can be printed"),
        (("text",), "{rate} {years} {pv} {person}", "text: {payment} does not occur in it"),
        (("text",), "{rate} {years} {payment} {pv}", "text: {person} does not occur in it"),
        (("text",), "x" * 30_000, "text: it is longer than 20,000"),
        (("answer",), "pv * (1 + tax)", "answer: "),
        (("answer",), "pv > 1", "answer: it is a condition, and must be a number"),
        (("check",), "__import__('os')", "check: "),
        (("check",), "1" * 1_000_000, "check: "),
        (("conditions",), ["answer"], "conditions[0]: it is a number, and must be a condition"),
        (("distractors",), ["pv"], "distractors: there must be two or more"),
        (("digits",), 10, "digits: it must be from 0 to 9"),
        (("prefix",), "{rate}", "prefix: {rate} is nothing that can be printed"),
        (("steps",), "{tax}", "steps: {tax}"),
        (("slots", "rate", "low"), "abc", "slots.rate.low: 'abc' is not a printed number"),
        (("slots", "rate", "low"), float("nan"), "slots.rate.low: 'nan' is not a printed number"),
        (("slots", "rate", "low"), None, "slots.rate.low: it is missing"),
        (("slots", "rate", "low"), "13", "slots.rate.low: it must be below high"),
        (("slots", "rate", "step"), "0", "slots.rate.step: it must be above 0"),
        (("slots", "rate", "step"), "0.00000001", "slots.rate.step: from low to high"),
        (("slots", "rate", "original"), "1", "slots.rate.original: it must be from low to high"),
        (("slots", "payment", "original"), "2000", "slots.payment.original: 2000 would be printed as 2,000"),
        (("slots", "rate", "shape"), 1, "slots.rate: it has shape, which is not known"),
        (("slots", "pv"), {"original": "1", "fixed": True}, "derived.pv: the name is taken"),
        (("slots", "answer"), {"original": "1", "fixed": True}, "slots.answer: the name is taken"),
        (("slots", "a-b"), {"original": "1", "fixed": True}, "slots.a-b: a name is made of"),
        (("derived", "pv", "digits"), -1, "derived.pv.digits: it must be from 0 to 9"),
        (("derived", "pv", "value"), "pv + 1", "derived: pv need each other in a cycle"),
        (("names", "person"), ["Dana"], "names.person: it needs two different words"),
        (("names", "bank"), ["Imani", "Kuhn"], "names.bank: 'Imani' is a choice of another name"),
        (("inverse", 0, "unknown"), "pv", "inverse[0].unknown: 'pv' is not a slot"),
        (("inverse", 0, "text"), "{years} {payment}", "inverse[0].text: it does not give the {answer}"),
        (("inverse", 0, "text"), "{answer} {payment}", "inverse[0].text: it does not give years"),
        (("inverse", 0, "text"), "{answer} {payment} {years} {rate}", "inverse[0].text: {rate} is nothing"),
        (("inverse", 0, "digits"), 0, "inverse[0].digits: the values of rate have more digits"),
        (("options",), ["1", "2"], "options: there must be three"),
        (("gold",), "B", "options: there must be three"),
    ],
)
def test_every_mistake_is_named(path: tuple[str | int, ...], value: object, said: str) -> None:
    wrong = table()
    at: Any = wrong
    for step in path[:-1]:
        at = at[step]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    with pytest.raises(UserError) as error:
        template_from(wrong, "bank.toml", "file")
    assert str(error.value).startswith("bank.toml: template ")
    assert said in str(error.value)
    assert len(str(error.value)) < 400


def test_cycles_between_derived_values_are_refused_and_order_does_not_matter() -> None:
    wrong = table()
    wrong["derived"] |= {"a": {"value": "b + 1"}, "b": {"value": "c"}, "c": {"value": "a * 2"}}
    with pytest.raises(UserError, match="derived: a, b, c need each other in a cycle"):
        template_from(wrong, "x", "file")
    right = table()
    right["derived"] = {"twice": {"value": "2 * pv"}, **right["derived"]}
    assert [derived.name for derived in template_from(right, "x", "file").derived] == ["pv", "twice"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[[template]]\nid = ", "is not valid TOML"),
        (b"\xff", "is not valid TOML"),
        (b"x = " + b"[" * 100_000, "is not valid TOML"),
        (b"a = 1\n[[template]]\nid = 'a'", "must hold [[template]] tables and nothing else; it has a"),
        (b"", "must hold [[template]] tables"),
        (b"[[template]]\nid = 'a'", "template a: it has no "),
        (ANNUITY + b"\n" + ANNUITY, "template annuity-due: id: there is another template with it"),
    ],
)
def test_files_that_are_none_are_refused(content: bytes, said: str) -> None:
    with pytest.raises(UserError) as error:
        parse_templates(content, "file.toml")
    assert said in str(error.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none\.toml can't be read"):
        load_templates(tmp_path / "none.toml")


def test_the_checker_finds_nothing_wrong_with_the_example_and_says_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = tmp_path / "good.toml", tmp_path / "bad.toml"
    good.write_bytes(ANNUITY)
    # An ordinary annuity is no annuity due: answer and check are apart by a factor of 1 + rate.
    bad.write_bytes(ANNUITY.replace(b'check = "annuity_due', b'check = "annuity'))
    assert check([str(good)]) == 0
    assert "1 templates, 1 with level 2, 1 with level 3: 0 problems" in capsys.readouterr().out
    assert check([str(bad)]) == 1
    # 15,443.47 × 1.05 = 16,215.6435 and 2,000 × (1 − 1.05^−10) / 0.05 = 15,443.469859.
    said = capsys.readouterr().out
    assert "rate = 5, years = 10, payment = 2,000 its answer is 16215.6435 and its check 15443.4698" in said


@pytest.mark.parametrize(
    ("text", "value", "decimals", "plain"),
    [
        ("2,000", "2000", 0, False),
        ("2000", "2000", 0, True),
        ("2.50", "2.5", 2, False),
        ("-1,234.5", "-1234.5", 1, False),
        ("\u2013$420,000", "-420000", 0, False),
        ("\u22120.5", "-0.5", 1, False),
        ("+3", "3", 0, False),
    ],
)
def test_reading_numbers(text: str, value: str, decimals: int, plain: bool) -> None:
    number = numbers.read(text)
    assert (number.value, number.decimals, number.plain) == (Decimal(value), decimals, plain)


@pytest.mark.parametrize("text", ["", "NaN", "1e5", "1,00", "12,3456", "1.", "--1", "1 000", "٣", "$", "9" * 40, "inf"])
def test_what_is_no_number(text: str) -> None:
    with pytest.raises(ValueError, match=r"printed number|digits"):
        numbers.read(text)


def test_printing_numbers() -> None:
    # Halves go away from 0; zeros at the end go, down to what the original has; nothing is -0.
    assert numbers.printed(Decimal("1234.565"), 2) == "1,234.57"
    assert numbers.printed(Decimal("-2.5"), 0) == "-3"
    assert numbers.printed(Decimal("-0.001"), 2) == "0.00"
    assert numbers.printed(Decimal("5"), 2, at_least=0) == "5"
    assert numbers.printed(Decimal("5.5"), 2, at_least=0) == "5.5"
    assert numbers.printed(Decimal("3"), 2, at_least=1) == "3.0"
    assert numbers.printed(Decimal("2024"), 0, plain=True) == "2024"
    assert numbers.with_unit("-5.00", "$", " million") == "-$5.00 million"
    assert numbers.with_unit("-5", "", "%") == "-5%"
    assert numbers.with_unit("-5", "CHF ", "") == "CHF -5"
    assert numbers.with_unit("-5", "a gain of $", ".") == "a gain of -$5."
    assert (numbers.meant(Decimal(5), True), numbers.shown(Decimal("0.05"), True)) == (Decimal("0.05"), Decimal(5))


@given(st.decimals(min_value=-(10**12), max_value=10**12, places=4), st.integers(0, 6), st.booleans())
def test_what_is_printed_is_read_back(value: Decimal, digits: int, plain: bool) -> None:
    back = numbers.read(numbers.printed(value, digits, plain=plain))
    assert back.value == numbers.rounded(value, digits)
    assert back.decimals == digits


def test_the_one_number_of_an_option() -> None:
    for option, number in [("$14,708.", "$14,708"), ("–12.5 percent.", "–12.5"), ("1.5", "1.5"), ("10-year", "10")]:
        start, end = numbers.only(option)
        assert option[start:end] == number
    for option in ("maturity.", "1 to 5.", "5-10"):
        with pytest.raises(ValueError, match="number"):
            numbers.only(option)


@given(st.text(max_size=50))
def test_escaped_words_come_back(words: str) -> None:
    assert parse_text(escaped(words)).render({}) == words
