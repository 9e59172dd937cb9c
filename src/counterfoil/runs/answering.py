"""From questions to rows, for one model: asks in windows, replies from the ledger or the model, readings, scores."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Any, NamedTuple

from counterfoil.asking.ask import Ask, Message, Reply
from counterfoil.asking.asker import Asker, NotAsked
from counterfoil.asking.budget import Account
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.base import Model
from counterfoil.runs.outcome import Outcome, outcome_of
from counterfoil.runs.records import NoParts, Parts, Window
from counterfoil.runs.suite import Facts, Row, Suite, Variant

# Neighbouring asks that are looked up, sorted and written together: enough for prefix caches, little in memory.
WINDOW = 1_024


class Job(NamedTuple):
    """One record to be: what to ask, and where its row goes."""

    question: Any
    variant: Variant
    repeat: int
    ask: Ask
    found: Reply | None
    window: Window
    position: int


class Judge(NamedTuple):
    """A model that judges, with the parameters it is asked with."""

    model: Model
    asker: Asker
    params: Mapping[str, Any]


@dataclass
class Standing:
    """How far it is, for those who watch."""

    total: int
    outcomes: Counter[tuple[str, Outcome]] = field(default_factory=Counter)

    @property
    def done(self) -> int:
        return self.outcomes.total()


@dataclass
class Answering:
    """All questions, in all variants, of one model."""

    suite: Suite
    facts: Facts
    model: Model
    number: int
    params: Mapping[str, Any]
    variants: Sequence[Variant]
    repeats: int
    asker: Asker
    account: Account
    ledger: Ledger
    judges: Mapping[str, Judge]
    parts: Parts | NoParts
    standing: Standing

    async def answer(self, questions: Iterable[Any], workers: int) -> None:
        """Go through all questions with so many at a time. Every one of them becomes a row."""
        jobs = self._jobs(questions)

        async def work() -> None:
            for job in jobs:
                try:
                    reply = job.found or await self.asker.ask(job.ask, looked_up=True)
                    row = await self._row(job, reply)
                except NotAsked as reason:
                    row = self._common(job, "not_asked", reason=str(reason))
                job.window.put(job.position, row)
                if job.found is not None and job.position % 64 == 0:
                    await asyncio.sleep(0)  # replies from the ledger never wait: let others have their turn

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
        for number in count():
            part = list(islice(to_ask, WINDOW))
            if not part:
                return
            asks = [self.model.ask(self.suite.messages(q, v), self.params, repeat) for q, v, repeat in part]
            found = self.ledger.get([ask.key for ask in asks])
            window = self.parts.window(self.number, number, len(part))
            for position in sorted(range(len(part)), key=lambda i: asks[i].prompt):
                question, variant, repeat = part[position]
                ask = asks[position]
                reply = found.get(ask.key)
                if reply is not None:
                    self.account.count(reply, now=False)
                yield Job(question, variant, repeat, ask, reply, window, position)

    async def _row(self, job: Job, reply: Reply) -> Row:
        if reply.status == "failed":
            return self._common(job, "failed", reason=reply.error)
        reading = None if reply.status == "refused" else self.suite.read(job.question, job.variant, reply)
        verdicts, judge_keys = None, None
        if reading is not None and self.judges:
            ask = _JudgeAsk(self.judges)
            verdicts = await self.suite.judge(job.question, reading, ask)
            judge_keys = ask.keys
        row = self._common(job, outcome_of(reply, reading), reply=reply.text, judge_keys=judge_keys)
        return row | self.suite.score(job.question, self.facts, reading, verdicts)

    def _common(self, job: Job, outcome: Outcome, **more: Any) -> Row:
        self.standing.outcomes[job.variant.name, outcome] += 1
        return {
            "model": self.model.name,
            "variant": job.variant.name,
            "question_id": job.question.id,
            "repeat": job.repeat,
            "cluster": job.question.cluster,
            "outcome": outcome,
            "ask_key": job.ask.key,
            **more,
        }


class _JudgeAsk:
    """Asks the judges about one reply, and remembers which asks that took."""

    def __init__(self, judges: Mapping[str, Judge]) -> None:
        self._judges = judges
        self.judges = tuple(judges)
        self.keys: list[str] = []

    async def __call__(self, judge: str, messages: Sequence[Message]) -> Reply:
        model, asker, params = self._judges[judge]
        ask = model.ask(messages, params, 0)
        self.keys.append(ask.key)
        return await asker.ask(ask)
