"""What things should cost: capital, shares, forwards and options."""

from __future__ import annotations

from counterfoil.perturbing.expressions.numbers import Arithmetic, N, Undefined


def capm(on: Arithmetic[N], riskfree: N, beta: N, market_return: N) -> N:
    """riskfree + beta·(market_return − riskfree)."""
    return riskfree + beta * (market_return - riskfree)


def wacc(on: Arithmetic[N], weight_equity: N, cost_equity: N, weight_debt: N, cost_debt: N, tax: N) -> N:
    """weight_equity·cost_equity + weight_debt·cost_debt·(1 − tax)."""
    return weight_equity * cost_equity + weight_debt * cost_debt * (1 - tax)


def gordon(on: Arithmetic[N], next_dividend: N, required: N, growth: N) -> N:
    """next_dividend/(required − growth)."""
    if required <= growth:
        raise Undefined("the required return must be above the growth rate")
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
    if spot <= 0 or strike <= 0 or years <= 0 or volatility <= 0:
        raise Undefined("an option needs a positive spot, strike, time and volatility")
    spread = volatility * on.sqrt(years)
    d1 = (on.ln(spot / strike) + (rate + volatility * volatility / 2) * years) / spread
    return d1, d1 - spread
