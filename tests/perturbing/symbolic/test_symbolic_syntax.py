"""Python's expressions in our language, against what Python itself makes of the same words; nothing is run as code."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import gcd

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.perturbing.expressions.language import parse
from counterfoil.perturbing.symbolic.domains import Steps, domain
from counterfoil.perturbing.symbolic.syntax import Names, Unexpressed, condition, number, parsed

NAMES = Names({"a": "a", "b": "b", "c": "c", "answer": "answer_"}, {"unit": "feet", "count": "three"})
KNOWN = {"a", "b", "c", "answer_"}

# Each expression beside the same in Python, over exact fractions.
NUMBERS: list[tuple[str, Callable[[int, int, int], Fraction]]] = [
    ("a + b * c - 1", lambda a, b, c: Fraction(a + b * c - 1)),
    ("a // b", lambda a, b, c: Fraction(a // b)),
    ("-a // b", lambda a, b, c: Fraction(-a // b)),
    ("a % b", lambda a, b, c: Fraction(a % b)),
    ("-a % b", lambda a, b, c: Fraction(-a % b)),
    ("a ** 2 - b**c", lambda a, b, c: Fraction(a**2 - b**c)),
    ("int(a / b * c)", lambda a, b, c: Fraction(int(Fraction(a, b) * c))),
    ("int(-a / b)", lambda a, b, c: Fraction(int(Fraction(-a, b)))),
    ("a * Fraction(b, c)", lambda a, b, c: Fraction(a * b, c)),
    ("float(a) / b", lambda a, b, c: Fraction(a, b)),
    ("math.ceil(a / b) + np.floor(a / b)", lambda a, b, c: Fraction(-(-a // b) + a // b)),
    ("max(a, b) - min([b, c])", lambda a, b, c: Fraction(max(a, b) - min(b, c))),
    ("sum([a, b, c]) + abs(a - b)", lambda a, b, c: Fraction(a + b + c + abs(a - b))),
    ("a if a > b else c", lambda a, b, c: Fraction(a if a > b else c)),
    ("gcd(a, b) + lcm(b, c)", lambda a, b, c: Fraction(gcd(a, b) + b * c // gcd(b, c))),
    ("len(set([a, b, c]))", lambda a, b, c: Fraction(len({a, b, c}))),
    ("len(str(a * b))", lambda a, b, c: Fraction(len(str(a * b)))),
    ("(a > b) + (b > c)", lambda a, b, c: Fraction((a > b) + (b > c))),
    ("answer + a", lambda a, b, c: Fraction(7 + a)),
    ("a * int(count)", lambda a, b, c: Fraction(3 * a)),
]
CONDITIONS: list[tuple[str, Callable[[int, int, int], bool]]] = [
    ("is_int(a / b)", lambda a, b, c: a % b == 0),
    ("divides(a, b) and not divides(b, c)", lambda a, b, c: a % b == 0 and b % c != 0),
    ("a < b <= c", lambda a, b, c: a < b <= c),
    ("a / b + b / c == 1", lambda a, b, c: Fraction(a, b) + Fraction(b, c) == 1),
    ("a != b or c >= 5", lambda a, b, c: a != b or c >= 5),
    ("a in [1, 2, 3] or b not in (4, 5)", lambda a, b, c: a in (1, 2, 3) or b not in (4, 5)),
    ("a in range(2, 20, 3)", lambda a, b, c: a in range(2, 20, 3)),
    ("a in range(5)", lambda a, b, c: a in range(5)),
    ("a % b", lambda a, b, c: bool(a % b)),
    ("(a / b).is_integer()", lambda a, b, c: a % b == 0),
    ("all([a > 1, b > 1]) or any([a == c])", lambda a, b, c: (a > 1 and b > 1) or a == c),
    ("(a > 1 if b > 1 else c > 1)", lambda a, b, c: a > 1 if b > 1 else c > 1),
    ('unit == "feet" and unit != "yards" and unit in ["Feet"] and a > 3', lambda a, b, c: a > 3),
    ("Fraction(a, b).denominator == 1", lambda a, b, c: a % b == 0),
    ("True", lambda a, b, c: True),
]
ints = st.integers(1, 60)


@pytest.mark.parametrize(("source", "python"), NUMBERS, ids=[source for source, _ in NUMBERS])
@given(a=ints, b=ints, c=st.integers(1, 9))
def test_a_number_is_what_python_makes_of_it(
    source: str, python: Callable[[int, int, int], Fraction], a: int, b: int, c: int
) -> None:
    values = {"a": Decimal(a), "b": Decimal(b), "c": Decimal(c), "answer_": Decimal(7)}
    expression = parse(number(parsed(source), NAMES), KNOWN)
    wanted = python(a, b, c)
    found = expression.decimal(values)
    assert abs(found - Decimal(wanted.numerator) / Decimal(wanted.denominator)) < Decimal("1e-20") * max(1, abs(found))


@pytest.mark.parametrize(("source", "python"), CONDITIONS, ids=[source for source, _ in CONDITIONS])
@given(a=ints, b=ints, c=st.integers(1, 9))
def test_a_condition_is_what_python_makes_of_it(
    source: str, python: Callable[[int, int, int], bool], a: int, b: int, c: int
) -> None:
    values = {"a": Decimal(a), "b": Decimal(b), "c": Decimal(c), "answer_": Decimal(7)}
    assert parse(condition(parsed(source), NAMES), KNOWN).holds(values) == python(a, b, c)


@pytest.mark.parametrize(
    "source",
    [
        "__import__('os').system('true')",
        "open('/etc/passwd')",
        "a.__class__",
        "(lambda: 1)()",
        "[a for a in range(9)][0]",
        "exec('a = 1')",
        "a if b",
        "a +",
        "x * 2",
        "(" * 5000,
        "a" * 5000,
        "f'{a}'",
        "round(a, ndigits=1)",
        "eval('a')",
    ],
)
def test_what_our_language_does_not_have_is_refused(source: str) -> None:
    with pytest.raises(Unexpressed):
        number(parsed(source), NAMES)


@pytest.mark.parametrize(
    ("source", "values"),
    [
        ("range(10, 30, 5)", Steps(Fraction(10), Fraction(5), 4)),
        ("range(4)", Steps(Fraction(0), Fraction(1), 4)),
        ("range(10, 0, -4)", Steps(Fraction(2), Fraction(4), 3)),  # 10, 6, 2
        ("np.arange(0.25, 1.1, 0.25)", Steps(Fraction(1, 4), Fraction(1, 4), 4)),
        ("fix_floats(shuffle_list(list(np.arange(0.01, 0.05, 0.01))))", Steps(Fraction(1, 100), Fraction(1, 100), 4)),
        ("sample(range(2, 12, 2))", Steps(Fraction(2), Fraction(2), 5)),
        ("sample([1, 2.5, -3])", [1, Fraction(5, 2), -3]),
        ('sample(["tea", "milk"] + ["rye"])', ["tea", "milk", "rye"]),
        (
            'sample([("half", 0.5), ("a third", Fraction(1, 3))] * 3)',
            [("half", Fraction(1, 2)), ("a third", Fraction(1, 3))],
        ),
        ("sample([i * 10 for i in range(1, 4)])", [10, 20, 30]),
        ('sample([(f"{i}%", i / 100) for i in range(5, 15, 5)])', [("5%", Fraction(1, 20)), ("10%", Fraction(1, 10))]),
        ("numbers_within(2, 4)", [("two", 2), ("three", 3), ("four", 4)]),
        ("sample(weekdays[:2])", ["Monday", "Tuesday"]),
        ("sample(multiple_ice)", [("twice", 2), ("thrice", 3)]),
        ('range_str(1, 3, 1, ["one", "two", "three"])', [("one", 1), ("two", 2)]),
    ],
)
def test_what_a_variable_is_drawn_from(source: str, values: object) -> None:
    assert domain(parsed(source)).values == values


@pytest.mark.parametrize(
    "source",
    [
        "range(5, 5)",
        "range('a')",
        "sample(no_such_list)",
        "sample(5)",
        "open('x')",
        "range(10**9)[0]",
        "2**99999",
        "[][1]",
    ],
)
def test_a_right_side_that_can_not_be_known_is_refused(source: str) -> None:
    with pytest.raises(Unexpressed):
        domain(parsed(source))
