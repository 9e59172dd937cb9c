"""Runs that stopped as soon as something was decided: what is tested on them is tested at a lower level."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from counterfoil.stats.power import LEVEL

if TYPE_CHECKING:
    from counterfoil.running.folder import Run


def level_of(runs: Iterable[Run]) -> float:
    """The level at which tests on these runs err in 5 % of cases. A run that stops when a difference looks large has
    seen a little too much of it: its figures have a higher confidence, and its tests the level that goes with that.
    """
    confidences = [run.manifest["until"]["confidence"] for run in runs if run.manifest.get("until")]
    return min([LEVEL, *(1 - float(confidence) for confidence in confidences)])


def stopped_caveat(runs: Iterable[Run]) -> list[str]:
    """Why intervals are wider, where a run looked before all was asked."""
    level = level_of(runs)
    if level >= LEVEL:
        return []
    return [
        f"A run stopped as soon as it was decided (--until): differences are tested at {level:.1%}, which with its "
        "looks errs in 5 %. What it has decided itself is in its manifest."
    ]
