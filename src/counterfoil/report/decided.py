"""What a run with --until has decided, and what that saved, in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from counterfoil.running.folder import Run

# Where looks spend no error, intervals are the usual ones.
USUAL = 0.95


def decided_sentences(run: Run) -> list[str]:
    """A sentence for each decision, what was not asked, and what the intervals stand for; none of other runs."""
    until = run.manifest.get("until")
    if until is None:
        return []
    decisions = [decision for taken in until["taken"] for decision in taken["decisions"] or ()]
    sentences = [f"{decision['sentence']}." for decision in decisions]
    open_ = "" if decisions else f"Nothing of {', '.join(until['conditions'])} was decided yet. "
    return [*sentences, open_ + _saved(until), *_intervals(until)]


def _saved(until: Mapping[str, Any]) -> str:
    saved = until["saved"]
    every = sum(model["of"] for model in saved["models"])
    looks = f"after {len(until['taken'])} of {len(until['looks'])} looks"
    if not saved["asks"]:
        return f"Saved by --until: nothing, {looks}."
    dollars = f" and about ${saved['cost']:,.2f}" if saved["cost"] else ""
    return f"Saved by --until: {saved['asks']:,} of {every:,} asks{dollars}, {looks}."


def _intervals(until: Mapping[str, Any]) -> list[str]:
    if until["confidence"] <= USUAL:
        return []
    return [
        f"Intervals are at {until['confidence']:.1%}, and p is larger accordingly: with {len(until['looks'])} looks, "
        "95 % of such intervals hold the truth."
    ]
