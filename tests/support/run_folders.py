"""Run folders made by hand: whatever a run can hold, without running anything."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from counterfoil.running.folder import Run
from counterfoil.running.records import COLUMNS
from counterfoil.stats.estimate import Estimate
from counterfoil.suite.outcome import OUTCOMES

BASE = {
    "repeat": pl.Int64,
    "judge_keys": pl.List(pl.String),
    **{name: pl.String for name in COLUMNS if name not in ("repeat", "judge_keys")},
}

# What a manifest says of a second reader that has read three replies, one of them otherwise.
SECOND_READER: dict[str, Any] = {
    "name": "vllm/reader",
    "params": {},
    "adjustments": [],
    "stopped": None,
    "asked": 3,
    "in_ledger": 0,
    "failed": 0,
    "output_tokens": 6,
    "input_tokens": 60,
    "retries": 0,
    "cost": 0.0,
    "read": 3,
    "differ": 1,
    "not_read": 0,
}


def estimate(metric: str, value: float | None, low: float | None = None, high: float | None = None, **more: Any) -> Any:
    """An estimate; what is not named is of model m and prompt p, over 40 records in 20 clusters."""
    usual: dict[str, Any] = {"model": "m", "variant": "p", "n": 40, "clusters": 20, "method": "Wilson, cluster-robust"}
    return Estimate(metric=metric, value=value, low=low, high=high, **(usual | more))


def record(**values: Any) -> dict[str, Any]:
    """A record; what is not named is an answer A of model m to question q in prompt p."""
    usual = {"model": "m", "variant": "p", "question_id": "q", "repeat": 0, "cluster": "c", "outcome": "answered"}
    return usual | {"reply": "A"} | values


def make_run(
    folder: Path,
    records: Sequence[Mapping[str, Any]],
    estimates: Sequence[Estimate] = (),
    *,
    suite: str = "none",
    schema: Mapping[str, Any] | None = None,
    summary: Mapping[str, Any] | None = None,
    **manifest: Any,
) -> Run:
    """Write the three files; `schema` has the types of the suite's columns, `manifest` what is not as usual."""
    folder.mkdir(parents=True)
    columns: dict[str, Any] = BASE | dict(schema or {})
    rows = {name: [row.get(name) for row in records] for name in columns}
    pl.DataFrame(rows, schema=columns).write_parquet(folder / "records.parquet")
    counts = Counter((row["model"], row["variant"], row["outcome"]) for row in records)
    pairs = dict.fromkeys((row["model"], row["variant"]) for row in records)
    outcomes = [{"model": m, "variant": v} | {name: counts[m, v, name] for name in OUTCOMES} for m, v in pairs]
    whole = {"suite": suite, "estimates": estimates, "outcomes": outcomes} | dict(summary or {})
    (folder / "summary.json").write_bytes(msgspec.json.encode(whole))
    usual: dict[str, Any] = {
        "suite": suite,
        "options": {},
        "seed": 0,
        "data": {"name": "numbers", "given": None, "sha256": "", "questions": 40, "asked": 40},
        "variants": [],
        "models": [],
        "judges": [],
        "cost": {"models": 0.0, "judges": 0.0},
        "stopped": None,
        "finished_at": "2026-01-02T03:04:05+00:00",
        "versions": {"counterfoil": "0"},
    }
    (folder / "manifest.json").write_text(json.dumps(usual | manifest), encoding="utf-8")
    return Run(folder)
