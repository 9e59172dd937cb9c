"""What a run of `memorization` keeps beside its own files: the frozen set, the item table, the seed's results.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from counterfoil.memorization.perturbed import PerturbedSet, write_set
from counterfoil.memorization.results_file import results_of
from counterfoil.memorization.scoring import kind_of
from counterfoil.runs.files import write_json
from counterfoil.runs.folder import Run

SET, ITEMS, RESULTS = "set.jsonl", "items.json", "results.json"


def write_files(run: Run, questions: PerturbedSet | None) -> None:
    """The set as it was asked; what became of each original; and one results.json for each model and variant."""
    if questions is not None:
        write_set(run.folder / SET, questions)
    records = run.records.drop("reply", "ask_key", "judge_keys", "reason")
    arms = list(records.group_by(["model", "variant"], maintain_order=True))
    dataset = str(run.manifest["data"]["name"])
    items: list[dict[str, Any]] = []
    for (model, variant), rows in arms:
        found = rows.filter(pl.col("repeat") == 0).to_dicts()
        items += item_table(found, str(model), str(variant))
        name = RESULTS if len(arms) == 1 else f"results_{_safe(model)}_{_safe(variant)}.json"
        write_json(run.folder / name, results_of(found, str(model), dataset))
    write_json(run.folder / ITEMS, items)


def item_table(rows: Sequence[Mapping[str, Any]], model: str, variant: str) -> list[dict[str, Any]]:
    """For each original with a draw of level 1 or 2: robust, memorized, improved or robust-incorrect, and how often
    the old answer was kept where it was among the options.
    """
    by_parent: dict[str, dict[str, list[Mapping[str, Any]]]] = {}
    for row in rows:
        arms = by_parent.setdefault(row["parent"], {"original": [], "draws": [], "lures": []})
        if row["correct"] is None:
            continue
        if row["control"] == "lure":
            arms["lures"].append(row)
        elif row["control"] is None and row["level"] in (1, 2):
            arms["draws"].append(row)
        elif row["control"] is None and row["level"] == 0:
            arms["original"].append(row)
    items = []
    for parent, arms in by_parent.items():
        if not arms["original"] or not arms["draws"]:
            continue
        [original], draws = arms["original"][:1], arms["draws"]
        right = sum(row["correct"] for row in draws)
        kept = [row["answer"] for row in arms["lures"] if row["kept_old"]]
        items.append(
            {
                "question_id": parent,
                "topic": original["topic"],
                "model": model,
                "variant": variant,
                "kind": kind_of(float(original["correct"]), right / len(draws)),
                "original_answer": original["answer"],
                "draws": len(draws),
                "draws_right": right,
                "lures": len(arms["lures"]),
                "old_answers_kept": len(kept),
            }
        )
    return items


def _safe(name: object) -> str:
    """A model's name as part of a file's."""
    return "".join(letter if letter.isalnum() or letter in "-." else "-" for letter in str(name))[:80]
