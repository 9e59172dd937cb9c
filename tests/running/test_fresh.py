"""Who answered, how old the replies are, and asking again."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import counterfoil as cf
from commands import counterfoil
from counterfoil.asking.ledger.ledger import Ledger
from mock_server import Answer, MockServer, completion, error

pytestmark = pytest.mark.heavy

SUITE = "three_choice:suite"


def named(letter: str, model: str) -> Answer:
    """An answer of a server that calls its model so."""
    answer = completion(letter)
    answer.body = json.dumps(json.loads(answer.body) | {"model": model}).encode()
    return answer


def run(server: MockServer, folder: Path, *more: str) -> Any:
    arguments = ("run", SUITE, "--model", "vllm/m", "--base-url", server.url, "--data", "9", *more)
    return counterfoil(*arguments, cwd=folder)


def choices(folder: Path) -> set[str]:
    return set(cf.Run(folder).records["choice"])


def test_the_model_that_answered_is_in_manifest_and_report(tmp_path: Path) -> None:
    with MockServer(lambda request: named("B", "weights-2026-11")) as server:
        assert run(server, tmp_path, "--out", "out").returncode == 0
    (model,) = cf.Run(tmp_path / "out").manifest["models"]
    assert model["served"] == {"weights-2026-11": 9}
    assert "weights-2026-11" in (tmp_path / "out" / "report.html").read_text()


def test_several_models_behind_one_name_are_said_first(tmp_path: Path) -> None:
    letters = iter("ABABABABA")

    def behave(request: dict[str, Any]) -> Answer:
        return named("B", "old" if next(letters) == "A" else "new")

    with MockServer(behave) as server:
        done = run(server, tmp_path, "--out", "out", "--concurrency", "1")
    # Nine asks, in turn: five by the one, four by the other.
    assert done.stdout.startswith("Not one model answered as vllm/m, by the server's own word: old (5), new (4).")


def test_replies_from_the_ledger_are_counted_with_their_age(tmp_path: Path) -> None:
    with MockServer(lambda request: completion("B")) as server:
        first = run(server, tmp_path, "--out", "out")
        assert "from the ledger" not in first.stderr
        with sqlite3.connect(tmp_path / ".counterfoil" / "ledger.sqlite") as ledger:  # 2025-11-02, twelve o'clock
            ledger.execute("UPDATE replies SET received_at = 1762084800, check_sum = NULL WHERE id = 3")
        again = run(server, tmp_path, "--out", "out")
        assert "vllm/m: 9 of 9 replies are from the ledger, the oldest of 2025-11-02." in again.stderr
        assert again.stdout == first.stdout
        assert len(server.requests) == 9
    (model,) = cf.Run(tmp_path / "out").manifest["models"]
    assert model["oldest"] == "2025-11-02T12:00:00+00:00"


def test_fresh_asks_again_and_keeps_the_old_replies(tmp_path: Path) -> None:
    letter = "A"
    with MockServer(lambda request: completion(letter)) as server:
        run(server, tmp_path, "--out", "old")
        letter = "C"
        dry = run(server, tmp_path, "--fresh", "--dry-run", "--json")
        assert json.loads(dry.stdout)[0]["to_ask"] == 9
        done = run(server, tmp_path, "--out", "new", "--fresh")
        assert done.returncode == 0, done.stderr
        assert "from the ledger" not in done.stderr
        assert len(server.requests) == 18
        assert (choices(tmp_path / "old"), choices(tmp_path / "new")) == ({"A"}, {"C"})
        # Without the option, the replies of before: kept beside, not instead.
        run(server, tmp_path, "--out", "plain")
        assert choices(tmp_path / "plain") == {"A"}
        assert len(server.requests) == 18
        # The round was complete: once more is another.
        letter = "B"
        run(server, tmp_path, "--out", "new", "--fresh")
        assert choices(tmp_path / "new") == {"B"}
        assert len(server.requests) == 27
    assert cf.Run(tmp_path / "new").manifest["fresh"]
    assert cf.Run(tmp_path / "plain").manifest["fresh"] is None
    with Ledger(tmp_path / ".counterfoil" / "ledger.sqlite") as ledger:
        assert len(ledger.get(cf.Run(tmp_path / "old").records["ask_key"].to_list())) == 9


def test_a_fresh_run_that_is_not_complete_goes_on(tmp_path: Path) -> None:
    """Six answers, then the key is refused; what was answered is not asked a third time."""
    answered = 0
    broken = True

    def behave(request: dict[str, Any]) -> Answer:
        nonlocal answered
        if broken and answered == 6:
            return error(401, "wrong key")
        answered += 1
        return completion("A")

    with MockServer(behave) as server:
        first = run(server, tmp_path, "--out", "out", "--fresh", "--concurrency", "1")
        assert first.returncode == 1
        dry = run(server, tmp_path, "--out", "out", "--fresh", "--dry-run", "--json")
        assert json.loads(dry.stdout)[0]["to_ask"] == 3, "9 - 6"
        broken = False
        again = run(server, tmp_path, "--out", "out", "--fresh", "--concurrency", "1")
        assert again.returncode == 0
        assert "Going on with the fresh asks" in again.stderr
        assert answered == 9


def test_fresh_runs_have_a_folder_of_their_own(tmp_path: Path) -> None:
    with MockServer(lambda request: completion("A")) as server:
        run(server, tmp_path)
        run(server, tmp_path, "--fresh")
    assert len(list((tmp_path / "runs").iterdir())) == 2
