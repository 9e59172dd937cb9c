"""The study: tasks, raters and every rating, in an SQLite file of its own.

Nothing is overwritten: a changed answer is a new row, and so is one that is taken back; the latest row of an item is
what holds. A rating is durable when `rate` returns. Any number of threads and processes may write at the same time.
"""

from __future__ import annotations

import hmac
import math
import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from counterfoil import sqlite
from counterfoil.errors import UserError
from counterfoil.suite.form import Form, FormQuestion, Task
from counterfoil.suite.opinions import Item, Opinions, Source, StudyTask, Value, items, plain_number

_TROUBLE: dict[sqlite.Trouble, str] = {
    "damaged": "is no study, or is damaged.",
    "full": "can't be written: the disk is full or broken; what was saved is kept.",
    "locked": f"was locked by another process for over {sqlite.BUSY_SECONDS:.0f} seconds: try again.",
    "refused": "can't be used: check its permissions.",
}
APPLICATION = 0x43465352
VERSION = 1

# Ratings are only ever added. `task` holds what raters see, `source` and `design` what they must not.
SCHEMA = """
CREATE TABLE about (content TEXT NOT NULL);
CREATE TABLE task (id INTEGER PRIMARY KEY, items INTEGER NOT NULL, content TEXT NOT NULL);
CREATE TABLE source (task INTEGER PRIMARY KEY REFERENCES task, content TEXT NOT NULL);
CREATE TABLE design (content TEXT NOT NULL);
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


@contextmanager
def new_file(path: Path) -> Iterator[sqlite3.Connection]:
    """Make the file with all that is put into it, or nothing; one that is there already stays as it is."""
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
                yield connection
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


# Beside the answers: a note on a reply, and that a rater can't tell. They are rows like any other, and no ratings.
NOTE, CANT_TELL = "~note", "~cant_tell"
LONGEST_TEXT = 5_000
HIGHEST_SCORE = 100


def checked_item(form: Form, task: Task, key: str) -> Item:
    """The item of that key, if the task has it."""
    found = next((item for item in items(form, task) if item.key == key), None)
    if found is None:
        raise UserError(f"Reply {task.id} of the study has no question {key!r}.")
    return found


def _checked_remark(key: str, value: object) -> Value:
    """A note as it is stored, or whether the rater can't tell."""
    if key == CANT_TELL:
        if isinstance(value, bool):
            return value
        raise UserError(f"Whether you can tell is true or false, not {value!r}.")
    text = value.strip() if isinstance(value, str) else ""
    if not isinstance(value, str) or len(text) > LONGEST_TEXT or "\0" in text:
        raise UserError(f"A note is a text of at most {LONGEST_TEXT:,} characters.")
    return text.encode("utf-8", "replace").decode("utf-8")


def checked_value(question: FormQuestion, value: object) -> Value:
    """The value as it is stored, if it answers the question; numbers may come as text."""
    if question.kind == "yes_no":
        if isinstance(value, bool):
            return value
        raise UserError(f"{question.name}: the answer is yes or no (true or false), not {value!r}.")
    if question.kind == "score":
        return _checked_score(question, value)
    if not isinstance(value, str):
        raise UserError(f"{question.name}: the answer is a text, not {value!r}.")
    text = value.strip()
    if question.kind == "choice" and text not in question.choices:
        raise UserError(f"{question.name}: the answer is one of {', '.join(question.choices)}, not {text[:50]!r}.")
    if question.kind == "number" and text:
        plain_number(text, question.name)
    if len(text) > LONGEST_TEXT or "\0" in text:
        raise UserError(f"{question.name}: the answer is a text of at most {LONGEST_TEXT:,} characters.")
    return text.encode("utf-8", "replace").decode("utf-8")


def _checked_score(question: FormQuestion, value: object) -> float:
    try:
        number = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not 0 <= number <= HIGHEST_SCORE:
        raise UserError(f"{question.name}: the score is a number from 0 to {HIGHEST_SCORE}, not {str(value)[:50]!r}.")
    return number


# The rater who decides where the others disagree: may rate every task, and counts as none of them.
ADJUDICATOR = "adjudicator"


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """How many replies of one kind there are, and how many of them were drawn."""

    in_run: int
    in_sample: int


class Design(msgspec.Struct, frozen=True, kw_only=True):
    """How a sample was drawn: each of `replies` with the same chance; or, to correct this `metric`, each of a stratum.
    `shares`: by column and value.
    """

    replies: int
    drawn: int
    shares: dict[str, dict[str, Share]]
    metric: str | None = None


class About(msgspec.Struct, frozen=True, kw_only=True):
    """What a study is. `run` is its run's folder, by its last name; the study lies in it.

    `suite_at` and `options` are the suite's place and options in that run.
    """

    name: str
    suite: str
    suite_at: str | None = None
    options: dict[str, Any] = {}
    form: Form
    seed: int
    per_question: int
    run: str
    created_at: str = ""


class Rater(NamedTuple):
    """A person with a link of their own."""

    id: int
    name: str
    token: str

    @property
    def is_adjudicator(self) -> bool:
        return self.name == ADJUDICATOR

    @property
    def link(self) -> str:
        return f"/rate/{self.token}"


class Rating(NamedTuple):
    """A row: what a rater said of an item, None where it was taken back. `undoes`: the row that this one undoes."""

    id: int
    rater: str
    task: int
    item: str
    value: Value | None
    at: str
    form: str
    undoes: int | None


class Changed(UserError):
    """An answer was given elsewhere since the page was loaded; `rating`: the one that is there now."""

    def __init__(self, rating: Rating | None) -> None:
        super().__init__("This was answered in another window since: see what is saved now, then answer again.")
        self.rating = rating


class Progress(NamedTuple):
    """How many of a rater's tasks are done, and of how many."""

    done: int
    tasks: int


class Study:
    """An open study. Close it, or use it in a `with` statement."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._lock = threading.RLock()
        self._connection = open_file(self.path)
        [[content]] = self._all("SELECT content FROM about")
        self.about = _about(content)
        self.form = self.about.form
        self._version = self.form.version

    @classmethod
    def create(
        cls,
        path: Path,
        about: About,
        tasks: Sequence[StudyTask],
        raters: Sequence[Rater],
        assigned: Mapping[int, Sequence[int]],
        design: Design | None = None,
    ) -> Study:
        """Write a new study, and open it; `assigned` has the tasks of each rater in their order."""
        about = msgspec.structs.replace(about, created_at=_now())
        with new_file(path) as connection:
            connection.execute("INSERT INTO about VALUES (?)", [_json(about)])
            connection.execute("INSERT INTO design VALUES (?)", [_json(design)])
            for task, source in ((each.task, each.source) for each in tasks):
                needed = len(items(about.form, task))
                connection.execute("INSERT INTO task VALUES (?, ?, ?)", [task.id, needed, _json(task)])
                connection.execute("INSERT INTO source VALUES (?, ?)", [task.id, _json(source)])
            connection.executemany("INSERT INTO rater VALUES (?, ?, ?)", raters)
            for person, numbers in assigned.items():
                rows = ((person, place, number) for place, number in enumerate(numbers))
                connection.executemany("INSERT INTO assignment VALUES (?, ?, ?)", rows)
        return cls(path)

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def design(self) -> Design | None:
        """How its replies were drawn; None in a study of an older version."""
        if not self._all("SELECT 1 FROM sqlite_master WHERE name = 'design'"):
            return None
        [[content]] = self._all("SELECT content FROM design")
        return msgspec.json.decode(content, type=Design | None)

    def raters(self) -> list[Rater]:
        """All of them, the adjudicator last."""
        rows = self._all("SELECT id, name, token FROM rater ORDER BY id")
        return [Rater(*row) for row in rows]

    def rater(self, token: str) -> Rater:
        """Whose token that is; compared in constant time."""
        given = token.encode("utf-8", "replace")
        found = [rater for rater in self.raters() if hmac.compare_digest(rater.token.encode(), given)]
        if not found:
            raise UserError("There is no rater with this link: check that it was copied whole.")
        return found[0]

    def assigned(self, rater: Rater) -> list[int]:
        """The rater's tasks in their order; all tasks for the adjudicator."""
        if rater.is_adjudicator:
            return [task for [task] in self._all("SELECT id FROM task ORDER BY id")]
        rows = self._all("SELECT task FROM assignment WHERE rater = ? ORDER BY place", rater.id)
        return [task for [task] in rows]

    def task(self, number: int) -> Task:
        """What raters see of a task."""
        # SQLite has no larger numbers.
        rows = self._all("SELECT content FROM task WHERE id = ?", number) if 0 < number < 2**63 else []
        if not rows:
            raise UserError(f"The study has no reply {number}.")
        return msgspec.json.decode(rows[0][0], type=Task)

    def tasks(self) -> list[StudyTask]:
        """All tasks with their sources: for results, never for raters."""
        rows = self._all("SELECT task.content, source.content FROM task JOIN source ON task = id ORDER BY id")
        return [
            StudyTask(msgspec.json.decode(task, type=Task), msgspec.json.decode(source, type=Source))
            for task, source in rows
        ]

    def opinions(self) -> Opinions:
        """What holds now of everything that was rated."""
        said: dict[tuple[int, str], dict[str, Value]] = {}
        decided: dict[tuple[int, str], Value] = {}
        for rating in self.latest():
            key, value = (rating.task, rating.item), rating.value
            if rating.rater == ADJUDICATOR and value is not None:
                decided[key] = value
            elif value is not None:
                said.setdefault(key, {})[rating.rater] = value
        return Opinions(self.form, self.tasks(), said, decided)

    def rate(self, rater: Rater, task: int, key: str, value: object, seen: int | None = None) -> Rating:
        """Save one answer: it is on the disk when this returns. The same answer again changes nothing.

        `seen` is the id of the row that the rater saw when answering, 0 for none: `Changed` if there is a later one.
        """
        whole = self._own_task(rater, task)
        if key in (NOTE, CANT_TELL):
            good = _checked_remark(key, value)
        else:
            good = checked_value(self.form.question(checked_item(self.form, whole, key).question), value)
        with self._writing():
            latest = self._last("WHERE rater = ? AND task = ? AND item = ?", rater.id, task, key)
            if latest is not None and latest.value == good:
                return latest
            if seen is not None and seen != (0 if latest is None else latest.id):
                raise Changed(latest)
            return self._append(rater, task, key, good)

    def undo(self, rater: Rater) -> Rating | None:
        """Take back the rater's last answer that was not taken back yet: what the item had before holds again.

        The new row has that earlier value, None where there was none. None is returned where nothing is left.
        """
        with self._writing():
            undone = "SELECT undoes FROM rating WHERE undoes IS NOT NULL"
            last = self._last(f"WHERE rater = ? AND undoes IS NULL AND rating.id NOT IN ({undone})", rater.id)
            if last is None:
                return None
            where = "WHERE rater = ? AND task = ? AND item = ? AND rating.id < ?"
            before = self._last(where, rater.id, last.task, last.item, last.id)
            return self._append(rater, last.task, last.item, None if before is None else before.value, last.id)

    def answers(self, rater: Rater, task: int) -> dict[str, Value]:
        """What the rater has said of a task, by the items' keys."""
        said = self.standing(rater, task)
        return {key: rating.value for key, rating in said.items() if rating.value is not None}

    def standing(self, rater: Rater, task: int) -> dict[str, Rating]:
        """The rater's latest row of each item of a task, by the items' keys; those that took an answer back, too."""
        self._own_task(rater, task)
        return {rating.item: rating for rating in self._ratings("WHERE rater = ? AND task = ?", rater.id, task)}

    def progress(self, rater: Rater) -> Progress:
        states = self._states(rater)
        return Progress(sum(done for _, done in states), len(states))

    def next_task(self, rater: Rater) -> int | None:
        """The first of the rater's tasks, in their order, that is not done; None at the end."""
        return next((task for task, done in self._states(rater) if not done), None)

    def latest(self) -> list[Rating]:
        """What holds: of every rater and item the latest, unless it was taken back."""
        return [one for one in self._ratings("") if one.value is not None and one.item not in (NOTE, CANT_TELL)]

    def remarks(self) -> list[Rating]:
        """The notes that hold, and the replies of which somebody can't tell."""
        return [one for one in self._ratings("") if one.value and one.item in (NOTE, CANT_TELL)]

    def history(self) -> list[Rating]:
        """Every row, in the order in which they were saved."""
        return list(map(_rating, self._all(f"{_SELECT} ORDER BY rating.id")))

    def _states(self, rater: Rater) -> list[tuple[int, bool]]:
        """The rater's tasks in their order, and whether each is done."""
        rated: dict[int, int] = {}
        given_up = set()
        for rating in self._ratings("WHERE rater = ?", rater.id):
            if rating.item == CANT_TELL and rating.value:
                given_up.add(rating.task)
            elif rating.item not in (NOTE, CANT_TELL):
                rated[rating.task] = rated.get(rating.task, 0) + (rating.value is not None)
        needed: dict[int, int] = dict(self._all("SELECT id, items FROM task"))
        return [(task, task in given_up or rated.get(task, 0) >= needed[task]) for task in self.assigned(rater)]

    def _own_task(self, rater: Rater, task: int) -> Task:
        """The task, if the rater may rate it."""
        found = self.task(task)
        if not rater.is_adjudicator and not self._all(
            "SELECT 1 FROM assignment WHERE rater = ? AND task = ?", rater.id, task
        ):
            raise UserError(f"Reply {task} of the study is not one of those that {rater.name} rates.")
        return found

    def _append(self, rater: Rater, task: int, key: str, value: Value | None, undoes: int | None = None) -> Rating:
        row = (task, key, _json(value), _now(), self._version, undoes)
        insert = "INSERT INTO rating (rater, task, item, value, at, form, undoes) VALUES (?, ?, ?, ?, ?, ?, ?)"
        done = self._connection.execute(insert, (rater.id, *row))
        return _rating((done.lastrowid, rater.name, *row))

    def _last(self, condition: str, *values: object) -> Rating | None:
        """The latest of the rows that fulfil the condition."""
        rows = self._all(f"{_SELECT} {condition} ORDER BY rating.id DESC LIMIT 1", *values)
        return _rating(rows[0]) if rows else None

    def _ratings(self, condition: str, *values: object) -> list[Rating]:
        """The latest row of each item, among those that fulfil the condition."""
        latest = f"SELECT max(id) FROM rating {condition} GROUP BY rater, task, item"  # noqa: S608 (our own conditions)
        return list(map(_rating, self._all(f"{_SELECT} WHERE rating.id IN ({latest}) ORDER BY rating.id", *values)))

    def _all(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        with self._lock, explained(self.path):
            return self._connection.execute(statement, values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One at a time over all threads and processes; what was written is on the disk at the end."""
        with self._lock, explained(self.path), sqlite.transaction(self._connection):
            yield


_SELECT = (
    "SELECT rating.id, name, task, item, value, at, form, undoes FROM rating JOIN rater ON rater.id = rating.rater"
)


def _about(content: str) -> About:
    """What a study is. Older ones keep the one option that mattered among the other fields."""
    fields = msgspec.json.decode(content, type=dict[str, Any])
    older = {name: fields.pop(name) for name in list(fields) if name not in About.__struct_fields__}
    return msgspec.convert({"options": older} | fields, About)


def _rating(row: Sequence[Any]) -> Rating:
    number, rater, task, item, value, *rest = row
    return Rating(number, rater, task, item, msgspec.json.decode(value), *rest)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
