"""The `human_*` metrics: what people say of the replies, by model and variant."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import TYPE_CHECKING, Any

import msgspec

from counterfoil.rating.opinions import Opinion, Opinions, confusion_of_questions, label, measured_together
from counterfoil.stats import Estimate, proportions
from counterfoil.suite.form import NONE

if TYPE_CHECKING:
    import polars as pl

ALL = "all"
FORMULAS: Mapping[str, str] = {
    "human_accuracy": "People who say that the reply's answer is right ÷ people who rated it; mean over replies.",
    "human_confusion": "How likely a question is mixed up, 0 to 100; mean over people, then over questions.",
    "human_precision": "Alternatives of a reply that are plausible to people ÷ alternatives it names, each with the "
    "share of people who say so; not defined without alternatives.",
    "human_recall": "Plausible alternatives that the reply names ÷ these and the important ones that people miss (mean "
    "number over people); not defined where there are neither.",
    "human_f1": "2 · plausible ÷ (named + plausible + missed); 0 where nothing is named and something missed, not "
    "defined where neither.",
    "human_quality": "Mean of how clear, accurate and convincing a reply's clarifications are, 0 to 100.",
    "human_restraint": "People who say that no clarification was unneeded ÷ people, on questions that are not "
    "confusing to people.",
    "human_reading": "People who read the same answer in a reply as the rules did ÷ people who rated it; by whether "
    "the rules read an answer or none.",
    "human_alpha": "Krippendorff's alpha of people's ratings, for each question of the form.",
    "human_kappa": "Cohen's kappa of two raters; of scores: of whether they are above 50.",
    "human_spearman": "Spearman's rank correlation of two raters' scores.",
    "human_label_kappa": "Cohen's kappa of the labels “confusing”, over questions.",
    "human_correct_kappa": "Cohen's kappa on whether answers are right, over replies; people: what most say.",
    "human_reading_kappa": "Cohen's kappa of the answers read by the rules and by most people, over replies.",
    "human_confusion_spearman": "Spearman's rank correlation of the confusion scores, over questions.",
    "human_score_spearman": "Spearman's rank correlation of scores over replies: people and judges by F1.",
    "human_quality_spearman": "Spearman's rank correlation of the quality of clarifications, over replies.",
    "human_pair_alpha": "Krippendorff's alpha of pairs: of two people on the same reply, or of a judge and a person.",
    "human_judge_gap": "human_pair_alpha of judge and person − that of two people, on the same replies. From 0 up, the "
    "judge agrees with a person as well as another person does.",
}
_SHARES = {"accuracy": "correct", "precision": "precision", "recall": "recall", "f1": "f1", "restraint": "needed_only"}


def human_metrics(opinions: Opinions, confusing_at: float) -> list[Estimate]:
    """All of them; adjudicated values take the place of what the raters said."""
    if opinions.form.suite == "explain":
        return _explain(opinions, confusing_at)
    return _reading(opinions)


def _explain(opinions: Opinions, confusing_at: float) -> list[Estimate]:
    import polars as pl

    confusion = confusion_of_questions(opinions)
    rows = []
    for made in opinions.tasks:
        score = confusion.get(made.source.question_id)
        plain = None if score is None else score <= confusing_at
        rows.append(_row(made.source) | measured_together(opinions.of(made), made)._asdict() | {"plain": plain})
    types: dict[str, Any] = dict.fromkeys((*_SHARES.values(), "confusion", "quality"), pl.Float64)
    frame = pl.DataFrame(rows, schema_overrides=types | {"plain": pl.Boolean})
    estimates = []
    for name, column in _SHARES.items():
        some = frame.filter(pl.col("plain")) if name == "restraint" else frame
        estimates += proportions(some, column, metric=f"human_{name}")
    quality = frame.with_columns(pl.col("quality") / 100)
    estimates += map(_of_100, proportions(quality, "quality", metric="human_quality"))
    return estimates + list(map(_of_100, proportions(_questions(frame, confusion), "share", metric="human_confusion")))


def _questions(frame: pl.DataFrame, confusion: Mapping[str, float]) -> pl.DataFrame:
    """Confusion belongs to questions: each once."""
    import polars as pl

    shares = pl.DataFrame(
        [(question, score / 100) for question, score in confusion.items()],
        schema={"question_id": pl.String, "share": pl.Float64},
        orient="row",
    )
    questions = frame.select("question_id", "cluster").unique("question_id", maintain_order=True)
    return questions.join(shares, on="question_id").with_columns(model=pl.lit(ALL), variant=pl.lit(ALL))


def _reading(opinions: Opinions) -> list[Estimate]:
    """How far people read the answers that were read."""
    import polars as pl

    rows = []
    for made in opinions.tasks:
        [opinion] = opinions.of(made).values()
        reading = made.source.algorithm["reading"]
        was_read = NONE if reading in (NONE, "") else "read"
        rows.append(_row(made.source) | {"same": _same(opinion, reading), "reading": was_read})
    frame = pl.DataFrame(rows, schema_overrides={"same": pl.Float64})
    overall = proportions(frame, "same", metric="human_reading")
    return overall + proportions(frame, "same", metric="human_reading", by=["reading"])


def _same(opinion: Opinion, reading: str) -> float | None:
    read = label(opinion.question, reading)
    said = [opinion.decided] if opinion.decided is not None else list(opinion.values.values())
    return fmean(label(opinion.question, value) == read for value in said) if said else None


def _row(source: Any) -> dict[str, Any]:
    return {name: getattr(source, name) for name in ("model", "variant", "cluster", "question_id")}


def _of_100(estimate: Estimate) -> Estimate:
    """A share of 100 as the score that it is a share of."""
    bounds = {name: getattr(estimate, name) for name in ("value", "low", "high")}
    return msgspec.structs.replace(estimate, **{name: it if it is None else it * 100 for name, it in bounds.items()})
