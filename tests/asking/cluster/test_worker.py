"""The worker without a cluster: asks at its own pace, hands over what has come, keeps it in shards."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec

from counterfoil.asking.ask import Ask, Message, Reply
from counterfoil.asking.cluster import worker as worker_module
from counterfoil.asking.cluster.shards import read_shards
from counterfoil.asking.cluster.worker import Delivery, Job, Ready, Worker
from counterfoil.asking.models import open_model
from counterfoil.asking.models.base import ModelSpec
from mock_server import MockServer, completion, error, held
from waiting import until


def job_for(server: MockServer, **more: Any) -> Job:
    spec = ModelSpec(name="vllm/m", base_url=server.url, **more.pop("spec", {}))
    fields: dict[str, Any] = {"spec": spec, "name": "vllm/m", "probe": open_model(spec).ask((), {}, 0)}
    return Job(**fields | more)


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(work, 300))


async def opened(job: Job) -> tuple[Worker, Ready]:
    worker = Worker(msgspec.msgpack.encode(job))
    return worker, msgspec.msgpack.decode(await worker.open(), type=Ready)


def asks(job: Job, count: int) -> list[Ask]:
    model = open_model(job.spec)
    return [model.ask((Message("user", f"{n}?"),), {"temperature": 0.0}, 0) for n in range(count)]


async def give(worker: Worker, given: list[Ask]) -> None:
    await worker.give(msgspec.msgpack.encode([(ask.key, ask) for ask in given]))


async def fetched(worker: Worker) -> Delivery:
    return msgspec.msgpack.decode(await worker.fetch(0.0), type=Delivery)


async def all_of(worker: Worker, count: int) -> Delivery:
    replies: list[tuple[str, Reply]] = []
    unasked: list[str] = []
    while len(replies) + len(unasked) < count:
        delivery = await fetched(worker)
        replies += delivery.replies
        unasked += delivery.unasked
    return msgspec.structs.replace(delivery, replies=replies, unasked=unasked)


def test_each_ask_is_answered_under_its_key() -> None:
    async def go(server: MockServer) -> None:
        job = job_for(server, spec={"concurrency": 3})
        worker, ready = await opened(job)
        assert (ready.places, ready.trouble) == (3, None)
        given = asks(job, 20)
        await give(worker, given)
        delivery = await all_of(worker, 20)
        assert {key: reply.text for key, reply in delivery.replies} == {
            ask.key: ask.messages[0].content for ask in given
        }
        assert delivery.unasked == []
        assert delivery.stopped is None
        await worker.close()

    with MockServer(lambda request: completion(request["messages"][-1]["content"])) as server:
        run(go(server))
    assert sorted(server.prompts) == sorted(f"{n}?" for n in range(20))


def test_a_key_that_is_refused_comes_home_as_the_reason() -> None:
    async def go(server: MockServer) -> None:
        job = job_for(server, spec={"concurrency": 1})
        worker, _ = await opened(job)
        await give(worker, asks(job, 5))
        delivery = await all_of(worker, 5)
        assert [reply.status for _, reply in delivery.replies] == ["failed"]
        assert len(delivery.unasked) == 4
        assert delivery.stopped is not None
        assert "401" in delivery.stopped
        await worker.close()

    with MockServer(lambda request: error(401, "no such key")) as server:
        run(go(server))
    assert len(server.requests) == 1


def test_halted_it_ends_what_is_in_flight_and_sends_nothing_more() -> None:
    async def go(server: MockServer) -> None:
        job = job_for(server, spec={"concurrency": 2})
        worker, _ = await opened(job)
        await give(worker, asks(job, 9))
        await until(lambda: len(server.requests) == 2)
        await worker.halt()
        halted.set()
        delivery = await all_of(worker, 9)
        assert (len(delivery.replies), len(delivery.unasked)) == (2, 7)
        await worker.close()

    halted = threading.Event()
    with MockServer(lambda request: held(halted)) as server:
        run(go(server))
    assert len(server.requests) == 2


def test_shards_hold_every_reply_and_no_failure(tmp_path: Path) -> None:
    async def go(server: MockServer) -> None:
        job = job_for(server, shards=str(tmp_path), name="as the user wrote it")
        worker, _ = await opened(job)
        given = asks(job, 23)
        await give(worker, given)
        await all_of(worker, 23)
        await worker.close()
        read = list(read_shards(str(tmp_path)))
        assert {it.ask.key for it in read} == {ask.key for ask in given if ask.messages[0].content != "7?"}
        assert {it.model for it in read} == {"as the user wrote it"}

    with (
        MockServer(lambda request: error(400) if request["messages"][0]["content"] == "7?" else completion()) as server,
        patch.object(worker_module, "SHARD_REPLIES", 10),
    ):
        run(go(server))
    # 22 replies: two full shards of ten, or more where replies delivery while one was written, and the rest at the end.
    assert 2 <= len(list(tmp_path.glob("*.parquet"))) <= 3


def test_shards_that_can_not_be_written_stop_it_and_the_replies_still_come(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    async def go(server: MockServer) -> None:
        job = job_for(server, shards=str(tmp_path / "file"))
        worker, _ = await opened(job)
        await give(worker, asks(job, 4))
        delivery = await all_of(worker, 4)
        assert [reply.status for _, reply in delivery.replies] == ["ok"] * 4
        assert delivery.stopped is not None
        assert "shards can't be written" in delivery.stopped
        assert await worker.close() == delivery.stopped

    with MockServer() as server, patch.object(worker_module, "SHARD_REPLIES", 4):
        run(go(server))


def test_what_differs_from_node_to_node_is_refused(tmp_path: Path) -> None:
    async def trouble(job: Job) -> str:
        _, ready = await opened(job)
        assert ready.trouble is not None
        return ready.trouble

    with MockServer() as server:
        job = job_for(server)
        other = msgspec.structs.replace(job, probe=msgspec.structs.replace(job.probe, model="sha256:1"))
        assert "is not the same there (m there, sha256:1 here)" in run(trouble(other))
        assert "counterfoil is" in run(trouble(msgspec.structs.replace(job, version="0.0.1")))
        missing = msgspec.structs.replace(job, spec=ModelSpec(name=f"gguf/{tmp_path}/none.gguf"))
        assert "on the node" in run(trouble(missing))
    assert server.requests == []
