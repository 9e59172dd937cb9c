"""The functions of the expression language, by name: what they take, how to compute them, what they cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from counterfoil.perturbing.expressions import bonds, markets, money, statistics

if TYPE_CHECKING:
    from collections.abc import Callable

    from counterfoil.perturbing.expressions.numbers import Arithmetic, N


class Function(msgspec.Struct, frozen=True):
    """`parameters` names the arguments in order; those in `lists` are lists, the others numbers.

    `compute` takes the arithmetic and the arguments. `cost` is its time in units of about one multiplication.
    """

    parameters: tuple[str, ...]
    compute: Callable[..., Any]
    cost: int
    lists: frozenset[str] = frozenset()


# A formula; one with a logarithm or a fractional power; one with the normal distribution; a search.
_FORMULA, _POWER, _NORMAL, _SEARCH = 10, 100, 500, 3_000


def _absolute(on: Arithmetic[N], x: N) -> N:
    return abs(x)


def _rounded(on: Arithmetic[N], x: N, digits: N) -> N:
    return on.round(x, digits)


def _root(on: Arithmetic[N], x: N) -> N:
    return on.sqrt(x)


def _exponential(on: Arithmetic[N], x: N) -> N:
    return on.exp(x)


def _logarithm(on: Arithmetic[N], x: N) -> N:
    return on.ln(x)


def _takes(parameters: str, compute: Callable[..., Any], cost: int) -> Function:
    """`parameters` separated by spaces; a name in brackets is a list."""
    words = parameters.split()
    names = tuple(word.strip("[]") for word in words)
    lists = frozenset(word.strip("[]") for word in words if word.startswith("["))
    return Function(names, compute, cost, lists)


_BOND = "coupon_rate yield years per_year"
_OPTION = "spot strike rate years volatility"

FUNCTIONS: dict[str, Function] = {
    "abs": _takes("x", _absolute, _FORMULA),
    "round": _takes("x digits", _rounded, _FORMULA),
    "sqrt": _takes("x", _root, _FORMULA),
    "exp": _takes("x", _exponential, _POWER),
    "ln": _takes("x", _logarithm, _POWER),
    "pv": _takes("rate n pmt fv", money.pv, _POWER),
    "fv": _takes("rate n pmt pv", money.fv, _POWER),
    "pmt": _takes("rate n pv fv", money.pmt, _POWER),
    "nper": _takes("rate pmt pv fv", money.nper, _POWER),
    "rate": _takes("n pmt pv fv", money.rate, _SEARCH),
    "npv": _takes("rate [flows]", money.npv, _FORMULA),
    "irr": _takes("[flows]", money.irr, _SEARCH),
    "annuity": _takes("rate n pmt", money.annuity, _POWER),
    "annuity_due": _takes("rate n pmt", money.annuity_due, _POWER),
    "perpetuity": _takes("pmt rate", money.perpetuity, _FORMULA),
    "effective_rate": _takes("nominal per_year", money.effective_rate, _POWER),
    "bond_price": _takes(f"{_BOND} face", bonds.bond_price, _POWER),
    "ytm": _takes("price coupon_rate years per_year face", bonds.ytm, _SEARCH),
    "macaulay_duration": _takes(_BOND, bonds.macaulay_duration, _SEARCH),
    "modified_duration": _takes(_BOND, bonds.modified_duration, _SEARCH),
    "convexity": _takes(_BOND, bonds.convexity, _SEARCH),
    "normal_cdf": _takes("x", statistics.normal_cdf, _NORMAL),
    "normal_inv": _takes("p", statistics.normal_inv, _SEARCH),
    "mean": _takes("[values]", statistics.mean, _FORMULA),
    "variance": _takes("[values]", statistics.variance, _FORMULA),
    "variance_p": _takes("[values]", statistics.variance_p, _FORMULA),
    "stdev": _takes("[values]", statistics.stdev, _FORMULA),
    "stdev_p": _takes("[values]", statistics.stdev_p, _FORMULA),
    "covariance": _takes("[first] [second]", statistics.covariance, _FORMULA),
    "covariance_p": _takes("[first] [second]", statistics.covariance_p, _FORMULA),
    "correlation": _takes("[first] [second]", statistics.correlation, _FORMULA),
    "capm": _takes("riskfree beta market_return", markets.capm, _FORMULA),
    "wacc": _takes("weight_equity cost_equity weight_debt cost_debt tax", markets.wacc, _FORMULA),
    "gordon": _takes("next_dividend required growth", markets.gordon, _FORMULA),
    "put_call_put": _takes("call spot strike rate years", markets.put_call_put, _POWER),
    "put_call_call": _takes("put spot strike rate years", markets.put_call_call, _POWER),
    "forward_price": _takes("spot rate years", markets.forward_price, _POWER),
    "bs_call": _takes(_OPTION, markets.bs_call, _NORMAL),
    "bs_put": _takes(_OPTION, markets.bs_put, _NORMAL),
}
