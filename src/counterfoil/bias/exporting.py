"""What leaves with a run of `bias`: its questions, and which of its replies are good."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from counterfoil.bias.questions import Question, Questions, load_questions
from counterfoil.bias.sources.own import encode_questions
from counterfoil.errors import UserError
from counterfoil.running.folder import Run

GOOD, BAD = 1.0, 0.0


def questions(run: Run, data: str | None) -> Questions:
    manifest = run.manifest
    options = manifest["options"]
    return load_questions(data or manifest["data"]["given"], options["orders"], options.get("metadata"))


def scores(run: Run) -> tuple[str, ...]:
    if run.manifest["options"].get("by") == "logprob":
        raise UserError(
            f"{run.folder} was read from log probabilities (--by logprob), and the texts of its replies were not: run "
            "it without that first."
        )
    return ("correct",)


def score(record: Mapping[str, Any], name: str) -> float | None:
    return None if record[name] is None else float(record[name])


def encode(held_out: Iterable[Question]) -> bytes:
    """The questions as JSONL that `--data` reads."""
    return encode_questions(held_out)
