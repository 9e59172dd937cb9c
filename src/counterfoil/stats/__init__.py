"""Estimates with intervals that hold when records come in clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterfoil.lazy import exports

if TYPE_CHECKING:
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

__all__ = [
    "Estimate",
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
]

# Loaded when they are used: a run has its first asks under way before it needs numpy.
__getattr__ = exports(
    __name__,
    {
        **dict.fromkeys(__all__, "counterfoil.stats.estimates"),
        **dict.fromkeys(("cohen_kappa", "pearson", "spearman"), "counterfoil.stats.agreement"),
        "Estimate": "counterfoil.stats.estimate",
    },
)
