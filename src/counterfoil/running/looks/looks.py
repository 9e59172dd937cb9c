"""Looks between the parts of a run: all models wait, what was answered is looked at, and who is decided stops."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from counterfoil.console import Say
from counterfoil.running.looks.design import at
from counterfoil.running.looks.log import Decision, Logged
from counterfoil.running.looks.questions import Look, Questions
from counterfoil.running.plan import Plan
from counterfoil.running.records import Parts
from counterfoil.suite.suite import AnySuite

if TYPE_CHECKING:
    import polars as pl

# Decides what can be decided from the records without texts; at the last look, everything.
Decide = Callable[[AnySuite, Look, "pl.DataFrame"], list[Decision]]


def looks_of(plan: Plan, parts: Parts, decide: Decide, say: Say) -> Looks | None:
    """The looks that the run's design declares; None where nothing is to be decided."""
    design, request = plan.until, plan.request
    if design is None:
        return None
    clusters = [at(fraction, plan.order.clusters) for fraction in design.fractions]
    ends = map(plan.order.end_of, clusters)
    models, variants = [model.name for model in plan.models], [variant.name for variant in plan.variants]
    return Looks(
        sizes=[end - start for start, end in pairwise([0, *ends])],
        suite=plan.suite,
        models=models,
        questions=Questions(design, models, variants),
        parts=parts,
        logged=Logged(request.out, request.letters, design, clusters),
        decide=decide,
        say=say,
    )


@dataclass(kw_only=True)
class Looks:
    """The looks of one run. `sizes`: how many questions are asked before each."""

    sizes: Sequence[int]
    suite: AnySuite
    models: Sequence[str]
    questions: Questions
    parts: Parts
    logged: Logged
    decide: Decide
    say: Say

    def __post_init__(self) -> None:
        # Models that are asked on, and those of them that wait for the next look.
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
                self.questions.give_up(model)
            self._look_if_all_wait()
            await self._taken.wait_for(lambda: self._number > number or not is_whole)
            return is_whole and model in self._running

    def _look_if_all_wait(self) -> None:
        if not self._waiting or self._waiting != self._running:
            return
        self._number += 1
        decisions = self.logged.begin(self._number)
        if decisions is None:
            numbers = [number for number, model in enumerate(self.models) if model in self._running]
            decisions = self.decide(self.suite, self.questions.at(self._number), self.parts.so_far(numbers))
            self.logged.end(self._number, decisions)
        self.questions.close(decisions)
        decided = self._running - self.questions.busy
        if self._number < len(self.sizes):
            clusters = self.logged.log.clusters[self._number - 1]
            for model in sorted(decided, key=self.models.index):
                self.say(f"{model}: all is decided after {clusters:,} clusters.")
        self._running -= decided
        self._waiting = set()
        self._taken.notify_all()
