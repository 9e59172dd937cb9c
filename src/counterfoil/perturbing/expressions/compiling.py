"""From a tree to one function of the values: nested closures, so that nothing is looked up again in each draw.

Parts without names are computed once, here: what can not be computed in them is refused before any values are there.
"""

from __future__ import annotations

import operator
from functools import partial
from typing import TYPE_CHECKING, Any, Generic

from counterfoil.perturbing.expressions.functions import FUNCTIONS
from counterfoil.perturbing.expressions.numbers import Arithmetic, N, Undefined
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
    excerpt,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    # Numbers, conditions and lists alike: the parser has made sure of what is what.
    Run = Callable[[Mapping[str, Any]], Any]

# What numbers raise that can not be computed: ValueError is for NaN, if a caller gives it as a value.
_FAILURES = (ArithmeticError, ValueError)
_MOST_TERMS = 10_000
_FARTHEST_BOUND = 1_000_000_000
# Of about a third of a microsecond each: every evaluation ends within a fraction of a second.
_MOST_STEPS = 400_000
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


class _Scope(dict[str, Any]):
    """The values, the variables of the sums that are under way, and the steps that sums have taken."""

    steps: int = 0


def compiled(source: str, tree: Node, on: Arithmetic[N]) -> Run:
    """The tree as a function of the values of its names. It raises ExpressionError and nothing else."""
    if tree.cost > _MOST_STEPS:
        raise ExpressionError(f"more than {_MOST_STEPS:,} steps to compute", 1)
    return _Compiler(source, on).whole(tree)


class _Compiler(Generic[N]):
    def __init__(self, source: str, on: Arithmetic[N]) -> None:
        self._source = source
        self._on: Arithmetic[N] = on
        self._sums = False
        # One for all constant parts, so that their sums share the limit.
        self._constants = _Scope()
        # How often the sums with known ranges repeat the part that is being compiled.
        self._repeats = 1

    def whole(self, node: Node) -> Run:
        run = self._run(node)
        sums, is_number, finite = self._sums, node.kind is Kind.NUMBER, self._on.finite

        def evaluate(values: Mapping[str, Any]) -> Any:
            try:
                result = run(_Scope(values) if sums else values)
            except _FAILURES as error:
                raise self._error(node, error) from None
            except KeyError as missing:
                raise ExpressionError(f"no value is given for {missing}, used", node.start + 1) from None
            if is_number and not finite(result):
                raise self._error(node, OverflowError())
            return result

        return evaluate

    def _run(self, node: Node) -> Run:
        run = self._part(node)
        if node.names or isinstance(node, Literal):
            return run
        try:
            value = run(self._constants)
        except _FAILURES as error:
            raise self._error(node, error) from None
        return lambda values: value

    def _part(self, node: Node) -> Run:
        match node:
            case Literal():
                value = self._on.number(node.text)
                return lambda values: value
            case Name():
                return operator.itemgetter(node.name)
            case Negated():
                operand = self._run(node.operand)
                if node.kind is Kind.NUMBER:
                    return lambda values: -operand(values)
                return lambda values: not operand(values)
            case Chain():
                return self._chain(node)
            case Power():
                return self._call(node, self._on.power, (node.base, node.exponent))
            case If():
                condition, then, otherwise = map(self._run, (node.condition, node.then, node.otherwise))
                return lambda values: then(values) if condition(values) else otherwise(values)
            case Extreme():
                return self._extreme(node)
            case ListOf():
                items = [self._run(item) for item in node.items]
                return lambda values: [item(values) for item in items]
            case Sum():
                return self._sum(node)
            case Call():
                return self._call(node, partial(FUNCTIONS[node.function].compute, self._on), node.arguments)
            case _:
                raise AssertionError(node)

    def _chain(self, node: Chain) -> Run:
        first, *rest = [self._run(operand) for operand in node.operands]
        if node.operators[0] == "and":
            return lambda values: first(values) and all(operand(values) for operand in rest)
        if node.operators[0] == "or":
            return lambda values: first(values) or any(operand(values) for operand in rest)
        steps = [(_OPERATORS[sign], operand) for sign, operand in zip(node.operators, rest, strict=True)]
        if node.kind is Kind.CONDITION:
            return self._comparisons(first, steps)
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

    def _comparisons(self, first: Run, steps: list[tuple[Callable[[Any, Any], Any], Run]]) -> Run:
        def run(values: Mapping[str, Any]) -> bool:
            left = first(values)
            for compare, operand in steps:
                right = operand(values)
                if not compare(left, right):
                    return False
                left = right
            return True

        return run

    def _extreme(self, node: Extreme) -> Run:
        operands, extreme = [self._run(operand) for operand in node.operands], max if node.largest else min
        if node.operands[0].kind is Kind.LIST:
            [items] = operands
            return lambda values: extreme(items(values))
        return lambda values: extreme([operand(values) for operand in operands])

    def _call(self, node: Node, compute: Callable[..., Any], arguments: tuple[Node, ...]) -> Run:
        operands = [self._run(argument) for argument in arguments]

        def run(values: Mapping[str, Any]) -> Any:
            try:
                return compute(*[operand(values) for operand in operands])
            except (*_FAILURES, Undefined) as error:
                raise self._error(node, error) from None

        return run

    def _sum(self, node: Sum) -> Run:
        self._sums = True
        on, variable, cost = self._on, node.variable, node.term.cost
        low, high = self._run(node.low), self._run(node.high)
        repeats = self._repeats
        if not node.low.names and not node.high.names:
            self._repeats *= max(self._terms(node, low({}), high({})), 1)
            self._check_steps(node, self._repeats * cost)
        term = self._run(node.term)
        self._repeats = repeats

        def run(scope: Mapping[str, Any]) -> Any:
            assert isinstance(scope, _Scope)
            begin = low(scope)
            terms = self._terms(node, begin, high(scope))
            scope.steps += terms * cost
            self._check_steps(node, scope.steps)
            total, start = on.number(0), int(begin)
            for k in range(start, start + terms):
                scope[variable] = on.number(k)
                total += term(scope)
            return total

        return run

    def _terms(self, node: Sum, low: N, high: N) -> int:
        """How many terms: whole bounds only, none if the upper is below the lower."""
        if high - low >= _MOST_TERMS:
            raise self._error(node, Undefined(f"a sum of more than {_MOST_TERMS:,} terms"))
        if abs(low) > _FARTHEST_BOUND or low != int(low) or high != int(high):
            raise self._error(node, Undefined(f"the bounds of a sum must be whole numbers up to {_FARTHEST_BOUND:,}"))
        return max(int(high) - int(low) + 1, 0)

    def _check_steps(self, node: Node, steps: int) -> None:
        if steps > _MOST_STEPS:
            raise self._error(node, Undefined(f"sums of more than {_MOST_STEPS:,} steps"))

    def _error(self, node: Node, error: Exception) -> ExpressionError:
        return ExpressionError(f"{_reason(error)} in {excerpt(self._source, node)}", node.start + 1)


def _reason(error: Exception) -> str:
    if isinstance(error, Undefined):
        return str(error)
    # The decimal module calls 0/0 an invalid operation.
    if isinstance(error, ZeroDivisionError) or "DivisionUndefined" in str(error):
        return "division by zero"
    return "a number that is too large or not defined"
