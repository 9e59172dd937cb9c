"""What a run would ask, and what that would cost. Nothing is sent, and nothing is written."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from counterfoil.asking.ask import Ask
from counterfoil.asking.asker import Collector, Halt
from counterfoil.asking.batches.store import UnderWay
from counterfoil.asking.budget import Account, Budget, estimate_tokens
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.base import Model, ModelSpec
from counterfoil.running.askers import A, Askers, Say, one_error
from counterfoil.running.plan import Plan, make_plan
from counterfoil.running.records import NoParts
from counterfoil.running.request import RunRequest
from counterfoil.running.rows import unheard
from counterfoil.running.run import Pass, answer_all
from counterfoil.suite.suite import AnySuite


class DryRun(msgspec.Struct, kw_only=True):
    """One model's part. Tokens and cost are of the asks that are left, estimated; None where they can't be.

    `output_tokens` is what the replies in the ledger suggest, or else what the asks allow at the most. A judge's asks
    about replies that are not there yet are not counted: what they will be depends on the replies. `under_way` are in
    batches that a run with --batch collects: they are paid for, and not to ask.
    """

    model: str
    judge: bool
    asks: int
    in_ledger: int
    under_way: int
    to_ask: int
    input_tokens: int
    output_tokens: int | None
    cost: float | None
    note: str | None


class Finder(Collector):
    """Asks nobody. Counts what the ledger holds of one model's replies."""

    stopped: str | None = None
    in_flight = 0
    places = 1
    adjustments: Sequence[str] = ()

    def __init__(
        self,
        model: Model,
        spec: ModelSpec,
        plan: Plan,
        ledger: Ledger,
        budget: Budget,
        outbox: Callable[[Ask], None] = lambda ask: None,
    ) -> None:
        super().__init__(ledger, outbox, Account(budget, plan.price(spec)))
        self.model = model


class Outbox(Finder):
    """Counts what would be sent to one model, too, and notes which of it is in a batch."""

    def __init__(self, model: Model, spec: ModelSpec, plan: Plan, ledger: Ledger, under_way: UnderWay) -> None:
        super().__init__(model, spec, plan, ledger, Budget(), self._add)
        self.in_batches: set[bytes] = set()
        self._collects = plan.request.batch
        self._under_way = under_way
        self._keys: set[bytes] = set()
        self._input_tokens = 0.0
        self._most_output: float | None = 0.0

    def _add(self, ask: Ask) -> None:
        key = bytes.fromhex(ask.key)
        if key in self._keys or key in self.in_batches:
            return
        if self._under_way.holds(ask.key):
            self.in_batches.add(key)
            if self._collects:
                return
        self._keys.add(key)
        self._input_tokens += estimate_tokens(ask.prompt)
        limit = ask.params.get("max_tokens")
        self._most_output = None if limit is None or self._most_output is None else self._most_output + limit

    def result(self, *, judge: bool, has_turns: bool) -> DryRun:
        tally, price, to_ask = self.account.tally, self.account.price, len(self._keys)
        collected = len(self.in_batches) if self._collects else 0
        notes = []
        if self.in_batches and not self._collects:
            notes.append(f"{len(self.in_batches):,} under way in a batch: --batch collects them")
        if tally.in_ledger:
            output: float | None = to_ask * tally.output_tokens / tally.in_ledger
        else:
            output = self._most_output
            notes.append("output at its limit" if output is not None else "length of replies unknown")
        if has_turns and not judge:
            notes.append("later turns depend on the replies and are not counted")
        if price is None:
            notes.append("price unknown: give it with --prices")
        return DryRun(
            model=self.model.name,
            judge=judge,
            asks=to_ask + collected + tally.in_ledger,
            in_ledger=tally.in_ledger,
            under_way=collected,
            to_ask=to_ask,
            input_tokens=round(self._input_tokens),
            output_tokens=None if output is None else round(output),
            cost=None if price is None or output is None else price.of_tokens(self._input_tokens, output),
            note="; ".join(notes) if to_ask and notes else None,
        )


def dry_run(suite: AnySuite, request: RunRequest) -> list[DryRun]:
    """For each model and judge: asks, how many the ledger holds, and the tokens and cost of the others."""

    def dry(specs: Sequence[ModelSpec]) -> list[ModelSpec]:
        return [msgspec.structs.replace(spec, dry=True) for spec in specs]

    request = msgspec.structs.replace(request, models=dry(request.models), judges=dry(request.judges))
    with Ledger(request.ledger, create=False) as ledger, UnderWay(request.ledger) as under_way:
        return asyncio.run(_dry_run(make_plan(suite, request), ledger, under_way))


async def _dry_run(plan: Plan, ledger: Ledger, under_way: UnderWay) -> list[DryRun]:
    outboxes = _outboxes(plan, ledger, under_way)
    with one_error():
        await answer_all(plan, ledger, outboxes, NoParts(), unheard)
    for box in outboxes.all:
        await box.model.close()
    has_turns = plan.suite.has_turns
    return [
        box.result(judge=judge, has_turns=has_turns)
        for judge, boxes in ((False, outboxes.models), (True, outboxes.judges))
        for box in boxes
    ]


def _outboxes(plan: Plan, ledger: Ledger, under_way: UnderWay) -> Askers[Outbox]:
    return _askers(plan, Halt(), lambda model, spec: Outbox(model, spec, plan, ledger, under_way))


def _askers(plan: Plan, halt: Halt, new_asker: Callable[[Model, ModelSpec], A]) -> Askers[A]:
    models, judges = (
        [new_asker(model, spec) for model, spec in zip(some, specs, strict=True)]
        for some, specs in ((plan.models, plan.request.models), (plan.judges, plan.request.judges))
    )
    return Askers(models, judges, halt, plan)


async def count_earlier(plan: Plan, ledger: Ledger, askers: Askers[Any], one_pass: Pass) -> None:
    """What the run's replies in the ledger have cost uses up its budget before the first ask is sent."""
    if askers.budget.is_limited:
        budget = askers.budget.like()
        finders = _askers(plan, askers.halt, lambda model, spec: Finder(model, spec, plan, ledger, budget))
        await one_pass(finders, NoParts())
        for asker, finder in zip(askers.all, finders.all, strict=True):
            asker.account.note_earlier(finder.account)


async def say_what_is_in_batches(plan: Plan, ledger: Ledger, say: Say, one_pass: Pass) -> None:
    """A sentence for each model that has asks of this run in batches. Where there are none at all, nothing is done."""
    with UnderWay(ledger.path) as under_way:
        if under_way.is_empty:
            return
        outboxes = _outboxes(plan, ledger, under_way)
        with one_error():
            await one_pass(outboxes, NoParts())
    found: dict[str, set[bytes]] = {}
    for box in outboxes.all:
        found.setdefault(box.model.name, set()).update(box.in_batches)
    for name, keys in found.items():
        if keys:
            asks, them = (f"{len(keys):,} asks are", "them") if len(keys) > 1 else ("1 ask is", "it")
            say(
                f"{name}: {asks} under way in a batch already, and this run asks and pays for {them} again: "
                f"add --batch to collect {them} instead."
            )
