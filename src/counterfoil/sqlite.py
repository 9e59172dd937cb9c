"""SQLite files: opened so that what was committed is durable; what goes wrong with one is a sentence for its user."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from counterfoil.errors import UserError

# How long another process may hold the file.
BUSY_SECONDS = 60.0

# The kinds of trouble that users can do something about.
Trouble = Literal["damaged", "full", "locked", "refused"]


Mode = Literal["rwc", "rw", "ro", "immutable"]


def connect(path: Path, mode: Mode = "rwc", *, any_thread: bool = False) -> sqlite3.Connection:
    """A connection without implicit transactions. `mode`: whether a missing file is made, and whether it is written;
    "immutable" reads a file that nobody writes.

    `any_thread`: any thread may use it, and the caller sees to it that they take turns.
    """
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{'immutable=1&mode=ro' if mode == 'immutable' else f'mode={mode}'}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=not any_thread,
    )
    try:
        if mode in ("rwc", "rw"):
            connection.execute("PRAGMA synchronous = FULL")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """All that is done inside, durable at the end, or nothing of it. Other processes wait."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # a full disk may have rolled it back already
            connection.execute("ROLLBACK")
        raise


@contextmanager
def explained(name: str, sentences: Mapping[Trouble, str]) -> Iterator[None]:
    """Turn what SQLite and the file system say of a file into one sentence."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise UserError(f"{name} {sentences[trouble_of(error)]} ({error})") from error


def trouble_of(error: Exception) -> Trouble:
    """SQLite has no types for them; its words have been the same for many years."""
    said = str(error)
    if "not a database" in said or "malformed" in said or "Could not decode" in said:
        return "damaged"
    if "full" in said or "disk I/O" in said or "No space" in said:
        return "full"
    return "locked" if "locked" in said else "refused"
