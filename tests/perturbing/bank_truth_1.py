"""What the originals of four files of the bank come to, each worked out another way than its template does.

The numbers are those of the texts. Accounts are run period by period, rates are found by trying out, probabilities by
adding up areas or by counting, options by their pay-offs. Percentages are given in percent, as printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import exp, fsum, pi, sqrt


def solved(gap: Callable[[float], float], low: float, high: float) -> float:
    """Where a gap that goes from below 0 to above 0 is 0."""
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if gap(middle) < 0 else (low, middle)
    return low


def worth(rate: float, flows: Iterable[float]) -> float:
    """What payments at the end of periods 1, 2, … are worth today, by going back one period at a time."""
    value = 0.0
    for flow in reversed(list(flows)):
        value = (value + flow) / (1 + rate)
    return value


def area(function: Callable[[float], float], low: float, high: float, parts: int = 20_000) -> float:
    """The integral, by Simpson's rule."""
    width = (high - low) / parts
    inside = fsum((4 if number % 2 else 2) * function(low + number * width) for number in range(1, parts))
    return (function(low) + inside + function(high)) * width / 3


def bell(z: float) -> float:
    return exp(-z * z / 2) / sqrt(2 * pi)


# Quantitative methods


def savings_balance() -> float:
    balance = 0.0
    for _ in range(12):
        balance = (balance + 3_600) * 1.055
    return balance


def car_payment() -> float:
    """The payment after which nothing is left to pay."""

    def left_over(payment: float) -> float:
        debt = 24_000.0
        for _ in range(60):
            debt += debt * 0.066 / 12 - payment
        return -debt

    return solved(left_over, 100, 1_000)


def certificate() -> float:
    value = 18_000.0
    for _ in range(36):
        value += value * 0.06 / 4
    return value


def many_scholarships() -> float:
    """Four years without, then so many with a payment that the rest does not matter."""
    return worth(0.04, [0.0] * 4 + [7_500.0] * 2_000)


def continuous_return() -> float:
    """ln(67 / 52) as the area under 1 / x."""
    return 100 * area(lambda x: 1 / x, 52, 67)


def money_weighted() -> float:
    return 100 * solved(lambda rate: (20 * (1 + rate) + 6) * (1 + rate) - 30.5, 0, 1)


def time_weighted() -> float:
    """A unit's price after both years, and the rate that leads there."""
    unit = 1.0 * 88 / 80
    unit *= 115 / 108
    return 100 * solved(lambda rate: (1 + rate) * (1 + rate) - unit, 0, 1)


def geometric_mean() -> float:
    wealth = 100.0
    for change in (0.21, -0.11, 0.14):
        wealth += wealth * change
    return 100 * solved(lambda rate: 100 * (1 + rate) ** 3 - wealth, 0, 1)


def coefficient_of_variation() -> float:
    """The sample variance from the six differences between pairs: their squares' mean, halved."""
    returns = [4, 15, 7, 12]
    squares = [(one - other) ** 2 for number, one in enumerate(returns) for other in returns[:number]]
    return sqrt(fsum(squares) / 6 / 2) / (fsum(returns) / 4)


def shortfall() -> float:
    """The area under the bell from far below to (3 - 11) / 14."""
    return 100 * area(bell, -12, -8 / 14)


def licence() -> float:
    """As if in 10 equal cases, 7 with and 3 without a renewal."""
    cases = [860] * 7 + [340] * 3
    middle = fsum(cases) / 10
    return sqrt(fsum((case - middle) ** 2 for case in cases) / 10)


def upgrades() -> float:
    """Of 10,000 bonds 1,800 are upgraded; signals are counted."""
    right, wrong = 1_800 * 75 // 100, 8_200 * 12 // 100
    return 100 * right / (right + wrong)


def upper_limit() -> float:
    """48 = 16 x 3: the standard error is 4.2 / 4 / sqrt(3)."""
    return 0.9 + 1.96 * 4.2 / 4 / 3**0.5


def regression() -> float:
    """Two outlays with mean 40 and sample variance 64, and sales on the line through (40, 310) with covariance 155."""
    step = sqrt(64 / 2)
    outlays = (40 - step, 40 + step)
    sales = (310 - 155 / 2 / step, 310 + 155 / 2 / step)
    return sales[0] + (sales[1] - sales[0]) * (58 - outlays[0]) / (outlays[1] - outlays[0])


# Fixed income


def railway_bond() -> float:
    return worth(0.03, [22.5] * 13 + [1_022.5])


def shipping_yield() -> float:
    return 200 * solved(lambda rate: 938 - worth(rate, [25.0] * 11 + [1_025.0]), 0, 0.2)


def full_price() -> float:
    """6.50 a year for 112 days of 360."""
    return 98.40 + fsum(6.50 / 360 for _ in range(112))


def implied_forward() -> float:
    """Both ways to invest for three years end with the same money."""
    three_years = 1.0375 * 1.0375 * 1.0375
    return 100 * solved(lambda rate: 1.024 * (1 + rate) * (1 + rate) - three_years, 0, 0.2)


def spot_price() -> float:
    """Each payment goes back year by year at its own rate."""
    return worth(0.021, [4.25]) + worth(0.029, [0, 4.25]) + worth(0.04, [0, 0, 104.25])


def rise_in_price() -> float:
    """125 steps of a basis point each: what duration gives, and convexity on the fall so far."""
    change = 0.0
    for number in range(125):
        change += 0.0001 * (7.8 + 88 * (number + 0.5) * 0.0001)
    return 100 * change


def macaulay() -> float:
    flows = [50.0] * 5 + [1_050.0]
    values = [worth(0.065, [0.0] * number + [flow]) for number, flow in enumerate(flows)]
    return fsum((number + 1) * value for number, value in enumerate(values)) / fsum(values)


def effective_duration() -> float:
    """The mean of the two relative changes, for each of the 0.40 percentage points."""
    fall, rise = 1 - 98.75 / 101.20, 103.10 / 101.20 - 1
    return 100 * (fall + rise) / 2 / 0.40


def bill_yield() -> float:
    price = 100 - 4.60 * 182 / 360
    return solved(lambda rate: price * (1 + rate / 100 * 182 / 365) - 100, 0, 20)


def floater() -> float:
    return worth((0.032 + 0.0145) / 2, [1.9] * 7 + [101.9])


def credit_spread() -> float:
    """Of 10,000 bonds 275 fail and pay 40."""
    price = (9_725 * 100 + 275 * 40) / 10_000 / 1.035
    return 10_000 * (100 / price - 1 - 0.035)


def prepayment() -> float:
    """The monthly rate that over twelve months leaves 89 of 100."""

    def gone(monthly: float) -> float:
        left = 100.0
        for _ in range(12):
            left -= left * monthly
        return 89 - left

    return (320_000 - 650) * solved(gone, 0, 0.5)


def mezzanine() -> float:
    """36 million are lost, the first 18 by the equity tranche, the rest by the mezzanine one of 42."""
    left, taken = 36.0, {}
    for tranche, size in (("equity", 18.0), ("mezzanine", 42.0), ("senior", 420.0)):
        taken[tranche] = min(left, size)
        left -= taken[tranche]
    return 100 * taken["mezzanine"] / 42


def repurchase() -> float:
    cash = 12_400_000 - 496_000
    return cash + fsum(cash * 0.036 / 360 for _ in range(45))


# Derivatives


def forward_with_dividend() -> float:
    """A debt of 84 that grows every three months, and of which the dividend pays back a part."""
    growth = sqrt(sqrt(1.04))
    debt = 84 * growth - 2.40
    return debt * growth * growth


def currency_forward() -> float:
    """One euro in 270 days: how many must be bought today, and what the dollars for them cost then."""
    euros = 1 / (1 + 0.02 * 0.75)
    return euros * 1.1420 * (1 + 0.06 * 0.75)


def forward_rate_agreement() -> float:
    """What grows in 180 days to the interest saved."""
    saved = 25_000_000 * 0.049 / 2 - 25_000_000 * 0.038 / 2
    return solved(lambda paid: paid * (1 + 0.049 / 2) - saved, 0, 1_000_000)


def swap_rate() -> float:
    """The coupon at which a three-year bond is worth par."""

    def above_par(coupon: float) -> float:
        return worth(0.025, [coupon]) + worth(0.032, [0, coupon]) + worth(0.0385, [0, 0, 100 + coupon]) - 100

    return solved(above_par, 0, 20)


def parity() -> float:
    """The call and a bond that pays 75, against the share: the bond goes back nine months, each by the same factor."""
    month = solved(lambda factor: factor**12 - 1.04, 1, 2)
    bond = worth(month - 1, [0.0] * 8 + [75.0])
    return 6.40 + bond - 73


def binomial() -> float:
    """Shares and a debt that pay 13 at 75 and 0 at 50.4."""
    shares = 13 / (75 - 50.4)
    return shares * 60 - shares * 50.4 / 1.04


def straddle() -> float:
    total = 0.0
    for _ in range(15 * 100):
        total += max(61 - 50, 0) + max(50 - 61, 0) - 3.20 - 2.60
    return total


def covered_call() -> float:
    """The best over a range of final prices."""
    return max(700 * (final - 46.50 + 1.85 - max(final - 52, 0)) for final in range(101))


def black_scholes() -> float:
    """The expected pay-off under the lognormal law, discounted."""
    drift, width = (0.03 - 0.28**2 / 2) * 0.75, 0.28 * sqrt(0.75)
    first = solved(lambda z: 95 * exp(drift + width * z) - 100, -5, 5)
    return exp(-0.03 * 0.75) * area(lambda z: (95 * exp(drift + width * z) - 100) * bell(z), first, 12)


def margin_call() -> float:
    """Cent by cent, until less than the maintenance margin would be left."""
    cents = 7_460
    while 6_800 - 10 * (7_460 - (cents - 1)) >= 5_000:
        cents -= 1
    return cents / 100


def hedge() -> float:
    """The contracts after which a fall of the index by 1 % costs 0.45 % of the portfolio."""
    return solved(lambda sold: sold * 50 * 42.60 - 85_000_000 * (0.0115 - 0.0045), 0, 10_000)


def old_forward() -> float:
    """Sold forward at today's price, 75 grown for eight months, the position locks in a sum that is discounted."""
    growth = solved(lambda factor: factor**3 - 1.045**2, 1, 2)
    return (75 * growth - 64) / growth


def equity_swap() -> float:
    """30 million buy 12,244.9 index units."""
    units = 30_000_000 / 2_450
    return units * (2_597 - 2_450) - 30_000_000 * 0.036 * 90 / 360


# Corporate issuers


def cost_of_capital() -> float:
    """What 900 million must earn: 73.6 for the owners, 15.6 for the lenders, of which taxes give 3.9 back."""
    return 100 * (640 * 0.115 + 260 * 0.06 - 260 * 0.06 * 0.25) / 900


def project_beta() -> float:
    """Equity carries all the risk: that of 0.60 debt, less the tax shield, and 1 equity is shared out."""
    assets = solved(lambda beta: beta + beta * 0.60 * 0.76 - 1.35, 0, 3)
    return assets + assets * 0.35 * 0.76


def after_tax_debt() -> float:
    return 75 * solved(lambda rate: 1_062 - worth(rate, [70.0] * 7 + [1_070.0]), 0, 0.3)


def machine() -> float:
    return worth(0.09, [118_000.0] * 4 + [168_000.0]) - 420_000


def project_return() -> float:
    return 100 * solved(lambda rate: 900 - worth(rate, [255.0] * 3 + [435.0]), 0, 1)


def van() -> float:
    """The level payment that is worth as much as all costs."""
    costs = 48_000 + worth(0.08, [7_400.0] * 6)
    return solved(lambda payment: worth(0.08, [payment] * 6) - costs, 0, 100_000)


def operating_leverage() -> float:
    """By how many percent operating income grows for 1 % more units."""
    before, after = (units * 9 - 410_000 for units in (80_000, 80_800))
    return 100 * (after / before - 1)


def earnings_per_share() -> float:
    """Income at 150 and at 159 million of sales; tax and shares cancel out."""
    before, after = (sales - sales * 0.55 - 28 - 9 for sales in (150, 159))
    return 100 * (after - before) / before


def breakeven() -> float:
    return solved(lambda units: units * 36.50 - units * 21.20 - 520_000 - 75_000, 0, 1_000_000)


def cash_cycle() -> float:
    inventory_days, receivable_days, payable_days = 62 / (330 / 365), 58 / (540 / 365), 41 / (330 / 365)
    return inventory_days + receivable_days - payable_days


def trade_credit() -> float:
    """98.50 now or 100 thirty days later: a daily rate, for 365 days."""
    daily = solved(lambda rate: 98.50 * (1 + rate) ** 30 - 100, 0, 0.1)
    wealth = 100.0
    for _ in range(365):
        wealth += wealth * daily
    return wealth - 100


def buyback() -> float:
    """9 of 60 million shares go; interest of 29.16 million saves 7.29 million of tax."""
    return (240 - 29.16 + 7.29) / 51


def levered_equity() -> float:
    """A firm with 100 of equity, 65 of debt and a tax shield of 15.6: what is left of its income for the owners.

    Without debt it would be worth 149.4 and earn 10.5 % of that after tax.
    """
    operating = 0.105 * (165 - 0.24 * 65)
    before_tax = operating / (1 - 0.24) - 65 * 0.055
    return before_tax * (1 - 0.24)


def dividend_growth() -> float:
    """The rate at which all future dividends are worth 48."""
    growth = 0.60 * 0.12

    def missing(rate: float) -> float:
        return 48 - fsum(2.10 * ((1 + growth) / (1 + rate)) ** year for year in range(1, 2_001))

    return 100 * solved(missing, 0.09, 0.3)


TRUTH: dict[str, float | Callable[[], float]] = {
    "qm-savings-annuity-due": savings_balance,
    "qm-car-loan-payment": car_payment,
    "qm-quarterly-compounding": certificate,
    "qm-deferred-perpetuity": many_scholarships,
    "qm-continuous-return": continuous_return,
    "qm-money-weighted": money_weighted,
    "qm-time-weighted": time_weighted,
    "qm-geometric-mean": geometric_mean,
    "qm-sample-cv": coefficient_of_variation,
    "qm-shortfall-probability": shortfall,
    "qm-two-state-deviation": licence,
    "qm-bayes-upgrade": upgrades,
    "qm-confidence-upper": upper_limit,
    # 3.4 above the null, with a standard error of 9 / 5.
    "qm-t-statistic": 3.4 / 1.8,
    "qm-regression-prediction": regression,
    "fi-semiannual-price": railway_bond,
    "fi-yield-to-maturity": shipping_yield,
    "fi-full-price": full_price,
    "fi-implied-forward": implied_forward,
    "fi-price-from-spots": spot_price,
    "fi-duration-convexity": rise_in_price,
    "fi-macaulay-duration": macaulay,
    "fi-effective-duration": effective_duration,
    "fi-bill-bond-equivalent-yield": bill_yield,
    "fi-floater-discount-margin": floater,
    "fi-credit-spread": credit_spread,
    "fi-pool-prepayment": prepayment,
    "fi-tranche-loss": mezzanine,
    "fi-repo-repurchase-price": repurchase,
    "de-forward-with-dividend": forward_with_dividend,
    "de-currency-forward": currency_forward,
    "de-fra-payoff": forward_rate_agreement,
    "de-swap-fixed-rate": swap_rate,
    "de-put-call-parity": parity,
    "de-binomial-call": binomial,
    "de-straddle-profit": straddle,
    "de-covered-call-maximum": covered_call,
    "de-black-scholes-call": black_scholes,
    "de-futures-margin-call": margin_call,
    "de-beta-hedge-contracts": hedge,
    "de-forward-value": old_forward,
    "de-equity-swap-net": equity_swap,
    "ci-wacc-market-weights": cost_of_capital,
    "ci-pure-play-beta": project_beta,
    "ci-after-tax-cost-of-debt": after_tax_debt,
    "ci-npv-with-salvage": machine,
    "ci-project-irr": project_return,
    "ci-equivalent-annual-cost": van,
    "ci-operating-leverage": operating_leverage,
    "ci-total-leverage-eps": earnings_per_share,
    "ci-breakeven-units": breakeven,
    "ci-cash-conversion-cycle": cash_cycle,
    "ci-trade-credit-cost": trade_credit,
    "ci-debt-financed-buyback": buyback,
    "ci-mm-levered-equity": levered_equity,
    "ci-cost-of-equity-ddm": dividend_growth,
}
