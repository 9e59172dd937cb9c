"""The functions of the expression language: of finance, of statistics, and their table with what they take and cost.

Amounts are positive, as in textbooks; a payment comes at the end of its period. One equation ties them together:

    pv = pmt·a(rate, n) + fv·(1 + rate)^-n,  a(rate, n) = (1 − (1 + rate)^-n)/rate

A bond is on a coupon date; its yield is bond-equivalent: the periodic one × per_year. With c and y the periodic coupon
rate and yield, v = 1/(1 + y) and n the number of periods, a bond of face 1 pays c at t = 1…n and 1 at n. All sums over
periods are the closed forms

    T₀ = Σ v^t = (1 − v^n)/y,   T₁ = Σ t·v^t = ((1 + y)·T₀ − n·v^n)/y,
    T₂ = Σ t(t+1)/2·v^t = ((1 + y)·T₁ − n(n+1)/2·v^n)/y

All of these hold for numbers of periods that are not whole as well, so that a number of periods can be searched for.
Rates that no formula gives are bracketed and bisected in floating point, and refined in decimals.

Of the functions of statistics, those without `_p` divide by n − 1 (a sample), those with it by n.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from counterfoil.perturbing.expressions import arithmetic
from counterfoil.perturbing.expressions.arithmetic import N, compounded, exp, ln, log1p, normal_cdf, refuse_if, sqrt

_LOWEST, _HIGHEST = -0.999, 1e6
_NO_RATE = f"no rate from {_LOWEST} to {_HIGHEST:,.0f} solves it"
_HALVINGS = 200
# The closed forms lose digits as y·n comes close to 0; below this a whole number of periods is summed one by one.
_SMALL = 0.05
_MOST_PERIODS = 1_000


def _discounting(rate: N, n: N) -> tuple[N, N]:
    """(1 + rate)^-n and a(rate, n), today's values of 1 after n periods and of 1 at the end of each."""
    last, change = compounded(rate, -n)
    return last, n if rate == 0 else -change / rate


def pv(rate: N, n: N, pmt: N, fv: N) -> N:
    """Today's value of n payments and a final amount."""
    last, factor = _discounting(rate, n)
    return pmt * factor + fv * last


def fv(rate: N, n: N, pmt: N, pv: N) -> N:
    """The value after n periods of an amount today and n payments: pv·(1 + rate)^n + pmt·((1 + rate)^n − 1)/rate."""
    grown, change = compounded(rate, n)
    return pv * grown + pmt * (n if rate == 0 else change / rate)


def pmt(rate: N, n: N, pv: N, fv: N) -> N:
    """The level payment that pays off pv but for a final amount fv."""
    last, factor = _discounting(rate, n)
    return (pv - fv * last) / factor


def nper(rate: N, pmt: N, pv: N, fv: N) -> N:
    """The number of periods: ln((pmt − fv·rate)/(pmt − pv·rate))/ln(1 + rate)."""
    if rate == 0:
        n = (pv - fv) / pmt
    else:
        left = pmt - pv * rate
        refuse_if(left == 0, "the payments never pay it off")
        change = (pv - fv) * rate / left
        refuse_if(change <= -1, "the payments never pay it off")
        n = log1p(change) / log1p(rate)
    refuse_if(n < 0, "no number of periods solves it")
    return n


def rate(n: N, pmt: N, pv: N, fv: N) -> N:
    """The rate per period. With positive amounts the right side falls as the rate rises: there is one at most."""
    refuse_if(n <= 0 or pv <= 0 or pmt < 0 or fv < 0, "a rate needs positive periods and amounts")
    floats = [float(x) for x in (n, pmt, fv, pv)]
    near = _rate_between(lambda rate: _excess(rate, *floats))
    return arithmetic.refined(lambda rate: _excess(rate, n, pmt, fv, pv), near, n)


def _excess(rate: N, n: N, pmt: N, fv: N, price: N) -> N:
    return pv(rate, n, pmt, fv) - price


def npv(rate: N, flows: Sequence[N]) -> N:
    """Σ flows[k]·(1 + rate)^-k, the first flow at time 0; by Horner's rule."""
    refuse_if(rate <= -1, "a rate must be above -1")
    total, factor = type(rate)(0), 1 / (1 + rate)
    for flow in reversed(flows):
        total = total * factor + flow
    return total


def irr(flows: Sequence[N]) -> N:
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
    near = _rate_between(lambda rate: _scaled_npv(rate, floats))
    return arithmetic.refined(lambda rate: npv(rate, flows), near, flows[0])


def _scaled_npv(rate: float, flows: Sequence[float]) -> float:
    """npv, or for negative rates npv·(1 + rate)^n, the value at the end: both without overflow, and of one sign."""
    if rate >= 0:
        return npv(rate, flows)
    total, factor = 0.0, 1 + rate
    for flow in flows:
        total = total * factor + flow
    return total


def _sign_changes(values: Sequence[N]) -> int:
    signs = [value > 0 for value in values if value != 0]
    return sum(a != b for a, b in itertools.pairwise(signs))


def annuity(rate: N, n: N, pmt: N) -> N:
    """Today's value of n payments, each at the end of its period."""
    return pmt * _discounting(rate, n)[1]


def annuity_due(rate: N, n: N, pmt: N) -> N:
    """Today's value of n payments, each at the beginning of its period."""
    return pmt * _discounting(rate, n)[1] * (1 + rate)


def perpetuity(pmt: N, rate: N) -> N:
    """Today's value of payments at the end of every period, for ever: pmt/rate."""
    refuse_if(rate <= 0, "a perpetuity needs a positive rate")
    return pmt / rate


def effective_rate(nominal: N, per_year: N) -> N:
    """(1 + nominal/per_year)^per_year − 1."""
    refuse_if(per_year <= 0, "the periods per year must be positive")
    return compounded(nominal / per_year, per_year)[1]


def bond_price(coupon_rate: N, annual_yield: N, years: N, per_year: N, face: N) -> N:
    """face·(c·T₀ + v^n)."""
    n, c, y = _periodic(years, per_year, coupon_rate, annual_yield)
    return face * pv(y, n, c, type(y)(1))


def ytm(price: N, coupon_rate: N, years: N, per_year: N, face: N) -> N:
    """The yield at which bond_price is `price`. The price falls as the yield rises: there is one at most."""
    n, c, _ = _periodic(years, per_year, coupon_rate, type(face)(0))
    is_wrong = price <= 0 or face <= 0 or coupon_rate < 0
    refuse_if(is_wrong, "a yield needs a positive price and face, and a coupon that is not negative")
    return rate(n, c, price / face, type(n)(1)) * per_year


def macaulay_duration(coupon_rate: N, annual_yield: N, years: N, per_year: N) -> N:
    """In years: (c·T₁ + n·v^n)/(c·T₀ + v^n)/per_year."""
    n, c, y = _periodic(years, per_year, coupon_rate, annual_yield)
    t0, t1, _, last = _sums(y, n)
    return (c * t1 + n * last) / (c * t0 + last) / per_year


def modified_duration(coupon_rate: N, annual_yield: N, years: N, per_year: N) -> N:
    """In years: Macaulay's ÷ (1 + y) = −(dP/dY)/P for the annual yield Y."""
    return macaulay_duration(coupon_rate, annual_yield, years, per_year) / (1 + annual_yield / per_year)


def convexity(coupon_rate: N, annual_yield: N, years: N, per_year: N) -> N:
    """In years squared: (2c·T₂ + n(n+1)·v^n)/(c·T₀ + v^n)/((1 + y)·per_year)² = (d²P/dY²)/P."""
    n, c, y = _periodic(years, per_year, coupon_rate, annual_yield)
    t0, _, t2, last = _sums(y, n)
    scale = (1 + y) * per_year
    return (2 * c * t2 + n * (n + 1) * last) / (c * t0 + last) / (scale * scale)


def _sums(y: N, n: N) -> tuple[N, N, N, N]:
    """T₀, T₁, T₂ and v^n."""
    last, t0 = _discounting(y, n)
    if abs(y * n) < _SMALL and n <= _MOST_PERIODS and n == int(n):
        v = 1 / (1 + y)
        factor, t1, t2 = type(y)(1), type(y)(0), type(y)(0)
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


def _periodic(years: N, per_year: N, coupon_rate: N, annual_yield: N) -> tuple[N, N, N]:
    """n, c and y."""
    refuse_if(years <= 0 or per_year <= 0, "a bond needs a positive number of years and of coupons per year")
    return years * per_year, coupon_rate / per_year, annual_yield / per_year


def capm(riskfree: N, beta: N, market_return: N) -> N:
    return riskfree + beta * (market_return - riskfree)


def wacc(weight_equity: N, cost_equity: N, weight_debt: N, cost_debt: N, tax: N) -> N:
    return weight_equity * cost_equity + weight_debt * cost_debt * (1 - tax)


def gordon(next_dividend: N, required: N, growth: N) -> N:
    refuse_if(required <= growth, "the required return must be above the growth rate")
    return next_dividend / (required - growth)


def forward_price(spot: N, rate: N, years: N) -> N:
    """spot·(1 + rate)^years."""
    return spot * compounded(rate, years)[0]


def put_call_put(call: N, spot: N, strike: N, rate: N, years: N) -> N:
    """The put from the call: call − spot + strike/(1 + rate)^years."""
    return call - spot + strike * compounded(rate, -years)[0]


def put_call_call(put: N, spot: N, strike: N, rate: N, years: N) -> N:
    """The call from the put: put + spot − strike/(1 + rate)^years."""
    return put + spot - strike * compounded(rate, -years)[0]


def bs_call(spot: N, strike: N, rate: N, years: N, volatility: N) -> N:
    """Black and Scholes (1973), the rate compounded continuously: spot·Φ(d₁) − strike·e^(−rate·years)·Φ(d₂)."""
    d1, d2 = _distances(spot, strike, rate, years, volatility)
    return spot * normal_cdf(d1) - strike * exp(-rate * years) * normal_cdf(d2)


def bs_put(spot: N, strike: N, rate: N, years: N, volatility: N) -> N:
    """strike·e^(−rate·years)·Φ(−d₂) − spot·Φ(−d₁)."""
    d1, d2 = _distances(spot, strike, rate, years, volatility)
    return strike * exp(-rate * years) * normal_cdf(-d2) - spot * normal_cdf(-d1)


def _distances(spot: N, strike: N, rate: N, years: N, volatility: N) -> tuple[N, N]:
    """d₁ = (ln(spot/strike) + (rate + volatility²/2)·years)/(volatility·√years),  d₂ = d₁ − volatility·√years."""
    is_wrong = spot <= 0 or strike <= 0 or years <= 0 or volatility <= 0
    refuse_if(is_wrong, "an option needs a positive spot, strike, time and volatility")
    spread = volatility * sqrt(years)
    d1 = (ln(spot / strike) + (rate + volatility * volatility / 2) * years) / spread
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
        refuse_if(low < _LOWEST, _NO_RATE)
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


def _mean(values: Sequence[N]) -> N:
    return arithmetic.total(values) / len(values)


def _covariance(first: Sequence[N], second: Sequence[N]) -> N:
    refuse_if(len(first) < 2, "a sample needs at least two values")
    return _products(first, second) / (len(first) - 1)


def _covariance_p(first: Sequence[N], second: Sequence[N]) -> N:
    return _products(first, second) / len(first)


def _correlation(first: Sequence[N], second: Sequence[N]) -> N:
    """Pearson's, the same for a sample and a population."""
    spreads = _products(first, first) * _products(second, second)
    refuse_if(spreads == 0, "a list of one value throughout has no correlation")
    return _products(first, second) / sqrt(spreads)


def _products(first: Sequence[N], second: Sequence[N]) -> N:
    """Σ (x − mean x)(y − mean y)."""
    refuse_if(len(first) != len(second), "the two lists differ in length")
    one, other = _mean(first), _mean(second)
    return arithmetic.total([(x - one) * (y - other) for x, y in zip(first, second, strict=True)])


class Function(msgspec.Struct, frozen=True):
    """`parameters` names the arguments in order; those in `lists` are lists, the others numbers.

    `compute` takes the arguments. `cost` is its time in units of about one multiplication.
    """

    parameters: tuple[str, ...]
    compute: Callable[..., Any]
    cost: int
    lists: frozenset[str] = frozenset()
    # What it gives is a condition, and not a number.
    condition: bool = False


# A formula; one with a logarithm or a fractional power; one with the normal distribution; a search.
_FORMULA, _POWER, _NORMAL, _SEARCH = 10, 100, 500, 3_000


def _takes(parameters: str, compute: Callable[..., Any], cost: int, *, condition: bool = False) -> Function:
    """`parameters` separated by spaces; a name in brackets is a list."""
    words = parameters.split()
    names = tuple(word.strip("[]") for word in words)
    lists = frozenset(word.strip("[]") for word in words if word.startswith("["))
    return Function(names, compute, cost, lists, condition)


_BOND = "coupon_rate yield years per_year"
_OPTION = "spot strike rate years volatility"

FUNCTIONS: dict[str, Function] = {
    "abs": _takes("x", abs, _FORMULA),
    "round": _takes("x digits", arithmetic.rounded, _FORMULA),
    "floor": _takes("x", arithmetic.floor, _FORMULA),
    "ceil": _takes("x", arithmetic.ceil, _FORMULA),
    "int": _takes("x", arithmetic.integer, _FORMULA),
    "mod": _takes("x y", arithmetic.remainder, _FORMULA),
    "gcd": _takes("x y", arithmetic.common_divisor, _FORMULA),
    "is_int": _takes("x", arithmetic.is_whole, _FORMULA, condition=True),
    "divides": _takes("x y", arithmetic.is_multiple, _FORMULA, condition=True),
    "sqrt": _takes("x", sqrt, _FORMULA),
    "exp": _takes("x", exp, _POWER),
    "ln": _takes("x", ln, _POWER),
    "pv": _takes("rate n pmt fv", pv, _POWER),
    "fv": _takes("rate n pmt pv", fv, _POWER),
    "pmt": _takes("rate n pv fv", pmt, _POWER),
    "nper": _takes("rate pmt pv fv", nper, _POWER),
    "rate": _takes("n pmt pv fv", rate, _SEARCH),
    "npv": _takes("rate [flows]", npv, _FORMULA),
    "irr": _takes("[flows]", irr, _SEARCH),
    "annuity": _takes("rate n pmt", annuity, _POWER),
    "annuity_due": _takes("rate n pmt", annuity_due, _POWER),
    "perpetuity": _takes("pmt rate", perpetuity, _FORMULA),
    "effective_rate": _takes("nominal per_year", effective_rate, _POWER),
    "bond_price": _takes(f"{_BOND} face", bond_price, _POWER),
    "ytm": _takes("price coupon_rate years per_year face", ytm, _SEARCH),
    "macaulay_duration": _takes(_BOND, macaulay_duration, _SEARCH),
    "modified_duration": _takes(_BOND, modified_duration, _SEARCH),
    "convexity": _takes(_BOND, convexity, _SEARCH),
    "normal_cdf": _takes("x", normal_cdf, _NORMAL),
    "normal_inv": _takes("p", arithmetic.normal_inv, _SEARCH),
    "mean": _takes("[values]", _mean, _FORMULA),
    "variance": _takes("[values]", lambda values: _covariance(values, values), _FORMULA),
    "variance_p": _takes("[values]", lambda values: _covariance_p(values, values), _FORMULA),
    "stdev": _takes("[values]", lambda values: sqrt(_covariance(values, values)), _FORMULA),
    "stdev_p": _takes("[values]", lambda values: sqrt(_covariance_p(values, values)), _FORMULA),
    "covariance": _takes("[first] [second]", _covariance, _FORMULA),
    "covariance_p": _takes("[first] [second]", _covariance_p, _FORMULA),
    "correlation": _takes("[first] [second]", _correlation, _FORMULA),
    "capm": _takes("riskfree beta market_return", capm, _FORMULA),
    "wacc": _takes("weight_equity cost_equity weight_debt cost_debt tax", wacc, _FORMULA),
    "gordon": _takes("next_dividend required growth", gordon, _FORMULA),
    "put_call_put": _takes("call spot strike rate years", put_call_put, _POWER),
    "put_call_call": _takes("put spot strike rate years", put_call_call, _POWER),
    "forward_price": _takes("spot rate years", forward_price, _POWER),
    "bs_call": _takes(_OPTION, bs_call, _NORMAL),
    "bs_put": _takes(_OPTION, bs_put, _NORMAL),
}
