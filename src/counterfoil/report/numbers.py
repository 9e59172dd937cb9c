"""Numbers in sentences and tables: an estimate never without its interval."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from counterfoil.report.plots_table import between, cell
from counterfoil.stats.estimate import Estimate


def with_interval(estimate: Estimate) -> str:
    """0.170 [0.147, 0.194]; why there is no value, or no interval, where that is so."""
    if estimate.value is None:
        return f"not defined ({estimate.note})" if estimate.note else "not defined"
    return f"{cell(estimate.value)}{between(estimate.low, estimate.high) or ' (no interval)'}"


def side_of(estimate: Estimate, border: float = 0.0) -> int | None:
    """1 or -1 where the whole interval lies above or below the border, 0 where it holds it, None without interval."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    return 1 if estimate.low > border else -1 if estimate.high < border else 0


def overall(estimates: Iterable[Estimate], metric: str) -> list[Estimate]:
    """The metric's estimates over all groups, one for each model and variant."""
    return [it for it in estimates if it.metric == metric and not it.group]


def naming(estimates: Sequence[Estimate]) -> dict[tuple[str, str], str]:
    """A name for each model and variant, without what is the same for all of them."""
    pairs = list(dict.fromkeys((it.model, it.variant) for it in estimates))
    if len({variant for _, variant in pairs}) < 2:
        return {pair: pair[0] for pair in pairs}
    if len({model for model, _ in pairs}) < 2:
        return {pair: f"prompt {pair[1]}" for pair in pairs}
    return {(model, variant): f"{model} (prompt {variant})" for model, variant in pairs}


def money(amount: float | None) -> str:
    """US dollars, with more digits where they are few."""
    if amount is None:
        return "not known"
    return f"${amount:,.2f}" if amount >= 1 or amount == 0 else f"${amount:.4f}"


def listed(names: Iterable[str]) -> str:
    """a, b and c"""
    *most, last = list(names) or [""]
    return f"{', '.join(most)} and {last}" if most else last


def plural(count: int, one: str, many: str = "") -> str:
    """1 record, 2,000 records."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
