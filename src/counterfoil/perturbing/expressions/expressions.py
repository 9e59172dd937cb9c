"""The expression language of templates: small, closed, parsed, never run as code.

Numbers, names, + - * / ^ (also **), comparisons (also chained), and, or, not, if(condition, a, b), min, max, abs,
round(x, digits), sqrt, exp, ln, sum(variable, from, to, term), lists of cash flows, and the functions of finance and
statistics in `functions.py`. Every evaluation takes a bounded number of steps.

Decimals have 50 digits. An expression sets the decimal context for itself; inside `computing()` it finds it set, which
saves a little time and lets the caller compute on with the same digits. `==` compares all digits.
`round` is half up (away from zero); in floating point it rounds the shortest decimal that stands for the number.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Collection, Mapping
from decimal import Decimal, getcontext, setcontext
from typing import Any

import msgspec

from counterfoil.perturbing.expressions.compiling import compiled
from counterfoil.perturbing.expressions.numbers import CONTEXT, DECIMAL, FLOAT, computing
from counterfoil.perturbing.expressions.parsing import tree_of
from counterfoil.perturbing.expressions.tree import ExpressionError, Kind

__all__ = ["Expression", "ExpressionError", "computing", "parse"]


class Expression(msgspec.Struct, frozen=True, eq=False):
    """An expression that can be computed over and over: a number (`decimal`, `float`) or a condition (`holds`).

    `names` are those it uses; `values` may hold more. All three raise ExpressionError where there is no such number.
    """

    source: str
    names: frozenset[str]
    kind: Kind
    in_decimals: Callable[[Mapping[str, Any]], Any]
    in_floats: Callable[[Mapping[str, Any]], Any]

    def decimal(self, values: Mapping[str, Decimal]) -> Decimal:
        """The number, in decimals of 50 digits."""
        self._expect(Kind.NUMBER)
        number: Decimal = self._computed(values)
        return number

    def float(self, values: Mapping[str, builtins.float]) -> builtins.float:
        """The number, in floating point."""
        self._expect(Kind.NUMBER)
        number: builtins.float = self.in_floats(values)
        return number

    def holds(self, values: Mapping[str, Decimal]) -> bool:
        """Whether the condition holds, computed in decimals."""
        self._expect(Kind.CONDITION)
        return bool(self._computed(values))

    def _computed(self, values: Mapping[str, Decimal]) -> Any:
        before = getcontext()
        if before is CONTEXT:
            return self.in_decimals(values)
        setcontext(CONTEXT)
        try:
            return self.in_decimals(values)
        finally:
            setcontext(before)

    def _expect(self, kind: Kind) -> None:
        if self.kind is not kind:
            raise ExpressionError(f"{kind.value} is expected and not {self.kind.value}", 1)


def parse(source: str, names: Collection[str]) -> Expression:
    """The expression in `source`, which may use `names`. Refused with reason and position: whatever else it holds."""
    tree = tree_of(source, names)
    with computing():
        in_decimals = compiled(source, tree, DECIMAL)
    return Expression(source, tree.names, tree.kind, in_decimals, compiled(source, tree, FLOAT))
