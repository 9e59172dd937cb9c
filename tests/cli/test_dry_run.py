"""A dry run asks nothing, and so needs no key; a run says what it needs before it asks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import SUITE, counterfoil
from mock_server import MockServer

NEEDS = {
    "openai/gpt-4o": "OPENAI_API_KEY",
    "azure/mine": "AZURE_OPENAI_API_KEY and AZURE_OPENAI_ENDPOINT and OPENAI_API_VERSION",
    "anthropic/claude": "ANTHROPIC_API_KEY",
    "clova/HCX": "CLOVA_API_KEY and CLOVA_URL",
    "openrouter/x": "OPENROUTER_API_KEY",
    "together/x": "TOGETHER_API_KEY",
}


@pytest.mark.parametrize("model", NEEDS)
@pytest.mark.parametrize("role", ["--model", "--judge"])
def test_a_dry_run_needs_no_key_and_a_run_does(model: str, role: str, tmp_path: Path) -> None:
    others = ("--model", "planted/three_choice:suite") if role == "--judge" else ()
    arguments = ("run", SUITE, *others, role, model, "--data", "5")
    dry = counterfoil(*arguments, "--dry-run", "--json", cwd=tmp_path)
    assert (dry.returncode, dry.stderr) == (0, "")
    [row] = [row for row in json.loads(dry.stdout) if row["model"] == model]
    assert row["to_ask"] == (0 if role == "--judge" else 5)
    run = counterfoil(*arguments, cwd=tmp_path)
    assert run.returncode == 2
    assert f"{model} needs {NEEDS[model]}: " in run.stderr
    assert list(tmp_path.iterdir()) == []


def test_without_the_key_a_dry_run_finds_what_was_asked_with_it(tmp_path: Path) -> None:
    with MockServer() as server:
        arguments = ("run", SUITE, "--model", "clova/HCX", "--data", "5")
        # Where the server is told by the environment, the address is no part of the ask.
        run = counterfoil(*arguments, cwd=tmp_path, CLOVA_API_KEY="secret-of-clova", CLOVA_URL=server.url)
        assert run.returncode == 0, run.stderr
    [row] = json.loads(counterfoil(*arguments, "--dry-run", "--json", cwd=tmp_path).stdout)
    assert (row["in_ledger"], row["to_ask"]) == (5, 0)


def test_a_server_that_is_not_this_machine_has_no_price_until_the_user_gives_one(tmp_path: Path) -> None:
    arguments = ("run", SUITE, "--model", "vllm/x", "--base-url", "https://api.provider.example/v1", "--data", "5")
    [row] = json.loads(counterfoil(*arguments, "--dry-run", "--json", cwd=tmp_path).stdout)
    assert row["cost"] is None
    shown = counterfoil(*arguments, "--dry-run", cwd=tmp_path).stdout
    assert "price unknown: give it with --prices" in shown
    for more in ((), ("--dry-run",)):
        refused = counterfoil(*arguments, "--max-cost", "1", *more, cwd=tmp_path)
        assert refused.returncode == 2
        assert "The price of vllm/x is not known, so --max-cost can't hold" in refused.stderr
    (tmp_path / "p.toml").write_text('["vllm/x"]\ninput = 1\noutput = 1\n')
    priced = counterfoil(*arguments, "--max-cost", "1", "--prices", "p.toml", "--dry-run", "--json", cwd=tmp_path)
    assert json.loads(priced.stdout)[0]["cost"] > 0


def test_a_dated_snapshot_can_have_a_budget(tmp_path: Path) -> None:
    arguments = ("run", SUITE, "--model", "openai/gpt-5-2025-08-07", "--max-cost", "5", "--dry-run", "--json")
    dry = counterfoil(*arguments, "--data", "5", cwd=tmp_path)
    assert dry.returncode == 0, dry.stderr
    assert json.loads(dry.stdout)[0]["cost"] > 0
