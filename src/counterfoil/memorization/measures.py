"""What two sides of `memorization` are compared by."""

from __future__ import annotations

import polars as pl

from counterfoil.memorization.paired import lures_of, questions_of
from counterfoil.memorization.scoring import GAP_LEVELS, TRUSTED
from counterfoil.memorization.summary import CONTROLS, NOT_COMPUTED, paired_with, without_empty_controls
from counterfoil.suite.metric import QUESTION, Groups, Measure
from counterfoil.suite.outcome import LEFT_OUT

GROUPS: Groups = ((), ("topic",))
BY_LEVEL: Groups = (("level",),)
BY_STATUS: Groups = (("status",),)
# Items of other kinds than a question with all of its draws.
REPLY, LURE, LEVEL, OTHER_SKILL, STATUS, EXCESS = "reply", "lure", "level", "other skill", "status", "excess"


def measures(rows: pl.DataFrame) -> tuple[pl.DataFrame, list[Measure]]:
    """One item for each original, with all its draws: the gap and what it is made of. Beside these: for each level and
    control, and for draws whose gold a model wrote, the originals that have all of theirs; and all replies.
    """
    rows = without_empty_controls(rows)
    questions = questions_of(rows)
    levels = [level for level in GAP_LEVELS if questions[f"level {level}"].count()]
    frames = [_originals(rows, questions)]
    made = [*_gap(QUESTION, GROUPS), *_robust(QUESTION, GROUPS)]
    for level in levels:
        of_one = questions_of(rows.filter(pl.col("level").is_in([0, level])))
        frames.append(_named(_with_values(of_one), LEVEL, f" level {level}", level=pl.lit(level)))
    if levels:
        # Where there is one level, what is robust at it is what is robust.
        several = len(levels) > 1
        made += [*_gap(LEVEL, BY_LEVEL, original=several), *(_robust(LEVEL, BY_LEVEL) if several else [])]
    other = paired_with(questions, "level 3").with_columns(right_perturbed="v")
    if other["v"].count():
        frames.append(_named(other.drop_nulls("v"), OTHER_SKILL, " level 3", level=pl.lit(3)))
        accuracy = Measure(
            metric="accuracy_perturbed", terms=((1.0, "right_perturbed"),), groups=BY_LEVEL, kind=OTHER_SKILL
        )
        made.append(accuracy)
        levels.append(3)
    for frame, some in (_replies(rows, levels), _not_computed(rows), _controls(questions), _lures(rows)):
        frames += frame
        made += some
    return pl.concat(frames, how="diagonal"), made


def _originals(rows: pl.DataFrame, questions: pl.DataFrame) -> pl.DataFrame:
    changed = pl.col("level").is_in(GAP_LEVELS) & pl.col("status").is_in(TRUSTED)
    if not rows.filter(changed, pl.col("control").is_null()).height:
        # Then it is over the other draws that originals are compared.
        changed = pl.col("level") > 0
    in_gap = pl.col("control").is_null() & ((pl.col("level") == 0) | changed)
    lost = rows.group_by("parent").agg(left_out=(pl.col("outcome").is_in(LEFT_OUT) & in_gap).any())
    return (
        _values(questions)
        .join(lost, on="parent", how="left", maintain_order="left")
        .with_columns(item=pl.col("parent"), kind=pl.lit(QUESTION), question_id=pl.col("parent"))
    )


def _values(questions: pl.DataFrame) -> pl.DataFrame:
    """What the metrics of the gap are means of; null where the original or a draw is missing."""
    o, v = pl.col("o"), pl.col("v")
    return paired_with(questions, "perturbed").select(
        *("model", "variant", "parent", "cluster", "topic", "robust", "suspect", "improved"),
        right_original=pl.col("original"),
        paired_original=o,
        right_perturbed=v,
        gap=o - v,
        robust_1=o * v,
        suspect_1=o * (1 - v),
        improved_1=(1 - o) * v,
    )


def _with_values(questions: pl.DataFrame) -> pl.DataFrame:
    return _values(questions).drop_nulls("gap")


def _named(frame: pl.DataFrame, kind: str, suffix: str, **more: pl.Expr) -> pl.DataFrame:
    """Items of another kind. What failed is not among them, and so has no partner on the other side."""
    return frame.with_columns(
        item=pl.col("parent") + suffix,
        kind=pl.lit(kind),
        question_id=pl.col("parent"),
        left_out=pl.lit(False),
        **more,
    )


def _gap(kind: str, groups: Groups, *, original: bool = True, note: str | None = None) -> list[Measure]:
    metrics = {"accuracy_original": "right_original"} if original else {}
    metrics |= {"accuracy_perturbed": "right_perturbed", "memorization_gap": "gap"}
    return [
        Measure(
            metric=metric,
            terms=((1.0, column),),
            low=-1.0 if column == "gap" else 0.0,
            groups=groups,
            kind=kind,
            note=note,
        )
        for metric, column in metrics.items()
    ]


def _robust(kind: str, groups: Groups) -> list[Measure]:
    names = {"robust": "robust_accuracy", "suspect": "memorization_suspect", "improved": "improved"}
    over_all = [
        Measure(metric=metric, terms=((1.0, column),), groups=groups, kind=kind) for column, metric in names.items()
    ]
    at_1 = [
        Measure(metric=metric, terms=((1.0, f"{column}_1"),), groups=groups, kind=kind, label=(("k", 1),))
        for column, metric in names.items()
    ]
    consistency = Measure(
        metric="consistency", terms=((1.0, "right_perturbed"),), over="paired_original", groups=groups, kind=kind
    )
    return [*over_all, *at_1, consistency]


Found = tuple[list[pl.DataFrame], list[Measure]]


def _replies(rows: pl.DataFrame, levels: list[int]) -> Found:
    """All replies, of all arms: whether an answer could be read."""
    replies = rows.select(
        *("model", "variant", "parent", "cluster", "question_id", "repeat"),
        item=pl.format("reply {} {}", "question_id", "repeat"),
        kind=pl.lit(REPLY),
        left_out=pl.col("outcome").is_in(LEFT_OUT),
        unread=pl.col("answer").is_null(),
        level=pl.when(pl.col("level").is_in(levels)).then(pl.col("level")).cast(pl.Int32),
    )
    unread = Measure(metric="out_of_choice", terms=((1.0, "unread"),), groups=((), *BY_LEVEL), kind=REPLY)
    return [replies], [unread]


def _not_computed(rows: pl.DataFrame) -> Found:
    """Gaps on questions whose gold answers a model wrote: apart, and with a warning."""
    frames = []
    for status in ("unverified", "refuted"):
        part = rows.filter((pl.col("level") == 0) | (pl.col("status") == status))
        found = _with_values(questions_of(part, trusted=False))
        if found.height:
            frames.append(_named(found, STATUS, f" {status}", status=pl.lit(status)))
    return frames, _gap(STATUS, BY_STATUS, original=False, note=NOT_COMPUTED) if frames else []


def _controls(questions: pl.DataFrame) -> Found:
    """The gap to each control, and what changed numbers do on top of reshuffled options."""
    frames, made = [], []
    arms = {control: ("control_gap", "o", control) for control in CONTROLS}
    for name, (metric, base, arm) in {**arms, EXCESS: ("excess_gap", "reshuffled", "perturbed")}.items():
        found = questions.select(
            *("model", "variant", "parent", "cluster", "topic"), gap=pl.col(base) - pl.col(arm)
        ).drop_nulls("gap")
        if found.height:
            kind = name if name == EXCESS else f"control {name}"
            frames.append(_named(found, kind, f" {kind}"))
            label = () if name == EXCESS else (("control", name),)
            made.append(Measure(metric=metric, terms=((1.0, "gap"),), low=-1.0, kind=kind, label=label))
    return frames, made


def _lures(rows: pl.DataFrame) -> Found:
    """The replies of the lure arm, of questions with all their draws."""
    lures = lures_of(rows)
    if not lures.height:
        return [], []
    frame = lures.select(
        *("model", "variant", "parent", "cluster", "topic", "question_id", "repeat", "old", "excess"),
        item=pl.format("lure {} {}", "question_id", "repeat"),
        kind=pl.lit(LURE),
        left_out=pl.lit(False),
    )
    return [frame], [
        Measure(metric="kept_old", terms=((1.0, "old"),), groups=GROUPS, kind=LURE),
        Measure(metric="kept_old_excess", terms=((1.0, "excess"),), low=-1.0, groups=GROUPS, kind=LURE),
    ]
