"""What a run of `memorization` keeps beside its own files: the frozen set, the item table, the seed's results.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl

from counterfoil.files import replacing, write_json
from counterfoil.memorization.results_file import results_of
from counterfoil.memorization.scoring import GAP_LEVELS, TRUSTED, kind_of
from counterfoil.perturbing.questions import PerturbedSet, Question, encode_set
from counterfoil.running.folder import RECORDS, Run
from counterfoil.running.records import read_scores

SET, ITEMS, RESULTS = "set.jsonl", "items.json", "results.json"
_LONGEST = 60


def write_files(run: Run, questions: PerturbedSet | None) -> None:
    """The set as it was asked; what became of each original; and one results.json for each model and variant."""
    if questions is not None:
        with replacing(run.folder / SET) as temporary:
            temporary.write_bytes(_content(questions, run.manifest["data"]["given"]))
    known = {question.id: question for question in questions or ()}
    records = read_scores(run.folder / RECORDS).filter(pl.col("repeat") == 0)
    arms = list(records.group_by(["model", "variant"], maintain_order=True))
    dataset = str(run.manifest["data"]["name"])
    items: list[dict[str, Any]] = []
    for (model, variant), rows in arms:
        found = rows.to_dicts()
        items += item_table(found, str(model), str(variant), known)
        name = RESULTS if len(arms) == 1 else f"results_{_safe(model)}_{_safe(variant)}.json"
        write_json(run.folder / name, results_of(found, str(model), dataset, known))
    write_json(run.folder / ITEMS, items)


def _content(questions: PerturbedSet, given: str | None) -> bytes:
    """The bytes that the set is known by: those of its file, which need not be written as we write them."""
    content = encode_set(questions)
    if given is not None and sha256(content).hexdigest() != questions.sha256:
        with suppress(OSError):
            return Path(given).read_bytes()
    return content


def item_table(
    rows: Sequence[Mapping[str, Any]], model: str, variant: str, questions: Mapping[str, Question]
) -> list[dict[str, Any]]:
    """For each original with all its draws of level 1 or 2: robust, memorized, improved or robust-incorrect; and the
    old answer, where the original is known, with how often it was kept where it was among the options.
    """
    by_parent: dict[str, dict[str, list[Mapping[str, Any]]]] = {}
    for row in rows:
        arms = by_parent.setdefault(row["parent"], {"original": [], "draws": [], "lures": []})
        if row["control"] == "lure":
            arms["lures"].append(row)
        elif row["control"] is None and row["level"] == 0:
            arms["original"].append(row)
        elif row["level"] in GAP_LEVELS and row["status"] in TRUSTED:
            arms["draws"].append(row)
    items = []
    for parent, arms in by_parent.items():
        draws = arms["draws"]
        if not arms["original"] or not draws or any(row["correct"] is None for row in (*arms["original"], *draws)):
            continue
        [original] = arms["original"]
        right = sum(row["correct"] for row in draws)
        old = questions.get(parent)
        items.append(
            {
                "question_id": parent,
                "topic": original["topic"],
                "model": model,
                "variant": variant,
                "kind": kind_of(float(original["correct"]), right / len(draws)),
                "old_answer": None if old is None else old.value,
                "original_answer": original["answer"],
                "draws": len(draws),
                "draws_right": right,
                "lures": sum(row["correct"] is not None for row in arms["lures"]),
                "old_answers_kept": sum(bool(row["kept_old"]) for row in arms["lures"]),
            }
        )
    return items


def _safe(name: object) -> str:
    """A model's name as part of a file's; names that come out the same are told apart by their hash."""
    text = str(name)
    safe = "".join(letter if letter.isalnum() or letter in "-." else "-" for letter in text)
    return (
        safe if safe == text and len(safe) <= _LONGEST else f"{safe[:_LONGEST]}-{sha256(text.encode()).hexdigest()[:8]}"
    )
