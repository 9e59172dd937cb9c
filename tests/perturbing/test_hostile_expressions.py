"""What the language does not have is refused before anything is computed, with reason and position."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.perturbing.expressions.functions import FUNCTIONS
from counterfoil.perturbing.expressions.language import ExpressionError, parse

NAMES = ["x", "rate", "__class__"]


@pytest.mark.parametrize(
    ("source", "reason", "position"),
    [
        # Reaching out.
        ("__import__('os')", "unknown function '__import__'", 1),
        ("1 + eval(x)", "unknown function 'eval'", 5),
        ("x(1)", "unknown function 'x'", 1),
        ("(1).__class__", "no attribute access", 4),
        ("x.real", "no attribute access", 2),
        ("1.real", "operator is missing before 'real'", 3),
        ("x[0]", "operator is missing before '['", 2),
        ("open", "unknown name 'open'", 1),
        ("x + 'a'", "no strings", 5),
        ('"a"', "no strings", 1),
        ("x = 1", "no assignment", 3),
        ("x := 1", "unexpected ':'", 3),
        ("lambda: x", "unexpected ':'", 7),
        ("x; x", "unexpected ';'", 2),
        ("{x}", "unexpected '{'", 1),
        ("x if x else x", "operator is missing before 'if'", 3),
        ("x # y", "unexpected '#'", 3),
        ("x % 2", "unexpected '%'", 3),
        ("x // 2", "unexpected '/'", 4),
        ("if + 1", "unknown name 'if'", 1),
        # Numbers that are none, or too long.
        ("nan", "not a number", 1),
        ("1 + inf", "not a number", 5),
        ("Infinity", "not a number", 1),
        ("1e61", "beyond 10^60", 1),
        ("2 * 1e-61", "beyond 10^60", 5),
        ("1e" + 2000 * "9", "beyond 10^60", 1),
        (61 * "9", "more than 60 digits", 1),
        ("0." + 60 * "1", "more than 60 digits", 1),
        ("1_000", "operator is missing before '_000'", 2),
        ("0x10", "operator is missing before 'x10'", 2),
        ("1.2.3", "operator is missing before '.3'", 4),
        ("٣ + 1", "unexpected '\\u0663'", 1),
        ("1 + ３", "unexpected '\\uff13'", 5),
        ("ｘ", "unexpected '\\uff58'", 1),
        ("x\0", "unexpected '\\x00'", 2),
        ("x\u00a0+ 1", "unexpected '\\xa0'", 2),
        # Not finished, or not begun.
        ("", "ends too early", 1),
        (" ", "ends too early", 2),
        ("(", "ends too early", 2),
        ("(x", "')' is missing for the '(' of character 1", 3),
        ("[x", "']' is missing for the '[' of character 1", 3),
        ("(x]", "')' is missing for the '(' of character 1: found ']'", 3),
        ("x)", "unexpected ')'", 2),
        ("x +", "ends too early", 4),
        ("* x", "unexpected '*'", 1),
        ("+x", "unexpected '+'", 1),
        ("x x", "operator is missing before 'x'", 3),
        ("2x", "operator is missing before 'x'", 2),
        ("2(x)", "operator is missing before '('", 2),
        ("1,000", "unexpected ','", 2),
        ("irr([])", "unexpected ']'", 6),
        # The wrong arguments.
        ("pv", "the function pv without its arguments", 1),
        ("pv(1, 2)", "pv takes 4 arguments (rate, n, pmt, fv), not 2", 1),
        ("sqrt(1, 2)", "sqrt takes 1 argument (x), not 2", 1),
        ("if(x > 1, 2)", "if takes 3 arguments (condition, then, otherwise), not 2", 1),
        ("sum(i, 1, 2)", "',' is missing for the '(' of character 4: found ')'", 12),
        ("sum(1, 1, 2, x)", "needs the name of a variable", 5),
        ("sum(x, 1, 2, x)", "the variable 'x' of a sum is taken", 5),
        ("sum(i, 1, 2, sum(i, 1, 2, 1))", "the variable 'i' of a sum is taken", 18),
        ("sum(i, 1, 2, i) + i", "unknown name 'i'", 19),
        ("sum(i, 1, i, 1)", "unknown name 'i'", 11),
        ("irr(x)", "a list is expected and not a number", 5),
        ("sqrt([x])", "a number is expected and not a list", 6),
        ("[x]", "list can only be given to a function", 1),
        ("irr([[x], 1])", "a number is expected and not a list", 6),
        ("min([x], 1)", "a number is expected and not a list", 5),
        ("1 + (x > 2)", "a number is expected and not a condition", 5),
        ("x > 2 == x > 3 and x", "a condition is expected and not a number", 20),
        ("if(x, 1, 2)", "a condition is expected and not a number", 4),
        ("not x", "a condition is expected and not a number", 5),
        ("-(x > 1)", "a number is expected and not a condition", 2),
        ("(x > 1) ^ 2", "a number is expected and not a condition", 1),
        ("sqrt(x > 1)", "a number is expected and not a condition", 6),
        # Too much.
        ("9**9**9", "the exponent is beyond 1,000,000", 1),
        ("x + 9^999999", "the power is beyond 10^300", 5),
        ("x + 0.1^301", "the power is beyond 10^300", 5),
        ("x * 10 ^ 300 ^ 0.5 ^ -9", "the power is beyond", 10),
        ("exp(exp(exp(9)))", "the power is beyond", 5),
        ("sum(i, 1, 10^12, x)", "more than 10,000 terms", 1),
        ("sum(i, -10^12, 0, i)", "more than 10,000 terms", 1),
        ("sum(i, 10^12, 10^12, i)", "whole numbers up to 1,000,000,000", 1),
        ("sum(i, 1, 10000, sum(j, 1, 10000, x))", "more than 400,000 steps", 18),
        ("sum(i, 1, 10000, rate(i, 1, 2, x))", "more than 400,000 steps", 1),
        ("x + " + " + ".join(100 * ["sum(i, 1, 9999, i)"]), "more than 400,000 steps", None),
        ("x" + 200 * "+irr([-1, x])", "more than 400,000 steps", 1),
        (51 * "(" + "x" + 51 * ")", "nested deeper than 50", 51),
        (51 * "-" + "x", "nested deeper than 50", 51),
        (60 * "not " + "x > 1", "nested deeper than 50", None),
        ("x" + 60 * "^x", "nested deeper than 50", None),
        (60 * "abs(" + "x" + 60 * ")", "nested deeper than 50", None),
        # Three steps for each bracket.
        (49 * "(" + "x" + 49 * ") ^ 2 * x + x", "nested in more than 100 steps", 16),
        (500 * "(", "nested deeper than 50", 51),
        ("mean([" + ",".join(1001 * ["x"]) + "])", "more than 1,000 items", None),
        ("x" + 4000 * " ", "too long (4,001 characters", 4001),
        ("x+" * 500_000, "too long (1,000,000 characters", 4001),
        ("(" * 1_000_000, "too long", 4001),
        # What is known before any values are.
        ("x + 1 / 0", "division by zero in '1 / 0'", 5),
        ("x + 0 / 0", "division by zero", 5),
        ("if(x > 1, 1 / (2 - 2), 3)", "division by zero", 11),
        ("x * sqrt(-1)", "no square root", 5),
        ("0 ^ 0", "0 has no power", 1),
        ("(-8) ^ (1 / 3)", "no power that is not whole in '(-8) ^ (1 / 3)'", 1),
    ],
)
def test_is_refused_with_reason_and_position(source: str, reason: str, position: int | None) -> None:
    with pytest.raises(ExpressionError) as refused:
        parse(source, NAMES)
    assert reason in refused.value.reason
    assert position is None or refused.value.position == position
    assert len(str(refused.value)) < 250


def test_what_is_just_within_the_limits() -> None:
    for source in (
        49 * "(" + "x" + 49 * ")",
        60 * "9" + " + x",
        "1e60 * 1e-60 * x",
        "mean([" + ",".join(1000 * ["x"]) + "])",
        "+".join(1000 * ["x"]),
        "*".join(1000 * ["1"]) + "*x",
        " and ".join(300 * ["x > 0"]),
        "sum(i, 1, 10000, x / (1 + rate) ^ i)",
        "9 ^ 300 + x",
    ):
        assert parse(source, NAMES).names <= set(NAMES)


@given(st.text())
def test_any_text_is_parsed_or_refused(source: str) -> None:
    _parse_or_refuse(source)


WORDS = ["x", "rate", "i", "and", "or", "not", "if", "sum", "min", "nan", "1", "0", "2.5", "9e9", ".", "'", "\0", "١"]
SIGNS = ["+", "-", "*", "/", "^", "**", "<", "==", "!=", "=", "(", ")", "[", "]", ",", " "]


@given(st.lists(st.sampled_from([*WORDS, *SIGNS, *FUNCTIONS]), max_size=30))
def test_any_words_of_the_language_are_parsed_or_refused(words: list[str]) -> None:
    _parse_or_refuse(" ".join(words))


@given(
    st.sampled_from(sorted(FUNCTIONS)),
    st.lists(st.sampled_from(["x", "0", "-1", "0.5", "1e60", "[1, -x]"]), max_size=5),
)
def test_any_call_is_parsed_or_refused(function: str, arguments: list[str]) -> None:
    _parse_or_refuse(f"{function}({', '.join(arguments)})")


def _parse_or_refuse(source: str) -> None:
    try:
        expression = parse(source, NAMES)
    except ExpressionError as error:
        _check(error, source)
        return
    assert expression.names <= set(NAMES)
    for x in (0.0, -2.5, 1e-30, 1e60, float("nan"), float("inf")):
        compute = (
            lambda values: expression.decimal({name: Decimal(value) for name, value in values.items()}),
            expression.float,
        )
        for number in compute:
            try:
                assert Decimal(number(dict.fromkeys(NAMES, x))).is_finite()
            except ExpressionError as error:
                _check(error, source)


def _check(error: ExpressionError, source: str) -> None:
    assert 1 <= error.position <= len(source) + 1
    assert str(error).endswith(f" at character {error.position}")
