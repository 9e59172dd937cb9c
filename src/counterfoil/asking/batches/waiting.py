"""Waiting for batches, with patience: looking at each from time to time, and collecting those that have ended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.asker import Halt
from counterfoil.asking.batches.collecting import Ended, NotOurs, collect
from counterfoil.asking.batches.interface import BatchInterface, Complaint, Look
from counterfoil.asking.batches.server import NotThere
from counterfoil.asking.batches.store import Batch, BatchStore
from counterfoil.asking.batches.submitting import Halted, Submitter
from counterfoil.asking.budget import Account
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.base import Hopeless, ModelUnusable, TryAgain

FIRST_LOOK, LONGEST_LOOK, LOOKS_GROW = 2.0, 60.0, 1.5
# An ask that was not answered, but may be another time, is in so many batches: three to learn what a model does not
# take, and one.
MOST_BATCHES = 4
# Both providers have thrown results away by then.
KEPT_SECONDS = 30 * 86_400.0


@dataclass
class Waiting:
    """One batch that is waited for; `left` are the asks of this run that have not ended."""

    batch: int
    left: set[bytes] = field(default_factory=set)
    size: int = 0
    done: int = 0
    reserved: tuple[float, float] = (0.0, 0.0)
    seen: set[bytes] = field(default_factory=set)
    replies: int = 0
    look_at: float = 0.0
    wait: float = field(default_factory=lambda: FIRST_LOOK)
    is_told: bool = False


def number_of_asks(number: int) -> str:
    """As the beginning of a sentence."""
    return f"{number:,} ask is" if number == 1 else f"{number:,} asks are"


class WaitingRoom:
    """All batches that one carrier waits for."""

    def __init__(
        self,
        interface: BatchInterface,
        store: BatchStore,
        submitter: Submitter,
        ledger: Ledger,
        *,
        model: str,
        account: Account,
        halt: Halt,
        say: Callable[[str], None],
    ) -> None:
        self.failures: dict[str, Reply] = {}
        # Why the model can't be asked any more, and whether it is of no use to wait either.
        self.problem: str | None = None
        self.is_crowded = False
        self.most_asks = interface.most_asks
        self._is_unusable = False
        self._interface = interface
        self._store = store
        self._submitter = submitter
        self._ledger = ledger
        self._model = model
        self._account = account
        self._halt = halt
        self._say = say
        self._waiting: dict[int, Waiting] = {}
        self._ended: list[bytes] = []
        self._batches_of: dict[bytes, int] = {}
        self._has_complained = False
        self._quiet_until = 0.0
        self._is_left = False

    @property
    def done(self) -> int:
        """Of the asks that are waited for, those that the provider is done with."""
        return len(self._ended) + sum(min(one.done, one.size) for one in self._waiting.values())

    @property
    def in_flight(self) -> int:
        """Those that the provider is not done with."""
        return sum(max(0, one.size - one.done) for one in self._waiting.values())

    @property
    def untold(self) -> list[Waiting]:
        return [one for one in self._waiting.values() if not one.is_told]

    def wait_for(self, batch: int, keys: Sequence[bytes], reserved: tuple[float, float]) -> Waiting:
        """Wait for asks that are in a batch, too; what is reserved is released when it is home."""
        waiting = self._waiting.setdefault(batch, Waiting(batch))
        waiting.left.update(keys)
        waiting.size += len(keys)
        waiting.reserved = (waiting.reserved[0] + reserved[0], waiting.reserved[1] + reserved[1])
        return waiting

    def name_of(self, waiting: Waiting) -> str:
        batch = self._store.get(waiting.batch)
        return (batch and batch.batch_id) or f"a batch that {self._interface.provider} may or may not have"

    async def wait(self) -> list[bytes]:
        """Until nothing is left to wait for, or it is of no use; gives the keys of the asks that have ended."""
        clock = asyncio.get_running_loop().time
        while self._waiting and self._halt.reason is None and not self._is_unusable:
            waiting = min(self._waiting.values(), key=lambda one: one.look_at)
            await self._halt.nap(max(0.0, waiting.look_at - clock()))
            if self._halt.reason is not None:
                break
            try:
                await self._visit(waiting)
            except TryAgain as error:
                if not self._has_complained:
                    self._say(f"{error}: still waiting. Ctrl-C leaves the batches to another run.")
                self._has_complained = True
            except (ModelUnusable, Hopeless) as error:
                self._is_unusable = True
                self.problem = str(error)
            except Halted:
                break
            waiting.look_at = clock() + waiting.wait
            waiting.wait = min(LOOKS_GROW * waiting.wait, LONGEST_LOOK)
        if self._waiting and not self._is_left:
            self._is_left = True
            asks = sum(len(one.left) for one in self._waiting.values())
            names = ", ".join(self.name_of(one) for one in self._waiting.values())
            provider = self._interface.provider
            self._say(f"{number_of_asks(asks)} with {provider} in {names}: run the same command again to collect them.")
        ended, self._ended = self._ended, []
        return ended

    async def until_there_may_be_room(self) -> None:
        """Others may have filled the provider's queue: that takes time to become better."""
        await self._halt.nap(max(0.0, self._quiet_until - asyncio.get_running_loop().time()))

    async def _visit(self, waiting: Waiting) -> None:
        batch = self._store.get(waiting.batch)
        if batch is None or batch.state == "collected":
            self._home_by_others(waiting)
        elif batch.batch_id is None:
            await self._submitter.settle()
        else:
            try:
                look = await self._interface.look(batch.batch_id)
                waiting.done = look.done
                if look.ended:
                    await self._take_home(waiting, batch, look)
            except NotThere as error:
                self._lost(waiting, batch, error)

    async def _take_home(self, waiting: Waiting, batch: Batch, look: Look) -> None:
        if look.complaints:
            await self._refused(waiting, batch, look.complaints)
            return
        try:
            async for part in collect(self._interface, self._store, self._ledger, batch, look, waiting.seen):
                for ended in part:
                    waiting.replies += ended.reply is not None
                    await self._end(waiting, ended)
        except NotOurs:
            self._store.is_not_ours(batch.id)
            return
        await asyncio.to_thread(self._store.collected, batch.id)
        self._leave(waiting)
        others = len(waiting.seen) - waiting.replies
        without = f", and {others:,} asks have none" if others else ""
        self._say(f"{batch.batch_id} is home: {waiting.replies:,} replies{without}.")
        if look.cancelled and others:
            self.problem = f"{batch.batch_id} was cancelled: run the same command again to submit what is left of it"

    async def _end(self, waiting: Waiting, ended: Ended) -> None:
        """Account for one ask. Those of other runs in the same batch are no matter of this one's account."""
        if ended.key not in waiting.left:
            return
        waiting.left.discard(ended.key)
        self._ended.append(ended.key)
        waiting.size -= 1
        if ended.reply is not None:
            self._account.count(ended.reply, now=True)
            return
        assert ended.error is not None
        if isinstance(ended.error, TryAgain):
            await self._another_time(ended.key, ended.ask, str(ended.error))
            return
        if isinstance(ended.error, ModelUnusable):
            self.problem = self.problem or str(ended.error)
        await self._failed(ended.ask, str(ended.error), self._batches_of.get(ended.key, 0) + 1)

    async def _another_time(self, key: bytes, ask: Ask, reason: str) -> None:
        times = self._batches_of[key] = self._batches_of.get(key, 0) + 1
        if times >= MOST_BATCHES:
            await self._failed(ask, f"{reason} (in each of {times} batches)", times)
        else:
            self._account.tally.retries += 1

    async def _failed(self, ask: Ask, reason: str, attempts: int) -> None:
        reply = Reply(status="failed", error=reason, attempts=attempts)
        kept = await self._ledger.put(ask, self._model, reply)
        if kept.status == "failed":
            self._account.tally.failed += 1
            self.failures[ask.key] = kept

    async def _refused(self, waiting: Waiting, batch: Batch, complaints: Sequence[Complaint]) -> None:
        """A batch that was not accepted: nothing in it was asked, and nothing paid."""
        said = complaints[0].message
        if any(one.too_much for one in complaints):
            self._crowded(batch, said)
        elif any(one.line is None for one in complaints):
            said = next(one.message for one in complaints if one.line is None)
            self.problem = f"{self._interface.provider} did not accept {batch.batch_id}: {said}"
        else:
            more = f", and {len(complaints) - 1:,} more" if len(complaints) > 1 else ""
            self._say(f"{batch.batch_id} was not accepted: line {complaints[0].line}: {said}{more}.")
            keys = self._store.keys(batch.id)
            reasons = {keys[one.line - 1]: one.message for one in complaints if one.line and one.line <= len(keys)}
            for key, ask in self._store.asks(batch.id, sorted(waiting.left)).items():
                if key in reasons:
                    await self._failed(ask, reasons[key], 1)
                else:
                    await self._another_time(key, ask, "its batch was not accepted")
        await asyncio.to_thread(self._store.collected, batch.id)
        self._leave(waiting)

    def _crowded(self, batch: Batch, said: str) -> None:
        """No room for it beside what is queued: from now on one at a time, and smaller where it was alone."""
        if len(self._waiting) == 1:
            if batch.asks == 1:
                self.problem = f"{self._interface.provider} does not take even one ask: {said}"
            self.most_asks = max(1, batch.asks // 2)
            self._quiet_until = asyncio.get_running_loop().time() + LONGEST_LOOK
        if not self.is_crowded:
            self._say(f"{batch.batch_id} did not fit into the queue ({said}): going on with one batch at a time.")
        self.is_crowded = True

    def _home_by_others(self, waiting: Waiting) -> None:
        """Another process has collected it: what has a reply is there, and what has none is taken another time."""
        for reply in self._ledger.get([key.hex() for key in waiting.left]).values():
            self._account.count(reply, now=True)
        self._leave(waiting)

    def _lost(self, waiting: Waiting, batch: Batch, error: NotThere) -> None:
        """The provider does not know it: it is another account's, or too old."""
        if time.time() - batch.since > KEPT_SECONDS:
            self._store.collected(batch.id)
            self._leave(waiting)
            return
        raise ModelUnusable(
            f"{self._interface.provider} does not know {batch.batch_id}, in which {batch.asks:,} asks are under way: "
            "set the key of the account that submitted it, or name another file with --ledger to ask anew"
        ) from error

    def _leave(self, waiting: Waiting) -> None:
        self._ended.extend(waiting.left)
        self._account.release(waiting.reserved)
        del self._waiting[waiting.batch]
