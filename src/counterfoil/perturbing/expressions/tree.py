"""The tree an expression is parsed into, and the error that says what is wrong with it and where."""

from __future__ import annotations

from enum import Enum

import msgspec

from counterfoil.errors import UserError

_SHOWN = 60


class ExpressionError(UserError):
    """An expression that can not be parsed or computed. `position` counts characters from 1."""

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(reason, position)
        self.reason = reason
        self.position = position

    def __str__(self) -> str:
        return f"{self.reason} at character {self.position}"


class Kind(Enum):
    """What a node stands for; the value is how errors call it."""

    NUMBER = "a number"
    CONDITION = "a condition"
    LIST = "a list"


class Node(msgspec.Struct, frozen=True):
    """A part of an expression: where it stands in the source, which names it needs, how high it is, what it costs.

    The unit of cost is that of `Function`. It leaves out what a sum repeats: that counts when it is known how often.
    """

    start: int
    end: int
    names: frozenset[str]
    height: int
    cost: int
    kind: Kind = Kind.NUMBER


class Literal(Node, frozen=True, kw_only=True):
    text: str


class Name(Node, frozen=True, kw_only=True):
    name: str


class Negated(Node, frozen=True, kw_only=True):
    """−x, or `not` x where it is a condition."""

    operand: Node


class Chain(Node, frozen=True, kw_only=True):
    """first op operand op operand …, from left to right: + and -, or * and /, or comparisons, or `and`, or `or`."""

    operators: tuple[str, ...]
    operands: tuple[Node, ...]


class Power(Node, frozen=True, kw_only=True):
    base: Node
    exponent: Node


class If(Node, frozen=True, kw_only=True):
    condition: Node
    then: Node
    otherwise: Node


class Extreme(Node, frozen=True, kw_only=True):
    """`min` or `max` of numbers, or of one list."""

    largest: bool
    operands: tuple[Node, ...]


class ListOf(Node, frozen=True, kw_only=True):
    items: tuple[Node, ...]


class Sum(Node, frozen=True, kw_only=True):
    """Σ term for variable = low, low + 1, …, high."""

    variable: str
    low: Node
    high: Node
    term: Node


class Call(Node, frozen=True, kw_only=True):
    function: str
    arguments: tuple[Node, ...]


def excerpt(source: str, node: Node) -> str:
    """The node's part of the source, cut where it is long."""
    text = source[node.start : node.end]
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
