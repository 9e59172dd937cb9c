"""The formulas, each with the name it has in its source.

o is 1 where the original was answered right, v̄ the share of its K changed questions that were, c̄ that of a control.
All are means over questions that have all their draws.
"""

from __future__ import annotations

from typing import Literal

# Gold answers that were computed, and those of files from elsewhere; what a model wrote is shown apart.
TRUSTED = ("verified", "imported")
# Level 3 is another skill, and never inside the gap.
GAP_LEVELS = (1, 2)

# As in the seed's analysis, for K draws: each question is exactly one of these.
Kind = Literal["robust", "memorized", "improved", "robust-incorrect"]


def memorization_gap(o: float, v: float) -> float:
    """o − v̄: positive where the original is easier than what it was changed to."""
    return o - v


def robust_accuracy(o: float, v: float) -> float:
    """Original and all draws right."""
    return float(o == 1 and v == 1)


def robust_accuracy_at_1(o: float, v: float) -> float:
    """Original and one draw right: o·v̄. It does not depend on K."""
    return o * v


def memorization_suspect(o: float, v: float) -> float:
    """Original right, and a draw wrong."""
    return float(o == 1 and v < 1)


def memorization_suspect_at_1(o: float, v: float) -> float:
    """o(1 − v̄). It does not depend on K."""
    return o * (1 - v)


def kind_of(o: float, v: float) -> Kind:
    """What became of a question when its numbers changed."""
    if o == 1:
        return "robust" if v == 1 else "memorized"
    return "improved" if v > 0 else "robust-incorrect"
