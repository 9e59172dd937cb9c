"""Does a run that stops early raise as few false alarms as it says, and do its intervals hold? Simulated.

The decisions are those of a run (`deciding.rules`, with the intervals and tests of the summary and of `compare`). The
replies are numbers: each cluster of each model has a level of its own, and its questions are drawn at that level.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from counterfoil.deciding.rules import Evidence, decided
from counterfoil.errors import UserError
from counterfoil.running.looks.design import Condition, Design, at, check
from counterfoil.running.looks.log import ABOVE, BELOW, EQUAL, Decision
from counterfoil.running.looks.questions import Open, Questions
from counterfoil.selftest.levels import draw_levels
from counterfoil.stats.intervals import bonett_price, wilson
from counterfoil.stats.metric import Metric
from counterfoil.stats.pairing import Arms, Case, differences_of, interval_at
from counterfoil.stats.power import smallest_difference
from counterfoil.stats.spread import at_confidence
from counterfoil.stats.sums import Layout, MeanSums
from counterfoil.suite.finding import load_suite

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from counterfoil.stats.estimate import Interval

FEWEST_TRIALS = 20
# What is drawn: clusters, questions in each, how alike a cluster's questions are, and the mean.
CLUSTERS, MEMBERS, CORRELATIONS = (24, 64, 200), 6, (0.1, 0.5)
SHARES, SIGNED = (0.5, 0.9, 0.97), (0.0, 0.3)
# Of a metric in −1…1: so many values are 0.
ZERO = 0.5
# True differences, as multiples of what all clusters would show in 80 % of runs.
EFFECTS = (0.0, 1.0, 2.0, 3.0)
# Where nothing differs, so many models as well.
SEVERAL = 4
# A width to reach, as a multiple of what all clusters give.
WIDER = 1.5
_FOR_ERROR, _ROUNDS = 4_000, 4
# Means stay so far from the end of the scale.
_ROOM = 0.02
# What must hold, beside three standard errors of the simulation.
MOST_ALARMS, LEAST_COVERAGE, MEAN_COVERAGE = 0.07, 0.91, (0.94, 0.985)


class Cell(NamedTuple):
    """What is simulated: `effect` is the true difference, in multiples of the detectable one."""

    clusters: int
    correlation: float
    mean: float
    effect: float
    models: int

    @property
    def text(self) -> str:
        return f"{self.clusters} clusters, correlation {self.correlation:g}, mean {self.mean:g}"


class StoppingCell(msgspec.Struct, kw_only=True):
    """What came out in a cell: shares of trials with a false alarm, with all right decisions, and with nothing told;
    the share of asks; and of intervals that hold the truth.
    """

    clusters: int
    correlation: float
    mean: float
    models: int
    difference: float
    multiple: float
    false_alarms: float
    decided: float
    asks: float
    coverage: float
    trials: int


class StoppingTest(msgspec.Struct, kw_only=True):
    """What the simulation found; `failures` say what does not hold."""

    suite: str
    condition: str
    looks: list[float]
    margin: float | None
    futility: float
    trials: int
    seed: int
    cells: list[StoppingCell]
    mean_coverage: float
    # Mean shares of asks, by the multiple of the detectable difference.
    asks: dict[str, float]
    failures: list[str]


def stopping_test(
    name: str,
    design: Design,
    *,
    trials: int = 400,
    clusters: int | None = None,
    seed: int = 0,
    progress: Callable[[str, int, int], None] | None = None,
) -> StoppingTest:
    """Simulated runs under a design with one condition."""
    if trials < FEWEST_TRIALS:
        raise UserError(f"A self-test takes at least {FEWEST_TRIALS} trials, not {trials}.")
    suite = load_suite(name)
    [condition, *others] = design.conditions
    if others:
        raise UserError("A self-test simulates one --until at a time: leave the others out.")
    check(design, suite.metrics, 2)
    metric = next(one for one in suite.metrics if one.is_overall and one.name == condition.metric)
    cells = list(_cells(metric, condition, [clusters] if clusters else CLUSTERS))
    found = []
    for number, cell in enumerate(cells):
        simulation = _Simulation(metric, design, cell)
        if simulation.is_possible:
            found.append(_tested(simulation, trials, [seed, number]))
        if progress is not None:
            progress(cell.text, (number + 1) * trials, len(cells) * trials)
    by_effect: dict[str, list[float]] = {}
    for one in found:
        if one.models == 2 or condition.kind != "compare":
            by_effect.setdefault(f"{one.multiple:g}", []).append(one.asks)
    coverage = float(np.mean([one.coverage for one in found]))
    return StoppingTest(
        suite=suite.name,
        condition=condition.text,
        looks=list(design.fractions),
        margin=design.margin,
        futility=design.futility,
        trials=trials,
        seed=seed,
        cells=found,
        mean_coverage=coverage,
        asks={effect: float(np.mean(shares)) for effect, shares in by_effect.items()},
        failures=list(_failures(found, coverage, trials)),
    )


def _cells(metric: Metric, condition: Condition, clusters: Sequence[int]) -> Iterator[Cell]:
    means = SIGNED if metric.low < 0 or metric.minus is not None else SHARES
    effects = (0.0,) if condition.kind == "width" else EFFECTS
    for number, correlation, mean, effect in product(clusters, CORRELATIONS, means, effects):
        yield Cell(number, correlation, mean, effect, 2)
        if effect == 0 and condition.kind == "compare":
            yield Cell(number, correlation, mean, effect, SEVERAL)


class _Simulation:
    """Runs of one cell: what is true, and what replies are drawn."""

    def __init__(self, metric: Metric, design: Design, cell: Cell) -> None:
        self._signed = metric.low < 0 or metric.minus is not None
        [condition] = design.conditions
        self.cell = cell
        self.models = [f"model {number + 1}" for number in range(cell.models)]
        self.difference, low = 0.0, ZERO - 1.0 if self._signed else 0.0
        # The error depends on the other model's mean, and that on the error.
        for _ in range(_ROUNDS):
            other = max(cell.mean - self.difference, low + _ROOM)
            one, pair = self._errors(other)
            error = pair if condition.kind == "compare" else one
            self.detectable = float(smallest_difference(error, cell.clusters - 1))
            self.difference = cell.effect * self.detectable
        self.is_possible = cell.mean - self.difference >= low + _ROOM
        # The last model is the other one; against a value, all of them are.
        others = len(self.models) if condition.kind == "threshold" else 1
        self.true = [
            cell.mean - (self.difference if number >= len(self.models) - others else 0)
            for number in range(len(self.models))
        ]
        number = {"width": 1.96 * one * WIDER, "threshold": cell.mean, "compare": None}[condition.kind]
        condition = Condition(condition.text, condition.kind, condition.metric, number)
        # The margin is meant for a metric; here it is so many detectable differences.
        margin = None if design.margin is None else design.margin * self.detectable
        self.design = Design((condition,), design.fractions, margin, design.futility).over(cell.clusters)

    def _errors(self, mean: float) -> tuple[float, float]:
        """The standard error of the other model's mean over all clusters, and of the difference."""
        rng = np.random.default_rng(1)
        one, other = (self._drawn(rng, each, _FOR_ERROR).mean(axis=1) for each in (self.cell.mean, mean))
        scale = math.sqrt(self.cell.clusters)
        return float(other.std() / scale), float((one - other).std() / scale)

    def _drawn(self, rng: np.random.Generator, mean: float, clusters: int) -> NDArray[np.float64]:
        """Values, clusters × questions. A metric in −1…1 has as many of +1 and −1 as give its mean, and zeros."""
        share = (mean / (1 - ZERO) + 1) / 2 if self._signed else mean
        levels = draw_levels(rng, share, self.cell.correlation, clusters)
        drawn = (rng.random((clusters, MEMBERS)) < levels[:, None]).astype(np.float64)
        if self._signed:
            drawn = (2 * drawn - 1) * (rng.random((clusters, MEMBERS)) >= ZERO)
        return drawn

    def run(self, rng: np.random.Generator) -> tuple[list[Decision], dict[str, int], dict[str, Interval]]:
        """One run: its decisions, the clusters that each model was asked, and the intervals of the summary."""
        replies = {
            model: self._drawn(rng, true, self.cell.clusters)
            for model, true in zip(self.models, self.true, strict=True)
        }
        questions = Questions(self.design, self.models, [""])
        decisions: list[Decision] = []
        asked = dict.fromkeys(self.models, 0)
        for number, fraction in enumerate(self.design.fractions, 1):
            clusters = at(fraction, self.cell.clusters)
            asked |= dict.fromkeys(questions.busy, clusters)
            look = questions.at(number)
            evidence = {one: self._evidence(one, replies, clusters) for one in look.open}
            found = decided(look, evidence)
            decisions += found
            questions.close(found)
            if not questions.busy:
                break
        intervals = {
            model: self._interval(values[: asked[model]], self.design.confidence) for model, values in replies.items()
        }
        return decisions, asked, intervals

    def _evidence(self, one: Open, replies: Mapping[str, NDArray[np.float64]], clusters: int) -> Evidence:
        if one.condition.kind != "compare":
            values = replies[one.models[0]][:clusters]
            return Evidence(lambda confidence: self._interval(values, confidence))
        a, b = (replies[model][:clusters].ravel() for model in one.models)
        case = Case([Arms(1.0, a, b)], np.repeat(np.arange(clusters), MEMBERS), -1.0 if self._signed else 0.0)
        return Evidence(lambda confidence: interval_at(case, confidence), lambda: differences_of([case])[0].test.p)

    def _interval(self, values: NDArray[np.float64], confidence: float) -> Interval:
        n = np.full(len(values), float(MEMBERS))
        sums = MeanSums(n, n, n, values.sum(axis=1), (values**2).sum(axis=1))
        layout = Layout(np.zeros(len(values), dtype=np.int64), 1)
        with at_confidence(confidence):
            [interval] = bonett_price(layout, sums) if self._signed else wilson(layout, sums)
        return interval

    def is_false(self, decision: Decision) -> bool:
        """Whether a decision says what is not true."""
        truth = dict(zip(self.models, self.true, strict=True))
        if self.design.conditions[0].kind == "compare":
            first, second = decision.models
            true = truth[second] - truth[first]
        else:
            true = truth[decision.models[0]] - self.cell.mean
        if decision.verdict == EQUAL:
            return abs(true) >= (self.design.margin or 0)
        return (decision.verdict == ABOVE and true <= 0) or (decision.verdict == BELOW and true >= 0)


def _tested(simulation: _Simulation, trials: int, seed: Sequence[int]) -> StoppingCell:
    cell = simulation.cell
    alarms = right = 0
    shares, held = [], []
    for trial in range(trials):
        decisions, asked, intervals = simulation.run(np.random.default_rng([*seed, trial]))
        told = [decision for decision in decisions if decision.verdict in (ABOVE, BELOW, EQUAL)]
        alarms += any(map(simulation.is_false, told))
        right += len(told) > 0 and not any(map(simulation.is_false, told))
        shares.append(sum(asked.values()) / (cell.clusters * len(asked)))
        for model, true in zip(simulation.models, simulation.true, strict=True):
            interval = intervals[model]
            if interval.low is not None and interval.high is not None:
                held.append(interval.low - 1e-9 <= true <= interval.high + 1e-9)
    return StoppingCell(
        clusters=cell.clusters,
        correlation=cell.correlation,
        mean=cell.mean,
        models=cell.models,
        difference=simulation.difference,
        multiple=cell.effect,
        false_alarms=alarms / trials,
        decided=right / trials,
        asks=float(np.mean(shares)),
        coverage=float(np.mean(held)) if held else 1.0,
        trials=trials,
    )


def _failures(cells: Sequence[StoppingCell], coverage: float, trials: int) -> Iterator[str]:
    for one in cells:
        where = f"{one.clusters} clusters, correlation {one.correlation:g}, mean {one.mean:g}, {one.multiple:g}×"
        if one.false_alarms > MOST_ALARMS + 3 * math.sqrt(0.05 * 0.95 / trials):
            yield f"{where}: false alarms in {one.false_alarms:.1%} of the runs"
        if one.coverage < LEAST_COVERAGE - 3 * math.sqrt(0.09 * 0.91 / trials):
            yield f"{where}: intervals hold the truth in {one.coverage:.1%}"
    low, high = MEAN_COVERAGE
    slack = 3 * math.sqrt(0.05 * 0.95 / (trials * max(len(cells), 1)))
    if not low - slack <= coverage <= high + slack:
        yield f"Mean coverage is {coverage:.1%}, not {low:.0%} to {high:.1%}"
