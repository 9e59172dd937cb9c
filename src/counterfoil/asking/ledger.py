"""The ledger: one SQLite file that holds every reply, by the key of its ask.

Replies are written by one thread, many to a transaction, and handed on only when they are durable. Lookups happen on
the caller's thread, through a connection of their own.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from counterfoil.asking.ask import Ask, Reply, TokenChoice
from counterfoil.asking.lookup import Lookup, chunks, marks
from counterfoil.asking.migrations import migrate
from counterfoil.errors import UserError

# A reply waits this long for others to share its transaction with.
GATHER_SECONDS = 0.01
BUSY_SECONDS = 60.0

REPLY_COLUMNS = (
    "status, text, reasoning, finish_reason, served_model, input_tokens, cached_tokens, output_tokens, "
    "logprobs, latency, attempts"
)


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
        self._inbox: queue.SimpleQueue[_Entry | None] = queue.SimpleQueue()
        self._writer: threading.Thread | None = None
        self._broken: UserError | None = None
        if create or path.exists():
            self._reader = connect(path)
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
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def get(self, keys: Sequence[str]) -> dict[str, Reply]:
        """The replies that are there for these keys. Failures are not replies: their asks are asked again."""
        if self._reader is None:
            return {}
        found: dict[str, Reply] = {}
        with explained(self.path):
            key_of_row = {row: key for key, row in self._lookup.find([bytes.fromhex(k) for k in keys]).items()}
            for rows in chunks(sorted(key_of_row)):
                sql = f"SELECT id, key, {REPLY_COLUMNS} FROM replies WHERE id IN ({marks(rows)})"  # noqa: S608
                for row, key, *values in self._reader.execute(sql, rows):
                    if key_of_row[row] == key:  # a row can be another one's since a prune
                        found[key.hex()] = reply_from_row(values)
        return found

    def put(self, ask: Ask, model: str, reply: Reply) -> asyncio.Future[Reply]:
        """Keep a reply; the future gives what the ledger holds for the ask, once that is durable.

        That is another reply where another process was first. `model` is the name that the user gave. A failed reply
        is kept among the failures.
        """
        kept: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        if self._writer is None:
            self._writer = threading.Thread(target=self._write, name="ledger")
            self._writer.start()
        self._inbox.put(_Entry(ask, model, reply, kept))
        return kept

    def _write(self) -> None:
        """The writer thread: take what has come, commit it together, tell who waits."""
        connection: sqlite3.Connection | None = None
        lookup: Lookup | None = None
        closing = False
        while not closing:
            batch, closing = self._take()
            if not batch:
                continue
            try:
                if self._broken is not None:
                    raise self._broken
                with explained(self.path):
                    if connection is None or lookup is None:
                        connection = connect(self.path)
                        lookup = Lookup(connection)
                    _tell(batch, _commit(connection, lookup, batch))
            except UserError as error:
                self._broken = error
                _tell(batch, error)
        if connection is not None:
            with suppress(sqlite3.Error):  # what was acknowledged is durable; a last checkpoint may find no room
                connection.close()

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


def connect(path: Path) -> sqlite3.Connection:
    """A connection with the ledger's settings; every way in which a file can't be one is a clear sentence."""
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise UserError(f"{path} is a folder, and a ledger is a file: name one with --ledger.")
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            connection.execute("PRAGMA synchronous = FULL")
            migrate(connection, path)
            connection.execute("PRAGMA journal_mode = WAL")
        except BaseException:
            connection.close()
            raise
    return connection


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite and the file system say into one sentence."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        said = str(error)
        if "not a database" in said or "malformed" in said:
            what = "is not a ledger, or is damaged. It is left as it is: name another file with --ledger."
        elif "full" in said or "disk I/O" in said or "No space" in said:
            what = "can't be written: the disk is full or broken. What was stored is kept: make room and run again."
        elif "locked" in said:
            what = f"was locked by another process for over {BUSY_SECONDS:.0f} seconds: run again when that is done."
        else:
            what = "can't be opened for writing: check its permissions, or name another file with --ledger."
        raise UserError(f"The ledger {path} {what} ({said})") from error


def reply_from_row(values: Sequence[Any]) -> Reply:
    """A reply from the values of REPLY_COLUMNS."""
    (
        status,
        text,
        reasoning,
        finish,
        served,
        tokens_in,
        tokens_cached,
        tokens_out,
        logprobs,
        latency,
        attempts,
    ) = values
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


def insert_reply(connection: sqlite3.Connection, ask: Ask, model: str, received_at: float, reply: Reply) -> int:
    """Append a reply; gives its row's id."""
    values = (
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
    sql = f"INSERT INTO replies (key, model, received_at, ask, {REPLY_COLUMNS}) VALUES ({marks(values)})"  # noqa: S608
    row = connection.execute(sql, values).lastrowid
    assert row is not None
    return row


def _commit(connection: sqlite3.Connection, lookup: Lookup, batch: list[_Entry]) -> list[Reply]:
    """Store a batch in one durable transaction; gives for each what the ledger now holds."""
    now = round(time.time(), 3)
    connection.execute("BEGIN IMMEDIATE")
    try:
        known = lookup.find([bytes.fromhex(entry.ask.key) for entry in batch])
        kept = []
        for ask, model, reply, _ in batch:
            key = bytes.fromhex(ask.key)
            if key in known:
                sql = f"SELECT {REPLY_COLUMNS} FROM replies WHERE id = ?"  # noqa: S608
                reply = reply_from_row(connection.execute(sql, (known[key],)).fetchone())
            elif reply.status == "failed":
                connection.execute(
                    "INSERT INTO failures (key, model, failed_at, ask, reason, attempts) VALUES (?, ?, ?, ?, ?, ?)",
                    (key, model, now, ask.canonical, reply.error or "", reply.attempts),
                )
            else:
                known[key] = insert_reply(connection, ask, model, now, reply)
                lookup.added(key, known[key])
            kept.append(reply)
        lookup.take_in_if_grown()
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # a full disk may have rolled it back already
            connection.execute("ROLLBACK")
        raise
    return kept


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
