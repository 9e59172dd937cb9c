"""The functions of the expression language, by name: what they take, how to compute them, what they cost.

Those of statistics are here. Without `_p` their divisor is n − 1 (a sample), with it n.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from counterfoil.perturbing.expressions import arithmetic, finance
from counterfoil.perturbing.expressions.arithmetic import N, refuse_if, sqrt, total

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Function(msgspec.Struct, frozen=True):
    """`parameters` names the arguments in order; those in `lists` are lists, the others numbers.

    `compute` takes the arguments. `cost` is its time in units of about one multiplication.
    """

    parameters: tuple[str, ...]
    compute: Callable[..., Any]
    cost: int
    lists: frozenset[str] = frozenset()


# A formula; one with a logarithm or a fractional power; one with the normal distribution; a search.
_FORMULA, _POWER, _NORMAL, _SEARCH = 10, 100, 500, 3_000


def _takes(parameters: str, compute: Callable[..., Any], cost: int) -> Function:
    """`parameters` separated by spaces; a name in brackets is a list."""
    words = parameters.split()
    names = tuple(word.strip("[]") for word in words)
    lists = frozenset(word.strip("[]") for word in words if word.startswith("["))
    return Function(names, compute, cost, lists)


def _mean(values: Sequence[N]) -> N:
    return total(values) / len(values)


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
    return total([(x - one) * (y - other) for x, y in zip(first, second, strict=True)])


_BOND = "coupon_rate yield years per_year"
_OPTION = "spot strike rate years volatility"

FUNCTIONS: dict[str, Function] = {
    "abs": _takes("x", abs, _FORMULA),
    "round": _takes("x digits", arithmetic.rounded, _FORMULA),
    "sqrt": _takes("x", arithmetic.sqrt, _FORMULA),
    "exp": _takes("x", arithmetic.exp, _POWER),
    "ln": _takes("x", arithmetic.ln, _POWER),
    "pv": _takes("rate n pmt fv", finance.pv, _POWER),
    "fv": _takes("rate n pmt pv", finance.fv, _POWER),
    "pmt": _takes("rate n pv fv", finance.pmt, _POWER),
    "nper": _takes("rate pmt pv fv", finance.nper, _POWER),
    "rate": _takes("n pmt pv fv", finance.rate, _SEARCH),
    "npv": _takes("rate [flows]", finance.npv, _FORMULA),
    "irr": _takes("[flows]", finance.irr, _SEARCH),
    "annuity": _takes("rate n pmt", finance.annuity, _POWER),
    "annuity_due": _takes("rate n pmt", finance.annuity_due, _POWER),
    "perpetuity": _takes("pmt rate", finance.perpetuity, _FORMULA),
    "effective_rate": _takes("nominal per_year", finance.effective_rate, _POWER),
    "bond_price": _takes(f"{_BOND} face", finance.bond_price, _POWER),
    "ytm": _takes("price coupon_rate years per_year face", finance.ytm, _SEARCH),
    "macaulay_duration": _takes(_BOND, finance.macaulay_duration, _SEARCH),
    "modified_duration": _takes(_BOND, finance.modified_duration, _SEARCH),
    "convexity": _takes(_BOND, finance.convexity, _SEARCH),
    "normal_cdf": _takes("x", arithmetic.normal_cdf, _NORMAL),
    "normal_inv": _takes("p", arithmetic.normal_inv, _SEARCH),
    "mean": _takes("[values]", _mean, _FORMULA),
    "variance": _takes("[values]", lambda values: _covariance(values, values), _FORMULA),
    "variance_p": _takes("[values]", lambda values: _covariance_p(values, values), _FORMULA),
    "stdev": _takes("[values]", lambda values: sqrt(_covariance(values, values)), _FORMULA),
    "stdev_p": _takes("[values]", lambda values: sqrt(_covariance_p(values, values)), _FORMULA),
    "covariance": _takes("[first] [second]", _covariance, _FORMULA),
    "covariance_p": _takes("[first] [second]", _covariance_p, _FORMULA),
    "correlation": _takes("[first] [second]", _correlation, _FORMULA),
    "capm": _takes("riskfree beta market_return", finance.capm, _FORMULA),
    "wacc": _takes("weight_equity cost_equity weight_debt cost_debt tax", finance.wacc, _FORMULA),
    "gordon": _takes("next_dividend required growth", finance.gordon, _FORMULA),
    "put_call_put": _takes("call spot strike rate years", finance.put_call_put, _POWER),
    "put_call_call": _takes("put spot strike rate years", finance.put_call_call, _POWER),
    "forward_price": _takes("spot rate years", finance.forward_price, _POWER),
    "bs_call": _takes(_OPTION, finance.bs_call, _NORMAL),
    "bs_put": _takes(_OPTION, finance.bs_put, _NORMAL),
}
