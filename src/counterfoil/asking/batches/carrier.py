"""Carries asks by a provider's batch interface: gathers them, has them submitted, waits, and collects the replies.

Batches outlive the process: another carrier, later, collects what is still under way.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.asker import Halt, NotAsked
from counterfoil.asking.batches.anthropic import AnthropicBatches
from counterfoil.asking.batches.interface import BatchInterface, Complaint, Line, Look, NotProcessed, NotThere
from counterfoil.asking.batches.openai import OpenAIBatches
from counterfoil.asking.batches.store import Batch, BatchStore
from counterfoil.asking.batches.submitting import Halted, Outbox, Submitter
from counterfoil.asking.budget import NOTHING, Account, Reserved
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.anthropic import AnthropicModel
from counterfoil.asking.models.base import Hopeless, Model, ModelError, ModelUnusable, TryAgain
from counterfoil.asking.models.openai import OpenAIModel

FIRST_LOOK, LONGEST_LOOK, LOOKS_GROW = 2.0, 60.0, 1.5
LINES_AT_ONCE = 500
# An ask without an answer is put into so many batches: three to learn which parameters a model does not take, and one.
MOST_BATCHES = 4
# Both providers have thrown results away by then.
KEPT_SECONDS = 30 * 86_400.0


@dataclass
class Waiting:
    """A batch that is waited for. `left`: its asks of this run that have not ended; `seen`: all its asks that have;
    `done`: how many the provider is done with; `replies`: how many of those seen have a reply.
    """

    batch: int
    left: set[bytes] = field(default_factory=set)
    done: int = 0
    reserved: Reserved = NOTHING
    seen: set[bytes] = field(default_factory=set)
    replies: int = 0
    look_at: float = 0.0
    wait: float = field(default_factory=lambda: FIRST_LOOK)
    is_told: bool = False


class BatchCarrier:
    """The carrier of one model."""

    not_stored: Sequence[str] = ()

    def __init__(
        self, model: Model, ledger: Ledger, *, account: Account, halt: Halt, say: Callable[[str], None]
    ) -> None:
        assert isinstance(model, OpenAIModel | AnthropicModel), "asked for by a name that has batches"
        self.total = 0
        self.stopped: str | None = None
        self.failures: dict[str, Reply] = {}
        self._model = model
        self._ledger = ledger
        self._account = account
        self._halt = halt
        self._say = say
        kind = OpenAIBatches if isinstance(model, OpenAIModel) else AnthropicBatches
        self._interface: BatchInterface = kind(model)
        self._store = BatchStore(ledger.path, self._interface.provider, self._interface.base_url)
        self._submitter = Submitter(self._interface, self._store, ledger.path, model.name, halt)
        self._one_after_another = asyncio.Lock()
        self._started = False
        # What is gathered, and what of the budget is reserved for it.
        self._outbox = Outbox(self._interface)
        self._reserved = NOTHING
        # The asks that were taken and have not ended; the batches that hold them; how many have ended.
        self._taken: set[bytes] = set()
        self._waiting: dict[int, Waiting] = {}
        self._ended = 0
        self._batches_of: dict[bytes, int] = {}
        # Why the model can't be asked any more; whether it is of no use to wait either.
        self._problem: str | None = None
        self._is_unusable = False
        # The provider's queue was full: one batch at a time, and of so many asks.
        self._is_crowded = False
        self._most_asks = self._interface.most_asks
        self._quiet_until = 0.0
        self._has_complained = False
        self._is_left = False

    @property
    def done(self) -> int:
        """Asks that have ended, and asks that the provider is done with."""
        return self._ended + sum(min(waiting.done, len(waiting.left)) for waiting in self._waiting.values())

    @property
    def in_flight(self) -> int:
        return sum(max(0, len(waiting.left) - waiting.done) for waiting in self._waiting.values())

    @property
    def adjustments(self) -> Sequence[str]:
        return self._model.adjustments

    async def take(self, ask: Ask) -> None:
        async with self._one_after_another:
            key = bytes.fromhex(ask.key)
            if self._halt.reason is not None or key in self._taken:
                return
            await self._start()
            self._check()
            reserved = self._account.reserve(ask)
            batch = self._store.batch_of(key)
            if batch is not None:  # it costs nothing more, whatever is left
                self._wait_for(batch, [key], reserved or NOTHING)
            elif reserved is None:
                self._stop(self._account.budget.sentence)
                self._check()
            else:
                await self._add(ask, reserved)
            self._taken.add(key)
            self.total += 1

    async def wait_for_all(self) -> None:
        async with self._one_after_another:
            await self._submit()
            await self._wait()

    async def close(self) -> None:
        self._outbox.close()
        self._store.close()
        await self._interface.close()
        await self._model.close()

    async def _start(self) -> None:
        """Find out what an earlier process left half done, before anything is submitted."""
        if self._started:
            return
        self._started = True
        try:
            if self._store.unsettled():
                await self._submitter.settle()
        except ModelError as error:
            self._stop(str(error))
        except Halted:
            return

    async def _add(self, ask: Ask, reserved: Reserved) -> None:
        line = self._interface.line(ask)
        is_full = len(self._outbox.keys) >= min(self._interface.most_asks, self._most_asks)
        if is_full or (self._outbox.keys and self._outbox.bytes + len(line) > self._interface.most_bytes):
            await self._submit()
            if self.stopped is not None or self._halt.reason is not None:
                self._account.release(reserved)
                self._check()
        self._outbox.add(ask, line)
        self._reserved = self._reserved.plus(reserved)

    async def _submit(self) -> None:
        """Submit what was gathered. Asks that can't be submitted may be taken again, unless `stopped` says why not."""
        if not self._outbox.keys:
            return
        if self._is_crowded:
            await self._wait()
            # Others may have filled the provider's queue: that takes time to become better.
            await self._halt.nap(max(0.0, self._quiet_until - asyncio.get_running_loop().time()))
        outbox, reserved = self._outbox, self._reserved
        self._outbox, self._reserved = Outbox(self._interface), NOTHING
        try:
            # While others were waited for, it may have been learned that it is too large, or of no use.
            too_large = len(outbox.keys) > self._most_asks
            if self._halt.reason is not None or self._problem is not None or too_large:
                raise Halted
            claim = await self._submitter.submit(outbox)
        except (ModelError, Halted) as error:
            if isinstance(error, ModelError):
                self._stop(str(error))
            self._account.release(reserved)
            self._taken.difference_update(outbox.keys)
            self.total -= len(outbox.keys)
            return
        finally:
            outbox.close()
        for key, batch in claim.under_way.items():
            self._wait_for(batch, [key], NOTHING)
        for answered, reply in self._ledger.get([key.hex() for key in claim.answered]).items():
            self._account.found(answered, reply)
        self._end(claim.answered)
        if claim.batch is None:
            self._account.release(reserved)
            return
        self._tell_where(self._wait_for(claim.batch.id, [outbox.keys[i] for i in claim.free], reserved))

    def _wait_for(self, batch: int, keys: Sequence[bytes], reserved: Reserved) -> Waiting:
        """Wait for asks in a batch. What is reserved for them is released when the batch is collected."""
        waiting = self._waiting.setdefault(batch, Waiting(batch))
        waiting.left.update(keys)
        waiting.reserved = waiting.reserved.plus(reserved)
        return waiting

    async def _wait(self) -> None:
        """Look at each batch from time to time, until nothing is left to wait for, or waiting is of no use."""
        for waiting in self._waiting.values():
            if not waiting.is_told:
                self._tell_where(waiting)
        clock = asyncio.get_running_loop().time
        while self._waiting and self._halt.reason is None and not self._is_unusable:
            waiting = min(self._waiting.values(), key=lambda waiting: waiting.look_at)
            await self._halt.nap(max(0.0, waiting.look_at - clock()))
            if self._halt.reason is not None:
                break
            try:
                await self._look_at(waiting)
            except TryAgain as error:
                if not self._has_complained:
                    self._tell(f"{error}: still waiting. Ctrl-C leaves the batches to another run.")
                self._has_complained = True
            except (ModelUnusable, Hopeless) as error:
                self._is_unusable = True
                self._problem = str(error)
            except Halted:
                break
            waiting.look_at = clock() + waiting.wait
            waiting.wait = min(LOOKS_GROW * waiting.wait, LONGEST_LOOK)
        if self._waiting and not self._is_left:
            self._is_left = True
            asks = _number_of_asks(sum(len(waiting.left) for waiting in self._waiting.values()))
            names = ", ".join(map(self._name_of, self._waiting.values()))
            self._tell(
                f"{asks} with {self._interface.provider} in {names}: run the same command again to collect them."
            )
        if self._problem is not None:
            self._stop(self._problem)

    async def _look_at(self, waiting: Waiting) -> None:
        batch = self._store.get(waiting.batch)
        if batch is None or batch.state == "collected":
            # By another process: what has a reply is there, and what has none is taken another time.
            for reply in self._ledger.get([key.hex() for key in waiting.left]).values():
                self._account.count(reply, now=True)
            self._leave(waiting)
        elif batch.batch_id is None:
            await self._submitter.settle()
        else:
            try:
                look = await self._interface.look(batch.batch_id)
                waiting.done = look.done
                if look.ended and look.complaints:
                    await self._note_refusal(waiting, batch, look.complaints)
                elif look.ended:
                    await self._collect(waiting, batch, look)
            except NotThere as error:
                self._note_loss(waiting, batch, error)

    async def _collect(self, waiting: Waiting, batch: Batch, look: Look) -> None:
        """Take in the lines of a batch that has ended. After a download that broke off, those seen are left out."""

        def is_ours() -> bool:
            return batch.is_sure or bool(waiting.seen)

        async for lines in self._lines(look):
            await self._take_in(waiting, batch, lines)
            if not is_ours():
                break
        if not is_ours():
            self._store.disown(batch.id)
            return
        missing = [key for key in self._store.keys(batch.id) if key not in waiting.seen]
        for start in range(0, len(missing), LINES_AT_ONCE):
            await self._take_in(waiting, batch, dict.fromkeys(missing[start : start + LINES_AT_ONCE]))
        await asyncio.to_thread(self._store.mark_collected, batch.id)
        self._leave(waiting)
        others = len(waiting.seen) - waiting.replies
        without = f", and {others:,} asks have none" if others else ""
        self._tell(f"{batch.batch_id} is home: {waiting.replies:,} replies{without}.")
        if look.cancelled and others:
            self._problem = f"{batch.batch_id} was cancelled: run the same command again to submit what is left of it"

    async def _lines(self, look: Look) -> AsyncIterator[dict[bytes, Line]]:
        """The lines by their keys, some at a time; of two for one ask the first."""
        part: dict[bytes, Line] = {}
        async for name, line in self._interface.lines(look):
            try:
                part.setdefault(bytes.fromhex(name), line)
            except ValueError:
                continue
            if len(part) >= LINES_AT_ONCE:
                yield part
                part = {}
        if part:
            yield part

    async def _take_in(self, waiting: Waiting, batch: Batch, lines: Mapping[bytes, Line | None]) -> None:
        """Keep the replies in some lines of a batch. Only the asks of this run are a matter of its account."""
        asks = self._store.asks(batch.id, [key for key in lines if key not in waiting.seen])
        coming: dict[bytes, asyncio.Future[Reply]] = {}
        errors: dict[bytes, ModelError] = {}
        for key, ask in asks.items():
            try:
                if (line := lines[key]) is None:
                    raise NotProcessed("the batch ended without a line for it")
                coming[key] = self._ledger.put(ask, batch.model, self._interface.read(ask, line))
            except ModelError as error:
                errors[key] = error
        replies = dict(zip(coming, await asyncio.gather(*coming.values()), strict=True))
        waiting.seen.update(asks)
        waiting.replies += len(replies)
        for key, ask in asks.items():
            if key not in waiting.left:
                continue
            waiting.left.discard(key)
            self._end([key])
            if key in replies:
                self._account.count(replies[key], now=True, ask=ask)
            else:
                await self._note_error(key, ask, errors[key])

    async def _note_error(self, key: bytes, ask: Ask, error: ModelError) -> None:
        if isinstance(error, TryAgain):
            await self._postpone(key, ask, str(error))
            return
        if isinstance(error, ModelUnusable):
            self._problem = self._problem or str(error)
        await self._fail(ask, str(error), self._batches_of.get(key, 0) + 1)

    async def _postpone(self, key: bytes, ask: Ask, reason: str) -> None:
        times = self._batches_of[key] = self._batches_of.get(key, 0) + 1
        if times >= MOST_BATCHES:
            await self._fail(ask, f"{reason} (in each of {times} batches)", times)
        else:
            self._account.tally.retries += 1

    async def _fail(self, ask: Ask, reason: str, attempts: int) -> None:
        reply = Reply(status="failed", error=reason, attempts=attempts)
        kept = await self._ledger.put(ask, self._model.name, reply)
        if kept.status == "failed":
            self._account.tally.failed += 1
            self.failures[ask.key] = kept

    async def _note_refusal(self, waiting: Waiting, batch: Batch, complaints: Sequence[Complaint]) -> None:
        """A batch that was not accepted: nothing in it was asked, and nothing paid."""
        said = complaints[0].message
        if any(complaint.too_much for complaint in complaints):
            self._slow_down(batch, said)
        elif whole := [complaint.message for complaint in complaints if complaint.line is None]:
            self._problem = f"{self._interface.provider} did not accept {batch.batch_id}: {whole[0]}"
        else:
            more = f", and {len(complaints) - 1:,} more" if len(complaints) > 1 else ""
            self._tell(f"{batch.batch_id} was not accepted: line {complaints[0].line}: {said}{more}.")
            keys = self._store.keys(batch.id)
            reasons = {keys[line - 1]: message for message, line, _ in complaints if line and line <= len(keys)}
            for key, ask in self._store.asks(batch.id, sorted(waiting.left)).items():
                if key in reasons:
                    await self._fail(ask, reasons[key], 1)
                else:
                    await self._postpone(key, ask, "its batch was not accepted")
        await asyncio.to_thread(self._store.mark_collected, batch.id)
        self._leave(waiting)

    def _slow_down(self, batch: Batch, said: str) -> None:
        """The queue has no room for the batch: submit one at a time from now on, and smaller ones if it was alone."""
        if len(self._waiting) == 1:
            if batch.asks == 1:
                self._problem = f"{self._interface.provider} does not take even one ask: {said}"
            self._most_asks = max(1, batch.asks // 2)
            self._quiet_until = asyncio.get_running_loop().time() + LONGEST_LOOK
        if not self._is_crowded:
            self._tell(f"{batch.batch_id} did not fit into the queue ({said}): going on with one batch at a time.")
        self._is_crowded = True

    def _note_loss(self, waiting: Waiting, batch: Batch, error: NotThere) -> None:
        """The provider does not know the batch: it belongs to another account, or is too old."""
        if time.time() - batch.since > KEPT_SECONDS:
            self._store.mark_collected(batch.id)
            self._leave(waiting)
            return
        raise ModelUnusable(
            f"{self._interface.provider} does not know {batch.batch_id}, in which {batch.asks:,} asks are under way: "
            "set the key of the account that submitted it, or name another file with --ledger to ask anew"
        ) from error

    def _leave(self, waiting: Waiting) -> None:
        """Stop waiting for a batch."""
        self._end(waiting.left)
        self._account.release(waiting.reserved)
        del self._waiting[waiting.batch]

    def _end(self, keys: Collection[bytes]) -> None:
        """Count asks that have ended in a batch, or have a reply. Some of them may be taken again."""
        self._taken.difference_update(keys)
        self._ended += len(keys)

    def _name_of(self, waiting: Waiting) -> str:
        batch = self._store.get(waiting.batch)
        return (batch and batch.batch_id) or f"a batch that {self._interface.provider} may or may not have"

    def _tell_where(self, waiting: Waiting) -> None:
        waiting.is_told = True
        self._tell(f"{_number_of_asks(len(waiting.left))} under way in {self._name_of(waiting)}.")

    def _tell(self, sentence: str) -> None:
        self._say(f"{self._model.name}: {sentence}")

    def _stop(self, reason: str) -> None:
        """No more asks to this model; the first reason is the one that is told."""
        if self.stopped is None:
            self.stopped = reason
            self._tell(f"{reason}.")

    def _check(self) -> None:
        reason = self._halt.reason or self.stopped
        if reason is not None:
            raise NotAsked(reason)


def _number_of_asks(number: int) -> str:
    """As the beginning of a sentence."""
    return f"{number:,} ask is" if number == 1 else f"{number:,} asks are"
