"""Estimates over all replies, of which people have rated some: what machines say of all, set right by what people say.

Prediction-powered with power tuning (Angelopoulos et al. 2023, 2024), over clusters and with the weights of a
stratified sample. The forms were chosen by simulation: docs/statistics.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from counterfoil.stats.estimate import Interval, interval_from
from counterfoil.stats.spread import CONFIDENCE, Spread, spread_of
from counterfoil.stats.sums import Layout

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Places = NDArray[np.int64]

# The stratum of replies that people can't rate, as those without a text: what machines say of them stands.
CERTAIN = -1
# So much of an error of one unit is added to those that the labels show, up and down: few labels may have missed some.
ADDED = 0.65


class Term(NamedTuple):
    """A ratio of two sums over replies, with its coefficient: by machines for all of them, by people for the rated.

    A mean has in `below` a 1 for each reply that counts, and `above` its value; both are 0 for others.
    """

    coefficient: float
    above: Numbers
    below: Numbers
    said_above: Numbers
    said_below: Numbers


class Sample(NamedTuple):
    """Of each reply its cluster and its stratum (numbered), the places of the rated ones, and their weights: how many
    replies each of them stands for. The weights of a stratum add up to the number of its replies.
    """

    cluster: Places
    stratum: Places
    rated: Places
    weight: Numbers


class Corrected(NamedTuple):
    """The figure in three ways, and how far the first lies from what machines say alone.

    `power`: the weight λ of what machines say. `influence`: of each cluster on the corrected figure, Σ over them is 0.
    """

    corrected: Interval
    people: Interval
    shift: Interval
    power: float
    influence: Numbers


def corrected(
    terms: Sequence[Term],
    sample: Sample,
    limits: tuple[float, float],
    *,
    unit: float | None = None,
    confidence: float = CONFIDENCE,
) -> Corrected:
    """The sum of the terms over all replies, which lies within `limits`.

    An error about one reply may be a `unit`; if none is given: 1 for values from −1 to 1, half of it in each mean of a
    difference, else the whole range.
    """
    unit = unit or (limits[1] - limits[0]) / (2 if limits[0] < 0 else 1) / len(terms)
    people = _at(terms, sample, 0.0)
    machine = _at(terms, sample, None)
    power = _best_power(people, sample)
    tuned = _at(terms, sample, power)
    shape = _Shape(terms, sample, limits, confidence, ADDED * unit)
    of_people = shape.interval(people.value, people.influence(0.0), "people alone", said=people.said)
    best = shape.interval(tuned.value, tuned.influence(power), "prediction-powered, cluster-robust")
    if power == 0.0 or _width(best) > _width(of_people):
        power, tuned = 0.0, people
        best = of_people._replace(method="prediction-powered, cluster-robust")
    moved = tuned.influence(power) - machine.reported
    shift = shape.difference(tuned.value - machine.value, moved, "corrected − reported, cluster-robust")
    sums = np.bincount(sample.cluster, weights=tuned.influence(power))
    return Corrected(best, of_people, shift, power, sums / len(sample.cluster))


class _Linear(NamedTuple):
    """The figure, and what each reply adds to its error: `fixed` + λ · `by_machine`. `reported`: to the error of the
    figure by machines alone; `said`: what each rated one adds to its own mean.
    """

    value: float
    fixed: Numbers
    by_machine: Numbers
    reported: Numbers
    said: Numbers

    def influence(self, power: float) -> Numbers:
        return self.fixed + power * self.by_machine


def _at(terms: Sequence[Term], sample: Sample, power: float | None) -> _Linear:
    """The figure with this weight of what machines say; with None it is theirs alone."""
    size = len(sample.cluster)
    value = 0.0
    machine, said = np.zeros(size), np.zeros(len(sample.rated))
    for term in terms:
        above = _total(term.above, term.said_above, sample, power)
        below = _total(term.below, term.said_below, sample, power)
        ratio = above / below if below > 0 else math.nan
        scale = term.coefficient * size / below if below > 0 else math.nan
        value += term.coefficient * ratio
        machine += scale * (term.above - ratio * term.below)
        said += scale * (term.said_above - ratio * term.said_below)
    certain = sample.stratum == CERTAIN
    fixed = np.where(certain, machine, 0.0) + _expanded(said, sample)
    by_machine = np.where(certain, 0.0, machine) - _expanded(machine[sample.rated], sample)
    return _Linear(value, fixed, by_machine, machine, said)


def _total(machine: Numbers, said: Numbers, sample: Sample, power: float | None) -> float:
    if power is None:
        return float(machine.sum())
    certain = sample.stratum == CERTAIN
    rest = float(np.sum(sample.weight * (said - power * machine[sample.rated])))
    return float(machine[certain].sum()) + power * float(machine[~certain].sum()) + rest


def _expanded(said: Numbers, sample: Sample) -> Numbers:
    """What each reply adds, if the rated ones stand for all: the mean of its stratum, and of a rated one, with its
    weight, how far it is from there.
    """
    strata = sample.stratum[sample.rated]
    count = int(sample.stratum.max()) + 1
    n = np.bincount(strata, minlength=count).astype(np.float64)
    weights = np.bincount(strata, weights=sample.weight, minlength=count)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.bincount(strata, weights=sample.weight * said, minlength=count) / weights
        spared = np.sqrt(n / (n - 1))
    # One label says nothing of how its stratum spreads: then its distance from all labels does.
    overall = float(np.average(said, weights=sample.weight))
    alone = n[strata] < 2
    rest = np.where(alone, said - overall, (said - means[strata]) * np.where(alone, 1.0, spared[strata]))
    expanded = np.where(sample.stratum == CERTAIN, 0.0, means[sample.stratum])
    expanded[sample.rated] += sample.weight * rest
    return expanded


def _best_power(people: _Linear, sample: Sample) -> float:
    """The λ in 0…1 with the smallest variance between clusters."""
    n = np.bincount(sample.cluster).astype(np.float64)
    fixed, by_machine = (
        sums - n * sums.sum() / n.sum()
        for sums in (np.bincount(sample.cluster, weights=part) for part in (people.fixed, people.by_machine))
    )
    square = float(by_machine @ by_machine)
    return min(max(-float(fixed @ by_machine) / square, 0.0), 1.0) if square > 0 else 0.0


class _Shape(NamedTuple):
    """What all intervals of a figure share."""

    terms: Sequence[Term]
    sample: Sample
    limits: tuple[float, float]
    confidence: float
    added: float

    def interval(self, value: float, influence: Numbers, method: str, said: Numbers | None = None) -> Interval:
        """Wilson's interval on the scale of the limits, with n_eff = m(1−m)/V.

        V has what few labels may have missed of a machine's errors; of people alone, whose values are `said`, it is no
        less than that of as many independent labels.
        """
        low, high = self.limits
        size = high - low
        spread = self._spread(influence / size)
        labels = self._labels()
        least = 0.0 if said is None else self._least(said / size)
        agree = bool(spread.agree[0])
        variance = max(0.0 if agree else float(spread.variance[0]), least) + (self._unseen() if said is None else 0.0)
        # Where all clusters agree, each counts as one record, or each label if these are fewer.
        most = min(labels, float(spread.g_eff[0])) if agree else float(spread.most[0])
        m = min(max((value - low) / size, 0.0), 1.0)
        inner = min(max(m, 1 / (labels + 2)), 1 - 1 / (labels + 2))
        n_eff = min(inner * (1 - inner) / variance, most) if variance else most
        pull = float(spread.quantile[0]) ** 2 / n_eff
        centre = (m + pull / 2) / (1 + pull)
        half = math.sqrt(pull * (m * (1 - m) + pull / 4)) / (1 + pull)
        bounds = low + size * max(centre - half, 0.0), low + size * min(centre + half, 1.0)
        return self._made(low + size * m, *bounds, method=method, agree=agree)

    def difference(self, value: float, influence: Numbers, method: str) -> Interval:
        """The same around a difference from what machines say, which is far from the ends of its scale."""
        size = self.limits[1] - self.limits[0]
        spread = self._spread(influence / size)
        variance = (0.0 if spread.agree[0] else float(spread.variance[0])) + self._unseen()
        half = size * float(spread.quantile[0]) * math.sqrt(variance)
        return self._made(value, max(value - half, -size), min(value + half, size), method=method)

    def _spread(self, influence: Numbers) -> Spread:
        cluster = self.sample.cluster
        n = np.bincount(cluster).astype(np.float64)
        parts = influence - influence.mean()
        u, square = (np.bincount(cluster, weights=part).astype(np.float64) for part in (parts, parts**2))
        layout = Layout(np.zeros(len(n), dtype=np.int64), 1)
        # Clusters that are hard on both sides of a difference cancel out.
        least = -1.0 if len(self.terms) > 1 else 0.0
        return spread_of(layout, n, n, u, square, least_correlation=least, confidence=self.confidence)

    def _least(self, said: Numbers) -> float:
        """The variance of a mean over as many independent labels."""
        counts = self._counts()
        weight = self.sample.weight[counts]
        part = float(weight.sum()) / len(self.sample.cluster)
        return part**2 * float(np.average(said[counts] ** 2, weights=weight)) / self._labels()

    def _labels(self) -> float:
        """How many labels with equal weights would tell as much, of those that count."""
        weight = self.sample.weight[self._counts()]
        return float(weight.sum() ** 2 / np.sum(weight**2))

    def _counts(self) -> NDArray[np.bool_]:
        """Which of the rated replies count, to people or to machines; all of them where none does."""
        parts = [(term.said_below > 0) | (term.below[self.sample.rated] > 0) for term in self.terms]
        counts: NDArray[np.bool_] = np.any(parts, axis=0)
        return counts if counts.any() else ~counts

    def _unseen(self) -> float:
        """The variance of two errors that are added in each stratum of each term, one up and one down."""
        strata = self.sample.stratum[self.sample.rated]
        added = self.added / (self.limits[1] - self.limits[0])
        variance = 0.0
        for term in self.terms:
            below = np.maximum(term.said_below, term.below[self.sample.rated])
            parts = np.bincount(strata, weights=self.sample.weight * below)
            labels = np.bincount(strata, weights=below > 0)
            total = parts.sum() + term.below[self.sample.stratum == CERTAIN].sum()
            variance += 2 * added**2 * float(np.sum((parts / total / (labels + 2)) ** 2))
        return variance

    def _made(self, value: float, low: float, high: float, *, method: str, agree: bool = False) -> Interval:
        clusters = int(np.count_nonzero(np.bincount(self.sample.cluster)))
        return interval_from(value, low, high, len(self.sample.rated), clusters, clusters, agree, method=method)


def _width(interval: Interval) -> float:
    return math.inf if interval.low is None or interval.high is None else interval.high - interval.low
