"""The ledger's tables, as named steps that are only ever added to."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

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
}
# What reading needs: a ledger that has not been written to since an update is read as it is.
NEEDED_TO_READ = {"0001-replies", "0002-failures"}


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring the database up to date; refuse what is not a ledger or comes from a newer version."""
    applied = _applied(connection, path)
    if applied == list(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        applied = _applied(connection, path)  # another process may have been first
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at REAL)")
        for name, script in MIGRATIONS.items():
            if name not in applied:
                for statement in script.split(";"):
                    connection.execute(statement)
                connection.execute("INSERT INTO migrations VALUES (?, ?)", (name, time.time()))
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def is_readable(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the replies are there; refuses what is not a ledger or comes from a newer version."""
    return set(_applied(connection, path)) >= NEEDED_TO_READ


def _applied(connection: sqlite3.Connection, path: Path) -> list[str]:
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
