"""Carries asks by a provider's batch interface: gathers, submits, waits, collects."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.asker import Halt, NotAsked
from counterfoil.asking.batches.interface import BatchInterface
from counterfoil.asking.batches.outbox import Outbox
from counterfoil.asking.batches.store import BatchStore
from counterfoil.asking.batches.submitting import Halted, Submitter
from counterfoil.asking.batches.waiting import Waiting, WaitingRoom, number_of_asks
from counterfoil.asking.budget import Account
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.anthropic import AnthropicModel
from counterfoil.asking.models.base import Model, ModelError, ModelSpec
from counterfoil.asking.models.openai import OpenAIModel


class BatchCarrier:
    """A carrier for one model. Batches outlive it: another one, later, collects what is still under way."""

    not_stored: Sequence[str] = ()

    def __init__(
        self,
        model: Model,
        spec: ModelSpec,
        ledger: Ledger,
        *,
        account: Account,
        halt: Halt,
        say: Callable[[str], None],
    ) -> None:
        self.total = 0
        self.stopped: str | None = None
        self._model = model
        self._ledger = ledger
        self._account = account
        self._halt = halt
        self._say = say
        self._interface = _interface_of(model)
        self._store = BatchStore(ledger.path, self._interface.provider, self._interface.base_url)
        self._submitter = Submitter(self._interface, self._store, ledger.path, model.name, halt)
        self._room = WaitingRoom(
            self._interface,
            self._store,
            self._submitter,
            ledger,
            model=model.name,
            account=account,
            halt=halt,
            say=self._tell,
        )
        self._outbox = Outbox(self._interface)
        self._reserved = (0.0, 0.0)
        self._taken: set[bytes] = set()
        self._ended = 0
        self._started = False
        self._one_after_another = asyncio.Lock()

    @property
    def done(self) -> int:
        return self._ended + self._room.done

    @property
    def in_flight(self) -> int:
        return self._room.in_flight

    @property
    def adjustments(self) -> Sequence[str]:
        return self._model.adjustments

    @property
    def failures(self) -> dict[str, Reply]:
        return self._room.failures

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
                self._room.wait_for(batch, [key], reserved or (0.0, 0.0))
            elif reserved is None:
                self._stop(self._account.budget.sentence)
                self._check()
            else:
                await self._add(ask, reserved)
            self._taken.add(key)
            self.total += 1

    async def all_home(self) -> None:
        async with self._one_after_another:
            await self._submit()
            await self._wait()

    async def close(self) -> None:
        self._outbox.close()
        self._store.close()
        await self._interface.close()
        await self._model.close()

    async def _start(self) -> None:
        """What an earlier process left half done is found out about before anything is submitted."""
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

    async def _add(self, ask: Ask, reserved: tuple[float, float]) -> None:
        line = self._interface.line(ask)
        is_full = len(self._outbox.keys) >= min(self._interface.most_asks, self._room.most_asks)
        if is_full or (self._outbox.keys and self._outbox.bytes + len(line) > self._interface.most_bytes):
            await self._submit()
            if self.stopped is not None or self._halt.reason is not None:
                self._account.release(reserved)
                self._check()
        self._outbox.add(ask, line)
        self._reserved = (self._reserved[0] + reserved[0], self._reserved[1] + reserved[1])

    async def _submit(self) -> None:
        """Submit what was gathered. What can't be is taken another time, or, where `stopped` says why, never."""
        if not self._outbox.keys:
            return
        if self._room.is_crowded:
            await self._wait()
            await self._room.until_there_may_be_room()
        outbox, reserved = self._outbox, self._reserved
        self._outbox, self._reserved = Outbox(self._interface), (0.0, 0.0)
        try:
            # While others were waited for, it may have been learned that it is too large, or of no use.
            too_large = len(outbox.keys) > self._room.most_asks
            if self._halt.reason is not None or self._room.problem is not None or too_large:
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
            self._room.wait_for(batch, [key], (0.0, 0.0))
        for answered, reply in self._ledger.get([key.hex() for key in claim.answered]).items():
            self._account.found(answered, reply)
        self._end(claim.answered)
        if claim.batch is None:
            self._account.release(reserved)
            return
        waiting = self._room.wait_for(claim.batch.id, [outbox.keys[i] for i in claim.free], reserved)
        self._tell_where(waiting)

    async def _wait(self) -> None:
        """Until all that is waited for has ended, or it is of no use."""
        for waiting in self._room.untold:
            self._tell_where(waiting)
        self._end(await self._room.wait())
        if self._room.problem is not None:
            self._stop(self._room.problem)

    def _end(self, keys: Iterable[bytes]) -> None:
        """They have ended in a batch, or have a reply; some of them may be taken another time."""
        for key in keys:
            self._taken.discard(key)
            self._ended += 1

    def _tell_where(self, waiting: Waiting) -> None:
        waiting.is_told = True
        self._tell(f"{number_of_asks(waiting.size)} under way in {self._room.name_of(waiting)}.")

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


def _interface_of(model: Model) -> BatchInterface:
    if isinstance(model, OpenAIModel):
        from counterfoil.asking.batches.openai import OpenAIBatches

        return OpenAIBatches(model)
    assert isinstance(model, AnthropicModel), "asked for by a name that has batches"
    from counterfoil.asking.batches.anthropic import AnthropicBatches

    return AnthropicBatches(model)
