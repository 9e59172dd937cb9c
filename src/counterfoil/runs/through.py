"""From a plan to the run in its folder, whoever asks: senders in one pass, or carriers in several."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from datetime import UTC, datetime
from typing import Any

from counterfoil.asking.batches.providers import has_batches
from counterfoil.asking.ledger import Ledger
from counterfoil.errors import UserError
from counterfoil.runs.askers import Askers, Say, open_askers
from counterfoil.runs.finish import finish
from counterfoil.runs.folder import Run, discard_empty, locked
from counterfoil.runs.ours import refuse_others
from counterfoil.runs.plan import Plan
from counterfoil.runs.records import NoParts, Parts
from counterfoil.runs.rows import Standing

# Goes through all questions once, with those who ask; the rows go to the parts.
Pass = Callable[[Askers, Parts | NoParts], Awaitable[Sequence[Standing]]]

# Beside the records whose asks are in flight there are those that wait for the ledger or a judge.
WORKERS, WORKERS_PER_PLACE = 64, 3


class LeftAtOnce(Exception):
    """The user has interrupted twice. Every reply that had come is in the ledger."""


class NotAllStored(Run):
    """A run whose records are as they should be, but that was to store more than its folder, and could not."""

    @property
    def is_complete(self) -> bool:
        return False


def with_ledger(plan: Plan, work: Callable[[Ledger], Coroutine[Any, Any, Run]]) -> Run:
    """Do the work with the ledger open and the run folder locked, if that is free for it."""
    out = plan.request.out
    try:
        refuse_others(out, plan.suite.name)  # before anything of ours, such as a lock, is put into it
        with locked(out):
            refuse_others(out, plan.suite.name)
            try:
                with Ledger(plan.request.ledger) as ledger:
                    return asyncio.run(work(ledger))
            except UserError:
                discard_empty(out)
                raise
    except asyncio.CancelledError as error:
        raise LeftAtOnce from error
    finally:
        gc.unfreeze()


async def go_through(plan: Plan, ledger: Ledger, say: Say, one_pass: Pass) -> Run:
    """Ask, read, score, estimate; gives the run."""
    started_at = datetime.now(UTC)
    if not plan.request.batch and any(has_batches(model.name) for model in (*plan.models, *plan.judges)):
        from counterfoil.runs.under_way import say_what_is_under_way

        await say_what_is_under_way(plan, ledger, say, one_pass)
    parts = Parts(plan.request.out, plan.suite.columns)
    # While the first asks are on their way, load what their records will need.
    loading = asyncio.get_running_loop().run_in_executor(None, _load_tables)
    if plan.request.in_waves:
        from counterfoil.runs.waves import open_posters, waves

        async with open_posters(plan, ledger, say) as posters:
            standings = await waves(posters, one_pass, parts)
        is_all_stored = not any(poster.carrier.not_stored for poster in posters.all)
        askers: Askers = posters
    else:
        async with open_askers(plan, ledger, say) as senders:
            standings = await one_pass(senders, parts)
        is_all_stored = True
        askers = senders
    await loading
    run = finish(plan, parts, standings, askers, started_at)
    return run if is_all_stored else NotAllStored(run.folder)


def _load_tables() -> None:
    import polars

    import counterfoil.stats.estimates

    assert polars
    assert counterfoil.stats.estimates
    gc.freeze()  # all that was imported stays: looking through it again and again would cost a tenth of the time
