"""Looking into a ledger, handing it on, taking it in, making it smaller."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
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


def test_a_changed_line_is_left_out_and_named(filled: Path) -> None:
    counterfoil("ledger", "export", "--to", "all.jsonl", cwd=filled)
    lines = (filled / "all.jsonl").read_bytes().splitlines()
    wrong = [
        lines[2].replace(b"largest", b"smallest"),
        b"{}",
        b'{"key": "\xff"}',
        re.sub(rb'"attempts":\d+', b'"attempts":%d' % 2**63, lines[3]),
    ]
    (filled / "damaged.jsonl").write_bytes(b"\n".join([lines[0], *wrong, lines[1]]))
    done = counterfoil("ledger", "import", "damaged.jsonl", "--ledger", "new.sqlite", "--json", cwd=filled)
    assert done.returncode == 1
    assert json.loads(done.stdout) == {"new": 2, "there": 0, "left_out": 4}
    assert "damaged.jsonl, line 2: the key does not fit the ask" in done.stderr
    for line in (3, 4, 5):
        assert f"damaged.jsonl, line {line} is no exported reply" in done.stderr
    assert "line 3 is no exported reply: it has no key." in done.stderr
    assert "line 4 is no exported reply: it is not UTF-8." in done.stderr
    (filled / "wrong.jsonl").write_bytes(b"\n".join(wrong))
    done = counterfoil("ledger", "import", "wrong.jsonl", "--ledger", "newer.sqlite", cwd=filled)
    assert done.returncode == 2
    assert "No line of wrong.jsonl is a reply" in done.stderr
    assert not (filled / "newer.sqlite").exists(), "no ledger is made of what was refused"


def change(filled: Path, sql: str) -> None:
    with closing(sqlite3.connect(filled / ".counterfoil" / "ledger.sqlite")) as connection, connection:
        connection.execute(sql)


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("UPDATE replies SET text = text || '!' WHERE id = 3", "its check sum is another"),
        ("UPDATE replies SET text = CAST(x'ff42' AS TEXT) WHERE id = 3", "its check sum is another"),
        ("UPDATE replies SET output_tokens = 9000 WHERE id = 3", "its check sum is another"),
        ("UPDATE replies SET ask = replace(ask, 'largest', 'smallest') WHERE id = 3", "the ask does not fit its key"),
        ("UPDATE replies SET ask = CAST(x'ff42' AS TEXT) WHERE id = 3", ""),
        ("UPDATE replies SET check_sum = NULL, text = CAST(x'ff42' AS TEXT) WHERE id = 3", "a text is damaged"),
    ],
)
def test_one_damaged_reply_is_named_and_left_out(sql: str, reason: str, filled: Path) -> None:
    sound = counterfoil("ledger", "check", cwd=filled)
    assert sound.returncode == 0
    (number,) = re.findall(r"([\d,]+) replies are as written", sound.stdout)
    change(filled, sql)
    checked = counterfoil("ledger", "check", cwd=filled)
    assert checked.returncode == 1
    assert "Reply 3 of " in checked.stdout
    assert reason in checked.stdout
    assert f"1 reply is damaged, of {number}" in checked.stdout
    found = json.loads(counterfoil("ledger", "check", "--json", cwd=filled).stdout)
    assert [reply["number"] for reply in found["damaged"]] == [3]
    exported = counterfoil("ledger", "export", cwd=filled)
    assert exported.returncode == 1
    assert "1 reply is damaged and left out" in exported.stderr
    assert len(exported.stdout.splitlines()) == int(number) - 1


def test_a_damaged_reply_is_asked_again_and_replaced(tmp_path: Path) -> None:
    arguments = ("run", SUITE, "--model", "planted/three_choice:suite", "--data", "40", "--out", "out")
    assert counterfoil(*arguments, cwd=tmp_path).returncode == 0
    change(tmp_path, "UPDATE replies SET text = 'A, no, C' WHERE id = 3")
    again = counterfoil(*arguments, cwd=tmp_path)
    assert again.returncode == 0
    assert "1 damaged replies in .counterfoil/ledger.sqlite were not used" in again.stderr
    checked = counterfoil("ledger", "check", cwd=tmp_path)
    assert (checked.returncode, checked.stdout) == (0, "40 replies are as written.\n")


def test_a_model_that_is_not_there_is_said_so(filled: Path) -> None:
    done = counterfoil("ledger", "export", "--model", "typo", "--to", "x.jsonl", cwd=filled)
    assert done.returncode == 2
    assert "has no replies of typo: it has " in done.stderr
    assert not (filled / "x.jsonl").exists()


def test_a_ledger_from_before_check_sums_is_read_and_brought_up_to_date(filled: Path) -> None:
    # As the third version left it: no column of check sums.
    change(filled, "ALTER TABLE replies DROP COLUMN check_sum")
    change(filled, "DELETE FROM migrations WHERE name = '0005-check-sums'")
    exported = counterfoil("ledger", "export", cwd=filled)
    assert exported.returncode == 0
    number = len(exported.stdout.splitlines())
    checked = counterfoil("ledger", "check", cwd=filled)
    assert checked.returncode == 0
    assert f"{number} replies are from before there were check sums" in checked.stdout
    (filled / "all.jsonl").write_text(exported.stdout)
    done = counterfoil("ledger", "import", "all.jsonl", cwd=filled)  # opens it to write
    assert f"0 replies were taken in, {number} were there" in done.stdout
    assert counterfoil("ledger", "export", cwd=filled).stdout == exported.stdout


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
