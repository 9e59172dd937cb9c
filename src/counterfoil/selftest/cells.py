"""What a suite plants for its self-test: the cells of its grid, what can be drawn, and the true values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from counterfoil.errors import UserError
from counterfoil.suite.suite import AnySuite

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """One respondent on so many clusters of questions. `clusters` of them are drawn anew in each trial.

    `settings` are the respondent's true chances; with a `correlation` they are the means of chances that differ from
    cluster to cluster. `uneven`: clusters of different sizes, where the suite has such. `options` are the suite's own.
    `compared`: a second respondent with the same settings answers, too, and the comparison's tests are to find
    nothing; with `other`, a third one with these settings, whom they are to find.
    """

    name: str
    clusters: int
    settings: dict[str, float]
    correlation: float = 0.0
    repeats: int = 1
    uneven: bool = False
    options: dict[str, Any] = {}
    compared: bool = False
    other: dict[str, float] = {}

    @property
    def label(self) -> str:
        return f"{self.clusters} {self.name}"

    def __str__(self) -> str:
        parts = [f"{name.replace('_', ' ')} {value}" for name, value in {**self.settings, **self.options}.items()]
        if self.correlation:
            parts.append(f"correlation {self.correlation:g} within clusters")
        if self.uneven:
            parts.append("clusters of different sizes")
        if self.repeats > 1:
            parts.append(f"{self.repeats} repeats")
        if self.other:
            parts.append(f"against {', '.join(f'{name} {value}' for name, value in self.other.items())}")
        return ", ".join(parts)


class Planting(Protocol):
    """A suite's part of its self-test."""

    cells: Sequence[Cell]
    variant: str
    # Settings that are the same in all clusters, whatever the correlation.
    constant: Sequence[str]
    # Columns beside question_id and cluster that name questions: new names for what is drawn twice.
    names: Sequence[str]

    def suite(self, cell: Cell) -> AnySuite:
        """The suite with the cell's options."""
        ...

    def clusters(self, questions: Iterable[Any], cell: Cell) -> list[list[Any]]:
        """What can be drawn: each is all questions of one cluster."""
        ...

    def felt(self, question: Any) -> Sequence[str]:
        """The settings that decide how this question is answered."""
        ...

    def truth(
        self, clusters: Sequence[Sequence[Any]], facts: Any, cell: Cell, settings: Mapping[str, float]
    ) -> dict[tuple[str, str], float]:
        """The mean over all that can be drawn, and over the latent states, of each metric in each group (as text)."""
        ...


def planting_of(suite: AnySuite) -> Planting:
    """What the suite plants."""
    planting = suite.planting()
    if planting is None:
        raise UserError(f"The suite {suite.name} has no self-test: its method `planting` gives none.")
    return planting


LEVELS = 10


def draw_levels(rng: np.random.Generator, mean: float, correlation: float, clusters: int) -> NDArray[np.float64]:
    """The chance of each cluster."""
    import numpy as np

    if correlation == 0 or mean in (0, 1):
        return np.full(clusters, mean)
    if correlation == 1:
        return rng.binomial(1, mean, clusters).astype(np.float64)
    rest = _rest(correlation)
    weight = (1 - rest) / rest if rest else 0.0
    chance = rng.beta(mean * weight, (1 - mean) * weight, clusters) if rest else np.full(clusters, mean)
    return rng.binomial(LEVELS, chance) / LEVELS


def level_chances(mean: float, correlation: float) -> dict[float, float]:
    """How likely each level is: P(k) = C(K,k)·B(k + a, K − k + b) ÷ B(a, b) with a = p·w, b = (1−p)·w."""
    if correlation == 0 or mean in (0, 1):
        return {mean: 1.0}
    if correlation == 1:
        return {0.0: 1 - mean, 1.0: mean}
    rest = _rest(correlation)
    if rest == 0:
        chances = [math.comb(LEVELS, k) * mean**k * (1 - mean) ** (LEVELS - k) for k in range(LEVELS + 1)]
    else:
        weight = (1 - rest) / rest
        a, b = mean * weight, (1 - mean) * weight
        chances = [
            math.comb(LEVELS, k) * math.exp(_log_beta(k + a, LEVELS - k + b) - _log_beta(a, b))
            for k in range(LEVELS + 1)
        ]
    return {k / LEVELS: chance for k, chance in enumerate(chances)}


def _rest(correlation: float) -> float:
    """The correlation that the beta distribution must have, beside the 1 ÷ K that the binomial draw brings.

    A share k ÷ K of a beta-binomial has the variance p(1−p)·(1 + (K−1)·r) ÷ K.
    """
    if not 1 / LEVELS <= correlation <= 1:
        raise UserError(f"A correlation within clusters is 0, or from {1 / LEVELS:g} to 1; it is {correlation:g}.")
    # 0.1 · 10 is 1 but for rounding on some machines.
    rest = (LEVELS * correlation - 1) / (LEVELS - 1)
    return rest if rest > 1e-9 else 0.0


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
