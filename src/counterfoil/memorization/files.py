"""The files of a run of `memorization` beside those of every run: the frozen set, the item table, and results.json.

results.json has the format of the CFA study. It is written for each model and variant, and read from elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from counterfoil.errors import UserError
from counterfoil.files import replacing, write_json
from counterfoil.inputs import read_text
from counterfoil.memorization.evidence import chance_of, memorized
from counterfoil.memorization.metrics import GAP_LEVELS, TRUSTED
from counterfoil.memorization.questions import ITEMS, LEFT_OUT, RESULTS, SET
from counterfoil.perturbing.questions import PerturbedSet, Question, encode_set
from counterfoil.tables import in_words

if TYPE_CHECKING:
    from counterfoil.running.folder import Run

_LONGEST = 60
# As in the CFA study's analysis, for K draws: each question is exactly one of these. Right in the original and wrong in
# a draw makes it a suspect; memorized is one of which that, and its lures, say more than chance would.
Kind = Literal["robust", "suspect", "memorized", "improved", "robust-incorrect"]


def write_files(run: Run, questions: PerturbedSet | None) -> None:
    """The set as it was asked; what became of each original; and one results.json for each model and variant."""
    import polars as pl

    from counterfoil.running.folder import RECORDS
    from counterfoil.running.records import read_scores

    if questions is not None:
        with replacing(run.folder / SET) as temporary:
            temporary.write_bytes(_content(questions, run.manifest["data"]["given"]))
    known = {question.id: question for question in questions or ()}
    records = read_scores(run.folder / RECORDS).filter(pl.col("repeat") == 0)
    arms = list(records.group_by(["model", "variant"], maintain_order=True))
    dataset = str(run.manifest["data"]["name"])
    missing = run.manifest["data"].get(LEFT_OUT, [])
    items: list[dict[str, Any]] = []
    names = result_names([(str(model), str(variant)) for (model, variant), _ in arms])
    for (model, variant), rows in arms:
        found = rows.to_dicts()
        items += item_table(found, str(model), str(variant), known)
        name = names[str(model), str(variant)]
        write_json(run.folder / name, results_of(found, str(model), dataset, known, missing))
    write_json(run.folder / ITEMS, items)


def result_names(arms: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The file of each model and variant in the CFA study's format."""
    if len(arms) == 1:
        return {arms[0]: RESULTS}
    return {(model, variant): f"results_{_safe(model)}_{_safe(variant)}.json" for model, variant in arms}


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
    """For each original with all its draws of level 1 or 2: robust, suspect, memorized, improved or robust-incorrect;
    the old answer, where the original is known, with how often it was kept where it was among the options; and how
    likely chance alone makes the question look as memorized.
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
        draws, lures = arms["draws"], arms["lures"]
        if not arms["original"] or not draws or any(row["correct"] is None for row in (*arms["original"], *draws)):
            continue
        [original] = arms["original"]
        right = sum(row["correct"] for row in draws)
        old = questions.get(parent)
        items.append(
            {
                "question_id": parent,
                "source_id": _source_id(parent, questions),
                "topic": original["topic"],
                "model": model,
                "variant": variant,
                "kind": kind_of(float(original["correct"]), right / len(draws)),
                "old_answer": None if old is None else old.value,
                "original_answer": original["answer"],
                "draws": len(draws),
                "draws_right": right,
                "lures": sum(row["correct"] is not None for row in lures),
                "old_answers_kept": (kept := sum(bool(row["kept_old"]) for row in lures)),
                "shams_taken": (shams := sum(bool(row["took_sham"]) for row in lures)),
                "chance": chance_of(bool(original["correct"]), right, len(draws), kept, shams),
            }
        )
    for item, is_memorized in zip(items, memorized([item["chance"] for item in items]), strict=True):
        if is_memorized and item["kind"] == "suspect":
            item["kind"] = "memorized"
    return items


def kind_of(o: float, v: float) -> Kind:
    """What became of a question when its numbers changed; o is 1 where the original was right, v the share of draws."""
    if o == 1:
        return "robust" if v == 1 else "suspect"
    return "improved" if v > 0 else "robust-incorrect"


def _safe(name: object) -> str:
    """A model's name as part of a file's; names that come out the same are told apart by their hash."""
    text = str(name)
    safe = "".join(letter if letter.isalnum() or letter in "-." else "-" for letter in text)[:_LONGEST]
    return safe if safe == text else f"{safe}-{sha256(text.encode()).hexdigest()[:8]}"


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
    """A file in the CFA study's format; errors say what is wrong with it. `model`: its name, where it has none."""
    try:
        results = msgspec.json.decode(read_text(path), type=Results)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{path} is not a results.json of counterfactual testing: {in_words(error)}.") from error
    if not results.results:
        raise UserError(f"{path} holds no results.")
    if model is not None:
        results.metadata.setdefault("model", model)
    return results


def reported_summary(results: Results) -> dict[str, Any]:
    """The summary as the study's own code makes it: all originals against valid perturbations, unpaired; a question
    without a valid perturbation counts as robust if its original is right.
    """
    rights = [bool(result.original.correct) for result in results.results]
    accuracy = sum(rights) / len(rights)
    perturbations = [p for result in results.results for p in result.perturbations]
    by_level: dict[str, dict[str, Any]] = {}
    for level in sorted({p.level for p in perturbations}):
        valid = [p for p in perturbations if p.level == level and p.valid]
        share = sum(bool(p.correct) for p in valid) / len(valid) if valid else None
        by_level[str(level)] = {
            "n_valid": len(valid),
            "accuracy": share,
            "memorization_gap": None if share is None else accuracy - share,
        }
    robust = sum(
        right and all(p.correct for p in result.perturbations if p.valid)
        for right, result in zip(rights, results.results, strict=True)
    )
    return {
        "accuracy_original": accuracy,
        "perturbation_levels": by_level,
        "robust_accuracy": robust / len(rights),
        "memorization_suspect": (sum(rights) - robust) / len(rights),
    }


def results_of(
    rows: Sequence[Mapping[str, Any]],
    model: str,
    dataset: str,
    questions: Mapping[str, Question],
    missing: Sequence[int] = (),
) -> dict[str, Any]:
    """A run's records of one model and variant in the CFA study's format; `questions` are those that are known, by id.
    `missing`: levels that were asked for, and that no question has.

    Controls and lures have no place in it. Nor has a question that was not answered with all its draws: such a file
    has no word for what failed.
    """
    arms = [row for row in rows if row["control"] is None]
    lost = {row["parent"] for row in arms if row["correct"] is None}
    by_parent: dict[str, dict[str, Any]] = {}
    for row in arms:
        if row["parent"] in lost:
            continue
        parent = row["parent"]
        result = by_parent.setdefault(parent, _names(parent, questions) | {"original": {}, "perturbations": []})
        if row["level"] == 0:
            result["correct_answer"] = row["gold"]
            result["original"] = {"answer": row["answer"], "correct": row["correct"]}
        else:
            result["perturbations"].append(_perturbation(row, questions.get(row["question_id"])))
    found = [result for result in by_parent.values() if result["original"]]
    levels = sorted({p["level"] for result in found for p in result["perturbations"]}.union(missing))
    metadata = {"model": model, "dataset": dataset, "n_questions": len(found), "perturbation_levels": levels}
    if missing:
        metadata[LEFT_OUT] = list(missing)
    content: dict[str, Any] = {"metadata": metadata, "summary": {}, "results": found}
    if found:
        content["summary"] = _rounded(reported_summary(msgspec.convert(content, Results)))
    return content


def _names(parent: str, questions: Mapping[str, Question]) -> dict[str, str]:
    """The question's id in the dataset it comes from, where that is known, and ours."""
    source_id = _source_id(parent, questions)
    return {"question_id": parent} if source_id is None else {"question_id": source_id, "counterfoil_id": parent}


def _source_id(parent: str, questions: Mapping[str, Question]) -> str | None:
    known = questions[parent].source_id if parent in questions else msgspec.UNSET
    return None if isinstance(known, msgspec.UnsetType) else known


def _rounded(summary: dict[str, Any]) -> dict[str, Any]:
    """The summary to the study's four digits."""
    return {
        key: _rounded(value) if isinstance(value, dict) else round(value, 4) if isinstance(value, float) else value
        for key, value in summary.items()
    }


def _perturbation(row: Mapping[str, Any], question: Question | None) -> dict[str, Any]:
    perturbation = {
        "level": row["level"],
        "valid": row["status"] in TRUSTED,
        "perturbed_answer": row["gold"],
        "model_answer": row["answer"],
        "correct": row["correct"],
    }
    if question is not None:
        changes = [f"{change.name} changed from {change.before} to {change.after}" for change in question.changes]
        perturbation |= {"perturbed_answer": question.value, "changes_made": changes}
    return perturbation
