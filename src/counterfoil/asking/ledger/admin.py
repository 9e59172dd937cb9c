"""Work on a ledger beside asking: look into it, export it, take another one in, prune it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from counterfoil.asking.ask import Ask, Reply, ask_from_canonical
from counterfoil.asking.ledger.file import connect, connect_to_read, explained
from counterfoil.asking.ledger.lookup import KEYS_PER_QUERY, Lookup, take_in_all
from counterfoil.asking.ledger.replies import INSERT_COLUMNS, reply_from_row, reply_row
from counterfoil.errors import UserError
from counterfoil.sqlite import transaction
from counterfoil.tables import lines_of


class ModelInfo(msgspec.Struct):
    """What a ledger holds of one model, by the name that the user gave."""

    model: str
    replies: int
    refused: int
    truncated: int
    failures: int
    input_tokens: int
    output_tokens: int
    first: float | None
    last: float | None


class ExportedReply(msgspec.Struct):
    """A line of an export: all that the ledger knows of one reply."""

    key: str
    model: str
    received_at: float
    ask: dict[str, Any]
    reply: Reply


class Imported(NamedTuple):
    """A reply from elsewhere that was checked, as `reply_row` wants it."""

    ask: Ask
    model: str
    received_at: float
    reply: Reply


class BatchInfo(msgspec.Struct):
    """A batch that was submitted and not collected; `batch` is None where its id is not known yet."""

    model: str
    batch: str | None
    asks: int
    since: float


def batches_under_way(path: Path) -> list[BatchInfo]:
    """The batches that another run with this ledger will collect."""
    with explained(path), closing(_to_read(path)) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'batches'").fetchone():
            return []
        rows = connection.execute(
            "SELECT model, batch_id, asks, since FROM batches WHERE state IN ('posting', 'under way') ORDER BY id"
        ).fetchall()
    return [BatchInfo(*row) for row in rows]


def info(path: Path) -> list[ModelInfo]:
    """What is there, model by model."""
    with explained(path), closing(_to_read(path)) as connection:
        failures = dict(connection.execute("SELECT model, count(*) FROM failures GROUP BY model"))
        rows = connection.execute(
            "SELECT model, count(*), sum(status = 'refused'), sum(status = 'truncated'),"
            " coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0), min(received_at), max(received_at)"
            " FROM replies GROUP BY model"
        ).fetchall()
    infos = [ModelInfo(m, n, r, t, failures.pop(m, 0), i, o, first, last) for m, n, r, t, i, o, first, last in rows]
    infos += [ModelInfo(model, 0, 0, 0, number, 0, 0, None, None) for model, number in failures.items()]
    return sorted(infos, key=lambda info: info.model)


def export(path: Path, model: str | None = None) -> Iterator[ExportedReply]:
    """All replies, or those of one model, in the order they came."""
    with explained(path), closing(_to_read(path)) as connection:
        sql = f"SELECT {INSERT_COLUMNS} FROM replies WHERE :model IS NULL OR model = :model ORDER BY id"  # noqa: S608
        for key, name, at, ask, *values in connection.execute(sql, {"model": model}):
            yield ExportedReply(key.hex(), name, at, msgspec.json.decode(ask), reply_from_row(values))


def take_in(path: Path, replies: Iterable[Imported]) -> tuple[int, int]:
    """Take replies from elsewhere in; gives how many were new and how many were there. All of them, or none."""
    new = there = 0
    is_new = not path.exists()
    with explained(path), closing(connect(path)) as connection:
        lookup = Lookup(connection)
        try:
            with transaction(connection):
                remaining = iter(replies)
                while some := list(islice(remaining, KEYS_PER_QUERY)):
                    added = _add(lookup, some)
                    new += added
                    there += len(some) - added
        except BaseException:
            connection.close()
            if is_new:
                path.unlink()
            raise
    return new, there


def read_export(path: Path) -> Iterator[Imported]:
    """The replies of an export, each checked."""
    for where, line in lines_of(path):
        yield _checked_line(line, where)


def prune(path: Path, *, model: str | None, before: float | None, dry: bool) -> tuple[int, int]:
    """Remove replies and failures of a model, or from before a time; gives how many of each. `dry` only counts."""
    where = "(:model IS NULL OR model = :model) AND (:before IS NULL OR {time} < :before)"
    chosen = {"model": model, "before": before}
    tables = [f"FROM replies WHERE {where.format(time='received_at')}"]
    tables += [f"FROM failures WHERE {where.format(time='failed_at')}"]
    _to_read(path).close()
    with explained(path), closing(_to_read(path) if dry else connect(path)) as connection:
        replies, failures = (connection.execute(f"SELECT count(*) {rows}", chosen).fetchone()[0] for rows in tables)
        if dry:
            return replies, failures
        with transaction(connection):
            for rows in tables:
                connection.execute(f"DELETE {rows}", chosen)
            connection.execute("DELETE FROM lookup")
            connection.execute("UPDATE lookup_state SET up_to = 0")
            take_in_all(connection)
        connection.execute("VACUUM")
    return replies, failures


def _to_read(path: Path) -> sqlite3.Connection:
    connection = connect_to_read(path)
    if connection is None:
        raise UserError(f"There is no ledger {path}: name one with --ledger.")
    return connection


def _add(lookup: Lookup, replies: Sequence[Imported]) -> int:
    """Append those whose keys are not there, the first of each key; gives how many these were."""
    by_key: dict[bytes, Imported] = {}
    for reply in replies:
        by_key.setdefault(bytes.fromhex(reply.ask.key), reply)
    found = lookup.find(list(by_key))
    missing = {key: reply_row(*reply) for key, reply in by_key.items() if key not in found}
    lookup.append(missing)
    return len(missing)


def _checked_line(line: bytes, where: str) -> Imported:
    try:
        exported = msgspec.json.decode(line, type=ExportedReply)
        ask = ask_from_canonical(msgspec.json.encode(exported.ask).decode())
    except msgspec.DecodeError as error:
        raise UserError(f"{where} is no exported reply: {error}. Nothing was taken in.") from error
    if ask.key != exported.key:
        raise UserError(f"{where}: the key does not fit the ask, so one of them was changed. Nothing was taken in.")
    if exported.reply.status == "failed":
        raise UserError(f"{where} is a failure, not a reply. Nothing was taken in.")
    return Imported(ask, exported.model, exported.received_at, exported.reply)


def parse_time(text: str) -> float:
    """Seconds since 1970 from a date, or from a number of days ago as in 30d."""
    if text.endswith("d") and text[:-1].isdigit():
        return time.time() - int(text[:-1]) * 86_400
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise UserError(f"{text} is no date: write it as 2026-11-15, or as a number of days, 30d.") from error
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
