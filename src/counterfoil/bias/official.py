"""KoBBQ's official result table, and its files: what its scripts read and write, from a run."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from counterfoil.bias.prompts import Prompt, query, shown_choices
from counterfoil.bias.questions import LETTERS, Question
from counterfoil.errors import UserError
from counterfoil.runs.files import replacing
from counterfoil.runs.folder import Run
from counterfoil.stats.estimate import Estimate

# The official names of the five figures, in the official order.
METRICS = {
    "out_of_choice": "out-of-choice ratio",
    "accuracy_ambiguous": "accuracy in ambiguous contexts",
    "accuracy_disambiguated": "accuracy in disambiguated contexts",
    "diff_bias_ambiguous": "diff-bias in ambiguous contexts",
    "diff_bias_disambiguated": "diff-bias in disambiguated contexts",
}
# Overall first, then labels, then categories.
_KEYS = ("overall", "label", "category")


def result_rows(estimates: Iterable[Estimate], variant: str) -> list[tuple[str, str, list[float | None]]]:
    """The rows of the official table for one variant: model, overall or label or category, the five figures."""
    cells: dict[tuple[str, str, str], dict[str, float | None]] = {}
    for it in estimates:
        if it.variant != variant or it.metric not in METRICS:
            continue
        if not it.group:
            key = it.model, "overall", "overall"
        elif len(it.group) == 1 and next(iter(it.group)) in _KEYS:
            [(name, value)] = it.group.items()
            key = it.model, name, str(value)
        else:
            continue
        cells.setdefault(key, {})[it.metric] = it.value
    models = list(dict.fromkeys(model for model, *_ in cells))
    ordered = sorted(cells, key=lambda key: (models.index(key[0]), _KEYS.index(key[1]), key[2]))
    return [
        (model, name, [cells[model, kind, name].get(metric) for metric in METRICS]) for model, kind, name in ordered
    ]


def write_results(run: Run, path: Path) -> None:
    """The official result table; where the run has several variants, one for each, named NAME_VARIANT."""
    variants = list(dict.fromkeys(str(row["variant"]) for row in run.outcomes))
    for variant in variants:
        target = path if len(variants) == 1 else path.with_stem(f"{path.stem}_{variant}")
        rows = result_rows(run.estimates, variant)
        table = [[model, name, *("" if value is None else repr(value) for value in row)] for model, name, row in rows]
        _write_tsv(target, ["model", "category", *METRICS.values()], table)


def export_files(run: Run, questions: Iterable[Question], prompts: Mapping[str, Prompt], folder: Path) -> list[Path]:
    """Everything that the official scripts pass to each other, for each variant and model; gives the files written.

    `data/`: evaluation JSON and TSV; `outputs/raw/`: raw predictions with what was read from them;
    `outputs/processed/`: the evaluation TSV with the choice's text in the column `prediction`.
    """
    asked = sorted(questions, key=lambda question: question.id)
    written: list[Path] = []
    for variant, prompt in prompts.items():
        topic = f"KoBBQ_test_evaluation{'_debiased' if variant.endswith('-debiased') else ''}"
        number = variant.removesuffix("-debiased")
        folder_name = f"{topic.replace('_evaluation', '')}_{number}"
        data = folder / "data" / folder_name
        rows = [_evaluation_row(question, prompt) for question in asked]
        written.append(_write_json(data / f"{topic}_{number}.json", asked, prompt))
        written.append(_write_tsv(data / f"{topic}_{number}.tsv", EVALUATION_COLUMNS, rows))
        for model, replies in _replies(run, variant):
            name = f"{topic}_{number}_{model.replace('/', '_')}"
            missing = [question.id for question in asked if question.id not in replies]
            if missing:
                raise UserError(
                    f"{model} has no reply to {len(missing)} questions in variant {variant}, {missing[0]} among them: "
                    "the official scripts need all of them, so run the same command until none is left."
                )
            raw = [
                ["", f"{topic}_{number}", question.id, _letter(question), *replies[question.id]] for question in asked
            ]
            path = folder / "outputs" / "raw" / folder_name / f"{name}_predictions.tsv"
            written.append(_write_tsv(path, ["time", "topic", "guid", "truth", "raw", "prediction"], raw))
            processed = [
                [*row[:-4], _prediction(replies[question.id][1], question, prompt), *row[-4:]]
                for question, row in zip(asked, rows, strict=True)
            ]
            columns = [*EVALUATION_COLUMNS[:-4], "prediction", *EVALUATION_COLUMNS[-4:]]
            path = folder / "outputs" / "processed" / folder_name / f"{name}.tsv"
            written.append(_write_tsv(path, columns, processed))
    return written


EVALUATION_COLUMNS = (
    "sample_id",
    "label_annotation",
    "context",
    "question",
    "choices",
    "biased_answer",
    "answer",
    "bbq_id",
    "bbq_category",
    "A",
    "B",
    "C",
    "answer_abc",
)


def _evaluation_row(question: Question, prompt: Prompt) -> list[str]:
    shown = shown_choices(question, prompt)
    right = shown[LETTERS.index(_letter(question))]
    biased = question.biased
    return [
        question.id,
        question.label,
        question.context,
        question.text,
        str(list(shown)),
        biased,
        right,
        "",
        "",
        *shown,
        _letter(question),
    ]


def _letter(question: Question) -> str:
    """The right answer's."""
    return LETTERS[question.shown.index(question.right)]


def _prediction(read: str, question: Question, prompt: Prompt) -> str:
    return shown_choices(question, prompt)[LETTERS.index(read)] if read and read in LETTERS else read


def _replies(run: Run, variant: str) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """For each model: by the question's id, the reply and the letter that was read; what was not read stays a text."""
    import polars as pl

    records = run.records.filter(pl.col("variant") == variant, pl.col("repeat") == 0, pl.col("correct").is_not_null())
    for (model,), rows in records.group_by("model", maintain_order=True):
        yield (
            str(model),
            {
                f"{sample}-{order}": [reply or "", choice or "out of choice"]
                for sample, order, reply, choice in rows.select("question_id", "order", "reply", "choice").iter_rows()
            },
        )


def _write_json(path: Path, questions: Sequence[Question], prompt: Prompt) -> Path:
    data = [
        [query(question, prompt), *shown_choices(question, prompt), _letter(question), question.id]
        for question in questions
    ]
    content = {"ver": "test", "prefix": prompt.instruction + "\n\n", "data": data}
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(content, ensure_ascii=False, indent=4), encoding="utf-8")
    return path


def _write_tsv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    return path


def score_comparison(a: Sequence[Estimate], b: Sequence[Estimate], label_a: str, label_b: str) -> list[dict[str, Any]]:
    """The table of the official 6_score_comparison.py: the five figures as means over all rows of the result table
    (overall, labels and categories), and the means of the ambiguous and the disambiguated differences, in percent.
    """
    means = {label: _row_means(estimates) for label, estimates in ((label_a, a), (label_b, b))}
    if any(value is None for row in means.values() for value in row.values()):
        return []
    one, other = means[label_a], means[label_b]

    def mean_difference(kind: str) -> float:
        names = (f"{kind}_ambiguous", f"{kind}_disambiguated")
        return sum((other[name] or 0.0) - (one[name] or 0.0) for name in names) / 2

    return [
        *({"side": label, **{METRICS[name]: value for name, value in row.items()}} for label, row in means.items()),
        {
            "side": f"{label_b} − {label_a}",
            "diff_bias_diff": 100 * mean_difference("diff_bias"),
            "accuracy_diff": 100 * mean_difference("accuracy"),
        },
    ]


def _row_means(estimates: Sequence[Estimate]) -> dict[str, float | None]:
    variant = estimates[0].variant if estimates else ""
    rows = [values for _, _, values in result_rows(estimates, variant)]
    columns = zip(*rows, strict=True) if rows else [[None]] * len(METRICS)
    means: dict[str, float | None] = {}
    for name, column in zip(METRICS, columns, strict=True):
        numbers = [value for value in column if value is not None]
        means[name] = sum(numbers) / len(numbers) if numbers else None
    return means
