"""Many tests at once: p-values adjusted so that one false alarm in the whole family is as rare as claimed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """The p-values of one family, adjusted after Holm (1979), in the order given.

    Of m p-values in ascending order the i-th becomes max over j ≤ i of (m − j + 1)·p_j, at most 1. Tests without a
    p-value (None or nan) are no part of the family and stay as they are.
    """
    tested = [(p, place) for place, p in enumerate(p_values) if p is not None and not math.isnan(p)]
    if any(not 0 <= p <= 1 for p, _ in tested):
        raise ValueError("a p-value lies in 0…1; a test without one has None")
    adjusted = list(p_values)
    largest = 0.0
    for rank, (p, place) in enumerate(sorted(tested)):
        largest = max(largest, min(1.0, (len(tested) - rank) * p))
        adjusted[place] = largest
    return adjusted
