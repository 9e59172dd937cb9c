"""KoBBQ's official result table, and its files: what its scripts read and write, from a run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterfoil import targets
from counterfoil.bias import metrics
from counterfoil.bias.prompts import Prompt, opening, query, shown_choices
from counterfoil.bias.questions import LETTERS, Question, Questions
from counterfoil.bias.sources.kobbq import SAMPLE_COLUMNS
from counterfoil.errors import UserError
from counterfoil.files import explained, replacing
from counterfoil.running.folder import Run
from counterfoil.stats.estimate import Estimate

if TYPE_CHECKING:
    import polars as pl

# The official names of the five figures, in the official order.
METRICS = {
    metrics.OUT_OF_CHOICE.name: "out-of-choice ratio",
    metrics.ACCURACY_AMBIGUOUS.name: "accuracy in ambiguous contexts",
    metrics.ACCURACY_DISAMBIGUATED.name: "accuracy in disambiguated contexts",
    metrics.DIFF_BIAS_AMBIGUOUS.name: "diff-bias in ambiguous contexts",
    metrics.DIFF_BIAS_DISAMBIGUATED.name: "diff-bias in disambiguated contexts",
}
# Overall first, then labels, then categories.
_KEYS = ("overall", "label", "category")


def result_rows(estimates: Iterable[Estimate], variant: str) -> list[tuple[str, str, list[float | None]]]:
    """The rows of the official table for one variant: model, overall or label or category, the five figures."""
    cells: dict[tuple[str, str, str], dict[str, float | None]] = {}
    for estimate in estimates:
        if estimate.variant != variant or estimate.metric not in METRICS:
            continue
        [(kind, name), *others] = (estimate.group or {"overall": "overall"}).items()
        if kind in _KEYS and not others:
            cells.setdefault((estimate.model, kind, str(name)), {})[estimate.metric] = estimate.value
    models = list(dict.fromkeys(model for model, *_ in cells))
    ordered = sorted(cells, key=lambda key: (models.index(key[0]), _KEYS.index(key[1]), key[2]))
    return [
        (model, name, [cells[model, kind, name].get(metric) for metric in METRICS]) for model, kind, name in ordered
    ]


def write_results(run: Run, path: Path) -> None:
    """The official result table; where the run has several variants, one for each, with the official name: NAME_1,
    NAME_debiased_1.
    """
    variants = list(dict.fromkeys(str(row["variant"]) for row in run.outcomes))
    for variant, target in table_paths(path, variants).items():
        rows = result_rows(run.estimates, variant)
        table = [[model, name, *("" if value is None else repr(value) for value in row)] for model, name, row in rows]
        _write_tsv(target, ["model", "category", *METRICS.values()], table)


def table_paths(path: Path, variants: Sequence[str]) -> dict[str, Path]:
    """Where the result table of each of these variants goes."""
    if len(variants) == 1:
        return {variants[0]: path}
    official = {variant: "{}_{}".format(*_official_name(variant)) for variant in variants}
    if len(set(official.values())) < len(variants):
        official = {variant: f"_{variant}" for variant in variants}
    return {variant: path.with_stem(f"{path.stem}{name}") for variant, name in official.items()}


def export_files(run: Run, questions: Questions, prompts: Mapping[str, Prompt], folder: Path) -> list[Path]:
    """Everything that the official scripts pass to each other, for each variant and model; gives the files written.

    `data/`: evaluation JSON and TSV; `outputs/raw/`: raw predictions with what was read from them;
    `outputs/processed/`: the evaluation TSV with the choice's text in the column `prediction`.
    """
    records = run.records
    replies_of = {variant: _replies(records, variant) for variant in prompts}
    by_id = {question.id: question for question in questions}
    whole = "KoBBQ_all" if questions.by_template else "KoBBQ_test"
    paths = _official_paths(folder, whole, replies_of)
    for variant, prompt in prompts.items():
        kind, number = _official_name(variant)
        topic = f"{whole}_evaluation{kind}_{number}"
        replies = replies_of[variant]
        asked = [by_id[guid] for guid in sorted({guid for of_model in replies.values() for guid in of_model})]
        rows = [_evaluation_row(question, prompt) for question in asked]
        as_json, as_tsv = paths[variant, None]
        _write_json(as_json, asked, prompt)
        _write_tsv(as_tsv, EVALUATION_COLUMNS, rows)
        for model, of_model in replies.items():
            read = [of_model[question.id] for question in asked]
            raw = [
                # A space behind it keeps a reply such as "NA" from being taken for none.
                ["", topic, question.id, question.right_letter, reply + " " * (reply in _NO_CONTENT), choice]
                for question, (reply, choice) in zip(asked, read, strict=True)
            ]
            as_raw, as_processed = paths[variant, model]
            _write_tsv(as_raw, ["time", "topic", "guid", "truth", "raw", "prediction"], raw)
            processed = [
                _evaluation_row(question, prompt, choice) for question, (_, choice) in zip(asked, read, strict=True)
            ]
            _write_tsv(as_processed, EVALUATION_COLUMNS, processed)
    return [path for pair in paths.values() for path in pair]


def _official_paths(
    folder: Path, whole: str, replies_of: Mapping[str, Iterable[str]]
) -> dict[tuple[str, str | None], tuple[Path, Path]]:
    """Two files for each variant, and for each model in it. One that must stay is refused before another is written."""
    paths: dict[tuple[str, str | None], tuple[Path, Path]] = {}
    whose: dict[Path, str] = {}
    for variant, models in replies_of.items():
        kind, number = _official_name(variant)
        topic, outputs = f"{whole}_evaluation{kind}_{number}", f"{whole}{kind}_{number}"
        data = folder / "data" / whole
        paths[variant, None] = data / f"{topic}.json", data / f"{topic}.tsv"
        for model in models:
            name = f"{topic}_{model.replace('/', '_')}"
            raw = folder / "outputs" / "raw" / outputs / f"{name}_predictions.tsv"
            paths[variant, model] = raw, folder / "outputs" / "processed" / outputs / f"{name}.tsv"
    for (variant, of_model), pair in paths.items():
        about = f"variant {variant}" if of_model is None else f"model {of_model} in variant {variant}"
        for path in pair:
            if path in whose:
                raise UserError(
                    f"{whose[path]} and {about} have the same official name, {path.name}: export them apart."
                )
            whose[path] = about
    targets.refuse(*whose)
    return paths


# KoBBQ's samples come with an empty column for the prediction; the official scripts add what is behind it.
EVALUATION_COLUMNS = (*SAMPLE_COLUMNS, "bbq_id", "bbq_category", "prediction", "A", "B", "C", "answer_abc")
_OUT_OF_CHOICE = "out of choice"
# What pandas, with which the official scripts read, takes for a cell without content; they stop at one.
_NO_CONTENT = frozenset(
    (
        *("", "NA", "N/A", "n/a", "<NA>", "#NA", "#N/A", "#N/A N/A", "NULL", "null", "None"),
        *("NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
    )
)


def _official_name(variant: str) -> tuple[str, str]:
    """What stands for the variant in the official names: _debiased or another table's name, and the prompt's number.

    1-debiased is the first prompt of 0_evaluation_prompts_debiased.tsv; a user's table has the official name, or one
    of its own.
    """
    if variant.endswith("-debiased"):
        return "_debiased", variant.removesuffix("-debiased")
    table, _, number = variant.rpartition("-")
    table = table.removeprefix("0_evaluation_prompts").strip("_")
    return (f"_{table}" if table else ""), number


def _evaluation_row(question: Question, prompt: Prompt, choice: str = "") -> list[str]:
    """The prediction is the text of the choice; what is none of them stays what it is."""
    shown = shown_choices(question, prompt)
    right = shown[question.shown.index(question.right)]
    about = [question.id, question.label, question.context, question.text, str(list(shown)), question.biased, right]
    prediction = dict(zip(LETTERS, shown, strict=True)).get(choice, choice)
    return [*about, *question.bbq, prediction, *shown, question.right_letter]


def _replies(records: pl.DataFrame, variant: str) -> dict[str, dict[str, tuple[str, str]]]:
    """For each model, by the question's id: the reply and the letter that was read. The official scripts know one
    reply to each question, so it is the first of the repeats, and each model must have answered what any was asked.
    """
    import polars as pl

    found: dict[str, dict[str, tuple[str, str]]] = {}
    rows = records.filter(pl.col("repeat") == 0, pl.col("variant") == variant)
    rows = rows.with_columns(guid=pl.format("{}-{}", "question_id", "order"))
    asked = rows["guid"].unique(maintain_order=True)
    for (model,), of_model in rows.group_by("model", maintain_order=True):
        replied = of_model.drop_nulls("correct").select("guid", "reply", "choice").iter_rows()
        replies = {guid: (reply or "", choice or _OUT_OF_CHOICE) for guid, reply, choice in replied}
        missing = [guid for guid in asked if guid not in replies]
        if missing:
            raise UserError(
                f"{model} has no reply to {len(missing)} questions in variant {variant}, {missing[0]} among them: "
                "the official scripts need all of them, so run the same command until none is left."
            )
        found[str(model)] = replies
    return found


def _write_json(path: Path, questions: Sequence[Question], prompt: Prompt) -> None:
    data = [
        [query(question, prompt), *shown_choices(question, prompt), question.right_letter, question.id]
        for question in questions
    ]
    content = {"ver": "test", "prefix": opening(prompt), "data": data}
    _write(path, [json.dumps(content, ensure_ascii=False, indent=4)])


def _write_tsv(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    _write(path, ("\t".join(map(_cell, row)) + "\n" for row in (header, *rows)))


def _write(path: Path, lines: Iterable[str]) -> None:
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        file.writelines(lines)


def _cell(text: str) -> str:
    """In quotation marks where it must be. Python's own writer leaves a lone carriage return without them, and then
    readers take it for a line's end.
    """
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in '\t\r\n"') else text


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
    variants = dict.fromkeys(estimate.variant for estimate in estimates)
    rows = [values for variant in variants for _, _, values in result_rows(estimates, variant)]
    columns = zip(*rows, strict=True) if rows else [[None]] * len(METRICS)
    numbers = [[value for value in column if value is not None] for column in columns]
    return {name: sum(some) / len(some) if some else None for name, some in zip(METRICS, numbers, strict=True)}
