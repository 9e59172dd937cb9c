"""The request of `counterfoil data perturb`, and its report, which is written beside the set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from counterfoil.asking.asker import NotAsked
from counterfoil.datasets.judged import JudgeSettings
from counterfoil.perturbing.making.asking import FAILED, Unfit
from counterfoil.perturbing.making.difficulty import Shift
from counterfoil.perturbing.questions import Question


class PerturbRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What to perturb, and how. `source`: the bank, cfa-easy, or a file; `direct`: the model writes the questions."""

    source: str
    out: Path
    levels: tuple[int, ...] = (1,)
    controls: bool = False
    lure: bool = False
    draws: int = 5
    seed: int = 0
    limit: int | None = None
    data: Path | None = None
    direct: bool = False
    proposer: JudgeSettings | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """As the report has them."""
        spec = self.proposer.spec if self.proposer is not None else None
        return {
            "levels": list(self.levels),
            **{name: getattr(self, name) for name in ("controls", "lure", "draws", "seed", "limit")},
            "generator": "direct" if self.direct else "template",
            "proposer": spec and spec.name,
        }


class Refusal(msgspec.Struct, frozen=True):
    """An arm of a template that could not be drawn, or a recipe that does not hold for its question."""

    template: str
    arm: str
    reason: str


class Tally(msgspec.Struct, kw_only=True):
    """What came of asking the model: how often, what was used, and why the rest was not."""

    asked: int = 0
    accepted: int = 0
    rejected: dict[str, int] = {}
    failed: int = 0
    not_asked: int = 0
    # The id, and the reason in full, of each that was not accepted.
    details: list[tuple[str, str]] = []


class Report(msgspec.Struct, kw_only=True):
    """What was made, and of what. There is no `sha256` where no set was written: some asks are still open."""

    set: str
    sha256: str | None = None
    source: str
    source_sha256: str | None = None
    settings: dict[str, Any]
    questions: int = 0
    counts: dict[str, int] = {}
    statuses: dict[str, int] = {}
    # How many templates can't have a level or a control, since they have no slot, text or name for it.
    without: dict[str, int] = {}
    existing: int | None = None
    perturbable: int | None = None
    set_aside: dict[str, int] = {}
    # Questions that a recipe covers; recipes whose question is not there.
    covered: int | None = None
    unused_recipes: list[str] = []
    refused: list[Refusal] = []
    proposals: Tally | None = None
    rewritten: Tally | None = None
    model: dict[str, Any] | None = None
    shifts: list[Shift] = []

    @property
    def tallies(self) -> list[Tally]:
        return [tally for tally in (self.proposals, self.rewritten) if tally is not None]

    @property
    def left_open(self) -> Counter[str]:
        """Asks that failed, and those that were not made."""
        return Counter(
            failed=sum(tally.failed for tally in self.tallies),
            not_asked=sum(tally.not_asked for tally in self.tallies),
        )


def tally_of(outcomes: Iterable[tuple[str, object]]) -> Tally:
    """The tally of outcomes, each with the id of what was asked about."""
    tally = Tally(rejected={}, details=[])
    rejected: Counter[str] = Counter()
    for name, outcome in outcomes:
        tally.asked += 1
        if isinstance(outcome, NotAsked):
            tally.not_asked += 1
        elif isinstance(outcome, Unfit):
            tally.details.append((name, f"{outcome.kind}: {outcome.detail}"))
            tally.failed += outcome.kind == FAILED
            rejected[outcome.kind] += outcome.kind != FAILED
        else:
            tally.accepted += 1
    tally.rejected = {kind: count for kind, count in rejected.most_common() if count}
    return tally


def arm_of(question: Question) -> str:
    """Level, control or original."""
    if question.parent is None:
        return "original"
    return question.control or f"level {question.level}"


# Why templates can't give variants of a kind.
LACKING = {
    "level 2": "only one of their numbers can be changed",
    "level 3": "they have no text that asks for another unknown",
    "renamed": "they have no names",
}


def why_none(report: Report) -> str:
    """The reasons: what the templates lack, where there are any, else the most frequent first."""
    if report.without:
        told = [f"{count:,} templates give no {arm}: {LACKING[arm]}" for arm, count in sorted(report.without.items())]
        return f" ({'; '.join(told)})"
    counts = Counter(report.set_aside)
    for tally in report.tallies:
        counts.update(tally.rejected)
    told = [f"{count:,} set aside or rejected: {reason}" for reason, count in counts.most_common(4)]
    if report.refused:
        told.append(f"{len(report.refused):,} refused: {report.refused[0].reason.rstrip('.')}")
    lacking = (report.perturbable or 0) - (report.covered or 0)
    if report.proposals is None and lacking:
        told.append(f"{lacking:,} without a recipe: a model can propose templates with --proposer")
    return f" ({'; '.join(told)})" if told else ""
