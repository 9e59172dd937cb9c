"""The end of a run that stops early: intervals of the stopped design, what was decided, and what that saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from counterfoil.files import explained
from counterfoil.running.folder import LOOKS
from counterfoil.running.looks.design import at
from counterfoil.running.looks.log import Logged
from counterfoil.running.plan import Plan
from counterfoil.suite.outcome import LEFT_OUT

if TYPE_CHECKING:
    from counterfoil.running.askers import Askers, RunAsker
    from counterfoil.running.rows import Counts
    from counterfoil.stats.estimate import Estimate


class Saved(msgspec.Struct, kw_only=True):
    """What was not asked of a model, since all was decided: asks, and dollars by what its asks have cost so far; None
    where its price is not known.
    """

    model: str
    asks: int
    of: int
    cost: float | None


@contextmanager
def in_force(plan: Plan) -> Iterator[None]:
    """Within it, intervals are those of a run that stops early. Where looks spend error, they are wider."""
    from counterfoil.stats.spread import CONFIDENCE, at_confidence

    with at_confidence(CONFIDENCE if plan.until is None else plan.until.confidence):
        yield


def estimates_of(plan: Plan, make: Callable[[], list[Estimate]]) -> list[Estimate]:
    """The estimates of a run. Where looks spend error, p is larger as well, and the method says for which looks."""
    with in_force(plan):
        estimates = make()
    design = plan.until
    if design is None or not design.spends:
        return estimates
    from counterfoil.stats.power import LEVEL

    level = 1 - design.confidence
    for estimate in estimates:
        estimate.method = f"{estimate.method}; for {len(design.fractions)} looks, at {design.confidence:.1%}"
        if estimate.p is not None:
            estimate.p = min(1.0, estimate.p * LEVEL / level)
    return estimates


def until_of(plan: Plan, counts: Sequence[Counts], askers: Askers[Any]) -> dict[str, Any]:
    """For the manifest: what was declared, which looks were taken with what decisions, and what that saved."""
    design, request = plan.until, plan.request
    if design is None:
        return {}
    clusters = [at(fraction, plan.order.clusters) for fraction in design.fractions]
    logged = Logged(request.out, request.letters, design, clusters)
    saved = [_saved(*pair) for pair in zip(counts, askers.models, strict=True)]
    costs = [one.cost for one in saved]
    return {
        "until": {
            **msgspec.to_builtins(logged.log),
            "conditions": [condition.text for condition in design.conditions],
            "looks": list(design.fractions),
            "margin": design.margin,
            "futility": design.futility,
            "confidence": design.confidence,
            "saved": {
                "asks": sum(one.asks for one in saved),
                "cost": None if None in costs else sum(filter(None, costs)),
                "models": msgspec.to_builtins(saved),
            },
        }
    }


def _saved(counts: Counts, asker: RunAsker) -> Saved:
    asks, cost = counts.decided.total(), asker.account.tally.cost
    answered = sum(number for (*_, outcome), number in counts.outcomes.items() if outcome not in LEFT_OUT)
    each = None if cost is None or not answered else cost / answered
    return Saved(model=asker.model.name, asks=asks, of=counts.done, cost=each and each * asks)


def forget_looks(folder: Path) -> None:
    """The manifest has them now."""
    with explained(folder):
        (folder / LOOKS).unlink(missing_ok=True)
