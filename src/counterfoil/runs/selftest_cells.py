"""What a suite plants for its self-test: the cells of its grid, what can be drawn, and the true values."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, cast

import msgspec

from counterfoil.errors import UserError
from counterfoil.runs.suite import Facts, Suite


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
    """A suite's part of its self-test: the object `planting` in the module `selftest` beside the suite's own."""

    cells: Sequence[Cell]
    variant: str
    # Settings that are the same in all clusters, whatever the correlation.
    constant: Sequence[str]
    # Columns beside question_id and cluster that name questions: new names for what is drawn twice.
    names: Sequence[str]

    def suite(self, cell: Cell) -> Suite:
        """The suite with the cell's options."""
        ...

    def clusters(self, questions: Iterable[Any], cell: Cell) -> list[list[Any]]:
        """What can be drawn: each is all questions of one cluster."""
        ...

    def felt(self, question: Any) -> Sequence[str]:
        """The settings that decide how this question is answered."""
        ...

    def truth(
        self, clusters: Sequence[Sequence[Any]], facts: Facts, cell: Cell, settings: Mapping[str, float]
    ) -> dict[tuple[str, str], float]:
        """The mean over all that can be drawn, and over the latent states, of each metric in each group (as text)."""
        ...


def planting_of(suite: Suite) -> Planting:
    """What the suite plants."""
    package = type(suite).__module__.rpartition(".")[0]
    try:
        module = importlib.import_module(f"{package}.selftest" if package else "selftest")
    except ModuleNotFoundError as error:
        raise UserError(
            f"The suite {suite.name} has no self-test: it needs a module selftest beside its own, with a planting."
        ) from error
    return cast("Planting", module.planting)
