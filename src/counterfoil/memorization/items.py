"""What the metrics of `memorization` are over: originals beside the means over each arm's draws, and these draws.

The summary is made of them level by level and status by status.
"""

from __future__ import annotations

import polars as pl

from counterfoil.memorization import metrics
from counterfoil.perturbing.questions import LETTERS
from counterfoil.stats import Estimate
from counterfoil.stats.metric import QUESTION, Items
from counterfoil.stats.summary import summarize as summary_of
from counterfoil.suite.outcome import LEFT_OUT, UNREAD

WHO = ["model", "variant", "parent"]
KINDS = ("robust", "suspect", "improved")
_ORIGINAL = (pl.col("level") == 0) & pl.col("control").is_null()
_IN_GAP = pl.col("level").is_in(metrics.GAP_LEVELS)
_IS_TRUSTED = pl.col("status").is_in(metrics.TRUSTED)


def items(records: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Frames by kind. One item for each original with all its draws. Beside these: for each level and control, and for
    draws whose gold a model wrote, the originals that have all of theirs; all replies; and the lures.
    """
    records = _without_empty_controls(records)
    questions = questions_of(records)
    frames = {
        QUESTION: _with_open(records, _originals(records, questions)),
        metrics.draws_of(QUESTION): _gap_draws(records, questions),
        metrics.answers_of(QUESTION): _both_arms(records, _ORIGINAL, _IN_GAP),
    }
    levels = [level for level in metrics.GAP_LEVELS if _is_asked(records, level)]
    for level in levels:
        of_one = records.filter(pl.col("level").is_in([0, level]))
        _add_gaps(frames, metrics.LEVEL, of_one, f" level {level}", {"level": pl.lit(level)})
    if len(levels) == 1:
        # What is robust at the only level is what is robust.
        frames[metrics.LEVEL] = frames[metrics.LEVEL].select(*_ABOUT, "level", "right_perturbed", "gap")
    if _is_asked(records, other := metrics.OTHER_LEVEL):
        levels.append(other)
        draws = _paired_with(questions, f"level {other}").select(*_ASKED, right_perturbed="v")
        frames[metrics.OTHER_SKILL] = _named(draws, "right_perturbed", f" level {other}", {"level": pl.lit(other)})
    frames[metrics.REPLY] = _replies(records, levels)
    for status in metrics.WRITTEN_BY_A_MODEL:
        if records.filter(pl.col("level") > 0, status=status).height:
            part = records.filter((pl.col("level") == 0) | (pl.col("status") == status))
            _add_gaps(frames, metrics.STATUS, part, f" {status}", {"status": pl.lit(status)}, trusted=False)
    asked = set(records["control"].drop_nulls())
    of_control = {name: pl.col("control") == name for name in metrics.CONTROLS}
    of_control["o"] = _ORIGINAL
    arms = {metrics.control_of(name): ("o", name, of_control[name]) for name in metrics.CONTROLS if name in asked}
    if metrics.STAND_IN in asked:
        arms[metrics.control_of(metrics.STAND_IN)] = (metrics.STAND_IN, "perturbed", _IN_GAP)
    # What changed numbers do on top of changed options; older sets have no computed ones.
    base = next((name for name in reversed(metrics.OF_OPTIONS) if name in asked), None)
    arms |= {metrics.EXCESS: (base, "perturbed", _IN_GAP)} if base is not None else {}
    for kind, (base, arm, in_arm) in arms.items():
        gaps = questions.select(*_ASKED, gap=pl.col(base) - pl.col(arm))
        frames[kind] = _named(gaps, "gap", f" {kind}")
        both = questions.with_columns(base=pl.when(pl.col(arm).is_not_null()).then(pl.col(base)))
        frames[metrics.draws_of(kind)] = _draws(records, both, in_arm)
        frames[metrics.answers_of(kind)] = _both_arms(records, of_control[base], in_arm)
    if metrics.NOISE in asked:
        frames |= _with_noise(records, questions)
    lures = lures_of(records)
    frames |= _memory(questions, frames[metrics.answers_of(QUESTION)], lures)
    if lures.height:
        frames[metrics.LURE] = lures.select(
            *(*_ASKED, "question_id", "repeat", "old", "excess"),
            item=pl.when(pl.col("excess").is_not_null()).then(pl.format("lure {} {}", "question_id", "repeat")),
            left_out=pl.lit(False),
        )
    return frames


def _with_noise(records: pl.DataFrame, questions: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Originals beside themselves with noise, and changed questions beside themselves with noise."""
    # Noise was put into the changed questions of the lowest level that was asked.
    level = next((f"level {level}" for level in metrics.GAP_LEVELS if _is_asked(records, level)), None)
    changed = pl.lit(None, pl.Float64) if level is None else pl.col(level)
    o, n, m = pl.col("o"), pl.col(metrics.NOISE), pl.col(metrics.NOISE_CHANGED)
    gaps = {
        metrics.NOISE: (o - n, pl.when(o.is_not_null()).then(n)),
        metrics.NOISE_CHANGED: (changed - m, pl.when(changed.is_not_null()).then(m)),
        metrics.BOTH_WITH_NOISE: (n - m, n),
    }
    for strength in metrics.STRENGTHS:
        some = pl.col(f"{metrics.NOISE} {strength}")
        gaps[f"{metrics.NOISE} {strength}"] = o - some, some
    if level is None:
        del gaps[metrics.NOISE_CHANGED], gaps[metrics.BOTH_WITH_NOISE]
    return {
        kind: _named(questions.select(*_ASKED, gap=gap, right=right), "gap", f" {kind}")
        for kind, (gap, right) in gaps.items()
    }


_ASKED = (*WHO, "cluster", "topic")
_ABOUT = (*_ASKED, "item", "question_id", "left_out")


def _with_open(records: pl.DataFrame, originals: pl.DataFrame) -> pl.DataFrame:
    """With what each question's values would be at the least and at the most, had all its replies been read. What could
    not be read is wrong, so that is the least of a share of right answers.
    """
    unread = pl.col("correct").is_not_null() & pl.col("outcome").is_in(UNREAD)
    if not records.select(unread.any()).item():
        return originals
    read = _values(questions_of(records.with_columns(correct=pl.col("correct") | unread)))
    best = read.select(*WHO, o="right_original", v="right_perturbed")
    o, v = pl.col("right_original"), pl.col("right_perturbed")
    return (
        originals.join(best, on=WHO, how="left", maintain_order="left")
        .with_columns(
            **{"right_original least": o, "right_original most": pl.col("o")},
            **{"right_perturbed least": v, "right_perturbed most": pl.col("v")},
            **{"gap least": pl.col("paired_original") - pl.col("v"), "gap most": pl.col("o") - v},
        )
        .drop("o", "v")
    )


def _is_asked(records: pl.DataFrame, level: int) -> bool:
    """Whether there are draws of this level, with answers that are trusted."""
    return records.filter(pl.col("control").is_null(), _IS_TRUSTED, level=level).height > 0


def _without_empty_controls(records: pl.DataFrame) -> pl.DataFrame:
    """In an open variant, without options, there are none to change: that would be the original once more."""
    no_letter = (~pl.col("answer").is_in(LETTERS)).fill_null(True).all()
    # Where nothing at all was read, no answer tells which kind of prompt it was.
    is_open = pl.when(pl.col("answer").count() > 0).then(no_letter).otherwise((pl.col("variant") == "open").all())
    is_open = is_open.over("model", "variant")
    imported = (pl.col("status") == "imported").any().over("model", "variant")
    return records.filter(imported | ~is_open | (~pl.col("control").is_in(metrics.OF_OPTIONS)).fill_null(True))


def _originals(records: pl.DataFrame, questions: pl.DataFrame) -> pl.DataFrame:
    is_draw = pl.col("control").is_null()
    changed = _IN_GAP & _IS_TRUSTED
    # Without draws in the gap it is over the other draws that originals are compared.
    changed = pl.when((changed & is_draw).any().over("model", "variant")).then(changed).otherwise(pl.col("level") > 0)
    lost = pl.col("outcome").is_in(LEFT_OUT) & is_draw & ((pl.col("level") == 0) | changed)
    left_out = records.select(*WHO, lost=lost).group_by(WHO).agg(left_out=pl.col("lost").any())
    return (
        _values(questions)
        .join(left_out, on=WHO, how="left", maintain_order="left")
        .with_columns(item=pl.col("parent"), question_id=pl.col("parent"))
    )


def _values(questions: pl.DataFrame) -> pl.DataFrame:
    """What the metrics of the gap are means of; null where the original or a draw is missing."""
    o, v = pl.col("o"), pl.col("v")
    return _paired_with(questions, "perturbed").select(
        *(*_ASKED, *KINDS),
        right_original=pl.col("original"),
        paired_original=o,
        right_perturbed=v,
        gap=o - v,
        robust_1=o * v,
        suspect_1=o * (1 - v),
        improved_1=(1 - o) * v,
    )


def _paired_with(questions: pl.DataFrame, arm: str) -> pl.DataFrame:
    """`o` and `v` where both are there, null elsewhere: one of them alone says nothing about the other."""
    both = pl.col("o").is_not_null() & pl.col(arm).is_not_null()
    return questions.with_columns(o=pl.when(both).then("o"), v=pl.when(both).then(arm))


def _add_gaps(
    frames: dict[str, pl.DataFrame],
    kind: str,
    records: pl.DataFrame,
    suffix: str,
    group: dict[str, pl.Expr],
    *,
    trusted: bool = True,
) -> None:
    """Add the items of one group of this kind, and their draws, to those of the groups before it."""
    questions = questions_of(records, trusted=trusted)
    added = {
        kind: _named(_values(questions), "gap", suffix, group),
        metrics.draws_of(kind): _gap_draws(records, questions, trusted=trusted).with_columns(**group),
        metrics.answers_of(kind): _both_arms(records, _ORIGINAL, _IN_GAP, trusted=trusted).with_columns(**group),
    }
    for name, frame in added.items():
        frames[name] = pl.concat([frames[name], frame]) if name in frames else frame


def _named(frame: pl.DataFrame, value: str, suffix: str, group: dict[str, pl.Expr] | None = None) -> pl.DataFrame:
    """Items of another kind. One that lost a reply has no value, and no partner on the other side."""
    return frame.with_columns(
        item=pl.when(pl.col(value).is_not_null()).then(pl.col("parent") + suffix),
        question_id=pl.col("parent"),
        left_out=pl.lit(False),
        **(group or {}),
    )


def _replies(records: pl.DataFrame, levels: list[int]) -> pl.DataFrame:
    """All replies, of all arms: whether an answer could be read."""
    return records.select(
        *(*WHO, "cluster", "question_id", "repeat"),
        item=pl.format("reply {} {}", "question_id", "repeat"),
        left_out=pl.col("outcome").is_in(LEFT_OUT),
        unread=pl.when(pl.col("correct").is_not_null()).then(pl.col("answer").is_null()),
        level=pl.when(pl.col("level").is_in(levels)).then(pl.col("level")).cast(pl.Int32),
    )


def questions_of(records: pl.DataFrame, *, trusted: bool = True) -> pl.DataFrame:
    """One row for each model, variant and original: `o`, and for each arm the share of right draws (null where a draw
    is missing: a question without all of its draws has no part in that arm); with `robust`, `suspect` and `improved`
    over the gap's draws. `original` is what `accuracy_original` is a mean of: `o` where all draws of the gap are there.
    Where a model and variant has none (level 3 alone was asked for, or no gold is trusted), all other draws have to be;
    where it has no draws at all, `o` is all there is.

    `trusted` chooses draws whose gold is computed, or those whose gold a model wrote and nothing confirms.
    """
    replies = _answers(records, trusted)
    by_draw = _by_draw(replies)
    arms = {
        "perturbed": _IN_GAP,
        **{f"level {level}": pl.col("level") == level for level in (1, 2, 3)},
        **{
            control: pl.col("control") == control
            for control in (*metrics.CONTROLS, metrics.NOISE, metrics.NOISE_CHANGED)
        },
        **{
            f"{metrics.NOISE} {strength}": (pl.col("control") == metrics.NOISE)
            & (pl.col("draw") % len(metrics.STRENGTHS) == strength - 1)
            for strength in metrics.STRENGTHS
        },
    }
    questions = by_draw.group_by([*WHO, "cluster", "topic"], maintain_order=True).agg(
        o=_complete_mean(_ORIGINAL),
        **{name: _complete_mean(condition) for name, condition in arms.items()},
        draws=_IN_GAP.sum(),
    )
    both = pl.col("o").is_not_null() & pl.col("perturbed").is_not_null()
    in_gap = (pl.col("draws") > 0).any().over("model", "variant")
    alone = pl.col("complete").is_null().all().over("model", "variant")
    counts = pl.when(in_gap).then(both).otherwise(alone | pl.col("complete"))
    questions = questions.join(_kinds(replies), on=WHO, how="left", maintain_order="left")
    return questions.join(_complete(records), on=WHO, how="left", maintain_order="left").with_columns(
        *(pl.when(both).then(pl.col(name)).alias(name) for name in KINDS),
        original=pl.when(counts).then(pl.col("o")),
    )


def _gap_draws(records: pl.DataFrame, questions: pl.DataFrame, *, trusted: bool = True) -> pl.DataFrame:
    both = _paired_with(questions, "perturbed").with_columns(base=pl.when(pl.col("v").is_not_null()).then("o"))
    return _draws(records, both, _IN_GAP, trusted=trusted)


def _draws(records: pl.DataFrame, questions: pl.DataFrame, arm: pl.Expr, *, trusted: bool = True) -> pl.DataFrame:
    """One row for each draw of an arm: `gap` = base − right, where `questions` has the column `base` (null where the
    question has no part in it); `weight` makes each question count once, however many draws it has.

    A question without draws in the arm has one row without a gap: it is there, and not counted.
    """
    draws = _by_draw(_answers(records, trusted)).filter(arm).select(*WHO, "right")
    joined = questions.select(*_ASKED, "base").join(draws, on=WHO, how="left", maintain_order="left")
    return joined.select(
        *_ASKED,
        item=pl.col("parent"),
        gap=pl.col("base") - pl.col("right"),
        weight=1.0 / pl.len().over(WHO).cast(pl.Float64),
    )


def _both_arms(records: pl.DataFrame, first: pl.Expr, second: pl.Expr, *, trusted: bool = True) -> pl.DataFrame:
    """One row for each original or draw of two arms: how often it was right, and whether it is of the first arm. Only
    of questions that have all of both.
    """
    answers = _by_draw(_answers(records, trusted)).filter(first | second)
    both = (first.any() & second.any() & (pl.col("right").null_count() == 0)).over(WHO)
    return answers.filter(both).select(*_ASKED, item=pl.col("parent"), value=pl.col("right"), first=first)


def _answers(records: pl.DataFrame, trusted: bool) -> pl.DataFrame:
    mine = (pl.col("level") == 0) | (_IS_TRUSTED if trusted else ~_IS_TRUSTED)
    return records.filter(mine, pl.col("control").is_null() | (pl.col("control") != "lure")).with_columns(
        right=pl.col("correct").cast(pl.Float64)
    )


def _by_draw(replies: pl.DataFrame) -> pl.DataFrame:
    """Repeats are members of the question, and never new n."""
    right = pl.col("right")
    return replies.group_by([*WHO, "cluster", "topic", "level", "control", "draw"], maintain_order=True).agg(
        right=pl.when(right.null_count() == 0).then(right.mean())
    )


def _kinds(replies: pl.DataFrame) -> pl.DataFrame:
    """Whether original and draws are right together, in each repeat by itself: asking more often is no harder test."""
    right = pl.col("right")
    by_repeat = replies.group_by([*WHO, "repeat"], maintain_order=True).agg(
        o=(right.filter(_ORIGINAL) == 1).all(),
        every=(right.filter(_IN_GAP) == 1).all(),
        some=(right.filter(_IN_GAP) == 1).any(),
    )
    o, every, some = pl.col("o"), pl.col("every"), pl.col("some")
    return by_repeat.group_by(WHO, maintain_order=True).agg(
        robust=(o & every).mean(), suspect=(o & ~every).mean(), improved=(~o & some).mean()
    )


def _complete_mean(condition: pl.Expr) -> pl.Expr:
    """The mean of an arm; null where the arm is empty, or one of its draws is."""
    values = pl.col("right").filter(condition)
    return pl.when((values.len() > 0) & (values.null_count() == 0)).then(values.mean())


def _complete(records: pl.DataFrame) -> pl.DataFrame:
    """For each original that was changed in any way, whether there is a reply to all that was made of it."""
    draws = records.filter(pl.col("level") > 0, pl.col("control").is_null())
    return draws.group_by(WHO).agg(complete=pl.col("correct").null_count() == 0)


def _memory(questions: pl.DataFrame, answers: pl.DataFrame, lures: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """One item for each original with all its draws: what memory adds to it, and what is missed without memory, each a
    quarter of what `memorized_share` sums; and the answers behind it, where old and sham are those of a lure.

    Without memory old and sham are as frequent, so who misses a lure finds the right answer by luck as often as the
    sham: 1 − right + sham are missed.
    """
    shares = lures.group_by(WHO).agg(pl.col("old").mean(), pl.col("sham").mean(), right=pl.col("correct").mean())
    both = _paired_with(questions, "perturbed").join(shares, on=WHO, how="left", maintain_order="left")
    o, v, old, sham, right = map(pl.col, ("o", "v", "old", "sham", "right"))
    items = both.select(
        *_ASKED,
        memory=((o - v) + (old - sham).fill_null(0.0)) / 4,
        missed=((1 - v) + (1 - right + sham).fill_null(0.0)) / 4,
    )
    counted = both.filter(v.is_not_null()).select(WHO)
    mine = lures.drop_nulls("excess").join(counted, on=WHO, how="semi", maintain_order="left")
    taken = [
        mine.select(*_ASKED, item=pl.format("lure {}", "question_id"), value=pl.col(name), first=pl.lit(name == "old"))
        for name in ("old", "sham")
    ]
    by_lure = pl.concat(taken).group_by([*_ASKED, "item", "first"], maintain_order=True).agg(pl.col("value").mean())
    return {
        metrics.MEMORY: _named(items, "memory", " memory"),
        metrics.answers_of(metrics.MEMORY): pl.concat([answers, by_lure.select(answers.columns)]),
    }


def lures_of(records: pl.DataFrame) -> pl.DataFrame:
    """The replies of the lure arm: whether each kept the old answer, or took the sham; unread ones took neither.
    Null for questions that lack a draw.
    """
    lures = records.filter(pl.col("control") == "lure", _IS_TRUSTED)
    every = pl.col("correct").is_not_null().all().over(WHO)
    old, sham = (pl.when(every).then(pl.col(name).cast(pl.Float64)) for name in ("kept_old", "took_sham"))
    return lures.with_columns(old=old, sham=sham, excess=old - sham)


def summarize(frames: Items) -> list[Estimate]:
    """All estimates: paired, over questions with all their draws; by level, control and topic; level 3 apart.

    Whatever was asked has its estimates, without a value where nothing is left of it. Each level and each status is
    tested by itself.
    """
    of_all = (metrics.OUT_OF_CHOICE.changed(groups=((),)), *metrics.OF_QUESTIONS, metrics.OF_MEMORY)
    estimates = summary_of(of_all, frames)
    of_levels = (metrics.OUT_OF_CHOICE.changed(groups=metrics.BY_LEVEL), *metrics.OF_LEVELS, metrics.OF_OTHER_LEVEL)
    for level in (*metrics.GAP_LEVELS, metrics.OTHER_LEVEL):
        estimates += summary_of(of_levels, _only(frames, "level", level))
    estimates += summary_of(metrics.OF_CONTROLS, frames)
    estimates += summary_of(metrics.OF_NOISE, frames)
    for of_lures in metrics.OF_LURES:
        estimates += summary_of([of_lures], frames)
    for status in metrics.WRITTEN_BY_A_MODEL:
        estimates += summary_of(metrics.OF_STATUSES, _only(frames, "status", status))
    return estimates


def _only(frames: Items, column: str, value: str | int) -> Items:
    return {kind: frame.filter(pl.col(column) == value) for kind, frame in frames.items() if column in frame.columns}
