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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from counterfoil.asking.ask import Ask, Reply, TokenChoice
from counterfoil.asking.ledger_file import connect, connect_to_read, explained
from counterfoil.errors import UserError
from counterfoil.sqlite import transaction

_LOG = logging.getLogger(__name__)

# A reply waits this long for others to share its transaction with.
GATHER_SECONDS = 0.02

REPLY_COLUMNS = (
    "status, text, reasoning, finish_reason, served_model, input_tokens, cached_tokens, output_tokens, "
    "logprobs, latency, attempts"
)
INSERT_COLUMNS = f"key, model, received_at, ask, {REPLY_COLUMNS}"
ROWS_PER_STATEMENT = (64, 16, 4, 1)
# More would cost memory and time at the start, fewer more writing.
LONGEST_TAIL = 16_384
KEYS_PER_QUERY = 500

T = TypeVar("T")


class _Entry(NamedTuple):
    ask: Ask
    model: str
    reply: Reply
    kept: asyncio.Future[Reply]


class Ledger:
    """Use as `with Ledger(path) as ledger`. With `create=False` a missing file stays missing, and reads as empty."""

    def __init__(self, path: Path, *, create: bool = True) -> None:
        self.path = path
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
        if self._reader is not None:
            self._lookup = Lookup(self._reader)

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
            rows = self._lookup.rows([bytes.fromhex(key) for key in keys], REPLY_COLUMNS)
            found = {key.hex(): reply_from_row(values) for key, values in rows}
        _LOG.debug("%s holds %d of %d replies", self.path, len(found), len(keys))
        return found

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
        lookup = Lookup(self._connection)
        closing = False
        while not closing:
            batch, closing = self._take()
            if not batch:
                continue
            try:
                if self._broken is not None:
                    raise self._broken
                with explained(self.path):
                    _tell(batch, _commit(self._connection, lookup, batch))
            except UserError as error:
                self._broken = error
                _tell(batch, error)
            except Exception as error:  # whatever it is, nobody may wait for this thread in vain
                self._broken = UserError(f"The ledger {self.path} could not keep a reply: {error!r}.")
                _tell(batch, self._broken)

    def _take(self) -> tuple[list[_Entry], bool]:
        """Wait for an entry, then for those that come soon after; and whether the ledger is closing."""
        entry = self._inbox.get()
        if entry is not None:
            time.sleep(GATHER_SECONDS)
        batch: list[_Entry] = []
        while entry is not None:
            batch.append(entry)
            try:
                entry = self._inbox.get_nowait()
            except queue.Empty:
                return batch, False
        return batch, True


def reply_from_row(values: Sequence[Any]) -> Reply:
    """A reply from the values of REPLY_COLUMNS."""
    status, text, reasoning, finish, served, tokens_in, tokens_cached, tokens_out, logprobs, latency, attempts = values
    return Reply(
        status=status,
        text=text,
        reasoning=reasoning,
        finish_reason=finish,
        served_model=served,
        input_tokens=tokens_in,
        cached_tokens=tokens_cached,
        output_tokens=tokens_out,
        logprobs=logprobs and msgspec.json.decode(logprobs, type=tuple[TokenChoice, ...]),
        latency=latency,
        attempts=attempts,
    )


def reply_row(ask: Ask, model: str, received_at: float, reply: Reply) -> tuple[Any, ...]:
    """The values of INSERT_COLUMNS."""
    return (
        bytes.fromhex(ask.key),
        model,
        received_at,
        ask.canonical,
        reply.status,
        reply.text,
        reply.reasoning,
        reply.finish_reason,
        reply.served_model,
        reply.input_tokens,
        reply.cached_tokens,
        reply.output_tokens,
        reply.logprobs and msgspec.json.encode(reply.logprobs).decode(),
        round(reply.latency, 6),
        reply.attempts,
    )


@cache
def _insert_sql(rows: int) -> str:
    row = f"({marks(INSERT_COLUMNS.split(','))})"
    return f"INSERT INTO replies ({INSERT_COLUMNS}) VALUES {','.join([row] * rows)}"  # noqa: S608


def _commit(connection: sqlite3.Connection, lookup: Lookup, batch: list[_Entry]) -> list[Reply]:
    """Store a batch in one durable transaction; gives for each what the ledger now holds."""
    now = round(time.time(), 3)
    keys = [bytes.fromhex(entry.ask.key) for entry in batch]
    with transaction(connection):
        there = {key: reply_from_row(values) for key, values in lookup.rows(keys, REPLY_COLUMNS)}
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


class Lookup:
    """Keys to row ids, as one connection sees them; where two replies have one key, the first.

    It finds a reply by its key without a page write for each reply that is kept. The newest replies are found through a
    table in memory, older ones through the table `lookup`. That takes the newest in when they have grown many: in bulk
    and in the order of their keys, so that each of its pages is written once.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._tail: dict[bytes, int] = {}
        self._taken_in = 0
        self._seen = 0

    def find(self, keys: Sequence[bytes]) -> dict[bytes, int]:
        """Those of the keys that are there, with their rows' ids. Looks at what other processes wrote, too."""
        self._refresh()
        found = {key: self._tail[key] for key in keys if key in self._tail}
        older = [key for key in keys if key not in found] if self._taken_in else []
        for some in chunks(older):
            sql = f"SELECT key, id FROM lookup WHERE key IN ({marks(some)})"  # noqa: S608
            found.update(self._connection.execute(sql, some))
        return found

    def rows(self, keys: Sequence[bytes], columns: str) -> Iterator[tuple[bytes, list[Any]]]:
        """Those of the keys that are there, with the values of these columns."""
        key_of_row = {row: key for key, row in self.find(keys).items()}
        for some in chunks(sorted(key_of_row)):
            sql = f"SELECT id, key, {columns} FROM replies WHERE id IN ({marks(some)})"  # noqa: S608
            for row, key, *values in self._connection.execute(sql, some):
                if key_of_row[row] == key:  # a row can be another one's since a prune
                    yield key, values

    def append(self, rows: Mapping[bytes, Sequence[Any]]) -> None:
        """Append rows of `reply_row` by their keys, in the transaction that is open.

        Many rows go into one statement: each statement is a moment in which this thread must win the interpreter back
        from the one that asks. A tail that has grown long moves into the table `lookup`.
        """
        keys, start = list(rows), 0
        while start < len(keys):
            size = next(size for size in ROWS_PER_STATEMENT if size <= len(keys) - start)
            some = keys[start : start + size]
            values = [value for key in some for value in rows[key]]
            last = self._connection.execute(_insert_sql(size), values).lastrowid
            assert last is not None
            for row, key in enumerate(some, start=last - size + 1):
                self._tail.setdefault(key, row)
            self._seen = last
            start += size
        if len(self._tail) >= LONGEST_TAIL:
            take_in_all(self._connection)
            self._refresh()

    def _refresh(self) -> None:
        (taken_in,) = self._connection.execute("SELECT up_to FROM lookup_state").fetchone()
        if taken_in != self._taken_in:
            self._taken_in = taken_in
            self._tail = {key: row for key, row in self._tail.items() if row > taken_in}
        for row, key in self._connection.execute(
            "SELECT id, key FROM replies WHERE id > ? ORDER BY id", (max(self._seen, taken_in),)
        ):
            self._tail.setdefault(key, row)
            self._seen = row


def take_in_all(connection: sqlite3.Connection) -> None:
    """Make `lookup` complete, in the transaction that is open."""
    connection.execute(
        "INSERT OR IGNORE INTO lookup SELECT key, min(id) FROM replies"
        " WHERE id > (SELECT up_to FROM lookup_state) GROUP BY key ORDER BY key"
    )
    connection.execute("UPDATE lookup_state SET up_to = (SELECT coalesce(max(id), 0) FROM replies)")


def chunks(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """Parts that fit into one query."""
    for start in range(0, len(items), KEYS_PER_QUERY):
        yield items[start : start + KEYS_PER_QUERY]


def marks(items: Sequence[object]) -> str:
    """A question mark for each."""
    return ",".join("?" * len(items))
