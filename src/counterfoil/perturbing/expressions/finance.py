"""The functions of finance: the time value of money, bonds, and what capital, shares, forwards and options cost.

Amounts are positive, as in textbooks; a payment comes at the end of its period. One equation ties them together:

    pv = pmt·a(rate, n) + fv·(1 + rate)^-n,  a(rate, n) = (1 − (1 + rate)^-n)/rate

A bond is on a coupon date; its yield is bond-equivalent: the periodic one × per_year. With c and y the periodic coupon
rate and yield, v = 1/(1 + y) and n the number of periods, a bond of face 1 pays c at t = 1…n and 1 at n. All sums over
periods are the closed forms

    T₀ = Σ v^t = (1 − v^n)/y,   T₁ = Σ t·v^t = ((1 + y)·T₀ − n·v^n)/y,
    T₂ = Σ t(t+1)/2·v^t = ((1 + y)·T₁ − n(n+1)/2·v^n)/y

All of these hold for numbers of periods that are not whole as well, so that a number of periods can be searched for.
Rates that no formula gives are bracketed and bisected in floating point, and refined in decimals.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from counterfoil.perturbing.expressions.arithmetic import FLOAT, Arithmetic, N, refuse_if

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_LOWEST, _HIGHEST = -0.999, 1e6
_HALVINGS = 200
# The closed forms lose digits as y·n comes close to 0; below this a whole number of periods is summed one by one.
_SMALL = 0.05
_MOST_PERIODS = 1_000


def _discounting(on: Arithmetic[N], rate: N, n: N) -> tuple[N, N]:
    """(1 + rate)^-n and a(rate, n), today's values of 1 after n periods and of 1 at the end of each."""
    last, change = on.compounded(rate, -n)
    return last, n if rate == 0 else -change / rate


def pv(on: Arithmetic[N], rate: N, n: N, pmt: N, fv: N) -> N:
    """Today's value of n payments and a final amount."""
    last, factor = _discounting(on, rate, n)
    return pmt * factor + fv * last


def fv(on: Arithmetic[N], rate: N, n: N, pmt: N, pv: N) -> N:
    """The value after n periods of an amount today and n payments: pv·(1 + rate)^n + pmt·((1 + rate)^n − 1)/rate."""
    grown, change = on.compounded(rate, n)
    return pv * grown + pmt * (n if rate == 0 else change / rate)


def pmt(on: Arithmetic[N], rate: N, n: N, pv: N, fv: N) -> N:
    """The level payment that pays off pv but for a final amount fv."""
    last, factor = _discounting(on, rate, n)
    return (pv - fv * last) / factor


def nper(on: Arithmetic[N], rate: N, pmt: N, pv: N, fv: N) -> N:
    """The number of periods: ln((pmt − fv·rate)/(pmt − pv·rate))/ln(1 + rate)."""
    if rate == 0:
        n = (pv - fv) / pmt
    else:
        left = pmt - pv * rate
        refuse_if(left == 0, "the payments never pay it off")
        change = (pv - fv) * rate / left
        refuse_if(change <= -1, "the payments never pay it off")
        n = on.log1p(change) / on.log1p(rate)
    refuse_if(n < 0, "no number of periods solves it")
    return n


def rate(on: Arithmetic[N], n: N, pmt: N, pv: N, fv: N) -> N:
    """The rate per period. With positive amounts the right side falls as the rate rises: there is one at most."""
    refuse_if(n <= 0 or pv <= 0 or pmt < 0 or fv < 0, "a rate needs positive periods and amounts")
    floats = [float(x) for x in (n, pmt, fv, pv)]
    near = _rate_between(lambda rate: _excess(FLOAT, rate, *floats))
    return on.refined(lambda rate: _excess(on, rate, n, pmt, fv, pv), near)


def _excess(on: Arithmetic[N], rate: N, n: N, pmt: N, fv: N, price: N) -> N:
    return pv(on, rate, n, pmt, fv) - price


def npv(on: Arithmetic[N], rate: N, flows: Sequence[N]) -> N:
    """Σ flows[k]·(1 + rate)^-k, the first flow at time 0; by Horner's rule."""
    refuse_if(rate <= -1, "a rate must be above -1")
    total, factor = on.number(0), 1 / (1 + rate)
    for flow in reversed(flows):
        total = total * factor + flow
    return total


def irr(on: Arithmetic[N], flows: Sequence[N]) -> N:
    """The rate at which npv is 0, where there is one only.

    So it is if the flows change their sign once (Descartes), or if their running total does, the last not being 0
    (Norstrøm 1972: one positive rate). Other flows are refused.
    """
    changes = _sign_changes(flows)
    refuse_if(changes == 0, "flows that never change their sign have no internal rate of return")
    if changes > 1:
        totals = list(itertools.accumulate(flows))
        is_one = _sign_changes(totals) == 1 and totals[-1] != 0
        refuse_if(not is_one, "these flows may have more than one internal rate of return")
    floats = [float(flow) for flow in flows]
    return on.refined(lambda rate: npv(on, rate, flows), _rate_between(lambda rate: _scaled_npv(rate, floats)))


def _scaled_npv(rate: float, flows: Sequence[float]) -> float:
    """npv, or for negative rates npv·(1 + rate)^n, the value at the end: both without overflow, and of one sign."""
    if rate >= 0:
        return npv(FLOAT, rate, flows)
    total, factor = 0.0, 1 + rate
    for flow in flows:
        total = total * factor + flow
    return total


def _sign_changes(values: Sequence[N]) -> int:
    signs = [value > 0 for value in values if value != 0]
    return sum(a != b for a, b in itertools.pairwise(signs))


def annuity(on: Arithmetic[N], rate: N, n: N, pmt: N) -> N:
    """Today's value of n payments, each at the end of its period."""
    return pmt * _discounting(on, rate, n)[1]


def annuity_due(on: Arithmetic[N], rate: N, n: N, pmt: N) -> N:
    """Today's value of n payments, each at the beginning of its period."""
    return pmt * _discounting(on, rate, n)[1] * (1 + rate)


def perpetuity(on: Arithmetic[N], pmt: N, rate: N) -> N:
    """Today's value of payments at the end of every period, for ever: pmt/rate."""
    refuse_if(rate <= 0, "a perpetuity needs a positive rate")
    return pmt / rate


def effective_rate(on: Arithmetic[N], nominal: N, per_year: N) -> N:
    """(1 + nominal/per_year)^per_year − 1."""
    refuse_if(per_year <= 0, "the periods per year must be positive")
    return on.compounded(nominal / per_year, per_year)[1]


def bond_price(on: Arithmetic[N], coupon_rate: N, annual_yield: N, years: N, per_year: N, face: N) -> N:
    """face·(c·T₀ + v^n)."""
    c, y, n = _periodic(coupon_rate, annual_yield, years, per_year)
    return face * pv(on, y, n, c, on.number(1))


def ytm(on: Arithmetic[N], price: N, coupon_rate: N, years: N, per_year: N, face: N) -> N:
    """The yield at which bond_price is `price`. The price falls as the yield rises: there is one at most."""
    c, _, n = _periodic(coupon_rate, on.number(0), years, per_year)
    is_wrong = price <= 0 or face <= 0 or coupon_rate < 0
    refuse_if(is_wrong, "a yield needs a positive price and face, and a coupon that is not negative")
    return rate(on, n, c, price / face, on.number(1)) * per_year


def macaulay_duration(on: Arithmetic[N], coupon_rate: N, annual_yield: N, years: N, per_year: N) -> N:
    """In years: (c·T₁ + n·v^n)/(c·T₀ + v^n)/per_year."""
    c, y, n = _periodic(coupon_rate, annual_yield, years, per_year)
    t0, t1, _, last = _sums(on, y, n)
    return (c * t1 + n * last) / (c * t0 + last) / per_year


def modified_duration(on: Arithmetic[N], coupon_rate: N, annual_yield: N, years: N, per_year: N) -> N:
    """In years: Macaulay's ÷ (1 + y) = −(dP/dY)/P for the annual yield Y."""
    return macaulay_duration(on, coupon_rate, annual_yield, years, per_year) / (1 + annual_yield / per_year)


def convexity(on: Arithmetic[N], coupon_rate: N, annual_yield: N, years: N, per_year: N) -> N:
    """In years squared: (2c·T₂ + n(n+1)·v^n)/(c·T₀ + v^n)/((1 + y)·per_year)² = (d²P/dY²)/P."""
    c, y, n = _periodic(coupon_rate, annual_yield, years, per_year)
    t0, _, t2, last = _sums(on, y, n)
    scale = (1 + y) * per_year
    return (2 * c * t2 + n * (n + 1) * last) / (c * t0 + last) / (scale * scale)


def _sums(on: Arithmetic[N], y: N, n: N) -> tuple[N, N, N, N]:
    """T₀, T₁, T₂ and v^n."""
    last, t0 = _discounting(on, y, n)
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


def _periodic(coupon_rate: N, annual_yield: N, years: N, per_year: N) -> tuple[N, N, N]:
    """c, y and n."""
    refuse_if(years <= 0 or per_year <= 0, "a bond needs a positive number of years and of coupons per year")
    return coupon_rate / per_year, annual_yield / per_year, years * per_year


def capm(on: Arithmetic[N], riskfree: N, beta: N, market_return: N) -> N:
    """riskfree + beta·(market_return − riskfree)."""
    return riskfree + beta * (market_return - riskfree)


def wacc(on: Arithmetic[N], weight_equity: N, cost_equity: N, weight_debt: N, cost_debt: N, tax: N) -> N:
    """weight_equity·cost_equity + weight_debt·cost_debt·(1 − tax)."""
    return weight_equity * cost_equity + weight_debt * cost_debt * (1 - tax)


def gordon(on: Arithmetic[N], next_dividend: N, required: N, growth: N) -> N:
    """next_dividend/(required − growth)."""
    refuse_if(required <= growth, "the required return must be above the growth rate")
    return next_dividend / (required - growth)


def forward_price(on: Arithmetic[N], spot: N, rate: N, years: N) -> N:
    """spot·(1 + rate)^years."""
    return spot * on.compounded(rate, years)[0]


def put_call_put(on: Arithmetic[N], call: N, spot: N, strike: N, rate: N, years: N) -> N:
    """The put from the call: call − spot + strike/(1 + rate)^years."""
    return call - spot + strike * on.compounded(rate, -years)[0]


def put_call_call(on: Arithmetic[N], put: N, spot: N, strike: N, rate: N, years: N) -> N:
    """The call from the put: put + spot − strike/(1 + rate)^years."""
    return put + spot - strike * on.compounded(rate, -years)[0]


def bs_call(on: Arithmetic[N], spot: N, strike: N, rate: N, years: N, volatility: N) -> N:
    """Black and Scholes (1973), the rate compounded continuously: spot·Φ(d₁) − strike·e^(−rate·years)·Φ(d₂)."""
    d1, d2 = _distances(on, spot, strike, rate, years, volatility)
    return spot * on.normal_cdf(d1) - strike * on.exp(-rate * years) * on.normal_cdf(d2)


def bs_put(on: Arithmetic[N], spot: N, strike: N, rate: N, years: N, volatility: N) -> N:
    """strike·e^(−rate·years)·Φ(−d₂) − spot·Φ(−d₁)."""
    d1, d2 = _distances(on, spot, strike, rate, years, volatility)
    return strike * on.exp(-rate * years) * on.normal_cdf(-d2) - spot * on.normal_cdf(-d1)


def _distances(on: Arithmetic[N], spot: N, strike: N, rate: N, years: N, volatility: N) -> tuple[N, N]:
    """d₁ = (ln(spot/strike) + (rate + volatility²/2)·years)/(volatility·√years),  d₂ = d₁ − volatility·√years."""
    is_wrong = spot <= 0 or strike <= 0 or years <= 0 or volatility <= 0
    refuse_if(is_wrong, "an option needs a positive spot, strike, time and volatility")
    spread = volatility * on.sqrt(years)
    d1 = (on.ln(spot / strike) + (rate + volatility * volatility / 2) * years) / spread
    return d1, d1 - spread


def _rate_between(function: Callable[[float], float]) -> float:
    """The rate at which `function` changes its sign: the only one, or the only positive one."""
    at_zero = function(0.0)
    if at_zero == 0:
        return 0.0
    low, high = 0.0, 0.1
    while high <= _HIGHEST:
        if (function(high) > 0) != (at_zero > 0):
            return _bisected(function, low, high)
        low, high = high, high * 4
    low, high = -0.1, 0.0
    while (function(low) > 0) == (at_zero > 0):
        # 1 + rate goes halfway to 0.
        low, high = (low - 1) / 2, low
        refuse_if(low < _LOWEST, f"no rate from {_LOWEST} to {_HIGHEST:,.0f} solves it")
    return _bisected(function, low, high)


def _bisected(function: Callable[[float], float], low: float, high: float) -> float:
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
