"""From a reply to a row of records.parquet: read, judge, score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from counterfoil.asking.ask import Message, Reply
from counterfoil.asking.asker import Asker, NotAsked
from counterfoil.asking.models.base import Model
from counterfoil.suite.imports import Imported
from counterfoil.suite.outcome import Outcome, outcome_of
from counterfoil.suite.suite import AnySuite, Row, Variant


class Judge(NamedTuple):
    """A model that judges, with the parameters it is asked with."""

    model: Model
    asker: Asker
    params: Mapping[str, Any]


class Item(NamedTuple):
    """What a record is about: model, variant, question and repeat."""

    model: str
    variant: Variant
    question: Any
    repeat: int
    ask_key: str | None


@dataclass
class Counts:
    """How many records ended how. `unjudged`: replies that a judge could not be asked about."""

    total: int
    outcomes: Counter[tuple[str, str, Outcome]] = field(default_factory=Counter)
    unjudged: int = 0

    @property
    def done(self) -> int:
        return self.outcomes.total()


@dataclass
class Rows:
    """Makes the rows of records, and counts their outcomes."""

    suite: AnySuite
    facts: Any
    judges: Mapping[str, Judge]
    counts: Counts

    async def of_reply(self, item: Item, reply: Reply, imported: Imported | None = None) -> Row:
        """A reply's row. A reading that came with it, from elsewhere, takes the place of our own; verdicts that came
        with it stay beside those of the judges of this run.
        """
        if reply.status == "failed":
            return self.left_out(item, "failed", reply.error)
        if imported is not None and (imported.was_read or imported.reading is not None):
            reading = imported.reading
        else:
            reading = self._read(item, reply)
        verdicts = None if imported is None else imported.verdicts
        judge_keys = None
        if reading is not None and self.judges:
            ask = _JudgeAsk(self.judges)
            with suppress(NotAsked):
                asked = await self.suite.judge(item.question, reading, ask)
                verdicts = asked if verdicts is None else verdicts | asked
            self.counts.unjudged += ask.missed or getattr(verdicts, "failed", False)
            judge_keys = ask.keys
        return self._scored(item, reply, reading, verdicts, judge_keys)

    def of_reply_alone(self, item: Item, reply: Reply) -> Row:
        """A reply's row without judges. It waits for nothing."""
        if reply.status == "failed":
            return self.left_out(item, "failed", reply.error)
        return self._scored(item, reply, self._read(item, reply), None, None)

    def _read(self, item: Item, reply: Reply) -> Any | None:
        """The reading of a reply; None where a filter removed it."""
        return None if reply.status == "refused" else self.suite.read(item.question, item.variant, reply)

    def left_out(self, item: Item, outcome: Outcome, reason: str | None) -> Row:
        """The row of a question that has no reply."""
        return self._common(item, outcome) | {"reason": reason}

    def _scored(
        self, item: Item, reply: Reply, reading: Any | None, verdicts: Any | None, judge_keys: list[str] | None
    ) -> Row:
        row = self._common(item, outcome_of(reply, reading))
        row |= {"reply": reply.text, "judge_keys": judge_keys}
        return row | self.suite.score(item.question, self.facts, reading, verdicts)

    def _common(self, item: Item, outcome: Outcome) -> Row:
        self.counts.outcomes[item.model, item.variant.name, outcome] += 1
        return {
            "model": item.model,
            "variant": item.variant.name,
            "question_id": item.question.id,
            "repeat": item.repeat,
            "cluster": item.question.cluster,
            "outcome": outcome,
            "ask_key": item.ask_key,
            **item.question.columns,
        }


class _JudgeAsk:
    """Asks the judges about one reply, and remembers which asks that took."""

    def __init__(self, judges: Mapping[str, Judge]) -> None:
        self._judges = judges
        self.judges = tuple(judges)
        self.keys: list[str] = []
        self.missed = False

    async def __call__(self, judge: str, messages: Sequence[Message]) -> Reply:
        model, asker, params = self._judges[judge]
        ask = model.ask(messages, params, 0)
        self.keys.append(ask.key)
        try:
            reply = await asker.ask(ask)
        except NotAsked:
            self.missed = True
            raise
        self.missed = self.missed or reply.status == "failed"
        return reply
