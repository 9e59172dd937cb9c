"""What reviewers said of a curation's questions: an SQLite file in its folder, to which is only added."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

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


class Review(NamedTuple):
    """Of one question: the latest entry of each reviewer, and the one that holds, None while that is open."""

    entries: dict[str, Entry]
    holds: Entry | None

    @property
    def is_disputed(self) -> bool:
        return bool(self.entries) and self.holds is None


_COLUMNS = ", ".join(Entry._fields)
_INSERT = f"INSERT INTO entry ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 (our own names)
_SELECT = f"SELECT {_COLUMNS} FROM entry ORDER BY id"  # noqa: S608


def add(folder: Path, entry: Entry) -> None:
    """Save an entry: it is on the disk when this returns."""
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    aliases = msgspec.json.encode(entry.aliases).decode()
    with _connected(folder / FILE) as connection:
        connection.execute(_INSERT, [*entry[:5], aliases, int(entry.settles), at])


def read_reviews(folder: Path) -> dict[str, Review]:
    """Of every question that somebody said something of."""
    if not (folder / FILE).is_file():
        return {}
    by_question: dict[str, list[Entry]] = {}
    with _connected(folder / FILE) as connection:
        for question, reviewer, decision, reason, answer, aliases, settles, at in connection.execute(_SELECT):
            names = msgspec.json.decode(aliases, type=tuple[str, ...])
            entry = Entry(question, reviewer, decision, reason, answer, names, bool(settles), at)
            by_question.setdefault(entry.question, []).append(entry)
    return {question: review_of(entries) for question, entries in by_question.items()}


def review_of(entries: Sequence[Entry]) -> Review:
    """All reviewers of one mind, by their latest entries, or the latest entry that settles it."""
    latest = {entry.reviewer: entry for entry in entries}
    settling = [entry for entry in entries if entry.settles]
    if settling:
        return Review(latest, settling[-1])
    kept = {(entry.answer, entry.aliases) for entry in latest.values() if entry.decision == "keep"}
    is_dropped = any(entry.decision == "drop" for entry in latest.values())
    if len(kept) + is_dropped != 1:
        return Review(latest, None)
    reasons = "; ".join(dict.fromkeys(entry.reason for entry in latest.values() if entry.reason))
    return Review(latest, next(iter(latest.values()))._replace(reason=reasons))


@contextmanager
def _connected(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        with closing(sqlite.connect(path)) as connection:
            connection.execute(SCHEMA)
            yield connection
    except sqlite3.Error as error:
        raise UserError(f"{path} can't be used: {error}. Check its permissions and the disk.") from error
