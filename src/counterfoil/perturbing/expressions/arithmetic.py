"""Arithmetic on two kinds of numbers: decimals of 50 digits, and floating point to check them.

Every function of the expression language is written once, for both kinds. Where there is no result it raises
`Undefined` with the reason, or an ArithmeticError. The expression adds the position.
In decimals, CONTEXT must be the current context. All functions keep at least 40 of its 50 digits.
"""

from __future__ import annotations

import decimal
import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, getcontext, localcontext
from itertools import accumulate, count
from typing import TypeVar

N = TypeVar("N", Decimal, float)

CONTEXT = decimal.Context(
    prec=50,
    rounding=decimal.ROUND_HALF_EVEN,
    Emin=-999999,
    Emax=999999,
    traps=[decimal.InvalidOperation, decimal.DivisionByZero, decimal.Overflow],
)
# Powers are limited to 10^300 and 10^-300, which floating point can hold too; exponents to one million.
_LARGEST_DIGITS = 300
_LARGEST_EXPONENT = 1_000_000
_MOST_PLACES = 30
_SMALLEST_PROBABILITY = 1e-300
_TOO_LARGE = f"the power is beyond 10^{_LARGEST_DIGITS} or 10^-{_LARGEST_DIGITS}"
_EXPONENT_TOO_LARGE = f"the exponent is beyond {_LARGEST_EXPONENT:,}"
_TOO_MANY_PERIODS = f"the number of periods is beyond {_LARGEST_EXPONENT:,}"
_NO_PLACES = f"the digits to round to must be a whole number from -{_MOST_PLACES} to {_MOST_PLACES}"
_NO_LOGARITHM = "only a positive number has a logarithm"
# A root is refined until a step is below the first; where rounding keeps it above, a step below the second will do.
_ROOT_STEP, _ROUGH_ROOT_STEP = Decimal("1e-45"), Decimal("1e-40")
_SECANTS = 30
# Below 10^-315 nothing is left of the normal distribution's tail, in floating point as well.
_FARTHEST = 38
_FAR = 5
# So near to a whole number, a number is that one: absolute, and as a share of it. Floats keep about 16 digits.
_WHOLE, _WHOLE_SHARE = "1e-9", "1e-13"
# √(2π), to more digits than any precision that is used here.
_ROOT_OF_TWO_PI = Decimal("2.50662827463100050241576528481104525300698674060993831662992357634229365460784197")
# Below this a series is used, where a subtraction or an addition of 1 would lose more than five digits.
_SMALL = Decimal("1e-5")


class Undefined(Exception):
    """There is no such number. The message says why."""


def refuse_if(condition: bool, reason: str) -> None:
    """Undefined with the reason if the condition holds."""
    if condition:
        raise Undefined(reason)


def is_finite(x: N) -> bool:
    return x.is_finite() if isinstance(x, Decimal) else math.isfinite(x)


def total(values: Sequence[N]) -> N:
    """The sum of one value or more."""
    return sum(values, Decimal(0)) if isinstance(values[0], Decimal) else math.fsum(values)


def exp(x: N) -> N:
    _check_exponential(float(x))
    return x.exp() if isinstance(x, Decimal) else math.exp(x)


def ln(x: N) -> N:
    refuse_if(not x > 0, _NO_LOGARITHM)
    return x.ln() if isinstance(x, Decimal) else math.log(x)


def log1p(x: N) -> N:
    """ln(1 + x), precise for small x."""
    refuse_if(not x > -1, _NO_LOGARITHM)
    return _decimal_log1p(x) if isinstance(x, Decimal) else math.log1p(x)


def sqrt(x: N) -> N:
    refuse_if(not x >= 0, "a negative number has no square root")
    return x.sqrt() if isinstance(x, Decimal) else math.sqrt(x)


def power(base: N, exponent: N) -> N:
    x, y = float(base), float(exponent)
    refuse_if(abs(y) > _LARGEST_EXPONENT, _EXPONENT_TOO_LARGE)
    if x == 0:
        refuse_if(y <= 0, "0 has no power of 0 or less")
    else:
        refuse_if(x < 0 and y != int(y), "a negative number has no power that is not whole")
        refuse_if(abs(x) == math.inf, _TOO_LARGE)
        _check_exponential(y * math.log(abs(x)))
    return _decimal_power(base, exponent) if isinstance(base, Decimal) else math.pow(base, exponent)


def compounded(rate: N, n: N) -> tuple[N, N]:
    """(1 + rate)^n and (1 + rate)^n − 1, both precise, for small rates too."""
    refuse_if(not float(rate) > -1, "a rate must be above -1")
    refuse_if(abs(float(n)) > _LARGEST_EXPONENT, _TOO_MANY_PERIODS)
    exponent = float(n) * math.log1p(float(rate))
    # Towards 0 there is no limit: an amount below 10^-300 counts as nothing.
    _check_exponential(max(exponent, 0))
    if isinstance(rate, Decimal):
        return _decimal_compounded(rate, n)
    return math.exp(exponent), math.expm1(exponent)


def rounded(x: N, places: N) -> N:
    """Half up, away from zero: the textbooks' way. Of a float, the shortest decimal that stands for it is rounded."""
    refuse_if(places != int(places) or abs(places) > _MOST_PLACES, _NO_PLACES)
    number = x if isinstance(x, Decimal) else Decimal(repr(x))
    try:
        return type(x)(number.quantize(Decimal((0, (1,), -int(places))), decimal.ROUND_HALF_UP, CONTEXT))
    except decimal.InvalidOperation:
        raise Undefined(f"the number is too large to be rounded to {int(places)} digits") from None


def nearest_whole(x: N) -> N | None:
    """The whole number that x is, but for what rounding has left of it: a third of 12 is 4. None where it is none."""
    number = x.to_integral_value(decimal.ROUND_HALF_EVEN) if isinstance(x, Decimal) else float(round(x))
    return number if abs(x - number) <= max(type(x)(_WHOLE), abs(x) * type(x)(_WHOLE_SHARE)) else None


def floor(x: N) -> N:
    """The whole number at x or next below it."""
    whole = nearest_whole(x)
    if whole is not None:
        return whole
    return x.to_integral_value(decimal.ROUND_FLOOR) if isinstance(x, Decimal) else float(math.floor(x))


def ceil(x: N) -> N:
    """The whole number at x or next above it."""
    return -floor(-x)


def integer(x: N) -> N:
    """Without what stands behind the point."""
    return floor(x) if x >= 0 else ceil(x)


def remainder(x: N, y: N) -> N:
    """What is left of x after the largest multiple of y that is not above it; of the sign of y."""
    left = x - y * floor(x / y)
    return type(x)(0) if nearest_whole(left / y) == 0 else left


def common_divisor(x: N, y: N) -> N:
    """The largest whole number that both are multiples of."""
    one, other = nearest_whole(x), nearest_whole(y)
    if one is None or other is None or (one == 0 and other == 0):
        raise Undefined("a common divisor is of two whole numbers, not both 0")
    return type(x)(math.gcd(int(one), int(other)))


def is_whole(x: N) -> bool:
    return nearest_whole(x) is not None


def is_multiple(x: N, y: N) -> bool:
    return is_whole(x / y)


def normal_cdf(x: N) -> N:
    return _decimal_normal_cdf(x) if isinstance(x, Decimal) else math.erfc(-x / math.sqrt(2)) / 2


def normal_inv(p: N) -> N:
    refuse_if(not _SMALLEST_PROBABILITY <= p < 1, "a probability must be above 0 and below 1")
    return _decimal_normal_inv(p) if isinstance(p, Decimal) else statistics.NormalDist().inv_cdf(p)


def _check_exponential(x: float) -> None:
    refuse_if(not abs(x) <= _LARGEST_DIGITS * math.log(10), _TOO_LARGE)


def _decimal_power(base: Decimal, exponent: Decimal) -> Decimal:
    """base^exponent for a positive base, or for a whole exponent. Whole and half exponents need no logarithm."""
    if exponent == exponent.to_integral_value():
        return base**exponent
    half = exponent - Decimal("0.5")
    if half == half.to_integral_value():
        return base**half * base.sqrt()
    return (exponent * base.ln()).exp()


def _series(terms: Iterable[Decimal]) -> Decimal:
    """The sum of the terms, down to those that are too small to matter."""
    total = Decimal(0)
    for term in terms:
        if not term or (total and term.adjusted() < total.adjusted() - getcontext().prec):
            break
        total += term
    return total


def _decimal_log1p(x: Decimal) -> Decimal:
    """ln(1 + x), close to 0 as 2·artanh(x/(2 + x)) = 2·Σ z^(2k+1)/(2k+1)."""
    if abs(x) > _SMALL:
        return (1 + x).ln()
    z = x / (2 + x)
    return 2 * _series(z**k / k for k in count(1, 2))


def _decimal_compounded(rate: Decimal, n: Decimal) -> tuple[Decimal, Decimal]:
    """(1 + rate)^n and (1 + rate)^n − 1; for rates close to 0 as the binomial series Σ n(n−1)…(n−k+1)/k!·rate^k."""
    if abs(n * rate) > _SMALL or abs(rate) > _SMALL:
        grown = _decimal_power(1 + rate, n)
        return grown, grown - 1
    gained = _series(accumulate(count(1), lambda term, k: term * ((n - k) * rate / (k + 1)), initial=n * rate))
    return 1 + gained, gained


def _decimal_normal_cdf(x: Decimal) -> Decimal:
    """Φ(x) = 1/2 + φ(x)·(x + x³/3 + x⁵/(3·5) + x⁷/(3·5·7) + …), a series whose terms all have one sign.

    Below 0 the two parts cancel: there the precision grows by as many digits as the tail has zeros, and a few. From 5
    standard deviations on the tail is a continued fraction; from 38 on it is 0.
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
    square = x * x
    # While terms still grow (k < x²) they are never small against the total, so the series can not stop too early.
    return _series(accumulate(count(3, 2), lambda term, k: term * square / k, initial=x)) * _density(square)


def _density(square: Decimal) -> Decimal:
    return (-square / 2).exp() / _ROOT_OF_TWO_PI


def _decimal_normal_inv(p: Decimal) -> Decimal:
    """Newton's method from the floating-point inverse. Each step doubles the digits: two give over 50."""
    if p > Decimal("0.5"):
        return -_decimal_normal_inv(1 - p)
    x = Decimal(statistics.NormalDist().inv_cdf(float(p)))
    for _ in range(2):
        x -= (_decimal_normal_cdf(x) - p) / _density(x * x)
    return x


def refined(function: Callable[[N], N], root: float, like: N) -> N:
    """A root as precise as numbers like `like` can be, from one that is right in floating point.

    The secant method: the digits of one step and of the one before it add up.
    """
    if not isinstance(like, Decimal):
        return root
    before = Decimal(root)
    scale = max(abs(before), Decimal(1))
    now = before + Decimal("1e-12") * scale
    value_before, value = function(before), function(now)
    for _ in range(_SECANTS):
        if value == value_before:
            break
        step = value * (now - before) / (value - value_before)
        rounding = _ROUGH_ROOT_STEP if abs(step) >= abs(now - before) else _ROOT_STEP
        before, value_before = now, value
        now -= step
        if abs(step) < rounding * scale:
            return now
        value = function(now)
    raise Undefined("the search for a solution does not converge")
