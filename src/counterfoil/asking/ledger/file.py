"""The ledger's file: its tables, and how it is opened, to write or only to read."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import time
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from counterfoil import sqlite
from counterfoil.errors import UserError

# Marks the file as ours in its header, so that no other program's database is touched by mistake ("cfol").
APPLICATION_ID = 0x63666F6C

MIGRATIONS: dict[str, str] = {
    # Replies are appended in the order they come: a B-tree over random keys would rewrite a page for each of them.
    # `lookup` is that B-tree, filled from time to time in bulk; `lookup_state` says up to which reply.
    "0001-replies": """
        CREATE TABLE replies (
            id INTEGER PRIMARY KEY,
            key BLOB NOT NULL,
            model TEXT NOT NULL,
            status TEXT NOT NULL CHECK (status IN ('ok', 'refused', 'truncated')),
            received_at REAL NOT NULL,
            ask TEXT NOT NULL,
            text TEXT NOT NULL,
            reasoning TEXT,
            finish_reason TEXT,
            served_model TEXT,
            input_tokens INTEGER,
            cached_tokens INTEGER,
            output_tokens INTEGER,
            logprobs TEXT,
            latency REAL NOT NULL,
            attempts INTEGER NOT NULL
        );
        CREATE TABLE lookup (key BLOB PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE lookup_state (up_to INTEGER NOT NULL);
        INSERT INTO lookup_state VALUES (0);
    """,
    "0002-failures": """
        CREATE TABLE failures (
            id INTEGER PRIMARY KEY,
            key BLOB NOT NULL,
            model TEXT NOT NULL,
            failed_at REAL NOT NULL,
            ask TEXT NOT NULL,
            reason TEXT NOT NULL,
            attempts INTEGER NOT NULL
        );
    """,
    # Asks that are with a provider in a batch, or on their way there; they are here until their batch is collected.
    "0003-batches": """
        CREATE TABLE batches (
            id INTEGER PRIMARY KEY,
            token TEXT NOT NULL,
            provider TEXT NOT NULL,
            base_url TEXT NOT NULL,
            model TEXT NOT NULL,
            asks INTEGER NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('claimed', 'posting', 'under way', 'collected')),
            since REAL NOT NULL,
            batch_id TEXT,
            is_sure INTEGER NOT NULL DEFAULT 1,
            not_ours TEXT NOT NULL DEFAULT '[]'
        );
        CREATE TABLE batch_asks (
            id INTEGER PRIMARY KEY,
            key BLOB NOT NULL UNIQUE,
            batch INTEGER NOT NULL REFERENCES batches (id),
            ask TEXT NOT NULL
        );
        CREATE INDEX batch_asks_of ON batch_asks (batch);
    """,
    "0004-reasoning-tokens": "ALTER TABLE replies ADD COLUMN reasoning_tokens INTEGER",
    # Replies that were there before have none.
    "0005-check-sums": "ALTER TABLE replies ADD COLUMN check_sum INTEGER",
}
# What reading needs: a ledger that has not been written to since an update is read as it is.
NEEDED_TO_READ = {"0001-replies", "0002-failures"}
LATER_COLUMNS = {"0004-reasoning-tokens": "reasoning_tokens", "0005-check-sums": "check_sum"}

_TROUBLE: dict[sqlite.Trouble, str] = {
    "damaged": "is not a ledger, or is damaged. It is left as it is: name another file with --ledger.",
    "full": "can't be written: the disk is full or broken. What was stored is kept: make room and run again.",
    "locked": f"was locked by another process for over {sqlite.BUSY_SECONDS:.0f} seconds: run again when that is done.",
    "refused": "can't be opened for writing: check its permissions, or name another file with --ledger.",
}
# With less room not even the first replies could be kept.
LEAST_ROOM = 65_536
# A damaged text is read as one that can't be written, and not as an error.
_AS_TEXT = partial(str, encoding="utf-8", errors="surrogateescape")


def connect(path: Path, *, any_thread: bool = False) -> sqlite3.Connection:
    """A connection to a ledger, which is made or brought up to date if need be."""
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        _refuse_folder(path)
        connection = sqlite.connect(path, any_thread=any_thread)
        try:
            _migrate(connection, path)
            connection.execute("PRAGMA journal_mode = WAL")
        except BaseException as error:
            connection.close()
            if isinstance(error, sqlite3.OperationalError):
                refuse_full(path)
            raise
    connection.text_factory = _AS_TEXT
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection | None:
    """A connection that changes nothing; None where there is no ledger yet, or an empty file."""
    if not path.exists():
        return None
    with explained(path):
        _refuse_folder(path)
        try:
            return _readable(sqlite.connect(path, "ro"), path)
        except sqlite3.OperationalError:
            # In a folder that can't be written to, such as an archive, the file is read as it is; what waits beside it
            # to be written into it would be missed.
            waiting = path.with_name(f"{path.name}-wal")
            if waiting.exists() and waiting.stat().st_size:
                raise
            return _readable(sqlite.connect(path, "immutable"), path)


def _readable(connection: sqlite3.Connection, path: Path) -> sqlite3.Connection | None:
    """The connection, if there is a ledger behind it; else it is closed."""
    is_ledger = False
    try:
        applied = set(_applied(connection, path))
        is_ledger = applied >= NEEDED_TO_READ
        missing = [f"NULL AS {column}" for name, column in LATER_COLUMNS.items() if name not in applied]
        if is_ledger and missing:
            sql = f"CREATE TEMP VIEW replies AS SELECT *, {', '.join(missing)} FROM main.replies"  # noqa: S608
            connection.execute(sql)
    finally:
        if not is_ledger:
            connection.close()
    connection.text_factory = _AS_TEXT
    return connection if is_ledger else None


def refuse_full(path: Path) -> None:
    """OSError where the disk has no room."""
    if shutil.disk_usage(path.parent).free < LEAST_ROOM:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def explained(path: Path) -> AbstractContextManager[None]:
    """Turn what SQLite and the file system say of a ledger into one sentence."""
    return sqlite.explained(f"The ledger {path}", _TROUBLE)


def _refuse_folder(path: Path) -> None:
    if path.is_dir():
        raise UserError(f"{path} is a folder, and a ledger is a file: name one with --ledger.")


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring the database up to date."""
    applied = _applied(connection, path)
    if applied == list(MIGRATIONS):
        return
    with sqlite.transaction(connection):
        applied = _applied(connection, path)  # another process may have been first
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at REAL)")
        for name, script in MIGRATIONS.items():
            if name not in applied:
                for statement in script.split(";"):
                    connection.execute(statement)
                connection.execute("INSERT INTO migrations VALUES (?, ?)", (name, time.time()))


def _applied(connection: sqlite3.Connection, path: Path) -> list[str]:
    """The migrations that the file has; refuses what is not a ledger or comes from a newer version."""
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables:
        return []
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    if application_id != APPLICATION_ID or "migrations" not in tables:
        raise UserError(f"{path} is a database of another program, not a ledger: name another file with --ledger.")
    applied = [row[0] for row in connection.execute("SELECT name FROM migrations ORDER BY name")]
    unknown = [name for name in applied if name not in MIGRATIONS]
    if unknown:
        raise UserError(
            f"{path} was written by a newer version of counterfoil (it has {unknown[0]}): "
            "update counterfoil, or name another file with --ledger."
        )
    return applied
