"""Finding replies by the keys of their asks."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeVar

from counterfoil.asking.ask import Reply
from counterfoil.asking.ledger.replies import INSERT_COLUMNS, SUMMED_COLUMNS, check_sum, is_whole, reply_from_row

ROWS_PER_STATEMENT = 64
# More would cost memory and time at the start, fewer more writing.
LONGEST_TAIL = 16_384
KEYS_PER_QUERY = 500

T = TypeVar("T")


class Found(NamedTuple):
    """A reply that is there, with its model as the user named it, and when it came."""

    key: bytes
    model: str
    received_at: float
    reply: Reply


class Lookup:
    """Keys to row ids, as one connection sees them; where two replies have one key, the first.

    It finds a reply by its key without a page write for each reply that is kept. The newest replies are found through a
    table in memory, older ones through the table `lookup`. That takes the newest in when they have grown many: in bulk
    and in the order of their keys, so that each of its pages is written once.

    `has_changed`: another connection has written to the file since this began. `damaged`: rows that were found to be
    not as they were written, by their keys. They are none.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.has_changed = False
        self.damaged: dict[bytes, int] = {}
        self._connection = connection
        self._first_version = self._version_now()
        self._version: int | None = None
        self._tail: dict[bytes, int] = {}
        self._taken_in = 0
        self._seen = 0

    def find(self, keys: Sequence[bytes]) -> dict[bytes, int]:
        """Those of the keys that are there, with their rows' ids. Looks at what other processes wrote, too."""
        self._look()
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

    def replies(self, keys: Sequence[bytes]) -> Iterator[Found]:
        """The replies of those of the keys that are there, undamaged."""
        key_of_row = {row: key for key, row in self.find(keys).items()}
        for some in chunks(sorted(key_of_row)):
            sql = f"SELECT id, {SUMMED_COLUMNS}, check_sum FROM replies WHERE id IN ({marks(some)})"  # noqa: S608
            for row, *values, summed in self._connection.execute(sql, some):
                key = key_of_row[row]
                if values[0] == key and is_whole(values, summed):
                    yield Found(key, values[1], values[2], reply_from_row(values[3:]))
                else:
                    self.damaged[key] = row

    def append(self, rows: Mapping[bytes, Sequence[Any]]) -> None:
        """Append rows of `reply_row` by their keys, in the transaction that is open.

        Many rows go into one statement: each statement is a moment in which this thread must win the interpreter back
        from the one that asks. A tail that has grown long moves into the table `lookup`. A row takes the place of a
        damaged one. Ids are given here, so that none comes a second time after a prune: other processes know it.
        """
        keys, start = list(rows), 0
        for key in self.damaged.keys() & rows.keys():
            self._connection.execute("DELETE FROM replies WHERE id = ?", (self.damaged.pop(key),))
            self._connection.execute("DELETE FROM lookup WHERE key = ?", (key,))
            self._tail.pop(key, None)
        while start < len(keys):
            some = keys[start : start + ROWS_PER_STATEMENT]
            first = max(self._seen, self._taken_in) + 1
            values: list[Any] = []
            for row, key in enumerate(some, start=first):
                of_key = rows[key]
                values += (row, *of_key, check_sum((*of_key[:3], *of_key[4:])))
                self._tail.setdefault(key, row)
            self._connection.execute(_insert_sql(len(some)), values)
            self._seen = first + len(some) - 1
            start += len(some)
        if len(self._tail) >= LONGEST_TAIL:
            take_in_all(self._connection)
            self._refresh()

    def _look(self) -> None:
        """Take in what other connections have written, where they have."""
        version = self._version_now()
        if version != self._version:
            self.has_changed = version != self._first_version
            self._version = version
            self._refresh()

    def _version_now(self) -> int:
        """A number that is another when another connection has written to the file."""
        (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        return int(version)

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


@cache
def _insert_sql(rows: int) -> str:
    columns = f"id, {INSERT_COLUMNS}, check_sum"
    row = f"({marks(columns.split(','))})"
    return f"INSERT INTO replies ({columns}) VALUES {','.join([row] * rows)}"  # noqa: S608


def take_in_all(connection: sqlite3.Connection) -> None:
    """Make `lookup` complete, in the transaction that is open."""
    connection.execute(
        "INSERT OR IGNORE INTO lookup SELECT key, min(id) FROM replies"
        " WHERE id > (SELECT up_to FROM lookup_state) GROUP BY key ORDER BY key"
    )
    connection.execute("UPDATE lookup_state SET up_to = max(up_to, (SELECT coalesce(max(id), 0) FROM replies))")


def chunks(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """Parts that fit into one query."""
    for start in range(0, len(items), KEYS_PER_QUERY):
        yield items[start : start + KEYS_PER_QUERY]


def marks(items: Sequence[object]) -> str:
    """A question mark for each."""
    return ",".join("?" * len(items))
