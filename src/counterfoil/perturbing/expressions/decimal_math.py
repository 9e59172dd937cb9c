"""What the decimal module leaves out: fractional powers, compounding without cancellation, the normal distribution.

All functions compute in the current context and keep at least 40 of its 50 digits.
"""

from __future__ import annotations

import statistics
from decimal import Decimal, getcontext, localcontext
from functools import cache

# Below 10^-315 nothing is left of the normal distribution's tail, in floating point as well.
_FARTHEST = 38
_FAR = 5
# Below this a series is used, where a subtraction or an addition of 1 would lose more than five digits.
_SMALL = Decimal("1e-5")


def power(base: Decimal, exponent: Decimal) -> Decimal:
    """base^exponent for a positive base, or for a whole exponent. Whole and half exponents need no logarithm."""
    if exponent == exponent.to_integral_value():
        return base**exponent
    half = exponent - Decimal("0.5")
    if half == half.to_integral_value():
        return base**half * base.sqrt()
    return (exponent * base.ln()).exp()


def compounded(rate: Decimal, n: Decimal) -> tuple[Decimal, Decimal]:
    """(1 + rate)^n, and the same − 1: for rates close to 0 as the binomial series Σ n(n−1)…(n−k+1)/k!·rate^k."""
    if abs(n * rate) > _SMALL or abs(rate) > _SMALL:
        grown = power(1 + rate, n)
        return grown, grown - 1
    term, total, k = n * rate, Decimal(0), 1
    while term and (not total or term.adjusted() >= total.adjusted() - getcontext().prec):
        total += term
        term *= (n - k) * rate / (k + 1)
        k += 1
    return 1 + total, total


def log1p(x: Decimal) -> Decimal:
    """ln(1 + x), also for x close to 0: there as 2·artanh(x/(2 + x)) = 2·Σ z^(2k+1)/(2k+1)."""
    if abs(x) > _SMALL:
        return (1 + x).ln()
    z = x / (2 + x)
    square, term, total, k = z * z, z, Decimal(0), 1
    while term and (not total or term.adjusted() >= total.adjusted() - getcontext().prec):
        total += term / k
        term *= square
        k += 2
    return 2 * total


def normal_cdf(x: Decimal) -> Decimal:
    """Φ(x) = 1/2 + φ(x)·(x + x³/3 + x⁵/(3·5) + x⁷/(3·5·7) + …), a series whose terms all have one sign.

    Below 0 the two parts cancel, so there as many digits are added as the tail has zeros, and a few. From 5 standard
    deviations on the tail is a continued fraction; from 38 on it is 0.
    """
    if abs(x) > _FARTHEST:
        return Decimal(x > 0)
    if abs(x) > _FAR:
        return 1 - _tail(x) if x > 0 else _tail(-x)
    if x >= 0:
        return Decimal("0.5") + _from_centre(x)
    with localcontext() as context:
        context.prec += 5 + int(x * x / 4)
        below = Decimal("0.5") + _from_centre(x)
    return +below


def _tail(x: Decimal) -> Decimal:
    """1 − Φ(x) for large x: Laplace's φ(x)/(x + 1/(x + 2/(x + 3/(x + …)))).

    4700/x² + 25 levels give 53 digits from x = 5 on (found by comparing with 6,000 levels).
    """
    fraction = x
    for k in range(int(4700 / (x * x)) + 25, 0, -1):
        fraction = x + k / fraction
    return _density(x * x) / fraction


def _from_centre(x: Decimal) -> Decimal:
    """Φ(x) − 1/2 in the current precision."""
    square, term, total, k = x * x, x, Decimal(0), 1
    # While terms still grow (k < x²) they are never small against the total, so the test can not stop too early.
    while term and (not total or term.adjusted() >= total.adjusted() - getcontext().prec):
        total += term
        k += 2
        term = term * square / k
    return total * _density(square)


def _density(square: Decimal) -> Decimal:
    return (-square / 2).exp() / _root_of_two_pi(getcontext().prec)


@cache
def _root_of_two_pi(digits: int) -> Decimal:
    """sqrt(2π) by Machin's formula π = 16·arctan(1/5) − 4·arctan(1/239)."""
    with localcontext() as context:
        context.prec = digits + 10
        pi = 16 * _arctan_of_inverse(5) - 4 * _arctan_of_inverse(239)
        return (2 * pi).sqrt()


def _arctan_of_inverse(x: int) -> Decimal:
    power_of_x, total, k = 1 / Decimal(x), Decimal(0), 1
    while power_of_x.adjusted() >= -getcontext().prec:
        total += power_of_x / k if k % 4 == 1 else -power_of_x / k
        power_of_x /= x * x
        k += 2
    return total


def normal_inv(p: Decimal) -> Decimal:
    """The x with Φ(x) = p for 10^-300 ≤ p < 1: Newton's method from the floating-point inverse.

    Each step doubles the digits, so two reach more than 50 from 15.
    """
    if p > Decimal("0.5"):
        return -normal_inv(1 - p)
    x = Decimal(statistics.NormalDist().inv_cdf(float(p)))
    for _ in range(2):
        x -= (normal_cdf(x) - p) / _density(x * x)
    return x
