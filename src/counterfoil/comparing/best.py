"""Which of a run's models and prompts is best in a figure, and which can't be told from it.

The one with the best value is compared with each of the others by the paired test. Of k, a test is held against
5 % ÷ (k − 1), after Bonferroni. So in at least 95 of 100 such columns the one that is truly best is called best, or not
told from the best: multiple comparisons with the best, after Hsu (1984).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from counterfoil.comparing.compared import without_0
from counterfoil.comparing.items import Frames, differences_between, joined_items, records_of, told_by, with_partners
from counterfoil.comparing.standing import Figure, Pair, Standing
from counterfoil.comparing.stopped import level_of
from counterfoil.errors import UserError
from counterfoil.running.asked import suite_of
from counterfoil.running.folder import RECORDS, readable
from counterfoil.running.records import read_scores
from counterfoil.stats.pairing import interval_at

if TYPE_CHECKING:
    from counterfoil.running.folder import Run
    from counterfoil.stats.metric import Metric


# Of more records than these, those of one model and prompt are read after those of another.
AT_ONCE = 300_000


def standings(run: Run, figures: Sequence[Figure], declared: Sequence[Metric]) -> list[dict[Pair, Standing]]:
    """For each figure where every model and prompt with a value stands; empty where fewer than two have one, or where
    no value is better than another. `declared` are the suite's metrics.
    """
    metrics = [[metric for metric in declared if metric.name == figure.metric and metric.better] for figure in figures]
    values = [
        {(one.model, one.variant): one.value for one in run.estimates if figure.is_of(one) and one.value is not None}
        for figure in figures
    ]
    ranked = [of if len(of) > 1 and of_name else {} for of_name, of in zip(metrics, values, strict=True)]
    if not any(ranked):
        return [{} for _ in figures]
    # Records of older runs may lack columns.
    with readable(run.folder / RECORDS):
        items = _items(run, {pair for of in ranked for pair in of}, {figure.metric for figure in figures})
        return [
            _standings(figure, of_name, of, items, level_of([run])) if of else {}
            for figure, of_name, of in zip(figures, metrics, ranked, strict=True)
        ]


def told_apart(run: Run, figure: Figure, pairs: Sequence[tuple[Pair, Pair]]) -> list[bool | None]:
    """Of each two models and prompts whether the paired test tells their values apart, after Bonferroni over these;
    None where there is no test.
    """
    if not pairs:
        return []
    level = level_of([run]) / len(pairs)
    try:
        with readable(run.folder / RECORDS):
            items = _items(run, {one for pair in pairs for one in pair}, {figure.metric})
            named = [metric for metric in suite_of(run).metrics if metric.name == figure.metric]
            return [
                _is_apart(figure, named, items.get(a, {}), items.get(b, {}), level, is_mirrored=False) for a, b in pairs
            ]
    except UserError:  # the records are gone, or older
        return [None for _ in pairs]


def _standings(
    figure: Figure,
    metrics: Sequence[Metric],
    values: Mapping[Pair, float],
    items: Mapping[Pair, Frames],
    whole: float,
) -> dict[Pair, Standing]:
    metric = metrics[0]
    best = min(values, key=lambda pair: _distance(metric, values[pair]))
    level = whole / (len(values) - 1)
    found: dict[Pair, Standing] = {}
    for pair, value in values.items():
        if _distance(metric, value) == _distance(metric, values[best]):
            found[pair] = "best"
            continue
        is_mirrored = metric.better == "zero" and value * values[best] < 0
        apart = _is_apart(figure, metrics, items.get(best, {}), items.get(pair, {}), level, is_mirrored=is_mirrored)
        found[pair] = "untested" if apart is None else "behind" if apart else "not told"
    return found


def _distance(metric: Metric, value: float) -> float:
    """The smaller, the better."""
    return {"higher": -value, "lower": value, "zero": abs(value)}[metric.better or "zero"]


def _is_apart(
    figure: Figure, metrics: Sequence[Metric], a: Frames, b: Frames, level: float, *, is_mirrored: bool
) -> bool | None:
    """Whether test and interval tell both apart at this level; None where there is no test.

    Mirrored, one side has the opposite sign: then the test is on whose value is farther from 0.
    """
    found = [one for one in told_by(a, metrics) if dict(one.label) == dict(figure.group)]
    if not found or not set(a) <= set(b):
        return None
    metric = found[0].changed(groups=((),))
    joined = joined_items(a, b, [metric])
    answered = {kind: frame.filter(~(frame["left_out"] | frame["left_out b"])) for kind, frame in joined.items()}
    if is_mirrored:
        answered[metric.of] = _mirrored(answered[metric.of], metric)
    [one] = differences_between(answered, [metric], "a", "b")
    test = one.difference.test
    if test.p is None:
        return None
    return test.p <= level and without_0(interval_at(one.case, 1 - level))


def _mirrored(frame: pl.DataFrame, metric: Metric) -> pl.DataFrame:
    """The items with the first side's value turned to its opposite."""
    if metric.minus is None:
        return frame.with_columns(-pl.col(str(metric.mean)).cast(pl.Float64))
    return frame.rename({str(metric.mean): metric.minus, metric.minus: str(metric.mean)})


def _items(run: Run, pairs: set[Pair], names: Collection[str]) -> dict[Pair, Frames]:
    """The items of each model and prompt, with what the metrics of these names are made of."""
    suite = suite_of(run)
    metrics = [metric for metric in suite.metrics if metric.name in names]
    of_limits = [metric.limit.metric for metric in metrics if metric.limit is not None]
    values = {column for metric in (*metrics, *of_limits) for column in metric.columns}
    kept = {
        "item",
        "cluster",
        "left_out",
        *values,
        *(metric.each for metric in metrics),
        *(m.given_with for m in metrics),
    }
    found: dict[Pair, Frames] = {}
    for pair, part in _parts(run, pairs):
        frames = with_partners(suite.items(part), metrics)
        found[pair] = {
            kind: frame.select(name for name in frame.columns if name in kept) for kind, frame in frames.items()
        }
    return found


def _parts(run: Run, pairs: set[Pair]) -> Iterator[tuple[Pair, pl.DataFrame]]:
    """The records of each model and prompt: read once where there are few, else one after the other."""
    path = run.folder / RECORDS
    if pl.scan_parquet(path).select(pl.len()).collect().item() > AT_ONCE:
        for model, variant in sorted(pairs):
            yield (model, variant), read_scores(path, only=(pl.col("model") == model) & (pl.col("variant") == variant))
        return
    for (model, variant), part in records_of(run).partition_by("model", "variant", as_dict=True).items():
        if (str(model), str(variant)) in pairs:
            yield (str(model), str(variant)), part
