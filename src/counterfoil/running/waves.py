"""A run in waves: pass after pass over all questions, until a pass finds every reply it needs, or none can come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.asker import Collector, Halt
from counterfoil.asking.batches.store import UnderWay
from counterfoil.asking.budget import Account, Budget, Tally
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.base import Model, ModelSpec
from counterfoil.asking.posting import Poster
from counterfoil.progress import Progress
from counterfoil.running.askers import Askers, Say, Watched, first_error, interruptible, open_carriers
from counterfoil.running.plan import Plan
from counterfoil.running.records import NoParts, Parts
from counterfoil.running.rows import Standing
from counterfoil.running.run import Pass


class Posters(Askers):
    """Askers that post in waves."""

    models: Sequence[Poster]
    judges: Sequence[Poster]

    @property
    def all(self) -> Sequence[Poster]:
        return [*self.models, *self.judges]


@asynccontextmanager
async def open_posters(plan: Plan, ledger: Ledger, say: Say) -> AsyncIterator[Posters]:
    """Posters for all models and judges, within one budget, until the user interrupts."""
    request, halt = plan.request, Halt()
    budget = Budget(max_cost=request.max_cost, max_tokens=request.max_tokens_total)
    async with open_carriers(plan, ledger, halt, say) as carrier_of:

        def poster_of(model: Model, spec: ModelSpec) -> Poster:
            account = Account(budget, plan.price(model))
            return Poster(model, carrier_of(model, spec, account), ledger, account=account, halt=halt)

        models = [poster_of(*pair) for pair in zip(plan.models, request.models, strict=True)]
        judges = [poster_of(*pair) for pair in zip(plan.judges, request.judges, strict=True)]
        posters = Posters(models, judges, halt, plan)
        try:
            with interruptible(halt, posters.all, say, records=len(models) * plan.asks_per_model):
                yield posters
        except BaseExceptionGroup as errors:
            raise first_error(errors) from None
        finally:
            for poster in posters.all:
                await poster.carrier.close()


async def waves(posters: Posters, one_pass: Pass, parts: Parts) -> Sequence[Standing]:
    """Pass after pass until nothing is left to post; then the pass whose rows are kept.

    A judge's ask is known only when the reply is there that it is about: it goes with a later wave. What the passes
    find in the ledger is counted in the first, for the budget, and in the last, for the manifest.
    """
    spending = [_Spending(poster, poster.account) for poster in posters.all]
    posted = 0
    while posted < (posted := await _wave(posters, spending, one_pass)):
        _count_anew(spending)
    _count_anew(spending)
    standings = await one_pass(posters, parts)
    for poster, account in spending:
        _settle(poster.account.tally, account.tally)
    return standings


class _Spending(NamedTuple):
    """A poster with the account that its carrier spends from."""

    poster: Poster
    account: Account

    @property
    def model(self) -> Model:
        return self.poster.model

    @property
    def in_flight(self) -> int:
        return self.poster.in_flight


def _count_anew(spending: Sequence[_Spending]) -> None:
    """Count the next pass apart: its replies were counted before and use up no budget."""
    for poster, account in spending:
        poster.account = Account(Budget(), account.price)


async def _wave(posters: Posters, spending: Sequence[_Spending], one_pass: Pass) -> int:
    """Post missing asks and wait for their replies. Gives the number of asks posted since the start."""
    async with Progress([Watched(one.poster.carrier, one) for one in spending]).watched():
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


async def say_what_is_under_way(plan: Plan, ledger: Ledger, say: Say, one_pass: Pass) -> None:
    """A sentence for each model that has asks of this run in batches. The questions are gone through for that only
    where there are batches at all.
    """
    with UnderWay(ledger.path) as under_way:
        if under_way.is_empty:
            return
        models, judges = ([_Looker(model, ledger, under_way) for model in some] for some in (plan.models, plan.judges))
        try:
            await one_pass(Askers(models, judges, Halt(), plan), NoParts())
        except BaseExceptionGroup as errors:
            raise first_error(errors) from None
    found: dict[str, set[str]] = {}
    for looker in (*models, *judges):
        found.setdefault(looker.model.name, set()).update(looker.keys)
    for name, keys in found.items():
        if keys:
            asks, them = (f"{len(keys):,} asks are", "them") if len(keys) > 1 else ("1 ask is", "it")
            say(
                f"{name}: {asks} under way in a batch already, and this run asks and pays for {them} again: "
                f"add --batch to collect {them} instead."
            )


class _Looker:
    """Asks nobody. Notes the asks without a reply that are in a batch."""

    stopped: str | None = None
    in_flight = 0
    places = 1
    adjustments: Sequence[str] = ()

    def __init__(self, model: Model, ledger: Ledger, under_way: UnderWay) -> None:
        self.model = model
        self.account = Account(Budget(), None)
        self.keys: set[str] = set()
        self._under_way = under_way
        self._collector = Collector(ledger, self._note, self.account)

    async def ask(self, ask: Ask, *, looked_up: bool = False) -> Reply:
        return await self._collector.ask(ask, looked_up=looked_up)

    def _note(self, ask: Ask) -> None:
        if self._under_way.holds(ask.key):
            self.keys.add(ask.key)
