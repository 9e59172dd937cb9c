"""What the metrics of `explain` are over: replies, what judges say of replies, and questions in the eyes of judges."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from counterfoil.explain.importers import JUDGE as IMPORTED
from counterfoil.explain.metrics import ALWAYS_JUDGED, BANDS, JUDGED, JUDGED_QUESTION, JUDGEMENT
from counterfoil.stats.metric import QUESTION
from counterfoil.suite.outcome import LEFT_OUT

_ABOUT = ("model", "variant", "cluster", "question_id", "repeat")
_SAID_BY_JUDGES = tuple(str(metric.mean) for metric in JUDGED)


def items(records: pl.DataFrame, confusing_at: float, judges: Sequence[str] = ()) -> dict[str, pl.DataFrame]:
    """Frames by kind. `judges`: those of the run, who may have had nothing to judge."""
    replies = records.with_columns(
        item=pl.format("{} {}", "question_id", "repeat"), left_out=pl.col("outcome").is_in(LEFT_OUT)
    )
    frames = {
        QUESTION: replies.select(
            *(*_ABOUT, "item", "left_out", "correct", "score_threshold", "score_confusion_index"),
            reward_confusing=pl.when("confusing").then("reward"),
            penalty_plain=pl.when(~pl.col("confusing")).then("penalty"),
            mentions=pl.col("mentioned").list.len(),
            **_clarifying("confusing"),
            **_clarifying("confusing_by_index", " by index"),
        )
    }
    judges = list(dict.fromkeys([*judges, *records["judges"].explode().drop_nulls()]))
    if judges:
        by_judge = pl.concat(_by_judge(replies, judge) for judge in judges)
        frames[JUDGEMENT] = _judgements(by_judge, judges, confusing_at)
        frames[JUDGED_QUESTION] = _questions(by_judge)
    return frames


def judgements_of(records: pl.DataFrame, confusing_at: float) -> pl.DataFrame:
    """The records that were judged, once for each judge, with its name and what it says."""
    columns = ["judges", "judge_confusion", *_SAID_BY_JUDGES]
    judged = records.filter(pl.col("judges").is_not_null()).explode(columns).rename({"judges": "judge"})
    return judged.with_columns(confusing_to_judge=pl.col("judge_confusion") > confusing_at)


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
        *(*_ABOUT, "item", "left_out", "clarifies"),
        *(pl.col(name).list.get(place, null_on_oob=True) for name in ("judge_confusion", *_SAID_BY_JUDGES)),
        judge=pl.lit(judge),
        is_judged=place.is_not_null(),
    )


def _judgements(by_judge: pl.DataFrame, judges: Sequence[str], confusing_at: float) -> pl.DataFrame:
    # A single judge is the judge, whoever it is on the other side.
    named = pl.col("judge") if len(judges) > 1 else pl.lit(None, pl.String)
    # A file from elsewhere has not all that the judges of a run are asked for.
    always = () if list(judges) == [IMPORTED] else [metric.mean for metric in ALWAYS_JUDGED]
    absent = [name for name in _SAID_BY_JUDGES if name not in always and not by_judge[name].count()]
    judgements = by_judge.drop(absent).with_columns(
        judge=named, confusing_to_judge=pl.col("judge_confusion") > confusing_at
    )
    shares = [pl.col(name) / 100 for name in ("judge_quality",) if name in judgements.columns]
    return judgements.with_columns(*shares, **_clarifying("confusing_to_judge"))


def _questions(by_judge: pl.DataFrame) -> pl.DataFrame:
    """Each question once for each judge, over all models and variants."""
    confusion = pl.col("judge_confusion")
    questions = (
        by_judge.filter(pl.col("is_judged"))
        .group_by("judge", "question_id", maintain_order=True)
        .agg(pl.col("cluster").first(), confusion.drop_nulls().first())
    )
    bands = {f"{low}-{high}": confusion.is_between(low, high + 1, closed="left") for low, high in BANDS}
    over_all = {"model": pl.lit("all"), "variant": pl.lit("all"), "item": pl.lit(None, pl.String)}
    return questions.with_columns(**over_all, left_out=pl.lit(False), confusion=confusion / 100, **bands)
