"""How many labels give which width, and how long they take."""

from __future__ import annotations

import msgspec
import pytest

import counterfoil as cf
from counterfoil.errors import UserError
from counterfoil.rating.labels import plan_labels
from counterfoil.running.folder import SUMMARY, Run
from run_folders import estimate

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("labels")
    made = cf.run("bias", model="planted/bias", data="english", out=folder / "run", ledger=folder / "ledger.sqlite")
    # Known without any doubt about the questions, and corrected by 100 labels to half of what these say alone.
    told = {"metric": "accuracy_ambiguous", "value": 0.5}
    summary = msgspec.structs.replace(
        made.whole_summary,
        estimates=[
            estimate(**told, low=0.5, high=0.5),
            estimate(**told, low=0.45, high=0.55, group={"basis": "corrected"}),
            estimate(**told, low=0.4, high=0.6, n=100, group={"basis": "people"}),
        ],
    )
    (made.folder / SUMMARY).write_bytes(msgspec.json.encode(summary))
    return Run(made.folder)


def test_widths_by_hand(run: Run) -> None:
    planned = plan_labels(run, "accuracy_ambiguous")
    of_100 = next(one for one in planned.designs if one.labels == 100)
    # 2 · 1.96 · sqrt(0.25/100).
    assert of_100.people == pytest.approx(0.196)
    # Right in 95 %: ρ² = (2 · 0.95 − 1)² = 0.81 at one half, so 0.19 of the variance is left; and two errors of 0.65
    # that 100 labels may have missed: 2 · 1.96 · sqrt(0.25 · 0.19/100 + 2 · 0.65²/102²) = 0.0925.
    assert of_100.machine["95%"] == pytest.approx(0.0925, abs=0.0001)
    # As in the study: 100 labels gave 0.1, so 400 give half of that.
    assert of_100.as_before == pytest.approx(0.1)
    assert next(one for one in planned.designs if one.labels == 400).as_before == pytest.approx(0.05)
    # 20 seconds to read, 8 to answer the form's only question.
    assert of_100.minutes == pytest.approx(100 * 28 / 60)
    assert [one.people for one in planned.designs] == sorted((one.people for one in planned.designs), reverse=True)


def test_a_metric_that_the_run_has_not(run: Run) -> None:
    with pytest.raises(UserError, match=r"The run has no figure accuracy_ambigous .*accuracy_ambiguous"):
        plan_labels(run, "accuracy_ambigous")
