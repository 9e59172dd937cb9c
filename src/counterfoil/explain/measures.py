"""What two sides of `explain` are compared by."""

from __future__ import annotations

import polars as pl

from counterfoil.comparing.compare import left_out_column
from counterfoil.explain.summary import JUDGE_MEASURES, USUAL_CANDIDATES
from counterfoil.suite.metric import Measure

Label = tuple[tuple[str, str], ...]
CORRECT: Label = (("replies", "correct"),)


def measures(rows: pl.DataFrame, confusing_at: float) -> tuple[pl.DataFrame, list[Measure]]:
    """Over all replies; the scores also over questions that both sides answered right; and what the judges say."""
    items = rows.with_columns(
        item=pl.format("{} {}", "question_id", "repeat"),
        left_out=left_out_column(),
        reward_confusing=pl.when("confusing").then("reward"),
        penalty_plain=pl.when(~pl.col("confusing")).then("penalty"),
        mentions=pl.col("mentioned").list.len(),
        **_clarifying_columns("confusing", ""),
        **_clarifying_columns("confusing_by_index", " by index"),
    )
    scores = {
        "score_threshold": "score_threshold",
        "score_confusion_index": "score_confusion_index",
        "reward": "reward_confusing",
        "penalty": "penalty_plain",
        "mentions": "mentions",
    }
    most = {"mentions": USUAL_CANDIDATES}
    made = [Measure(metric="accuracy", terms=((1.0, "correct"),))]
    for where_both, label in ((None, ()), ("correct", CORRECT)):
        made += [
            Measure(metric=metric, terms=((1.0, column),), most=most.get(metric), where_both=where_both, label=label)
            for metric, column in scores.items()
        ]
        made += _clarifying("", label, where_both)
    made += _clarifying(" by index", (("label", "confusion_index"),))
    if rows["judges"].null_count() == rows.height:
        return items, made
    judges = rows["judges"].explode().drop_nulls().unique(maintain_order=True).to_list()
    for judge in judges:
        # A single judge is the judge, whoever it is on the other side.
        end, label = (f" by {judge}", (("judge", judge),)) if len(judges) > 1 else (" by judge", ())
        items = _with_judge(items, judge, end, confusing_at)
        made += _by_judge(items, end, label)
    return items, made


def _clarifying_columns(label: str, end: str) -> dict[str, pl.Expr]:
    """Whether a reply clears something up: where that is needed by this label, and where it is not."""
    return {
        f"clarifies_confusing{end}": pl.when(pl.col(label)).then("clarifies"),
        f"clarifies_plain{end}": pl.when(~pl.col(label)).then("clarifies"),
    }


def _clarifying(end: str, label: Label, where_both: str | None = None) -> list[Measure]:
    confusing, plain = f"clarifies_confusing{end}", f"clarifies_plain{end}"
    terms = {
        "clarifies_confusing": ((1.0, confusing),),
        "clarifies_plain": ((1.0, plain),),
        "discernment": ((1.0, confusing), (-1.0, plain)),
    }
    return [Measure(metric=it, terms=of, where_both=where_both, label=label) for it, of in terms.items()]


def _with_judge(items: pl.DataFrame, judge: str, end: str, confusing_at: float) -> pl.DataFrame:
    """With what one judge says of each reply."""
    judges = pl.col("judges")
    place = pl.when(judges.list.contains(judge)).then(
        judges.list.eval((pl.element() == judge).cast(pl.Int8)).list.arg_max()
    )
    said = {name: pl.col(name).list.get(place, null_on_oob=True) for name in (*JUDGE_MEASURES, "judge_quality")}
    said["judge_quality"] = said["judge_quality"] / 100
    confusing = pl.col("judge_confusion").list.get(place, null_on_oob=True) > confusing_at
    items = items.with_columns(
        confusing.alias(f"confusing{end}"), *(value.alias(f"{name}{end}") for name, value in said.items())
    )
    return items.with_columns(**_clarifying_columns(f"confusing{end}", end))


def _by_judge(items: pl.DataFrame, end: str, label: Label) -> list[Measure]:
    """What there is of this judge. `label`: who that is, where there are several."""
    # Shown as the summary has it, from 0 to 100.
    factors = dict.fromkeys(JUDGE_MEASURES, 1.0) | {"judge_quality": 100.0}
    made = [
        Measure(metric=name, terms=((factor, f"{name}{end}"),), label=label)
        for name, factor in factors.items()
        if items[f"{name}{end}"].count()
    ]
    return made + (_clarifying(end, (("label", "judge"), *label)) if items[f"confusing{end}"].count() else [])
