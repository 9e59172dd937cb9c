"""What the `#init` lines of published templates let a variable be: a range, or a list of words and numbers.

The right sides are Python. They are parsed and walked by the few rules below, and never run.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from counterfoil.perturbing.symbolic.lists import list_named
from counterfoil.perturbing.symbolic.syntax import NO_FUNCTION, NO_NAME, NO_SYNTAX, Unexpressed, function_name
from counterfoil.perturbing.templates.words import cardinal

_MOST = 100_000
_DEEPEST_POWER = 12
TOO_LONG = "a list that is too long"
WRONG_ARGUMENTS = "a function with arguments that it can't have"
# Functions that change the order of a list, or its type, and nothing else.
_SAME = frozenset({"list", "tuple", "sorted", "set", "shuffle", "shuffle_list", "fix_floats", "unique", "reversed"})
_RANGES = frozenset({"range", "arange", "frange", "range_list", "linspace"})


@dataclass(frozen=True)
class Steps:
    """low, low + step, …"""

    low: Fraction
    step: Fraction
    count: int

    @property
    def high(self) -> Fraction:
        return self.low + self.step * (self.count - 1)

    def values(self) -> list[Any]:
        if self.count > _MOST:
            raise Unexpressed(TOO_LONG)
        return [self.low + self.step * number for number in range(self.count)]


@dataclass(frozen=True)
class Domain:
    """What is drawn from, for several variables at once where they are drawn together."""

    values: Steps | list[Any]
    # The variables are neighbours in the list, as days of the week that follow each other.
    sequential: bool = False


def domain(node: ast.expr, known: Mapping[str, Fraction] | None = None) -> Domain:
    """What a variable is drawn from. Unexpressed where the right side can't be known; `known` has variables in it."""
    names = known or {}
    if isinstance(node, ast.Call) and function_name(node) == "sample_sequential":
        return Domain(_items(_value(node.args[0], names)), sequential=True)
    if isinstance(node, ast.Call) and function_name(node) in ("sample", "choice", "choices", "sample_from"):
        found = _value(node.args[0], names)
    else:
        found = _value(node, names)
    return Domain(found if isinstance(found, Steps) else _items(found))


def is_drawn(node: ast.expr) -> bool:
    """Whether a right side is drawn from something, and not computed from other variables."""
    if not isinstance(node, ast.Call):
        return isinstance(node, ast.List | ast.ListComp | ast.Subscript)
    name = function_name(node)
    return name in _RANGES or name in _SAME or name.startswith(("sample", "choice", "numbers_", "range_"))


def _items(found: Any) -> list[Any]:
    items = found.values() if isinstance(found, Steps) else found
    if not isinstance(items, list | tuple) or not items:
        raise Unexpressed(NO_SYNTAX, "what is drawn from is no list")
    return list(items)


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """A constant: a Fraction, words, a list or a tuple of those, or Steps."""
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as number):
            return Fraction(repr(number))
        case ast.Constant(value=str() as text):
            return text
        case ast.List(elts=elements) | ast.Set(elts=elements):
            return [_value(element, names) for element in elements]
        case ast.Tuple(elts=elements):
            return tuple(_value(element, names) for element in elements)
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.Name(id=name):
            listed = list_named(name)
            if listed is None:
                raise Unexpressed(NO_NAME, name)
            return list(listed)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(operand, names)
        case ast.BinOp(left=left, op=operator, right=right):
            return _combined(_value(left, names), operator, _value(right, names))
        case ast.Subscript(value=inner, slice=part):
            return _part(_items(_value(inner, names)), part, names)
        case ast.ListComp(elt=element, generators=[ast.comprehension(target=ast.Name(id=name), iter=source, ifs=[])]):
            return [_value(element, {**names, name: item}) for item in _items(_value(source, names))]
        case ast.JoinedStr(values=parts):
            return "".join(_printed(_value(part, names)) for part in parts)
        case ast.FormattedValue(value=inner, format_spec=None):
            return _printed(_value(inner, names))
        case ast.Call():
            return _called(node, names)
    raise Unexpressed(NO_SYNTAX, ast.unparse(node)[:80])


def _called(node: ast.Call, names: Mapping[str, Any]) -> Any:
    name = function_name(node)
    arguments = [_value(argument, names) for argument in node.args]
    if node.keywords or not arguments:
        raise Unexpressed(WRONG_ARGUMENTS, name)
    if name in _SAME:
        return arguments[0]
    if name == "range_str" and len(arguments) == 4:
        wanted = _steps("range", arguments[:3]).values()
        return [(word, Fraction(number)) for number, word in enumerate(arguments[3], start=1) if number in wanted]
    if name in _RANGES:
        return _steps(name, arguments)
    if name == "numbers_within":
        return [(cardinal(int(number)), number) for number in _steps("range", _up_to(arguments)).values()]
    match name, arguments:
        case (("Fraction" | "int" | "float" | "round"), [Fraction() as only]):
            return Fraction(int(only)) if name == "int" else Fraction(round(only)) if name == "round" else only
        case "round", [Fraction() as only, Fraction() as digits]:
            return round(only, int(digits))
        case "Fraction", [Fraction() as above, Fraction() as below] if below:
            return above / below
        case "str", [only]:
            return _printed(only)
        case "len", [list() as only]:
            return Fraction(len(only))
    raise Unexpressed(NO_FUNCTION, name)


def _up_to(bounds: list[Any]) -> list[Any]:
    """Both ends included."""
    return [*bounds[:-1], bounds[-1] + 1] if all(isinstance(bound, Fraction) for bound in bounds) else bounds


def _steps(name: str, arguments: list[Any]) -> Steps:
    """As Python's range and numpy's arange have it: without the end; linspace with it."""
    bounds = [argument for argument in arguments if isinstance(argument, Fraction)]
    if len(bounds) != len(arguments) or len(bounds) > 3:
        raise Unexpressed(WRONG_ARGUMENTS, name)
    if name == "linspace":
        low, high, points = bounds
        return Steps(low, (high - low) / max(int(points) - 1, 1), int(points))
    low, high = (Fraction(0), bounds[0]) if len(bounds) == 1 else bounds[:2]
    step = bounds[2] if len(bounds) == 3 else Fraction(1)
    count = -((low - high) // step) if step else 0
    if count < 1:
        raise Unexpressed(WRONG_ARGUMENTS, f"an empty {name}")
    return Steps(low, step, count) if step > 0 else Steps(low + step * (count - 1), -step, count)


def _combined(left: Any, operator: ast.operator, right: Any) -> Any:
    match left, operator, right:
        case Fraction(), ast.Add(), Fraction():
            return left + right
        case Fraction(), ast.Sub(), Fraction():
            return left - right
        case Fraction(), ast.Mult(), Fraction():
            return left * right
        case Fraction(), ast.Div(), Fraction() if right:
            return left / right
        case Fraction(), ast.FloorDiv(), Fraction() if right:
            return Fraction(left // right)
        case Fraction(), ast.Mod(), Fraction() if right:
            return left % right
        case Fraction(), ast.Pow(), Fraction(denominator=1) if 0 <= right <= _DEEPEST_POWER:
            return left ** int(right)
        case str(), ast.Add(), str():
            return left + right
        case list(), ast.Mult(), Fraction(denominator=1):
            # The same several times makes some likelier for the publisher; here each is as likely as the others.
            return left
        case ((list() | Steps()), ast.Add(), (list() | Steps())):
            return [*_items(left), *_items(right)]
    raise Unexpressed(NO_SYNTAX, "a sum or a product of things that are no numbers")


def _part(items: list[Any], part: ast.expr, names: Mapping[str, Any]) -> Any:
    if isinstance(part, ast.Slice):
        ends = [None if end is None else int(_number(end, names)) for end in (part.lower, part.upper, part.step)]
        return items[slice(*ends)]
    place = int(_number(part, names))
    if not -len(items) <= place < len(items):
        raise Unexpressed(WRONG_ARGUMENTS, "a place behind the end of a list")
    return items[place]


def _number(node: ast.expr, names: Mapping[str, Any]) -> Fraction:
    found = _value(node, names)
    if not isinstance(found, Fraction):
        raise Unexpressed(NO_SYNTAX, ast.unparse(node)[:80])
    return found


def _printed(value: Any) -> str:
    """As Python prints it."""
    if not isinstance(value, Fraction):
        return str(value)
    is_decimal = 10**12 % value.denominator == 0
    return str(value.numerator) if value.denominator == 1 else str(float(value)) if is_decimal else str(value)
