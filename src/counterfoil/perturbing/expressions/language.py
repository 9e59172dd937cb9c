"""The expression language of templates, which docs/templates.md describes: small, closed, parsed, never run as code.

Decimals have 50 digits; `==` compares all of them. Every evaluation takes a bounded number of steps.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Collection, Mapping
from decimal import Decimal, localcontext
from typing import Any

import msgspec

from counterfoil.perturbing.expressions.arithmetic import CONTEXT, Undefined, is_finite, power
from counterfoil.perturbing.expressions.functions import FUNCTIONS
from counterfoil.perturbing.expressions.parsing import ExpressionError, Kind, Node, tree_of

__all__ = ["Expression", "ExpressionError", "Kind", "parse"]

# From values to a number, a condition or a list: the parser has made sure of what is what.
Run = Callable[[Mapping[str, Any]], Any]

# Errors of computing. A ValueError comes from NaN, where a caller gives it as a value.
_FAILURES = (ArithmeticError, ValueError)
_MOST_TERMS = 10_000
_FARTHEST_BOUND = 1_000_000_000
# Of about a third of a microsecond each: every evaluation ends within a fraction of a second.
_MOST_STEPS = 400_000
_SHOWN = 60
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Expression(msgspec.Struct, frozen=True, eq=False):
    """An expression that can be computed over and over: a number (`decimal`, `float`) or a condition (`holds`).

    `names` are those it uses; `values` may hold more. All three raise ExpressionError where there is no such number.
    """

    source: str
    names: frozenset[str]
    kind: Kind
    in_decimals: Run
    in_floats: Run

    def decimal(self, values: Mapping[str, Decimal]) -> Decimal:
        """The number, in decimals of 50 digits."""
        self._expect(Kind.NUMBER)
        with localcontext(CONTEXT):
            number: Decimal = self.in_decimals(values)
        return number

    def float(self, values: Mapping[str, builtins.float]) -> builtins.float:
        """The number, in floating point."""
        self._expect(Kind.NUMBER)
        number: builtins.float = self.in_floats(values)
        return number

    def holds(self, values: Mapping[str, Decimal]) -> bool:
        """Whether the condition holds, computed in decimals."""
        self._expect(Kind.CONDITION)
        with localcontext(CONTEXT):
            return bool(self.in_decimals(values))

    def _expect(self, kind: Kind) -> None:
        if self.kind is not kind:
            raise ExpressionError(f"{kind.value} is expected and not {self.kind.value}", 1)


def parse(source: str, names: Collection[str]) -> Expression:
    """The expression in `source`, which may use `names`. ExpressionError says what is wrong with it, and where."""
    tree = tree_of(source, names)
    if tree.cost > _MOST_STEPS:
        raise ExpressionError(f"more than {_MOST_STEPS:,} steps to compute", 1)
    with localcontext(CONTEXT):
        in_decimals = _Compiler(source, Decimal).whole(tree)
    return Expression(source, tree.names, tree.kind, in_decimals, _Compiler(source, builtins.float).whole(tree))


class _Scope(dict[str, Any]):
    """The values, the variables of the sums that are under way, and the steps that sums have taken."""

    steps: int = 0


class _Compiler:
    """From a tree to nested closures, so that nothing is looked up again in each draw.

    Parts without names are computed once, here. An error in them is found before there are any values.
    """

    def __init__(self, source: str, number: type[Decimal | float]) -> None:
        self._source = source
        self._number = number
        self._sums = False
        # One for all constant parts, so that their sums share the limit.
        self._constants = _Scope()
        # How often the sums with known ranges repeat the part that is being compiled.
        self._repeats = 1

    def whole(self, node: Node) -> Run:
        """The tree as a function of the values of its names. It raises ExpressionError and nothing else."""
        run = self._run(node)
        sums, is_number = self._sums, node.kind is Kind.NUMBER

        def evaluate(values: Mapping[str, Any]) -> Any:
            try:
                result = run(_Scope(values) if sums else values)
            except _FAILURES as error:
                raise self._error(node, error) from None
            except KeyError as missing:
                raise ExpressionError(f"no value is given for {missing}, used", node.start + 1) from None
            if is_number and not is_finite(result):
                raise self._error(node, OverflowError())
            return result

        return evaluate

    def _run(self, node: Node) -> Run:
        run = self._part(node)
        if node.names or node.form == "literal":
            return run
        try:
            value = run(self._constants)
        except _FAILURES as error:
            raise self._error(node, error) from None
        return lambda values: value

    def _part(self, node: Node) -> Run:
        if node.form == "literal":
            number = self._number(node.text)
            return lambda values: number
        if node.form == "name":
            return operator.itemgetter(node.text)
        if node.form == "sum":
            return self._sum(node)
        parts = [self._run(part) for part in node.parts]
        match node.form:
            case "negated":
                [operand] = parts
                if node.kind is Kind.NUMBER:
                    return lambda values: -operand(values)
                return lambda values: not operand(values)
            case "chain":
                return self._chain(node, *parts)
            case "power":
                return self._call(node, power, parts)
            case "call":
                return self._call(node, FUNCTIONS[node.text].compute, parts)
            case "if":
                condition, then, otherwise = parts
                return lambda values: then(values) if condition(values) else otherwise(values)
            case "list":
                return lambda values: [part(values) for part in parts]
        extreme: Callable[[Any], Any] = max if node.form == "max" else min
        if node.parts[0].kind is Kind.LIST:
            [items] = parts
            return lambda values: extreme(items(values))
        return lambda values: extreme([part(values) for part in parts])

    def _chain(self, node: Node, first: Run, *rest: Run) -> Run:
        if node.operators[0] == "and":
            return lambda values: first(values) and all(operand(values) for operand in rest)
        if node.operators[0] == "or":
            return lambda values: first(values) or any(operand(values) for operand in rest)
        steps = [(_OPERATORS[sign], operand) for sign, operand in zip(node.operators, rest, strict=True)]

        def compare(values: Mapping[str, Any]) -> bool:
            left = first(values)
            for holds, operand in steps:
                right = operand(values)
                if not holds(left, right):
                    return False
                left = right
            return True

        if node.kind is Kind.CONDITION:
            return compare
        if len(steps) == 1 and node.operators[0] != "/":
            [(apply, second)] = steps
            return lambda values: apply(first(values), second(values))

        def run(values: Mapping[str, Any]) -> Any:
            try:
                result = first(values)
                for apply, operand in steps:
                    result = apply(result, operand(values))
            except _FAILURES as error:
                raise self._error(node, error) from None
            return result

        return run

    def _call(self, node: Node, compute: Callable[..., Any], operands: list[Run]) -> Run:
        def run(values: Mapping[str, Any]) -> Any:
            try:
                return compute(*[operand(values) for operand in operands])
            except (*_FAILURES, Undefined) as error:
                raise self._error(node, error) from None

        return run

    def _sum(self, node: Node) -> Run:
        self._sums = True
        number, variable, cost = self._number, node.text, node.parts[2].cost
        low, high = self._run(node.parts[0]), self._run(node.parts[1])
        repeats = self._repeats
        if not node.parts[0].names and not node.parts[1].names:
            self._repeats *= max(self._terms(node, low({}), high({})), 1)
            self._check_steps(node, self._repeats * cost)
        term = self._run(node.parts[2])
        self._repeats = repeats

        def run(scope: Mapping[str, Any]) -> Any:
            assert isinstance(scope, _Scope)
            begin = low(scope)
            terms = self._terms(node, begin, high(scope))
            scope.steps += terms * cost
            self._check_steps(node, scope.steps)
            total: Any = number(0)
            start = int(begin)
            for k in range(start, start + terms):
                scope[variable] = number(k)
                total += term(scope)
            return total

        return run

    def _terms(self, node: Node, low: Any, high: Any) -> int:
        """The number of terms. The bounds must be whole; there are no terms if the upper is below the lower."""
        if high - low >= _MOST_TERMS:
            raise self._error(node, Undefined(f"a sum of more than {_MOST_TERMS:,} terms"))
        if abs(low) > _FARTHEST_BOUND or low != int(low) or high != int(high):
            raise self._error(node, Undefined(f"the bounds of a sum must be whole numbers up to {_FARTHEST_BOUND:,}"))
        return max(int(high) - int(low) + 1, 0)

    def _check_steps(self, node: Node, steps: int) -> None:
        if steps > _MOST_STEPS:
            raise self._error(node, Undefined(f"sums of more than {_MOST_STEPS:,} steps"))

    def _error(self, node: Node, error: Exception) -> ExpressionError:
        """The reason with the source of the part, shortened where it is long."""
        text = self._source[node.start : node.end]
        shown = repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
        return ExpressionError(f"{_reason(error)} in {shown}", node.start + 1)


def _reason(error: Exception) -> str:
    if isinstance(error, Undefined):
        return str(error)
    # The decimal module calls 0/0 an invalid operation.
    if isinstance(error, ZeroDivisionError) or "DivisionUndefined" in str(error):
        return "division by zero"
    return "a number that is too large or not defined"
