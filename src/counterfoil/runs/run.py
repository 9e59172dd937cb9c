"""The way through, written once: questions, asks, ledger, replies, readings, rows, estimates, run folder."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from counterfoil.asking.ledger import Ledger
from counterfoil.runs.answering import Answering
from counterfoil.runs.askers import Askers, Say
from counterfoil.runs.folder import Run
from counterfoil.runs.plan import Plan, make_plan
from counterfoil.runs.progress import Progress, Watched
from counterfoil.runs.records import NoParts, Parts
from counterfoil.runs.request import RunRequest
from counterfoil.runs.rows import Rows, Standing
from counterfoil.runs.suite import Suite
from counterfoil.runs.through import WORKERS, WORKERS_PER_PLACE, LeftAtOnce, go_through, with_ledger

__all__ = ["LeftAtOnce", "run_suite"]


def run_suite(suite: Suite, request: RunRequest, say: Say) -> Run:
    """Ask, read, score, estimate; gives the run, as it is now in its folder. `say` tells the user a sentence."""
    plan = make_plan(suite, request)

    async def run(ledger: Ledger) -> Run:
        return await go_through(plan, ledger, say, lambda askers, parts: _answer_all(plan, ledger, askers, parts))

    return with_ledger(plan, run)


async def _answer_all(plan: Plan, ledger: Ledger, askers: Askers, parts: Parts | NoParts) -> Sequence[Standing]:
    """One pass over all questions, of all models side by side."""
    request = plan.request
    standings = [Standing(plan.asks_per_model) for _ in askers.models]
    answerings = [
        Answering(
            rows=Rows(plan.suite, plan.facts, askers.by_name(), standing),
            model=asker.model,
            number=number,
            params=spec.params,
            variants=plan.variants,
            repeats=request.repeats,
            asker=asker,
            account=asker.account,
            ledger=ledger,
            parts=parts,
        )
        for number, (asker, spec, standing) in enumerate(zip(askers.models, request.models, standings, strict=True))
    ]
    watched = map(Watched, standings, askers.models) if isinstance(parts, Parts) else ()
    async with Progress([*watched]).shown(), asyncio.TaskGroup() as group:
        for answering, asker in zip(answerings, askers.models, strict=True):
            workers = WORKERS + WORKERS_PER_PLACE * asker.places
            group.create_task(answering.answer(plan.questions, workers))
    return standings
