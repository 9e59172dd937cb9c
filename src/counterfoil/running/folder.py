"""The run folder: manifest.json, records.parquet, summary.json."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import msgspec

from counterfoil import targets
from counterfoil.console import shown_name
from counterfoil.errors import UserError
from counterfoil.figures.population import of_these, shares_asked
from counterfoil.files import explained, move, put_in_place, replacing, take_lock
from counterfoil.stats.estimate import NEW as NEW_QUESTIONS
from counterfoil.stats.estimate import THESE, Estimate, Population
from counterfoil.stats.variance.explained import Explained
from counterfoil.suite.outcome import LEFT_OUT

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")

MANIFEST, RECORDS, SUMMARY = "manifest.json", "records.parquet", "summary.json"
OWN = (RECORDS, SUMMARY, MANIFEST)
REPORT, REPORT_ON = "report.html", "report"
LOCK, NEW, PARTS = ".lock", ".new", ".parts"
# Holds the name of a round of fresh asks until it is complete.
FRESH = ".fresh"
# Says how a run is doing until it is complete.
LIVE = ".live.json"
# Holds the looks that were taken until the manifest has them.
LOOKS = ".looks"
# Under this name the metadata of records.parquet hold the run's id.
RUN_KEY = "counterfoil_run"


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
    replies a judge could not be asked about. `broken`: replies on which the suite's own code failed. `readings`: how
    readings came about, for each model and variant; older runs don't say.
    """

    suite: str
    estimates: list[Estimate]
    outcomes: list[dict[str, Any]] = []
    readings: list[dict[str, Any]] = []
    unanswered: list[Unanswered] = []
    unjudged: int = 0
    # Replies that a second reader was to read, and did not.
    not_reread: int = 0
    broken: int = 0
    # Records that were not asked, since what was to be decided was decided: nothing is missing.
    decided: int = 0
    # Where the uncertainty of the headline figures comes from; older runs don't say.
    variance: list[Explained] = []
    # Of whom the intervals speak.
    population: Population = NEW_QUESTIONS
    # That of the run, as records and manifest have it; older runs have none.
    id: str | msgspec.UnsetType = msgspec.UNSET


class Run:
    """A finished run, opened by its folder. Files are read when they are needed."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self._decoded: dict[str, tuple[tuple[int, ...], Any]] = {}
        self._population: Population | None = None
        if (name := shown_name(str(folder))) != str(folder):
            raise UserError(f"{name} is a name in other bytes than UTF-8: rename the folder.")
        try:
            is_run = (self.folder / SUMMARY).is_file()
        except OSError as error:
            raise UserError(f"{self.folder} can't be read: {error.strerror or error}.") from error
        if not is_run:
            raise UserError(f"{self.folder} is not a run folder: there is no {SUMMARY} in it.")
        if _is_torn(self.folder):
            raise UserError(
                f"{self.folder} holds files of two runs, since one was stopped while it put its files there: run the "
                "same command again, which asks nothing that was answered."
            )

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r})"

    @property
    def manifest(self) -> dict[str, Any]:
        """What was asked of whom, with which versions, at what cost."""
        manifest = self._read(MANIFEST, dict[str, Any])
        if missing := [name for name in _KEYS[MANIFEST] if name not in manifest]:
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
        """Whether every question was answered that was to be asked, every reply judged where judges were named, and
        every reply of the sample read by the second reader.
        """
        left_out = sum(row[outcome] for row in self.outcomes for outcome in LEFT_OUT) - self.whole_summary.decided
        return not left_out and not self.unjudged and not self.whole_summary.not_reread

    @property
    def unjudged(self) -> int:
        """How many replies a judge could not be asked about."""
        return self.whole_summary.unjudged

    @property
    def whole_summary(self) -> Summary:
        """All of summary.json, with intervals that speak of whom they are to speak."""
        summary = self._read(SUMMARY, Summary)
        if self._population in (None, summary.population):
            return summary
        estimates = of_these(summary.estimates, shares_asked(self.manifest))
        return msgspec.structs.replace(summary, estimates=estimates, population=THESE)

    def share_asked(self, model: str) -> float:
        """Which share of the dataset's questions this model has replied to; 0 where its replies are drawn by chance."""
        shares = shares_asked(self.manifest)
        return shares.get(model, min(shares.values()))

    def speaking_of(self, population: Population | None) -> Self:
        """The same run, with intervals about this population; None: as they were written."""
        if population == NEW_QUESTIONS and self._read(SUMMARY, Summary).population == THESE:
            raise UserError(
                f"The intervals of {self.folder} speak of these questions alone: run the same command with "
                "--population new, which asks nothing that was answered."
            )
        self._population = population
        return self

    def _read(self, name: str, kind: type[T]) -> T:
        """A file's content. It is decoded once, and again after somebody has replaced the file."""
        path = self.folder / name
        try:
            about = path.stat()
            version = about.st_ino, about.st_mtime_ns, about.st_size
            if name not in self._decoded or self._decoded[name][0] != version:
                self._decoded[name] = version, msgspec.json.decode(path.read_bytes(), type=kind)
            content: T = self._decoded[name][1]
            return content
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
    """Hold the folder's lock, so that a second process with the same command does not ask everything again."""
    with explained(folder):
        lock = take_lock(folder / LOCK)
    if lock is None:
        raise UserError(f"Another process is at work on {folder}: wait for it, or name another folder with --out.")
    try:
        yield
    finally:
        lock.release()


@contextmanager
def staging(folder: Path) -> Iterator[Path]:
    """A folder within the run folder, for files that are to take the place of an earlier run's all together."""
    staged = folder / NEW
    with explained(folder):
        shutil.rmtree(staged, ignore_errors=True)
        staged.mkdir()
    try:
        yield staged
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def take_place(staged: Path, folder: Path) -> None:
    """Put the files of a run in the place of an earlier one's, the manifest last: whoever looks before sees that they
    are not of one run. What the earlier run's suite wrote, and this one's did not, goes.
    """
    further = sorted(path.relative_to(staged) for path in staged.rglob("*") if path.is_file())
    further = [path for path in further if str(path) not in OWN]
    targets.refuse(*(folder / path for path in further))
    left = [name for name in files_of(folder) if Path(name) not in further and targets.may_replace(folder / name)]
    remove_page(folder)
    with explained(folder):
        for name in (RECORDS, SUMMARY):
            move(staged / name, folder / name)
        for path in further:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            put_in_place(staged / path, folder / path)
        remove_files(folder, left)
        move(staged / MANIFEST, folder / MANIFEST)


def round_under_way(folder: Path) -> str | None:
    """The name of the round of fresh asks that was begun here and is not complete; None where there is none."""
    try:
        return (folder / FRESH).read_text(encoding="utf-8").strip() or None
    except (OSError, UnicodeDecodeError):
        return None


def begin_round(folder: Path) -> tuple[str, bool]:
    """The name of the round that fresh asks belong to, and whether it was begun earlier: until a round is complete,
    the same command goes on with it.
    """
    if (name := round_under_way(folder)) is not None:
        return name, True
    name = datetime.now(UTC).isoformat()
    with replacing(folder / FRESH) as temporary:
        temporary.write_text(f"{name}\n", encoding="utf-8")
    return name, False


def end_round(folder: Path) -> None:
    """The round is complete: the same command begins another."""
    with explained(folder):
        (folder / FRESH).unlink(missing_ok=True)


def discard_empty(folder: Path) -> None:
    """Remove a run folder in which nothing was written but what every run begins with.

    Only the holder of its lock may call this: another process may be at work on the folder.
    """
    for name in (PARTS, NEW):
        shutil.rmtree(folder / name, ignore_errors=True)
    with suppress(OSError):
        (folder / LIVE).unlink(missing_ok=True)
    with suppress(OSError):  # another process may begin here as soon as the lock has no name
        if {path.name for path in folder.iterdir()} <= {LOCK}:
            (folder / LOCK).unlink(missing_ok=True)
            folder.rmdir()


# Keys that a run's files have even where they are damaged or older.
_KEYS = {MANIFEST: ("suite", "options", "data", "models", "variants"), SUMMARY: ("suite", "estimates")}
_COLUMNS = {"model", "variant", "question_id", "repeat", "cluster", "outcome", "reply", "ask_key"}
# Our pages begin with this, within so many bytes.
_TITLE, _HEAD = b"<title>counterfoil: ", 2_048


def writing_run(folder: Path, inputs: Collection[str], *, overwrite: bool = False) -> AbstractContextManager[None]:
    """The rule for what a run writes, into its folder and elsewhere."""

    def is_of_earlier_run(path: Path) -> bool:
        return path.parent == folder and path.name in (FRESH, LOOKS, *files_of(folder))

    return targets.writing(
        "run", of=[folder], inputs=inputs, overwrite=overwrite, known=is_of_earlier_run, free=folder / NEW
    )


def writing_about(
    what: str, runs: Sequence[Path], inputs: Collection[str | None] = (), *, overwrite: bool = False
) -> AbstractContextManager[None]:
    """The rule for a report on these runs, or an export. It is the first run's."""
    read = [folder / name for folder in runs for name in (*OWN, *files_of(folder))]

    def is_older_page(path: Path) -> bool:
        return what == REPORT_ON and path.resolve() == (runs[0] / REPORT).resolve() and _is_our_page(path)

    return targets.writing(what, of=runs[:1], inputs=[*read, *inputs], overwrite=overwrite, known=is_older_page)


def refuse_others(folder: Path, suite: str, files: Sequence[str] = (), *, overwrite: bool = False) -> None:
    """Refuse a folder that holds another suite's run, or files that only have the names of ours or of the suite's
    `files`; with `overwrite`, only where this command reads them.

    Where one of two files is damaged, the other tells whose they are: to run again is what mends them.
    """
    targets.refuse_inputs(*(folder / name for name in OWN))
    targets.refuse(*(folder / name for name in files))
    if overwrite:
        return
    suites = {name: _suite_of(folder / name) for name in _KEYS if (folder / name).exists()}
    for other in suites.values():
        if other not in (None, suite):
            raise UserError(
                f"{folder} holds a run of {other}, and this one is of {suite}: name another folder with --out, or "
                "replace it with --overwrite."
            )
    foreign = None
    if suites and suite not in suites.values():
        foreign = next(iter(suites))
    elif not suites and (folder / RECORDS).exists() and not _are_records(folder / RECORDS):
        foreign = RECORDS
    if foreign is not None:
        raise UserError(
            f"{folder / foreign} is not what a run has written, and would be replaced: name another folder with --out, "
            "or replace it with --overwrite."
        )


def what_goes(folder: Path, letters: str) -> str | None:
    """A sentence on the earlier run in the folder, where it was asked for something else than what the letters stand
    for.
    """
    manifest = _read(folder / MANIFEST)
    id = manifest.get("id")
    if not isinstance(id, str) or id.partition("-")[0] == letters:
        return None
    models = [
        str(model["name"]) for model in manifest.get("models") or () if isinstance(model, dict) and "name" in model
    ]
    names = ", ".join(models) or "replies from elsewhere"
    return f"{folder} holds an earlier run ({names}, {manifest.get('finished_at')}): this one takes its place."


def files_of(folder: Path) -> set[str]:
    """The names of the files that the earlier run's suite wrote into the folder."""
    names = _read(folder / MANIFEST).get("files")
    if not isinstance(names, list):
        return set()
    return {name for name in names if isinstance(name, str) and Path(name).name == name and name not in OWN}


def remove_page(folder: Path) -> None:
    """Remove the report of the earlier run. A page that counterfoil did not write, or somebody has changed, stays."""
    as_written = targets.is_as_written(folder / REPORT)
    if as_written or (as_written is None and _is_our_page(folder / REPORT)):
        remove_files(folder, [REPORT])


def remove_files(folder: Path, names: Collection[str]) -> None:
    """Remove these files where they exist."""
    for name in names:
        with explained(folder / name):
            if (folder / name).is_file():
                (folder / name).unlink(missing_ok=True)


class _Marked(msgspec.Struct):
    """What the torn folder is known by."""

    id: str | None = None


def _is_torn(folder: Path) -> bool:
    """Whether records, summary and manifest are not of one run. Those of older runs have no id; of a damaged file,
    whoever reads it says what is wrong.
    """
    try:
        summary, manifest = (_id_of(folder / name) for name in (SUMMARY, MANIFEST))
        about_records = _end_of_parquet(folder / RECORDS)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return False
    # Records that somebody has written anew with another tool have no id, either.
    if summary is None:
        return RUN_KEY.encode() in about_records
    return summary != manifest or (RUN_KEY.encode() in about_records and summary.encode() not in about_records)


def _id_of(path: Path) -> str | None:
    return msgspec.json.decode(path.read_bytes(), type=_Marked).id if path.exists() else None


def _end_of_parquet(path: Path) -> bytes:
    """The part of a parquet file that holds its metadata; its length stands before the last four bytes."""
    if not path.is_file():
        return b""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 8))
        length = int.from_bytes(file.read(4), "little")
        file.seek(max(0, size - 8 - length))
        return file.read(length)


def _suite_of(path: Path) -> str | None:
    """The suite that a manifest or summary names; None where counterfoil did not write the file."""
    content = _read(path)
    suite = content.get("suite")
    return suite if isinstance(suite, str) and content.keys() >= set(_KEYS[path.name]) else None


def _read(path: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return {}


def _are_records(path: Path) -> bool:
    """Whether a run was killed after it had written its records and before the rest."""
    import polars as pl

    try:
        return set(pl.read_parquet_schema(path)) >= _COLUMNS
    except (OSError, pl.exceptions.PolarsError):
        return False


def _is_our_page(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return _TITLE in file.read(_HEAD)
    except OSError:
        return False
