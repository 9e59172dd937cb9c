"""What the metrics of `explain` are over: replies, what judges say of replies, and questions in the eyes of judges.

Beside these metrics, how far algorithm and judges agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, cast

import polars as pl

from counterfoil.explain.importers import JUDGE as IMPORTED
from counterfoil.explain.judging.panel import PANEL, REPEAT, is_repeat
from counterfoil.explain.metrics import (
    ALWAYS_JUDGED,
    ASPECTS,
    BANDS,
    JUDGE_CONFUSION_MEDIAN,
    JUDGED,
    JUDGED_ALIKE,
    JUDGED_QUESTION,
    JUDGED_TWICE,
    JUDGEMENT,
    LABEL_KAPPA,
    LABEL_PEARSON,
    SCORE_SPEARMAN,
)
from counterfoil.explain.scoring import LABELLINGS
from counterfoil.stats import Estimate, cohen_kappa, pearson, spearman
from counterfoil.stats.estimate import ALL
from counterfoil.stats.metric import QUESTION
from counterfoil.suite.outcome import LEFT_OUT, UNREAD

_ABOUT = ("model", "variant", "cluster", "question_id", "repeat")
_SAID_BY_JUDGES = ("judge_confusion", *(metric.name for metric in JUDGED))
_ASPECTS = tuple(f"judge_{aspect}" for aspect in ASPECTS)
# Older runs don't have these.
_SAID_SINCE = ("judge_alternatives", *_ASPECTS)


def items(records: pl.DataFrame, confusing_at: float, judges: Sequence[str] = ()) -> dict[str, pl.DataFrame]:
    """Frames by kind. `judges`: those of the run, who may have had nothing to judge."""
    replies = records.with_columns(
        item=pl.format("{} {}", "question_id", "repeat"), left_out=pl.col("outcome").is_in(LEFT_OUT)
    )
    is_open = pl.col("outcome").is_in((*UNREAD, "failed"))
    left_open = {
        f"correct {end}": pl.when(is_open).then(value).otherwise("correct")
        for end, value in (("least", pl.lit(value=False)), ("most", pl.lit(value=True)))
        if records.select(is_open.any()).item()
    }
    frames = {
        QUESTION: replies.select(
            *(*_ABOUT, "item", "left_out", "correct", "score_threshold", "score_confusion_index"),
            reward=pl.when("confusing").then("reward"),
            penalty=pl.when(~pl.col("confusing")).then("penalty"),
            mentions=pl.col("mentioned").list.len(),
            **_clarifying("confusing"),
            **_clarifying("confusing_by_index", " by index"),
            **left_open,
        )
    }
    named = list(dict.fromkeys([*judges, *records["judges"].explode().drop_nulls()]))
    judges = [judge for judge in named if not is_repeat(judge)]
    if judges:
        by_judge = pl.concat(_by_judge(replies, judge) for judge in judges)
        frames[JUDGEMENT] = _judgements(by_judge, judges, confusing_at)
        frames[JUDGED_QUESTION] = _questions(by_judge, confusing_at)
    if len(set(named) - {PANEL}) > 1:
        frames[JUDGED_TWICE] = judged_twice(replies)
    return frames


def judged_twice(replies: pl.DataFrame) -> pl.DataFrame:
    """Half the squared differences of two times that a reply was judged: their mean is the variance.

    One row for each reply and judge has `own`, both times by that judge; one row for each reply has `other`, by two
    judges, and `more`, how much that is above the mean of its own ones.
    """
    columns = [name for name in JUDGED_ALIKE if name in replies.columns]
    place = ["model", "variant", "cluster", "item"]
    judged = replies.filter(pl.col("judges").list.len() > 0)
    times = judged.select(*place, "judges", *columns, at=pl.int_ranges(pl.col("judges").list.len())).explode("at")
    times = times.with_columns(pl.col(name).list.get(pl.col("at"), null_on_oob=True) for name in ("judges", *columns))
    times = times.filter(pl.col("judges") != PANEL)
    times = times.with_columns(judge=pl.col("judges").str.replace(REPEAT, ""))
    # Where a judge was asked several times, what it says together is no time of its own.
    is_mean = (pl.col("judges") == pl.col("judge")) & (pl.len().over(*place, "judge") > 1)
    times = times.filter(~is_mean)
    pairs = times.join(times, on=place, suffix=" 2").filter(pl.col("judges") < pl.col("judges 2"))
    halves = [((pl.col(name) - pl.col(f"{name} 2")) / JUDGED_ALIKE[name]).pow(2) / 2 for name in columns]
    named = dict(zip(columns, halves, strict=True))
    is_own = pl.col("judge") == pl.col("judge 2")
    own = pairs.filter(is_own).group_by(*place, "judge", maintain_order=True)
    within = own.agg(**{f"{name} own": half.mean() for name, half in named.items()})
    other = pairs.filter(~is_own).group_by(*place, maintain_order=True)
    together = other.agg(**{f"{name} other": half.mean() for name, half in named.items()})
    of_reply = within.group_by(*place).agg(pl.col(f"{name} own").mean() for name in columns)
    more = {f"{name} more": pl.col(f"{name} other") - pl.col(f"{name} own") for name in columns}
    between = together.join(of_reply, on=place, how="left", maintain_order="left").with_columns(**more)
    between = between.drop(f"{name} own" for name in columns)
    over_all = {"model": pl.lit(ALL), "variant": pl.lit(ALL), "left_out": pl.lit(False)}
    return pl.concat([within, between], how="diagonal").with_columns(**over_all)


def _clarifying(label: str, end: str = "") -> dict[str, pl.Expr]:
    """Whether a reply clears something up: where that is needed by this label, and where it is not."""
    return {
        f"clarifies_if_confusing{end}": pl.when(pl.col(label)).then("clarifies"),
        f"clarifies_if_plain{end}": pl.when(~pl.col(label)).then("clarifies"),
    }


def _by_judge(replies: pl.DataFrame, judge: str) -> pl.DataFrame:
    """Every reply with what one judge says of it; null where that says nothing."""
    judges = pl.col("judges")
    place = pl.when(judges.list.contains(judge)).then(
        judges.list.eval((pl.element() == judge).cast(pl.Int8)).list.arg_max()
    )
    return replies.select(
        *(*_ABOUT, "item", "left_out", "correct", "clarifies"),
        *(pl.col(name).list.get(place, null_on_oob=True) for name in _SAID_BY_JUDGES),
        *(
            pl.col(name).list.get(place, null_on_oob=True)
            if name in replies.columns
            else pl.lit(None, pl.Float64).alias(name)
            for name in _SAID_SINCE
        ),
        judge=pl.lit(judge),
        is_judged=place.is_not_null(),
    )


def _judgements(by_judge: pl.DataFrame, judges: Sequence[str], confusing_at: float) -> pl.DataFrame:
    # A single judge is the judge, whoever it is on the other side.
    named = pl.col("judge") if len(judges) > 1 else pl.lit(None, pl.String)
    # A file from elsewhere has not all that the judges of a run are asked for.
    always = () if list(judges) == [IMPORTED] else ALWAYS_JUDGED
    optional = [*(metric.name for metric in JUDGED if metric not in always), *_ASPECTS]
    absent = [name for name in optional if not by_judge[name].count()]
    judgements = by_judge.drop(absent).with_columns(
        judge=named, confusing_to_judge=pl.col("judge_confusion") > confusing_at
    )
    shares = [pl.col(name) / 100 for name in ("judge_quality", *_ASPECTS) if name in judgements.columns]
    return judgements.with_columns(*shares, **_clarifying("confusing_to_judge"))


def _questions(by_judge: pl.DataFrame, confusing_at: float) -> pl.DataFrame:
    """Each question once for each judge, over all models and variants."""
    confusion = pl.col("judge_confusion")
    questions = (
        by_judge.filter(pl.col("is_judged"))
        .group_by("judge", "question_id", maintain_order=True)
        .agg(pl.col("cluster").first(), pl.col("judge_confusion", "judge_alternatives").drop_nulls().first())
    )
    bands = {f"{low}-{high}": confusion.is_between(low, high + 1, closed="left") for low, high in BANDS}
    over_all = {"model": pl.lit("all"), "variant": pl.lit("all"), "item": pl.lit(None, pl.String)}
    return questions.with_columns(
        **over_all, left_out=pl.lit(False), confusion=confusion / 100, confusing=confusion > confusing_at, **bands
    )


def medians(questions: pl.DataFrame) -> list[Estimate]:
    """The median of each judge's confusion scores, which the CFE study gives beside the mean."""
    return [
        Estimate(
            metric=JUDGE_CONFUSION_MEDIAN.name,
            model="all",
            variant="all",
            group={"judge": str(judge)},
            value=cast("float | None", some["judge_confusion"].median()),
            low=None,
            high=None,
            n=some["judge_confusion"].count(),
            clusters=some["cluster"].n_unique(),
            method="median",
            note="a median has no interval here",
        )
        for (judge,), some in questions.group_by("judge", maintain_order=True)
    ]


def agreement(records: pl.DataFrame, confusing_at: float) -> list[Estimate]:
    """How far algorithm and judges agree, pairwise."""
    judged = records.filter(pl.col("judges").is_not_null()).explode("judges", *_SAID_BY_JUDGES)
    judged = judged.with_columns(confusing_to_judge=pl.col("judge_confusion") > confusing_at)
    parts = judged.group_by("judges", maintain_order=True)
    judges = {str(judge): one for (judge,), one in parts if not is_repeat(str(judge))}
    estimates: list[Estimate] = []
    for judge, one in judges.items():
        by_judge = (one["confusing_to_judge"], one["judge_f1"])
        for label, column in LABELLINGS.items():
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
