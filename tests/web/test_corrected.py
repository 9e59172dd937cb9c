"""The study's page while people rate: what their labels make of the run's figures so far."""

from __future__ import annotations

from pathlib import Path

import pytest

import counterfoil as cf
from counterfoil.rating.study import new_study
from sites import Client, serving

pytestmark = pytest.mark.heavy


def test_the_page_follows_what_is_rated(tmp_path: Path) -> None:
    run = cf.run("bias", model="planted/bias", data="english", out=tmp_path / "run", ledger=tmp_path / "ledger.sqlite")
    with new_study(run, "pilot", raters=1, per_question=1, sample=90) as study, serving(tmp_path) as site:
        client, page = Client(site), "/study/run/pilot.study.sqlite"
        tasks, [rater, _] = study.tasks(), study.raters()
        for task in tasks[:20]:
            study.rate(rater, task.task.id, "answer", task.task.right[0])
        early = client.get(page).text
        assert "the page is made anew every half minute" in early
        assert '<meta http-equiv="refresh" content="30">' in early
        assert "out_of_choice: too few labels: 10 more are needed." in early
        for task in tasks[20:]:
            study.rate(rater, task.task.id, "answer", task.task.right[0])
        late = client.get(page).text
    assert "every half minute" not in late
    assert "Reported, corrected, people alone" in late
    assert "accuracy_ambiguous is 0.6" in late
    assert "The reported figure is too low" in late
