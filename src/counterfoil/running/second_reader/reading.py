"""The second reader's part of a pass: rows of the sample wait until it has read their replies."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from counterfoil.asking.ask import Reply
from counterfoil.asking.asker import NotAsked
from counterfoil.errors import UserError
from counterfoil.judging.second_reader import ReadingTask
from counterfoil.judging.step import Failure, ask_step
from counterfoil.progress import Progress
from counterfoil.running.askers import Askers, JudgeAsks, Watched
from counterfoil.running.records import NoParts, Parts
from counterfoil.running.rows import Counts, Item, Judge, ReplyAsks, Reread
from counterfoil.running.sampling import Passing
from counterfoil.suite.outcome import LEFT_OUT, UNREAD
from counterfoil.suite.second_reader import READERS_AGREE, SECOND, SECOND_READING
from counterfoil.suite.suite import AnySuite, Row

_LOG = logging.getLogger(__name__)


class _Waiting(NamedTuple):
    """A row with all that a second reader needs, and its place among the records. Without a reply there is none yet."""

    number: int
    place: int
    row: Row
    item: Item
    reply: Reply | None


class SecondReader:
    """Takes the rows of one pass to the parts. Without a second reader they go there at once.

    A sample is drawn of all rows, also of those whose replies have not come yet: what the second reader is asked does
    not depend on what has come so far.
    """

    def __init__(self, askers: Askers[Any], parts: Parts | NoParts, counts: Sequence[Counts]) -> None:
        request = askers.plan.request
        self._plan = askers.plan
        self._parts = parts
        self._counts = counts
        self._asker = next(iter(askers.second_reader), None)
        self._params = [spec.params for spec in request.second_reader]
        self._sample: Passing[_Waiting] = Passing(request.second_reader_sample, request.seed)

    def put(self, number: int, place: int, row: Row, item: Item, reply: Reply | None = None) -> None:
        """Keep a row, as `Parts.put` does."""
        if self._asker is None:
            self._parts.put(number, place, row)
            return
        question = item.question
        asked = question.unit if self._plan.suite.reread_together else f"{question.id}\0{item.repeat}"
        family = f"{item.model}\0{item.variant.name}\0{asked}"
        self._keep(self._sample.add(family, _Waiting(number, place, row, item, reply)))

    async def read(self) -> None:
        """After the last row: have the sample read, and keep its rows, too."""
        if self._asker is None:
            return
        drawn, others = self._sample.drawn()
        self._keep(others)
        # Always in the same order, so that the same command gives the same figures to the last digit.
        drawn.sort(key=lambda waiting: (waiting.number, waiting.place))
        counted = JudgeAsks(self._asker.account, "second reader", len(drawn))
        watched = [Watched(counted, self._asker, self._asker.account)] if isinstance(self._parts, Parts) else []
        async with Progress(watched).watched(), asyncio.TaskGroup() as group:
            reads = [group.create_task(self._read(waiting)) for waiting in drawn]
        for waiting, read in zip(drawn, map(asyncio.Task.result, reads), strict=True):
            counts = self._counts[waiting.number]
            if waiting.reply is None:
                counts.without_reply.append(waiting.item)
            elif read is not None:
                counts.reread.append(read)
            else:
                counts.not_reread += waiting.row["outcome"] not in LEFT_OUT
        self._keep(drawn)

    def _keep(self, rows: Sequence[_Waiting]) -> None:
        for number, place, row, *_ in rows:
            self._parts.put(number, place, row)

    async def _read(self, waiting: _Waiting) -> Reread | None:
        """Both readings of a reply; None where there is none, or no second reading. Where a reply has no words, or was
        refused, there is nothing to read for either reader.
        """
        row, reply = waiting.row, waiting.reply
        if reply is None or row["outcome"] in LEFT_OUT:
            return None
        if reply.status == "refused" or not reply.text.strip():
            return Reread(row, row, {})
        return await self._asked(waiting.item, reply, row)

    async def _asked(self, item: Item, reply: Reply, row: Row) -> Reread | None:
        """Both readings of a reply; None where the second reader gave none. Its columns are put into the row."""
        assert self._asker is not None
        name = self._asker.model.name
        ask = ReplyAsks({name: Judge(self._asker.model, self._asker, self._params[0])})
        suite = self._plan.suite
        try:
            task: ReadingTask[Any] | None = suite.reading_task(item.question, item.variant, reply)
            if task is None:
                return None
            reading = await ask_step(ask, name, task.step, task.content)
            if isinstance(reading, Failure):
                return None
            scored = suite.score(item.question, self._plan.facts, reading, None)
        except NotAsked:
            return None
        except UserError:
            raise
        except Exception as error:
            if ask.error is not None:  # no matter of this reply: the ledger, or whoever asks
                raise ask.error from None
            _LOG.debug(
                "%s, %s: the suite's code failed on a second reading", item.model, item.question.id, exc_info=error
            )
            return None
        unread = row["outcome"] if row["outcome"] in UNREAD else "out_of_choice"
        common = {name: value for name, value in row.items() if name not in suite.columns}
        read_by = None if reading is None else SECOND
        second = common | dict(item.question.columns) | scored
        second |= {"outcome": unread if reading is None else "answered", "read_by": read_by}
        same = {name: same_value(row.get(name), second.get(name)) for name in suite.read_columns}
        row["judge_keys"] = [*(row.get("judge_keys") or ()), *ask.keys]
        row[SECOND_READING] = said(suite, second)
        row[READERS_AGREE] = all(same.values())
        return Reread(row, second, same)


def said(suite: AnySuite, row: Mapping[str, Any]) -> str:
    """What was read, as text; each part with its name where there are several."""
    parts = {name: _text(row.get(name)) for name in suite.read_columns}
    return "; ".join(parts.values() if len(parts) == 1 else (f"{name}: {text}" for name, text in parts.items()))


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return (", ".join(value) if isinstance(value, list | tuple) else str(value or "")) or "none"


def same_value(one: Any, other: Any) -> bool:
    """Whether two values of a column say the same: the order of a list and the form of a number do not matter."""
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return set(one) == set(other)
    if isinstance(one, str) and isinstance(other, str) and one != other:
        try:
            return Decimal(one) == Decimal(other)
        except InvalidOperation:
            return False
    return bool(one == other)
