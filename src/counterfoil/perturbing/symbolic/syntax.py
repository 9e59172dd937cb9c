"""From the Python expressions of published templates to our own language. They are parsed and walked, never run.

Numbers that differ by less than a billionth count as equal: a third of 12 is 4, and 0.1 + 0.2 is 0.3.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping
from typing import NamedTuple

from counterfoil.perturbing.templates.words import read_number

_LONGEST = 4_000
_NEAR = "0.000000001"
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "({} + {})",
    ast.Sub: "({} - {})",
    ast.Mult: "({} * {})",
    ast.Div: "({} / {})",
    ast.Pow: "({} ^ {})",
    ast.FloorDiv: "floor({} / {})",
    ast.Mod: "mod({}, {})",
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: f"abs({{}} - {{}}) < {_NEAR}",
    ast.NotEq: f"abs({{}} - {{}}) >= {_NEAR}",
    ast.Lt: f"{{}} < {{}} - {_NEAR}",
    ast.LtE: f"{{}} <= {{}} + {_NEAR}",
    ast.Gt: f"{{}} > {{}} + {_NEAR}",
    ast.GtE: f"{{}} >= {{}} - {_NEAR}",
}
# Functions of one number that have the same name, or another one, in our language.
_FUNCTIONS = {"int": "int", "abs": "abs", "floor": "floor", "ceil": "ceil", "sqrt": "sqrt", "trunc": "int"}
_TAKEN = frozenset({"answer", "if", "and", "or", "not", "sum"})
_YES, _NO = "1 == 1", "1 == 0"
_PI = "3.14159265358979323846"
_MOST_DIGITS = 9


class Unexpressed(Exception):
    """What our language does not have, or what a template lacks: a kind that is counted, and the detail."""

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(f"{kind}: {detail}" if detail else kind)
        self.kind = kind


NOT_PYTHON = "an expression can't be parsed"
NO_FUNCTION = "a function that our language does not have"
NO_SYNTAX = "something else that our language does not have"
NO_NAME = "a name that nothing defines"


class Names(NamedTuple):
    """What expressions can use: numbers, by their names in the template and in our language; words, with the
    original's, at which they are held.
    """

    numbers: Mapping[str, str]
    words: Mapping[str, str]


def safe(name: str) -> str:
    """A name as our language can have it."""
    return f"{name}_" if name in _TAKEN else name


def parsed(source: str) -> ast.expr:
    """The tree of an expression."""
    try:
        if len(source) <= _LONGEST:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(source.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    raise Unexpressed(NOT_PYTHON, source[:80])


def number(node: ast.expr, names: Names) -> str:
    """A number, in our language."""
    match node:
        case ast.Constant(value=bool() as value):
            return str(int(value))
        case ast.Constant(value=int() | float() as value):
            return repr(value)
        case ast.Constant(value=str() as text) if (said := read_number(text)) is not None:
            return f"({said.numerator} / {said.denominator})"
        case ast.Name(id=name) if name in names.numbers:
            return names.numbers[name]
        case ast.Name(id=name) if (said := read_number(names.words.get(name, ""))) is not None:
            return f"({said.numerator} / {said.denominator})"
        case ast.Name(id=name):
            raise Unexpressed(NO_NAME, name)
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _ARITHMETIC:
            return _ARITHMETIC[type(operator)].format(number(left, names), number(right, names))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return f"(-{number(operand, names)})"
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return number(operand, names)
        case ast.IfExp(test=test, body=body, orelse=other):
            return f"if({condition(test, names)}, {number(body, names)}, {number(other, names)})"
        case ast.Subscript(value=ast.Name() as pair, slice=ast.Constant(value=1 | -1)):
            return number(pair, names)
        case ast.Attribute(value=ast.Name(id="math" | "np" | "numpy"), attr="pi"):
            return _PI
        case ast.Call():
            return _call(node, names)
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
            return f"if({condition(node, names)}, 1, 0)"
    raise Unexpressed(NO_SYNTAX, ast.unparse(node)[:80])


def _call(node: ast.Call, names: Names) -> str:
    name, arguments = function_name(node), node.args
    if node.keywords:
        raise Unexpressed(NO_SYNTAX, ast.unparse(node)[:80])
    if name == "len" and len(arguments) == 1 and (several := _different(arguments[0])) is not None:
        return _how_many(several, names)
    if name == "len" and len(arguments) == 1 and isinstance(arguments[0], ast.Call):
        return _length(arguments[0], names)
    if name in ("min", "max", "sum") and len(arguments) == 1 and isinstance(arguments[0], ast.List | ast.Tuple):
        arguments = arguments[0].elts
    match name, [number(argument, names) for argument in arguments]:
        case (("float" | "Decimal"), [only]):
            return only
        case "Fraction", [only]:
            return only
        case (("Fraction" | "divide"), [above, below]):
            return f"({above} / {below})"
        case "round", [only]:
            return f"round({only}, 0)"
        case "round", [only, digits]:
            return f"round({only}, {digits})"
        case "pow", [base, exponent]:
            return f"({base} ^ {exponent})"
        case "gcd", [one, other]:
            return f"gcd({one}, {other})"
        case "lcm", [one, other]:
            return f"({one} * {other} / gcd({one}, {other}))"
        case ("min" | "max") as extreme, [_, *_] as items:
            return f"{extreme}({', '.join(items)})"
        case "sum", [_, *_] as items:
            return f"({' + '.join(items)})"
        case str() as known, [only] if known in _FUNCTIONS:
            return f"{_FUNCTIONS[known]}({only})"
    raise Unexpressed(NO_FUNCTION, name)


def _different(node: ast.expr) -> list[ast.expr] | None:
    """The elements of {a, b} and of set([a, b])."""
    match node:
        case ast.Set(elts=elements):
            return elements
        case ast.Call(func=ast.Name(id="set"), args=[ast.List(elts=elements) | ast.Tuple(elts=elements)]):
            return elements
    return None


def _how_many(items: list[ast.expr], names: Names) -> str:
    """How many different numbers there are: each counts where it is none of those before it."""
    texts = [number(item, names) for item in items]
    counts = ["1"]
    for place, text in enumerate(texts[1:], start=1):
        differs = " and ".join(_COMPARISONS[ast.NotEq].format(text, other) for other in texts[:place])
        counts.append(f"if({differs}, 1, 0)")
    return f"({' + '.join(counts)})"


def _length(node: ast.Call, names: Names) -> str:
    """How many digits a whole number has: len(str(n))."""
    if function_name(node) != "str" or len(node.args) != 1:
        raise Unexpressed(NO_FUNCTION, "len")
    value = number(node.args[0], names)
    more = (f"if(abs({value}) >= {10**digits}, 1, 0)" for digits in range(1, _MOST_DIGITS + 1))
    return f"(1 + {' + '.join(more)})"


def condition(node: ast.expr, names: Names) -> str:
    """A condition, in our language."""
    match node:
        case ast.Constant(value=bool() as value):
            return f"({_YES if value else _NO})"
        case ast.BoolOp(op=operator, values=values):
            word = " and " if isinstance(operator, ast.And) else " or "
            return f"({word.join(condition(value, names) for value in values)})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return f"(not {condition(operand, names)})"
        case ast.IfExp(test=test, body=body, orelse=other):
            holds, then, otherwise = (condition(part, names) for part in (test, body, other))
            return f"({holds} and {then} or not {holds} and {otherwise})"
        case ast.Compare(left=left, ops=operators, comparators=rights):
            sides = [left, *rights]
            pairs = zip(sides, operators, sides[1:], strict=False)
            return f"({' and '.join(_compared(one, operator, other, names) for one, operator, other in pairs)})"
        case ast.Call(func=ast.Attribute(value=inner, attr="is_integer"), args=[]):
            return f"is_int({number(inner, names)})"
        case ast.Call(args=[ast.List(elts=elements) | ast.Tuple(elts=elements)]) if function_name(node) in (
            "all",
            "any",
        ):
            word = " and " if function_name(node) == "all" else " or "
            return f"({word.join(condition(element, names) for element in elements)})"
        case ast.Call(args=[only]) if function_name(node) in ("is_int", "is_integer"):
            return f"is_int({number(only, names)})"
        case ast.Call(args=[above, below]) if function_name(node) in ("divides", "divisible"):
            return f"divides({number(above, names)}, {number(below, names)})"
    return f"({number(node, names)} != 0)"


def _compared(one: ast.expr, operator: ast.cmpop, other: ast.expr, names: Names) -> str:
    if isinstance(operator, ast.In | ast.NotIn):
        found = f"({' or '.join(_among(one, other, names)) or _NO})"
        return found if isinstance(operator, ast.In) else f"(not {found})"
    left, right = (_word(side, names) for side in (one, other))
    if left is not None and right is not None and isinstance(operator, ast.Eq | ast.NotEq):
        return f"({_YES if (left == right) == isinstance(operator, ast.Eq) else _NO})"
    match one, operator, other:
        case ast.Attribute(value=inner, attr="denominator"), ast.Eq(), ast.Constant(value=1):
            return f"is_int({number(inner, names)})"
    form = _COMPARISONS.get(type(operator))
    if form is None:
        raise Unexpressed(NO_SYNTAX, ast.unparse(one)[:80])
    return f"({form.format(number(one, names), number(other, names))})"


def _among(one: ast.expr, several: ast.expr, names: Names) -> list[str]:
    """That it is one of several: the elements of a list, or the numbers of a range."""
    if isinstance(several, ast.Call) and function_name(several) == "range":
        bounds = [number(part, names) for part in several.args]
        start, stop, step = ["0", *bounds, "1"] if len(bounds) == 1 else [*bounds, "1"][:3]
        value = number(one, names)
        return [f"({value} >= {start} and {value} < {stop} and divides({value} - {start}, {step}))"]
    if isinstance(several, ast.List | ast.Tuple | ast.Set):
        return [_compared(one, ast.Eq(), element, names) for element in several.elts]
    raise Unexpressed(NO_SYNTAX, ast.unparse(several)[:80])


def _word(node: ast.expr, names: Names) -> str | None:
    """The words that stand there, where these are words and no number."""
    match node:
        case ast.Constant(value=str() as text):
            return text.lower()
        case ast.Name(id=name) if name in names.words:
            return names.words[name].lower()
    return None


def function_name(node: ast.Call) -> str:
    """The name of what is called, without its module: arange of np.arange."""
    match node.func:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id="np" | "numpy" | "math" | "random" | "fractions"), attr=name):
            return name
    raise Unexpressed(NO_FUNCTION, ast.unparse(node.func)[:80])


def used_names(node: ast.AST) -> set[str]:
    """All names that stand in an expression, those of functions left out."""
    functions = {id(call.func) for call in ast.walk(node) if isinstance(call, ast.Call)}
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and id(part) not in functions}
