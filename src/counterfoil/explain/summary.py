"""The summary of `explain`: the declared figures, and how far algorithm and judges agree."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import polars as pl

from counterfoil.explain.items import judgements_of
from counterfoil.explain.metrics import (
    ACCURACY,
    CLARIFYING,
    CLARIFYING_BY_INDEX,
    CLARIFYING_BY_JUDGE,
    CLARIFYING_OF_RIGHT,
    CONFUSION_BANDS,
    JUDGE_CONFUSION,
    JUDGED,
    LABEL_KAPPA,
    LABEL_PEARSON,
    SCORE_SPEARMAN,
    SCORES,
    SCORES_OF_RIGHT,
)
from counterfoil.stats import Estimate, cohen_kappa, pearson, spearman
from counterfoil.stats.metric import Items
from counterfoil.stats.summary import summarize as summary_of

ORDER = (
    *(ACCURACY, *SCORES, *SCORES_OF_RIGHT, *CLARIFYING, *CLARIFYING_OF_RIGHT, *CLARIFYING_BY_INDEX),
    *(*JUDGED, *CLARIFYING_BY_JUDGE, JUDGE_CONFUSION, *CONFUSION_BANDS),
)


def summarize(items: Items, records: pl.DataFrame, confusing_at: float) -> list[Estimate]:
    """All estimates: over all replies; over those whose answer is right, as in the CFE study; by the judges.

    Whoever was asked has all of them, without a value where nothing is left.
    """
    return [*summary_of(ORDER, items), *_agreement(judgements_of(records, confusing_at))]


def _agreement(judgements: pl.DataFrame) -> list[Estimate]:
    """Algorithm and judges, pairwise."""
    judges = {str(judge): one for (judge,), one in judgements.group_by("judge", maintain_order=True)}
    estimates: list[Estimate] = []
    for judge, one in judges.items():
        by_judge = (one["confusing_to_judge"], one["judge_f1"])
        for label, column in (("threshold", "confusing"), ("confusion_index", "confusing_by_index")):
            estimates += _agree(f"{label} and {judge}", one, (one[column], one[f"score_{label}"]), by_judge)
    for (first, one), (second, other) in combinations(judges.items(), 2):
        both = one.join(other, on=["model", "variant", "question_id", "repeat"], maintain_order="left", suffix=" 2")
        of_one, of_other = ((both[f"confusing_to_judge{end}"], both[f"judge_f1{end}"]) for end in ("", " 2"))
        estimates += _agree(f"{first} and {second}", both, of_one, of_other)
    return estimates


def _agree(
    between: str, rows: pl.DataFrame, one: tuple[pl.Series, pl.Series], other: tuple[pl.Series, pl.Series]
) -> list[Estimate]:
    """Kappa of the labels over questions, the CFE study's Pearson over replies beside it, Spearman of the scores over
    replies, clustered by question. Each side gives its labels and its scores.
    """
    names: dict[str, Any] = {"model": "all", "variant": "all", "group": {"between": between}}
    first = rows.select(pl.col("question_id").is_first_distinct()).to_series()
    labels = one[0].filter(first), other[0].filter(first)
    numbers = one[0].cast(pl.Float64), other[0].cast(pl.Float64)
    return [
        cohen_kappa(*labels, metric=LABEL_KAPPA.name, **names),
        pearson(*numbers, rows["cluster"], metric=LABEL_PEARSON.name, **names),
        spearman(one[1], other[1], rows["cluster"], metric=SCORE_SPEARMAN.name, **names),
    ]
