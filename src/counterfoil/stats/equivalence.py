"""Is a difference small enough not to matter? "Not told apart" does not say so; two one-sided tests do."""

from __future__ import annotations

import math
from typing import NamedTuple

from counterfoil.errors import UserError

LEVEL = 0.05

# From here on t is normal: where their tails are above 1e-9 they differ by less than one part in 100,000.
_NORMAL = 1e8
_LARGE = 100.0
_CLOSE = 1e-15
_STEPS = 1_000_000
_TINY = 1e-300


class Equivalence(NamedTuple):
    """`p` and `equivalent` are None where the difference has no standard error. `verdict` says it in words."""

    p: float | None
    equivalent: bool | None
    verdict: str


def equivalence_test(
    difference: float, standard_error: float | None, df: float, margin: float, *, level: float = LEVEL
) -> Equivalence:
    """Two one-sided t tests (Schuirmann 1987): is the true difference above −margin, and is it below +margin?

        p = max( P(T > (difference + margin)/SE), P(T > (margin − difference)/SE) )

    Equivalent at `level` exactly if the interval with confidence 1 − 2·level lies within the margin. Where all
    clusters agree there is no standard error (None, nan or 0), and nothing can be shown.
    """
    if not 0 < margin < math.inf:
        raise UserError(
            f"The margin must be above 0, not {margin:g}: give the largest difference that does not matter."
        )
    if not standard_error or math.isnan(standard_error):
        return Equivalence(None, None, "equivalence can't be tested: the difference has no standard error")
    p = t_tail((margin - abs(difference)) / standard_error, df)
    equivalent = p <= level
    words = f"equivalent: any difference is smaller than {margin:g}" if equivalent else _not_shown(difference, margin)
    return Equivalence(p, equivalent, words)


def _not_shown(difference: float, margin: float) -> str:
    if abs(difference) >= margin:
        return f"not shown to be equivalent: the difference itself is not smaller than {margin:g}"
    return f"not shown to be equivalent: a difference of {margin:g} or more can't be ruled out"


def t_tail(t: float, df: float) -> float:
    """P(T > t) for Student's t with `df` degrees of freedom (fractions and inf too), to eight digits.

    For t ≥ 0 it is I_x(df/2, ½)/2 with x = df/(df + t²), where I is the regularised incomplete beta function.
    """
    if not df > 0 or math.isnan(t):
        raise ValueError(f"t must be a number and the degrees of freedom above 0, not {t} and {df}")
    if t < 0:
        return 1 - t_tail(-t, df)
    if df > _NORMAL or math.isinf(t):
        return math.erfc(t / math.sqrt(2)) / 2
    a, x, rest = df / 2, df / (df + t * t), t * t / (df + t * t)
    if t == 0:
        return 0.5
    # x^a·(1 − x)^½ / B(a, ½), the same for both expansions. log1p keeps its digits where df is large.
    front = math.exp(-a * math.log1p(t * t / df) + math.log(rest) / 2 - _log_beta_half(a))
    if x < (a + 1) / (a + 2.5):
        return front / a * _continued_fraction(a, 0.5, x) / 2
    return (1 - front / 0.5 * _continued_fraction(0.5, a, rest)) / 2


def _log_beta_half(a: float) -> float:
    """log B(a, ½) = log Γ(a) + log Γ(½) − log Γ(a + ½), by its expansion where the difference would lose digits."""
    half_log_pi = math.log(math.pi) / 2
    if a < _LARGE:
        return half_log_pi + math.lgamma(a) - math.lgamma(a + 0.5)
    return half_log_pi - math.log(a) / 2 + 1 / (8 * a) - 1 / (192 * a**3)


def _continued_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method."""
    c, d = 1.0, 1 / _away_from_0(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        change = 1.0
        for numerator in (even, odd):
            c = _away_from_0(1 + numerator / c)
            d = 1 / _away_from_0(1 + numerator * d)
            change = c * d
            value *= change
        if abs(change - 1) < _CLOSE:
            break
    return value


def _away_from_0(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
