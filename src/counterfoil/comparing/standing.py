"""Where a model with a prompt stands in a figure, beside the others of a run."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from counterfoil.stats.estimate import Estimate, Group

# A model with a prompt.
Pair = tuple[str, str]
# `behind`: told apart from the best. `untested`: no paired test can be made.
Standing = Literal["best", "not told", "behind", "untested"]


class Figure(NamedTuple):
    """A metric in one group, as its estimates are called."""

    metric: str
    group: Group = MappingProxyType({})

    def is_of(self, estimate: Estimate) -> bool:
        return estimate.metric == self.metric and estimate.group == self.group
