"""From the text of an expression to its tree, by precedence climbing.

From the loosest to the tightest: or; and; not; comparisons; + and -; * and /; the sign; powers, from the right.
A name before a bracket is a function, any other a value: so a value may be called `rate` beside the function.
The size and the depth of an expression are limited, so that none can crash or hang what reads it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from enum import Enum
from typing import Literal, NamedTuple

import msgspec

from counterfoil.errors import UserError
from counterfoil.perturbing.expressions.functions import FUNCTIONS

_LONGEST = 4_000
_MOST_DIGITS = 60
_MOST_EXPONENT = 60
_DEEPEST = 50
_HIGHEST = 100
_MOST_ITEMS = 1_000
_POWER_COST = 30

_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]+)"
    r"|(?P<number>(?P<digits>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE](?P<exponent>[+-]?[0-9]+))?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<sign>\*\*|<=|>=|==|!=|[-+*/^()<>,\[\]])"
)
_REFUSED = {
    ".": "there is no attribute access in this language",
    "=": "there is no assignment in this language (equality is ==)",
    '"': "there are no strings in this language",
    "'": "there are no strings in this language",
}
_OR, _AND, _COMPARISON, _SUM, _PRODUCT = range(1, 6)
_LEVELS = {
    "or": _OR,
    "and": _AND,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), _COMPARISON),
    **dict.fromkeys("+-", _SUM),
    **dict.fromkeys("*/", _PRODUCT),
}
_NOT_NUMBERS = frozenset({"nan", "inf", "infinity"})
_FORMS = frozenset({"if", "min", "max", "sum"})
_WORDS = frozenset({"and", "or", "not"})
_RESERVED = _WORDS | {"if"}


class ExpressionError(UserError):
    """An expression that can not be parsed or computed. `position` counts characters from 1."""

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(reason, position)
        self.reason = reason
        self.position = position

    def __str__(self) -> str:
        return f"{self.reason} at character {self.position}"


class Kind(Enum):
    """What a node stands for. The value is its name in errors."""

    NUMBER = "a number"
    CONDITION = "a condition"
    LIST = "a list"


Form = Literal["literal", "name", "negated", "chain", "power", "if", "min", "max", "list", "sum", "call"]


class Node(msgspec.Struct):
    """A part of an expression: where it stands in the source, which names it needs, how high it is, what it costs.

    `text` is the number, the name, the function, or the variable of a sum, whose parts are low, high and term.
    A chain is part operator part operator …, from left to right. A condition that is negated stands behind `not`.
    The unit of `cost` is that of `Function`. Repetitions by sums are not in it: they are counted once they are known.
    """

    form: Form
    start: int
    end: int
    parts: Sequence[Node] = ()
    kind: Kind = Kind.NUMBER
    # Of the node itself; that of its parts is added.
    cost: int = 1
    text: str = ""
    operators: Sequence[str] = ()
    names: frozenset[str] = frozenset()
    height: int = 1

    def __post_init__(self) -> None:
        self.cost += sum(part.cost for part in self.parts)
        self.names = self.names.union(*(part.names for part in self.parts))
        if self.form == "sum":
            self.names -= {self.text}
        self.height += max((part.height for part in self.parts), default=0)
        if self.height > _HIGHEST:
            raise ExpressionError(f"nested in more than {_HIGHEST} steps", self.start + 1)


class _Token(NamedTuple):
    """`kind` is "number", "name", "sign" (also and, or, not) or "end". Positions count from 0."""

    kind: str
    text: str
    start: int
    end: int

    def error(self, reason: str) -> ExpressionError:
        return ExpressionError(reason, self.start + 1)


def tree_of(source: str, names: Collection[str]) -> Node:
    """The tree of a number or a condition. ExpressionError says what the language does not have, and where."""
    return _Parser(source, names).whole()


def _tokens_of(source: str) -> Iterator[_Token]:
    """Tokens, one by one, so that the first error in the text is the one that is told. The last is of kind "end"."""
    if len(source) > _LONGEST:
        reason = f"the expression is too long ({len(source):,} characters, not {_LONGEST:,})"
        raise ExpressionError(reason, _LONGEST + 1)
    position = 0
    while position < len(source):
        match = _TOKEN.match(source, position)
        if match is None:
            character = source[position]
            raise ExpressionError(_REFUSED.get(character, f"unexpected {character!a}"), position + 1)
        kind, text = str(match.lastgroup), match.group()
        if match["number"]:
            kind = "number"
            _check_number(match["digits"], match["exponent"] or "0", position)
        elif text in _WORDS:
            kind = "sign"
        if kind != "space":
            yield _Token(kind, text.replace("**", "^"), position, match.end())
        position = match.end()
    yield _Token("end", "", len(source), len(source))


def _check_number(digits: str, exponent: str, position: int) -> None:
    if len(digits.replace(".", "")) > _MOST_DIGITS:
        raise ExpressionError(f"a number of more than {_MOST_DIGITS} digits", position + 1)
    # The length is checked first: reading a number of many digits takes long.
    if len(exponent.lstrip("+-0")) > 2 or abs(int(exponent)) > _MOST_EXPONENT:
        raise ExpressionError(f"a number beyond 10^{_MOST_EXPONENT} or 10^-{_MOST_EXPONENT}", position + 1)


class _Parser:
    def __init__(self, source: str, names: Collection[str]) -> None:
        self._tokens = _tokens_of(source)
        self._token = next(self._tokens)
        self._end = 0
        self._names = names
        self._variables: list[str] = []
        self._depth = 0

    def whole(self) -> Node:
        node = self._expression()
        token = self._token
        if token.kind in ("name", "number") or token.text in ("(", "["):
            raise token.error(f"an operator is missing before {token.text!r}")
        if token.kind != "end":
            raise token.error(f"unexpected {token.text!r}")
        if node.kind is Kind.LIST:
            raise ExpressionError("a list can only be given to a function; here it stands alone", node.start + 1)
        return node

    def _expression(self, loosest: int = _OR) -> Node:
        left = self._signed()
        while (level := _LEVELS.get(self._token.text, 0)) >= loosest:
            operators, operands = [], [left]
            while _LEVELS.get(self._token.text) == level:
                operators.append(self._take().text)
                operands.append(self._expression(level + 1))
            _expect(Kind.CONDITION if level <= _AND else Kind.NUMBER, *operands)
            kind = Kind.NUMBER if level >= _SUM else Kind.CONDITION
            left = Node("chain", left.start, self._end, operands, kind=kind, cost=len(operators), operators=operators)
        return left

    def _signed(self) -> Node:
        """A number with its sign and power, or a condition with `not`."""
        token = self._token
        self._depth += 1
        if self._depth > _DEEPEST:
            raise token.error(f"nested deeper than {_DEEPEST}")
        if token.text in ("-", "not"):
            self._take()
            operand = self._signed() if token.text == "-" else self._expression(_COMPARISON)
            kind = Kind.NUMBER if token.text == "-" else Kind.CONDITION
            _expect(kind, operand)
            node = Node("negated", token.start, self._end, [operand], kind=kind)
        else:
            node = self._atom()
            if self._token.text == "^":
                self._take()
                exponent = self._signed()
                _expect(Kind.NUMBER, exponent, node)
                node = Node("power", node.start, self._end, [node, exponent], cost=_POWER_COST)
        self._depth -= 1
        return node

    def _atom(self) -> Node:
        token = self._take()
        if token.kind == "number":
            return Node("literal", token.start, self._end, text=token.text)
        if token.kind == "name":
            return self._call(token) if self._token.text == "(" else self._name(token)
        if token.text == "(":
            node = self._expression()
            self._take(")", token)
            node.start, node.end = token.start, self._end
            return node
        if token.text == "[":
            items = self._items(token, "]")
            _expect(Kind.NUMBER, *items)
            return Node("list", token.start, self._end, items, kind=Kind.LIST)
        raise token.error("the expression ends too early" if token.kind == "end" else f"unexpected {token.text!r}")

    def _name(self, token: _Token) -> Node:
        name = token.text
        if name not in self._variables and (name not in self._names or name in _RESERVED):
            if name in FUNCTIONS:
                raise token.error(f"the function {name} without its arguments")
            if name.lower() in _NOT_NUMBERS:
                raise token.error(f"{name}, which is not a number in this language,")
            raise token.error(f"unknown name {name!r}")
        return Node("name", token.start, self._end, names=frozenset({name}), text=name)

    def _items(self, opening: _Token, closing: str) -> list[Node]:
        items = [self._expression()]
        while self._token.text == ",":
            comma = self._take()
            if len(items) == _MOST_ITEMS:
                raise comma.error(f"a list of more than {_MOST_ITEMS:,} items goes on")
            items.append(self._expression())
        self._take(closing, opening)
        return items

    def _call(self, token: _Token) -> Node:
        name, function = token.text, FUNCTIONS.get(token.text)
        if function is None and name not in _FORMS:
            raise token.error(f"unknown function {name!r}")
        opening = self._take()
        if name == "sum":
            return self._sum(token, opening)
        arguments = self._items(opening, ")")
        if function is not None:
            _expect_count(token, arguments, function.parameters)
            for argument, parameter in zip(arguments, function.parameters, strict=True):
                _expect(Kind.LIST if parameter in function.lists else Kind.NUMBER, argument)
            kind = Kind.CONDITION if function.condition else Kind.NUMBER
            return Node("call", token.start, self._end, arguments, kind=kind, cost=function.cost, text=name)
        if name == "if":
            _expect_count(token, arguments, ("condition", "then", "otherwise"))
            _expect(Kind.CONDITION, arguments[0])
            _expect(Kind.NUMBER, *arguments[1:])
            return Node("if", token.start, self._end, arguments)
        if len(arguments) > 1 or arguments[0].kind is not Kind.LIST:
            _expect(Kind.NUMBER, *arguments)
        return Node("max" if name == "max" else "min", token.start, self._end, arguments)

    def _sum(self, token: _Token, opening: _Token) -> Node:
        name = self._take()
        variable = name.text
        if name.kind != "name" or variable in _RESERVED:
            raise name.error("sum(variable, from, to, term) needs the name of a variable")
        if variable in self._names or variable in self._variables:
            raise name.error(f"the variable {variable!r} of a sum is taken: a value has this name")
        parts = []
        for bound in (True, True, False):
            self._take(",", opening)
            # Only the term knows the variable.
            self._variables += [] if bound else [variable]
            parts.append(self._expression())
            _expect(Kind.NUMBER, parts[-1])
        self._variables.pop()
        self._take(")", opening)
        return Node("sum", token.start, self._end, parts, cost=1 - parts[-1].cost, text=variable)

    def _take(self, text: str | None = None, opening: _Token | None = None) -> _Token:
        """The next token; it must be `text`, where one is given, to close or go on with what `opening` began."""
        token = self._token
        if opening is not None and token.text != text:
            found = "the expression ends" if token.kind == "end" else f"found {token.text!r}"
            raise token.error(f"{text!r} is missing for the {opening.text!r} of character {opening.start + 1}: {found}")
        self._end = token.end
        if token.kind != "end":
            self._token = next(self._tokens)
        return token


def _expect(kind: Kind, *nodes: Node) -> None:
    for node in nodes:
        if node.kind is not kind:
            raise ExpressionError(f"{kind.value} is expected and not {node.kind.value}", node.start + 1)


def _expect_count(token: _Token, arguments: Sequence[Node], parameters: Sequence[str]) -> None:
    if len(arguments) != len(parameters):
        takes = f"{len(parameters)} argument{'s' if len(parameters) != 1 else ''} ({', '.join(parameters)})"
        raise token.error(f"{token.text} takes {takes}, not {len(arguments)}")
