"""What leaves with a run of `memorization`: its questions, and which of its replies are good."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from counterfoil.errors import UserError
from counterfoil.memorization.files import SET
from counterfoil.memorization.scoring import TRUSTED
from counterfoil.perturbing.questions import PerturbedSet, Question, encode_set, read_set
from counterfoil.running.folder import Run

GOOD, BAD = 1.0, 0.0


def questions(run: Run, data: str | None) -> PerturbedSet:
    """The frozen set that every run keeps, except those of results from elsewhere, which have no texts."""
    path = Path(data) if data else run.folder / SET
    if not path.is_file():
        raise UserError(f"there is no {path}, the set of questions as they were asked")
    return read_set(path)


def scores(run: Run) -> tuple[str, ...]:
    return ("correct",)


def score(record: Mapping[str, Any], name: str) -> float | None:
    """None where the right answer itself is in doubt."""
    return float(record[name]) if record[name] is not None and record["status"] in TRUSTED else None


def encode(held_out: Iterable[Question]) -> bytes:
    """The questions as a frozen set that `--data` reads."""
    return encode_set(held_out)
