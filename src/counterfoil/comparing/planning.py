"""Planning: how many questions and repeats a difference takes, by an earlier run or by assumptions, and the cost."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np
import polars as pl

from counterfoil.asking.budget import estimate_tokens
from counterfoil.asking.models.thinking import limit_of
from counterfoil.asking.prices import Price
from counterfoil.comparing.compare import align
from counterfoil.comparing.items import items_of
from counterfoil.comparing.pilot import simulated_pilot
from counterfoil.comparing.sides import contrasts, only_side
from counterfoil.comparing.sooner import UntilDecided, pace_of, until_decided
from counterfoil.errors import UserError
from counterfoil.running.folder import Run
from counterfoil.running.plan import Plan, make_plan
from counterfoil.running.request import RunRequest
from counterfoil.stats.metric import Metric
from counterfoil.stats.power import (
    LEVEL,
    Components,
    clusters_needed,
    planned_error,
    smallest_difference,
    variance_components,
)
from counterfoil.stats.variance.explained import sentence
from counterfoil.stats.variance.parts import question_of
from counterfoil.suite.options import nearest
from counterfoil.suite.suite import AnySuite

if TYPE_CHECKING:
    from numpy.typing import NDArray


CORRELATION = 0.5
REPEATS = (1, 3, 5)
# What a metric's variance is where nothing is known: that of a share of one half, the largest there is.
LARGEST_VARIANCE = 0.25
ASKED_AGAIN = 0.8
WITHIN_CLUSTERS = 0.1
OVER_VARIANTS = (
    "With several variants it is the mean over these that differs, and an answer in another wording is taken to be "
    "worth what a repeat is."
)


class Tokens(NamedTuple):
    """Tokens of an ask; for each model those of a reply, and the price. `words` say where they come from."""

    input: float
    replies: list[tuple[float | None, Price | None]]
    words: list[str]

    def of(self, asks: int) -> dict[str, Any]:
        """For so many asks of each model; None where it is not known."""
        outputs = [None if each is None else each * asks for each, _ in self.replies]
        costs = [
            None if output is None or price is None else price.of_tokens(self.input * asks, output)
            for output, (_, price) in zip(outputs, self.replies, strict=True)
        ]
        return {
            "input_tokens": round(self.input * asks * len(self.replies)),
            "output_tokens": None if None in outputs else round(sum(filter(None, outputs))),
            "cost": None if None in costs else sum(filter(None, costs)),
        }


def tokens_of(plan: Plan, request: RunRequest, run: Run | None) -> Tokens:
    """Prompts by their length; replies as long as in the earlier run, where it has this model, or at their limit."""
    lengths = [
        estimate_tokens("\n".join(message.content for message in plan.suite.messages(question, variant)))
        for question in plan.dataset
        for variant in plan.variants
    ]
    earlier = {about["name"]: about for about in run.manifest["models"]} if run is not None else {}
    replies: list[tuple[float | None, Price | None]] = []
    at_limit, without_price = [], []
    for spec in request.models:
        about, price = earlier.get(spec.name, {}), plan.prices.of(spec)
        number = about.get("asked", 0) + about.get("in_ledger", 0)
        replies.append((about["output_tokens"] / number if number else limit_of(spec), price))
        if not number:
            at_limit.append(f"Replies of {spec.name} are counted at their limit.")
        if price is None:
            without_price.append(f"The price of {spec.name} is not known: give it with --prices.")
    return Tokens(sum(lengths) / len(lengths), replies, [*at_limit, *without_price])


class Spreads(NamedTuple):
    """Variances of one item's paired difference: between clusters, the questions of a cluster, repeats of a question.

    `share` of all items count in the metric, and an item takes so many `asks` each time. The comparison tests so many
    figures in one family. `words` say where this comes from.
    """

    clusters: float
    questions: float
    repeats: float
    share: float
    asks: float
    metric: str
    tests: int
    words: list[str]


class Design(msgspec.Struct, kw_only=True):
    """So many questions, each asked so often in each of so many variants, find the difference in 80 % of comparisons:
    of the mean over the variants, where there are several.

    `in_dataset`: the dataset has as many. `with_all`: the smallest difference that all of its questions could show.
    Tokens and cost are estimates for all models that were named, in dollars; None where they are not known.
    """

    repeats: int
    variants: int
    clusters: int
    questions: int
    in_dataset: bool
    with_all: float | None
    asks_per_model: int
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    # By the pace of earlier replies in the ledger; None where it holds none of a model.
    hours: float | None = None
    until: UntilDecided | None = None


class StudyPlan(msgspec.Struct, kw_only=True):
    """Designs of a comparison that finds the difference, and what they rest on, in sentences."""

    suite: str
    metric: str
    detect: float
    dataset: str
    dataset_questions: int
    variants: list[str]
    models: list[str]
    designs: list[Design]
    assumptions: list[str]


def plan_suite(
    suite: AnySuite,
    request: RunRequest,
    detect: float,
    *,
    run: Run | None = None,
    metric: str | None = None,
    correlation: float = CORRELATION,
    repeats: Sequence[int] = REPEATS,
) -> StudyPlan:
    """The designs with which a paired difference of `detect` is found at 80 % power; nothing is asked or opened."""
    if not 0 <= correlation < 1:
        raise UserError(f"--correlation must be at least 0 and below 1, and is {correlation:g}.")
    if metric is not None and run is None:
        _check(metric, [declared.name for declared in suite.metrics if declared.is_overall])
    # The models' names say what they cost; they are not reached for.
    plan = make_plan(suite, msgspec.structs.replace(request, models=[], judges=[], second_reader=[]))
    spreads = assumed(suite, plan, metric, correlation) if run is None else spreads_of(suite, run, metric, correlation)
    level = LEVEL / spreads.tests
    sizes = Counter(question.cluster for question in plan.dataset)
    units = len({question.unit for question in plan.dataset})
    members = max(1, round(plan.dataset_size / len(sizes) / spreads.asks * spreads.share))
    named = [] if request.model_is_default else [spec.name for spec in request.models]
    tokens = tokens_of(plan, request, run) if named else None
    pace = pace_of(request.ledger, named)
    designs = []
    components = Components(spreads.clusters + spreads.questions / members, spreads.repeats)
    in_variants = sorted({1, len(plan.variants)})
    for variants, times in product(in_variants, repeats):
        each = variants * times
        clusters = clusters_needed(detect, components, members=members, repeats=each, level=level)
        asks = math.ceil(clusters * plan.dataset_size / len(sizes)) * each
        error = planned_error(components, len(sizes), members=members, repeats=each)
        designs.append(
            Design(
                repeats=times,
                variants=variants,
                clusters=clusters,
                questions=math.ceil(clusters * units / len(sizes)),
                in_dataset=clusters <= len(sizes),
                with_all=float(smallest_difference(error, len(sizes) - 1, level=level)) if len(sizes) > 1 else None,
                asks_per_model=asks,
                **(tokens.of(asks) if tokens else {}),
                hours=pace.hours(asks),
                until=until_decided(
                    clusters_needed(detect, components, members=members, repeats=each), units, sizes, each, tokens, pace
                ),
            )
        )
    over_variants = [OVER_VARIANTS] if len(in_variants) > 1 else []
    return StudyPlan(
        suite=suite.name,
        metric=spreads.metric,
        detect=detect,
        dataset=plan.dataset.name,
        dataset_questions=units,
        variants=[variant.name for variant in plan.variants],
        models=named,
        designs=designs,
        assumptions=[
            *spreads.words,
            *_known_of(run, spreads.metric),
            _family(spreads.tests),
            *over_variants,
            *(tokens.words if tokens else []),
        ],
    )


def assumed(suite: AnySuite, plan: Plan, metric: str | None, correlation: float) -> Spreads:
    """Without a run: the metric's own structure, told by a simulated pilot, and correlations that are stated.

    With the variance v of an item's value, the correlation ρ between the two sides and ρ' ≥ ρ between repeats of one
    side, a paired difference has the variance 2v(ρ' − ρ) between items and 2v(1 − ρ') between repeats.
    """
    pilot = simulated_pilot(suite, plan)
    variance, share, asks, name = LARGEST_VARIANCE, 1.0, 1.0, metric or "a share"
    of = "a share near 0.5 of all questions, as with accuracy"
    if pilot is not None and (metric is None or any(one.name == metric for one in pilot.metrics if one.is_overall)):
        chosen = _chosen(pilot.metrics, metric)
        items = pilot.frames[chosen.of]
        *parts, share = _spreads(items.filter(~items["left_out"]), chosen, ((1.0, ""),))
        variance, asks, name = sum(parts), pilot.records / items.height, chosen.name
        of = f"values of {name} that spread as those of a middling planted/{suite.name} do"
    again = max(ASKED_AGAIN, correlation)
    between = 2 * variance * (again - correlation)
    return Spreads(
        clusters=WITHIN_CLUSTERS * between,
        questions=(1 - WITHIN_CLUSTERS) * between,
        repeats=2 * variance * (1 - again),
        share=share,
        asks=asks,
        metric=name,
        tests=_overall_figures(metric for metric in suite.metrics if metric.each is None),
        words=[
            f"Assumed: {of}; correlation of the two sides on the same question {correlation:g}, of one side asked "
            f"again {again:g}, of differences within a cluster {WITHIN_CLUSTERS:g}. An earlier run (--run) knows "
            "better."
        ],
    )


def spreads_of(suite: AnySuite, run: Run, metric: str | None, correlation: float) -> Spreads:
    """From an earlier run: of the differences between its models or variants, a mean over all pairs. If it has only
    one, its own values stand for both sides, with this correlation between the two.
    """
    if run.whole_summary.suite != suite.name:
        raise UserError(f"{run.folder} is a run of {run.whole_summary.suite}, not of {suite.name}: name another.")
    if len(run.outcomes) > 1:
        pairs = contrasts([run], (), (), over_variants=False)
        of = {label: items_of(side) for label, side in {side.label: side for pair in pairs for side in pair}.items()}
        of_one = next(iter(of.values()))
        chosen = _chosen(of_one.metrics, metric)
        found = []
        for a, b in ((of[one.label], of[other.label]) for one, other in pairs):
            if chosen not in a.metrics or chosen not in b.metrics:
                raise _no_values(chosen)
            joined, _ = align(suite, a, b)
            found.append(_spreads(joined[chosen.of], chosen, ((-1.0, ""), (1.0, " b"))))
        who = " and ".join(of) if len(of) == 2 else f"the {len(of)} models and variants"
        words = [f"From the paired differences between {who} in {run.folder}."]
        scale = np.ones(4)
    else:
        of_one = items_of(only_side(run))
        chosen = _chosen(of_one.metrics, metric)
        mine = of_one.frames[chosen.of]
        found = [_spreads(mine.filter(~mine["left_out"]), chosen, ((1.0, ""),))]
        words = [
            f"From the values of {of_one.side.label} in {run.folder}, and an assumed correlation of "
            f"{correlation:g} with the other side on the same question."
        ]
        scale = np.array([2 * (1 - correlation)] * 2 + [2.0, 1.0])
    between, questions, repeats, share = (np.mean(found, axis=0) * scale).tolist()
    if not repeats:
        words.append("Nothing in it says what asking again would change: repeats are taken to add nothing.")
    items = of_one.frames[chosen.of]
    asks = of_one.records / items.height
    if not _has_repeats(items):
        asks /= run.manifest["options"].get("repeats") or 1
    tests = _overall_figures(of_one.metrics)
    return Spreads(between, questions, repeats, share, asks, chosen.name, tests, words)


def _overall_figures(metrics: Iterable[Metric]) -> int:
    """How many overall figures a comparison tests together; two names of one figure are one."""
    return len({(metric.of, metric.columns) for metric in metrics if metric.is_overall})


def _known_of(run: Run | None, metric: str) -> list[str]:
    """What twice as much of each source would bring, where the earlier run tells it."""
    found = [] if run is None else [one for one in run.whole_summary.variance if one.metric == metric]
    return [f"{sentence(one)}." for one in found]


def _family(tests: int) -> str:
    return (
        f"A comparison tests its {tests} overall figures together (Holm): the difference is to be found at the level "
        f"{LEVEL:g} ÷ {tests}."
    )


def _chosen(metrics: Sequence[Metric], metric: str | None) -> Metric:
    """The metric of this name; else the suite's headline."""
    known = {one.name: one for one in metrics if one.is_overall}
    if metric is None:
        return next((one for one in known.values() if one.headline), metrics[0])
    _check(metric, known)
    return known[metric]


def _check(metric: str, known: Collection[str]) -> None:
    if metric not in known:
        raise UserError(f"There is no metric {metric}{nearest(metric, known)}: there are {', '.join(sorted(known))}.")


def _no_values(metric: Metric) -> UserError:
    return UserError(f"The run has no values of {metric.name} to plan from: name another --metric.")


def _has_repeats(items: pl.DataFrame) -> bool:
    return "repeat" in items.columns and not items["repeat"].null_count()


def _spreads(items: pl.DataFrame, metric: Metric, sides: Sequence[tuple[float, str]]) -> tuple[float, ...]:
    """Variances between clusters, questions and repeats, and the share of items that count.

    Of each item's influence on the difference: its value minus the mean, times its coefficient, and N items for each
    that counts in that mean. Of a ratio Σy/Σx = R, the value minus the mean is (y − R·x)/x̄.
    """
    influence = np.zeros(items.height)
    counts = np.zeros(items.height, dtype=bool)

    def numbers(name: str) -> NDArray[np.float64]:
        return items[name].cast(pl.Float64).fill_null(np.nan).to_numpy()

    columns = [(sign * c, end, numbers(f"{name}{end}")) for sign, end in sides for c, name in metric.terms]
    for _, _, values in columns:
        counts |= ~np.isnan(values)
    for c, end, values in columns:
        there = ~np.isnan(values)
        below = None if metric.over is None else numbers(f"{metric.over}{end}")[there]
        if not there.any() or (below is not None and not below.any()):
            raise _no_values(metric)
        influence[there] += c * _deviations(values[there], below) * counts.sum() / there.sum()
    kept = items.filter(pl.Series(counts))
    codes = _codes(kept["cluster"]), _codes(question_of(kept))
    return (*_three_levels(influence[counts], *codes), float(counts.mean()))


def _deviations(values: NDArray[np.float64], below: NDArray[np.float64] | None) -> NDArray[np.float64]:
    if below is None:
        return values - float(values.mean())
    return (values - float(values.sum() / below.sum()) * below) / float(below.mean())


def _three_levels(
    values: NDArray[np.float64], clusters: NDArray[np.int64], questions: NDArray[np.int64]
) -> tuple[float, float, float]:
    """Repeats within questions within clusters: the variance that each adds."""
    n = np.bincount(questions).astype(np.float64)
    means = np.bincount(questions, weights=values) / n
    free = len(values) - len(n)
    noise = float(((values - means[questions]) ** 2).sum()) / free if free else 0.0
    cluster = np.zeros(len(n), dtype=np.int64)
    cluster[questions] = clusters
    members = np.bincount(cluster).astype(np.float64)
    sums, squares = (np.bincount(cluster, weights=part).astype(np.float64) for part in (means, means**2))
    between, within = variance_components(members, sums, squares)
    # The means of questions still hold what is left of the noise after so many repeats.
    rest = noise * float(np.mean(1 / n))
    if members.max() > 1:
        return between, max(0.0, within - rest), noise
    return max(0.0, between - rest), 0.0, noise


def _codes(column: pl.Series) -> NDArray[np.int64]:
    return np.unique(column.to_numpy(), return_inverse=True)[1].astype(np.int64)
