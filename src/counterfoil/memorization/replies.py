"""The metrics of `memorization` over single replies, so that people's labels can correct them.

A share of right draws is a sum over replies, each with its weight: 1 ÷ the replies to its draw ÷ the draws of its arm.
A gap is the difference of two such means, over the same questions. What takes all replies to a question at once (robust
accuracy, suspects) is not: people would have to rate all of them.
"""

from __future__ import annotations

import polars as pl

from counterfoil.memorization import metrics
from counterfoil.memorization.items import WHO, questions_of
from counterfoil.stats.metric import QUESTION, Metric

_ORIGINAL = (pl.col("level") == 0) & pl.col("control").is_null()
_IN_GAP = pl.col("level").is_in(metrics.GAP_LEVELS) & pl.col("control").is_null()
_TRUSTED = pl.col("status").is_in(metrics.TRUSTED)
# The columns of `placed`: a question's part in each arm, and the weight of a reply in its own.
_COUNTS, _WEIGHT = "counts in {}", "weight"
_ARMS = {
    QUESTION: ("perturbed", _IN_GAP),
    **{metrics.control_of(name): (name, pl.col("control") == name) for name in metrics.CONTROLS},
}


def _gap(metric: Metric, kind: str) -> Metric:
    return metric.changed(mean="original", minus="arm", of=kind, draws=None, tested=False)


CORRECTABLE = (
    metrics.ACCURACY_ORIGINAL.changed(mean="original", groups=metrics.BY_TOPIC),
    metrics.ACCURACY_PERTURBED.changed(mean="arm", groups=metrics.BY_TOPIC),
    _gap(metrics.MEMORIZATION_GAP, QUESTION).changed(groups=metrics.BY_TOPIC),
    metrics.CONSISTENCY.changed(mean="arm or 0", over="original or 0"),
    *(
        _gap(metrics.CONTROL_GAP, metrics.control_of(name)).changed(label=(("control", name),))
        for name in metrics.CONTROLS
    ),
    metrics.OUT_OF_CHOICE.changed(of=metrics.REPLY, groups=((),)),
    *(metric.changed(groups=metrics.BY_TOPIC) for metric in (metrics.KEPT_OLD, metrics.KEPT_OLD_EXCESS)),
)


def placed(records: pl.DataFrame) -> pl.DataFrame:
    """With the weight of each reply in its arm, and whether its question has all replies that the arm takes."""
    draw = [*WHO, "level", "control", "draw"]
    first = pl.struct("level", "control", "draw").n_unique()
    in_arm = pl.when(_ORIGINAL).then(pl.lit("original")).when(_IN_GAP & _TRUSTED).then(pl.lit("gap"))
    arm = in_arm.otherwise(pl.col("control"))
    questions = questions_of(records)
    both = {
        _COUNTS.format(kind): pl.col("o").is_not_null() & pl.col(column).is_not_null()
        for kind, (column, _) in _ARMS.items()
    }
    lures = pl.col("correct").is_not_null().all().over([*WHO, "control"])
    return (
        records.with_columns(arm=arm)
        .with_columns(weight=1.0 / pl.len().over(draw) / first.over([*WHO, "arm"]), whole=lures)
        .join(questions.select(*WHO, **both), on=WHO, how="left", maintain_order="left")
    )


def reply_items(records: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Frames by kind, each with the placed records in their order."""
    about = ["model", "variant", "cluster", "topic", _WEIGHT]
    right = pl.col("correct").cast(pl.Float64)
    frames = {}
    for kind, (_, in_arm) in _ARMS.items():
        counts = pl.col(_COUNTS.format(kind)).fill_null(False)
        original, arm = counts & _ORIGINAL, counts & in_arm & _TRUSTED
        frames[kind] = records.select(
            *about,
            original=pl.when(original).then(right),
            arm=pl.when(arm).then(right),
            **{
                "original or 0": pl.when(original).then(right).when(arm).then(0.0),
                "arm or 0": pl.when(arm).then(right).when(original).then(0.0),
            },
        )
    lure = (pl.col("control") == "lure") & _TRUSTED & pl.col("whole")
    old, sham = (pl.when(lure).then(pl.col(name).cast(pl.Float64)) for name in ("kept_old", "took_sham"))
    unread = pl.when(pl.col("correct").is_not_null()).then(pl.col("answer").is_null())
    plain = [name for name in about if name != _WEIGHT]
    frames[metrics.LURE] = records.select(*plain, old=old, excess=old - sham)
    frames[metrics.REPLY] = records.select(*plain, unread=unread)
    return frames
