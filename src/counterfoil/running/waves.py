"""A run in waves: pass after pass over all questions, until a pass finds every reply it needs, or none can come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from counterfoil.asking.asker import Halt
from counterfoil.asking.budget import Account, Budget, Tally
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.base import Model, ModelSpec
from counterfoil.asking.models.providers import PROVIDERS, provider_of
from counterfoil.asking.posting import Carrier, InThisProcess, Poster
from counterfoil.console import Say
from counterfoil.errors import UserError
from counterfoil.progress import Progress
from counterfoil.running.askers import Askers, Watched, most_places, open_askers, sender_of
from counterfoil.running.plan import Plan
from counterfoil.running.records import NoParts, Parts
from counterfoil.running.rows import Counts
from counterfoil.running.run import Pass

# Makes the carrier of a model.
CarrierOf = Callable[[Model, ModelSpec, Account], Carrier]


@asynccontextmanager
async def open_posters(plan: Plan, ledger: Ledger, say: Say) -> AsyncIterator[Askers[Poster]]:
    """Askers that post in waves."""
    halt = Halt()
    async with open_carriers(plan, ledger, halt, say) as carrier_of:

        def new_poster(model: Model, spec: ModelSpec, account: Account) -> Poster:
            return Poster(model, carrier_of(model, spec, account), ledger, account=account, halt=halt)

        async with open_askers(plan, halt, say, new_poster, lambda poster: poster.carrier.close()) as posters:
            yield posters


@asynccontextmanager
async def open_carriers(plan: Plan, ledger: Ledger, halt: Halt, say: Say) -> AsyncIterator[CarrierOf]:
    """A function that gives the carrier of each model. What the carriers share is open as long as the context is."""
    cluster_settings = plan.request.cluster
    most = most_places(plan)
    providers = [provider_of(model.name) for model in plan.asked]

    def in_this_process(model: Model, spec: ModelSpec, account: Account) -> Carrier:
        return InThisProcess(sender_of(model, spec, ledger, most, account=account, halt=halt, say=say))

    if cluster_settings is None:
        from counterfoil.asking.batches.carrier import BatchCarrier

        if not any(provider.has_batches for provider in providers):
            raise UserError("None of these models has a batch interface: leave --batch out.")

        def in_batches(model: Model, spec: ModelSpec, account: Account) -> Carrier:
            if provider_of(spec.name).has_batches:
                return BatchCarrier(model, ledger, account=account, halt=halt, say=say)
            say(f"{spec.name} has no batch interface: it is asked as usual.")
            return in_this_process(model, spec, account)

        yield in_batches
        return
    from counterfoil.asking.cluster.carrier import ClusterCarrier
    from counterfoil.asking.cluster.connection import open_cluster

    if all(provider.kind == "here" for provider in providers):
        here = " and ".join(row.name for row in PROVIDERS.values() if row.kind == "here")
        raise UserError(f"{here} models answer in this process: leave --engine ray out.")
    async with open_cluster(cluster_settings, say) as cluster:

        def on_cluster(model: Model, spec: ModelSpec, account: Account) -> Carrier:
            if provider_of(spec.name).kind == "here":
                return in_this_process(model, spec, account)
            return ClusterCarrier(model, spec, ledger, cluster=cluster, account=account, halt=halt, say=say)

        yield on_cluster


async def ask_in_waves(posters: Askers[Poster], one_pass: Pass, parts: Parts) -> Sequence[Counts]:
    """Pass after pass until nothing is left to post; then the pass whose rows are kept.

    A judge's ask is known only when the reply is there that it is about: it goes with a later wave. What the passes
    find in the ledger is counted in the first, for the budget, and in the last, for the manifest.
    """
    spent = [poster.account for poster in posters.all]  # the carriers count there
    posted = 0
    while posted < (posted := await _wave(posters, spent, one_pass)):
        _count_anew(posters)
    _count_anew(posters)
    counts = await one_pass(posters, parts)
    for poster, account in zip(posters.all, spent, strict=True):
        _settle(poster.account.tally, account.tally)
    return counts


def _count_anew(posters: Askers[Poster]) -> None:
    """Count the next pass apart: its replies were counted before and use up no budget."""
    for poster in posters.all:
        poster.account = Account(Budget(), poster.account.price)


async def _wave(posters: Askers[Poster], spent: Sequence[Account], one_pass: Pass) -> int:
    """Post missing asks and wait for their replies. Gives the number of asks posted since the start."""
    watched = [Watched(poster.carrier, poster, account) for poster, account in zip(posters.all, spent, strict=True)]
    async with Progress(watched).watched():
        await one_pass(posters, NoParts())
        async with asyncio.TaskGroup() as group:  # send the last asks of each now, and do not wait for the others
            for poster in posters.all:
                group.create_task(poster.carrier.wait_for_all())
    return sum(poster.posted for poster in posters.all)


def _settle(all_of_run: Tally, spent: Tally) -> None:
    """The last pass has found every reply in the ledger: those that came in this run were asked now."""
    all_of_run.asked = spent.asked
    all_of_run.in_ledger -= spent.asked
    all_of_run.failed = spent.failed
    all_of_run.retries = spent.retries
    all_of_run.cost_now = spent.cost_now
