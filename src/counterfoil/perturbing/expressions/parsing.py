"""From the text of an expression to its tree, by precedence climbing.

From the loosest to the tightest: or; and; not; comparisons; + and -; * and /; the sign; powers, from the right.
A name before a bracket is a function, any other a value: so a value may be called `rate` beside the function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec

from counterfoil.perturbing.expressions.functions import FUNCTIONS
from counterfoil.perturbing.expressions.tokens import Token, tokens_of
from counterfoil.perturbing.expressions.tree import (
    Call,
    Chain,
    ExpressionError,
    Extreme,
    If,
    Kind,
    ListOf,
    Literal,
    Name,
    Negated,
    Node,
    Power,
    Sum,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_DEEPEST = 50
_HIGHEST = 100
_MOST_ITEMS = 1_000
_POWER_COST = 30
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
_RESERVED = frozenset({"and", "or", "not", "if"})

AnyNode = TypeVar("AnyNode", bound=Node)


def tree_of(source: str, names: Collection[str]) -> Node:
    """The tree of a number or a condition. What the language does not have is refused, with its position."""
    return _Parser(source, names).whole()


class _Parser:
    def __init__(self, source: str, names: Collection[str]) -> None:
        self._tokens = tokens_of(source)
        self._token = next(self._tokens)
        self._end = 0
        self._names = names
        self._variables: list[str] = []
        self._depth = 0

    def whole(self) -> Node:
        node = self._expression()
        token = self._token
        if token.kind in ("name", "number") or token.text in ("(", "["):
            raise _error(f"an operator is missing before {token.text!r}", token)
        if token.kind != "end":
            raise _error(f"unexpected {token.text!r}", token)
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
            wanted = Kind.CONDITION if level <= _AND else Kind.NUMBER
            for operand in operands:
                _expect(operand, wanted)
            left = _node(
                Chain,
                operands,
                kind=Kind.NUMBER if level >= _SUM else Kind.CONDITION,
                cost=len(operators),
                operators=tuple(operators),
                operands=tuple(operands),
            )
        return left

    def _signed(self) -> Node:
        """A number with its sign and power, or a condition with `not`."""
        token = self._token
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _error(f"nested deeper than {_DEEPEST}", token)
        node: Node
        if token.text in ("-", "not"):
            self._take()
            operand = self._signed() if token.text == "-" else self._expression(_COMPARISON)
            kind = Kind.NUMBER if token.text == "-" else Kind.CONDITION
            node = _node(Negated, [_expect(operand, kind)], start=token.start, kind=kind, operand=operand)
        else:
            node = self._atom()
            if self._token.text == "^":
                self._take()
                exponent = _expect(self._signed(), Kind.NUMBER)
                pair = [_expect(node, Kind.NUMBER), exponent]
                node = _node(Power, pair, cost=_POWER_COST, base=node, exponent=exponent)
        self._depth -= 1
        return node

    def _atom(self) -> Node:
        token = self._take()
        if token.kind == "number":
            return _node(Literal, [], start=token.start, end=token.end, text=token.text)
        if token.kind == "name":
            return self._call(token) if self._token.text == "(" else self._name(token)
        if token.text == "(":
            node = self._expression()
            self._take(")", token)
            return msgspec.structs.replace(node, start=token.start, end=self._end)
        if token.text == "[":
            return self._list(token)
        raise _error("the expression ends too early" if token.kind == "end" else f"unexpected {token.text!r}", token)

    def _name(self, token: Token) -> Node:
        name = token.text
        if name not in self._variables and (name not in self._names or name in _RESERVED):
            if name in FUNCTIONS:
                raise _error(f"the function {name} without its arguments", token)
            if name.lower() in _NOT_NUMBERS:
                raise _error(f"{name}, which is not a number in this language,", token)
            raise _error(f"unknown name {name!r}", token)
        return _node(Name, [], start=token.start, end=token.end, names=frozenset({name}), name=name)

    def _list(self, opening: Token) -> Node:
        items = self._items(opening, "]")
        for item in items:
            _expect(item, Kind.NUMBER)
        return _node(ListOf, items, start=opening.start, end=self._end, kind=Kind.LIST, items=tuple(items))

    def _items(self, opening: Token, closing: str) -> list[Node]:
        items = [self._expression()]
        while self._token.text == ",":
            comma = self._take()
            if len(items) == _MOST_ITEMS:
                raise _error(f"a list of more than {_MOST_ITEMS:,} items goes on", comma)
            items.append(self._expression())
        self._take(closing, opening)
        return items

    def _call(self, token: Token) -> Node:
        function = FUNCTIONS.get(token.text)
        if function is None and token.text not in _FORMS:
            raise _error(f"unknown function {token.text!r}", token)
        opening = self._take()
        if token.text == "sum":
            return self._sum(token, opening)
        arguments = self._items(opening, ")")
        start, end = token.start, self._end
        if token.text == "if":
            _expect_count(token, arguments, ("condition", "then", "otherwise"))
            condition, then, otherwise = arguments
            for argument, kind in zip(arguments, (Kind.CONDITION, Kind.NUMBER, Kind.NUMBER), strict=True):
                _expect(argument, kind)
            return _node(If, arguments, start=start, end=end, condition=condition, then=then, otherwise=otherwise)
        if token.text in ("min", "max"):
            if len(arguments) > 1 or arguments[0].kind is not Kind.LIST:
                for argument in arguments:
                    _expect(argument, Kind.NUMBER)
            largest = token.text == "max"
            return _node(Extreme, arguments, start=start, end=end, largest=largest, operands=tuple(arguments))
        assert function is not None
        _expect_count(token, arguments, function.parameters)
        for argument, parameter in zip(arguments, function.parameters, strict=True):
            _expect(argument, Kind.LIST if parameter in function.lists else Kind.NUMBER)
        cost, called = function.cost, tuple(arguments)
        return _node(Call, arguments, start=start, end=end, cost=cost, function=token.text, arguments=called)

    def _sum(self, token: Token, opening: Token) -> Node:
        name = self._take()
        variable = name.text
        if name.kind != "name" or variable in _RESERVED:
            raise _error("sum(variable, from, to, term) needs the name of a variable", name)
        if variable in self._names or variable in self._variables:
            raise _error(f"the variable {variable!r} of a sum is taken: a value has this name", name)
        bounds = []
        for _ in range(2):
            self._take(",", opening)
            bounds.append(_expect(self._expression(), Kind.NUMBER))
        self._take(",", opening)
        self._variables.append(variable)
        term = _expect(self._expression(), Kind.NUMBER)
        self._variables.pop()
        self._take(")", opening)
        low, high = bounds
        return _node(
            Sum,
            [low, high, term],
            start=token.start,
            end=self._end,
            cost=1 - term.cost,
            names=low.names | high.names | (term.names - {variable}),
            variable=variable,
            low=low,
            high=high,
            term=term,
        )

    def _take(self, text: str | None = None, opening: Token | None = None) -> Token:
        """The next token; it must be `text`, where one is given, to close or go on with what `opening` began."""
        token = self._token
        if opening is not None and token.text != text:
            found = "the expression ends" if token.kind == "end" else f"found {token.text!r}"
            raise _error(
                f"{text!r} is missing for the {opening.text!r} of character {opening.start + 1}: {found}", token
            )
        self._end = token.end
        if token.kind != "end":
            self._token = next(self._tokens)
        return token


def _node(
    node_type: type[AnyNode],
    parts: Sequence[Node],
    *,
    start: int | None = None,
    end: int | None = None,
    names: frozenset[str] | None = None,
    cost: int = 1,
    kind: Kind = Kind.NUMBER,
    **fields: object,
) -> AnyNode:
    """A node over its parts. `cost` is what it adds to theirs."""
    height = 1 + max((part.height for part in parts), default=0)
    begins = parts[0].start if start is None else start
    if height > _HIGHEST:
        raise ExpressionError(f"nested in more than {_HIGHEST} steps", begins + 1)
    return node_type(
        start=begins,
        end=parts[-1].end if end is None else end,
        names=frozenset().union(*(part.names for part in parts)) if names is None else names,
        height=height,
        cost=cost + sum(part.cost for part in parts),
        kind=kind,
        **fields,
    )


def _expect(node: Node, kind: Kind) -> Node:
    if node.kind is not kind:
        raise ExpressionError(f"{kind.value} is expected and not {node.kind.value}", node.start + 1)
    return node


def _expect_count(token: Token, arguments: Sequence[Node], parameters: Sequence[str]) -> None:
    if len(arguments) != len(parameters):
        takes = f"{len(parameters)} argument{'s' if len(parameters) != 1 else ''} ({', '.join(parameters)})"
        raise _error(f"{token.text} takes {takes}, not {len(arguments)}", token)


def _error(reason: str, token: Token) -> ExpressionError:
    return ExpressionError(reason, token.start + 1)
