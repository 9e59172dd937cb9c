"""Looks between the parts of a run: all models wait, what was answered is looked at, and who is decided stops."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, NamedTuple

from counterfoil.console import Say
from counterfoil.running.looks.design import Condition, Design
from counterfoil.running.looks.log import TOLD_APART, Decision, Logged
from counterfoil.running.plan import Plan
from counterfoil.running.records import Parts
from counterfoil.suite.suite import AnySuite

if TYPE_CHECKING:
    import polars as pl


class Open(NamedTuple):
    """What is to be decided: a condition, of a model in a variant, or of two models over all variants."""

    condition: Condition
    models: tuple[str, ...]
    variant: str | None

    @property
    def key(self) -> tuple[str, tuple[str, ...], str | None]:
        return self.condition.text, self.models, self.variant


class Look(NamedTuple):
    """The number of a look, from 1, what is still open of each condition, and what was told apart before."""

    number: int
    design: Design
    open: Sequence[Open]
    # By condition: how many questions it has, and how many of them were told apart.
    family: Mapping[str, int]
    told_apart: Mapping[str, int]

    @property
    def fraction(self) -> float:
        return self.design.fractions[self.number - 1]

    @property
    def is_last(self) -> bool:
        return self.number == len(self.design.fractions)


# Decides what can be decided from the records without texts; at the last look, everything.
Decide = Callable[[AnySuite, Look, "pl.DataFrame"], list[Decision]]


def questions_of(design: Design, models: Sequence[str], variants: Sequence[str]) -> Iterator[Open]:
    """What each condition asks."""
    for condition in design.conditions:
        if condition.kind == "compare":
            yield from (Open(condition, pair, None) for pair in combinations(models, 2))
        else:
            yield from (Open(condition, (model,), variant) for model in models for variant in variants)


def looks_of(plan: Plan, parts: Parts, decide: Decide, say: Say) -> Looks | None:
    """The looks that the run's design declares; None where nothing is to be decided."""
    design, request = plan.request.until, plan.request
    if design is None:
        return None
    clusters, ends = plan.order.ends(design.fractions)
    sizes = [end - start for start, end in pairwise([0, *ends])]
    names = [model.name for model in plan.models], [variant.name for variant in plan.variants]
    logged = Logged(request.out, request.letters, design, clusters)
    return Looks(design, sizes, plan.suite, *names, parts, logged, decide, say)


@dataclass
class Looks:
    """The looks of one run. `sizes`: how many questions are asked before each."""

    design: Design
    sizes: Sequence[int]
    suite: AnySuite
    models: Sequence[str]
    variants: Sequence[str]
    parts: Parts
    logged: Logged
    decide: Decide
    say: Say

    def __post_init__(self) -> None:
        self._every = list(questions_of(self.design, self.models, self.variants))
        self._open = self._every
        # Models that wait for the next look, and those that are asked no more, each with the looks that it has seen.
        self._running = set(self.models)
        self._waiting: set[str] = set()
        self._number = 0
        self._taken = asyncio.Condition()

    async def goes_on(self, model: str, *, is_whole: bool) -> bool:
        """After a part: wait until all models have theirs and the look was taken; whether this model is asked on.

        `is_whole`: every question of the part was asked. A model that could not be asked on sees no more looks.
        """
        async with self._taken:
            number = self._number
            if is_whole:
                self._waiting.add(model)
            else:
                self._running.discard(model)
                self._open = [one for one in self._open if model not in one.models]
            self._look_if_all_wait()
            await self._taken.wait_for(lambda: self._number > number or not is_whole)
            return is_whole and model in self._running

    def _look_if_all_wait(self) -> None:
        if not self._waiting or self._waiting != self._running:
            return
        self._number += 1
        decisions = self.logged.begin(self._number)
        if decisions is None:
            decisions = self._look()
            self.logged.end(self._number, decisions)
        closed = {decision.key for decision in decisions}
        self._open = [one for one in self._open if one.key not in closed]
        busy = {model for one in self._open for model in one.models}
        if self._number < len(self.sizes):
            for model in sorted(self._running - busy, key=self.models.index):
                self.say(f"{model}: all is decided after {self.logged.log.clusters[self._number - 1]:,} clusters.")
            self._running &= busy
        self._waiting = set()
        self._taken.notify_all()

    def _look(self) -> list[Decision]:
        family: dict[str, int] = {}
        for one in self._every:
            family[one.condition.text] = family.get(one.condition.text, 0) + 1
        told_apart = dict.fromkeys(family, 0)
        for decision in self.logged.decisions:
            told_apart[decision.condition] += decision.verdict in TOLD_APART
        look = Look(self._number, self.design, self._open, family, told_apart)
        numbers = [number for number, model in enumerate(self.models) if model in self._running]
        return self.decide(self.suite, look, self.parts.so_far(numbers))
