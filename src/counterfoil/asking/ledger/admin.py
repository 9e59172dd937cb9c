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
from counterfoil.asking.ledger.replies import INSERT_COLUMNS, is_whole, reply_from_row, reply_row
from counterfoil.errors import UserError
from counterfoil.log import spelled_out
from counterfoil.sqlite import transaction
from counterfoil.tables import in_words, numbered


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


class Damaged(msgspec.Struct):
    """A reply that is not as it was written: its number in the file, its model if that is known, and what is wrong."""

    number: int
    model: str | None
    reason: str


class Checked(msgspec.Struct):
    """What was found in a ledger. `trouble`: what SQLite says of the file."""

    replies: int = 0
    without_check_sum: int = 0
    damaged: list[Damaged] = []
    trouble: list[str] = []

    @property
    def is_sound(self) -> bool:
        return not self.damaged and not self.trouble


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


def export(path: Path, model: str | None = None, damaged: list[Damaged] | None = None) -> Iterator[ExportedReply]:
    """All replies, or those of one model, in the order they came. Those that are damaged go to the list."""
    with explained(path), closing(_to_read(path)) as connection:
        if model is not None and not connection.execute("SELECT 1 FROM replies WHERE model = ?", (model,)).fetchone():
            names = [name for (name,) in connection.execute("SELECT DISTINCT model FROM replies ORDER BY model")]
            raise UserError(f"{path} has no replies of {model}: it has {', '.join(names) or 'none at all'}.")
        for row in _each_row(connection):
            if isinstance(row, ExportedReply):
                if model is None or row.model == model:
                    yield row
            elif damaged is not None:
                damaged.append(row)


def check(path: Path) -> Checked:
    """Look at the whole file and at every reply."""
    with explained(path), closing(_to_read(path)) as connection:
        said = [str(line) for (line,) in connection.execute("PRAGMA quick_check")]
        checked = Checked(trouble=[] if said == ["ok"] else said)
        for row in _each_row(connection):
            checked.replies += 1
            if isinstance(row, Damaged):
                checked.damaged.append(row)
        counted = connection.execute("SELECT count(*) FROM replies WHERE check_sum IS NULL")
        (checked.without_check_sum,) = counted.fetchone()
    return checked


def _each_row(connection: sqlite3.Connection) -> Iterator[ExportedReply | Damaged]:
    """Every reply in the order they came, or what is wrong with it."""
    sql = f"SELECT id, {INSERT_COLUMNS}, check_sum FROM replies WHERE id BETWEEN ? AND ? ORDER BY id"  # noqa: S608
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM replies").fetchone()
    for start in range(1, last + 1, KEYS_PER_QUERY):
        try:
            rows = connection.execute(sql, (start, start + KEYS_PER_QUERY - 1)).fetchall()
        except sqlite3.DatabaseError:  # a page is damaged: which of its rows can still be read?
            for row in range(start, min(start + KEYS_PER_QUERY, last + 1)):
                try:
                    yield from map(_checked_row, connection.execute(sql, (row, row)).fetchall())
                except sqlite3.DatabaseError as error:
                    yield Damaged(row, None, str(error))
        else:
            yield from map(_checked_row, rows)


def _checked_row(row: Sequence[Any]) -> ExportedReply | Damaged:
    number, key, model, at, ask, *values, summed = row
    name = spelled_out(model) if isinstance(model, str) else None
    if not is_whole((key, model, at, *values), summed):
        return Damaged(number, name, "its check sum is another" if summed is not None else "a text is damaged")
    try:
        if ask_from_canonical(ask).key != key.hex():
            return Damaged(number, name, "the ask does not fit its key")
        return ExportedReply(key.hex(), model, at, msgspec.json.decode(ask), reply_from_row(values))
    except (msgspec.DecodeError, ValueError) as error:
        return Damaged(number, name, spelled_out(str(error)))


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


def read_export(path: Path, left_out: list[str] | None = None) -> Iterator[Imported]:
    """The replies of an export, each checked. Sentences on lines that hold none go to the list, if one is given and
    there are others that do.
    """
    wrong: list[str] = [] if left_out is None else left_out
    found = False
    for place, line in _lines(path):
        try:
            reply = _checked_line(line, f"{path}, {place}")
        except UserError as error:
            if left_out is None:
                raise
            wrong.append(str(error))
        else:
            found = True
            yield reply
    if wrong and not found:
        raise UserError(f"{wrong[0]} No line of {path} is a reply, and nothing was taken in.")


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
            # `up_to` stays: no later reply may get the id of one that was removed.
            connection.execute(
                "INSERT OR IGNORE INTO lookup SELECT key, min(id) FROM replies GROUP BY key ORDER BY key"
            )
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


def _lines(path: Path) -> Iterator[tuple[str, bytes]]:
    """The lines of an export with their places. They are bytes: one that is no UTF-8 is not the others' fault."""
    try:
        with path.open("rb") as file:
            yield from numbered(file)
    except OSError as error:
        raise UserError(f"{path} can't be read: {error.strerror or error}.") from error


def _checked_line(line: bytes, where: str) -> Imported:
    try:
        exported = msgspec.json.decode(line, type=ExportedReply)
        ask = ask_from_canonical(msgspec.json.encode(exported.ask).decode())
        row = reply_row(ask, exported.model, exported.received_at, exported.reply)
    except (msgspec.DecodeError, ValueError) as error:
        raise UserError(f"{where} is no exported reply: {spelled_out(in_words(error))}.") from error
    if any(isinstance(value, int) and abs(value) >= 2**63 for value in row):
        raise UserError(f"{where} is no exported reply: it has a number that is too large.")
    if ask.key != exported.key:
        raise UserError(f"{where}: the key does not fit the ask, so one of them was changed.")
    if exported.reply.status == "failed":
        raise UserError(f"{where} is a failure, not a reply.")
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
