"""What leaves with a run of `explain`: its questions, and which of its replies are good."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from counterfoil.explain.questions import Question, Questions, load_questions
from counterfoil.running.folder import Run

# A good reply clears up most of the confusion; a bad one leaves most of it, or adds to it.
GOOD, BAD = 0.6, 0.3


def questions(run: Run, data: str | None) -> Questions:
    manifest = run.manifest
    return load_questions(data or manifest["data"]["given"], manifest["options"].get("plausibility", "listwise"))


def scores(run: Run) -> tuple[str, ...]:
    return ("score_threshold", "score_confusion_index")


def score(record: Mapping[str, Any], name: str) -> float | None:
    """The record's score; 0 where the answer is wrong, for no clarification makes up for that."""
    value: float | None = record[name]
    return 0.0 if record["correct"] is False else value


def encode(held_out: Iterable[Question]) -> bytes:
    """The questions as JSONL that `--data` reads."""
    rows = (
        {"id": it.id, "question": it.text, "answer": it.gold, "aliases": it.aliases, "candidates": it.candidates}
        for it in held_out
    )
    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)
