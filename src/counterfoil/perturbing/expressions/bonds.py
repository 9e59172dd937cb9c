"""Bonds on a coupon date: price, yield, duration, convexity. Yields are bond-equivalent: the periodic one × per_year.

With c and y the periodic coupon rate and yield, v = 1/(1 + y) and n the number of periods, a bond of face 1 pays c at
t = 1…n and 1 at n. All sums over periods are the closed forms

    T₀ = Σ v^t = (1 − v^n)/y,   T₁ = Σ t·v^t = ((1 + y)·T₀ − n·v^n)/y,
    T₂ = Σ t(t+1)/2·v^t = ((1 + y)·T₁ − n(n+1)/2·v^n)/y

which hold for numbers of periods that are not whole as well, so that a maturity can be searched for.
"""

from __future__ import annotations

from counterfoil.perturbing.expressions.money import discounting
from counterfoil.perturbing.expressions.numbers import FLOAT, Arithmetic, N, Undefined
from counterfoil.perturbing.expressions.solving import rate_between

# The closed forms lose digits as y·n comes close to 0; below this a whole number of periods is summed one by one.
_SMALL = 0.05
_MOST_PERIODS = 1_000


def bond_price(on: Arithmetic[N], coupon_rate: N, annual_yield: N, years: N, per_year: N, face: N) -> N:
    """face·(c·T₀ + v^n)."""
    _check(years, per_year)
    last, factor = discounting(on, annual_yield / per_year, years * per_year)
    return face * (coupon_rate / per_year * factor + last)


def ytm(on: Arithmetic[N], price: N, coupon_rate: N, years: N, per_year: N, face: N) -> N:
    """The yield at which bond_price is `price`. The price falls as the yield rises: there is one at most."""
    _check(years, per_year)
    if price <= 0 or face <= 0 or coupon_rate < 0:
        raise Undefined("a yield needs a positive price and face, and a coupon that is not negative")
    n, c = years * per_year, coupon_rate / per_year
    floats = [float(x) for x in (c, n, price / face)]
    periodic = on.refined(
        lambda y: _excess(on, y, c, n, price / face), rate_between(lambda y: _excess(FLOAT, y, *floats))
    )
    return periodic * per_year


def _excess(on: Arithmetic[N], y: N, c: N, n: N, price: N) -> N:
    last, factor = discounting(on, y, n)
    return c * factor + last - price


def macaulay_duration(on: Arithmetic[N], coupon_rate: N, annual_yield: N, years: N, per_year: N) -> N:
    """In years: (c·T₁ + n·v^n)/(c·T₀ + v^n)/per_year."""
    _check(years, per_year)
    c, y, n = coupon_rate / per_year, annual_yield / per_year, years * per_year
    t0, t1, _, last = _sums(on, y, n)
    return (c * t1 + n * last) / (c * t0 + last) / per_year


def modified_duration(on: Arithmetic[N], coupon_rate: N, annual_yield: N, years: N, per_year: N) -> N:
    """In years: Macaulay's ÷ (1 + y) = −(dP/dY)/P for the annual yield Y."""
    return macaulay_duration(on, coupon_rate, annual_yield, years, per_year) / (1 + annual_yield / per_year)


def convexity(on: Arithmetic[N], coupon_rate: N, annual_yield: N, years: N, per_year: N) -> N:
    """In years squared: (2c·T₂ + n(n+1)·v^n)/(c·T₀ + v^n)/((1 + y)·per_year)² = (d²P/dY²)/P."""
    _check(years, per_year)
    c, y, n = coupon_rate / per_year, annual_yield / per_year, years * per_year
    t0, _, t2, last = _sums(on, y, n)
    scale = (1 + y) * per_year
    return (2 * c * t2 + n * (n + 1) * last) / (c * t0 + last) / (scale * scale)


def _sums(on: Arithmetic[N], y: N, n: N) -> tuple[N, N, N, N]:
    """T₀, T₁, T₂ and v^n."""
    last, t0 = discounting(on, y, n)
    if abs(y * n) < _SMALL and n <= _MOST_PERIODS and n == int(n):
        v = 1 / (1 + y)
        factor, t1, t2 = on.number(1), on.number(0), on.number(0)
        for t in range(1, int(n) + 1):
            factor *= v
            t1 += t * factor
            t2 += t * (t + 1) // 2 * factor
        return t0, t1, t2, last
    if y == 0:
        return t0, n * (n + 1) / 2, n * (n + 1) * (n + 2) / 6, last
    t1 = ((1 + y) * t0 - n * last) / y
    t2 = ((1 + y) * t1 - n * (n + 1) / 2 * last) / y
    return t0, t1, t2, last


def _check(years: N, per_year: N) -> None:
    if years <= 0 or per_year <= 0:
        raise Undefined("a bond needs a positive number of years and of coupons per year")
