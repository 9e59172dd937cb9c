"""What reviewers said of a curation's questions: an SQLite file in its folder, to which is only added."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from counterfoil import sqlite
from counterfoil.errors import UserError

FILE = "review.sqlite"
SCHEMA = """
CREATE TABLE IF NOT EXISTS entry (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    question TEXT NOT NULL,
    reviewer TEXT NOT NULL,
    decision TEXT NOT NULL CHECK (decision IN ('keep', 'drop')),
    reason TEXT NOT NULL,
    answer TEXT NOT NULL,
    aliases TEXT NOT NULL,
    settles INTEGER NOT NULL,
    at TEXT NOT NULL
)
"""


class Entry(NamedTuple):
    """What one reviewer said of a question, keep or drop, with the answer and aliases as they are to be. `settles`: it
    is the last word where reviewers disagree.
    """

    question: str
    reviewer: str
    decision: str
    reason: str
    answer: str
    aliases: tuple[str, ...]
    settles: bool
    at: str = ""


class Standing(NamedTuple):
    """Where a question stands: the latest entry of each reviewer, and what holds, None while that is open."""

    entries: dict[str, Entry]
    holds: Entry | None

    @property
    def is_disputed(self) -> bool:
        return bool(self.entries) and self.holds is None


def add(folder: Path, entry: Entry) -> None:
    """Save an entry: it is on the disk when this returns."""
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    aliases = msgspec.json.encode(entry.aliases).decode()
    row = [*entry[:5], aliases, int(entry.settles), at]
    with _connected(folder / FILE) as connection:
        connection.execute(
            "INSERT INTO entry (question, reviewer, decision, reason, answer, aliases, settles, at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            row,
        )


def standings(folder: Path) -> dict[str, Standing]:
    """Of every question that somebody said something of."""
    if not (folder / FILE).is_file():
        return {}
    with _connected(folder / FILE) as connection:
        rows = connection.execute(
            "SELECT question, reviewer, decision, reason, answer, aliases, settles, at FROM entry ORDER BY id"
        ).fetchall()
    by_question: dict[str, list[Entry]] = {}
    for row in rows:
        entry = _entry(row)
        by_question.setdefault(entry.question, []).append(entry)
    return {question: standing(entries) for question, entries in by_question.items()}


def standing(entries: Sequence[Entry]) -> Standing:
    """All reviewers of one mind, by their latest entries, or the latest entry that settles it."""
    latest = {entry.reviewer: entry for entry in entries}
    settling = [entry for entry in entries if entry.settles]
    if settling:
        return Standing(latest, settling[-1])
    minds = {(it.decision, *((it.answer, it.aliases) if it.decision == "keep" else ())) for it in latest.values()}
    if len(minds) != 1:
        return Standing(latest, None)
    reasons = "; ".join(dict.fromkeys(it.reason for it in latest.values() if it.reason))
    return Standing(latest, next(iter(latest.values()))._replace(reason=reasons))


def _entry(row: Sequence[Any]) -> Entry:
    question, reviewer, decision, reason, answer, aliases, settles, at = row
    names = msgspec.json.decode(aliases, type=tuple[str, ...])
    return Entry(question, reviewer, decision, reason, answer, names, bool(settles), at)


@contextmanager
def _connected(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        with closing(sqlite.connect(path)) as connection:
            connection.execute(SCHEMA)
            yield connection
    except sqlite3.Error as error:
        raise UserError(f"{path} can't be used: {error}. Check its permissions and the disk.") from error
