"""Does the self-test notice a broken estimator?

    python -m benchmarks.mutations [ESTIMATOR…]

Each estimator is broken in five ways, one after the other, and the self-test is run on a cell. It must hold with the
estimator as it is, and fail with each of the breaks. Takes some minutes. Exits with 1 if a break is not noticed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple
from unittest.mock import patch

import msgspec
import polars as pl

from counterfoil.selftest import selftest
from counterfoil.selftest.selftest import planting_of, run_cells
from counterfoil.stats import summary
from counterfoil.stats.estimate import Estimate
from counterfoil.stats.pairing import Difference
from counterfoil.suite.finding import load_suite
from counterfoil.suite.planting import Cell

TRIALS = 400
# Three replies to each question, and questions that differ: who takes replies for independent is found out.
EXPLAIN = Cell(
    name="correlated",
    clusters=40,
    settings={"right": 0.7, "clarifies": 0.6, "overclarifies": 0.3},
    correlation=0.5,
    repeats=3,
)
COMPARED = msgspec.structs.replace(
    EXPLAIN, name="compared", compared=True, other={"right": 0.85, "clarifies": 0.9, "overclarifies": 0.1}
)
BIAS = Cell(
    name="correlated",
    clusters=40,
    settings={"unknown": 0.5, "biased": 0.8, "aligned": 0.8, "conflicting": 0.6, "unread": 0.0},
    correlation=0.4,
    options={"orders": 1},
)
MEMORIZATION = Cell(
    name="middling",
    clusters=60,
    settings={"skill": 0.5, "memorized": 0.4, "slip": 0.05, "survives": 0.8, "unread": 0.0},
    correlation=1.0,
    options={"draws": 1},
)

Make = Callable[..., list[Estimate]]
Break = Callable[[Make], Make]


class Broken(NamedTuple):
    """An estimator: what to put in its place, its ways of being broken by name, and where that is to show."""

    suite: str
    cell: Cell
    place: Any
    name: str
    ways: dict[str, Callable[[Any], Any]]


def moved(change: Callable[[float, float, float], tuple[float, float, float]]) -> Break:
    """Every interval changed; those that are not there stay so."""

    def broken(make: Make) -> Make:
        def estimates(*arguments: Any, **named: Any) -> list[Estimate]:
            made = make(*arguments, **named)
            for one in made:
                if one.value is not None and one.low is not None and one.high is not None:
                    one.value, one.low, one.high = change(one.value, one.low, one.high)
            return made

        return estimates

    return broken


def with_frame(change: Callable[[pl.DataFrame], pl.DataFrame]) -> Break:
    """The estimator on other records than it was given."""

    def broken(make: Make) -> Make:
        return lambda frame, *arguments, **named: make(change(frame), *arguments, **named)

    return broken


def _without_some_lows(frame: pl.DataFrame) -> pl.DataFrame:
    """A quarter of the lowest values is lost, as where what fails is taken for what was not asked; of a difference, on
    one side.
    """
    low = pl.col("x") == pl.col("x").min()
    if "first" in frame.columns:
        low &= pl.col("first")
    lost = low & (pl.int_range(pl.len()) % 4 == 0)
    return frame.with_columns(x=pl.when(~lost).then("x"))


ON_ESTIMATES: dict[str, Break] = {
    "intervals at 0.6 of their width": moved(lambda v, low, high: (v, v + 0.6 * (low - v), v + 0.6 * (high - v))),
    "upper bound lost": moved(lambda v, low, high: (v, low, v)),
    "value and bounds 0.08 too high": moved(lambda v, low, high: (v + 0.08, low + 0.08, high + 0.08)),
    "clusters taken for independent records": with_frame(
        lambda frame: frame.with_columns(cluster=pl.int_range(pl.len()).cast(pl.String))
    ),
    "some of the lowest values lost": with_frame(_without_some_lows),
}


def on_differences(change: Callable[[Difference], Difference]) -> Callable[[Any], Any]:
    def broken(make: Any) -> Any:
        def differences(*arguments: Any) -> Iterator[Any]:
            for key, one in make(*arguments):
                yield key, change(one)

        return differences

    return broken


def _interval(change: Callable[[float, float, float], tuple[float, float, float]]) -> Callable[[Any], Any]:
    def changed(one: Difference) -> Difference:
        value, low, high = one.interval.value, one.interval.low, one.interval.high
        if value is None or low is None or high is None:
            return one
        bounds = dict(zip(("value", "low", "high"), change(value, low, high), strict=True))
        return one._replace(interval=one.interval._replace(**bounds))

    return on_differences(changed)


def _test(change: Callable[[float], float]) -> Callable[[Any], Any]:
    return on_differences(
        lambda one: one if one.test.p is None else one._replace(test=one.test._replace(p=change(one.test.p)))
    )


ON_DIFFERENCES: dict[str, Callable[[Any], Any]] = {
    "intervals at 0.6 of their width": _interval(lambda v, low, high: (v, v + 0.6 * (low - v), v + 0.6 * (high - v))),
    "upper bound lost": _interval(lambda v, low, high: (v, low, v)),
    "sides swapped": _interval(lambda v, low, high: (-v, -high, -low)),
    "p-values of one side": _test(lambda p: p / 2),
    "p-values squared": _test(lambda p: p * p),
}

# A question is one item here, so there are no clusters to be forgotten.
ON_RATIOS = {name: way for name, way in ON_ESTIMATES.items() if "independent" not in name} | {
    "denominator without its zeros": with_frame(
        lambda frame: frame.with_columns(y=pl.when(pl.col("y") > 0).then("y")).filter(pl.col("y").is_not_null())
    )
}


def _tested(change: Callable[[float], float]) -> Callable[[Any], Any]:
    """A test of figures against 0 with other p-values."""

    def broken(make: Any) -> Any:
        def add(estimates: list[Estimate], *arguments: Any, **named: Any) -> None:
            make(estimates, *arguments, **named)
            for one in estimates:
                one.p = None if one.p is None else min(1.0, change(one.p))

        return add

    return broken


ON_EXCHANGES = {
    "p-values of one side": _tested(lambda p: p / 2),
    "p-values squared": _tested(lambda p: p * p),
    "p-values doubled": _tested(lambda p: 2 * p),
    "every p is 0.01": _tested(lambda _: 0.01),
    "no p below 0.5": _tested(lambda p: max(p, 0.5)),
}

ESTIMATORS = {
    "proportions": Broken("explain", EXPLAIN, summary, "proportions", ON_ESTIMATES),
    "differences": Broken("explain", EXPLAIN, summary, "differences", ON_ESTIMATES),
    "signed_means": Broken("bias", BIAS, summary, "signed_means", ON_ESTIMATES),
    "ratios": Broken("memorization", MEMORIZATION, summary, "ratios", ON_RATIOS),
    "exchanges": Broken("memorization", MEMORIZATION, summary, "add_exchanges", ON_EXCHANGES),
    "paired": Broken("explain", COMPARED, selftest, "_differences", ON_DIFFERENCES),
}


@contextmanager
def broken(estimator: Broken, way: str | None) -> Iterator[None]:
    """The estimator broken in this way, or as it is."""
    if way is None:
        yield
        return
    as_it_is = getattr(estimator.place, estimator.name)
    with patch.object(estimator.place, estimator.name, estimator.ways[way](as_it_is)):
        yield


def failures(estimator: Broken, way: str | None, *, trials: int = TRIALS) -> list[str]:
    """What the self-test finds."""
    planting = planting_of(load_suite(estimator.suite))
    with broken(estimator, way):
        return run_cells(estimator.suite, planting, [estimator.cell], trials=trials, seed=7).failures


def main(names: Sequence[str]) -> int:
    missed = 0
    for name in names or ESTIMATORS:
        estimator = ESTIMATORS[name]
        for way in (None, *estimator.ways):
            found = failures(estimator, way)
            is_right = bool(found) == (way is not None)
            missed += not is_right
            verdict = "as it must be" if is_right else "NOT AS IT MUST BE"
            first = f": {found[0]}" if found else ""
            print(f"{name}, {way or 'as it is'}: {len(found)} failures, {verdict}{first}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
