"""The asker: takes an ask, gives its reply. One kind sends what the ledger does not hold, one only collects it."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from typing import Protocol

import msgspec

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.budget import Account, Reserved
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.base import Hopeless, Model, ModelUnusable, TimedOut, TryAgain, Unreachable
from counterfoil.asking.pace import Pace

_LOG = logging.getLogger(__name__)

MOST_ATTEMPTS = 8
# Where no connection was ever made, the server is not starting or stumbling: it is not there.
ATTEMPTS_TO_REACH = 2
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
# An ask may take this many times the limit of one attempt, but always ten minutes: rate limits take patience.
ATTEMPTS_PER_ASK, LEAST_ASK_SECONDS = 5, 600.0
# A model that wants no asks for longer than this is asked again in another run.
LONGEST_QUIET = 300.0
FAILURES_IN_A_ROW = 20
# One complaint makes its own ask wait; several without a reply in between are meant for all.
COMPLAINTS_TO_BE_QUIET = 4
RECENT_KEYS = 4_096
# What stands in the way of an ask before its first attempt. It is made once: its words are looked through for keys.
NOT_TRIED = TryAgain("not asked")


class NotAsked(Exception):
    """The ask was not sent: budget, interruption, a model that can't be used, or an asker that only collects."""


class Asker(Protocol):
    """Takes an ask, gives its reply."""

    async def ask(self, ask: Ask, *, looked_up: bool = False) -> Reply:
        """The reply, durable in the ledger; or NotAsked. `looked_up`: a moment ago the ledger did not hold it."""


class Keeper(Protocol):
    """Who keeps replies, as the ledger does."""

    @property
    def is_shared(self) -> bool:
        """Whether others put replies there, too."""
        ...

    def make_sure(self) -> None:
        """UserError where nothing can be kept."""
        ...

    def get(self, keys: Sequence[str]) -> dict[str, Reply]: ...

    def put(self, ask: Ask, model: str, reply: Reply) -> asyncio.Future[Reply]: ...


def find(ask: Ask, ledger: Ledger, account: Account) -> Reply | None:
    """The reply that is in the ledger, counted; None where there is none."""
    reply = ledger.get([ask.key]).get(ask.key)
    if reply is not None:
        account.found(ask.key, reply, ask)
    return reply


class Halt:
    """Tells all askers of a run to stop; naps end at once."""

    def __init__(self) -> None:
        self.reason: str | None = None
        self._event = asyncio.Event()

    def stop(self, reason: str) -> None:
        self.reason = self.reason or reason
        self._event.set()

    async def nap(self, seconds: float) -> None:
        """Sleep, but not past a stop."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._event.wait(), seconds)


@dataclass(eq=False)
class Sender:
    """Asks one model: at its pace, again where that can help, within the budget, each ask once."""

    model: Model
    ledger: Keeper
    _: KW_ONLY
    pace: Pace
    timeout: float
    account: Account
    halt: Halt
    say: Callable[[str], None]
    stopped: str | None = field(default=None, init=False)
    # Why asks are tried again, since the last reply.
    trouble: str | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._under_way: dict[str, asyncio.Future[Reply]] = {}
        self._recent: dict[str, None] = {}
        self._ever_answered = False
        self._failed_in_a_row = 0
        self._complaints_in_a_row = 0
        self._timeouts = 0
        self._waiting_for_budget = 0

    @property
    def in_flight(self) -> int:
        """Asks that are with the model."""
        return self.pace.in_flight - self._waiting_for_budget

    @property
    def places(self) -> int:
        """The largest number of asks at the same time."""
        return self.pace.highest

    @property
    def adjustments(self) -> Sequence[str]:
        """Settings that the model refused, and what was sent instead."""
        return self.model.adjustments

    async def ask(self, ask: Ask, *, looked_up: bool = False) -> Reply:
        """The reply: from the ledger, from the same ask under way, or from the model."""
        under_way = self._under_way.get(ask.key)
        if under_way is not None:
            return await asyncio.shield(under_way)
        if not looked_up or ask.key in self._recent:
            found = self.ledger.get([ask.key])
            if found:
                if ask.key not in self._recent:
                    self.account.found(ask.key, found[ask.key], ask)
                    self._remember(ask.key)
                return found[ask.key]
        under_way = asyncio.get_running_loop().create_future()
        self._under_way[ask.key] = under_way
        try:
            reply = await self._answer(ask)
        except asyncio.CancelledError:
            under_way.cancel()
            raise
        except Exception as error:
            if not isinstance(error, NotAsked):  # the ledger keeps nothing more
                self.halt.stop(str(error))
            under_way.set_exception(error)
            under_way.exception()  # nobody else may be waiting for it
            raise
        finally:
            del self._under_way[ask.key]
        self._remember(ask.key)
        under_way.set_result(reply)
        return reply

    def _remember(self, key: str) -> None:
        """The same ask may come again soon: it was looked up together with this one, or several replies need the same
        verdict. It is neither sent nor counted twice.
        """
        self._recent[key] = None
        if len(self._recent) > RECENT_KEYS:
            del self._recent[next(iter(self._recent))]

    async def _answer(self, ask: Ask) -> Reply:
        """Attempts until there is a reply, or none is to be had; it is durable when it is given.

        The place is held until then: a process that is killed has lost no more replies than it had places.
        """
        clock = asyncio.get_running_loop().time
        give_up_at = 0.0
        attempts = 0
        counted_attempts = 0
        trouble = NOT_TRIED
        while True:
            self._check()
            entered_at = await self.pace.enter()
            reserved = None
            try:
                await self._keep_quiet()
                self._check()
                if give_up_at and clock() > give_up_at:
                    return await self._fail(ask, f"{trouble} (after {attempts} attempts)", attempts)
                reserved = await self._reserve(ask)
                await self._keep_quiet()  # others may have complained while the budget was waited for
                self._check()
                if self.ledger.is_shared and (found := self.ledger.get([ask.key])):
                    self.account.found(ask.key, found[ask.key], ask)
                    return found[ask.key]
                self.ledger.make_sure()
                attempts += 1
                started_at = clock()
                give_up_at = give_up_at or started_at + max(LEAST_ASK_SECONDS, ATTEMPTS_PER_ASK * self.timeout)
                sent = await self.model.send(ask, self.timeout)
                reply = msgspec.structs.replace(sent.reply, attempts=attempts, latency=clock() - started_at)
                self._answered(ask, reply, sent.quiet)
                return await self.ledger.put(ask, self.model.name, reply)
            except TryAgain as error:
                trouble = error
                self._note_trouble(error, entered_at, attempts)
            except Hopeless as error:
                return await self._fail(ask, str(error), attempts)
            except ModelUnusable as error:
                self._stop(str(error))
                return await self._fail(ask, str(error), attempts)
            finally:
                if reserved is not None:
                    self.account.end(reserved)
                self.pace.leave()
            counted_attempts += not trouble.overloaded
            wait = trouble.wait
            if wait is None:
                wait = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempts - 1)) * random.uniform(0.5, 1.5)  # noqa: S311
            if counted_attempts >= MOST_ATTEMPTS or clock() + wait > give_up_at:
                return await self._fail(ask, f"{trouble} (after {attempts} attempts)", attempts)
            self.account.tally.retries += 1
            _LOG.debug("%s: attempt %d: %s; the next in %.1f s", self.model.name, attempts, trouble, wait)
            await self._nap(wait)

    async def _reserve(self, ask: Ask) -> Reserved:
        """A part of the budget for the ask; NotAsked if there is none, even after all asks in flight have ended."""
        self._waiting_for_budget += 1
        try:
            reserved = await self.account.begin(ask, self._check)
        finally:
            self._waiting_for_budget -= 1
        if reserved is None:
            self._stop(self.account.budget.sentence)
            raise NotAsked(self.account.budget.sentence)
        return reserved

    async def _keep_quiet(self) -> None:
        """Wait until the model wants asks again."""
        seconds = self.pace.quiet_left()
        if seconds > 0:
            _LOG.debug("%s: an ask waits %.1f s: the model wants none before", self.model.name, seconds)
            await self._nap(seconds)

    async def _nap(self, seconds: float) -> None:
        """Sleep, but neither past a stop of all nor past one of this model."""
        clock = asyncio.get_running_loop().time
        until = clock() + seconds
        while (left := until - clock()) > 0 and self.stopped is None and self.halt.reason is None:
            await self.halt.nap(min(left, 1.0))

    def _answered(self, ask: Ask, reply: Reply, quiet: float) -> None:
        self._ever_answered, self.trouble = True, None
        self._failed_in_a_row = self._complaints_in_a_row = 0
        self.account.count(reply, now=True, ask=ask)
        self.pace.answered()
        if quiet > 0:
            self._be_quiet(quiet)

    def _note_trouble(self, trouble: TryAgain, entered_at: float, attempts: int) -> None:
        """Slow down, or stop asking a model that is not there."""
        self.trouble = str(trouble)
        if trouble.overloaded or isinstance(trouble, TimedOut):
            self.pace.overloaded(entered_at)
            _LOG.debug("%s: overloaded: at most %d asks at a time", self.model.name, self.pace.limit)
        if trouble.overloaded and trouble.wait is not None:
            self._complaints_in_a_row += 1
            if trouble.wait > LONGEST_QUIET or self._complaints_in_a_row >= COMPLAINTS_TO_BE_QUIET:
                self._be_quiet(trouble.wait)
        if self._ever_answered:
            return
        self._timeouts += isinstance(trouble, TimedOut)
        if isinstance(trouble, Unreachable) and attempts >= ATTEMPTS_TO_REACH:
            self._stop(str(trouble))
        elif self._timeouts >= MOST_ATTEMPTS:
            self._stop(f"it has never answered: {trouble}, {self._timeouts} times")

    def _be_quiet(self, seconds: float) -> None:
        """Leave the model alone, or for good where that is too long to wait."""
        if seconds > LONGEST_QUIET:
            self._stop(f"it wants to be left alone for {seconds:.0f} seconds: run the same command again then")
        else:
            self.pace.be_quiet(seconds)

    async def _fail(self, ask: Ask, reason: str, attempts: int) -> Reply:
        _LOG.debug("%s: an ask failed after %d attempts: %s", self.model.name, attempts, reason)
        self.account.tally.failed += 1
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= FAILURES_IN_A_ROW:
            self._stop(f"{FAILURES_IN_A_ROW} asks failed one after another, the last because {reason}")
        return await self.ledger.put(ask, self.model.name, Reply(status="failed", error=reason, attempts=attempts))

    def _stop(self, reason: str) -> None:
        """No more asks to this model; the first reason is the one that is told."""
        if self.stopped is None and self.halt.reason is None:
            self.stopped = reason
            self.say(f"{self.model.name}: {reason}.")

    def _check(self) -> None:
        reason = self.halt.reason or self.stopped
        if reason is not None:
            raise NotAsked(reason)


@dataclass(eq=False)
class Collector:
    """Asks nobody: hands each ask that has no reply yet to `outbox`."""

    ledger: Ledger
    outbox: Callable[[Ask], None]
    account: Account

    async def ask(self, ask: Ask, *, looked_up: bool = False) -> Reply:
        if not looked_up and (reply := find(ask, self.ledger, self.account)):
            return reply
        self.outbox(ask)
        raise NotAsked("only collected")
