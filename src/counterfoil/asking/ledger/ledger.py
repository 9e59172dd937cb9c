"""The ledger: one SQLite file that holds every reply, by the key of its ask.

Replies are written by one thread, many to a transaction, and handed on only when they are durable. Lookups happen on
the caller's thread, through a connection of their own.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.ledger.file import connect, connect_to_read, explained, refuse_full
from counterfoil.asking.ledger.lookup import Lookup
from counterfoil.asking.ledger.replies import reply_row
from counterfoil.errors import UserError
from counterfoil.sqlite import transaction

_LOG = logging.getLogger(__name__)


class _Entry(NamedTuple):
    ask: Ask
    model: str
    reply: Reply
    kept: asyncio.Future[Reply]


class Ledger:
    """Use as `with Ledger(path) as ledger`. With `create=False` a missing file stays missing, and reads as empty.

    `is_shared`: another process writes to it, too, as far as this one has seen when it wrote.
    """

    def __init__(self, path: Path, *, create: bool = True) -> None:
        self.path = path
        # When the oldest reply came that was found, of each model.
        self.oldest: dict[str, float] = {}
        self.is_shared = False
        self._is_sure = False
        self._reader: sqlite3.Connection | None = None
        self._connection: sqlite3.Connection | None = None
        self._inbox: queue.SimpleQueue[_Entry | None] = queue.SimpleQueue()
        self._writer: threading.Thread | None = None
        self._broken: UserError | None = None
        if create:
            self._reader = connect(path)
            # Opened now, and not when the first reply comes: by then sockets may have taken all file descriptors.
            self._connection = connect(path, any_thread=True)
        else:
            self._reader = connect_to_read(path)
        with explained(path):
            if self._reader is not None:
                self._lookup = Lookup(self._reader)
            if self._connection is not None:
                self._written = Lookup(self._connection)

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Make everything that was put durable, then let go of the file."""
        if self._writer is not None:
            self._inbox.put(None)
            self._writer.join()
            self._writer = None
        if self._connection is not None:
            with suppress(sqlite3.Error):  # what was acknowledged is durable; a last checkpoint may find no room
                self._connection.close()
            self._connection = None
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def get(self, keys: Sequence[str]) -> dict[str, Reply]:
        """The replies that are there for these keys. Failures are not replies: their asks are asked again."""
        if self._reader is None:
            return {}
        with explained(self.path):
            found = {}
            for key, model, received_at, reply in self._lookup.replies([bytes.fromhex(key) for key in keys]):
                found[key.hex()] = reply
                self.oldest[model] = min(received_at, self.oldest.get(model, received_at))
        _LOG.debug("%s holds %d of %d replies", self.path, len(found), len(keys))
        return found

    @property
    def damaged(self) -> int:
        """How many replies were found to be damaged. Their asks are asked again."""
        return 0 if self._reader is None else len(self._lookup.damaged)

    def make_sure(self) -> None:
        """UserError where nothing can be kept, as far as that can be known before the first ask is sent."""
        if not self._is_sure:
            with explained(self.path):
                refuse_full(self.path)
            self._is_sure = True

    def put(self, ask: Ask, model: str, reply: Reply) -> asyncio.Future[Reply]:
        """Keep a reply; the future gives what the ledger holds for the ask, once that is durable.

        Where another process was first, that is the other reply. `model` is the name that the user gave. A failed
        reply is kept among the failures.
        """
        kept: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        if self._writer is None:
            self._writer = threading.Thread(target=self._write, name="ledger")
            self._writer.start()
        self._inbox.put(_Entry(ask, model, reply, kept))
        return kept

    def _write(self) -> None:
        """The writer thread: take what has come, commit it together, tell who waits."""
        assert self._connection is not None, "a ledger that is only read keeps nothing"
        closing = False
        while not closing:
            batch, closing = self._take()
            if not batch:
                continue
            try:
                if self._broken is not None:
                    raise self._broken
                with explained(self.path):
                    replies = _commit(self._connection, self._written, batch)
                    self.is_shared = self._written.has_changed
                    _tell(batch, replies)
            except UserError as error:
                self._broken = error
                _tell(batch, error)
            except Exception as error:  # whatever it is, nobody may wait for this thread in vain
                self._broken = UserError(f"The ledger {self.path} could not keep a reply: {error!r}.")
                _tell(batch, self._broken)

    def _take(self) -> tuple[list[_Entry], bool]:
        """Wait for an entry, and take those that came while the last ones were written; and whether the ledger is
        closing.
        """
        entry = self._inbox.get()
        batch: list[_Entry] = []
        while entry is not None:
            batch.append(entry)
            try:
                entry = self._inbox.get_nowait()
            except queue.Empty:
                return batch, False
        return batch, True


def _commit(connection: sqlite3.Connection, lookup: Lookup, batch: list[_Entry]) -> list[Reply]:
    """Store a batch in one durable transaction; gives for each what the ledger now holds."""
    now = round(time.time(), 3)
    keys = [bytes.fromhex(entry.ask.key) for entry in batch]
    with transaction(connection):
        there = {found.key: found.reply for found in lookup.replies(keys)}
        rows: dict[bytes, tuple[Any, ...]] = {}
        for key, (ask, model, reply, _) in zip(keys, batch, strict=True):
            if key in there:
                continue
            if reply.status == "failed":
                connection.execute(
                    "INSERT INTO failures (key, model, failed_at, ask, reason, attempts) VALUES (?, ?, ?, ?, ?, ?)",
                    (key, model, now, ask.canonical, reply.error or "", reply.attempts),
                )
            else:
                rows[key] = reply_row(ask, model, now, reply)
                there[key] = reply
        lookup.append(rows)
    return [there.get(key, entry.reply) for key, entry in zip(keys, batch, strict=True)]


def _tell(batch: list[_Entry], result: list[Reply] | UserError) -> None:
    """Hand the results to those who wait, on their event loop; it is gone where the user left at once."""

    def resolve() -> None:
        for position, entry in enumerate(batch):
            if entry.kept.done():
                continue
            if isinstance(result, UserError):
                entry.kept.set_exception(result)
            else:
                entry.kept.set_result(result[position])

    with suppress(RuntimeError):
        batch[0].kept.get_loop().call_soon_threadsafe(resolve)
