"""counterfoil selftest: tables, JSON, the exit code, and one sentence for wrong use."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from commands import counterfoil
from counterfoil.cli.main import main
from counterfoil.selftest import results as module
from counterfoil.selftest.selftest import SelfTest

pytestmark = pytest.mark.heavy

FAST = ("--trials", "20", "--questions", "6")


def test_json_holds_every_metric_and_cell(tmp_path: Path) -> None:
    done = counterfoil("selftest", "explain", *FAST, "--seed", "2", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = msgspec.json.decode(done.stdout, type=SelfTest)
    assert (result.suite, result.trials, result.seed) == ("explain", 20, 2)
    assert all(label.startswith("6 ") for label in result.cells)
    assert {it.cell for it in result.estimates} == set(result.cells)
    assert {it.metric for it in result.estimates} >= {"accuracy", "reward", "penalty", "discernment", "mentions"}
    assert {it.alike for it in result.comparisons} == {True, False}
    assert list(tmp_path.iterdir()) == []


def test_what_does_not_hold_is_named_and_the_exit_code_is_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Ask for more than any interval can do.
    monkeypatch.setattr(module, "too_low", lambda coverage, *_, **__: None if coverage is None else 1.01)
    assert main(["selftest", "explain", *FAST]) == 1
    out, err = capsys.readouterr()
    assert "accuracy\n\ncell " in out
    assert "Mean coverage over cells" in out
    assert "false alarms" in out
    assert "This does not hold:\n- accuracy in 6 middling: the intervals cover " in out
    assert "accuracy in 6 middling: the intervals cover " in err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("nix",), "There is no suite nix"),
        (("explain", "--trials", "5"), "at least 20 trials"),
        (("explain", "--questions", "2"), "no intervals to test"),
        (("explain", "--trials", "many"), "invalid int value: 'many'"),
    ],
)
def test_wrong_use_is_one_sentence(arguments: tuple[str, ...], sentence: str, tmp_path: Path) -> None:
    done = counterfoil("selftest", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
