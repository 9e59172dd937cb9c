"""The seed's results.json: written for each model and variant of a run, and read from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from counterfoil.errors import UserError
from counterfoil.files import without_mark
from counterfoil.memorization.scoring import TRUSTED
from counterfoil.perturbing.questions import Question


class Original(msgspec.Struct):
    answer: str | None = None
    correct: bool | None = None


class Perturbation(msgspec.Struct):
    level: int
    valid: bool = True
    perturbed_answer: str | None = None
    model_answer: str | None = None
    correct: bool | None = None
    changes_made: list[Any] | None = None


class Result(msgspec.Struct):
    question_id: str
    original: Original
    perturbations: list[Perturbation] = []
    correct_answer: str | None = None


class Results(msgspec.Struct):
    """What the file holds, as far as it is needed; the summary that it reports is made anew."""

    metadata: dict[str, Any]
    results: list[Result]
    summary: dict[str, Any] = {}

    @property
    def model(self) -> str:
        return str(self.metadata.get("model") or "unknown model")


def read_results(path: Path, model: str | None = None) -> Results:
    """A file in the seed's format; one sentence says what is wrong with it. `model` is its name where it has none."""
    try:
        results = msgspec.json.decode(without_mark(path.read_bytes()), type=Results)
    except OSError as error:
        raise UserError(f"{path} can't be read: {error.strerror}.") from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{path} is not a results.json of counterfactual testing: {error}.") from error
    if not results.results:
        raise UserError(f"{path} holds no results.")
    if model is not None:
        results.metadata.setdefault("model", model)
    return results


def reported_summary(results: Results) -> dict[str, Any]:
    """The summary as the seed's own code makes it: all originals against valid perturbations, unpaired; a question
    without a valid perturbation counts as robust if its original is right.
    """
    rights = [bool(result.original.correct) for result in results.results]
    accuracy = sum(rights) / len(rights)
    levels = sorted({p.level for result in results.results for p in result.perturbations})
    by_level: dict[str, dict[str, Any]] = {}
    for level in levels:
        valid = [p for result in results.results for p in result.perturbations if p.level == level and p.valid]
        share = sum(bool(p.correct) for p in valid) / len(valid) if valid else None
        by_level[str(level)] = {
            "n_valid": len(valid),
            "accuracy": share,
            "memorization_gap": None if share is None else accuracy - share,
        }
    robust = [
        right and all(bool(p.correct) for p in result.perturbations if p.valid)
        for right, result in zip(rights, results.results, strict=True)
    ]
    suspects = [right and not all_right for right, all_right in zip(rights, robust, strict=True)]
    return {
        "accuracy_original": accuracy,
        "perturbation_levels": by_level,
        "robust_accuracy": sum(robust) / len(robust),
        "memorization_suspect": sum(suspects) / len(suspects),
    }


def results_of(
    rows: Sequence[Mapping[str, Any]], model: str, dataset: str, questions: Mapping[str, Question]
) -> dict[str, Any]:
    """A run's records of one model and variant in the seed's format; `questions` are those that are known, by id.

    Controls and lures have no place in it. Nor has a question that was not answered with all its draws: such a file
    has no word for what failed.
    """
    arms = [row for row in rows if row["control"] is None]
    lost = {row["parent"] for row in arms if row["correct"] is None}
    by_parent: dict[str, dict[str, Any]] = {}
    for row in arms:
        if row["parent"] in lost:
            continue
        result = by_parent.setdefault(
            row["parent"], {"question_id": row["parent"], "original": {}, "perturbations": []}
        )
        if row["level"] == 0:
            result["correct_answer"] = row["gold"]
            result["original"] = {"answer": row["answer"], "correct": row["correct"]}
        else:
            result["perturbations"].append(_perturbation(row, questions.get(row["question_id"])))
    found = [result for result in by_parent.values() if result["original"]]
    levels = sorted({p["level"] for result in found for p in result["perturbations"]})
    metadata = {"model": model, "dataset": dataset, "n_questions": len(found), "perturbation_levels": levels}
    content = {"metadata": metadata, "summary": {}, "results": found}
    if found:
        content["summary"] = reported_summary(msgspec.convert(content, Results))
    return content


def _perturbation(row: Mapping[str, Any], question: Question | None) -> dict[str, Any]:
    perturbation = {
        "level": row["level"],
        "valid": row["status"] in TRUSTED,
        "perturbed_answer": row["gold"],
        "model_answer": row["answer"],
        "correct": row["correct"],
    }
    if question is not None:
        changes = [f"{it.name} changed from {it.before} to {it.after}" for it in question.changes]
        perturbation |= {"perturbed_answer": question.value, "changes_made": changes}
    return perturbation
