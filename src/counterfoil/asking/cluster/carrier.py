"""Takes the asks of one model to the workers of a cluster, and their replies home to the one ledger."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from pathlib import Path

import msgspec

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.asker import Halt, NotAsked
from counterfoil.asking.budget import Account, Reserved
from counterfoil.asking.cluster.connection import Cluster, first_line
from counterfoil.asking.cluster.crew import Crew
from counterfoil.asking.cluster.shards import absolute, write_from_ledger
from counterfoil.asking.cluster.worker import Home, Job
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.base import Model, ModelSpec
from counterfoil.asking.models.providers import provider_of

FAR_AWAY = 3_600.0


class _Taken(msgspec.Struct):
    ask: Ask
    reserved: Reserved | None


class ClusterCarrier:
    """The carrier of one model. What is under way is bounded by what the workers hold."""

    def __init__(
        self,
        model: Model,
        spec: ModelSpec,
        ledger: Ledger,
        *,
        cluster: Cluster,
        account: Account,
        halt: Halt,
        say: Callable[[str], None],
    ) -> None:
        self.stopped: str | None = None
        self.total = 0
        self.done = 0
        self.failures: dict[str, Reply] = {}
        self.not_stored: list[str] = []
        self._adjustments: list[str] = []
        self._model = model
        self._ledger = ledger
        self._account = account
        self._halt = halt
        self._say = say
        self._under_way: dict[str, _Taken] = {}
        self._all_ended = asyncio.Event()
        self._error: BaseException | None = None
        shards = cluster.settings.shards
        self._shards = absolute(shards) if shards is not None else None
        self._crew = Crew(
            cluster,
            Job(
                spec=_there(spec),
                name=model.name,
                probe=model.ask((), {}, 0),
                shards=self._shards,
            ),
            in_process=provider_of(spec.name).kind == "weights",
            bring=self._bring,
            stop=self._stop,
            broken=self._break,
            say=lambda sentence: say(f"{model.name}: {sentence}."),
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
        # The question was looked up some time ago: the same ask may have been taken, or answered, for another since.
        if ask.key in self._under_way or self._ledger.get([ask.key]):
            return
        reserved = await self._account.begin(ask, self._check)
        if reserved is None:
            self._take_no_more(self._account.budget.sentence)
            raise NotAsked(self._account.budget.sentence)
        if ask.key in self._under_way:  # taken for another while the budget was waited for
            self._account.end(reserved)
            return
        self.total += 1
        self._under_way[ask.key] = _Taken(ask, reserved)
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
        await self._model.close()
        if self._shards is not None and self._crew.unwritten:
            await self._write_what_is_left(self._shards, self._crew.unwritten)

    async def _bring(self, home: Home) -> None:
        """Keep what has come; an ask has ended when its reply is durable."""
        if home.stopped is not None:
            self._stop(home.stopped)
        if home.adjustments:
            self._adjustments = home.adjustments
        coming = []
        for key, reply in home.replies:
            self._count(reply)
            coming.append((key, self._ledger.put(self._under_way[key].ask, self._model.name, reply)))
        if self._account.budget.is_used_up:
            self._stop(self._account.budget.sentence)
        for key, kept in coming:
            reply = await kept
            if reply.status == "failed":
                self.failures[key] = reply
            self._end(key)
        for key in home.unasked:
            self._give_back(key)

    def _count(self, reply: Reply) -> None:
        self._account.tally.retries += reply.attempts - 1
        if reply.status == "failed":
            self._account.tally.failed += 1
        else:
            self._account.count(reply, now=True)

    def _end(self, key: str) -> None:
        self.done += 1
        self._let_go(key)

    def _give_back(self, key: str) -> None:
        """It was not asked."""
        self.total -= 1
        self._let_go(key)

    def _let_go(self, key: str) -> None:
        self._free(self._under_way.pop(key))
        if not self._under_way:
            self._all_ended.set()

    def _free(self, taken: _Taken) -> None:
        if taken.reserved is not None:
            self._account.end(taken.reserved)
            taken.reserved = None

    async def _watch(self) -> None:
        """When the run is halted, so are the workers."""
        while self._halt.reason is None:
            await self._halt.nap(FAR_AWAY)
        self._halt_all()

    def _take_no_more(self, reason: str) -> None:
        """What was taken is still asked; the first reason is the one that is told."""
        if not self._is_over:
            self.stopped = reason
            self._say(f"{self._model.name}: {reason}.")

    def _stop(self, reason: str) -> None:
        """No more asks to this model."""
        self._take_no_more(reason)
        self._halt_all()

    def _break(self, error: BaseException) -> None:
        self._error = self._error or error
        self._halt_all()
        self._all_ended.set()
        for taken in self._under_way.values():  # others must not wait for what may never end
            self._free(taken)

    def _halt_all(self) -> None:
        for key in self._crew.halt():
            self._give_back(key)

    async def _write_what_is_left(self, place: str, keys: Collection[str]) -> None:
        """Write to a shard what workers took with them, or could not write: the ledger has it."""
        left = f"{len(keys):,} replies" if len(keys) > 1 else "1 reply"
        try:
            await asyncio.to_thread(write_from_ledger, place, self._ledger.path, keys)
        except Exception as error:  # each storage has errors of its own
            lacking = f"{left} could not be written to shards at {place} ({first_line(error)})"
            self.not_stored.append(lacking)
            self._say(
                f"{self._model.name}: {lacking}: they are in the ledger, and `counterfoil ledger export --to FILE` "
                "writes them to a file that `counterfoil ledger import` takes in."
            )
        else:
            self._say(f"{self._model.name}: {left} that workers had not written to shards were written from here.")

    @property
    def _is_over(self) -> bool:
        return self._error is not None or self.stopped is not None or self._halt.reason is not None

    def _check(self) -> None:
        if self._error is not None:
            raise self._error
        reason = self._halt.reason or self.stopped
        if reason is not None:
            raise NotAsked(reason)


def _there(spec: ModelSpec) -> ModelSpec:
    """The model for who works in another folder: weights by their full path."""
    if provider_of(spec.name).kind == "weights" and spec.rest and Path(spec.rest).exists():
        return msgspec.structs.replace(spec, name=f"{spec.provider}/{Path(spec.rest).absolute()}")
    return spec
