"""Asking in waves: an ask without a reply is posted, its question waits, and a carrier brings the reply."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Protocol

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.asker import Halt, NotAsked, Sender, find
from counterfoil.asking.budget import Account
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.base import Model

# Asks that wait for a place with a model that is asked from this process.
MOST_WAITING = 256


class Carrier(Protocol):
    """Takes asks to one model and puts their replies into the ledger: a batch interface, a cluster, this process.

    It counts replies in its account, and reserves there before it sends. If the run is halted, `take` does nothing and
    `wait_for_all` gives up waiting; what was sent is not lost by that.
    """

    @property
    def stopped(self) -> str | None:
        """Why the model is not asked any more."""

    @property
    def total(self) -> int:
        """Asks taken, but for those that were given back unasked."""

    @property
    def done(self) -> int:
        """Of them, those that have ended."""

    @property
    def in_flight(self) -> int:
        """Of them, those that are with the model: begun, and not ended."""

    @property
    def failures(self) -> Mapping[str, Reply]:
        """Asks that failed for good, by their keys."""

    @property
    def adjustments(self) -> Sequence[str]:
        """Settings that the model refused, and what was sent instead, for the manifest."""

    @property
    def not_stored(self) -> Sequence[str]:
        """After `close`: what should be stored outside the ledger, too, and is not."""

    async def take(self, ask: Ask) -> None:
        """Send the ask, now or together with others, but not while it is under way. Waits while there is no room.

        NotAsked where it is not sent: no budget, a model that can't be used.
        """

    async def wait_for_all(self) -> None:
        """Until each ask that was taken has ended: in the ledger, or among the failures."""

    async def close(self) -> None:
        """Let go of what was opened."""


@dataclass(eq=False)
class Poster:
    """An asker that gives replies of the ledger and posts other asks. `account` counts what a pass finds there."""

    model: Model
    carrier: Carrier
    ledger: Ledger
    _: KW_ONLY
    account: Account
    halt: Halt
    posted: int = 0
    trouble: ClassVar[str | None] = None  # its carrier says what there is

    @property
    def stopped(self) -> str | None:
        return self.carrier.stopped

    @property
    def in_flight(self) -> int:
        return self.carrier.in_flight

    @property
    def places(self) -> int:
        """One: asks are posted one after another."""
        return 1

    @property
    def adjustments(self) -> Sequence[str]:
        return self.carrier.adjustments

    async def ask(self, ask: Ask, *, looked_up: bool = False) -> Reply:
        """The reply that is in the ledger, or how the ask failed; NotAsked where it was posted, or can't be."""
        if not looked_up and (reply := find(ask, self.ledger, self.account)):
            return reply
        if failed := self.carrier.failures.get(ask.key):
            return failed
        reason = self.halt.reason or self.carrier.stopped
        if reason is None:
            await self.carrier.take(ask)
            self.posted += 1
        raise NotAsked(reason or "its reply has not come yet")


class InThisProcess:
    """A carrier for models that can't be reached otherwise: a sender asks them as in any other run."""

    not_stored: Sequence[str] = ()

    def __init__(self, sender: Sender) -> None:
        self.total = 0
        self.done = 0
        self.failures: dict[str, Reply] = {}
        self._sender = sender
        self._under_way: dict[str, asyncio.Task[None]] = {}
        self._room = asyncio.Semaphore(MOST_WAITING)
        self._error: Exception | None = None

    @property
    def stopped(self) -> str | None:
        return self._sender.stopped

    @property
    def in_flight(self) -> int:
        return self._sender.in_flight

    @property
    def adjustments(self) -> Sequence[str]:
        return self._sender.adjustments

    async def take(self, ask: Ask) -> None:
        await self._room.acquire()
        if self._error is not None:
            raise self._error
        if ask.key in self._under_way:
            self._room.release()
            return
        self.total += 1
        self._under_way[ask.key] = asyncio.create_task(self._send(ask))

    async def wait_for_all(self) -> None:
        while self._under_way:
            await asyncio.wait(list(self._under_way.values()))
        if self._error is not None:
            raise self._error

    async def close(self) -> None:
        await self._sender.model.close()

    async def _send(self, ask: Ask) -> None:
        try:
            reply = await self._sender.ask(ask, looked_up=True)
            self.done += 1
            if reply.status == "failed":
                self.failures[ask.key] = reply
        except NotAsked:  # the sender says why it stopped, and the next pass asks it
            self.total -= 1
        except Exception as error:  # such as a ledger that can't be written: the run must not go on
            self._error = self._error or error
        finally:
            del self._under_way[ask.key]
            self._room.release()
