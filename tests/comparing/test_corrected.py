"""Comparing by figures that labels correct: both sides must be rated, and the reader's faults don't decide."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

import counterfoil as cf
from counterfoil.comparing.compare import compare_runs
from counterfoil.comparing.corrected import FILE, CorrectedFigure, corrected_case
from counterfoil.rating.results import write_results
from counterfoil.rating.study import new_study
from counterfoil.running.folder import Run
from counterfoil.stats.metric import Metric
from counterfoil.stats.pairing import differences_of

SHARE = Metric(name="share", formula="", says="", mean="share")


def figure(value: float, *influence: float) -> CorrectedFigure:
    return CorrectedFigure(
        metric="share", model="m", variant="v", value=value, influence={str(i): u for i, u in enumerate(influence)}
    )


def test_the_difference_is_that_of_the_figures_and_clusters_cancel() -> None:
    # Both sides stray alike in every cluster: what is hard is hard for both. The difference does not stray at all.
    strays = (0.02, -0.02, 0.01, -0.01, 0.03, -0.03)
    [same] = differences_of([corrected_case(SHARE, [figure(0.5, *strays)], [figure(0.6, *strays)])])
    assert same.interval.value == pytest.approx(0.1)
    # Each the other way round, it strays twice as far as one of them.
    [apart] = differences_of([corrected_case(SHARE, [figure(0.5, *strays)], [figure(0.6, *(-u for u in strays))])])
    assert apart.interval.value == pytest.approx(0.1)
    assert None not in (same.interval.low, same.interval.high, apart.interval.low, apart.interval.high)
    assert same.error < apart.error


def rate(run: Run) -> None:
    """People read the right answer in every reply."""
    with new_study(run, "pilot", raters=1, per_question=1, sample=90) as study:
        for task in study.tasks():
            study.rate(study.raters()[0], task.task.id, "answer", task.task.right[0])
        write_results(study, run)


@pytest.mark.heavy
def test_a_reader_that_is_off_does_not_decide(tmp_path: Path) -> None:
    runs = [
        cf.run("bias", model=model, data="english", out=tmp_path / name, ledger=tmp_path / "ledger.sqlite")
        for name, model in (("a", "planted/bias?unknown=0.9"), ("b", "planted/bias?unknown=0.4"))
    ]
    rate(runs[0])
    found = compare_runs([Run(run.folder) for run in runs])
    assert not [row for row in found.rows if row.group == {"basis": "corrected"}]
    [caveat] = [text for text in found.alignment[0].caveats if "Labels correct" in text]
    assert "rate both to compare what is corrected" in caveat
    rate(runs[1])
    rows = {(row.metric, row.group.get("basis")): row for row in compare_runs([Run(run.folder) for run in runs]).rows}
    reported = rows["accuracy_ambiguous", None]
    corrected = rows["accuracy_ambiguous", "corrected"]
    assert (reported.verdict, corrected.verdict) == ("worse", "can't be told apart")
    assert (corrected.value_a, corrected.value_b) == (pytest.approx(1), pytest.approx(1))
    # Figures of another summary are none of this run's.
    figures = msgspec.json.decode((runs[1].folder / FILE).read_bytes(), type=list[CorrectedFigure])
    moved = [msgspec.structs.replace(one, value=one.value / 2 + 0.1) for one in figures]
    (runs[1].folder / FILE).write_bytes(msgspec.json.encode(moved))
    again = compare_runs([Run(run.folder) for run in runs])
    assert not [row for row in again.rows if row.group == {"basis": "corrected"}]
