"""Runs and studies made by hand, small enough to rate completely."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from counterfoil.rating.store import Study
from counterfoil.rating.study import new_study
from counterfoil.running.folder import Run
from run_folders import make_run, record

SCHEMA: dict[str, Any] = {
    "correct": pl.Boolean,
    "mentioned": pl.List(pl.String),
    "confusing": pl.Boolean,
    "confusing_by_index": pl.Boolean,
    "clarifies": pl.Boolean,
    "reward": pl.Float64,
    "penalty": pl.Float64,
    "score_threshold": pl.Float64,
    "score_confusion_index": pl.Float64,
    "judges": pl.List(pl.String),
    **{
        f"judge_{name}": pl.List(pl.Float64)
        for name in ("confusion", "precision", "recall", "f1", "quality", "restraint", "correct", "changed")
    },
}
MakeRun = Callable[..., Run]
MakeStudy = Callable[..., Study]


def explain_record(number: int, **values: Any) -> dict[str, Any]:
    """A reply of model secret-model to question q`number`, which names High; a judge has judged it."""
    usual: dict[str, Any] = {
        "model": "secret-model",
        "variant": "secret-prompt",
        "question_id": f"q{number}",
        "cluster": f"q{number}",
        "reply": f"Gold {number}. It is not High.",
        "correct": True,
        "mentioned": ["High"],
        "confusing": number % 2 == 0,
        "confusing_by_index": number % 2 == 0,
        "clarifies": True,
        "reward": 0.5,
        "penalty": 0.5,
        "score_threshold": 0.5,
        "score_confusion_index": 0.25,
        "judges": ["secret-judge"],
        "judge_confusion": [80.0 if number % 2 == 0 else 20.0],
        "judge_precision": [1.0],
        "judge_recall": [0.5],
        "judge_f1": [number / 100],
        "judge_quality": [float(number)],
        "judge_restraint": [None if number % 2 == 0 else 1.0],
        "judge_correct": [1.0],
    }
    return record(**(usual | values))


@pytest.fixture
def explain_run(tmp_path: Path) -> MakeRun:
    """A run of so many questions, or of these records."""

    def make(questions: int = 6, records: list[dict[str, Any]] | None = None) -> Run:
        path = tmp_path / "questions.json"
        rows = [
            {"id": f"q{i}", "question": f"Which? {i}", "answer": f"Gold {i}", "candidates": {"Low": 5, "High": 95}}
            for i in range(questions)
        ]
        path.write_text(json.dumps(rows), encoding="utf-8")
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        return make_run(
            tmp_path / "run",
            [explain_record(i) for i in range(questions)] if records is None else records,
            suite="explain",
            schema=SCHEMA,
            data={"name": path.name, "given": str(path), "sha256": sha256, "questions": questions, "asked": questions},
            options={"plausibility": "listwise", "confusing_at": 50.0},
        )

    return make


@pytest.fixture
def explain_study(explain_run: MakeRun) -> Iterator[MakeStudy]:
    """A study of all replies by three raters, all of whom rate everything, unless it is said otherwise."""
    opened: list[Study] = []

    def make(questions: int = 6, records: list[dict[str, Any]] | None = None, **options: Any) -> Study:
        usual: dict[str, Any] = {"raters": 3, "per_question": 3}
        opened.append(new_study(explain_run(questions, records), "pilot", **(usual | options)))
        return opened[-1]

    yield make
    for study in opened:
        study.close()
