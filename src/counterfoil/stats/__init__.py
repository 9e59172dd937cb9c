"""Estimates with intervals that hold when records come in clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterfoil.lazy import exports

if TYPE_CHECKING:
    from counterfoil.stats.agreement import cohen_kappa, pearson, spearman
    from counterfoil.stats.estimate import Estimate, Interval
    from counterfoil.stats.estimates import (
        difference,
        differences,
        proportion,
        proportions,
        ratio,
        ratios,
        signed_mean,
        signed_means,
    )
    from counterfoil.stats.student import t_quantile

__all__ = [
    "Estimate",
    "Interval",
    "cohen_kappa",
    "difference",
    "differences",
    "pearson",
    "proportion",
    "proportions",
    "ratio",
    "ratios",
    "signed_mean",
    "signed_means",
    "spearman",
    "t_quantile",
]

_ESTIMATES = (
    "difference",
    "differences",
    "proportion",
    "proportions",
    "ratio",
    "ratios",
    "signed_mean",
    "signed_means",
)

# Loaded when they are used: a run has its first asks under way before it needs numpy.
__getattr__ = exports(
    __name__,
    {
        "Estimate": "counterfoil.stats.estimate",
        "Interval": "counterfoil.stats.estimate",
        "t_quantile": "counterfoil.stats.student",
        **dict.fromkeys(("cohen_kappa", "pearson", "spearman"), "counterfoil.stats.agreement"),
        **dict.fromkeys(("proportion", "proportions", "signed_mean", "signed_means"), "counterfoil.stats.estimates"),
        **dict.fromkeys(("difference", "differences", "ratio", "ratios"), "counterfoil.stats.estimates"),
    },
)
