"""From asks on disk to a batch whose id is known; and what to make of a batch whose id never came.

The intention is stored before the provider hears of it, and the id as soon as it is known. In between, whatever breaks,
the provider is asked whether it has the batch before anything is sent again: nothing is paid for twice.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import BinaryIO, TypeVar

from counterfoil.asking.asker import ATTEMPTS_TO_REACH, MOST_ATTEMPTS, Halt
from counterfoil.asking.batches.interface import BatchInterface
from counterfoil.asking.batches.lock import submitting
from counterfoil.asking.batches.outbox import Outbox
from counterfoil.asking.batches.store import Batch, BatchStore, Claim
from counterfoil.asking.models.base import ModelError, TryAgain, Unreachable

T = TypeVar("T")

FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
# A request that broke off may still be at work on the provider's side: only after so long is a batch that is not in
# its list taken as never made. It is looked for every few seconds until then.
SETTLE_SECONDS, LOOK_SECONDS = 120.0, 10.0


class Halted(Exception):
    """The run was stopped meanwhile."""


class Submitter:
    """Submits batches for one model."""

    def __init__(self, interface: BatchInterface, store: BatchStore, ledger: Path, model: str, halt: Halt) -> None:
        self._interface = interface
        self._store = store
        self._ledger = ledger
        self._model = model
        self._halt = halt
        self._reached = False

    async def submit(self, outbox: Outbox) -> Claim:
        """Submit those of the asks that nobody holds yet, as one batch. Raises Halted, or why it can't be done."""
        async with submitting(self._ledger, self._halt) as held:
            if not held:
                raise Halted
            await self._settle()
            claim = await asyncio.to_thread(self._store.claim, self._model, outbox.keys, outbox.canonicals())
            if claim.batch is not None:
                with outbox.content(claim.free) as content:
                    await self._send(claim.batch, content)
        return claim

    async def settle(self) -> None:
        """Find out about batches whose processes ended before they knew: they are under way, or free again."""
        async with submitting(self._ledger, self._halt) as held:
            if not held:
                raise Halted
            await self._settle()

    async def _settle(self) -> None:
        for batch in self._store.unsettled():
            if batch.state == "claimed" or not await self._is_found(batch):
                self._store.release(batch.id)

    async def _send(self, batch: Batch, content: BinaryIO) -> None:
        """Upload, then make the batch. Where that is hopeless and nothing was made, its asks are free again."""
        try:
            uploaded = await self._patiently(lambda: self._interface.upload(content))
            await self._nap(0.0)  # an upload takes its time: the run may have been halted in it
            attempts = 0
            while not await self._is_posted(batch, content, uploaded):
                attempts += 1
                if attempts >= MOST_ATTEMPTS:
                    raise TryAgain(f"{self._interface.provider} takes no batch, in {attempts} attempts")
        except _InDoubt as error:
            raise error.trouble from None
        except (ModelError, Halted):
            self._store.release(batch.id)
            raise

    async def _is_posted(self, batch: Batch, content: BinaryIO, uploaded: str | None) -> bool:
        """One attempt; False where the provider is known not to have it, and may take it another time."""
        self._store.posting(batch.id)
        try:
            batch_id = await self._interface.create(content, uploaded, batch.token)
        except TryAgain as error:
            if error.overloaded or isinstance(error, Unreachable):
                self._check_reach(error)
                await self._nap(error.wait or LOOK_SECONDS)
                return False
            posted = self._store.get(batch.id)
            assert posted is not None
            try:
                return await self._is_found(posted)
            except (ModelError, Halted) as trouble:
                raise _InDoubt(trouble) from trouble
        self._store.under_way(batch.id, batch_id)
        self._reached = True
        return True

    async def _is_found(self, batch: Batch) -> bool:
        """Whether the provider has a batch that was posted; it is under way then."""
        known = self._store.known_ids(batch.id)
        while True:
            found = await self._patiently(lambda: self._interface.find(batch.token, batch.asks, batch.since, known))
            if found is not None:
                self._store.under_way(batch.id, found.batch_id, is_sure=found.is_sure)
                return True
            left = batch.since + SETTLE_SECONDS - time.time()
            if left <= 0:
                return False
            await self._nap(min(left, LOOK_SECONDS))

    async def _patiently(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """What can be tried again without harm."""
        wait = FIRST_WAIT
        for number in range(1, MOST_ATTEMPTS + 1):
            try:
                result = await attempt()
            except TryAgain as error:
                self._check_reach(error, number)
                if number == MOST_ATTEMPTS:
                    raise
                await self._nap(wait if error.wait is None else min(error.wait, LONGEST_WAIT))
                wait = min(2 * wait, LONGEST_WAIT)
            else:
                self._reached = True
                return result
        raise AssertionError("the last attempt returns or raises")

    def _check_reach(self, error: TryAgain, attempts: int = ATTEMPTS_TO_REACH) -> None:
        """A server that was never there is not waited for."""
        if isinstance(error, Unreachable) and not self._reached and attempts >= ATTEMPTS_TO_REACH:
            raise error

    async def _nap(self, seconds: float) -> None:
        await self._halt.nap(seconds)
        if self._halt.reason is not None:
            raise Halted


class _InDoubt(Exception):
    """It could not be found out whether the provider has the batch: that is left to the next run."""

    def __init__(self, trouble: Exception) -> None:
        self.trouble = trouble
