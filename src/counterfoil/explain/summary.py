"""From records to the estimates of `explain`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import msgspec

from counterfoil.explain.importers import JUDGE as IMPORTED
from counterfoil.stats import Estimate, cohen_kappa, differences, pearson, proportions, spearman

if TYPE_CHECKING:
    import polars as pl

ALL: tuple[str, ...] = ()
# A question of PlausibleQA has ten candidates; the interval of the mentions is made on a scale that ends there.
USUAL_CANDIDATES = 10
# The bands of the seed's scale, from straightforward to extremely likely to cause uncertainty.
BANDS = ((0, 15), (16, 40), (41, 65), (66, 85), (86, 100))
# `judge_changed`: how often the intersection comes out otherwise with the lists the other way round.
JUDGE_MEASURES = ("judge_precision", "judge_recall", "judge_f1", "judge_restraint", "judge_correct", "judge_changed")
# What every judge of a run is asked for; the answer and the other way round only where the user wants it.
ASKED_OF_JUDGES = ("judge_precision", "judge_recall", "judge_f1", "judge_restraint", "judge_quality")
# What belongs to a reply, and not to its question.
OF_REPLY = ("mentioned", "clarifies", "reward", "penalty", "score_threshold", "score_confusion_index")


def summarize(rows: pl.DataFrame, confusing_at: float, judges: Sequence[str] = ()) -> list[Estimate]:
    """All estimates: over all replies; as the seed has them, over those whose answer is right; by the judges.

    Whoever was asked has all of them, without a value where nothing is left. `judges`: those of the run, who may have
    had nothing to judge.
    """
    import polars as pl

    right = rows.with_columns(
        *(pl.when("correct").then(name).alias(name) for name in OF_REPLY), replies=pl.lit("correct")
    )
    estimates = [
        *proportions(rows, "correct", metric="accuracy"),
        *_scores(rows, ALL),
        *_scores(right, ("replies",)),
        *_clarifying(rows, "confusing", ALL),
        *_clarifying(right, "confusing", ("replies",)),
        *_clarifying(rows.with_columns(label=pl.lit("confusion_index")), "confusing_by_index", ("label",)),
    ]
    if judges or rows["judges"].null_count() < rows.height:
        judged = _judged(rows, confusing_at)
        judges = list(dict.fromkeys([*judges, *judged["judge"].unique(maintain_order=True)]))
        estimates += [*_judge_estimates(judged, rows, judges), *_confusion(judged), *_agreement(judged)]
    return estimates


def _scores(rows: pl.DataFrame, by: Sequence[str]) -> list[Estimate]:
    import polars as pl

    most = max([USUAL_CANDIDATES, *rows["mentioned"].list.len().drop_nulls()])
    shares = rows.with_columns(share=pl.col("mentioned").list.len() / most)
    confusing = rows.with_columns(pl.when("confusing").then("reward"))
    plain = rows.with_columns(pl.when(~pl.col("confusing")).then("penalty"))
    return [
        *proportions(rows, "score_threshold", metric="score_threshold", by=by),
        *proportions(rows, "score_confusion_index", metric="score_confusion_index", by=by),
        *proportions(confusing, "reward", metric="reward", by=by),
        *proportions(plain, "penalty", metric="penalty", by=by),
        *(_scaled(estimate, most) for estimate in proportions(shares, "share", metric="mentions", by=by)),
    ]


def _clarifying(rows: pl.DataFrame, label: str, by: Sequence[str]) -> list[Estimate]:
    """How often a reply clears something up where that is needed, and where it is not, and the difference."""
    import polars as pl

    confusing = rows.with_columns(pl.when(label).then("clarifies"))
    plain = rows.with_columns(pl.when(~pl.col(label)).then("clarifies"))
    return [
        *proportions(confusing, "clarifies", metric="clarifies_confusing", by=by),
        *proportions(plain, "clarifies", metric="clarifies_plain", by=by),
        *differences(rows, "clarifies", first=label, metric="discernment", by=by),
    ]


def _judged(rows: pl.DataFrame, confusing_at: float) -> pl.DataFrame:
    """One row for each judge of each reply."""
    import polars as pl

    columns = ["judges", "judge_confusion", "judge_quality", *JUDGE_MEASURES]
    judged = rows.filter(pl.col("judges").is_not_null()).explode(columns).rename({"judges": "judge"})
    return judged.with_columns(confusing_to_judge=pl.col("judge_confusion") > confusing_at)


def _judge_estimates(judged: pl.DataFrame, rows: pl.DataFrame, judges: Sequence[str]) -> list[Estimate]:
    """The judges' measures, each judge apart where there are several, also for models of which no reply was judged."""
    import polars as pl

    by = ("judge",) if len(judges) > 1 else ALL
    everybody = rows.select("model", "variant", "cluster").unique(["model", "variant"])
    everybody = everybody.join(pl.DataFrame({"judge": judges}), how="cross")
    judged = pl.concat([judged, everybody], how="diagonal")
    judged = judged.with_columns(pl.col("judge_quality") / 100, label=pl.lit("judge"))
    # A file from elsewhere has not all that our judges are asked for.
    always = () if list(judges) == [IMPORTED] else ASKED_OF_JUDGES
    estimates: list[Estimate] = []
    for name in (*JUDGE_MEASURES, "judge_quality"):
        if name in always or judged[name].count():
            factor = 100.0 if name == "judge_quality" else 1.0
            estimates += [_scaled(it, factor) for it in proportions(judged, name, metric=name, by=by)]
    return estimates + _clarifying(judged, "confusing_to_judge", ("label", *by))


def _confusion(judged: pl.DataFrame) -> list[Estimate]:
    """How confusing the questions are to the judges: the mean score, and the share of questions in each band."""
    import polars as pl

    questions = judged.group_by("judge", "question_id", maintain_order=True).agg(
        pl.col("cluster").first(), pl.col("judge_confusion").drop_nulls().first()
    )
    over_all = {"model": pl.lit("all"), "variant": pl.lit("all")}
    questions = questions.with_columns(share=pl.col("judge_confusion") / 100, **over_all)
    means = proportions(questions, "share", metric="judge_confusion", by=["judge"])
    estimates = [_scaled(it, 100.0) for it in means]
    for low, high in BANDS:
        within = pl.col("judge_confusion").is_between(low, high + 1, closed="left")
        banded = questions.with_columns(within=within, band=pl.lit(f"{low}-{high}"))
        estimates += proportions(banded, "within", metric="judge_confusion_share", by=["judge", "band"])
    return estimates


def _agreement(judged: pl.DataFrame) -> list[Estimate]:
    """Algorithm and judges, pairwise."""
    judges = {str(judge): one for (judge,), one in judged.group_by("judge", maintain_order=True)}
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
    """Kappa of the labels over questions, the seed's Pearson over replies beside it, Spearman of the scores over
    replies, clustered by question. Each side gives its labels and its scores.
    """
    import polars as pl

    names: dict[str, Any] = {"model": "all", "variant": "all", "group": {"between": between}}
    first = rows.select(pl.col("question_id").is_first_distinct()).to_series()
    labels = one[0].filter(first), other[0].filter(first)
    numbers = one[0].cast(pl.Float64), other[0].cast(pl.Float64)
    return [
        cohen_kappa(*labels, metric="label_kappa", **names),
        pearson(*numbers, rows["cluster"], metric="label_pearson", **names),
        spearman(one[1], other[1], rows["cluster"], metric="score_spearman", **names),
    ]


def _scaled(estimate: Estimate, factor: float) -> Estimate:
    """An estimate of a share as one of the number or score that it is a share of."""
    scaled = {name: _times(getattr(estimate, name), factor) for name in ("value", "low", "high")}
    return msgspec.structs.replace(estimate, **scaled)


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor
