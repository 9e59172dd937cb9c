"""From records to the estimates of `memorization`."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import polars as pl

from counterfoil.memorization.paired import WHO, asked_lures, differences_of, questions_of
from counterfoil.memorization.scoring import GAP_LEVELS, TRUSTED
from counterfoil.perturbing.questions import LETTERS
from counterfoil.stats import Estimate, proportions, ratios, signed_means

ALL: tuple[str, ...] = ()
CONTROLS = ("again", "reshuffled", "renamed")
# A mean over many draws says little about how questions differ (STATISTICS).
MOST_PER_CLUSTER = 3.0
# Asked again, most answers are the same; by simulation (docs/statistics.md).
ADDED_TO_CONTROLS = 0.5
NOT_COMPUTED = (
    "the gold answers were written by a model and nothing confirms them: an error rate of e moves it by up to e"
)


def summarize(records: pl.DataFrame) -> list[Estimate]:
    """All estimates: paired, over questions with all their draws; by level, control and topic; level 3 apart.

    Whatever was asked has its estimates, without a value where nothing is left of it.
    """
    records = without_empty_controls(records)
    questions = questions_of(records)
    paired = paired_with(questions, "perturbed")
    estimates = [
        *_unread(records, ALL),
        *_all(records, paired, ALL),
        *_all(records, paired, ("topic",)),
    ]
    in_gap = [level for level in GAP_LEVELS if _asked(records, level)]
    for level in in_gap:
        estimates += _unread(records.filter(pl.col("level") == level), ("level",))
        of_one = records.filter(pl.col("level").is_in([0, level]))
        alone = paired_with(questions_of(of_one), "perturbed")
        # Where there is one level, what is robust at it is what is robust.
        of_level = _all if len(in_gap) > 1 else _gap
        estimates += of_level(of_one, alone.with_columns(level=pl.lit(level)), ("level",))
    # Level 3 is another skill: how often it is right, and no gap.
    other = paired_with(questions, "level 3").with_columns(level=pl.lit(3))
    if _asked(records, 3):
        estimates += _unread(records.filter(pl.col("level") == 3), ("level",))
        estimates += proportions(other, "v", metric="accuracy_perturbed", by=("level",))
    estimates += _controls(records, questions)
    lures = asked_lures(records)
    if lures.height:
        estimates += proportions(lures, "old", metric="kept_old")
        estimates += proportions(lures, "old", metric="kept_old", by=("topic",))
        estimates += signed_means(lures, "excess", metric="kept_old_excess", tested=True)
        estimates += signed_means(lures, "excess", metric="kept_old_excess", by=("topic",), tested=True)
    return [*estimates, *_not_computed(records)]


def without_empty_controls(records: pl.DataFrame) -> pl.DataFrame:
    """In an open variant, without options, there is nothing to reshuffle: that would be the original once more."""
    no_letter = (~pl.col("answer").is_in(LETTERS)).fill_null(True).all()
    # Where nothing at all was read, no answer tells which kind of prompt it was.
    is_open = pl.when(pl.col("answer").count() > 0).then(no_letter).otherwise((pl.col("variant") == "open").all())
    is_open = is_open.over("model", "variant")
    imported = (pl.col("status") == "imported").any().over("model", "variant")
    return records.filter(imported | ~is_open | (pl.col("control") != "reshuffled").fill_null(True))


def paired_with(questions: pl.DataFrame, arm: str) -> pl.DataFrame:
    """`o` and `v` where both are there, null elsewhere: one of them alone says nothing about the other."""
    both = pl.col("o").is_not_null() & pl.col(arm).is_not_null()
    o, v = (pl.when(both).then(pl.col(name)) for name in ("o", arm))
    return questions.with_columns(o=o, v=v)


def _asked(records: pl.DataFrame, level: int) -> bool:
    """Whether there are draws of this level, with answers that are trusted."""
    return records.filter(pl.col("control").is_null(), pl.col("status").is_in(TRUSTED), level=level).height > 0


def _all(records: pl.DataFrame, paired: pl.DataFrame, by: Sequence[str]) -> list[Estimate]:
    original = proportions(paired, "original", metric="accuracy_original", by=by)
    return [*original, *_gap(records, paired, by), *_robust(paired, by)]


def _gap(records: pl.DataFrame, paired: pl.DataFrame, by: Sequence[str], *, trusted: bool = True) -> list[Estimate]:
    """The mean of o − v̄, from draw to draw: what one of them shows is −1, 0 or 1."""
    both = paired.with_columns(base=pl.when(pl.col("v").is_not_null()).then(pl.col("o")))
    gaps = differences_of(records, both, pl.col("level").is_in(GAP_LEVELS), trusted=trusted)
    return [
        *proportions(paired, "v", metric="accuracy_perturbed", by=by),
        *_differences(gaps, "memorization_gap", by),
    ]


def _differences(
    gaps: pl.DataFrame, metric: str, by: Sequence[str], most: float | None = None, added: float = 1.0
) -> list[Estimate]:
    """Draws are members of their question: n is that of the questions."""
    estimates = signed_means(
        gaps, "difference", metric=metric, by=by, weight="weight", most_per_cluster=most, added=added, tested=True
    )
    counted = gaps.filter(pl.col("difference").is_not_null()).unique([*WHO, *by])
    sizes = {key: len(rows) for key, rows in counted.group_by(["model", "variant", *by])}
    for it in estimates:
        it.n = sizes.get((it.model, it.variant, *it.group.values()), 0)
    return estimates


def _robust(paired: pl.DataFrame, by: Sequence[str]) -> list[Estimate]:
    o, v = pl.col("o"), pl.col("v")
    paired = paired.with_columns(robust_1=o * v, suspect_1=o * (1 - v), improved_1=(1 - o) * v, k=pl.lit(1))
    names = {"robust": "robust_accuracy", "suspect": "memorization_suspect", "improved": "improved"}
    return [
        *(it for column, metric in names.items() for it in proportions(paired, column, metric=metric, by=by)),
        *(
            it
            for column, metric in names.items()
            for it in proportions(paired, f"{column}_1", metric=metric, by=(*by, "k"))
        ),
        *ratios(paired, "v", "o", metric="consistency", by=by),
    ]


def _controls(records: pl.DataFrame, questions: pl.DataFrame) -> list[Estimate]:
    """The gap to each control: the noise floor; and what changed numbers do on top of reshuffled options."""
    estimates: list[Estimate] = []
    asked = set(records["control"].drop_nulls().unique())
    for control in CONTROLS:
        both = questions.with_columns(
            base=pl.when(pl.col(control).is_not_null()).then(pl.col("o")), control=pl.lit(control)
        )
        if control in asked:
            gaps = differences_of(records, both, pl.col("control") == control)
            estimates += _differences(gaps, "control_gap", ("control",), added=ADDED_TO_CONTROLS)
    if "reshuffled" in asked:
        both = questions.with_columns(base=pl.when(pl.col("perturbed").is_not_null()).then(pl.col("reshuffled")))
        excess = differences_of(records, both, pl.col("level").is_in(GAP_LEVELS))
        estimates += _differences(excess, "excess_gap", ALL, MOST_PER_CLUSTER)
    return estimates


def _unread(records: pl.DataFrame, by: Sequence[str]) -> list[Estimate]:
    unread = pl.when(pl.col("correct").is_not_null()).then(pl.col("answer").is_null())
    return proportions(records.with_columns(unread=unread), "unread", metric="out_of_choice", by=by)


def _not_computed(records: pl.DataFrame) -> list[Estimate]:
    """Gaps on questions whose gold answers a model wrote: apart, and with a warning."""
    estimates: list[Estimate] = []
    for status in ("unverified", "refuted"):
        if not records.filter(pl.col("level") > 0, status=status).height:
            continue
        part = records.filter((pl.col("level") == 0) | (pl.col("status") == status))
        paired = paired_with(questions_of(part, trusted=False), "perturbed").with_columns(status=pl.lit(status))
        estimates += [
            msgspec.structs.replace(it, note="; ".join(filter(None, [NOT_COMPUTED, it.note])))
            for it in _gap(part, paired, ("status",), trusted=False)
        ]
    return estimates
