"""Least squares with clusters: how an error grows with what a reply is like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfoil.stats.estimate import FEWEST_CLUSTERS
from counterfoil.stats.spread import CONFIDENCE
from counterfoil.stats.student import t_quantile, t_two_sided

METHOD = "least squares, jackknife over clusters"
# Below this share of what varies, a column is one of the others but for rounding.
_ROUNDING = 1e-9


class Slope(NamedTuple):
    """A coefficient with its 95 % bounds and the p-value of the test against 0; None where it can't be given, and
    `note` says why.
    """

    value: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int
    clusters: int
    note: str | None


def slope(
    y: Sequence[float], x: Sequence[float], clusters: Sequence[str], others: Sequence[Sequence[float]] = ()
) -> Slope:
    """The coefficient of `x` in a regression of `y` on it, on a constant, and on `others`.

    Each cluster is left out in turn, which gives the variance (the jackknife, CR3): V = (G − 1)/G · Σ(b_g − b)². It
    needs no equal variances, and is rather too wide than too narrow where few clusters decide. The bounds are those of
    Student's t with G* − 1 degrees of freedom: G* is the number of clusters that would do as much as all of them, if
    each had the same part in the variance.
    """
    target = np.asarray(y, dtype=np.float64)
    design = np.column_stack([np.asarray(x, dtype=np.float64), np.ones(len(target)), *map(np.asarray, others)])
    _, place = np.unique(np.asarray(clusters), return_inverse=True)
    count = int(place.max()) + 1 if len(place) else 0
    if count < FEWEST_CLUSTERS:
        return Slope(None, None, None, None, len(target), count, f"fewer than {FEWEST_CLUSTERS} clusters ({count})")
    if not _varies(design):
        return Slope(None, None, None, None, len(target), count, "it is the same in all replies that were rated")
    squares = np.zeros((count, design.shape[1], design.shape[1]))
    products = np.zeros((count, design.shape[1]))
    np.add.at(squares, place, design[:, :, None] * design[:, None, :])
    np.add.at(products, place, design * target[:, None])
    whole = np.linalg.solve(squares.sum(axis=0), products.sum(axis=0))
    without = _without_each(squares, products)
    if without is None:
        note = "one cluster decides: without it, it is the same in all replies"
        return Slope(float(whole[0]), None, None, None, len(target), count, note)
    moved = (without[:, 0] - whole[0]) ** 2
    variance = (count - 1) / count * float(moved.sum())
    value = float(whole[0])
    if variance <= _ROUNDING**2:
        return Slope(value, None, None, None, len(target), count, "all replies lie on one line")
    effective = float(moved.sum() ** 2 / (moved**2).sum())
    df = max(1.0, min(count, effective * 2) - 1)
    error = variance**0.5
    reach = float(t_quantile((1 + CONFIDENCE) / 2, df)) * error
    return Slope(value, value - reach, value + reach, t_two_sided(value / error, df), len(target), count, None)


def _varies(design: NDArray[np.float64]) -> bool:
    """Whether the first column is more than a mixture of the others."""
    first, others = design[:, 0], design[:, 1:]
    rest = first - others @ np.linalg.lstsq(others, first, rcond=None)[0]
    return bool((rest**2).sum() > _ROUNDING * max(1e-300, float((first**2).sum())))


def _without_each(squares: NDArray[np.float64], products: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The coefficients without each of the clusters; None where they can't be told without one of them."""
    left = squares.sum(axis=0) - squares
    if np.linalg.cond(left).max() > 1 / _ROUNDING:
        return None
    right = products.sum(axis=0) - products
    solved: NDArray[np.float64] = np.linalg.solve(left, right[:, :, None])[:, :, 0]
    return solved
