"""The time value of money. Amounts are positive, as in textbooks; a payment comes at the end of its period.

One equation ties the amounts together:  pv = pmt·a(rate, n) + fv·(1 + rate)^-n,  a(rate, n) = (1 − (1 + rate)^-n)/rate.
It holds for numbers of periods that are not whole as well, so that a number of periods can be searched for.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from counterfoil.perturbing.expressions.numbers import FLOAT, Arithmetic, N, Undefined
from counterfoil.perturbing.expressions.solving import rate_between

if TYPE_CHECKING:
    from collections.abc import Sequence


def discounting(on: Arithmetic[N], rate: N, n: N) -> tuple[N, N]:
    """(1 + rate)^-n and a(rate, n), today's values of 1 after n periods and of 1 at the end of each."""
    last, change = on.compounded(rate, -n)
    return last, n if rate == 0 else -change / rate


def pv(on: Arithmetic[N], rate: N, n: N, pmt: N, fv: N) -> N:
    """Today's value of n payments and a final amount."""
    last, factor = discounting(on, rate, n)
    return pmt * factor + fv * last


def fv(on: Arithmetic[N], rate: N, n: N, pmt: N, pv: N) -> N:
    """The value after n periods of an amount today and n payments: pv·(1 + rate)^n + pmt·((1 + rate)^n − 1)/rate."""
    grown, change = on.compounded(rate, n)
    return pv * grown + pmt * (n if rate == 0 else change / rate)


def pmt(on: Arithmetic[N], rate: N, n: N, pv: N, fv: N) -> N:
    """The level payment that pays off pv but for a final amount fv."""
    last, factor = discounting(on, rate, n)
    return (pv - fv * last) / factor


def nper(on: Arithmetic[N], rate: N, pmt: N, pv: N, fv: N) -> N:
    """The number of periods: ln((pmt − fv·rate)/(pmt − pv·rate))/ln(1 + rate)."""
    if rate == 0:
        n = (pv - fv) / pmt
    else:
        left = pmt - pv * rate
        if left == 0:
            raise Undefined("the payments never pay it off")
        change = (pv - fv) * rate / left
        if change <= -1:
            raise Undefined("the payments never pay it off")
        n = on.log1p(change) / on.log1p(rate)
    if n < 0:
        raise Undefined("no number of periods solves it")
    return n


def rate(on: Arithmetic[N], n: N, pmt: N, pv: N, fv: N) -> N:
    """The rate per period. With positive amounts the right side falls as the rate rises: there is one at most."""
    if n <= 0 or pv <= 0 or pmt < 0 or fv < 0:
        raise Undefined("a rate needs positive periods and amounts")

    def excess(rate: N) -> N:
        return _excess(on, rate, n, pmt, fv, pv)

    floats = [float(x) for x in (n, pmt, fv, pv)]
    return on.refined(excess, rate_between(lambda rate: _excess(FLOAT, rate, *floats)))


def _excess(on: Arithmetic[N], rate: N, n: N, pmt: N, fv: N, price: N) -> N:
    return pv(on, rate, n, pmt, fv) - price


def npv(on: Arithmetic[N], rate: N, flows: Sequence[N]) -> N:
    """Σ flows[k]·(1 + rate)^-k, the first flow at time 0; by Horner's rule."""
    if rate <= -1:
        raise Undefined("a rate must be above -1")
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
    if changes == 0:
        raise Undefined("flows that never change their sign have no internal rate of return")
    if changes > 1:
        totals = list(itertools.accumulate(flows))
        if _sign_changes(totals) != 1 or totals[-1] == 0:
            raise Undefined("these flows may have more than one internal rate of return")
    floats = [float(flow) for flow in flows]
    return on.refined(lambda rate: npv(on, rate, flows), rate_between(lambda rate: _scaled_npv(rate, floats)))


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
    return pmt * discounting(on, rate, n)[1]


def annuity_due(on: Arithmetic[N], rate: N, n: N, pmt: N) -> N:
    """Today's value of n payments, each at the beginning of its period."""
    return pmt * discounting(on, rate, n)[1] * (1 + rate)


def perpetuity(on: Arithmetic[N], pmt: N, rate: N) -> N:
    """Today's value of payments at the end of every period, for ever: pmt/rate."""
    if rate <= 0:
        raise Undefined("a perpetuity needs a positive rate")
    return pmt / rate


def effective_rate(on: Arithmetic[N], nominal: N, per_year: N) -> N:
    """(1 + nominal/per_year)^per_year − 1."""
    if per_year <= 0:
        raise Undefined("the periods per year must be positive")
    return on.compounded(nominal / per_year, per_year)[1]
