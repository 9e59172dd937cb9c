"""The tables of a run: the four kinds of questions, the suspects, and what was printed."""

from __future__ import annotations

from pathlib import Path

import pytest

import counterfoil as cf
from commands import counterfoil
from counterfoil.memorization.report.tables import tables
from counterfoil.report.page.page import page

# It has learnt every original by heart, and can solve none.
PARROT = "planted/memorization?skill=0&memorized=1&slip=0"


@pytest.mark.heavy
def test_what_became_of_the_questions_the_suspects_and_what_was_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = cf.run("memorization", model=PARROT, limit=6, draws=3, out="run")
    kinds, suspects, printed = tables(run)
    [row] = kinds.rows
    # Right in every original, so none is improved or wrong; guesses are rarely right three times.
    assert row[0] == PARROT
    assert row[3:] == ("0 (0.000)", "0 (0.000)", "6")
    robust, memorized = (int(cell.split()[0]) for cell in row[1:3])
    assert (robust + memorized, len(suspects.rows)) == (6, memorized)
    # Lures come in pairs: four for three draws, and the parrot keeps the old answer in each.
    assert {row[3] for row in suspects.rows} <= {"4 of 4", ""}
    assert [row[2] for row in suspects.rows] == sorted(row[2] for row in suspects.rows)
    arms = {row[0]: row[1] for row in printed.rows}
    assert (arms["original"], arms["level 1"], arms["again"]) == ("6", "18", "18")
    shown = counterfoil("show", "run", cwd=tmp_path).stdout
    assert "What became of the questions" in shown
    assert "What was printed" not in shown
    assert "What was printed" in counterfoil("show", "run", "--all", cwd=tmp_path).stdout
    html = page([run])
    for title in ("What became of the questions", "Suspects", "What was printed"):
        assert title in html


@pytest.mark.heavy
def test_memory_and_distraction_two_by_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # It can do everything, and noise throws it off always: then it guesses.
    model = "planted/memorization?skill=1&memorized=0&slip=0&distracted=1"
    run = cf.run("memorization", model=model, limit=8, draws=3, noise=True, controls=False, lure=False, out="run")
    _, crossed, *_ = tables(run)
    plain, noisy, difference = crossed.rows
    assert plain[1:4] == ("plain", plain[2], plain[3])
    assert plain[2].startswith("1.000")
    assert plain[3].startswith("1.000")
    assert plain[4].startswith("0.000")
    by_name = {(one.metric, *one.group.values()): one.value for one in run.estimates}
    right = by_name["accuracy_noise", "original"], by_name["accuracy_noise", "changed"]
    assert by_name["noise_gap",] == pytest.approx(1 - right[0])
    assert by_name["noise_gap", "changed"] == pytest.approx(1 - right[1])
    assert by_name["gap_with_noise",] == pytest.approx(right[0] - right[1])
    assert noisy[2].startswith(f"{right[0]:.3f}")
    assert difference[2].startswith(f"{1 - right[0]:.3f}")
    # One draw of each strength: their mean is that of all.
    of_strengths = [by_name["noise_gap", strength] for strength in (1, 2, 3)]
    assert sum(of_strengths) / 3 == pytest.approx(by_name["noise_gap",])
