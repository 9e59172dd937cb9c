"""counterfoil compare, as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import counterfoil
from two_sides import bias_run, chosen, explain_run

HALF = [True, False] * 10


@pytest.fixture
def here(tmp_path: Path) -> Path:
    explain_run(tmp_path / "old", {"m": HALF})
    explain_run(tmp_path / "new", {"m": [False] * 20})
    explain_run(tmp_path / "several", {"a": HALF, "b": HALF[::-1], "c": [True] * 20})
    bias_run(tmp_path / "bias", [chosen(f"q{i}", "u") for i in range(6)])
    explain_run(tmp_path / "tiny", {"a": [True] * 3, "b": [True] * 3})
    return tmp_path


def test_two_runs(here: Path) -> None:
    done = counterfoil("compare", "old", "new", cwd=here)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("new against old: 20 items in both.\n")
    assert "worse" in done.stdout


def test_as_json(here: Path) -> None:
    done = counterfoil("compare", "several", "--models", "c", "a", "--json", cwd=here)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["suite"] == "explain"
    assert {(row["a"], row["b"]) for row in found["rows"]} == {("c", "a")}
    accuracy = next(row for row in found["rows"] if row["metric"] == "accuracy")
    # Ten clusters differ, all of one sign: 2/2^10.
    assert (accuracy["difference"], accuracy["p"]) == (-0.5, 2 / 2**10)
    assert found["alignment"][0]["both"] == 20


def test_a_gate_gives_exit_code_1(here: Path) -> None:
    done = counterfoil("compare", "old", "new", "--fail-if", "accuracy < -0.02", cwd=here)
    assert done.returncode == 1
    assert "Failed: accuracy < -0.02, for new against old: -0.500 [" in done.stderr
    assert "20 items in both" in done.stdout, "the comparison is shown all the same"
    turned = counterfoil("compare", "new", "old", "--fail-if", "accuracy < -0.02", cwd=here)
    assert turned.returncode == 0
    both = counterfoil(
        "compare", "old", "new", "--fail-if", "accuracy > 0", "--fail-if", "accuracy.low < -0.6", "--json", cwd=here
    )
    assert both.returncode == 1
    assert json.loads(both.stdout)["suite"] == "explain"
    assert both.stderr.count("Failed: ") == 1


def test_a_margin(here: Path) -> None:
    done = counterfoil("compare", "old", "old", "--margin", "0.3", cwd=here)
    assert "equal within 0.3" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "The following arguments are required: RUN"),
        (("old",), "There is nothing to compare"),
        (("nix", "old"), "nix is not a run folder"),
        (("old", "bias"), "These are runs of different suites (bias, explain): compare runs of one."),
        (("several", "--models", "a", "nix"), "There is no model nix in these runs: there are a, b, c."),
        (("old", "new", "--variants", "nix"), "There is no variant nix in these runs: there are p."),
        (("old", "new", "--fail-if", "accuracy"), "is no condition: write METRIC < NUMBER"),
        (("old", "new", "--fail-if", "acc < 0"), "there is no metric acc; there are accuracy"),
        (("tiny", "--fail-if", "accuracy < 0"), "accuracy has no interval here (no interval: fewer than 5 clusters"),
        (("old", "new", "--margin", "0"), "The margin must be above 0"),
        (("old", "new", "--margin", "x"), "must be a number, and is 'x'"),
    ],
)
def test_wrong_use_is_one_sentence(here: Path, arguments: tuple[str, ...], sentence: str) -> None:
    done = counterfoil("compare", *arguments, cwd=here)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


def test_no_question_in_common(here: Path) -> None:
    bias_run(here / "other", [chosen(f"z{i}", "u") for i in range(6)])
    done = counterfoil("compare", "bias", "other", cwd=here)
    assert done.returncode == 2
    assert "bias and other have no question in common" in done.stderr
