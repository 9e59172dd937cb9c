"""Estimates with intervals that hold when records come in clusters."""

from counterfoil.stats.agreement import cohen_kappa, pearson, spearman
from counterfoil.stats.estimate import Estimate
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
from counterfoil.stats.interval import Interval
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
