"""A judge that is asked about many things at once, at its pace, within a budget; every reply is in the ledger."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from counterfoil.asking.ask import Message, Reply
from counterfoil.asking.asker import Asker, Collector, Halt, NotAsked, Sender
from counterfoil.asking.budget import Account, Budget
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models import open_model
from counterfoil.asking.models.base import Model, ModelSpec
from counterfoil.asking.pace import Pace
from counterfoil.asking.prices import Price, load_prices
from counterfoil.console import Say
from counterfoil.datasets.curation import FAILED, NOT_ASKED
from counterfoil.errors import UserError
from counterfoil.judging.parsing import Verdict, verdict_reader
from counterfoil.judging.step import Failure, Step, ask_step
from counterfoil.progress import Progress
from counterfoil.running.askers import Watched, interruptible, one_error, telling
from counterfoil.running.rows import Counts

# Beside the asks in flight there are those that wait for the ledger.
WORKERS, WORKERS_PER_PLACE = 16, 2

Item = TypeVar("Item")
T = TypeVar("T")


class JudgeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Which judge, and how it is asked."""

    spec: ModelSpec
    ledger: Path
    max_cost: float | None = None
    prices: Path | None = None


class ReadyJudge:
    """A judge whose name and price were checked; nothing is sent or written yet."""

    def __init__(self, settings: JudgeSettings) -> None:
        self.settings = settings
        self.model: Model = open_model(settings.spec)
        self.price: Price | None = load_prices(settings.prices).of(settings.spec)
        if settings.max_cost is not None and self.price is None:
            raise UserError(
                f"The price of {self.model.name} is not known, so --max-cost can't hold: give it with --prices FILE."
            )


class Judging:
    """Asks the judge; it is the JudgeAsk of its steps."""

    def __init__(self, ready: ReadyJudge, sender: Sender, ledger: Ledger) -> None:
        self.sender = sender
        self._ledger = ledger
        self._asker: Asker = sender
        self.judges = (ready.model.name,)
        self._params = ready.settings.spec.params

    async def __call__(self, judge: str, messages: Sequence[Message], sample: int = 0) -> Reply:
        return await self._asker.ask(self.sender.model.ask(messages, self._params, sample))

    async def each(self, name: str, items: Sequence[Item], work: Callable[[Item], Awaitable[T]]) -> list[T | NotAsked]:
        """The work done for each item, many at once; NotAsked where the judge could not be asked for it.

        Within a budget, what the ledger holds of it is counted before the first ask is sent.
        """
        budget = self.sender.account.budget
        if budget.is_limited:
            earlier = Account(budget.like(), self.sender.account.price)
            self._asker = Collector(self._ledger, lambda ask: None, earlier)
            for item in items:
                with suppress(NotAsked):
                    await work(item)
            self._asker = self.sender
            self.sender.account.note_earlier(earlier)
        results: list[T | NotAsked] = [NotAsked("not reached")] * len(items)
        counts = Counts(len(items))
        jobs = iter(enumerate(items))
        (judge,) = self.judges

        async def do() -> None:
            for position, item in jobs:
                try:
                    results[position] = await work(item)
                except NotAsked as reason:
                    results[position] = reason
                counts.outcomes[judge, name, "answered"] += 1

        watched = Progress([Watched(counts, self.sender, self.sender.account)]).watched()
        with one_error():
            async with watched, asyncio.TaskGroup() as group:
                for _ in range(min(len(items), WORKERS + WORKERS_PER_PLACE * self.sender.places)):
                    group.create_task(do())
        return results

    def described(self) -> dict[str, Any]:
        """Who judges, with its tokens and cost so far, for the manifest."""
        model = self.sender.model
        tally: dict[str, Any] = msgspec.to_builtins(self.sender.account.tally)
        return {"name": model.name, "params": self._params, "adjustments": list(model.adjustments), **tally}


async def ask_verdicts(
    judging: Judging, name: str, prompt: str, words: Sequence[str], contents: Sequence[str]
) -> list[Verdict]:
    """A verdict for each content: one of the words, or `failed` or `not_asked` with the reason."""
    step, (judge,) = Step(name, prompt, verdict_reader(words)), judging.judges
    verdicts = []
    for result in await judging.each(name, contents, lambda content: ask_step(judging, judge, step, content)):
        if isinstance(result, Failure):
            verdicts.append(Verdict(FAILED, result.reason))
        elif isinstance(result, NotAsked):
            verdicts.append(Verdict(NOT_ASKED, str(result)))
        else:
            verdicts.append(result)
    return verdicts


@asynccontextmanager
async def open_judge(ready: ReadyJudge, say: Say) -> AsyncIterator[Judging]:
    """The judge with its ledger and budget, until the user interrupts."""
    settings, model, halt = ready.settings, ready.model, Halt()
    account = Account(Budget(max_cost=settings.max_cost), ready.price, telling(say, settings.spec))
    pace = Pace(fixed=settings.spec.concurrency, slots=model.slots)
    with Ledger(settings.ledger) as ledger:
        sender = Sender(model, ledger, pace=pace, timeout=settings.spec.timeout, account=account, halt=halt, say=say)
        try:
            with interruptible(halt, [sender], say):
                yield Judging(ready, sender, ledger)
        finally:
            await model.close()
