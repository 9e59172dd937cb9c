"""The study's file: its tables, how it is made and opened; what can go wrong is one sentence."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, closing
from pathlib import Path

from counterfoil import sqlite
from counterfoil.errors import UserError

_TROUBLE: dict[sqlite.Trouble, str] = {
    "damaged": "is no study, or is damaged.",
    "full": "can't be written: the disk is full or broken; what was saved is kept.",
    "locked": f"was locked by another process for over {sqlite.BUSY_SECONDS:.0f} seconds: try again.",
    "refused": "can't be used: check its permissions.",
}
APPLICATION = 0x43465352
VERSION = 1

# Ratings are only ever added. `task` holds what raters see, `source` what they must not.
SCHEMA = """
CREATE TABLE about (content TEXT NOT NULL);
CREATE TABLE task (id INTEGER PRIMARY KEY, items INTEGER NOT NULL, content TEXT NOT NULL);
CREATE TABLE source (task INTEGER PRIMARY KEY REFERENCES task, content TEXT NOT NULL);
CREATE TABLE rater (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, token TEXT NOT NULL UNIQUE);
CREATE TABLE assignment (
    rater INTEGER NOT NULL REFERENCES rater,
    place INTEGER NOT NULL,
    task INTEGER NOT NULL REFERENCES task,
    PRIMARY KEY (rater, place),
    UNIQUE (rater, task)
) WITHOUT ROWID;
CREATE TABLE rating (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    rater INTEGER NOT NULL REFERENCES rater,
    task INTEGER NOT NULL REFERENCES task,
    item TEXT NOT NULL,
    value TEXT NOT NULL,
    at TEXT NOT NULL,
    form TEXT NOT NULL,
    undoes INTEGER REFERENCES rating
);
CREATE INDEX rating_latest ON rating (rater, task, item, id);
CREATE UNIQUE INDEX rating_undone ON rating (undoes) WHERE undoes IS NOT NULL;
CREATE TRIGGER rating_stays BEFORE UPDATE ON rating BEGIN SELECT RAISE(ABORT, 'a rating is never changed'); END;
CREATE TRIGGER rating_is_kept BEFORE DELETE ON rating BEGIN SELECT RAISE(ABORT, 'a rating is never deleted'); END;
"""


def create_file(path: Path, fill: Callable[[sqlite3.Connection], None]) -> None:
    """Make the file with all that `fill` puts into it, or nothing; one that is there already stays as it is."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with explained(path):
        try:
            temporary.unlink(missing_ok=True)
            # Tokens are in it: it is for its owner alone.
            os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            with closing(_connect(temporary)) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute(f"PRAGMA user_version = {VERSION}")
                connection.executescript(f"BEGIN; {SCHEMA}")
                fill(connection)
                connection.execute("COMMIT")
            # Unlike a rename, a link never takes another file's place.
            os.link(temporary, path)
        except FileExistsError as error:
            raise UserError(f"There is a study in {path} already: take another name.") from error
        finally:
            temporary.unlink(missing_ok=True)


def open_file(path: Path) -> sqlite3.Connection:
    """A connection to a study, for any thread; the caller sees to it that they take turns."""
    if not path.is_file():
        raise UserError(f"There is no study {path}.")
    with explained(path), ExitStack() as opened:
        connection = opened.enter_context(closing(_connect(path)))
        [application] = connection.execute("PRAGMA application_id").fetchone()
        [version] = connection.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION:
            raise UserError(f"{path} is no study: make one with `counterfoil rate new`.")
        if version != VERSION:
            raise UserError(f"The study {path} was made by another version of counterfoil: open it with that one.")
        opened.pop_all()
    return connection


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite.connect(path, "rw", any_thread=True)
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def explained(path: Path) -> AbstractContextManager[None]:
    """Turn what SQLite and the file system say of a study into one sentence."""
    return sqlite.explained(str(path), _TROUBLE)
