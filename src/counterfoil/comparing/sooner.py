"""What a plan costs that stops as soon as it is decided, and how long it takes."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec

from counterfoil.running.looks.design import FRACTIONS, FUTILITY
from counterfoil.stats.power import LEVEL, POWER
from counterfoil.stats.stopping.expected import course, larger
from counterfoil.stats.stopping.levels import critical

# True differences for which the asks are expected, in multiples of the one to be found.
MULTIPLES = (0, 1, 2, 3)
# The latest replies of a model tell its pace; a longer wait between two, in latencies, was no wait for an answer.
_REPLIES, _IDLE = 2_000, 10.0
_HOUR = 3_600.0


class Costs(Protocol):
    """What so many asks of each model cost."""

    def of(self, asks: int) -> dict[str, Any]: ...


class Expected(msgspec.Struct, kw_only=True):
    """Expected asks of each model, dollars and hours, where the difference is so many times the one to be found."""

    multiple: int
    asks_per_model: int
    cost: float | None
    hours: float | None


class UntilDecided(msgspec.Struct, kw_only=True):
    """A run with --until 'compare METRIC' that finds the difference in 80 % of comparisons: so many clusters and
    questions at the most.

    The metric is named beforehand: it is tested at the whole level, and not with all the others.
    """

    clusters: int
    questions: int
    in_dataset: bool
    asks_per_model: int
    expected: list[Expected]


class Pace(NamedTuple):
    """Seconds for each reply of the slowest model, all models side by side; None where one of them is not known."""

    seconds: float | None

    def hours(self, asks: float) -> float | None:
        return None if self.seconds is None else asks * self.seconds / _HOUR


def until_decided(
    needed: int, units: int, sizes: Mapping[str, int], each: int, costs: Costs | None, pace: Pace
) -> UntilDecided:
    """`needed`: the clusters of a comparison that looks once, at the whole level. Each question is asked `each` times,
    and the dataset has so many `units`, in clusters of these `sizes`.
    """
    clusters = math.ceil(needed * larger(FRACTIONS, FUTILITY))
    asks = math.ceil(clusters * sum(sizes.values()) / len(sizes)) * each
    drift = (critical(LEVEL) + critical(2 * (1 - POWER))) * math.sqrt(clusters / needed)
    expected = []
    for multiple in MULTIPLES:
        asked = math.ceil(asks * course(FRACTIONS, multiple * drift, FUTILITY).share)
        cost = costs.of(asked)["cost"] if costs is not None else None
        expected.append(Expected(multiple=multiple, asks_per_model=asked, cost=cost, hours=pace.hours(asked)))
    return UntilDecided(
        clusters=clusters,
        questions=math.ceil(clusters * units / len(sizes)),
        in_dataset=clusters <= len(sizes),
        asks_per_model=asks,
        expected=expected,
    )


def pace_of(ledger: Path, models: Sequence[str]) -> Pace:
    """By the times at which the latest replies of each model came. A ledger that can't be read tells nothing."""
    if not models or not ledger.is_file():
        return Pace(None)
    try:
        with closing(sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)) as connection:
            paces = [_seconds(connection, model) for model in models]
    except sqlite3.Error:
        return Pace(None)
    known = [seconds for seconds in paces if seconds is not None]
    return Pace(max(known) if len(known) == len(paces) else None)


def _seconds(connection: sqlite3.Connection, model: str) -> float | None:
    """Seconds from one reply to the next, while it was asked. They came side by side: that is less than a latency."""
    query = "SELECT received_at, latency FROM replies WHERE model = ? ORDER BY id DESC LIMIT ?"
    rows = connection.execute(query, (model, _REPLIES)).fetchall()
    if len(rows) < 2:
        return None
    latency = sum(float(latency) for _, latency in rows) / len(rows)
    times = sorted(float(received) for received, _ in rows)
    gaps = [min(after - before, _IDLE * latency) for before, after in pairwise(times)]
    return sum(gaps) / len(gaps)
