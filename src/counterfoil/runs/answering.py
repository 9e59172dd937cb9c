"""From questions to rows, for one model: asks in windows, replies from the ledger or the model, readings, scores."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import Any, NamedTuple

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.asker import Asker, NotAsked
from counterfoil.asking.budget import Account
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.base import Model
from counterfoil.runs.records import NoParts, Parts, Window
from counterfoil.runs.rows import Item, Rows
from counterfoil.runs.suite import Variant

# Neighbouring asks that are looked up, sorted and written together: enough for prefix caches, little in memory.
WINDOW = 1_024


class Job(NamedTuple):
    """One record to be: what to ask, and where its row goes."""

    item: Item
    ask: Ask
    found: Reply | None
    window: Window
    position: int


@dataclass
class Answering:
    """All questions, in all variants, of one model. `number` is its place among the models of the run."""

    rows: Rows
    model: Model
    number: int
    params: Mapping[str, Any]
    variants: Sequence[Variant]
    repeats: int
    asker: Asker
    account: Account
    ledger: Ledger
    parts: Parts | NoParts

    async def answer(self, questions: Iterable[Any], workers: int) -> None:
        """Go through all questions with so many at a time. Every one of them becomes a row."""
        jobs = self._jobs(questions)

        async def work() -> None:
            for job in jobs:
                try:
                    reply = job.found or await self.asker.ask(job.ask, looked_up=True)
                    row = await self.rows.of_reply(job.item, reply)
                except NotAsked as reason:
                    row = self.rows.left_out(job.item, "not_asked", str(reason))
                job.window.put(job.position, row)
                # Neither replies from the ledger nor a model that has stopped are waited for: let others have their
                # turn, such as an interruption.
                if row["outcome"] == "not_asked" or (job.found is not None and job.position % 8 == 0):
                    await asyncio.sleep(0)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(work())

    def _jobs(self, questions: Iterable[Any]) -> Iterator[Job]:
        """The jobs, window by window; within one, asks that share a prefix next to each other."""
        to_ask = (
            (question, variant, repeat)
            for variant in self.variants
            for question in questions
            for repeat in range(self.repeats)
        )
        messages = self.rows.suite.messages
        for number in count():
            part = list(islice(to_ask, WINDOW))
            if not part:
                return
            asks = [
                self.model.ask(messages(q, v), self.params, q.asked_before * self.repeats + repeat)
                for q, v, repeat in part
            ]
            found = self.ledger.get([ask.key for ask in asks])
            window = self.parts.window(self.number, number, len(part))
            for position in sorted(range(len(part)), key=lambda i: asks[i].prompt):
                question, variant, repeat = part[position]
                ask = asks[position]
                reply = found.get(ask.key)
                if reply is not None:
                    self.account.found(ask.key, reply)
                item = Item(self.model.name, variant, question, repeat, ask.key)
                yield Job(item, ask, reply, window, position)
