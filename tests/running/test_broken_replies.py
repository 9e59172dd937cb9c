"""One reply never ends a run: where the suite's own code fails on it, its record has failed, and the others go on."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import counterfoil as cf
from commands import counterfoil
from mock_server import Answer, MockServer, completion


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def booming(said: str, booms: Callable[[int], bool]) -> Callable[[dict[str, Any]], Answer]:
    """Right answers; but `said` to the questions whose largest number booms."""

    def answer(request: dict[str, Any]) -> Answer:
        text = request["messages"][-1]["content"]
        numbers = [int(line[3:]) for line in text.splitlines() if line[1:3] == ": "]
        return completion(said if booms(max(numbers)) else "ABC"[numbers.index(max(numbers))])

    return answer


def run(server: MockServer, *more: str, suite: str = "fragile") -> Any:
    arguments = ("--model", "vllm/m", "--base-url", server.url, "--out", "run", *more)
    return counterfoil("run", f"fragile:{suite}", *arguments, cwd=Path())


@pytest.mark.parametrize(
    ("suite", "step", "raised"),
    [
        ("fragile", "read", "IndexError: list index out of range: \\ud800"),
        ("fragile", "score", "ZeroDivisionError: division by zero"),
        ("turning", "turn", "IndexError: no turn"),
    ],
)
def test_the_record_has_failed_and_the_run_goes_on(suite: str, step: str, raised: str) -> None:
    # Question i = 10 of 30 has the numbers 10, 10 · 57 + 10 = 580 and 21: its largest is 580.
    with MockServer(booming(f"boom {step}", lambda largest: largest == 580)) as server:
        done = run(server, "--data", "30", suite=suite)
        again = run(server, "--data", "30", suite=suite)
        assert len(server.requests) == 30  # what was paid for is in the ledger
    assert (done.returncode, again.returncode) == (1, 1)
    assert "Traceback" not in done.stderr
    first = done.stdout.splitlines()[0]
    assert first.startswith(
        "The suite's own code failed on 1 reply, left out of all figures. The first: vllm/m, plain, q10: "
    )
    assert raised in first
    assert "support/fragile.py, line " in first
    records = pl.read_parquet("run/records.parquet")
    [broken] = records.filter(pl.col("outcome") == "failed").to_dicts()
    assert (broken["question_id"], broken["reply"]) == ("q10", f"boom {step}")
    assert raised in broken["reason"]
    summary = json.loads(Path("run/summary.json").read_text())
    assert summary["broken"] == 1
    assert summary["estimates"][0]["value"] == 1.0
    assert summary["estimates"][0]["n"] == 29
    assert "own code failed on 1 reply" in Path("run/report.html").read_text()


def test_verbose_shows_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    # pytest would keep the log, and half a character of it can't go from one test process to another.
    monkeypatch.setattr(logging.getLogger("counterfoil"), "propagate", False)
    with MockServer(booming("boom read", lambda largest: largest == 580)) as server:
        done = run(server, "--data", "30", "--verbose")
    assert 'raise IndexError("list index out of range' in done.stderr


def test_a_judge_step_that_fails_is_a_record_that_failed() -> None:
    lines = [{"question_id": f"q{i}", "model": "m", "reply": "boom judge" if i == 3 else "A"} for i in range(10)]
    Path("replies.jsonl").write_text("\n".join(map(json.dumps, lines)))
    with MockServer(lambda request: completion("yes")) as server:
        arguments = ("--judge", "vllm/j", "--base-url", server.url, "--data", "10", "--out", "run")
        done = counterfoil("score", "fragile:fragile", "--from", "jsonl", "replies.jsonl", *arguments, cwd=Path())
    assert done.returncode == 1
    [row] = cf.Run("run").outcomes
    assert (row["answered"], row["failed"]) == (9, 1)


def test_more_than_a_tenth_of_them_stops_the_model_and_no_other() -> None:
    # Half of the replies boom. Of 20 records so far, more than 2 are broken: no more are asked for than are in flight.
    with MockServer(booming("boom read", lambda largest: largest % 2 == 0)) as server:
        arguments = ("--model", "planted/fragile:fragile?right=1", "--concurrency", "1", "--data", "600")
        done = run(server, *arguments)
        assert len(server.requests) < 300
    assert done.returncode == 1
    assert done.stderr.count("vllm/m: the suite's code failed on ") == 1
    by_model = {row["model"]: row for row in json.loads(Path("run/summary.json").read_text())["outcomes"]}
    assert by_model["planted/fragile:fragile?right=1"]["answered"] == 600
    stopped = by_model["vllm/m"]
    assert stopped["failed"] > 2
    assert stopped["not_asked"] > 300
    models = json.loads(Path("run/manifest.json").read_text())["models"]
    assert "so no more are asked for" in models[0]["stopped"]
    assert models[1]["stopped"] is None


def test_an_import_of_which_much_is_broken_says_so_and_goes_no_further() -> None:
    lines = [{"question_id": f"q{i}", "model": "m", "reply": "boom score"} for i in range(100)]
    Path("replies.jsonl").write_text("\n".join(map(json.dumps, lines)))
    arguments = ("--from", "jsonl", "replies.jsonl", "--data", "100", "--out", "run")
    done = counterfoil("score", "fragile:fragile", *arguments, cwd=Path())
    assert done.returncode == 1
    assert "m: the suite's code failed on 20 of 20 replies" in done.stderr
    [row] = json.loads(Path("run/summary.json").read_text())["outcomes"]
    assert (row["failed"], row["not_asked"]) == (20, 80)
