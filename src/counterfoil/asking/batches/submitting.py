"""From asks on disk to a batch whose id is known; and what to make of a batch whose id never came.

The intention is stored before the provider hears of it, and the id as soon as it is known. In between, whatever breaks,
the provider is asked whether it has the batch before anything is sent again: nothing is paid for twice.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import BinaryIO, TypeVar

from counterfoil.asking.ask import Ask
from counterfoil.asking.asker import ATTEMPTS_TO_REACH, MOST_ATTEMPTS, Halt
from counterfoil.asking.batches.interface import BatchInterface
from counterfoil.asking.batches.store import Batch, BatchStore, Claim
from counterfoil.asking.ledger_file import explained
from counterfoil.asking.models.base import ModelError, TryAgain, Unreachable
from counterfoil.errors import UserError
from counterfoil.files import take_lock

T = TypeVar("T")

FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
# A request that broke off may still be at work on the provider's side: only after so long is a batch that is not in
# its list taken as never made. It is looked for every few seconds until then.
SETTLE_SECONDS, LOOK_SECONDS = 120.0, 10.0
# How often it is tried whether another process has done with submitting.
LOCK_SECONDS = 0.2


class Halted(Exception):
    """The run was stopped meanwhile."""


class Outbox:
    """Asks that wait to be submitted together, and their lines. They are on disk: memory should not hold a whole batch.

    Its files have no names: they vanish with the process.
    """

    def __init__(self, interface: BatchInterface) -> None:
        self.keys: list[bytes] = []
        self.bytes = 0
        self._interface = interface
        with _explained():
            self._lines = tempfile.TemporaryFile()  # noqa: SIM115
            self._asks = tempfile.TemporaryFile()  # noqa: SIM115

    def add(self, ask: Ask, line: bytes) -> None:
        """One more; JSON has no line breaks in it, so that each is a line."""
        with _explained():
            self._lines.write(line + b"\n")
            self._asks.write(ask.canonical.encode() + b"\n")
        self.keys.append(bytes.fromhex(ask.key))
        self.bytes += len(line) + len(self._interface.between)

    def canonicals(self) -> Iterator[str]:
        """The asks, in the order they were added."""
        self._asks.seek(0)
        for line in self._asks:
            yield line.decode().removesuffix("\n")

    @contextmanager
    def content(self, chosen: Sequence[int]) -> Iterator[BinaryIO]:
        """What is submitted: the lines at these positions, ascending, as the provider wants them."""
        wanted = set(chosen)
        with tempfile.TemporaryFile() as file:
            with _explained():
                self._lines.seek(0)
                file.write(self._interface.head)
                first = True
                for position, line in enumerate(self._lines):
                    if position in wanted:
                        file.write((b"" if first else self._interface.between) + line.removesuffix(b"\n"))
                        first = False
                file.write(self._interface.tail)
                file.flush()
            yield file

    def close(self) -> None:
        self._lines.close()
        self._asks.close()


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(
            f"A batch can't be written to {tempfile.gettempdir()}: {error.strerror}. "
            "Make room there, or name another folder with the variable TMPDIR."
        ) from error


@asynccontextmanager
async def _submitting(ledger: Path, halt: Halt) -> AsyncIterator[None]:
    """One process at a time submits with a ledger: its holder knows that a half-made batch is nobody's any more.

    Raises Halted where the run is stopped before the lock is free.
    """
    while halt.reason is None:
        with explained(ledger):
            lock = take_lock(ledger.with_name(f"{ledger.name}-submitting"))
        if lock is None:
            await halt.nap(LOCK_SECONDS)
            continue
        try:
            yield
        finally:
            lock.release()
        return
    raise Halted


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
        async with _submitting(self._ledger, self._halt):
            await self._settle()
            claim = await asyncio.to_thread(self._store.claim, self._model, outbox.keys, outbox.canonicals())
            if claim.batch is not None:
                with outbox.content(claim.free) as content:
                    await self._send(claim.batch, content)
        return claim

    async def settle(self) -> None:
        """Find out about batches whose processes ended before they knew: they are under way, or free again."""
        async with _submitting(self._ledger, self._halt):
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
