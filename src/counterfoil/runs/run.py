"""The way through, written once: questions, asks, ledger, replies, readings, rows, estimates, run folder."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Coroutine
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from counterfoil.asking.ledger import Ledger
from counterfoil.errors import UserError
from counterfoil.runs.answering import Answering
from counterfoil.runs.askers import Say, open_askers
from counterfoil.runs.finish import finish
from counterfoil.runs.folder import Run, discard_empty, locked
from counterfoil.runs.plan import Plan, make_plan
from counterfoil.runs.progress import Progress, Watched
from counterfoil.runs.records import Parts
from counterfoil.runs.request import RunRequest
from counterfoil.runs.rows import Rows, Standing
from counterfoil.runs.suite import Suite

# Beside the records whose asks are in flight there are those that wait for the ledger or a judge.
WORKERS, WORKERS_PER_PLACE = 64, 3


class LeftAtOnce(Exception):
    """The user has interrupted twice. Every reply that had come is in the ledger."""


def run_suite(suite: Suite, request: RunRequest, say: Say) -> Run:
    """Ask, read, score, estimate; gives the run, as it is now in its folder. `say` tells the user a sentence."""
    plan = make_plan(suite, request)
    return with_ledger(plan, lambda ledger: _run(plan, ledger, say))


def with_ledger(plan: Plan, work: Callable[[Ledger], Coroutine[Any, Any, Run]]) -> Run:
    """Do the work with the ledger open and the run folder locked."""
    try:
        with locked(plan.request.out), Ledger(plan.request.ledger) as ledger:
            return asyncio.run(work(ledger))
    except asyncio.CancelledError as error:
        raise LeftAtOnce from error
    except UserError:
        discard_empty(plan.request.out)
        raise
    finally:
        gc.unfreeze()


def _load_tables() -> None:
    import polars

    import counterfoil.stats.estimates

    assert polars
    assert counterfoil.stats.estimates
    gc.freeze()  # all that was imported stays: looking through it again and again would cost a tenth of the time


async def _run(plan: Plan, ledger: Ledger, say: Say) -> Run:
    started_at = datetime.now(UTC)
    request = plan.request
    parts = Parts(request.out, plan.suite.columns)
    # While the first asks are on their way, load what their records will need.
    loading = asyncio.get_running_loop().run_in_executor(None, _load_tables)
    async with open_askers(plan, ledger, say) as askers:
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
        watching = asyncio.create_task(Progress([*map(Watched, standings, askers.models)]).watch())
        try:
            async with asyncio.TaskGroup() as group:
                for answering, asker in zip(answerings, askers.models, strict=True):
                    workers = WORKERS + WORKERS_PER_PLACE * asker.pace.highest
                    group.create_task(answering.answer(plan.questions, workers))
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching
    await loading
    return finish(plan, parts, standings, askers, started_at)
