"""Runs of `explain` and `bias` by hand, to be compared: whatever two sides can have answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from counterfoil.running.folder import Run
from run_folders import estimate, make_run, record

EXPLAIN: dict[str, Any] = {
    **dict.fromkeys(("correct", "confusing", "confusing_by_index", "clarifies"), pl.Boolean),
    **dict.fromkeys(("reward", "penalty", "score_threshold", "score_confusion_index"), pl.Float64),
    **dict.fromkeys(("mentioned", "judges", "judge_failures"), pl.List(pl.String)),
    **{
        f"judge_{name}": pl.List(pl.Float64)
        for name in ("confusion", "precision", "recall", "f1", "quality", "restraint", "correct", "changed")
    },
}
BIAS: dict[str, Any] = {
    **dict.fromkeys(("order", "content"), pl.Int64),
    **dict.fromkeys(("category", "label", "pair", "choice", "role"), pl.String),
    **dict.fromkeys(("ambiguous", "biased_context", "correct"), pl.Boolean),
}
ROLES = {"b": "biased", "c": "counter_biased", "u": "unknown"}


def explained(right: bool | None, **more: Any) -> dict[str, Any]:
    """A record of `explain` for a question that confuses; None: it failed."""
    if right is None:
        return record(outcome="failed", reply=None, **more)
    scores = dict.fromkeys(("reward", "score_threshold", "score_confusion_index"), 0.5) | {"penalty": 0.0}
    usual = {"correct": right, "confusing": True, "confusing_by_index": True, "clarifies": False, "mentioned": []}
    return record(**(usual | scores | more))


def explain_run(
    folder: Path, answers: Mapping[str, Sequence[bool | None]], *, variant: str = "p", per_cluster: int = 1, **more: Any
) -> Run:
    """For each model, whether it answered q0, q1, … right; so many neighbours are one cluster."""
    rows = [
        explained(right, model=model, variant=variant, question_id=f"q{i}", cluster=f"c{i // per_cluster}")
        for model, of_model in answers.items()
        for i, right in enumerate(of_model)
    ]
    return make_run(folder, rows, suite="explain", schema=EXPLAIN, **more)


def chosen(question_id: str, role: str, *, ambiguous: bool = True, **more: Any) -> dict[str, Any]:
    """A record of `bias`; role b, c or u (in an ambiguous context the right one), - where nothing could be read."""
    read = role != "-"
    usual = {
        "question_id": question_id,
        "cluster": question_id,
        "order": 0,
        "category": "age",
        "label": "ST",
        "ambiguous": ambiguous,
        "biased_context": True,
        "outcome": "answered" if read else "out_of_choice",
        "choice": "A" if read else None,
        "role": ROLES.get(role),
        "correct": role == ("u" if ambiguous else "b"),
    }
    return record(**(usual | more))


def bias_run(folder: Path, records: Sequence[Mapping[str, Any]], **more: Any) -> Run:
    """A run of `bias` with these records."""
    return make_run(folder, records, suite="bias", schema=BIAS, **more)


__all__ = ["BIAS", "EXPLAIN", "bias_run", "chosen", "estimate", "explain_run", "explained"]
