"""The request of `counterfoil data perturb`, and its report: written beside the set, and told to the user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from counterfoil.asking.asker import NotAsked
from counterfoil.console import table
from counterfoil.datasets.judged import JudgeSettings
from counterfoil.inputs import first_of
from counterfoil.perturbing.balance import Figures, Leaning, too_much
from counterfoil.perturbing.content import CONTENT_HEAD, Content, content_rows, contents
from counterfoil.perturbing.making.asking import FAILED, Unfit
from counterfoil.perturbing.making.difficulty import Shift, shifts
from counterfoil.perturbing.placebos import RULES, SOLVERS
from counterfoil.perturbing.questions import Question


class PerturbRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What to perturb, and how. `source`: the bank, cfa-easy, or a file; `direct`: the model writes the questions."""

    source: str
    out: Path
    levels: tuple[int, ...] = (1,)
    controls: bool = False
    lure: bool = False
    noise: bool = False
    draws: int = 5
    seed: int = 0
    limit: int | None = None
    topics: tuple[str, ...] = ()
    data: Path | None = None
    direct: bool = False
    proposer: JudgeSettings | None = None
    overwrite: bool = False
    allow_unbalanced: bool = False

    @property
    def settings(self) -> dict[str, Any]:
        """As the report has them."""
        spec = self.proposer.spec if self.proposer is not None else None
        return {
            "levels": list(self.levels),
            **{name: getattr(self, name) for name in ("controls", "lure", "draws", "seed", "limit")},
            "generator": "direct" if self.direct else "template",
            "proposer": spec and spec.name,
            **({"noise": True} if self.noise else {}),
            **({"topics": list(self.topics)} if self.topics else {}),
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
    # What is printed in each arm; what responders without memory show of each figure; which of that is too much.
    contents: list[Content] = []
    placebos: list[Leaning] = []
    unbalanced: list[str] = []

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

    def describe(self, questions: Sequence[Question]) -> None:
        """Count the questions of the set, and compare their numbers."""
        self.questions = len(questions)
        self.counts = dict(Counter(_arm_of(question) for question in questions))
        self.statuses = dict(Counter(question.status for question in questions if question.level))
        self.shifts = shifts(questions)
        self.contents = contents(questions)
        self.placebos = Figures(questions).leanings((*RULES, *SOLVERS))
        self.unbalanced = [
            f"{one.placebo}: {one.figure} {one.value:+.3f} (standard error {one.error:.3f})"
            for one in too_much(self.placebos)
        ]


def _arm_of(question: Question) -> str:
    """Level, control or original."""
    if question.parent is None:
        return "original"
    return question.control or f"level {question.level}"


def report_path(out: Path) -> Path:
    return out.with_name(f"{out.stem}.report.json")


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


UNBALANCED = "Responders without memory show some on this set"
# Why templates can't give variants of a kind.
_LACKING = {
    "level 2": "only one of their numbers can be changed",
    "level 3": "they have no text that asks for another unknown",
    "renamed": "they have no names",
    "reoptioned": "their variants' answers are told by what is printed more often, or more seldom, than the original's",
    "lure": "no sham can stand for the old gold so that neither can be told by what is printed",
}


def _without(report: Report) -> list[str]:
    return [f"{count:,} templates give no {arm}: {_LACKING[arm]}" for arm, count in sorted(report.without.items())]


def why_none(report: Report) -> str:
    """The reasons: what the templates lack, where there are any, else the most frequent first."""
    if report.without:
        return f" ({'; '.join(_without(report))})"
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


def report_text(report: Report) -> str:
    """What was made and of what; what was set aside, refused or rejected and why; how the numbers shifted."""
    sections = []
    if report.existing is not None:
        set_aside = {f"set aside: {reason}": count for reason, count in report.set_aside.items()}
        numbers = {"all": report.existing, **set_aside, "can be perturbed": report.perturbable or 0}
        sections.append(_numbers_table("existing questions", numbers))
    if report.existing is not None and report.covered is not None:
        unused = f"; {len(report.unused_recipes):,} recipes found no question" if report.unused_recipes else ""
        covered = f"Recipes cover {report.covered:,} of {report.existing:,} questions"
        sections.append(f"{covered}, {report.perturbable:,} of which can be perturbed{unused}.")
    asked = {"proposed templates": report.proposals, "questions written directly": report.rewritten}
    sections += [_numbers_table(what, _outcomes(tally)) for what, tally in asked.items() if tally and tally.asked]
    if report.sha256 is not None:
        sections.append(_numbers_table("questions", {**report.counts, "all": report.questions}))
    notes = [f"{note}." for note in _without(report)] + [f"Refused: {refusal.reason}" for refusal in report.refused]
    if set(report.statuses) - {"verified"}:
        told = ", ".join(f"{count:,} {status}" for status, count in sorted(report.statuses.items()))
        notes.append(f"Of the changed questions, {told}. Only gaps over verified ones can be relied on.")
    if report.unbalanced:
        notes.append(f"{UNBALANCED}: {first_of(report.unbalanced)}. Its figures can't speak of memory.")
    sections += ["\n".join(notes)] if notes else []
    sections += [_contents_text(report)] if report.contents else []
    sections += [_shifts_text(report)] if report.shifts else []
    return "\n\n".join([*sections, _ending(report)])


def _contents_text(report: Report) -> str:
    """The table of arms: what is printed, and how often the best rule is right."""
    rows = [list(CONTENT_HEAD), *content_rows(report.contents)]
    heading = "What is printed, and what the best rule without reading gets right (chance is 33%):"
    return f"{heading}\n{table(rows, left=True)}"


def _numbers_table(heading: str, numbers: Mapping[str, int]) -> str:
    return table([[heading, "number"], *([name, f"{number:,}"] for name, number in numbers.items())])


def _outcomes(tally: Tally) -> dict[str, int]:
    rejected = {f"rejected: {reason}": count for reason, count in tally.rejected.items()}
    missing = {"failed": tally.failed, "not asked": tally.not_asked}
    missing = {name: count for name, count in missing.items() if count}
    return {"asked for": tally.asked, "accepted": tally.accepted, **rejected, **missing}


def _shifts_text(report: Report) -> str:
    def cell(value: float | None, digits: int) -> str:
        return "" if value is None else f"{value:.{digits}f}"

    rows = [["level", "numbers", "n", "digits", "D", "p", "log10", "D", "p"]]
    for shift in report.shifts:
        row = [str(shift.level), shift.of, f"{shift.n_before:,} → {shift.n_after:,}"]
        for comparison in (shift.digits, shift.magnitude):
            means = f"{cell(comparison.before, 2)} → {cell(comparison.after, 2)}"
            p = "<0.0001" if comparison.p is not None and comparison.p < 0.0001 else cell(comparison.p, 4)
            row += [means, cell(comparison.statistic, 3), p]
        rows.append(row)
    heading = "How the numbers shifted from originals to variants (means; Kolmogorov–Smirnov's D and p):"
    return f"{heading}\n{table(rows, left=True)}"


def _ending(report: Report) -> str:
    left = report.left_open
    lines = []
    if left["not_asked"]:
        lines.append(f"{left['not_asked']:,} asks were not made: run the same command again to go on.")
    if left["failed"]:
        lines.append(f"{left['failed']:,} asks failed: the same command asks again.")
    if report.sha256 is None:
        lines.append(f"{report.set} was not written: a set is frozen once all was asked.")
    else:
        lines.append(f"The set is {report.set}, its report {report_path(Path(report.set))}.\nSHA-256 {report.sha256}")
    return "\n".join(lines)
