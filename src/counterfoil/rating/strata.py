"""A sample that is to correct one metric: which replies count in it, where machines are in doubt, and so how many
labels each stratum gets.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from counterfoil.errors import UserError
from counterfoil.rating.correcting import CERTAIN
from counterfoil.reading.ways import WEAK
from counterfoil.stats.metric import Metric
from counterfoil.suite.options import nearest
from counterfoil.suite.outcome import SECOND_READER, UNREAD
from counterfoil.suite.suite import AnySuite

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

ELSEWHERE = "does not count"
# How far a label is expected to be from what machines say: by simulation it matters little how far exactly.
_SURE, _IN_DOUBT, _ELSEWHERE = 0.2, 0.5, 0.02
FEWEST_IN_STRATUM = 5
# Judges whose F1 lie further apart than this disagree.
_APART = 0.5


class Strata(NamedTuple):
    """The stratum of each record, `CERTAIN` for those that people can't rate; of each stratum its name, and what a
    label of one of its replies is worth.
    """

    code: Places
    names: Sequence[str]
    worth: Floats


def strata_of(suite: AnySuite, records: pl.DataFrame, rateable: Sequence[int], metric: str) -> Strata:
    """By model, variant, which mean of the metric a reply counts in, and whether machines are in doubt about it."""
    metrics, items = suite.correctable(records)
    of_replies = {kind: frame for kind, frame in items.items() if stacks(frame, records)}
    known = [one for one in metrics if one.is_there(of_replies) and not one.label and () in one.groups]
    chosen = next((one for one in known if one.name == metric), None)
    if chosen is None:
        names = list(dict.fromkeys(one.name for one in known))
        raise UserError(
            f"Labels of single replies can't correct {metric}{nearest(metric, names)}: they can {', '.join(names)}."
        )
    frame = of_replies[chosen.of].head(records.height)
    arm = np.full(records.height, len(parts(chosen)), dtype=np.int64)
    weight = frame["weight"].to_numpy() if "weight" in frame.columns else np.ones(records.height)
    for number, (first, second) in reversed(list(enumerate(parts(chosen)))):
        arm[sums(frame, chosen, first, second)[2] > 0] = number
    in_doubt = records.select(_in_doubt(records)).to_series().to_numpy()
    arms = [*(first for first, _ in parts(chosen)), ELSEWHERE]
    there = np.full(records.height, -1, dtype=np.int64)
    there[list(rateable)] = 0
    kinds: dict[tuple[str, str, int, bool], int] = {}
    who = records.select("model", "variant").rows()
    code = np.full(records.height, CERTAIN, dtype=np.int64)
    for place in np.flatnonzero(there == 0).tolist():
        kind = (*who[place], int(arm[place]), bool(in_doubt[place]))
        code[place] = kinds.setdefault(kind, len(kinds))
    names = [
        f"{model}, {variant}: {'counts' if len(arms) == 2 and number == 0 else arms[number]}"
        f"{', in doubt' if doubt else ''}"
        for model, variant, number, doubt in kinds
    ]
    spread = [_ELSEWHERE if number == len(arms) - 1 else _IN_DOUBT if doubt else _SURE for _, _, number, doubt in kinds]
    means = np.array([np.nan_to_num(weight[code == number]).mean() for number in range(len(kinds))])
    return Strata(code, names, means / max(means.max(initial=0), 1e-12) * np.array(spread))


def _in_doubt(records: pl.DataFrame) -> pl.Expr:
    """Nothing was read, or in a way that may well be meant otherwise; or judges differ, from it or from each other."""
    doubt = pl.col("outcome").is_in(UNREAD)
    if "read_by" in records.columns:
        doubt = doubt | pl.col("read_by").is_in([*WEAK, SECOND_READER])
    if "judge_correct" in records.columns:
        doubt = doubt | (pl.col("judge_correct").list.mean() != pl.col("correct").cast(pl.Float64))
    if "judge_f1" in records.columns:
        doubt = doubt | (pl.col("judge_f1").list.max() - pl.col("judge_f1").list.min() > _APART)
    return doubt.fill_null(False)


def draw_strata(strata: Strata, sample: int, seed: int) -> list[int]:
    """The places of a sample: of each stratum as many as its size and the worth of its labels say, at random."""
    sizes = np.bincount(strata.code[strata.code != CERTAIN], minlength=len(strata.names))
    chosen: list[int] = []
    for number, count in enumerate(allotted(sizes, strata.worth, sample)):
        places = np.flatnonzero(strata.code == number).tolist()
        chosen += random.Random(f"{seed} {strata.names[number]}").sample(places, count)  # noqa: S311
    return sorted(chosen)


def allotted(sizes: Places, worth: Floats, sample: int) -> list[int]:
    """How many of each stratum are drawn: in proportion to size and worth (Neyman 1934), some of each, none more than
    there are.
    """
    given = np.minimum(sizes, FEWEST_IN_STRATUM)
    if given.sum() > sample:
        raise UserError(
            f"A sample of {sample:,} is too small for its {len(sizes):,} strata: take at least {int(given.sum()):,}."
        )
    while (left := min(sample, int(sizes.sum())) - int(given.sum())) > 0:
        wanted = np.where(given < sizes, sizes * np.maximum(worth, 1e-9), 0.0)
        # What a stratum still lacks of its part; at least the one that lacks most gets one.
        target = wanted / wanted.sum() * (given.sum() + left)
        more = np.floor(np.clip(target - given, 0, sizes - given)).astype(np.int64)
        if not more.any() or more.sum() > left:
            more = np.zeros_like(given)
            more[int(np.argmax(np.where(given < sizes, target - given, -np.inf)))] = 1
        given = given + more
    return [int(count) for count in given]


def stacks(items: pl.DataFrame, records: pl.DataFrame) -> int:
    """How often the frame has the records in their order; 0 where its items are something else."""
    if not records.height or not items.height or items.height % records.height:
        return 0
    about = ["model", "variant", "cluster"]
    times = items.height // records.height
    return times if items.select(about).equals(pl.concat([records.select(about)] * times)) else 0


def parts(metric: Metric) -> list[tuple[str, str | None]]:
    """The columns of each term, and what its sum is divided by, where that is no number of items."""
    if metric.over is not None:
        return [(str(metric.mean), metric.over)]
    return [(column, None) for _, column in metric.terms]


def sums(frame: pl.DataFrame, metric: Metric, first: str, second: str | None) -> tuple[Floats, Floats, Floats]:
    """What each item adds to the sum, and to that which it is divided by; 0 where it does not count, and third, 1 where
    it does.
    """
    counts = pl.col(first).is_not_null()
    counts = counts if metric.where is None else counts & pl.col(metric.where).fill_null(False)
    counts = counts if second is None else counts & pl.col(second).is_not_null()
    weight = pl.col("weight").fill_null(0.0) if "weight" in frame.columns else pl.lit(1.0)
    below = weight if second is None else weight * pl.col(second).cast(pl.Float64)
    values = (weight * pl.col(first).cast(pl.Float64), below, pl.lit(1.0))
    made = frame.select(**{str(place): pl.when(counts).then(part).otherwise(0.0) for place, part in enumerate(values)})
    return made["0"].to_numpy(), made["1"].to_numpy(), made["2"].to_numpy()
