from __future__ import annotations

import math
import pickle
from decimal import Decimal, getcontext, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.errors import UserError
from counterfoil.perturbing.expressions.arithmetic import CONTEXT
from counterfoil.perturbing.expressions.language import ExpressionError, parse

VALUES = {"x": Decimal(7), "y": Decimal("0.5"), "rate": Decimal("0.05"), "n": Decimal(10)}
FLOATS = {name: float(number) for name, number in VALUES.items()}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("10 - 4 - 3", "3"),
        ("24 / 4 / 3 * 2", "4"),
        ("2 ^ 3 ^ 2", "512"),  # from the right: 2^9
        ("2 ** 3 ** 2", "512"),
        ("-2 ^ 2", "-4"),  # the power binds tighter than the sign
        ("2 ^ -2", "0.25"),
        ("2 * -3", "-6"),
        ("--x", "7"),
        ("(-2) ^ 3", "-8"),
        ("4 ^ 0.5 + 4 ^ 1.5", "10"),
        ("0 ^ 2", "0"),
        (".5 + 1. + 2e1 + 1E-1", "21.6"),
        ("x * y", "3.5"),
        ("min(x, 3, 5) + max(x, 3)", "10"),
        ("min([4, x]) + max([1])", "5"),
        ("if(x > 3 and y < 1, 10, 20)", "10"),
        ("if(x > 3 and y > 1, 10, 20)", "20"),
        ("if(not x > 3 or y == 0.5, 10, 20)", "10"),
        ("sum(i, 1, n, i)", "55"),
        ("sum(i, 3, 2, i)", "0"),
        ("sum(i, -1, 1, i ^ 2)", "2"),
        ("sum(i, 1, 3, sum(j, 1, i, j)) + sum(i, 1, 2, i)", "13"),  # 1 + 3 + 6, and 3
        ("npv(0, [x, -2, y * 2])", "6"),
        ("round(2.675, 2)", "2.68"),
        ("round(-2.5, 0)", "-3"),
        ("round(1234.5, -2)", "1200"),
        ("round(1250, -2)", "1300"),
        ("abs(-y)", "0.5"),
        # A name before a bracket is a function, any other a value.
        ("rate(1, 0, 100, 105) / rate", "1"),
    ],
)
def test_values(source: str, expected: str) -> None:
    expression = parse(source, VALUES)
    assert abs(expression.decimal(VALUES) - Decimal(expected)) < Decimal("1e-25")
    assert expression.float(FLOATS) == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x == 7", True),
        ("x != 7", False),
        ("x <= 7 and x >= 7", True),
        ("1 < x < 8", True),
        ("1 < x < 7", False),
        ("8 > x > 9", False),
        ("not x == 7", False),
        ("not not x == 7", True),
        ("x == 1 or x == 2 or x == 7", True),
        ("x == 7 or x == 1 and x == 2", True),  # `and` binds tighter
        ("(x == 7 or x == 1) and x == 2", False),
        ("y * 2 == 1", True),
        # What is not needed is not computed: there is no 1/0.
        ("x == 7 or 1 / (x - 7) > 0", True),
        ("x != 7 and 1 / (x - 7) > 0", False),
    ],
)
def test_conditions(source: str, expected: bool) -> None:
    assert parse(source, VALUES).holds(VALUES) is expected


def test_an_expression_knows_its_source_and_its_names() -> None:
    expression = parse("sum(i, 1, n, x / i)", VALUES)
    assert expression.source == "sum(i, 1, n, x / i)"
    assert expression.names == {"n", "x"}


def test_the_annuity_of_the_cfa_study() -> None:
    # The rate goes from 5 % to 7 %: 14,047.16 for the ordinary annuity, 15,030.46 for the annuity due.
    values = {"rate": Decimal("0.07"), "years": Decimal(10), "payment": Decimal(2000)}
    pv = parse("round(annuity(rate, years, payment), 2)", values).decimal(values)
    assert pv == Decimal("14047.16")
    due = parse("round(pv * (1 + rate), 2)", {*values, "pv"}).decimal({**values, "pv": pv})
    assert due == Decimal("15030.46")


def test_decimals_have_fifty_digits_and_leave_the_callers_context_alone() -> None:
    third = parse("1 / x", ["x"])
    before = getcontext()
    assert third.decimal({"x": Decimal(3)}) == Decimal("0." + 50 * "3")
    assert getcontext() is before
    with localcontext(CONTEXT):
        assert Decimal(1) / 3 == third.decimal({"x": Decimal(3)})
    assert getcontext() is before
    with pytest.raises(ExpressionError):
        third.decimal({"x": Decimal(0)})
    assert getcontext() is before


@pytest.mark.parametrize(
    ("source", "values", "reason", "position"),
    [
        ("2 + y / (x - 7)", VALUES, "division by zero in 'y / (x - 7)'", 5),
        ("1 + (x - 7) / (x - 7)", VALUES, "division by zero", 5),
        ("1 + sqrt(y - 1)", VALUES, "a negative number has no square root in 'sqrt(y - 1)'", 5),
        ("ln(x - 7)", VALUES, "only a positive number has a logarithm", 1),
        ("(x - 7) ^ 0", VALUES, "0 has no power of 0 or less", 1),
        ("(-x) ^ y", VALUES, "a negative number has no power that is not whole", 1),
        ("1 + x ^ 400", VALUES, "the power is beyond", 5),
        ("exp(x * 100)", VALUES, "the power is beyond", 1),
        ("1.000001 ^ (x * 1e6)", VALUES, "the exponent is beyond 1,000,000", 1),
        ("round(x, y)", VALUES, "whole number from -30 to 30", 1),
        ("round(x * 1e40, 20)", VALUES, "too large to be rounded", 1),
        ("sum(i, 1, y, i)", VALUES, "whole numbers", 1),
        ("sum(i, 1, x * 1e4, i)", VALUES, "more than 10,000 terms", 1),
        ("sum(i, 1, x * 1e3, sum(j, 1, x * 1e3, 1))", VALUES, "more than 400,000 steps", 20),
        ("irr([-x, x - 7])", VALUES, "never change their sign", 1),
        ("x + 1", {}, "no value is given for 'x'", 1),
        ("x + 1", {"x": Decimal("NaN")}, "too large or not defined", 1),
        ("x + 1", {"x": Decimal("Infinity")}, "too large or not defined", 1),
        ("(-2) ^ x", {"x": Decimal("NaN")}, "too large or not defined|beyond", 1),
        ("round(x, x)", {"x": Decimal("NaN")}, "too large or not defined", 1),
    ],
)
def test_what_can_not_be_computed_is_refused(
    source: str, values: dict[str, Decimal], reason: str, position: int
) -> None:
    expression = parse(source, VALUES)
    floats = {name: float(number) for name, number in values.items()}
    for refuse in (lambda: expression.decimal(values), lambda: expression.float(floats)):
        with pytest.raises(ExpressionError, match=reason.replace("(", r"\(").replace(")", r"\)")) as refused:
            refuse()
        assert refused.value.position == position
        assert str(refused.value).endswith(f" at character {position}")


def test_numbers_and_conditions_are_not_mixed_up() -> None:
    with pytest.raises(ExpressionError, match="a condition is expected and not a number"):
        parse("x", VALUES).holds(VALUES)
    condition = parse("x > 1", VALUES)
    with pytest.raises(ExpressionError, match="a number is expected and not a condition"):
        condition.decimal(VALUES)
    with pytest.raises(ExpressionError, match="a number is expected and not a condition"):
        condition.float(FLOATS)


def test_floats_beyond_their_range_are_refused() -> None:
    with pytest.raises(ExpressionError, match="too large"):
        parse("x * x", ["x"]).float({"x": 1e200})


def test_an_error_is_the_users_and_travels_between_processes() -> None:
    error = ExpressionError("division by zero", 12)
    assert isinstance(error, UserError)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.reason, again.position) == ("division by zero at character 12", error.reason, 12)


numbers = st.integers(1, 400).map(lambda k: k / 8)
sources = st.recursive(
    st.sampled_from(["x", "y", "z", "2", "0.75"]),
    lambda part: st.one_of(
        # Sums, products and quotients of positive numbers lose no digits.
        st.tuples(part, st.sampled_from("+*/"), part).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        part.map(lambda p: f"sqrt({p})"),
        part.map(lambda p: f"({p}) ^ 0.75"),
        st.tuples(part, part).map(lambda p: f"if({p[0]} < {p[1]}, {p[0]}, {p[1]})"),
        st.tuples(part, part).map(lambda p: f"max({p[0]}, {p[1]})"),
        part.map(lambda p: f"sum(i, 1, 4, i * {p})" if "sum" not in p else p),
    ),
    max_leaves=8,
)


@given(sources, numbers, numbers, numbers)
def test_decimals_and_floats_agree(source: str, x: float, y: float, z: float) -> None:
    expression = parse(source, ["x", "y", "z"])
    floats = {"x": x, "y": y, "z": z}
    exact = expression.decimal({name: Decimal(number) for name, number in floats.items()})
    assert expression.float(floats) == pytest.approx(float(exact), rel=1e-9)


@given(
    st.integers(1, 200).map(lambda k: k / 1000),
    st.integers(1, 80).map(lambda k: k / 2),
    st.integers(1, 10_000).map(float),
    st.sampled_from([1.0, 2.0, 4.0, 12.0]),
)
def test_decimals_and_floats_agree_on_functions(rate: float, years: float, amount: float, per_year: float) -> None:
    floats = {"rate": rate, "years": years, "amount": amount, "per_year": per_year}
    values = {name: Decimal(str(number)) for name, number in floats.items()}
    for source in (
        "pv(rate, years, amount, 100)",
        "fv(rate, years, amount, 100)",
        "pmt(rate, years, amount, amount / 2)",
        "rate(years, amount, amount * years * 0.6, amount)",
        "nper(rate, amount, amount * 4, amount)",
        "bond_price(0.04, rate, years, per_year, amount)",
        "ytm(0.8 * amount, 0.04, years, per_year, amount)",
        "macaulay_duration(0.04, rate, years, per_year)",
        "convexity(0.04, rate, years, per_year)",
        "effective_rate(rate, per_year)",
        "bs_call(amount, 0.9 * amount, rate, years, 0.3)",
        "irr([-amount, amount * 0.4, amount * 0.5, amount * rate * 3])",
        "normal_inv(rate)",
    ):
        expression = parse(source, values)
        assert expression.float(floats) == pytest.approx(float(expression.decimal(values)), rel=1e-9, abs=1e-10), source


@given(st.decimals(-100_000, 100_000, places=6), st.integers(-3, 5))
def test_rounding_is_half_up(x: Decimal, digits: int) -> None:
    source = f"round(x, {digits})"
    rounded = parse(source, ["x"]).decimal({"x": x})
    unit = Decimal(10) ** -digits
    # The nearest multiple of the unit, and of two as near the one farther from 0.
    assert rounded % unit == 0
    assert abs(rounded - x) * 2 <= unit
    assert abs(rounded - x) * 2 < unit or abs(rounded) > abs(x)
    assert math.isclose(parse(source, ["x"]).float({"x": float(x)}), float(rounded), abs_tol=1e-9)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("floor(7.9) + floor(-7.1)", "-1"),  # 7 and -8
        ("ceil(7.1) + ceil(-7.9)", "1"),  # 8 and -7
        ("int(7.9) + int(-7.9)", "0"),
        ("int(12 * (1 / 3))", "4"),  # 3.99… in decimals
        ("int(0.29 * 100)", "29"),  # 28.999… in floating point
        ("floor(100 * (1 - 0.9))", "10"),  # 9.999… in floating point
        ("ceil(0.1 * 3 * 10)", "3"),  # 3.000…04 in floating point
        ("mod(17, 5)", "2"),
        ("mod(-7, 5)", "3"),
        ("mod(0.6, 0.2)", "0"),  # 0.199… in floating point
        ("gcd(12, 18) + gcd(0, 4)", "10"),
        ("if(is_int(12 * (1 / 3)) and not is_int(y), 1, 0)", "1"),
        ("if(divides(12, 4) and not divides(4, 12), 1, 0)", "1"),  # 12 is a multiple of 4
    ],
)
def test_whole_numbers_are_seen_through_the_rounding(source: str, expected: str) -> None:
    test_values(source, expected)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("is_int(4) + 1", "a number is expected and not a condition"),
        ("divides(4, 0)", "division by zero"),
        ("mod(4, 0)", "division by zero"),
        ("gcd(4.5, 3)", "two whole numbers"),
        ("gcd(0, 0)", "two whole numbers"),
    ],
)
def test_what_has_no_remainder_or_divisor_is_refused(source: str, reason: str) -> None:
    with pytest.raises(ExpressionError, match=reason):
        parse(source, VALUES).decimal(VALUES)
