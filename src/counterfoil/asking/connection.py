"""Opening the ledger's file: with its settings, or only to read; what can go wrong is one sentence."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from counterfoil.asking.migrations import is_readable, migrate
from counterfoil.errors import UserError
from counterfoil.sqlite_trouble import Trouble, trouble_of

BUSY_SECONDS = 60.0
_TROUBLE: dict[Trouble, str] = {
    "damaged": "is not a ledger, or is damaged. It is left as it is: name another file with --ledger.",
    "full": "can't be written: the disk is full or broken. What was stored is kept: make room and run again.",
    "locked": f"was locked by another process for over {BUSY_SECONDS:.0f} seconds: run again when that is done.",
    "refused": "can't be opened for writing: check its permissions, or name another file with --ledger.",
}


def connect(path: Path, *, any_thread: bool = False) -> sqlite3.Connection:
    """A connection with the ledger's settings; every way in which a file can't be one is a clear sentence."""
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise UserError(f"{path} is a folder, and a ledger is a file: name one with --ledger.")
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=not any_thread)
        try:
            connection.execute("PRAGMA synchronous = FULL")
            migrate(connection, path)
            connection.execute("PRAGMA journal_mode = WAL")
        except BaseException:
            connection.close()
            raise
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection | None:
    """A connection that changes nothing; None where there is no ledger yet, or an empty file."""
    if not path.exists():
        return None
    with explained(path):
        if path.is_dir():
            raise UserError(f"{path} is a folder, and a ledger is a file: name one with --ledger.")
        address = f"file:{quote(str(path.absolute()))}?mode=ro"
        connection = sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            if is_readable(connection, path):
                return connection
        except BaseException:
            connection.close()
            raise
        connection.close()
    return None


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite and the file system say into one sentence."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise UserError(f"The ledger {path} {_TROUBLE[trouble_of(error)]} ({error})") from error
