"""The dry run: what a run would ask, and what that would cost. Nothing is sent, and nothing is written."""

from __future__ import annotations

import asyncio

import msgspec

from counterfoil.asking.ask import Ask
from counterfoil.asking.asker import Collector
from counterfoil.asking.batches.store import UnderWay
from counterfoil.asking.budget import Account, Budget, estimate_tokens
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.base import Model
from counterfoil.running.plan import Plan, make_plan
from counterfoil.running.records import NoParts
from counterfoil.running.request import RunRequest, nothing_sent
from counterfoil.running.rows import Judge, Rows, Standing
from counterfoil.running.run import Answering
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


class _Outbox:
    """Counts what would be sent to one model."""

    def __init__(
        self, model: Model, account: Account, under_way: UnderWay, *, judge: bool, collects: bool, has_turns: bool
    ) -> None:
        self.model = model
        self.account = account
        self._judge = judge
        self._under_way = under_way
        self._collects = collects
        self._has_turns = has_turns
        self._keys: set[bytes] = set()
        self._in_batches: set[bytes] = set()
        self._input_tokens = 0.0
        self._most_output: float | None = 0.0

    def add(self, ask: Ask) -> None:
        key = bytes.fromhex(ask.key)
        if key in self._keys or key in self._in_batches:
            return
        if self._under_way.holds(ask.key):
            self._in_batches.add(key)
            if self._collects:
                return
        self._keys.add(key)
        self._input_tokens += estimate_tokens(ask.prompt)
        limit = ask.params.get("max_tokens")
        self._most_output = None if limit is None or self._most_output is None else self._most_output + limit

    def result(self) -> DryRun:
        tally, price, to_ask = self.account.tally, self.account.price, len(self._keys)
        collected = len(self._in_batches) if self._collects else 0
        notes = []
        if self._in_batches and not self._collects:
            notes.append(f"{len(self._in_batches):,} under way in a batch: --batch collects them")
        if tally.in_ledger:
            output: float | None = to_ask * tally.output_tokens / tally.in_ledger
        else:
            output = self._most_output
            notes.append("output at its limit" if output is not None else "length of replies unknown")
        if self._has_turns:
            notes.append("later turns depend on the replies and are not counted")
        if price is None:
            notes.append("price unknown: give it with --prices")
        cost = None if price is None or output is None else price.of_tokens(self._input_tokens, output)
        return DryRun(
            model=self.model.name,
            judge=self._judge,
            asks=to_ask + collected + tally.in_ledger,
            in_ledger=tally.in_ledger,
            under_way=collected,
            to_ask=to_ask,
            input_tokens=round(self._input_tokens),
            output_tokens=None if output is None else round(output),
            cost=cost,
            note="; ".join(notes) if to_ask and notes else None,
        )


def dry_run(suite: AnySuite, request: RunRequest) -> list[DryRun]:
    """For each model and judge: asks, how many the ledger holds, and the tokens and cost of the others."""
    with Ledger(request.ledger, create=False) as ledger, UnderWay(request.ledger) as under_way:
        return asyncio.run(_dry_run(make_plan(suite, nothing_sent(request)), ledger, under_way))


async def _dry_run(plan: Plan, ledger: Ledger, under_way: UnderWay) -> list[DryRun]:
    request = plan.request

    def outbox(model: Model, *, judge: bool) -> _Outbox:
        account = Account(Budget(), plan.price(model))
        has_turns = plan.suite.has_turns and not judge
        return _Outbox(model, account, under_way, judge=judge, collects=request.batch, has_turns=has_turns)

    outboxes = [outbox(model, judge=False) for model in plan.models]
    judge_outboxes = [outbox(model, judge=True) for model in plan.judges]
    judges = {
        box.model.name: Judge(box.model, Collector(ledger, box.add, box.account), spec.params)
        for box, spec in zip(judge_outboxes, request.judges, strict=True)
    }
    for number, (box, spec) in enumerate(zip(outboxes, request.models, strict=True)):
        answering = Answering(
            rows=Rows(plan.suite, plan.facts, judges, Standing(plan.asks_per_model)),
            model=box.model,
            number=number,
            params=spec.params,
            variants=plan.variants,
            repeats=request.repeats,
            asker=Collector(ledger, box.add, box.account),
            account=box.account,
            ledger=ledger,
            parts=NoParts(),
        )
        await answering.answer(plan.questions, workers=1)
    for box in (*outboxes, *judge_outboxes):
        await box.model.close()
    return [box.result() for box in (*outboxes, *judge_outboxes)]
