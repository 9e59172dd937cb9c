"""What the originals of five files of the bank come to, each worked out another way than its template does.

The numbers are those of the texts. Where a formula has a short way, this goes the long one: month by month, payment by
payment, or by trying out. Percentages are given in percent, as printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import fsum, sqrt


def solved(gap: Callable[[float], float], low: float, high: float) -> float:
    """Where an increasing gap is 0."""
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if gap(middle) < 0 else (low, middle)
    return low


def best(value: Callable[[float], float]) -> float:
    """The share from 0 to 1 where a concave value is highest, by narrowing down thirds."""
    low, high = 0.0, 1.0
    for _ in range(200):
        one, two = low + (high - low) / 3, high - (high - low) / 3
        low, high = (one, high) if value(one) < value(two) else (low, two)
    return low


def spread(values: Iterable[float]) -> float:
    """The sample standard deviation."""
    numbers = list(values)
    middle = fsum(numbers) / len(numbers)
    return sqrt(fsum((number - middle) ** 2 for number in numbers) / (len(numbers) - 1))


def rounds_of_spending() -> float:
    """Of each round's income a quarter is taxed, and of the rest four fifths are spent again."""
    total, income = 0.0, 40.0
    for _ in range(500):
        total += income
        income = (income - 0.25 * income) * 0.80
    return total


def rounds_of_lending() -> float:
    """A base of 250 is lent on and on: the public keeps 12 for each 100 it deposits, banks 8, and the rest is lent."""
    money, funds = 0.0, 250.0
    for _ in range(500):
        deposit = funds / 1.12
        money += funds
        funds = deposit * (1 - 0.08)
    return money


def monthly_shares() -> float:
    """1,200,000 shares for eight months, 360,000 more in the last four."""
    average = fsum([1_200_000] * 8 + [1_560_000] * 4) / 12
    return (5_400_000 - 450_000) / average


def treasury_shares() -> float:
    """400,000 options bring in 24 each, which buys back shares at 40."""
    bought_back = 400_000 * 24 / 40
    return 4_800_000 / (1_200_000 + 400_000 - bought_back)


def declining_balance() -> float:
    """Year by year: a quarter (2 of 8) of what is left, against 27,000 a year."""
    left, declining, straight = 240_000.0, 0.0, 0.0
    for _ in range(2):
        charge = left / 4
        left -= charge
        declining += charge
        straight += (240_000 - 24_000) / 8
    return declining - straight


def lease_after_first_payment() -> float:
    """Five payments of 42,000 are left, the next in one year."""
    return fsum(42_000 / 1.055**year for year in range(1, 6))


def bond_interest() -> float:
    """The price of the bond's flows at 7 %, carried one year on."""
    carried = fsum(100_000 / 1.07**year for year in range(1, 6)) + 2_000_000 / 1.07**5
    carried += carried * 0.07 - 100_000
    return carried * 0.07


def endless(dividend: float, growth: float, required: float) -> float:
    """The present value of a growing dividend, the first in one year, over 3,000 years."""
    ratio = (1 + growth) / (1 + required)
    return fsum(dividend / (1 + required) * ratio**year for year in range(3_000))


def two_stages() -> float:
    """Dividends year by year, growing by 14 % three times and by 4 % ever after, at 10 %."""
    value, dividend = 0.0, 2.0
    for year in range(1, 3_000):
        dividend *= 1.14 if year <= 3 else 1.04
        value += dividend / 1.10**year
    return value


def residual_incomes() -> float:
    """Book value plus the earnings of each year beyond 10 % of its opening book value, which grows by 4 %."""
    return 24.50 + endless(24.50 * 0.13 - 24.50 * 0.10, 0.04, 0.10)


def margin_price() -> float:
    """The price at which the equity, above a loan of 55 % of 48, is 30 % of the shares' value."""
    loan = 48 * 0.55
    return solved(lambda price: (price - loan) / price - 0.30, 1, 48)


def waterfall() -> float:
    """100 with 8 % a year for five years comes first; a fifth of the rest is carried interest."""
    owed = 100.0
    for _ in range(5):
        owed += owed * 0.08
    return (210 - owed) / 5


def two_and_twenty() -> float:
    management = 0.02 * 174
    left = 174 - management
    return management + 0.20 * (left - 150)


def two_funds(weight: float, one: float, other: float, correlation: float) -> float:
    """The standard deviation of a mix, from the matrix of covariances."""
    weights, deviations = (weight, 1 - weight), (one, other)
    return sqrt(
        fsum(
            weights[i] * weights[j] * deviations[i] * deviations[j] * (1 if i == j else correlation)
            for i in (0, 1)
            for j in (0, 1)
        )
    )


def rebalanced() -> float:
    """480,000 of stocks become 561,600, 320,000 of bonds 329,600; 60 % of the sum is kept in stocks."""
    stocks, bonds = 480_000 * 1.17, 320_000 * 1.03
    return solved(lambda sold: 0.60 - (stocks - sold) / (stocks + bonds), 0, stocks)


TRUTH: dict[str, float | Fraction] = {
    # 2,500 of 8,750 on average, against 8 of 28.
    "econ-arc-elasticity": -Fraction(2_500, 8_750) / Fraction(8, 28),
    # Income adds 3.0 %, the price takes 4.8 %.
    "econ-demand-forecast": Fraction("3.0") - Fraction("4.8"),
    # Deflators of 106.2176 and 113.9303.
    "econ-gdp-deflator": (113.930348 - 106.217617) / 106.217617 * 100,
    # The basket cost 132 + 37.50, and costs 144 + 52.50.
    "econ-cpi-basket": Fraction("196.5") / Fraction("169.5") * 100,
    "econ-fiscal-multiplier": rounds_of_spending(),
    # A foreign basket of 100 at 1 each: abroad 102.1 at 1.075, at home 105.2.
    "econ-real-exchange-rate": (102.1 * 1.075 / 105.2 - 1) * 100,
    # 1,000 pounds are 1,274 dollars; each of them is 0.883 francs.
    "econ-cross-rate": 1_274 * 883 / 1_000_000,
    # 0.0058 on 1.0850 in a quarter of a year, four times.
    "econ-forward-premium": 4 * 100 * 0.0058 / 1.0850,
    # 1,047.50 dollars in a year for 1,000 now, 5,708.80 reais for 5,120 now.
    "econ-interest-parity": 5_708.80 / 1_047.50,
    # 38, 38 and 24.
    "econ-hhi-merger": 1_444 + 1_444 + 576,
    "econ-money-multiplier": rounds_of_lending(),
    "fsa-basic-eps": monthly_shares(),
    "fsa-diluted-eps": treasury_shares(),
    # 4,920 and 10,500 for 660 units, of which 260 are left.
    "fsa-weighted-average-cost": 15_420 - 260 * Fraction(15_420, 660),
    # FIFO: 85 less cost, 620 of inventory.
    "fsa-lifo-reserve": Fraction(1_875, 620),
    "fsa-double-declining": declining_balance(),
    # Equity of 100 carries assets of 175, sales of 236.25, net income of 15.12.
    "fsa-dupont": 236.25 * 0.064,
    # 43.8 days of sales, 60.8333 and 34.4722 days of costs.
    "fsa-cash-conversion-cycle": 43.8 + 60.8333 - 34.4722,
    # 6,260 from customers, 3,735 to suppliers, 1,150 of expenses.
    "fsa-direct-cash-flow": 6_260 - 3_735 - 1_150,
    # EBIT of 180 / 0.76 + 36, taxed at 24 %.
    "fsa-fcff": (236.842105 + 36) * 0.76 + 65 - 95 - 14,
    # The books carry 384,000, the tax authority 288,000.
    "fsa-deferred-tax": Fraction(384_000 - 288_000, 4),
    "fsa-lease-liability": lease_after_first_payment(),
    # The whole company is worth 480 + 120.
    "fsa-full-goodwill": 600 - 430,
    # A third of 90 in year 1; 68 % by the end of year 2.
    "fsa-percentage-of-completion": Fraction(68 * 90, 100) - 30,
    "fsa-bond-interest-expense": bond_interest(),
    "eq-gordon-growth": endless(1.872, 0.04, 0.095),
    "eq-two-stage-ddm": two_stages(),
    # Of earnings of 1 next year 0.55 are paid, growing by 5.4 %.
    "eq-justified-forward-pe": endless(0.55, 0.054, 0.095),
    # 165 million for 80 million shares, 3.5 % more next year.
    "eq-fcfe-value": endless(165 / 80 * 1.035, 0.035, 0.10),
    "eq-residual-income": residual_incomes(),
    # 163 become 175.
    "eq-price-weighted-index": Fraction(12, 163) * 100,
    # 4,500 + 2,000 become 5,700 + 1,920.
    "eq-value-weighted-index": Fraction(7_620, 6_500) * 1_000,
    "eq-margin-call": margin_price(),
    "eq-preferred-stock": endless(6.25, 0, 0.068),
    # 1,190 of enterprise value, 335 of it not the shareholders'.
    "eq-ev-ebitda": Fraction(1_190 - 335, 50),
    "alt-two-and-twenty": two_and_twenty(),
    # 16.5 % after the management fee, 11.5 % of it above the hurdle, a fifth of that paid.
    "alt-hard-hurdle": 16.5 - 2.3,
    # 132.08 is 14.08 above the mark, a fifth of that paid.
    "alt-high-water-mark": 132.08 - 2.816,
    # 60 paid in; 90 in value.
    "alt-tvpi": Fraction(90, 60),
    "alt-carried-interest": waterfall(),
    # 1,188,000 of rent less 71,280 and 420,000, sixteen times (1 / 0.0625).
    "alt-direct-capitalization": 16 * (1_188_000 - 71_280 - 420_000),
    # 4.50 on 70, less 1.80 on 74.50, and 1.10 %.
    "alt-commodity-return": 100 * 4.50 / 70 - 100 * 1.80 / 74.50 + 1.10,
    # FFO of 193, less 31.
    "alt-reit-affo": Fraction(193 - 31, 55),
    # 97.85 at 6.5 % is 1,505.3846.
    "alt-reit-nav": (1_505.384615 - 440) / 45,
    "pm-two-asset-risk": two_funds(0.60, 18, 8, 0.30),
    "pm-historical-sharpe": (33 / 4 - 2) / spread([12, 18, -6, 9]),
    # A covariance of 255 with the market, whose variance is 225.
    "pm-treynor": 8.5 / (255 / 225),
    # 11.4 % was required.
    "pm-jensens-alpha": Fraction("13.5") - Fraction("11.4"),
    # 10.5 % for 21 % of risk: 0.5 % for each 1 %.
    "pm-m-squared": 2.5 + 16 * 0.5,
    "pm-minimum-variance": 100 * best(lambda weight: -two_funds(weight, 15, 22, 0.20)),
    "pm-optimal-allocation": 100 * best(lambda y: 0.03 + y * 0.06 - 0.5 * 4 * (y * 0.20) ** 2),
    # The worst month of twenty returns 0.8 - 7.4025 = -6.6025 %.
    "pm-parametric-var": 180 * 0.066025,
    # An information ratio of 0.75 x 0.06 x 10.95445.
    "pm-fundamental-law": 0.75 * 0.06 * 10.95445 * 5,
    "pm-information-ratio": (4.8 / 4) / spread([2.4, 0.8, 3.0, -1.4]),
    "pm-rebalancing": rebalanced(),
}
