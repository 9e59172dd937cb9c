"""Rates that no formula gives: bracketed and bisected in floating point, refined in decimals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterfoil.perturbing.expressions.numbers import Undefined

if TYPE_CHECKING:
    from collections.abc import Callable

_LOWEST, _HIGHEST = -0.999, 1e6
_HALVINGS = 200


def rate_between(function: Callable[[float], float]) -> float:
    """The rate at which `function` changes its sign: the only one, or the only positive one."""
    at_zero = function(0.0)
    if at_zero == 0:
        return 0.0
    low, high = 0.0, 0.1
    while (function(high) > 0) == (at_zero > 0):
        low, high = high, high * 4
        if high > _HIGHEST:
            break
    else:
        return bisected(function, low, high)
    low, high = -0.1, 0.0
    while (function(low) > 0) == (at_zero > 0):
        # 1 + rate goes halfway to 0.
        low, high = (low - 1) / 2, low
        if low < _LOWEST:
            raise Undefined(f"no rate from {_LOWEST} to {_HIGHEST:,.0f} solves it")
    return bisected(function, low, high)


def bisected(function: Callable[[float], float], low: float, high: float) -> float:
    """Where `function` changes its sign between low and high, to the last bit."""
    positive_low = function(low) > 0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if (function(middle) > 0) == positive_low:
            low = middle
        else:
            high = middle
    return (low + high) / 2
