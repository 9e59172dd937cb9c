"""The run folder: manifest.json, records.parquet, summary.json."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import msgspec

from counterfoil.errors import UserError
from counterfoil.runs.files import explained
from counterfoil.runs.outcome import LEFT_OUT
from counterfoil.stats.estimate import Estimate

if TYPE_CHECKING:
    import polars as pl

try:
    import fcntl
except ModuleNotFoundError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

T = TypeVar("T")

MANIFEST, RECORDS, SUMMARY = "manifest.json", "records.parquet", "summary.json"
LOCK = ".lock"
# Another process can take the folder away between any two steps, but not again and again.
TIMES_TO_LOCK = 100


class Unanswered(msgspec.Struct):
    """A question that was left out, and why."""

    model: str
    variant: str
    question_id: str
    repeat: int
    outcome: str
    reason: str | None


class Summary(msgspec.Struct):
    """summary.json: the estimates, how the records ended, the first of those that were left out, and how many
    replies a judge could not be asked about.
    """

    suite: str
    estimates: list[Estimate]
    outcomes: list[dict[str, Any]] = []
    unanswered: list[Unanswered] = []
    unjudged: int = 0


class Run:
    """A run that is there: opened by its folder, read as far as it is needed."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        if not (self.folder / SUMMARY).is_file():
            raise UserError(f"{self.folder} is not a run folder: there is no {SUMMARY} in it.")

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r})"

    @property
    def manifest(self) -> dict[str, Any]:
        """What was asked of whom, with which versions, at what cost."""
        manifest = self._read(MANIFEST, dict[str, Any])
        missing = [name for name in ("suite", "options", "data", "models", "variants") if name not in manifest]
        if missing:
            raise UserError(f"{self.folder / MANIFEST} is damaged: it has no {', '.join(missing)}. Run it again.")
        return manifest

    @property
    def estimates(self) -> list[Estimate]:
        return self.whole_summary.estimates

    @property
    def summary(self) -> pl.DataFrame:
        """The estimates as a table, one row each; `group` is a struct."""
        import polars as pl

        return pl.DataFrame([msgspec.to_builtins(estimate) for estimate in self.estimates], infer_schema_length=None)

    @property
    def records(self) -> pl.DataFrame:
        """All records."""
        import polars as pl

        with readable(self.folder / RECORDS):
            return pl.read_parquet(self.folder / RECORDS)

    @property
    def outcomes(self) -> list[dict[str, Any]]:
        """For each model and variant, how many records ended how."""
        return self.whole_summary.outcomes

    @property
    def unanswered(self) -> list[Unanswered]:
        """The first of the questions that were left out."""
        return self.whole_summary.unanswered

    @property
    def is_complete(self) -> bool:
        """Whether every question was answered, and every reply judged where judges were named."""
        left_out = any(row[outcome] for row in self.outcomes for outcome in LEFT_OUT)
        return not left_out and not self.unjudged

    @property
    def unjudged(self) -> int:
        """How many replies a judge could not be asked about."""
        return self.whole_summary.unjudged

    @property
    def whole_summary(self) -> Summary:
        """All of summary.json."""
        return self._read(SUMMARY, Summary)

    def _read(self, name: str, kind: type[T]) -> T:
        path = self.folder / name
        try:
            return msgspec.json.decode(path.read_bytes(), type=kind)
        except (OSError, msgspec.DecodeError) as error:
            raise UserError(f"{path} can't be read: {error}.") from error


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turn what polars says of a damaged file into one sentence."""
    import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, OSError) as error:
        raise UserError(f"{path} can't be read, or is damaged: run it again. ({str(error).splitlines()[0]})") from error


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep a second process with the same command from asking everything a second time."""
    with explained(folder):
        lock = _open_lock(folder)
    if lock is None:
        raise UserError(f"Another process is at work on {folder}: wait for it, or name another folder with --out.")
    try:
        yield
    finally:
        lock.close()


def _open_lock(folder: Path) -> BinaryIO | None:
    """The lock of a folder, which is made if need be, held until it is closed; None where another process holds it.

    Who held it may have taken the folder away while it was opened here: that would be a lock on nothing, so again.
    """
    for left in reversed(range(TIMES_TO_LOCK)):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with ExitStack() as opened:
                lock = opened.enter_context((folder / LOCK).open("wb"))
                if fcntl is not None:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.path.samestat(os.fstat(lock.fileno()), (folder / LOCK).stat()):
                    opened.pop_all()
                    return lock
        except BlockingIOError:
            return None
        except (FileNotFoundError, FileExistsError):
            if not left:
                raise
    return None


def discard_empty(folder: Path) -> None:
    """Take a run folder away in which nothing has been written but what a run begins with. Only for who holds its lock:
    what is in it may else be another's work.
    """
    shutil.rmtree(folder / ".parts", ignore_errors=True)
    with suppress(OSError):  # another process may begin here as soon as the lock has no name
        if {path.name for path in folder.iterdir()} <= {LOCK}:
            (folder / LOCK).unlink(missing_ok=True)
            folder.rmdir()
