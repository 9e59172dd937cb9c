"""What a suite plants for its self-test: the cells of its grid, what can be drawn, and the true values."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from counterfoil.suite.suite import AnySuite


def luck_of(*words: object) -> random.Random:
    """Random numbers that depend on these words alone: a simulated respondent says the same to the same ask."""
    return random.Random(hashlib.sha256(" ".join(map(str, words)).encode()).digest())  # noqa: S311


GIANT = 12


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """One respondent on so many clusters of questions. `clusters` of them are drawn anew in each trial.

    `settings` are the respondent's true chances; with a `correlation` they are the means of chances that differ from
    cluster to cluster. `uneven`: clusters of different sizes, where the suite has such. `options` are the suite's own.
    `spread`: how these chances are spread (`counterfoil.selftest.levels`). `giants`: so many of the clusters have
    `GIANT` times the questions of others. `missing`: a cluster's replies are lost with this chance times 1 − its chance
    of the first setting, so that what is hard is missing more often.
    `compared`: a second respondent with the same settings answers, too, and the comparison's tests are to find
    nothing; with `other`, a third one with these settings, whom they are to find.
    """

    name: str
    clusters: int
    settings: dict[str, float]
    correlation: float = 0.0
    spread: str = "beta-binomial"
    giants: int = 0
    missing: float = 0.0
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
            how = "" if self.spread == "beta-binomial" else f", {self.spread} chances"
            parts.append(f"correlation {self.correlation:g} within clusters{how}")
        if self.giants:
            parts.append(f"{self.giants} clusters with {GIANT} times the questions")
        if self.missing:
            parts.append(f"the harder a cluster, the likelier it is missing (up to {self.missing:g})")
        if self.uneven:
            parts.append("clusters of different sizes")
        if self.repeats > 1:
            parts.append(f"{self.repeats} repeats")
        if self.other:
            parts.append(f"against {', '.join(f'{name} {value}' for name, value in self.other.items())}")
        return ", ".join(parts)


class Planting:
    """A suite's part of its self-test. `cells` and `truth` are its own; the rest has defaults."""

    cells: Sequence[Cell]
    # Cells whose replies do not come about as the intervals were made for: the self-test has other witnesses.
    witnesses: Sequence[Cell] = ()
    # The variant in which the questions are asked; None is the usual one.
    variant: str | None = None
    # Settings that are the same in all clusters, whatever the correlation.
    constant: Sequence[str] = ()
    # Columns beside question_id and cluster that name questions: new names for what is drawn twice.
    names: Sequence[str] = ()

    def __init__(self, suite: AnySuite) -> None:
        self._suite = suite

    def suite(self, cell: Cell) -> AnySuite:
        """The suite with the cell's options."""
        return type(self._suite)(cell.options)

    def clusters(self, questions: Iterable[Any], cell: Cell) -> list[list[Any]]:
        """What can be drawn: each is all questions of one cluster."""
        found: dict[str, list[Any]] = {}
        for question in questions:
            found.setdefault(question.cluster, []).append(question)
        return list(found.values())

    def settings_used(self, question: Any) -> Sequence[str]:
        """The settings that decide how this question is answered."""
        return tuple(self.cells[0].settings)

    def truth(
        self, clusters: Sequence[Sequence[Any]], facts: Any, cell: Cell, settings: Mapping[str, float]
    ) -> dict[tuple[str, str], float]:
        """The mean over all that can be drawn, and over the latent states, of each metric in each group (as text)."""
        raise NotImplementedError
