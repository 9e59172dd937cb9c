"""A worker on a node: it opens the model there, asks it at its own pace, and delivers the replies."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Sequence
from platform import node as host_name
from typing import Any

import msgspec

import counterfoil
from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.asker import Halt, NotAsked, Sender
from counterfoil.asking.budget import Account, Budget
from counterfoil.asking.cluster.shards import write_shard
from counterfoil.asking.ledger.replies import reply_row
from counterfoil.asking.models import open_model
from counterfoil.asking.models.base import ModelSpec
from counterfoil.asking.pace import Pace
from counterfoil.errors import UserError

# A shard is written with so many replies, or when its first has waited so long.
SHARD_REPLIES, SHARD_SECONDS = 4_096, 5.0


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """The task of a worker. `name`: the model as the user names it; `probe`: an ask with the identity it has here."""

    spec: ModelSpec
    name: str
    probe: Ask
    version: str = counterfoil.__version__
    shards: str | None = None


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """The start of a worker: its places, of which it uses `limit` at first, or a trouble that all workers share."""

    places: int = 1
    limit: int = 1
    trouble: str | None = None


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """Asks that have ended since the last message. `unasked` were not sent: the model is `stopped`, or the run halted.

    `limit`: asks that the worker has with the model at a time now. With shards, `unwritten` are the keys of replies
    that no shard has yet, `written` those of earlier replies that one has by now.
    """

    replies: list[tuple[str, Reply]] = []
    unasked: list[str] = []
    stopped: str | None = None
    adjustments: list[str] = []
    limit: int = 0
    unwritten: list[str] = []
    written: list[str] = []


class NoLedger:
    """No ledger: nothing is in it, and the run keeps what comes."""

    is_shared = False

    def make_sure(self) -> None:
        """Replies are handed on."""

    def get(self, keys: Sequence[str]) -> dict[str, Reply]:
        return {}

    def put(self, ask: Ask, model: str, reply: Reply) -> asyncio.Future[Reply]:
        kept: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        kept.set_result(reply)
        return kept


class Worker:
    """The actor. Messages are bytes: their types are ours, whatever versions carry them."""

    def __init__(self, job: bytes) -> None:
        self._job = msgspec.msgpack.decode(job, type=Job)
        self._halt = Halt()
        self._next = Delivery()
        self._has_come = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._rows: list[tuple[Any, ...]] = []
        self._unwritten: set[str] = set()
        self._writing = asyncio.Lock()
        self._trouble: str | None = None

    async def open(self) -> bytes:
        """Open the model. Gives a `Ready`."""
        try:
            pace = self._open()
        except UserError as error:
            return msgspec.msgpack.encode(Ready(trouble=f"on the node {host_name()}: {str(error).rstrip('.')}"))
        return msgspec.msgpack.encode(Ready(places=pace.highest, limit=pace.limit))

    async def give(self, asks: bytes) -> None:
        """Ask these, each when the pace allows it."""
        for key, ask in msgspec.msgpack.decode(asks, type=list[tuple[str, Ask]]):
            self._start(self._ask(key, ask))

    async def fetch(self, gather: float) -> bytes:
        """Wait for an ask that has ended, then so many seconds for more. Gives a `Delivery`."""
        await self._has_come.wait()
        await self._halt.nap(gather)
        self._has_come.clear()
        delivery, self._next = self._next, Delivery()
        return msgspec.msgpack.encode(
            msgspec.structs.replace(
                delivery,
                stopped=self._trouble or self._sender.stopped,
                adjustments=list(self._sender.model.adjustments),
                limit=self._sender.pace.limit,
                unwritten=[key for key, _ in delivery.replies if key in self._unwritten],
            )
        )

    async def halt(self) -> None:
        """Send nothing more; what is in flight still comes."""
        self._halt.stop("halted")

    async def close(self) -> str | None:
        """Write the last shard. Gives a sentence where that failed."""
        await self._write(1)
        await self._sender.model.close()
        return self._trouble

    def _open(self) -> Pace:
        job = self._job
        if job.version != counterfoil.__version__:
            versions = f"{counterfoil.__version__} there, and {job.version} here"
            raise UserError(f"counterfoil is {versions}: install the same.")
        model = open_model(job.spec)
        _check_identity(model.ask((), {}, 0), job)
        pace = Pace(fixed=job.spec.concurrency, slots=model.slots)
        self._sender = Sender(
            model,
            NoLedger(),
            pace=pace,
            timeout=job.spec.timeout,
            account=Account(Budget(), None),
            halt=self._halt,
            say=lambda sentence: None,
        )
        return pace

    async def _ask(self, key: str, ask: Ask) -> None:
        try:
            reply = await self._sender.ask(ask, looked_up=True)
            if self._job.shards is not None and reply.status != "failed":
                await self._keep(ask, reply)
            self._next.replies.append((key, reply))
        except NotAsked:
            self._next.unasked.append(key)
        except Exception as error:  # nobody may wait for this ask in vain
            failed = Reply(status="failed", error=f"the worker broke down over it: {error!r}")
            self._next.replies.append((key, failed))
        self._has_come.set()

    async def _keep(self, ask: Ask, reply: Reply) -> None:
        """Add the reply to the next shard. This waits only where storage is slower than the model."""
        self._unwritten.add(ask.key)
        self._rows.append(reply_row(ask, self._job.name, round(time.time(), 3), reply))
        if len(self._rows) >= SHARD_REPLIES:
            await self._write(SHARD_REPLIES)
        elif len(self._rows) == 1:
            self._start(self._write(1, after=SHARD_SECONDS))

    async def _write(self, at_least: int, *, after: float = 0.0) -> None:
        """Write the rows as a shard where there are so many: while this call waited, another may have written them."""
        if after:
            await asyncio.sleep(after)
        async with self._writing:
            if self._job.shards is None or len(self._rows) < at_least:
                return
            rows, self._rows = self._rows, []
            try:
                await asyncio.to_thread(write_shard, self._job.shards, rows)
            except Exception as error:  # each storage has errors of its own
                said = " ".join(str(error).split()).rstrip(".")
                self._trouble = f"shards can't be written to {self._job.shards} on the node {host_name()}: {said}"
                self._halt.stop(self._trouble)
            else:
                keys = [row[0].hex() for row in rows]
                self._unwritten.difference_update(keys)
                self._next.written.extend(keys)
            self._has_come.set()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _check_identity(there: Ask, job: Job) -> None:
    """The same ask must have the same key wherever it is asked."""
    here = job.probe
    if there.key == here.key:
        return
    differing = [
        f"{a or 'none'} there, {b or 'none'} here"
        for a, b in ((there.model, here.model), (there.runtime, here.runtime), (there.base_url, here.base_url))
        if a != b
    ]
    raise UserError(
        f"{job.name} is not the same there ({'; '.join(differing) or 'other settings'}): "
        "put the same weights and the same versions on all nodes"
    )
