"""Many raters at once, in threads and in processes that are killed: what was acknowledged is there."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from counterfoil.rating.store import Study
from waiting import SECONDS

from .conftest import MakeStudy

pytestmark = pytest.mark.heavy

# Rates what is its own, again and again with other scores, and says so after each.
RATING = """
import sys
from counterfoil.rating.store import Study
path, token, first, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
with Study(path) as study:
    rater = study.rater(token)
    tasks = study.assigned(rater)
    for i in range(first, first + count):
        saved = study.rate(rater, tasks[i % len(tasks)], "confusion", i % 101)
        print(saved.id, saved.task, int(saved.value), flush=True)
"""


def start(study: Study, rater: int, first: int, count: int, said: Path) -> subprocess.Popen[bytes]:
    """A process of its own; what it acknowledges goes to the file `said`."""
    token = study.raters()[rater].token
    with said.open("wb") as out:
        return subprocess.Popen(
            [sys.executable, "-c", RATING, str(study.path), token, str(first), str(count)], stdout=out
        )


def acknowledged(said: Path) -> dict[str, tuple[str, str]]:
    """The whole lines: the last one of a killed process may be half a line."""
    lines = [line.split() for line in said.read_text().splitlines(keepends=True) if line.endswith("\n")]
    return {number: (task, value) for number, task, value in lines}


def rows(study: Study) -> dict[str, tuple[str, str]]:
    return {str(it.id): (str(it.task), f"{it.value:.0f}") for it in study.history()}


def test_eight_processes_lose_nothing(explain_study: MakeStudy, tmp_path: Path) -> None:
    study = explain_study(5, raters=8, per_question=8)
    files = [tmp_path / f"said-{rater}" for rater in range(8)]
    processes = [start(study, rater, 0, 100, files[rater]) for rater in range(8)]
    assert [process.wait(timeout=SECONDS) for process in processes] == [0] * 8
    assert [len(acknowledged(file)) for file in files] == [100] * 8
    assert rows(study) == {number: row for file in files for number, row in acknowledged(file).items()}


def test_what_was_acknowledged_survives_a_kill(explain_study: MakeStudy, tmp_path: Path) -> None:
    study = explain_study(5, raters=8, per_question=8)
    promised: dict[str, tuple[str, str]] = {}
    for after in (3, 40):
        files = [tmp_path / f"said-{after}-{rater}" for rater in range(8)]
        processes = [start(study, rater, after, 1_000_000, files[rater]) for rater in range(8)]
        try:
            while any(len(acknowledged(file)) < after for file in files):
                assert all(process.poll() is None for process in processes)
                time.sleep(0.01)
        finally:
            for process in processes:
                process.kill()
        assert [process.wait(timeout=SECONDS) for process in processes] == [-signal.SIGKILL] * 8
        promised |= {number: row for file in files for number, row in acknowledged(file).items()}
    assert len(promised) >= 8 * 40
    with Study(study.path) as again:
        there = rows(again)
        assert promised.items() <= there.items()
        # Saved and never acknowledged: at most the one that each process had under way, in both rounds.
        assert len(there) - len(promised) <= 16
        again.rate(again.raters()[0], 1, "unneeded", False)


def test_threads_share_an_open_study(explain_study: MakeStudy) -> None:
    study = explain_study(5, raters=50, per_question=50)
    failures: list[Exception] = []

    def rate(place: int) -> None:
        try:
            rater = study.rater(raters[place].token)
            for task in study.assigned(rater):
                study.rate(rater, task, "confusion", place)
                study.rate(rater, task, "correct", place % 2 == 0)
            study.undo(rater)
        except Exception as error:
            failures.append(error)

    raters = study.raters()
    threads = [threading.Thread(target=rate, args=(place,)) for place in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(study.history()) == 50 * 11
    for place, rater in enumerate(raters[:50]):
        *most, last = study.assigned(rater)
        right = {"confusion": float(place), "correct": place % 2 == 0}
        assert [study.answers(rater, task) for task in most] == [right] * 4
        assert study.answers(rater, last) == {"confusion": float(place)}
