"""The run folder: manifest.json, records.parquet, summary.json."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

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
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("w")
    try:
        if fcntl is not None:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise UserError(
                    f"Another process is at work on {folder}: wait for it, or name another folder with --out."
                ) from error
        yield
    finally:
        lock.close()


def discard_empty(folder: Path) -> None:
    """Take a run folder away in which nothing has been written but what a run begins with."""
    if not folder.is_dir():
        return
    shutil.rmtree(folder / ".parts", ignore_errors=True)
    if {path.name for path in folder.iterdir()} <= {".lock"}:
        shutil.rmtree(folder, ignore_errors=True)
