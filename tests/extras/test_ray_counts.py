"""What a cluster's carrier counts, with workers in this process in place of a cluster: it is true at every moment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

pytest.importorskip("ray")

from ray.exceptions import RayActorError

from counterfoil.asking.ask import Ask, Message
from counterfoil.asking.asker import Halt, NotAsked
from counterfoil.asking.budget import Account, Budget
from counterfoil.asking.cluster import worker as worker_module
from counterfoil.asking.cluster.carrier import ClusterCarrier
from counterfoil.asking.cluster.connection import Cluster
from counterfoil.asking.cluster.seats import ClusterSettings, Seats
from counterfoil.asking.cluster.shards import read_shards
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models import open_model
from counterfoil.asking.models.base import ModelSpec
from mock_server import MockServer

CONCURRENCY, WORKERS = 3, 2


class Actor:
    """A worker as Ray hands it out: its methods have `remote`. Once it is dead, nothing comes of them any more."""

    def __init__(self, worker: worker_module.Worker) -> None:
        self.worker = worker
        self.has_died = asyncio.Event()

    def die(self) -> None:
        """With all that it was about to do."""
        self.has_died.set()
        for task in self.worker._tasks:
            task.cancel()

    def __getattr__(self, name: str) -> Any:
        async def call(*given: Any) -> Any:
            work = asyncio.ensure_future(getattr(self.worker, name)(*given))
            death = asyncio.ensure_future(self.has_died.wait())
            await asyncio.wait((work, death), return_when=asyncio.FIRST_COMPLETED)
            death.cancel()
            if self.has_died.is_set():
                work.cancel()
                raise RayActorError
            return work.result()

        def remote(*given: Any) -> asyncio.Task[Any]:
            return asyncio.get_running_loop().create_task(call(*given))

        return SimpleNamespace(remote=remote, options=lambda **_: SimpleNamespace(remote=remote))


class Here:
    """A cluster of so many workers in this process."""

    def __init__(self, shards: Path | None) -> None:
        self.settings = ClusterSettings(shards=None if shards is None else str(shards))
        self.ray = SimpleNamespace(kill=lambda actor: actor.die())
        self.actors: list[Actor] = []

    def seats(self, *, in_process: bool) -> Seats:
        return Seats(WORKERS, 0.1, 0)

    def start(self, kind: type[worker_module.Worker], argument: bytes, taking: Seats) -> Actor:
        self.actors.append(Actor(kind(argument)))
        return self.actors[-1]


class Carried:
    """A carrier with its cluster, and what it has said."""

    def __init__(self, server: MockServer, ledger: Ledger, shards: Path | None) -> None:
        spec = ModelSpec(name="vllm/m", base_url=server.url, concurrency=CONCURRENCY)
        self.model = open_model(spec)
        self.cluster = Here(shards)
        self.halt = Halt()
        self.said: list[str] = []
        self.carrier = ClusterCarrier(
            self.model,
            spec,
            ledger,
            cluster=cast("Cluster", self.cluster),
            account=Account(Budget(), None),
            halt=self.halt,
            say=self.said.append,
        )

    def asks(self, count: int) -> list[Ask]:
        return [self.model.ask((Message("user", f"{number}?"),), {"temperature": 0.0}, 0) for number in range(count)]

    @property
    def counts(self) -> tuple[int, int, int]:
        return self.carrier.total, self.carrier.done, self.carrier.in_flight


def run(
    tmp_path: Path,
    test: Callable[[Carried, MockServer], Coroutine[Any, Any, None]],
    *,
    latency: float = 0.0,
    shards: Path | None = None,
) -> None:
    async def main() -> None:
        with MockServer(latency=latency) as server, Ledger(tmp_path / "ledger.sqlite") as ledger:
            carried = Carried(server, ledger, shards)
            try:
                await asyncio.wait_for(test(carried, server), 60)
            finally:
                for actor in carried.cluster.actors:  # its process would have ended
                    await actor.worker._sender.model.close()

    asyncio.run(main())


async def until(is_so: Callable[[], bool]) -> None:
    while not is_so():
        await asyncio.sleep(0.01)


def test_after_a_stop_only_what_workers_have_begun_is_in_flight_and_what_was_not_asked_is_not_done(
    tmp_path: Path,
) -> None:
    async def test(carried: Carried, server: MockServer) -> None:
        for ask in carried.asks(40):
            await carried.carrier.take(ask)
        begun = CONCURRENCY * WORKERS
        await until(lambda: len(server.requests) == begun)
        # Each worker has three asks with the server and three in hand; 28 wait for a worker.
        assert carried.counts == (40, 0, begun)
        carried.halt.stop("interrupted")
        await carried.carrier.wait_for_all()
        assert carried.counts == (begun, begun, 0)
        assert len(server.requests) == begun
        with pytest.raises(NotAsked, match="interrupted"):
            await carried.carrier.take(carried.asks(41)[-1])
        await carried.carrier.close()
        assert carried.carrier.not_stored == []

    run(tmp_path, test, latency=0.5)


def test_what_comes_home_is_done(tmp_path: Path) -> None:
    async def test(carried: Carried, server: MockServer) -> None:
        for ask in carried.asks(50):
            await carried.carrier.take(ask)
        await carried.carrier.wait_for_all()
        assert carried.counts == (50, 50, 0)
        await carried.carrier.close()

    run(tmp_path, test)


def test_what_a_dead_worker_had_not_written_is_written_by_the_run(tmp_path: Path) -> None:
    shards = tmp_path / "shards"

    async def test(carried: Carried, server: MockServer) -> None:
        asks = carried.asks(50)
        for ask in asks[:20]:
            await carried.carrier.take(ask)
        await carried.carrier.wait_for_all()
        carried.cluster.actors[0].die()
        for ask in asks[20:]:
            await carried.carrier.take(ask)
        await carried.carrier.wait_for_all()
        await carried.carrier.close()
        # Nothing was in flight when it died, so each reply was stored once: by its worker, or from the ledger.
        assert sorted(read.ask.key for read in read_shards(str(shards))) == sorted(ask.key for ask in asks)
        assert carried.carrier.not_stored == []
        assert [said for said in carried.said if "that workers had not written to shards were written" in said]

    run(tmp_path, test, shards=shards)


def test_what_was_written_in_time_is_not_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shards = tmp_path / "shards"
    monkeypatch.setattr(worker_module, "SHARD_SECONDS", 0.05)

    async def test(carried: Carried, server: MockServer) -> None:
        asks = carried.asks(20)
        for ask in asks:
            await carried.carrier.take(ask)
        await carried.carrier.wait_for_all()
        await asyncio.sleep(0.5)
        for actor in carried.cluster.actors:
            actor.die()
        await asyncio.sleep(0.1)
        await carried.carrier.close()
        assert sorted(read.ask.key for read in read_shards(str(shards))) == sorted(ask.key for ask in asks)
        assert not [said for said in carried.said if "written" in said]

    run(tmp_path, test, shards=shards)


def test_what_no_one_can_write_is_not_stored_and_said(tmp_path: Path) -> None:
    shards = tmp_path / "shards"

    async def test(carried: Carried, server: MockServer) -> None:
        for ask in carried.asks(20):
            await carried.carrier.take(ask)
        await carried.carrier.wait_for_all()
        shards.write_text("in the way")
        await carried.carrier.close()
        [lacking] = carried.carrier.not_stored
        assert lacking.startswith(f"20 replies could not be written to shards at {shards} (")
        assert carried.carrier.adjustments == [lacking]
        # Both workers say why, in the same words, and the run what is missing and what to do.
        troubles = [said for said in carried.said if "shards can't be written" in said]
        assert len(troubles) == 1
        assert [said for said in carried.said if lacking in said and "counterfoil ledger export --to FILE" in said]

    run(tmp_path, test, shards=shards)
