"""What a design asks of the models of a run, and what of it is still open: it knows no replies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from counterfoil.running.looks.design import Condition, Design
from counterfoil.running.looks.log import TOLD_APART, Decision


class Open(NamedTuple):
    """What is to be decided: a condition, of a model in a variant, or of two models over all variants."""

    condition: Condition
    models: tuple[str, ...]
    variant: str | None

    @property
    def key(self) -> tuple[str, tuple[str, ...], str | None]:
        return self.condition.text, self.models, self.variant


class Look(NamedTuple):
    """The number of a look, from 1, and what is still open."""

    number: int
    design: Design
    open: Sequence[Open]
    # By condition: how many questions it has, and how many of them were told apart before.
    family: Mapping[str, int]
    told_apart: Mapping[str, int]

    @property
    def fraction(self) -> float:
        return self.design.fractions[self.number - 1]

    @property
    def is_last(self) -> bool:
        return self.number == len(self.design.fractions)


class Questions:
    """The questions of a design, closed one after the other."""

    def __init__(self, design: Design, models: Sequence[str], variants: Sequence[str]) -> None:
        self._design = design
        self._open = list(_questions_of(design, models, variants))
        self._family = Counter(one.condition.text for one in self._open)
        self._told_apart: Counter[str] = Counter()

    def at(self, number: int) -> Look:
        """The look of this number."""
        return Look(number, self._design, list(self._open), self._family, self._told_apart.copy())

    def close(self, decisions: Iterable[Decision]) -> None:
        """What these decide is open no more."""
        closed = {decision.key: decision.verdict for decision in decisions}
        self._told_apart.update(one.condition.text for one in self._open if closed.get(one.key) in TOLD_APART)
        self._open = [one for one in self._open if one.key not in closed]

    def give_up(self, model: str) -> None:
        """Nothing more will be known of this model."""
        self._open = [one for one in self._open if model not in one.models]

    @property
    def busy(self) -> set[str]:
        """The models of which something is open."""
        return {model for one in self._open for model in one.models}


def _questions_of(design: Design, models: Sequence[str], variants: Sequence[str]) -> Iterator[Open]:
    """What each condition asks."""
    for condition in design.conditions:
        if condition.kind == "compare":
            yield from (Open(condition, pair, None) for pair in combinations(models, 2))
        else:
            yield from (Open(condition, (model,), variant) for model in models for variant in variants)
