"""Cluster sums: all that an interval needs to know about the records, for many estimates at once.

Every array has one entry for each cluster of each estimate. A cluster in which nothing is left (no record, or no
weight) may be there: its sums are 0 and it counts for nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Layout(NamedTuple):
    """Which estimate each cluster belongs to (0, 1, …), and how many estimates there are."""

    estimate: NDArray[np.int64]
    estimates: int

    def total(self, entries: NDArray[np.float64] | NDArray[np.bool_]) -> NDArray[np.float64]:
        """The sum over the clusters of each estimate."""
        sums = np.bincount(self.estimate, weights=entries, minlength=self.estimates)
        return sums.astype(np.float64, copy=False)

    def repeat(self, per_estimate: NDArray[np.float64]) -> NDArray[np.float64]:
        """A number of each estimate, repeated for each of its clusters."""
        return per_estimate[self.estimate]


class MeanSums(NamedTuple):
    """Per cluster, for values x with weights w: number of records, Σw, Σw², Σwx, Σwx²."""

    records: NDArray[np.float64]
    n: NDArray[np.float64]
    n2: NDArray[np.float64]
    s: NDArray[np.float64]
    q: NDArray[np.float64]


class RatioSums(NamedTuple):
    """Per cluster, for pairs (y, x) with weights w: number of records, Σw, Σw², Σwy, Σwx, Σwy², Σwx², Σwxy."""

    records: NDArray[np.float64]
    n: NDArray[np.float64]
    n2: NDArray[np.float64]
    y: NDArray[np.float64]
    x: NDArray[np.float64]
    yy: NDArray[np.float64]
    xx: NDArray[np.float64]
    xy: NDArray[np.float64]
