"""counterfoil plan, as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import SUITE, counterfoil
from two_sides import explain_run


def test_from_assumptions(tmp_path: Path) -> None:
    done = counterfoil("plan", "explain", "--detect", "0.2", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].split()[:3] == ["repeats", "variants", "clusters"]
    assert [line.split()[:2] for line in lines[2:8]] == [[r, v] for v in "15" for r in "135"]
    assert "To find a difference of 0.2 in accuracy in 4 of 5 comparisons, ask both sides" in done.stdout
    assert "Assumed: values of accuracy that spread as those of a middling planted/explain do" in done.stdout
    assert "Nothing was asked." in done.stdout
    assert "cost" not in done.stdout
    assert not list(tmp_path.iterdir())


def test_with_a_model_it_has_a_price(tmp_path: Path) -> None:
    arguments = ("plan", "--detect", "0.2", SUITE, "--model", "openai/gpt-4o", "--repeats", "2", "--lenient")
    done = counterfoil(*arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "~cost" in done.stdout
    assert ", for about $" in done.stdout
    found = json.loads(counterfoil(*arguments, "--json", cwd=tmp_path).stdout)
    [design] = found["designs"]
    assert design["repeats"] == 2
    assert design["cost"] > 0
    assert found["models"] == ["openai/gpt-4o"]
    assert found["variants"] == ["plain"]


def test_from_a_run(tmp_path: Path) -> None:
    explain_run(tmp_path / "run", {"a": [True, False] * 10, "b": [True] * 20})
    done = counterfoil("plan", "explain", "--detect=0.3", "--run", "run", "--metric", "accuracy", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "in accuracy in 4 of 5" in done.stdout
    assert "From the paired differences between a and b in run." in done.stdout


def test_too_small_a_dataset(tmp_path: Path) -> None:
    done = counterfoil("plan", SUITE, "--detect", "0.01", cwd=tmp_path)
    assert done.returncode == 0
    assert "numbers-300 is too small. All of it could show 0." in done.stdout
    assert "* more than numbers-300 has: 300 questions." in done.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("explain",), "as in --detect 0.03"),
        (("explain", "--detect", "0"), "detect must be at least 1e-06, and is 0.0"),
        (("explain", "--detect", "x"), "detect must be a number"),
        (("nix", "--detect", "0.1"), "There is no suite nix"),
        (("explain", "--detect", "0.1", "--run", "nix"), "nix is not a run folder"),
        (("explain", "--detect", "0.1", "--correlation", "1"), "correlation must be at most 0.99"),
        (("explain", "--detect", "0.1", "--variant", "nix"), "nix"),
        (("bias", "--detect", "0.1", "--metric", "flip_rat"), "no metric flip_rat (did you mean flip_rate?)"),
    ],
)
def test_wrong_use_is_one_sentence(tmp_path: Path, arguments: tuple[str, ...], sentence: str) -> None:
    done = counterfoil("plan", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
