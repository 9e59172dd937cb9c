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
        frames[JUDGEMENT] = _judgements(replies, judges, confusing_at)
        frames[JUDGED_QUESTION] = _questions(judgements_of(records, confusing_at))
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


def _judgements(replies: pl.DataFrame, judges: Sequence[str], confusing_at: float) -> pl.DataFrame:
    """Every reply once for each judge, with null where the judge says nothing."""
    several = len(judges) > 1
    judgements = pl.concat(_by_judge(replies, judge, several=several) for judge in judges)
    judgements = judgements.with_columns(
        pl.col("judge_quality") / 100, confusing_to_judge=pl.col("judge_confusion") > confusing_at
    )
    # A file from elsewhere has not all that the judges of a run are asked for.
    always = () if list(judges) == [IMPORTED] else [metric.mean for metric in ALWAYS_JUDGED]
    absent = [name for name in _SAID_BY_JUDGES if name not in always and not judgements[name].count()]
    return judgements.with_columns(**_clarifying("confusing_to_judge")).drop(absent)


def _by_judge(replies: pl.DataFrame, judge: str, *, several: bool) -> pl.DataFrame:
    judges = pl.col("judges")
    place = pl.when(judges.list.contains(judge)).then(
        judges.list.eval((pl.element() == judge).cast(pl.Int8)).list.arg_max()
    )
    return replies.select(
        *(*_ABOUT, "left_out", "clarifies"),
        *(pl.col(name).list.get(place, null_on_oob=True) for name in ("judge_confusion", *_SAID_BY_JUDGES)),
        # A single judge is the judge, whoever it is on the other side.
        judge=pl.lit(judge if several else None, pl.String),
        item=pl.concat_str(pl.lit(judge), "item", separator=" ") if several else pl.col("item"),
    )


def _questions(judgements: pl.DataFrame) -> pl.DataFrame:
    """Each question once for each judge, over all models and variants."""
    questions = judgements.group_by("judge", "question_id", maintain_order=True).agg(
        pl.col("cluster").first(), pl.col("judge_confusion").drop_nulls().first()
    )
    bands = {f"{low}-{high}": pl.col("judge_confusion").is_between(low, high + 1, closed="left") for low, high in BANDS}
    over_all = {"model": pl.lit("all"), "variant": pl.lit("all"), "item": pl.lit(None, pl.String)}
    confusion = pl.col("judge_confusion") / 100
    return questions.with_columns(**over_all, left_out=pl.lit(False), confusion=confusion, **bands)
