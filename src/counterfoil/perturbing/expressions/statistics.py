"""Means and spreads of lists, and the normal distribution. Without `_p` the divisor is n − 1 (a sample), with it n."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterfoil.perturbing.expressions.numbers import Arithmetic, N, Undefined

if TYPE_CHECKING:
    from collections.abc import Sequence


def mean(on: Arithmetic[N], values: Sequence[N]) -> N:
    return on.total(values) / len(values)


def variance(on: Arithmetic[N], values: Sequence[N]) -> N:
    return covariance(on, values, values)


def variance_p(on: Arithmetic[N], values: Sequence[N]) -> N:
    return covariance_p(on, values, values)


def stdev(on: Arithmetic[N], values: Sequence[N]) -> N:
    return on.sqrt(variance(on, values))


def stdev_p(on: Arithmetic[N], values: Sequence[N]) -> N:
    return on.sqrt(variance_p(on, values))


def covariance(on: Arithmetic[N], first: Sequence[N], second: Sequence[N]) -> N:
    if len(first) < 2:
        raise Undefined("a sample needs at least two values")
    return _products(on, first, second) / (len(first) - 1)


def covariance_p(on: Arithmetic[N], first: Sequence[N], second: Sequence[N]) -> N:
    return _products(on, first, second) / len(first)


def correlation(on: Arithmetic[N], first: Sequence[N], second: Sequence[N]) -> N:
    """Pearson's, the same for a sample and a population."""
    spreads = _products(on, first, first) * _products(on, second, second)
    if spreads == 0:
        raise Undefined("a list of one value throughout has no correlation")
    return _products(on, first, second) / on.sqrt(spreads)


def _products(on: Arithmetic[N], first: Sequence[N], second: Sequence[N]) -> N:
    """Σ (x − mean x)(y − mean y)."""
    if len(first) != len(second):
        raise Undefined("the two lists differ in length")
    one, other = mean(on, first), mean(on, second)
    return on.total([(x - one) * (y - other) for x, y in zip(first, second, strict=True)])


def normal_cdf(on: Arithmetic[N], x: N) -> N:
    return on.normal_cdf(x)


def normal_inv(on: Arithmetic[N], p: N) -> N:
    return on.normal_inv(p)
