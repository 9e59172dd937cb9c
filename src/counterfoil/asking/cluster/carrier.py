"""Carries the asks of one model to the workers of a cluster, and their replies to the one ledger."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.asker import Halt, NotAsked
from counterfoil.asking.budget import Account, Reserved
from counterfoil.asking.cluster.connection import Cluster, first_line
from counterfoil.asking.cluster.crew import Crew
from counterfoil.asking.cluster.shards import absolute, write_from_ledger
from counterfoil.asking.cluster.worker import Delivery, Job
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.base import Model, ModelSpec
from counterfoil.asking.models.providers import provider_of

FAR_AWAY = 3_600.0


@dataclass(eq=False)
class ClusterCarrier:
    """The carrier of one model. It takes as many asks as the workers hold."""

    model: Model
    spec: ModelSpec
    ledger: Ledger
    cluster: Cluster
    account: Account
    halt: Halt
    say: Callable[[str], None]

    def __post_init__(self) -> None:
        self.stopped: str | None = None
        self.total = 0
        self.done = 0
        self.failures: dict[str, Reply] = {}
        self.not_stored: list[str] = []
        self._adjustments: list[str] = []
        self._under_way: dict[str, Ask] = {}
        self._reserved: dict[str, Reserved] = {}
        self._all_ended = asyncio.Event()
        self._error: BaseException | None = None
        shards = self.cluster.settings.shards
        self._shards = absolute(shards) if shards is not None else None
        probe = self.model.ask((), {}, 0)
        self._crew = Crew(
            self.cluster,
            Job(spec=_portable(self.spec), name=self.model.name, probe=probe, shards=self._shards),
            in_process=provider_of(self.spec.name).kind == "weights",
            receive=self._receive,
            stop=self._stop,
            broken=self._break,
            tell=self._tell,
        )
        self._watching = asyncio.create_task(self._watch())

    @property
    def in_flight(self) -> int:
        return self._crew.in_flight

    @property
    def adjustments(self) -> list[str]:
        return [*self._adjustments, *self.not_stored]

    async def take(self, ask: Ask) -> None:
        while not self._crew.has_room and not self._is_over:
            await self._crew.wait_for_room()
        self._check()
        # The ledger was asked some time ago: since then, the same ask may have been taken or answered for another.
        if ask.key in self._under_way or self.ledger.get([ask.key]):
            return
        reserved = await self.account.begin(ask, self._check)
        if reserved is None:
            self._take_no_more(self.account.budget.sentence)
            raise NotAsked(self.account.budget.sentence)
        if ask.key in self._under_way:  # taken for another while the budget was waited for
            self.account.end(reserved)
            return
        self.total += 1
        self._under_way[ask.key] = ask
        self._reserved[ask.key] = reserved
        self._crew.post(ask)

    async def wait_for_all(self) -> None:
        while self._under_way and self._error is None:
            self._all_ended.clear()
            await self._all_ended.wait()
        if self._error is not None:
            raise self._error

    async def close(self) -> None:
        self._watching.cancel()
        await self._crew.close()
        await self.model.close()
        if self._shards is not None and self._crew.unwritten:
            await self._write_rest(self._shards, self._crew.unwritten)

    async def _receive(self, delivery: Delivery) -> None:
        """Keep what has come. An ask has ended when its reply is durable."""
        if delivery.stopped is not None:
            self._stop(delivery.stopped)
        if delivery.adjustments:
            self._adjustments = delivery.adjustments
        coming = []
        for key, reply in delivery.replies:
            self.account.tally.retries += reply.attempts - 1
            if reply.status == "failed":
                self.account.tally.failed += 1
            else:
                self.account.count(reply, now=True, ask=self._under_way[key])
            coming.append((key, self.ledger.put(self._under_way[key], self.model.name, reply)))
        if self.account.budget.is_used_up:
            self._stop(self.account.budget.sentence)
        for key, kept in coming:
            reply = await kept
            if reply.status == "failed":
                self.failures[key] = reply
            self.done += 1
            self._release(key)
        self._drop(delivery.unasked)

    def _drop(self, keys: Iterable[str]) -> None:
        """Forget asks that were not sent."""
        for key in keys:
            self.total -= 1
            self._release(key)

    def _release(self, key: str) -> None:
        del self._under_way[key]
        self._free(key)
        if not self._under_way:
            self._all_ended.set()

    def _free(self, key: str) -> None:
        if key in self._reserved:
            self.account.end(self._reserved.pop(key))

    async def _watch(self) -> None:
        """Halt the workers when the run is halted."""
        while self.halt.reason is None:
            await self.halt.nap(FAR_AWAY)
        self._halt_all()

    def _take_no_more(self, reason: str) -> None:
        """Take no more asks; those taken are still asked. The user is told the first reason."""
        if not self._is_over:
            self.stopped = reason
            self._tell(reason)

    def _stop(self, reason: str) -> None:
        """Send no more asks to this model."""
        self._take_no_more(reason)
        self._halt_all()

    def _break(self, error: BaseException) -> None:
        self._error = self._error or error
        self._halt_all()
        self._all_ended.set()
        for key in self._under_way:  # other models must not wait for a budget that is never freed
            self._free(key)

    def _halt_all(self) -> None:
        self._drop(self._crew.halt())

    async def _write_rest(self, place: str, keys: Collection[str]) -> None:
        """Write replies of the ledger that workers did not write to shards."""
        left = f"{len(keys):,} replies" if len(keys) > 1 else "1 reply"
        try:
            await asyncio.to_thread(write_from_ledger, place, self.ledger.path, keys)
        except Exception as error:  # each storage has errors of its own
            lacking = f"{left} could not be written to shards at {place} ({first_line(error)})"
            self.not_stored.append(lacking)
            self._tell(
                f"{lacking}: they are in the ledger, and `counterfoil ledger export --to FILE` writes them to a file "
                "that `counterfoil ledger import` takes in"
            )
        else:
            self._tell(f"{left} that workers had not written to shards were written from here")

    def _tell(self, sentence: str) -> None:
        self.say(f"{self.model.name}: {sentence}.")

    @property
    def _is_over(self) -> bool:
        return self._error is not None or self.stopped is not None or self.halt.reason is not None

    def _check(self) -> None:
        if self._error is not None:
            raise self._error
        reason = self.halt.reason or self.stopped
        if reason is not None:
            raise NotAsked(reason)


def _portable(spec: ModelSpec) -> ModelSpec:
    """The model as a worker in another folder finds it: weights by their full path."""
    if provider_of(spec.name).kind == "weights" and spec.rest and Path(spec.rest).exists():
        return msgspec.structs.replace(spec, name=f"{spec.provider}/{Path(spec.rest).absolute()}")
    return spec
