"""SQLite files: what is committed stays, what is not leaves nothing, and trouble is a sentence."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from counterfoil.errors import UserError
from counterfoil.sqlite import Trouble, connect, explained, transaction, trouble_of

SENTENCES: dict[Trouble, str] = {"damaged": "is broken.", "full": "is full.", "locked": "waits.", "refused": "is shut."}


def _fail_after(connection: sqlite3.Connection, statement: str) -> None:
    with transaction(connection):
        connection.execute(statement)
        raise ZeroDivisionError


def test_a_transaction_is_all_or_nothing(tmp_path: Path) -> None:
    with closing(connect(tmp_path / "a b?#%.sqlite")) as connection:
        with transaction(connection):
            connection.execute("CREATE TABLE one (number)")
        with pytest.raises(ZeroDivisionError):
            _fail_after(connection, "INSERT INTO one VALUES (1)")
        with transaction(connection):
            connection.execute("INSERT INTO one VALUES (2)")
    assert [path.name for path in tmp_path.iterdir()] == ["a b?#%.sqlite"]
    with closing(connect(tmp_path / "a b?#%.sqlite", "ro")) as connection:
        assert connection.execute("SELECT * FROM one").fetchall() == [(2,)]
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            connection.execute("INSERT INTO one VALUES (3)")


def test_what_was_rolled_back_by_a_full_disk_is_not_rolled_back_twice(tmp_path: Path) -> None:
    with closing(connect(tmp_path / "a.sqlite")) as connection:
        with pytest.raises(ZeroDivisionError):
            _fail_after(connection, "ROLLBACK")
        assert not connection.in_transaction


@pytest.mark.parametrize("mode", ["rw", "ro"])
def test_a_file_that_is_not_there_is_not_made(tmp_path: Path, mode: str) -> None:
    with pytest.raises(sqlite3.OperationalError):
        connect(tmp_path / "nix", mode)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("said", "trouble"),
    [
        ("file is not a database", "damaged"),
        ("database disk image is malformed", "damaged"),
        ("Could not decode to UTF-8 column 'name' with text '\ufffd'", "damaged"),
        ("database or disk is full", "full"),
        ("disk I/O error", "full"),
        ("No space left on device", "full"),
        ("database is locked", "locked"),
        ("unable to open database file", "refused"),
    ],
)
def test_trouble_is_told_apart(said: str, trouble: Trouble) -> None:
    assert trouble_of(sqlite3.OperationalError(said)) == trouble
    with pytest.raises(UserError) as raised, explained("The file f", SENTENCES):
        raise sqlite3.OperationalError(said)
    assert str(raised.value) == f"The file f {SENTENCES[trouble]} ({said})"
