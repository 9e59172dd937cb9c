"""The manifest: what was asked of whom, in which words, with which versions, at what cost."""

from __future__ import annotations

import platform
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from counterfoil import __version__
from counterfoil.asking.models.base import ModelSpec
from counterfoil.runs.askers import Askers, RunAsker
from counterfoil.runs.outcome import OUTCOMES, Outcome
from counterfoil.runs.plan import Plan
from counterfoil.runs.request import RunRequest

PACKAGES = ("aiohttp", "inspect_ai", "msgspec", "numpy", "polars", "ray", "torch", "transformers", "xllamacpp")


def manifest(
    plan: Plan, askers: Askers, outcomes: Mapping[tuple[str, str, Outcome], int], started_at: datetime
) -> dict[str, Any]:
    """The content of manifest.json. Keys and where the ledger lies are no part of it."""
    request = plan.request
    totals: Counter[Outcome] = Counter()
    for (*_, outcome), number in outcomes.items():
        totals[outcome] += number
    return {
        "suite": plan.suite.name,
        "options": {
            "limit": request.limit,
            "repeats": request.repeats,
            "max_cost": request.max_cost,
            "max_tokens_total": request.max_tokens_total,
            **request.settings,
        },
        "seed": request.seed,
        "data": {
            "name": plan.dataset.name,
            "given": request.data,
            "sha256": plan.dataset.sha256,
            "questions": plan.dataset_size,
            "asked": plan.question_count,
        },
        "variants": [{"name": variant.name, "sha256": variant.sha256} for variant in plan.variants],
        "models": [_about(*pair) for pair in zip(request.models, askers.models, strict=True)],
        "judges": [_about(*pair) for pair in zip(request.judges, askers.judges, strict=True)],
        "cost": {"models": _total_cost(askers.models), "judges": _total_cost(askers.judges)},
        "outcomes": {outcome: totals[outcome] for outcome in OUTCOMES},
        "asked_by": _asked_by(request),
        "stopped": askers.halt.reason,
        "started_at": started_at.isoformat(timespec="seconds"),
        "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": _versions(),
    }


def _asked_by(request: RunRequest) -> dict[str, Any]:
    """How asks went to the models: one by one, in batches at half the price, or by a cluster."""
    if request.batch:
        return {"way": "batch"}
    if request.cluster is not None:
        return {"way": "ray", "workers": request.cluster.workers, "worker_cores": request.cluster.worker_cores}
    return {"way": "local"}


def _about(spec: ModelSpec, sender: RunAsker) -> dict[str, Any]:
    return {
        "name": spec.name,
        "base_url": spec.base_url,
        "params": spec.params,
        "concurrency": spec.concurrency,
        "timeout": spec.timeout,
        "adjustments": sender.adjustments,
        "stopped": sender.stopped,
        **msgspec.to_builtins(sender.account.tally),
    }


def _total_cost(senders: Sequence[RunAsker]) -> float | None:
    """None where one of the prices is not known."""
    costs = [sender.account.tally.cost for sender in senders]
    return None if None in costs else sum(cost for cost in costs if cost is not None)


def _versions() -> dict[str, str]:
    loaded = {name: sys.modules[name] for name in PACKAGES if name in sys.modules}
    return {
        "counterfoil": __version__,
        "python": platform.python_version(),
        **{name: str(getattr(module, "__version__", "")) for name, module in loaded.items()},
    }
