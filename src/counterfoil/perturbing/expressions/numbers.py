"""The two kinds of numbers the functions are written for: decimals of 50 digits, and floating point to check them.

A function of the expression language is written once, over an `Arithmetic`. What can not be computed raises
`Undefined` with the reason (or an ArithmeticError); the expression adds where.
"""

from __future__ import annotations

import contextlib
import decimal
import math
import statistics
from abc import ABC, abstractmethod
from decimal import Decimal
from typing import TYPE_CHECKING, Generic, TypeVar

from counterfoil.perturbing.expressions import decimal_math

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

N = TypeVar("N", Decimal, float)

CONTEXT = decimal.Context(
    prec=50,
    rounding=decimal.ROUND_HALF_EVEN,
    Emin=-999999,
    Emax=999999,
    traps=[decimal.InvalidOperation, decimal.DivisionByZero, decimal.Overflow],
)
# A power may reach 10^300 and 10^-300, which floating point can hold too, and exponents one million.
_LARGEST_DIGITS = 300
_LARGEST_EXPONENT = 1_000_000
_MOST_PLACES = 30
_SMALLEST_PROBABILITY = 1e-300
# A root is refined until a step is below the first; where rounding keeps it above, a step below the second will do.
_ROOT_STEP, _ROUGH_ROOT_STEP = Decimal("1e-45"), Decimal("1e-40")
_SECANTS = 30


class Undefined(Exception):
    """There is no such number; the message is the reason."""


@contextlib.contextmanager
def computing() -> Iterator[None]:
    """Decimal arithmetic of 50 digits, for callers that compute with the values of expressions themselves."""
    before = decimal.getcontext()
    decimal.setcontext(CONTEXT)
    try:
        yield
    finally:
        decimal.setcontext(before)


class Arithmetic(ABC, Generic[N]):
    """What the functions need beyond + - * / and comparisons."""

    @abstractmethod
    def number(self, text: str | int) -> N: ...

    @abstractmethod
    def finite(self, x: N) -> bool: ...

    @abstractmethod
    def total(self, values: Sequence[N]) -> N: ...

    @abstractmethod
    def exp(self, x: N) -> N: ...

    @abstractmethod
    def ln(self, x: N) -> N: ...

    @abstractmethod
    def log1p(self, x: N) -> N:
        """ln(1 + x), precise for small x."""

    @abstractmethod
    def sqrt(self, x: N) -> N: ...

    @abstractmethod
    def power(self, base: N, exponent: N) -> N: ...

    @abstractmethod
    def compounded(self, rate: N, n: N) -> tuple[N, N]:
        """(1 + rate)^n and (1 + rate)^n − 1, both precise, for small rates too."""

    @abstractmethod
    def round(self, x: N, places: N) -> N:
        """Half up, away from zero: the textbooks' way."""

    @abstractmethod
    def normal_cdf(self, x: N) -> N: ...

    @abstractmethod
    def normal_inv(self, p: N) -> N: ...

    @abstractmethod
    def refined(self, function: Callable[[N], N], root: float) -> N:
        """A root of `function` as precise as the numbers allow, from one that is right in floating point."""


class _Decimals(Arithmetic[Decimal]):
    """Decimals in CONTEXT, which must be the current one."""

    def number(self, text: str | int) -> Decimal:
        return Decimal(text)

    def finite(self, x: Decimal) -> bool:
        return x.is_finite()

    def total(self, values: Sequence[Decimal]) -> Decimal:
        return sum(values, Decimal(0))

    def exp(self, x: Decimal) -> Decimal:
        _check_exponential(float(x))
        return x.exp()

    def ln(self, x: Decimal) -> Decimal:
        _check_logarithm(x > 0)
        return x.ln()

    def log1p(self, x: Decimal) -> Decimal:
        _check_logarithm(x > -1)
        return decimal_math.log1p(x)

    def sqrt(self, x: Decimal) -> Decimal:
        _check_root(x >= 0)
        return x.sqrt()

    def power(self, base: Decimal, exponent: Decimal) -> Decimal:
        _check_power(float(base), float(exponent))
        return decimal_math.power(base, exponent)

    def compounded(self, rate: Decimal, n: Decimal) -> tuple[Decimal, Decimal]:
        _check_compounding(float(rate), float(n))
        return decimal_math.compounded(rate, n)

    def round(self, x: Decimal, places: Decimal) -> Decimal:
        return rounded(x, _places(float(places)))

    def normal_cdf(self, x: Decimal) -> Decimal:
        return decimal_math.normal_cdf(x)

    def normal_inv(self, p: Decimal) -> Decimal:
        _check_probability(_SMALLEST_PROBABILITY <= p < 1)
        return decimal_math.normal_inv(p)

    def refined(self, function: Callable[[Decimal], Decimal], root: float) -> Decimal:
        """The secant method: the digits of one step and of the one before it add up."""
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


class _Floats(Arithmetic[float]):
    def number(self, text: str | int) -> float:
        return float(text)

    def finite(self, x: float) -> bool:
        return math.isfinite(x)

    def total(self, values: Sequence[float]) -> float:
        return math.fsum(values)

    def exp(self, x: float) -> float:
        _check_exponential(x)
        return math.exp(x)

    def ln(self, x: float) -> float:
        _check_logarithm(x > 0)
        return math.log(x)

    def log1p(self, x: float) -> float:
        _check_logarithm(x > -1)
        return math.log1p(x)

    def sqrt(self, x: float) -> float:
        _check_root(x >= 0)
        return math.sqrt(x)

    def power(self, base: float, exponent: float) -> float:
        _check_power(base, exponent)
        return math.pow(base, exponent)

    def compounded(self, rate: float, n: float) -> tuple[float, float]:
        _check_compounding(rate, n)
        exponent = n * math.log1p(rate)
        return math.exp(exponent), math.expm1(exponent)

    def round(self, x: float, places: float) -> float:
        """The rule for decimals, on the shortest decimal that stands for x: 2.675 becomes 2.68."""
        return float(rounded(Decimal(repr(x)), _places(places)))

    def normal_cdf(self, x: float) -> float:
        return math.erfc(-x / math.sqrt(2)) / 2

    def normal_inv(self, p: float) -> float:
        _check_probability(_SMALLEST_PROBABILITY <= p < 1)
        return statistics.NormalDist().inv_cdf(p)

    def refined(self, function: Callable[[float], float], root: float) -> float:
        return root


def rounded(x: Decimal, places: int) -> Decimal:
    """x with so many digits after the point, half up (away from zero)."""
    try:
        return x.quantize(Decimal((0, (1,), -places)), decimal.ROUND_HALF_UP, CONTEXT)
    except decimal.InvalidOperation:
        raise Undefined(f"the number is too large to be rounded to {places} digits") from None


def _places(places: float) -> int:
    if places != int(places) or abs(places) > _MOST_PLACES:
        raise Undefined(f"the digits to round to must be a whole number from -{_MOST_PLACES} to {_MOST_PLACES}")
    return int(places)


def _check_exponential(x: float) -> None:
    if not abs(x) <= _LARGEST_DIGITS * math.log(10):
        raise Undefined(f"the power is beyond 10^{_LARGEST_DIGITS} or 10^-{_LARGEST_DIGITS}")


def _check_logarithm(positive: bool) -> None:
    if not positive:
        raise Undefined("only a positive number has a logarithm")


def _check_root(nonnegative: bool) -> None:
    if not nonnegative:
        raise Undefined("a negative number has no square root")


def _check_probability(inside: bool) -> None:
    if not inside:
        raise Undefined("a probability must be above 0 and below 1")


def _check_compounding(rate: float, n: float) -> None:
    if not rate > -1:
        raise Undefined("a rate must be above -1")
    if abs(n) > _LARGEST_EXPONENT:
        raise Undefined(f"the number of periods is beyond {_LARGEST_EXPONENT:,}")
    # The other way, towards 0, nothing is lost: what is worth less than 10^-300 is worth nothing.
    _check_exponential(max(n * math.log1p(rate), 0))


def _check_power(base: float, exponent: float) -> None:
    if abs(exponent) > _LARGEST_EXPONENT:
        raise Undefined(f"the exponent is beyond {_LARGEST_EXPONENT:,}")
    if base == 0:
        if exponent <= 0:
            raise Undefined("0 has no power of 0 or less")
        return
    if base < 0 and exponent != int(exponent):
        raise Undefined("a negative number has no power that is not whole")
    if abs(base) == math.inf:
        raise Undefined(f"the power is beyond 10^{_LARGEST_DIGITS} or 10^-{_LARGEST_DIGITS}")
    _check_exponential(exponent * math.log(abs(base)))


DECIMAL: Arithmetic[Decimal] = _Decimals()
FLOAT: Arithmetic[float] = _Floats()
