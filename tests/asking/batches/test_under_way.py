"""Asks that are in a batch: who would pay for them a second time is told before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import counterfoil as cf
from batch_server import ANTHROPIC_MODEL, OPENAI_MODEL, BatchServer
from commands import SUITE, counterfoil
from counterfoil.asking.ask import Ask, Message
from counterfoil.asking.batches.store import BatchStore, UnderWay
from counterfoil.asking.ledger.admin import batches_under_way
from quick_batches import start_quick
from waiting import wait_until

pytestmark = pytest.mark.heavy

AGAIN = "under way in a batch already"


def ask(number: int) -> Ask:
    return Ask(provider="openai", model="m", messages=(Message("user", f"question {number}"),))


def leave_in_a_batch(server: BatchServer, *arguments: str, cwd: Path) -> None:
    """Submit a batch by a process that dies before it ends."""
    server.ends = lambda made: None
    process = start_quick(*arguments, "--batch", cwd=cwd)
    wait_until(lambda: server.is_looked_at or process.poll() is not None)
    assert process.poll() is None, process.communicate()
    process.kill()
    process.communicate()
    server.ends = lambda made: "completed"


def test_what_is_posted_is_under_way_until_it_is_home(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"

    def under_way() -> list[int]:
        with UnderWay(path) as looked:
            found = [number for number in range(4) if looked.holds(ask(number).key)]
            assert looked.is_empty == (not found)
        return found

    assert under_way() == []
    assert not path.exists(), "who only looks makes no ledger"
    store = BatchStore(path, "openai", "https://example.org/v1")
    claim = store.claim("openai/m", [bytes.fromhex(ask(n).key) for n in (1, 2)], (ask(n).canonical for n in (1, 2)))
    assert claim.batch is not None
    assert under_way() == [], "claimed, and with nobody yet"
    store.mark_posting(claim.batch.id)
    assert under_way() == [1, 2], "the provider may have it"
    store.mark_under_way(claim.batch.id, "batch_1")
    assert under_way() == [1, 2]
    store.mark_collected(claim.batch.id)
    assert under_way() == []
    store.close()


@pytest.mark.parametrize("model", [OPENAI_MODEL, ANTHROPIC_MODEL])
def test_a_run_without_batches_says_what_it_pays_for_again(
    model: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with BatchServer() as server:
        url = server.url(model)
        leave_in_a_batch(server, "run", SUITE, "--model", model, "--base-url", url, "--data", "30", cwd=tmp_path)
        options: dict[str, Any] = {"model": model, "base_url": url, "ledger": ".counterfoil/ledger.sqlite"}
        before = len(server.requests)
        # The 30 asks of the batch and 20 others.
        done = cf.run(SUITE, **options, data="50", out="plain")
        said = capfd.readouterr().err
        assert said.count(AGAIN) == 1
        assert (
            f"{model}: 30 asks are under way in a batch already, and this run asks and pays for them again: "
            "add --batch to collect them instead." in said
        )
        assert done.is_complete
        assert len(server.asked_one_by_one) == len(server.requests) - before == 50, "it is said, and not refused"
        # They are under way still, but answered: nothing is asked a third time, and there is nothing to say.
        assert [batch.asks for batch in batches_under_way(Path(options["ledger"]))] == [30]
        cf.run(SUITE, **options, data="50", out="again")
        # Nor to who has no ask in the batch.
        cf.run(SUITE, **options, data="5", variant="polite", out="polite")
        assert AGAIN not in capfd.readouterr().err


def test_a_dry_run_says_what_is_under_way_apart(tmp_path: Path) -> None:
    with BatchServer() as server:
        command = ("run", SUITE, "--model", OPENAI_MODEL, "--base-url", server.url(OPENAI_MODEL), "--data")
        leave_in_a_batch(server, *command, "30", cwd=tmp_path)
        before = len(server.requests)

        def dry(*more: str) -> dict[str, Any]:
            [row] = json.loads(counterfoil(*command, *more, "--dry-run", "--json", cwd=tmp_path).stdout)
            assert isinstance(row, dict)
            return row

        batch, plain = dry("50", "--batch"), dry("50")
        parts = ("asks", "in_ledger", "under_way", "to_ask")
        assert [batch[name] for name in parts] == [50, 0, 30, 20]
        # A reply takes 16 tokens at the most: only those that are to be asked cost something.
        assert batch["output_tokens"] == 20 * 16
        # Without --batch all are asked, and paid for in full.
        assert [plain[name] for name in parts] == [50, 0, 0, 50]
        assert plain["output_tokens"] == 50 * 16
        assert "30 under way in a batch: --batch collects them" in plain["note"]
        text = counterfoil(*command, "50", "--batch", "--dry-run", cwd=tmp_path).stdout
        heading, _, row = text.splitlines()[2:5]
        assert heading.split("  ")[-1] == "~cost"
        assert "in batches" in heading
        assert row.split()[1:5] == ["50", "0", "30", "20"]
        nothing = dry("30", "--batch")
        assert [nothing[name] for name in parts] == [30, 0, 30, 0]
        assert nothing["cost"] == 0
        assert "in batches" not in counterfoil(*command, "50", "--dry-run", cwd=tmp_path).stdout.splitlines()[0]
        assert len(server.requests) == before, "a dry run asks nobody"


def test_it_is_said_of_judges_too(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lines = [{"question_id": f"q{number}", "variant": "plain", "model": "m", "reply": "A"} for number in range(20)]
    (tmp_path / "replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "one.jsonl").write_text(json.dumps(lines[0]) + "\n")
    with BatchServer() as server:
        url = server.url(OPENAI_MODEL)
        command = ("score", SUITE, "--from", "jsonl", "one.jsonl", "--data", "20", "--judge", OPENAI_MODEL)
        leave_in_a_batch(server, *command, "--base-url", url, cwd=tmp_path)
        done = cf.score(
            SUITE,
            "replies.jsonl",
            format="jsonl",
            data="20",
            judge=OPENAI_MODEL,
            base_url=url,
            ledger=".counterfoil/ledger.sqlite",
            out="scored",
        )
        assert done.records["judged_right"].to_list() == [True] * 20
    said = capfd.readouterr().err
    assert f"{OPENAI_MODEL}: 1 ask is under way in a batch already, and this run asks and pays for it again" in said


def test_with_batches_nothing_is_asked_again_and_nothing_said(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with BatchServer() as server:
        url = server.url(OPENAI_MODEL)
        leave_in_a_batch(server, "run", SUITE, "--model", OPENAI_MODEL, "--base-url", url, "--data", "9", cwd=tmp_path)
        cf.run(
            SUITE, model=OPENAI_MODEL, base_url=url, data="9", batch=True, ledger=".counterfoil/ledger.sqlite", out="o"
        )
        assert len(server.batches) == 1
        assert server.asked_one_by_one == []
    assert AGAIN not in capfd.readouterr().err
