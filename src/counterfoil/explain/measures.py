"""What two sides of `explain` are compared by."""

from __future__ import annotations

import polars as pl

from counterfoil.explain.summary import USUAL_CANDIDATES
from counterfoil.runs.compare import left_out_column
from counterfoil.runs.measure import Measure

CORRECT = ("replies", "correct")
JUDGE_MEASURES = ("judge_precision", "judge_recall", "judge_f1", "judge_quality", "judge_restraint")


def measures(rows: pl.DataFrame) -> tuple[pl.DataFrame, list[Measure]]:
    """Over all replies; the scores also over questions that both sides answered right. Judges: the first one's."""
    clarifies = pl.col("clarifies")
    most = max([USUAL_CANDIDATES, *rows["mentioned"].list.len().drop_nulls()])
    items = rows.with_columns(
        item=pl.format("{} {}", "question_id", "repeat"),
        left_out=left_out_column(),
        reward_confusing=pl.when("confusing").then("reward"),
        penalty_plain=pl.when(~pl.col("confusing")).then("penalty"),
        clarifies_confusing=pl.when("confusing").then(clarifies),
        clarifies_plain=pl.when(~pl.col("confusing")).then(clarifies),
        mentions=pl.col("mentioned").list.len() / most,
    )
    scores = {
        "score_threshold": "score_threshold",
        "score_confusion_index": "score_confusion_index",
        "reward": "reward_confusing",
        "penalty": "penalty_plain",
    }
    single = {
        "accuracy": "correct",
        **scores,
        "clarifies_confusing": "clarifies_confusing",
        "clarifies_plain": "clarifies_plain",
    }
    made = [Measure(metric=metric, terms=((1.0, column),)) for metric, column in single.items()]
    made.append(Measure(metric="mentions", terms=((float(most), "mentions"),)))
    made.append(Measure(metric="discernment", terms=((1.0, "clarifies_confusing"), (-1.0, "clarifies_plain"))))
    made += [
        Measure(metric=metric, terms=((1.0, column),), where_both="correct", label=CORRECT)
        for metric, column in scores.items()
    ]
    if rows["judges"].null_count() < rows.height:
        of_first = {name: pl.col(name).list.first() for name in JUDGE_MEASURES}
        of_first["judge_quality"] = of_first["judge_quality"] / 100
        items = items.with_columns(**of_first)
        there = [name for name in JUDGE_MEASURES if items[name].count()]
        # Shown as the summary has it, from 0 to 100.
        made += [Measure(metric=it, terms=((100.0 if it == "judge_quality" else 1.0, it),)) for it in there]
    return items, made
