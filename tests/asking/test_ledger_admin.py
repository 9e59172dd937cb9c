"""Looking into a ledger, handing it on, taking it in, making it smaller."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import SUITE, counterfoil

PLANTED = "planted/three_choice:suite?right=0.8"


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A folder with the ledger of a run of 40 questions."""
    done = counterfoil("run", SUITE, "--model", PLANTED, "--data", "40", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path


def test_info_counts_what_is_there(filled: Path) -> None:
    (info,) = json.loads(counterfoil("ledger", "info", "--json", cwd=filled).stdout)
    assert (info["model"], info["replies"], info["failures"]) == (PLANTED, 40, 0)
    assert PLANTED in counterfoil("ledger", "info", cwd=filled).stdout


def test_an_export_can_be_taken_in_elsewhere_and_answers_there(filled: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert counterfoil("ledger", "export", "--to", "all.jsonl", cwd=filled).returncode == 0
    lines = (filled / "all.jsonl").read_text().splitlines()
    assert len(lines) == 40
    taken = counterfoil("ledger", "import", str(filled / "all.jsonl"), cwd=elsewhere)
    assert taken.stdout == "40 replies were taken in, 0 were there.\n"
    again = counterfoil("ledger", "import", str(filled / "all.jsonl"), cwd=elsewhere)
    assert again.stdout == "0 replies were taken in, 40 were there.\n"
    export = counterfoil("ledger", "export", cwd=elsewhere)
    assert export.stdout.splitlines() == lines
    # The same replies, as canned ones, under another model's name.
    replay = counterfoil("run", SUITE, "--model", "replay/all.jsonl", "--data", "40", "--out", "r", cwd=filled)
    assert replay.returncode == 0, replay.stderr
    assert "answered" in replay.stdout


def test_a_changed_line_is_refused_and_nothing_is_taken_in(filled: Path) -> None:
    counterfoil("ledger", "export", "--to", "all.jsonl", cwd=filled)
    lines = (filled / "all.jsonl").read_text().splitlines()
    lines[2] = lines[2].replace("largest", "smallest")
    (filled / "forged.jsonl").write_text("\n".join(lines))
    done = counterfoil("ledger", "import", "forged.jsonl", "--ledger", "new.sqlite", cwd=filled)
    assert done.returncode == 2
    assert "forged.jsonl, line 3: the key does not fit the ask" in done.stderr
    (filled / "broken.jsonl").write_text(lines[0] + "\n{}\n")
    done = counterfoil("ledger", "import", "broken.jsonl", "--ledger", "new.sqlite", cwd=filled)
    assert done.returncode == 2
    assert "broken.jsonl, line 2 is no exported reply" in done.stderr
    assert not (filled / "new.sqlite").exists(), "no ledger is made of what was refused"


def test_prune_shows_first_and_removes_on_yes(filled: Path) -> None:
    other = "planted/three_choice:suite?right=0.1"
    counterfoil("run", SUITE, "--model", other, "--data", "15", cwd=filled)
    would = counterfoil("ledger", "prune", "--model", other, cwd=filled)
    assert "15 replies and 0 failures would be removed" in would.stdout
    counterfoil("ledger", "prune", "--model", other, "--yes", cwd=filled)
    (info,) = json.loads(counterfoil("ledger", "info", "--json", cwd=filled).stdout)
    assert (info["model"], info["replies"]) == (PLANTED, 40)
    # What is left is still found; what is gone is asked again.
    dry = counterfoil(
        "run", SUITE, "--model", PLANTED, "--model", other, "--data", "40", "--dry-run", "--json", cwd=filled
    )
    assert [(row["in_ledger"], row["to_ask"]) for row in json.loads(dry.stdout)] == [(40, 0), (0, 40)]
    assert "40 replies" in counterfoil("ledger", "prune", "--before", "2999-01-01", cwd=filled).stdout
    assert "0 replies" in counterfoil("ledger", "prune", "--before", "1d", cwd=filled).stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("info", "--ledger", "missing"), "There is no ledger missing"),
        (("prune",), "Say what to remove"),
        (("prune", "--before", "yesterday"), "yesterday is no date"),
        (("import", "missing.jsonl"), "missing.jsonl can't be read"),
    ],
)
def test_wrong_use_is_one_sentence(arguments: tuple[str, ...], sentence: str, tmp_path: Path) -> None:
    done = counterfoil("ledger", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "missing").exists()
