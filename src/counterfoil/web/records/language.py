"""The language of filters: `correct == false and category in ("age", "religion")`. It is parsed, never evaluated.

    filter := part ("or" part)*        part := term ("and" term)*        term := "not" term | "(" filter ")" | test
    test := NAME | NAME == VALUE | NAME in (VALUE, …) | NAME contains "TEXT"

Tests are ==, !=, <, <=, >, >=; a value is a number, a text in quotes, true, false or none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import polars as pl

from counterfoil.errors import UserError
from counterfoil.suite.options import nearest

Value = str | float | bool | None
LONGEST = 2_000
# Deeper than any filter that people write, and far from the depth that Python can go down to.
DEEPEST = 50

_TOKEN = re.compile(
    r"""\s*(?:(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    | (?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    | (?P<name>[^\W\d]\w*)
    | (?P<sign>==|!=|<=|>=|=|<|>|\(|\)|,))""",
    re.VERBOSE,
)
_COMPARISONS: Mapping[str, Callable[[pl.Expr, pl.Expr], pl.Expr]] = {
    "==": lambda one, other: one == other,
    "!=": lambda one, other: one != other,
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
}
_CONSTANTS: Mapping[str, Value] = {"true": True, "false": False, "none": None}
_WORDS = ("and", "or", "not", "in", "contains", *_CONSTANTS)


class Test(NamedTuple):
    """A column against a value; of `in`, against several."""

    name: str
    sign: str
    values: tuple[Value, ...]


class Not(NamedTuple):
    of: Filter


class Joined(NamedTuple):
    """All of the parts, or any of them."""

    word: str
    parts: tuple[Filter, ...]


Filter = Test | Not | Joined


class _Token(NamedTuple):
    kind: str
    text: str


def parsed(text: str) -> Filter:
    """The filter that a text says."""
    if len(text) > LONGEST:
        raise UserError(f"A filter has at most {LONGEST:,} characters.")
    tokens = list(_tokens(text))
    found, rest = _any(tokens, 0)
    if rest != len(tokens):
        raise UserError(f"The filter goes on with {tokens[rest].text!r} where it should end: put `and` or `or` there.")
    return found


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise UserError(f"The filter can't be read at {text[at:].strip()[:20]!r}: texts stand in quotes.")
        yield _Token(match.lastgroup, match[match.lastgroup])
        at = match.end()


def _is(tokens: list[_Token], at: int, *texts: str) -> bool:
    return at < len(tokens) and tokens[at].kind != "text" and tokens[at].text in texts


def _any(tokens: list[_Token], at: int, depth: int = 0) -> tuple[Filter, int]:
    return _parts(tokens, at, depth, "or", _all)


def _all(tokens: list[_Token], at: int, depth: int) -> tuple[Filter, int]:
    return _parts(tokens, at, depth, "and", _term)


def _parts(
    tokens: list[_Token], at: int, depth: int, word: str, part: Callable[[list[_Token], int, int], tuple[Filter, int]]
) -> tuple[Filter, int]:
    first, at = part(tokens, at, depth)
    parts = [first]
    while _is(tokens, at, word):
        another, at = part(tokens, at + 1, depth)
        parts.append(another)
    return (first if len(parts) == 1 else Joined(word, tuple(parts))), at


def _term(tokens: list[_Token], at: int, depth: int) -> tuple[Filter, int]:
    if depth > DEEPEST:
        raise UserError(f"The filter has more than {DEEPEST} parts within each other.")
    if _is(tokens, at, "not"):
        found, at = _term(tokens, at + 1, depth + 1)
        return Not(found), at
    if _is(tokens, at, "("):
        found, at = _any(tokens, at + 1, depth + 1)
        if not _is(tokens, at, ")"):
            raise UserError("The filter lacks a closing bracket.")
        return found, at + 1
    return _test(tokens, at)


def _test(tokens: list[_Token], at: int) -> tuple[Filter, int]:
    if at >= len(tokens):
        raise UserError("The filter ends where a column should stand, as in `correct == false`.")
    name = tokens[at]
    if name.kind != "name" or name.text in _WORDS:
        raise UserError(f"The filter has {name.text!r} where a column should stand, as in `correct == false`.")
    at += 1
    if _is(tokens, at, "in"):
        if not _is(tokens, at + 1, "("):
            raise UserError('After `in` come values in brackets, as in `category in ("age", "religion")`.')
        value, at = _value(tokens, at + 2)
        values = [value]
        while _is(tokens, at, ","):
            value, at = _value(tokens, at + 1)
            values.append(value)
        if not _is(tokens, at, ")"):
            raise UserError("The filter lacks a closing bracket.")
        return Test(name.text, "in", tuple(values)), at + 1
    if _is(tokens, at, "contains", "=", *_COMPARISONS):
        sign = "==" if tokens[at].text == "=" else tokens[at].text
        value, at = _value(tokens, at + 1)
        return Test(name.text, sign, (value,)), at
    return Test(name.text, "==", (True,)), at


def _value(tokens: list[_Token], at: int) -> tuple[Value, int]:
    if at >= len(tokens):
        raise UserError("The filter ends where a value should stand.")
    kind, text = tokens[at]
    if kind == "text":
        return re.sub(r"\\(.)", r"\1", text[1:-1]), at + 1
    if kind == "number":
        return float(text), at + 1
    if kind == "name" and text in _CONSTANTS:
        return _CONSTANTS[text], at + 1
    raise UserError(f"The filter has {text!r} where a value should stand: a text stands in quotes.")


def columns_of(found: Filter) -> set[str]:
    """The columns that a filter asks about."""
    if isinstance(found, Test):
        return {found.name}
    parts = (found.of,) if isinstance(found, Not) else found.parts
    return set().union(*map(columns_of, parts))


def expression(found: Filter, schema: Mapping[str, pl.DataType]) -> pl.Expr:
    """The filter for a table with these columns. What a row does not have is like no value but `none`."""
    if isinstance(found, Test):
        return _compared(found, schema)
    if isinstance(found, Not):
        return ~expression(found.of, schema)
    parts = [expression(part, schema) for part in found.parts]
    return pl.all_horizontal(parts) if found.word == "and" else pl.any_horizontal(parts)


def _compared(test: Test, schema: Mapping[str, pl.DataType]) -> pl.Expr:
    kind = schema.get(test.name)
    if kind is None:
        names = ", ".join(sorted(schema))
        raise UserError(f"There is no column {test.name}{nearest(test.name, schema)}: there are {names}.")
    column = pl.col(test.name)
    if kind.is_float():
        column = column.fill_nan(None)
    if test.sign == "contains":
        return _contains(test, kind, column)
    if test.sign == "in":
        return pl.any_horizontal(_compared(Test(test.name, "==", (value,)), schema) for value in test.values)
    [value] = test.values
    if value is None:
        if test.sign not in ("==", "!="):
            raise UserError(f"{test.name} {test.sign} none: nothing is more or less than none, take == or !=.")
        return column.is_null() if test.sign == "==" else column.is_not_null()
    _check(test.name, kind, value)
    found = _COMPARISONS[test.sign](column, pl.lit(value))
    return found.fill_null(test.sign == "!=")


def _contains(test: Test, kind: pl.DataType, column: pl.Expr) -> pl.Expr:
    [text] = test.values
    if not isinstance(text, str):
        raise UserError(f"{test.name} contains: what follows is a text in quotes.")
    pattern = f"(?i){pl.escape_regex(text)}"
    if kind == pl.String:
        return column.str.contains(pattern).fill_null(False)
    if kind == pl.List(pl.String):
        return column.list.eval(pl.element().str.contains(pattern)).list.any().fill_null(False)
    raise UserError(f"{test.name} holds no texts: compare it by ==, < or >.")


def _check(name: str, kind: pl.DataType, value: Value) -> None:
    """Refuse a value that the column can't have."""
    if kind == pl.Boolean and not isinstance(value, bool):
        raise UserError(f"{name} is true, false or none, not {value!r}.")
    if kind == pl.String and not isinstance(value, str):
        raise UserError(f'{name} holds texts: write its value in quotes, as in {name} == "x".')
    if kind.is_numeric() and (isinstance(value, bool) or not isinstance(value, float)):
        raise UserError(f"{name} holds numbers, and {value!r} is none.")
    if kind.is_nested():
        raise UserError(f'{name} holds lists: ask what is in it, as in {name} contains "x".')
