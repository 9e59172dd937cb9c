"""How every number was computed: the metric's formula, the interval's, and over how many records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterfoil.report.html import Html, facts, joined, table, tag
from counterfoil.stats.estimate import Estimate
from counterfoil.stats.metric import Metric

# By how a method's name begins.
METHODS = {
    "Wilson": "Wilson's score interval for values from 0 to 1, with n_eff = m(1 − m) ÷ V in place of n and Student's t "
    "in place of the normal quantile; m is the mean, V its variance over clusters (the larger of the cluster-robust "
    "one and the one from the correlation within clusters).",
    "Bonett–Price": "Bonett and Price's interval for values from −1 to 1: one +1 and one −1 are added to "
    "n_eff = σ² ÷ V records, then mean ± t · √(variance ÷ n).",
    "Agresti–Caffo": "Agresti and Caffo's interval for the difference of two shares: a success and a failure are added "
    "to either side, with n_eff = n ÷ design effect from the joint influence of both sides within clusters.",
    "Fieller": "Fieller's interval for a ratio of two sums, with the pseudo-pairs (1, 0) and (0, 1).",
    "Cohen's kappa": "Kappa with a quarter added to each cell, delta method on the scale of atanh, clustered.",
    "Spearman": "Rank correlation; jackknife over clusters on the scale of atanh, with t on clusters − 1.",
    "Pearson": "Pearson's correlation over replies, as the source has it; labels belong to questions, so no interval.",
}
CLUSTERS = (
    "n is the number of records that count, clusters the number of questions or templates that they come from: records "
    "of one cluster are not independent, and the intervals take that into account. Under 5 clusters there is no "
    "interval, under 15 it is rough. Each interval is at its own confidence, not at one for all of them together."
)


def methods_part(estimates: Sequence[Estimate], metrics: Mapping[str, Metric]) -> Html:
    """A row for each metric; below, what the names of the methods mean."""
    by_metric: dict[str, list[Estimate]] = {}
    for it in estimates:
        by_metric.setdefault(it.metric, []).append(it)
    rows = [
        [
            tag("code", metric),
            metrics[metric].formula if metric in metrics else "",
            "; ".join(dict.fromkeys(it.method for it in some)),
            _range([it.n for it in _overall(some)]),
            _range([it.clusters for it in _overall(some)]),
        ]
        for metric, some in by_metric.items()
    ]
    used = {it.method for it in estimates}
    known = [(name, text) for name, text in METHODS.items() if any(method.startswith(name) for method in used)]
    levels = ", ".join(f"{level:.0%}" for level in sorted({it.confidence for it in estimates}))
    return joined(
        [
            table("Metrics", ["metric", "formula", "interval", "n, overall", "clusters"], rows),
            tag("p", f"Intervals are at {levels} confidence. {CLUSTERS}") if levels else None,
            facts(known) if known else None,
        ]
    )


def _overall(estimates: Sequence[Estimate]) -> Sequence[Estimate]:
    """Those of all groups, where there are any."""
    return [it for it in estimates if not it.group] or estimates


def _range(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
