"""The workers of one model, as the run sees them: started, given asks, listened to, replaced where they die."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import msgspec

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.cluster.connection import Cluster, first_line
from counterfoil.asking.cluster.worker import Home, Job, Ready, Worker

# Asks that go to a worker in one message.
CHUNK = 32
# A worker holds what is in flight and as much again; more only where replies come faster than messages.
MOST_OF_A_WORKER = 4_096
# All workers together send so many messages a second, however many they are.
MESSAGES_PER_SECOND = 100
# Between two looks at whether nodes have come or gone.
LOOK_SECONDS = 5.0
# Where no worker comes up within so many of them, the user is told.
LOOKS_BEFORE_A_WORD = 6
# A worker that runs a model itself makes room for others when nothing was asked for so long.
IDLE_SECONDS = 3.0
# An ask that was with so many workers when they died is what kills them.
MOST_DEATHS_OF_AN_ASK = 3
# So many workers may die one after another without having answered anything.
MOST_IN_VAIN = 5
# For what workers have begun to write: storage can be slow.
CLOSE_SECONDS = 60.0

Bring = Callable[[Home], Coroutine[Any, Any, None]]


class Hand:
    """One worker. `asks` are with it; `most` is how many of them it may have, none until it is up, and `limit` how many
    of them it asks at a time. `unwritten` are the keys of replies that are to be in shards and are not yet.
    """

    def __init__(self, actor: Any) -> None:
        self.actor = actor
        self.asks: dict[str, Ask] = {}
        self.unwritten: set[str] = set()
        self.places = self.most = self.limit = 0
        self.has_answered = False


class Crew:
    """As many workers as the cluster has seats for.

    `bring` takes what has ended, `stop` why nothing more can be asked, `broken` an error that nobody thought of.
    """

    def __init__(
        self,
        cluster: Cluster,
        job: Job,
        *,
        in_process: bool,
        bring: Bring,
        stop: Callable[[str], None],
        broken: Callable[[BaseException], None],
        say: Callable[[str], None],
    ) -> None:
        # Keys of replies that no worker will write to a shard any more.
        self.unwritten: set[str] = set()
        self._cluster = cluster
        self._job = msgspec.msgpack.encode(job)
        self._in_process = in_process
        self._bring = bring
        self._stop = stop
        self._broken = broken
        self._say = say
        self._hands: list[Hand] = []
        self._waiting: deque[Ask] = deque()
        self._deaths: dict[str, int] = {}
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
        """Whether another ask can be posted: not while many wait for a worker."""
        return len(self._waiting) < 2 * CHUNK

    @property
    def in_flight(self) -> int:
        """Asks that workers have begun, and have not said to have ended."""
        return sum(min(len(hand.asks), hand.limit) for hand in self._hands)

    async def wait_for_room(self) -> None:
        """Until there is room, or the crew was halted."""
        self._room.clear()
        await self._room.wait()

    def post(self, ask: Ask) -> None:
        """Give it to a worker, together with others that come at the same time."""
        if not self._tasks:
            self._spawn(self._keep_up())
        if not self._hands:
            self._look.set()
        self._waiting.append(ask)
        if len(self._waiting) >= CHUNK:
            self._hand_out()
        elif self._soon is None:
            self._soon = asyncio.get_running_loop().call_later(0.01, self._hand_out)

    def halt(self) -> list[str]:
        """No more asks are sent; those in flight still come. Gives the keys of those that no worker has."""
        self._is_halted = True
        for hand in self._hands:
            hand.actor.halt.options(num_returns=0).remote()
        left = [ask.key for ask in self._waiting]
        self._waiting.clear()
        self._room.set()
        return left

    async def close(self) -> None:
        """Let all workers end what they have begun to write, then go."""
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
            self._say("some workers had not ended after a minute, and were ended")

    async def _dismiss(self) -> None:
        hands, self._hands = self._hands, []
        try:
            await asyncio.gather(*(self._close(hand) for hand in hands if hand.places))
        finally:
            for hand in hands:
                self.unwritten |= hand.unwritten
                self._cluster.ray.kill(hand.actor)

    async def _close(self, hand: Hand) -> None:
        """Let a worker write what is left."""
        from ray.exceptions import RayError

        with suppress(RayError):
            trouble: str | None = await hand.actor.close.remote()
            if trouble is None:
                hand.unwritten.clear()
            elif trouble not in self._told:
                self._told.add(trouble)
                self._say(trouble)

    async def _keep_up(self) -> None:
        """Look now and then whether there are as many workers as seats; nodes come and go."""
        looks_in_vain = 0
        while True:
            taking = self._cluster.seats(in_process=self._in_process)
            if not taking.workers and not self._hands:
                self._stop(f"no node of the cluster has {taking} for a worker")
            while len(self._hands) < taking.workers and self._is_needed():
                hand = Hand(self._cluster.start(Worker, self._job, taking))
                self._hands.append(hand)
                self._spawn(self._listen(hand))
            self._look.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._look.wait(), LOOK_SECONDS)
                await asyncio.sleep(0.5)  # who has died may not be alone
            is_up = any(hand.places for hand in self._hands)
            looks_in_vain = looks_in_vain + 1 if self._waiting and not is_up else 0
            if looks_in_vain == LOOKS_BEFORE_A_WORD:
                self._say(f"no worker has started yet: each waits for {taking} of a node")

    @property
    def _gather(self) -> float:
        """Seconds for which a worker gathers replies before it sends them."""
        return len(self._hands) / MESSAGES_PER_SECOND

    def _is_needed(self) -> bool:
        return not self._is_halted and (bool(self._waiting) or any(hand.asks for hand in self._hands))

    async def _listen(self, hand: Hand) -> None:
        """Until it dies: take what it brings, give it more."""
        from ray.exceptions import RayError

        try:
            ready = msgspec.msgpack.decode(await hand.actor.open.remote(), type=Ready)
            if ready.trouble is not None:
                self._stop(ready.trouble)
                return
            hand.places, hand.most, hand.limit = ready.places, 2 * ready.places, ready.limit
            self._hand_out()
            coming = hand.actor.fetch.remote(self._gather)
            while True:
                home = msgspec.msgpack.decode(await coming, type=Home)
                coming = hand.actor.fetch.remote(self._gather)
                await self._take_home(hand, home)
                self._hand_out()
        except RayError as error:
            self._lose(hand, first_line(error))

    async def _take_home(self, hand: Hand, home: Home) -> None:
        for key in (*(key for key, _ in home.replies), *home.unasked):
            hand.asks.pop(key, None)
            self._deaths.pop(key, None)
        if home.replies:
            hand.has_answered = True
            self._in_vain = 0
            hand.most = min(MOST_OF_A_WORKER, max(2 * hand.places, 3 * len(home.replies)))
        hand.limit = home.limit
        hand.unwritten.update(home.unwritten)
        hand.unwritten.difference_update(home.written)
        if home.stopped is not None:
            self._told.add(home.stopped)
        await self._bring(home)
        if self._in_process and not self._is_needed():
            self._rest_soon()

    def _hand_out(self) -> None:
        """Give what waits to those who have most room."""
        self._soon = None
        while self._waiting:
            hand = max(self._hands, key=lambda hand: hand.most - len(hand.asks), default=None)
            room = hand.most - len(hand.asks) if hand is not None else 0
            if hand is None or room <= 0:
                return
            some = [self._waiting.popleft() for _ in range(min(CHUNK, room, len(self._waiting)))]
            hand.asks |= {ask.key: ask for ask in some}
            message = msgspec.msgpack.encode([(ask.key, ask) for ask in some])
            hand.actor.give.options(num_returns=0).remote(message)
            if self.has_room:
                self._room.set()

    def _lose(self, hand: Hand, reason: str) -> None:
        """It is dead, or can't be reached any more: others ask what it had."""
        if hand not in self._hands:
            return
        self._hands.remove(hand)
        self.unwritten |= hand.unwritten
        self._cluster.ray.kill(hand.actor)
        failed: list[tuple[str, Reply]] = []
        for key, ask in reversed(hand.asks.items()):
            self._deaths[key] = self._deaths.get(key, 0) + 1
            if self._deaths[key] < MOST_DEATHS_OF_AN_ASK:
                self._waiting.appendleft(ask)
            else:
                died = f"{MOST_DEATHS_OF_AN_ASK} workers died while they asked it, the last because {reason}"
                failed.append((key, Reply(status="failed", error=died, attempts=self._deaths.pop(key))))
        unasked = self.halt() if self._is_halted else []
        self._spawn(self._bring(Home(replies=failed, unasked=unasked)))
        self._in_vain += not hand.has_answered
        if self._in_vain >= MOST_IN_VAIN:
            self._stop(f"{MOST_IN_VAIN} workers died before they answered anything, the last because {reason}")
        self._hand_out()
        self._look.set()

    def _rest_soon(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        self._idle = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._rest)

    def _rest(self) -> None:
        """Leave the seats to other models' workers; new ones start when there is something to ask."""
        if not self._is_needed() and not self._is_halted:
            self._spawn(self._dismiss())

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._broken(error)
