"""Batches under way, in the ledger's file: which asks are in which, so that no process submits one of them again.

A batch is `claimed` (its asks are ours to submit; nothing has been sent that could cost), then `posting` (the provider
may or may not have it), then `under way` (its id is known), and at last `collected` (its replies are in the ledger).
"""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from counterfoil.asking.ask import Ask, ask_from_canonical
from counterfoil.asking.ledger.file import connect, connect_to_read, explained
from counterfoil.asking.ledger.lookup import Lookup, chunks, marks
from counterfoil.sqlite import transaction

State = Literal["claimed", "posting", "under way", "collected"]


class Batch(NamedTuple):
    """One batch. `since`: when it was posted, or before that, claimed; `is_sure`: the id is certainly that of the
    batch.
    """

    id: int
    token: str
    model: str
    asks: int
    state: State
    since: float
    batch_id: str | None
    is_sure: bool


class Claim(NamedTuple):
    """A batch that is to be submitted, and the positions of the asks in it. `under_way`: asks that other batches hold,
    with these batches; `answered`: asks whose replies have come.
    """

    batch: Batch | None
    free: list[int]
    under_way: dict[bytes, int]
    answered: list[bytes]


class BatchStore:
    """The batches of one provider at one address. Any thread may use it, one at a time."""

    def __init__(self, path: Path, provider: str, base_url: str) -> None:
        self._path = path
        self._where = (provider, base_url)
        self._connection = connect(path, any_thread=True)
        self._lookup = Lookup(self._connection)

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._connection.close()

    def batch_of(self, key: bytes) -> int | None:
        """The batch that holds an ask."""
        return next((batch for (batch,) in self._rows("SELECT batch FROM batch_asks WHERE key = ?", key)), None)

    def get(self, batch: int) -> Batch | None:
        """A batch as it is now: another process may have been at it. None where it has been released."""
        return next(iter(self._select("id = ?", batch)), None)

    def unsettled(self) -> list[Batch]:
        """Batches of which it is not known that they are under way."""
        return self._select("state IN ('claimed', 'posting') AND provider = ? AND base_url = ?", *self._where)

    def known_ids(self, batch: int) -> set[str]:
        """Ids that can't be this batch's: those of other batches here, and those found to be somebody else's."""
        others = self._rows("SELECT batch_id FROM batches WHERE batch_id IS NOT NULL AND id != ?", batch)
        [(not_ours,)] = self._rows("SELECT not_ours FROM batches WHERE id = ?", batch)
        return {batch_id for (batch_id,) in others} | set(msgspec.json.decode(not_ours, type=list[str]))

    def claim(self, model: str, keys: Sequence[bytes], canonicals: Iterable[str]) -> Claim:
        """Take the asks that nobody holds and that have no reply yet for one new batch: all in one transaction."""
        with self._transaction() as connection:
            answered = set(self._lookup.find(keys))
            under_way: dict[bytes, int] = {}
            for some in chunks(keys):
                sql = f"SELECT key, batch FROM batch_asks WHERE key IN ({marks(some)})"  # noqa: S608
                under_way.update(connection.execute(sql, some))
            free = [i for i, key in enumerate(keys) if key not in answered and key not in under_way]
            if not free:
                return Claim(None, [], under_way, list(answered))
            values = (secrets.token_hex(16), *self._where, model, len(free), "claimed", time.time())
            batch = connection.execute(
                "INSERT INTO batches (token, provider, base_url, model, asks, state, since)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                values,
            ).lastrowid
            assert batch is not None
            wanted = set(free)
            connection.executemany(
                "INSERT INTO batch_asks (key, batch, ask) VALUES (?, ?, ?)",
                ((keys[i], batch, ask) for i, ask in enumerate(canonicals) if i in wanted),
            )
        return Claim(self.get(batch), free, under_way, list(answered))

    def mark_posting(self, batch: int) -> None:
        """From now on the provider may have it."""
        self._update("state = 'posting', since = ?", batch, time.time())

    def mark_under_way(self, batch: int, batch_id: str, *, is_sure: bool = True) -> None:
        """The provider has it, under this id."""
        self._update("state = 'under way', batch_id = ?, is_sure = ?", batch, batch_id, is_sure)

    def disown(self, batch: int) -> None:
        """The id that was found is somebody else's: it is unknown again whether the provider has the batch."""
        ids = "json_insert(not_ours, '$[#]', batch_id)"
        self._update(f"not_ours = {ids}, batch_id = NULL, is_sure = 1, state = 'posting'", batch)

    def release(self, batch: int) -> None:
        """The provider does not have it: its asks are anybody's again."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM batch_asks WHERE batch = ?", (batch,))
            connection.execute("DELETE FROM batches WHERE id = ?", (batch,))

    def mark_collected(self, batch: int) -> None:
        """All that will ever come of it is in the ledger."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM batch_asks WHERE batch = ?", (batch,))
            connection.execute("UPDATE batches SET state = 'collected' WHERE id = ?", (batch,))

    def asks(self, batch: int, keys: Sequence[bytes]) -> dict[bytes, Ask]:
        """Those of the keys that are in the batch, with their asks."""
        found: dict[bytes, Ask] = {}
        for some in chunks(keys):
            sql = f"SELECT key, ask FROM batch_asks WHERE batch = ? AND key IN ({marks(some)})"  # noqa: S608
            found |= {key: ask_from_canonical(ask) for key, ask in self._rows(sql, batch, *some)}
        return found

    def keys(self, batch: int) -> list[bytes]:
        """The keys of its asks, in the order of their lines."""
        return [key for (key,) in self._rows("SELECT key FROM batch_asks WHERE batch = ? ORDER BY id", batch)]

    def _select(self, where: str, *values: object) -> list[Batch]:
        sql = f"SELECT {', '.join(Batch._fields)} FROM batches WHERE {where} ORDER BY id"  # noqa: S608
        return [Batch(*row)._replace(is_sure=bool(row[-1])) for row in self._rows(sql, *values)]

    def _rows(self, sql: str, *values: object) -> list[Any]:
        with explained(self._path):
            return self._connection.execute(sql, values).fetchall()

    def _update(self, what: str, batch: int, *values: object) -> None:
        with self._transaction() as connection:
            connection.execute(f"UPDATE batches SET {what} WHERE id = ?", (*values, batch))  # noqa: S608

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with explained(self._path), transaction(self._connection) as connection:
            yield connection


# What was claimed and not posted is with nobody yet, and has cost nothing.
_POSTED = "FROM batch_asks JOIN batches ON batches.id = batch WHERE state IN ('posting', 'under way')"


class UnderWay:
    """Tells which asks are with a provider in a batch. It changes nothing in the ledger's file, which need not exist.

    Use as `with UnderWay(ledger) as under_way`.
    """

    def __init__(self, ledger: Path) -> None:
        self._path = ledger
        self._connection = connect_to_read(ledger)
        self.is_empty = not self._finds("SELECT 1 FROM sqlite_master WHERE name = 'batch_asks'") or not self._finds(
            f"SELECT 1 {_POSTED} LIMIT 1"
        )

    def __enter__(self) -> UnderWay:
        return self

    def __exit__(self, *_: object) -> None:
        if self._connection is not None:
            self._connection.close()

    def holds(self, key: str) -> bool:
        """Whether the ask of that key is in a batch that was posted and is not home."""
        return not self.is_empty and self._finds(f"SELECT 1 {_POSTED} AND key = ?", bytes.fromhex(key))

    def _finds(self, sql: str, *values: bytes) -> bool:
        if self._connection is None:
            return False
        with explained(self._path):
            return self._connection.execute(sql, values).fetchone() is not None
