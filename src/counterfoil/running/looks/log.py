"""What was declared and which looks were taken: kept in the run folder while the run goes on, then in its manifest."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from counterfoil.errors import UserError
from counterfoil.files import explained, replacing
from counterfoil.running.folder import LOOKS, MANIFEST
from counterfoil.running.looks.design import Design

UNDECIDED, GIVEN_UP, NARROW, EQUAL = "not decided", "given up", "narrow enough", "equal"
# With these words a question is closed, and its false alarm, if it is one, is spent.
ABOVE, BELOW = "above", "below"
TOLD_APART = (ABOVE, BELOW)


class Decision(msgspec.Struct, kw_only=True):
    """What a look has decided: of a model in a variant, or of two models.

    The value, or the difference `models[1]` − `models[0]`, has the interval `low` to `high` at this `confidence`, that
    of the look. `chance`, where a question is given up: that all clusters would decide it.
    """

    condition: str
    models: list[str]
    variant: str | None = None
    verdict: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    confidence: float | None = None
    chance: float | None = None
    sentence: str = ""

    @property
    def key(self) -> tuple[str, tuple[str, ...], str | None]:
        return self.condition, tuple(self.models), self.variant


class Taken(msgspec.Struct):
    """A look: its number from 1, the clusters that it is over, when it was begun, and what it has decided; None where
    the run was stopped before it had.
    """

    look: int
    clusters: int
    at: str
    decisions: list[Decision] | None = None


class LookLog(msgspec.Struct):
    """The content of the file: the letters of what is asked, the declaration, how many clusters each look is over, and
    the looks so far.
    """

    letters: str
    declared: list[Any]
    clusters: list[int]
    taken: list[Taken] = []


class Logged:
    """The log of a run folder. A look is written down before it is taken."""

    def __init__(self, folder: Path, letters: str, design: Design, clusters: Sequence[int]) -> None:
        self._path = folder / LOOKS
        self._new = LookLog(letters, design.declared, list(clusters))
        earlier = _earlier(folder)
        if earlier is not None and earlier.declared != self._new.declared:
            raise UserError(
                f"{folder} holds a run that was declared with other conditions or looks, and some of them were taken: "
                "to declare others after that would be to look more often. Name another folder with --out."
            )
        # Of other models or questions, nothing was seen yet.
        is_same = earlier is not None and (earlier.letters, earlier.clusters) == (letters, self._new.clusters)
        self.log = earlier if earlier is not None and is_same else self._new

    @property
    def decisions(self) -> list[Decision]:
        return [decision for taken in self.log.taken for decision in taken.decisions or ()]

    def begin(self, look: int) -> list[Decision] | None:
        """Write down that this look is taken. Gives what it has decided, where it was taken in an earlier run."""
        known = next((taken for taken in self.log.taken if taken.look == look), None)
        if known is None:
            at = datetime.now(UTC).isoformat(timespec="seconds")
            self.log.taken.append(Taken(look, self.log.clusters[look - 1], at))
            self._write()
            return None
        return known.decisions

    def end(self, look: int, decisions: list[Decision]) -> None:
        """Write down what it has decided."""
        for taken in self.log.taken:
            if taken.look == look:
                taken.decisions = decisions
        self._write()

    def close(self) -> None:
        """The manifest has it all."""
        with explained(self._path):
            self._path.unlink(missing_ok=True)

    def _write(self) -> None:
        with replacing(self._path) as temporary:
            temporary.write_bytes(msgspec.json.format(msgspec.json.encode(self.log), indent=2) + b"\n")


class _Manifest(msgspec.Struct):
    until: LookLog | None = None


def _earlier(folder: Path) -> LookLog | None:
    """Of the run that was begun here, or has ended here."""
    try:
        return msgspec.json.decode((folder / LOOKS).read_bytes(), type=LookLog)
    except (OSError, msgspec.DecodeError):
        pass
    try:
        return msgspec.json.decode((folder / MANIFEST).read_bytes(), type=_Manifest).until
    except (OSError, msgspec.DecodeError):
        return None
