"""The manifest of a curation: every step with its counts, hashes and times."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from counterfoil import __version__
from counterfoil.asking.models.weights import hash_file
from counterfoil.datasets.verdict import FAILED, NOT_ASKED
from counterfoil.errors import UserError
from counterfoil.files import write_json

MANIFEST = "curation.json"


class Source(msgspec.Struct, kw_only=True):
    """The dataset that it began with."""

    name: str
    sha256: str
    questions: int


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
    """Records steps as they are done, each in the place of its last time. What comes out as before keeps its time."""

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
