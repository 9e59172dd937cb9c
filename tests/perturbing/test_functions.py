"""Each function against a source of truth that is not ours, and its decimals against sums written out term by term."""

from __future__ import annotations

import math
import statistics
from decimal import Decimal, localcontext

import numpy_financial as npf
import pytest
import QuantLib as ql  # noqa: N813
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import optimize, special
from scipy import stats as scipy_stats

from counterfoil.perturbing.expressions.arithmetic import CONTEXT
from counterfoil.perturbing.expressions.language import ExpressionError, parse

LOANS = [(0.05, 10, 2000, 0), (0.004, 360, 1250, 30000), (0.12, 3, 0, 1000), (0.25, 40, 10, 1e6)]
BONDS = [(0.06, 0.08, 10, 2), (0.0, 0.05, 7, 1), (0.09, 0.03, 30, 4), (0.045, 0.045, 5, 12), (0.03, 0.0004, 2, 2)]
FLOWS = [(-100, 30, 40, 50, 60), (-1000, 0, 0, 1500), (500, -100, -250, -300), (-100, 10, 20, 30), (-50, -50, 20, 120)]


def value(function: str, *arguments: object) -> float:
    """The decimal value as a float, once it is clear that both computations agree."""
    source = f"{function}({', '.join(_written(argument) for argument in arguments)})"
    expression = parse(source, [])
    exact = float(expression.decimal({}))
    assert expression.float({}) == pytest.approx(exact, rel=1e-9, abs=1e-12)
    return exact


def _written(argument: object) -> str:
    if isinstance(argument, list | tuple):
        return f"[{', '.join(_written(item) for item in argument)}]"
    return repr(argument)


@pytest.mark.parametrize(("rate", "n", "pmt", "amount"), LOANS)
def test_time_value_of_money_is_numpy_financials(rate: float, n: int, pmt: float, amount: float) -> None:
    # Spreadsheet signs: what is received is positive there, what is paid negative.
    assert value("pv", rate, n, pmt, amount) == pytest.approx(-npf.pv(rate, n, pmt, amount), rel=1e-10)
    assert value("fv", rate, n, pmt, amount) == pytest.approx(-npf.fv(rate, n, pmt, amount), rel=1e-10)
    assert value("pmt", rate, n, 9000, amount) == pytest.approx(-npf.pmt(rate, n, 9000, -amount), rel=1e-10)
    assert value("annuity", rate, n, pmt) == pytest.approx(-npf.pv(rate, n, pmt), rel=1e-10)
    assert value("annuity_due", rate, n, pmt) == pytest.approx(-npf.pv(rate, n, pmt, when="begin"), rel=1e-10)


@pytest.mark.parametrize(
    ("rate", "pmt", "pv", "fv"),
    [(0.01, 100, 5000, 0), (0.05, 60, 1000, 500), (-0.01, 20, 700, 30)],
)
def test_periods_and_rate_are_numpy_financials(rate: float, pmt: float, pv: float, fv: float) -> None:
    n = float(npf.nper(rate, pmt, -pv, fv))
    assert value("nper", rate, pmt, pv, fv) == pytest.approx(n, rel=1e-10)
    # And the rate that belongs to these periods is the one we began with.
    assert value("rate", n, pmt, pv, fv) == pytest.approx(rate, abs=1e-10)
    assert value("rate", 12, 100, 900, 50) == pytest.approx(float(npf.rate(12, 100, -900, 50)), rel=1e-8)


@pytest.mark.parametrize("flows", FLOWS)
def test_net_present_value_and_internal_rate_are_numpy_financials(flows: tuple[int, ...]) -> None:
    assert value("npv", 0.07, flows) == pytest.approx(npf.npv(0.07, flows), rel=1e-10)
    assert value("irr", flows) == pytest.approx(npf.irr(flows), rel=1e-8)


def test_flows_with_more_than_one_change_of_sign() -> None:
    # The running totals -100, 130, 120 change once: one positive rate. 100x² - 230x + 10 = 0 for x = 1 + rate, and
    # x = (230 + sqrt(52900 - 4000))/200.
    assert value("irr", [-100, 230, -10]) == pytest.approx((230 + math.sqrt(48900)) / 200 - 1)
    # -100(x - 1.1)(x - 1.2) = -100x² + 230x - 132: both 10 % and 20 % solve it.
    with pytest.raises(ExpressionError, match="more than one internal rate"):
        value("irr", [-100, 230, -132])


@pytest.mark.parametrize(("coupon", "rate", "years", "per_year"), BONDS)
def test_bonds_are_quantlibs(coupon: float, rate: float, years: int, per_year: int) -> None:
    today = ql.Date(15, 1, 2020)
    ql.Settings.instance().evaluationDate = today
    tenor = ql.Period(12 // per_year, ql.Months)
    schedule = ql.MakeSchedule(today, ql.Date(15, 1, 2020 + years), tenor)
    count = ql.Thirty360(ql.Thirty360.BondBasis)
    bond = ql.FixedRateBond(0, 100.0, schedule, [coupon], count)
    at = ql.InterestRate(rate, count, ql.Compounded, per_year)
    functions, price = ql.BondFunctions, ql.BondFunctions.cleanPrice(bond, at, today)
    assert value("bond_price", coupon, rate, years, per_year, 100) == pytest.approx(price, rel=1e-10)
    assert value("ytm", price, coupon, years, per_year, 100) == pytest.approx(rate, abs=1e-10)
    terms = (coupon, rate, years, per_year)
    macaulay = functions.duration(bond, at, ql.Duration.Macaulay, today)
    modified = functions.duration(bond, at, ql.Duration.Modified, today)
    assert value("macaulay_duration", *terms) == pytest.approx(macaulay, rel=1e-9)
    assert value("modified_duration", *terms) == pytest.approx(modified, rel=1e-9)
    assert value("convexity", *terms) == pytest.approx(functions.convexity(bond, at, today), rel=1e-9)


def test_a_bond_at_no_yield() -> None:
    # Four payments of 5, and 100: 120. Durations: (5·(1+2+3+4) + 400)/120 = 3.75; Σt(t+1) = 2, 6, 12, 20:
    # (5·40 + 100·20)/120 = 18.333.
    assert value("bond_price", 0.05, 0, 4, 1, 100) == pytest.approx(120)
    assert value("ytm", 120, 0.05, 4, 1, 100) == 0
    assert value("macaulay_duration", 0.05, 0, 4, 1) == pytest.approx(3.75)
    assert value("convexity", 0.05, 0, 4, 1) == pytest.approx(2200 / 120)


@pytest.mark.parametrize("x", [-15, -12.5, -5.01, -4.99, -1.96, -0.3, 0, 0.001, 1, 4.99, 5.01, 9])
def test_normal_distribution_is_scipys(x: float) -> None:
    assert value("normal_cdf", x) == pytest.approx(special.ndtr(x), rel=1e-11, abs=0)
    if x < 6:  # beyond, the float nearest to Φ(x) stands for very different x
        p = float(special.ndtr(x))
        assert value("normal_inv", p) == pytest.approx(special.ndtri(p), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("spot", "strike", "rate", "years", "volatility"), [(100, 95, 0.05, 0.5, 0.2), (42, 60, 0, 2, 0.35)]
)
def test_black_scholes_is_quantlibs(spot: float, strike: float, rate: float, years: float, volatility: float) -> None:
    forward, discount = spot * math.exp(rate * years), math.exp(-rate * years)
    for kind, name in ((ql.Option.Call, "bs_call"), (ql.Option.Put, "bs_put")):
        expected = ql.blackFormula(kind, strike, forward, volatility * math.sqrt(years), discount)
        assert value(name, spot, strike, rate, years, volatility) == pytest.approx(expected, rel=1e-10)


def test_hulls_option() -> None:
    # Hull, Options, Futures and Other Derivatives: spot 42, strike 40, 10 %, half a year, volatility 20 %:
    # call 4.76, put 0.81.
    assert value("bs_call", 42, 40, 0.1, 0.5, 0.2) == pytest.approx(4.76, abs=0.005)
    assert value("bs_put", 42, 40, 0.1, 0.5, 0.2) == pytest.approx(0.81, abs=0.005)


@given(st.lists(st.tuples(*[st.integers(-1000, 1000)] * 2), min_size=2, max_size=12))
def test_statistics_are_pythons_and_scipys(pairs: list[tuple[int, int]]) -> None:
    first, second = (list(side) for side in zip(*pairs, strict=True))
    assert value("mean", first) == pytest.approx(statistics.fmean(first))
    assert value("variance", first) == pytest.approx(statistics.variance(first))
    assert value("variance_p", first) == pytest.approx(statistics.pvariance(first))
    assert value("stdev", first) == pytest.approx(statistics.stdev(first))
    assert value("stdev_p", first) == pytest.approx(statistics.pstdev(first))
    assert value("covariance", first, second) == pytest.approx(statistics.covariance(first, second), abs=1e-9)
    share = (len(first) - 1) / len(first)
    assert value("covariance_p", first, second) == pytest.approx(statistics.covariance(first, second) * share, abs=1e-9)
    assume(len(set(first)) > 1 and len(set(second)) > 1)
    assert value("correlation", first, second) == pytest.approx(scipy_stats.pearsonr(first, second)[0], abs=1e-9)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("capm(0.03, 1.2, 0.08)", "0.09"),  # 3 % + 1.2·5 %
        ("wacc(0.6, 0.12, 0.4, 0.05, 0.25)", "0.087"),  # 7.2 % + 0.4·3.75 %
        ("gordon(2.1, 0.1, 0.05)", "42"),  # 2.10/0.05
        ("perpetuity(8, 0.05)", "160"),
        ("forward_price(100, 0.05, 2)", "110.25"),
        ("put_call_put(12, 100, 110.25, 0.05, 2)", "12"),  # 12 - 100 + 110.25/1.1025
        ("put_call_call(12, 100, 110.25, 0.05, 2)", "12"),
        ("put_call_call(5, 100, 105, 0.05, 1)", "5"),  # 5 + 100 - 100
        ("effective_rate(0.2, 2)", "0.21"),  # 1.1² - 1
        ("annuity(0.25, 2, 25)", "36"),  # 20 + 16
        ("annuity_due(0.25, 2, 25)", "45"),  # 25 + 20
        ("pv(0.25, 2, 25, 100)", "100"),  # 36 + 64
        ("fv(0.5, 2, 10, 100)", "250"),  # 225 + 15 + 10
        ("pmt(0.25, 2, 100, 100)", "25"),
        ("npv(0.25, [-30, 25, 25])", "6"),
        ("bond_price(0.5, 0.5, 1, 2, 800)", "800"),  # at par
        # Without interest amounts just add up (numpy-financial 1.0 goes wrong there, and without payments).
        ("pv(0, 7, 100, 500)", "1200"),
        ("fv(0, 7, 100, 500)", "1200"),
        ("pmt(0, 8, 900, 100)", "100"),
        ("nper(0, 50, 900, 100)", "16"),
        ("nper(0.25, 0, 64, 125)", "3"),  # 64·1.25³ = 125
        ("rate(3, 0, 64, 125)", "0.25"),
        ("rate(8, 100, 900, 100)", "0"),
        ("abs(-3) + sqrt(16) + exp(0) + ln(1)", "8"),
    ],
)
def test_worked_by_hand(source: str, expected: str) -> None:
    expression = parse(source, [])
    with localcontext(CONTEXT):
        assert abs(expression.decimal({}) - Decimal(expected)) < Decimal("1e-45")
    assert expression.float({}) == pytest.approx(float(expected))


def precise(source: str) -> Decimal:
    return parse(source, []).decimal({})


@pytest.mark.parametrize("rate", ["0.07", "0.0001", "1e-9", "1e-30", "-0.02"])
@pytest.mark.parametrize("n", [1, 17, 360])
def test_forty_digits_of_sums_over_periods(rate: str, n: int) -> None:
    with localcontext() as context:
        context.prec = 120
        growth = 1 + Decimal(rate)
        flows = [(t, Decimal(5) + (100 if t == n else 0)) for t in range(1, n + 1)]
        worth = [(t, flow / growth**t) for t, flow in flows]
        price = sum((flow for _, flow in worth), Decimal(0))
        duration = sum((t * flow for t, flow in worth), Decimal(0)) / price
        convexity = sum((t * (t + 1) * flow for t, flow in worth), Decimal(0)) / price / growth**2
        gained = 100 * growth**n + 5 * sum(growth**t for t in range(n))
        for computed, expected in [
            (precise(f"pv({rate}, {n}, 5, 100)"), price),
            (precise(f"fv({rate}, {n}, 5, 100)"), gained),
            (precise(f"bond_price(0.05, {rate}, {n}, 1, 100)"), price),
            (precise(f"macaulay_duration(0.05, {rate}, {n}, 1)"), duration),
            (precise(f"convexity(0.05, {rate}, {n}, 1)"), convexity),
            (precise(f"effective_rate({rate}*{n}, {n})"), growth**n - 1),
        ]:
            assert abs(computed / expected - 1) < Decimal("1e-40")


@pytest.mark.parametrize("source", ["ytm(913.27, 0.06, 12, 2, 1000)", "ytm(1200, 0.01, 3, 1, 1000)"])
def test_a_yield_put_back_gives_the_price(source: str) -> None:
    price, coupon, years, per_year, face = source[4:-1].split(", ")
    again = precise(f"bond_price({coupon}, {source}, {years}, {per_year}, {face})")
    assert abs(again / Decimal(price) - 1) < Decimal("1e-43")


@given(st.lists(st.integers(0, 500), min_size=1, max_size=12), st.integers(1, 2000))
def test_an_internal_rate_put_back_gives_nothing(flows: list[int], cost: int) -> None:
    assume(sum(flows) * 10 > cost)
    written = f"[-{cost}, {', '.join(map(str, flows))}]"
    assert abs(precise(f"npv(irr({written}), {written})")) < Decimal("1e-38")


@given(st.integers(1, 400), st.integers(0, 100), st.integers(1, 100000), st.integers(1, 100000))
def test_a_rate_put_back_gives_the_value(n: int, pmt: int, pv: int, fv: int) -> None:
    assume(n * pmt + fv > pv / 2)
    again = precise(f"pv(rate({n}, {pmt}, {pv}, {fv}), {n}, {pmt}, {fv})")
    assert abs(again / pv - 1) < Decimal("1e-40")


def test_normal_distribution_to_forty_digits() -> None:
    # 2Φ(1) - 1 and Φ⁻¹(0.975) as they are tabulated (OEIS A178647 and A220510).
    within = Decimal("0.682689492137085897170465091264075844955825933453208")
    quantile = Decimal("1.959963984540054235524594430520551527955550077869548")
    with localcontext(CONTEXT):
        assert abs(2 * precise("normal_cdf(1)") - 1 - within) < Decimal("1e-48")
        assert abs(precise("normal_inv(0.975)") - quantile) < Decimal("1e-47")


@pytest.mark.parametrize("x", ["0.01", "1.3", "4.999", "5.001", "7.5", "13", "25", "37.9"])
def test_normal_tails_to_forty_digits(x: str) -> None:
    # Another series, with 1,000 digits: Φ(-x) = 1/2 - Σ (-1)^k·x^(2k+1)/(k!·2^k·(2k+1))/sqrt(2π).
    with localcontext() as context:
        context.prec = 1000
        half_square, term, total = Decimal(x) ** 2 / 2, Decimal(x), Decimal(0)
        for k in range(1, 6000):
            total += term / (2 * k - 1)
            term *= -half_square / k
        expected = Decimal("0.5") - total / (2 * _pi()).sqrt()
        assert abs(precise(f"normal_cdf(-{x})") / expected - 1) < Decimal("1e-43")
        assert abs(precise(f"normal_cdf({x})") + expected - 1) < Decimal("1e-48")


def _pi() -> Decimal:
    """By the arithmetic-geometric mean (Gauss and Legendre), in the current precision."""
    a, b, t, p = Decimal(1), 1 / Decimal(2).sqrt(), Decimal("0.25"), 1
    for _ in range(10):
        a, b, before = (a + b) / 2, (a * b).sqrt(), a
        t -= p * (before - a) ** 2
        p *= 2
    return (a + b) ** 2 / (4 * t)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("ytm(-5, 0.05, 4, 1, 100)", "positive price"),
        ("bond_price(0.05, 0.05, 0, 1, 100)", "positive number of years"),
        ("nper(0.1, 10, 100, 0)", "never pay"),
        ("nper(0.1, 5, 100, 0)", "never pay"),
        ("nper(0.1, 50, 100, 200)", "no number of periods"),
        ("nper(0, 0, 100, 50)", "division by zero"),
        ("rate(10, -5, 100, 100)", "positive periods and amounts"),
        ("rate(1, 0, 100, 1e12)", "no rate from"),
        ("rate(1, 0, 1e12, 100)", "no rate from"),
        ("irr([5, 5])", "never change their sign"),
        ("perpetuity(5, 0)", "positive rate"),
        ("gordon(2, 0.05, 0.05)", "above the growth rate"),
        ("pv(-1, 5, 5, 5)", "above -1"),
        ("npv(-1, [1, 2])", "above -1"),
        ("effective_rate(0.1, 0)", "must be positive"),
        ("bs_call(100, 100, 0.05, 1, 0)", "positive spot"),
        ("normal_inv(0)", "above 0 and below 1"),
        ("normal_inv(1)", "above 0 and below 1"),
        ("variance([1])", "at least two values"),
        ("covariance([1, 2], [1, 2, 3])", "differ in length"),
        ("correlation([1, 1], [1, 2])", "no correlation"),
    ],
)
def test_what_is_not_defined_is_refused(source: str, reason: str) -> None:
    with pytest.raises(ExpressionError, match=reason) as refused:
        parse(source, [])
    assert refused.value.position == 1


def test_a_rate_is_scipys_root() -> None:
    def excess(rate: float) -> float:
        return sum(75 / (1 + rate) ** t for t in range(1, 21)) + 300 / (1 + rate) ** 20 - 900

    assert value("rate", 20, 75, 900, 300) == pytest.approx(optimize.brentq(excess, 0.001, 1, xtol=1e-14), rel=1e-10)
