"""The workers of one model as the run sees them: started, given asks, heard, replaced where they die."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import msgspec

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.cluster.connection import Cluster, first_line
from counterfoil.asking.cluster.worker import Delivery, Job, Ready, Worker

# Asks that go to a worker in one message.
CHUNK = 32
# A worker holds the asks in flight and as many again; more only where replies come faster than messages.
MOST_OF_A_WORKER = 4_096
# Messages of all workers together, however many they are.
MESSAGES_PER_SECOND = 100
# Seconds between two looks at the nodes, which come and go.
LOOK_SECONDS = 5.0
# So many looks without a worker, and the user is told.
LOOKS_BEFORE_A_WORD = 6
# A worker that runs a model itself makes room for others after so long without an ask.
IDLE_SECONDS = 3.0
# An ask that was with so many workers when they died has killed them.
MOST_DEATHS_OF_AN_ASK = 3
# So many workers in a row may die without a reply.
MOST_IN_VAIN = 5
# Time to end what workers have begun to write: storage can be slow.
CLOSE_SECONDS = 60.0


@dataclass(eq=False)
class Member:
    """One worker. `asks` are with it, at the most `most` (none until it is up); it asks `limit` of them at a time.

    `unwritten`: keys of replies that no shard has yet.
    """

    actor: Any
    asks: dict[str, Ask] = field(default_factory=dict)
    unwritten: set[str] = field(default_factory=set)
    places: int = 0
    most: int = 0
    limit: int = 0
    has_answered: bool = False


@dataclass(eq=False)
class Crew:
    """As many workers as the cluster has seats for.

    `receive` gets what has ended, `stop` the reason why nothing more can be asked, `broken` an unforeseen error,
    `tell` a sentence for the user, without its point.
    """

    cluster: Cluster
    job: Job
    in_process: bool
    receive: Callable[[Delivery], Coroutine[Any, Any, None]]
    stop: Callable[[str], None]
    broken: Callable[[BaseException], None]
    tell: Callable[[str], None]

    def __post_init__(self) -> None:
        # Keys of replies that no worker will write to a shard.
        self.unwritten: set[str] = set()
        self._members: list[Member] = []
        self._waiting: deque[Ask] = deque()
        self._deaths: Counter[str] = Counter()
        self._told: set[str] = set()
        self._in_vain = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._look = asyncio.Event()
        self._room = asyncio.Event()
        self._soon: asyncio.TimerHandle | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._is_halted = False

    @property
    def has_room(self) -> bool:
        """Whether another ask can be posted. While many wait for a worker, none can."""
        return len(self._waiting) < 2 * CHUNK

    @property
    def in_flight(self) -> int:
        """Asks that workers have begun and not reported as ended."""
        return sum(min(len(member.asks), member.limit) for member in self._members)

    async def wait_for_room(self) -> None:
        """Wait until there is room, or the crew is halted."""
        self._room.clear()
        await self._room.wait()

    def post(self, ask: Ask) -> None:
        """Give it to a worker, together with others that come at the same time."""
        if not self._tasks:
            self._spawn(self._keep_up())
        if not self._members:
            self._look.set()
        self._waiting.append(ask)
        if len(self._waiting) >= CHUNK:
            self._hand_out()
        elif self._soon is None:
            self._soon = asyncio.get_running_loop().call_later(0.01, self._hand_out)

    def halt(self) -> list[str]:
        """No more asks are sent; those in flight still come. Gives the keys of those that no worker has."""
        self._is_halted = True
        for member in self._members:
            member.actor.halt.options(num_returns=0).remote()
        left = [ask.key for ask in self._waiting]
        self._waiting.clear()
        self._room.set()
        return left

    async def close(self) -> None:
        """End all workers, after what they have begun to write."""
        self._is_halted = True
        for timer in (self._soon, self._idle):
            if timer is not None:
                timer.cancel()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        try:
            await asyncio.wait_for(self._dismiss(), CLOSE_SECONDS)
        except TimeoutError:
            self.tell("some workers had not ended after a minute, and were ended")

    async def _dismiss(self) -> None:
        members, self._members = self._members, []
        try:
            await asyncio.gather(*(self._write_out(member) for member in members if member.places))
        finally:
            for member in members:
                self.unwritten |= member.unwritten
                self.cluster.ray.kill(member.actor)

    async def _write_out(self, member: Member) -> None:
        """Let a worker write what is left."""
        from ray.exceptions import RayError

        with suppress(RayError):
            trouble: str | None = await member.actor.close.remote()
            if trouble is None:
                member.unwritten.clear()
            elif trouble not in self._told:
                self._told.add(trouble)
                self.tell(trouble)

    async def _keep_up(self) -> None:
        """Start workers while there are fewer than seats. Nodes come and go."""
        looks_in_vain = 0
        while True:
            taking = self.cluster.seats(in_process=self.in_process)
            if not taking.workers and not self._members:
                self.stop(f"no node of the cluster has {taking} for a worker")
            while len(self._members) < taking.workers and self._is_needed:
                member = Member(self.cluster.start(Worker, msgspec.msgpack.encode(self.job), taking))
                self._members.append(member)
                self._spawn(self._listen(member))
            self._look.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._look.wait(), LOOK_SECONDS)
                await asyncio.sleep(0.5)  # other workers may have died with this one
            is_up = any(member.places for member in self._members)
            looks_in_vain = looks_in_vain + 1 if self._waiting and not is_up else 0
            if looks_in_vain == LOOKS_BEFORE_A_WORD:
                self.tell(f"no worker has started yet: each waits for {taking} of a node")

    @property
    def _gather_seconds(self) -> float:
        """The time for which a worker gathers replies before it sends them."""
        return len(self._members) / MESSAGES_PER_SECOND

    @property
    def _is_needed(self) -> bool:
        return not self._is_halted and (bool(self._waiting) or any(member.asks for member in self._members))

    async def _listen(self, member: Member) -> None:
        """Take what a worker delivers and give it more, until it dies."""
        from ray.exceptions import RayError

        try:
            ready = msgspec.msgpack.decode(await member.actor.open.remote(), type=Ready)
            if ready.trouble is not None:
                self.stop(ready.trouble)
                return
            member.places, member.most, member.limit = ready.places, 2 * ready.places, ready.limit
            self._hand_out()
            coming = member.actor.fetch.remote(self._gather_seconds)
            while True:
                delivery = msgspec.msgpack.decode(await coming, type=Delivery)
                coming = member.actor.fetch.remote(self._gather_seconds)
                await self._note(member, delivery)
                self._hand_out()
        except RayError as error:
            self._lose(member, first_line(error))

    async def _note(self, member: Member, delivery: Delivery) -> None:
        for key in (*(key for key, _ in delivery.replies), *delivery.unasked):
            member.asks.pop(key, None)
            self._deaths.pop(key, None)
        if delivery.replies:
            member.has_answered = True
            self._in_vain = 0
            member.most = min(MOST_OF_A_WORKER, max(2 * member.places, 3 * len(delivery.replies)))
        member.limit = delivery.limit
        member.unwritten.update(delivery.unwritten)
        member.unwritten.difference_update(delivery.written)
        if delivery.stopped is not None:
            self._told.add(delivery.stopped)
        await self.receive(delivery)
        if self.in_process and not self._is_needed:
            if self._idle is not None:
                self._idle.cancel()
            self._idle = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._rest)

    def _hand_out(self) -> None:
        """Give waiting asks to the workers with most room."""
        self._soon = None
        while self._waiting and self._members:
            member = max(self._members, key=lambda member: member.most - len(member.asks))
            room = member.most - len(member.asks)
            if room <= 0:
                return
            some = [self._waiting.popleft() for _ in range(min(CHUNK, room, len(self._waiting)))]
            member.asks |= {ask.key: ask for ask in some}
            member.actor.give.options(num_returns=0).remote(msgspec.msgpack.encode([(ask.key, ask) for ask in some]))
            if self.has_room:
                self._room.set()

    def _lose(self, member: Member, reason: str) -> None:
        """Give the asks of a worker that is dead or out of reach to others."""
        if member not in self._members:
            return
        self._members.remove(member)
        self.unwritten |= member.unwritten
        self.cluster.ray.kill(member.actor)
        failed: list[tuple[str, Reply]] = []
        for key, ask in reversed(member.asks.items()):
            self._deaths[key] += 1
            if self._deaths[key] < MOST_DEATHS_OF_AN_ASK:
                self._waiting.appendleft(ask)
            else:
                died = f"{MOST_DEATHS_OF_AN_ASK} workers died while they asked it, the last because {reason}"
                failed.append((key, Reply(status="failed", error=died, attempts=self._deaths.pop(key))))
        unasked = self.halt() if self._is_halted else []
        self._spawn(self.receive(Delivery(replies=failed, unasked=unasked)))
        self._in_vain += not member.has_answered
        if self._in_vain >= MOST_IN_VAIN:
            self.stop(f"{MOST_IN_VAIN} workers died before they answered anything, the last because {reason}")
        self._hand_out()
        self._look.set()

    def _rest(self) -> None:
        """Leave the seats to workers of other models. New workers start with the next ask."""
        if not self._is_needed and not self._is_halted:
            self._spawn(self._dismiss())

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finish)

    def _finish(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.broken(error)
