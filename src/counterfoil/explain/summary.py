"""From records to the estimates of `explain`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from counterfoil.stats import Estimate, cohen_kappa, differences, pearson, proportions, spearman

if TYPE_CHECKING:
    import polars as pl

ALL: tuple[str, ...] = ()
# `judge_changed`: how often the intersection comes out otherwise with the lists the other way round.
JUDGE_MEASURES = ("judge_precision", "judge_recall", "judge_f1", "judge_restraint", "judge_changed")


def summarize(rows: pl.DataFrame, confusing_at: float) -> list[Estimate]:
    """All estimates: over all replies; as the seed has them, over those whose answer is right; by the judges."""
    import polars as pl

    right = rows.filter(pl.col("correct")).with_columns(replies=pl.lit("correct"))
    estimates = [
        *proportions(rows, "correct", metric="accuracy"),
        *_scores(rows, ALL),
        *_scores(right, ("replies",)),
        *_clarifying(rows, "confusing", ALL),
        *_clarifying(right, "confusing", ("replies",)),
        *_clarifying(rows.with_columns(label=pl.lit("confusion_index")), "confusing_by_index", ("label",)),
    ]
    if rows["judges"].null_count() < rows.height:
        judged = _judged(rows, confusing_at)
        estimates += _judge_estimates(judged)
        estimates += _agreement(judged)
    return estimates


def _scores(rows: pl.DataFrame, by: Sequence[str]) -> list[Estimate]:
    import polars as pl

    most = max([1, *rows["mentioned"].list.len().drop_nulls()])
    shares = rows.with_columns(share=pl.col("mentioned").list.len() / most)
    confusing, plain = rows.filter(pl.col("confusing")), rows.filter(~pl.col("confusing"))
    return [
        *proportions(rows, "score_threshold", metric="score_threshold", by=by),
        *proportions(rows, "score_confusion_index", metric="score_confusion_index", by=by),
        *proportions(confusing, "reward", metric="reward", by=by),
        *proportions(plain, "penalty", metric="penalty", by=by),
        *(_scaled(estimate, float(most)) for estimate in proportions(shares, "share", metric="mentions", by=by)),
    ]


def _clarifying(rows: pl.DataFrame, label: str, by: Sequence[str]) -> list[Estimate]:
    """How often a reply clears something up where that is needed, and where it is not, and the difference."""
    import polars as pl

    return [
        *proportions(rows.filter(pl.col(label)), "clarifies", metric="clarifies_confusing", by=by),
        *proportions(rows.filter(~pl.col(label)), "clarifies", metric="clarifies_plain", by=by),
        *differences(rows, "clarifies", first=label, metric="discernment", by=by),
    ]


def _judged(rows: pl.DataFrame, confusing_at: float) -> pl.DataFrame:
    """One row for each judge of each reply."""
    import polars as pl

    columns = ["judges", "judge_confusion", "judge_quality", *JUDGE_MEASURES]
    judged = rows.filter(pl.col("judges").is_not_null()).explode(columns).rename({"judges": "judge"})
    return judged.with_columns(confusing_to_judge=pl.col("judge_confusion") > confusing_at)


def _judge_estimates(judged: pl.DataFrame) -> list[Estimate]:
    """The judges' measures, each judge apart where there are several."""
    import polars as pl

    by = ("judge",) if judged["judge"].n_unique() > 1 else ALL
    labelled = judged.with_columns(label=pl.lit("judge")).filter(pl.col("confusing_to_judge").is_not_null())
    quality = judged.with_columns(pl.col("judge_quality") / 100)
    there = [name for name in JUDGE_MEASURES if judged[name].count()]
    estimates = [it for name in there for it in proportions(judged, name, metric=name, by=by)]
    if judged["judge_quality"].count():
        estimates += [_scaled(it, 100.0) for it in proportions(quality, "judge_quality", metric="judge_quality", by=by)]
    return estimates + _clarifying(labelled, "confusing_to_judge", ("label", *by))


def _agreement(judged: pl.DataFrame) -> list[Estimate]:
    """Algorithm and judge, pairwise: kappa of the labels over questions, the seed's Pearson over replies beside it,
    and Spearman of the scores over replies, clustered by question.
    """
    import polars as pl

    estimates: list[Estimate] = []
    for (judge,), one in judged.group_by("judge", maintain_order=True):
        names: dict[str, Any] = {"model": "all", "variant": "all"}
        for label, score in (("confusing", "score_threshold"), ("confusing_by_index", "score_confusion_index")):
            group = {"between": f"{'threshold' if label == 'confusing' else 'confusion_index'} and {judge}"}
            questions = one.unique("question_id", maintain_order=True)
            both = (questions[label], questions["confusing_to_judge"])
            estimates.append(cohen_kappa(*both, metric="label_kappa", group=group, **names))
            replies = (one[label].cast(pl.Float64), one["confusing_to_judge"].cast(pl.Float64))
            estimates.append(pearson(*replies, metric="label_pearson", group=group, **names))
            scored = (one[score], one["judge_f1"], one["cluster"])
            estimates.append(spearman(*scored, metric="score_spearman", group=group, **names))
    return estimates


def _scaled(estimate: Estimate, factor: float) -> Estimate:
    """An estimate of a share as one of the number or score that it is a share of."""
    scaled = {name: _times(getattr(estimate, name), factor) for name in ("value", "low", "high")}
    return msgspec.structs.replace(estimate, **scaled)


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor
