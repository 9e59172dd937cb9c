"""Submits asks as a batch, and finds out about a batch whose id never came.

The intention is stored before the provider hears of it, and the id as soon as it is known. In between, whatever breaks,
the provider is asked whether it has the batch before anything is sent again: nothing is paid for twice.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeVar

from counterfoil.asking.ask import Ask
from counterfoil.asking.asker import ATTEMPTS_TO_REACH, MOST_ATTEMPTS, Halt
from counterfoil.asking.batches.interface import BatchInterface
from counterfoil.asking.batches.store import Batch, BatchStore, Claim
from counterfoil.asking.ledger.file import explained
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
    """Asks that wait to be submitted together, and their lines. They are on disk, since a whole batch may be large, in
    files without names, which vanish with the process.
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
                separator = b""
                for position, line in enumerate(self._lines):
                    if position in wanted:
                        file.write(separator + line.removesuffix(b"\n"))
                        separator = self._interface.between
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


@dataclass
class Submitter:
    """Submits batches for one model."""

    interface: BatchInterface
    store: BatchStore
    ledger: Path
    model: str
    halt: Halt
    # Whether the server was ever there.
    _is_reached: bool = False

    async def submit(self, outbox: Outbox) -> Claim:
        """Submit those of the asks that nobody holds yet, as one batch. Raises Halted, or why it can't be done."""
        async with self._lock():
            await self._settle()
            claim = await asyncio.to_thread(self.store.claim, self.model, outbox.keys, outbox.canonicals())
            if claim.batch is not None:
                with outbox.content(claim.free) as content:
                    await self._send(claim.batch, content)
        return claim

    async def settle(self) -> None:
        """Find out about batches whose processes ended before they knew: they are under way, or free again."""
        async with self._lock():
            await self._settle()

    @asynccontextmanager
    async def _lock(self) -> AsyncIterator[None]:
        """One process at a time submits with a ledger: its holder knows that a half-made batch is nobody's any more."""
        await self._nap(0.0)
        with explained(self.ledger):
            while (lock := take_lock(self.ledger.with_name(f"{self.ledger.name}-submitting"))) is None:
                await self._nap(LOCK_SECONDS)
        try:
            yield
        finally:
            lock.release()

    async def _settle(self) -> None:
        for batch in self.store.unsettled():
            if batch.state == "claimed" or not await self._is_found(batch.id):
                self.store.release(batch.id)

    async def _send(self, batch: Batch, content: BinaryIO) -> None:
        """Upload, then make the batch. If that fails, its asks are free again, unless the provider may have the batch:
        then the next run finds out.
        """
        is_in_doubt = False
        try:
            uploaded = await self._retry(lambda: self.interface.upload(content))
            await self._nap(0.0)  # an upload takes its time: the run may have been halted in it
            for _ in range(MOST_ATTEMPTS):
                self.store.mark_posting(batch.id)
                try:
                    batch_id = await self.interface.create(content, uploaded, batch.token)
                except TryAgain as error:
                    if error.overloaded or isinstance(error, Unreachable):
                        self._check_reach(error)
                        await self._nap(error.wait or LOOK_SECONDS)
                        continue
                    is_in_doubt = True
                    if await self._is_found(batch.id):
                        return
                    is_in_doubt = False
                else:
                    self.store.mark_under_way(batch.id, batch_id)
                    self._is_reached = True
                    return
            raise TryAgain(f"{self.interface.provider} takes no batch, in {MOST_ATTEMPTS} attempts")
        except (ModelError, Halted):
            if not is_in_doubt:
                self.store.release(batch.id)
            raise

    async def _is_found(self, number: int) -> bool:
        """Whether the provider has a batch that was posted; it is under way then."""
        batch = self.store.get(number)
        assert batch is not None
        known = self.store.known_ids(batch.id)
        while True:
            batch_id = await self._retry(lambda: self.interface.find(batch.token, batch.asks, batch.since, known))
            if batch_id is not None:
                self.store.mark_under_way(batch.id, batch_id, is_sure=self.interface.is_sure)
                return True
            left = batch.since + SETTLE_SECONDS - time.time()
            if left <= 0:
                return False
            await self._nap(min(left, LOOK_SECONDS))

    async def _retry(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """The result of what can be tried again without harm."""
        attempts, wait = 0, FIRST_WAIT
        while True:
            attempts += 1
            try:
                result = await attempt()
            except TryAgain as error:
                self._check_reach(error, attempts)
                if attempts == MOST_ATTEMPTS:
                    raise
                await self._nap(wait if error.wait is None else min(error.wait, LONGEST_WAIT))
                wait = min(2 * wait, LONGEST_WAIT)
            else:
                self._is_reached = True
                return result

    def _check_reach(self, error: TryAgain, attempts: int = ATTEMPTS_TO_REACH) -> None:
        """A server that was never there is not waited for."""
        if isinstance(error, Unreachable) and not self._is_reached and attempts >= ATTEMPTS_TO_REACH:
            raise error

    async def _nap(self, seconds: float) -> None:
        """Sleep. Raises Halted where the run is stopped."""
        await self.halt.nap(seconds)
        if self.halt.reason is not None:
            raise Halted
