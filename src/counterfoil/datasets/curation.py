"""A curation: its manifest with every step, and the list that people keep or drop questions from.

The list is a CSV file that a spreadsheet can open and save.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from counterfoil import __version__
from counterfoil.asking.models.weights import hash_file
from counterfoil.errors import UserError
from counterfoil.files import read_bytes, replacing, write_json
from counterfoil.inputs import text_of
from counterfoil.tables import Cells, cells_of, delimiter_of

MANIFEST = "curation.json"
# What stands in a verdict's place where there is none.
FAILED, NOT_ASKED = "failed", "not_asked"
# What people fill in.
KEEP, REASON = "keep", "reason"
DECISIONS = {"yes": True, "y": True, "no": False, "n": False}
# A cell that begins with one of these is a formula to a spreadsheet.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


class Source(msgspec.Struct, kw_only=True, omit_defaults=True):
    """The dataset that it began with; `left_out`: its bad rows."""

    name: str
    sha256: str
    questions: int
    left_out: int = 0


class StepRecord(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One step: how many questions went in and out, and the file that it wrote; or why it was skipped."""

    step: str
    taken: int = msgspec.field(name="in")
    left: int = msgspec.field(name="out")
    skipped: str | None = None
    file: str | None = None
    sha256: str | None = None
    at: str | None = None
    counts: dict[str, int] = {}
    more: dict[str, Any] = {}


class Manifest(msgspec.Struct, kw_only=True):
    """curation.json. `judge`: who judged, with its tokens and cost; None where nobody did."""

    counterfoil: str = __version__
    data: Source
    settings: dict[str, Any]
    judge: dict[str, Any] | None = None
    steps: list[StepRecord] = []

    def step(self, name: str) -> StepRecord | None:
        return next((step for step in self.steps if step.step == name), None)

    @property
    def left_open(self) -> Counter[str]:
        """How many questions have no verdict, since their judge call failed or was not made."""
        counts: Counter[str] = Counter()
        for step in self.steps:
            counts.update({word: step.counts[word] for word in (FAILED, NOT_ASKED) if word in step.counts})
        return counts


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of this folder; None if there is none."""
    path = folder / MANIFEST
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} can't be read: {error}. Name another folder with --out.") from error


class Recorder:
    """Records steps as they are done. A step replaces its earlier record; if its file is the same, its time stays."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.manifest = manifest
        self._folder = folder

    def skip(self, name: str, count: int, why: str, file: str) -> None:
        """A step that is not asked for lets all questions through, and leaves no file."""
        (self._folder / file).unlink(missing_ok=True)
        self._put(StepRecord(step=name, taken=count, left=count, skipped=why))

    def done(self, name: str, taken: int, left: int, file: str, *, counts: dict[str, int], **more: Any) -> None:
        """A step that has written its file."""
        sha256 = hash_file(self._folder / file)
        old = self.manifest.step(name)
        at = old.at if old is not None and old.sha256 == sha256 else datetime.now(UTC).isoformat(timespec="seconds")
        self._put(
            StepRecord(step=name, taken=taken, left=left, file=file, sha256=sha256, at=at, counts=counts, more=more)
        )

    def _put(self, record: StepRecord) -> None:
        steps = {step.step: step for step in self.manifest.steps}
        steps[record.step] = record
        self.manifest.steps = list(steps.values())
        self.manifest.counterfoil = __version__
        write_json(self._folder / MANIFEST, self.manifest)


class Reviewed(NamedTuple):
    """One row: `keep` is None while nobody has decided. The id is as the file has it: compare it with `cell(id)`."""

    id: str
    keep: bool | None
    reason: str


def cell(text: str) -> str:
    """The text as a cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def write_review(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
    """Write the list, with a mark that tells spreadsheets its encoding."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, [*columns, KEEP, REASON], restval="")
        writer.writeheader()
        writer.writerows({name: cell(text) for name, text in row.items()} for row in rows)


def read_review(path: Path) -> list[Reviewed]:
    """All rows. UserError names the line that can't be understood."""
    rows: dict[str, Reviewed] = {}
    for place, row in review_cells(path, ("id", KEEP, REASON)):
        if not any(isinstance(value, str) and value.strip() for value in row.values()):
            continue
        id, said, reason = ((row[name] or "").strip() for name in ("id", KEEP, REASON))
        if said and said.lower() not in DECISIONS:
            raise UserError(f"{path}, {place}: keep is {said!r}, and must be yes or no, or empty until it is decided.")
        if id in rows:
            raise UserError(f"{path}, {place}: the id {id} was there before.")
        rows[id] = Reviewed(id, DECISIONS.get(said.lower()), reason)
    return list(rows.values())


def review_cells(path: Path, needed: Sequence[str] = ()) -> Iterator[tuple[str, Cells]]:
    """The rows of a list as a spreadsheet may have saved it."""
    text = text_of(read_bytes(path), str(path))
    return cells_of(text, str(path), needed, delimiter_of(text))


def has_entries(path: Path) -> bool:
    """Whether people have begun to fill it in."""
    return path.exists() and any(row.keep is not None or row.reason for row in read_review(path))


def decided(path: Path) -> tuple[int, int]:
    """How many questions of the list are decided, and how many there are."""
    rows = read_review(path)
    return sum(row.keep is not None for row in rows), len(rows)


def decisions(path: Path, drawn: Sequence[str]) -> dict[str, str | None]:
    """For each id that was drawn, None if it is kept, or the reason why it is not; all must be decided."""
    by_cell = {cell(drawn_id): drawn_id for drawn_id in drawn}
    made: dict[str, str | None] = {}
    for row in read_review(path):
        if row.id not in by_cell:
            raise UserError(f"{path}: the question {row.id!r} is not one of those that were drawn.")
        if row.keep is not None:
            made[by_cell[row.id]] = None if row.keep else row.reason
    undecided = [drawn_id for drawn_id in drawn if drawn_id not in made]
    if undecided:
        raise UserError(
            f"{len(undecided)} of the {len(drawn)} questions of {path} are undecided, the first is {undecided[0]}: "
            "write yes or no into the column keep."
        )
    return made
