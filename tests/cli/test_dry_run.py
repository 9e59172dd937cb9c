"""A dry run asks nothing, and so needs no key; a run says what it needs before it asks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commands import SUITE, counterfoil
from mock_server import Answer, MockServer, completion

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
    assert row["to_ask"] == 5  # a judge is asked about each of five replies
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


JUDGING = ("run", "explain", "--model", "planted/explain", "--judge", "vllm/j", "--variant", "cfe", "--limit", "10")


def judge_row(*more: str, cwd: Path) -> tuple[int, int, int]:
    """What is in the ledger, and what a judge will be asked at the least and at the most."""
    dry = counterfoil(*more, "--dry-run", "--json", cwd=cwd)
    assert dry.returncode == 0, dry.stderr
    [row] = [row for row in json.loads(dry.stdout) if row["judge"]]
    return row["in_ledger"], row["least"]["to_ask"], row["to_ask"]


@pytest.mark.parametrize(
    ("more", "least", "most"),
    [
        # Of each question, whether it is confusing; at the most, its ideal alternatives too, and of each reply which of
        # these it mentions, and how well.
        ((), 10, 10 + 10 + 10 + 10),
        (("--judge-swap",), 10, 50),  # the intersection twice
        (("--judge-answer",), 20, 50),  # whether the answer is right, of each reply
        (("--mentions", "judge"), 20, 50),
        # Two replies to a question share what is about the question.
        (("--variant", "baseline"), 10, 10 + 10 + 20 + 20),
        (("--repeats", "3"), 10, 10 + 10 + 30 + 30),
    ],
)
def test_judges_are_foreseen_as_a_range(more: tuple[str, ...], least: int, most: int, tmp_path: Path) -> None:
    assert judge_row(*JUDGING, *more, cwd=tmp_path) == (0, least, most)


def test_a_judges_tokens_and_dollars_are_a_range_and_never_nothing(tmp_path: Path) -> None:
    arguments = ("run", "explain", "--model", "openai/gpt-4o", "--judge", "openai/gpt-5", "--variant", "cfe")
    dry = counterfoil(*arguments, "--limit", "20", "--dry-run", "--json", cwd=tmp_path)
    model, judge = json.loads(dry.stdout)
    least = judge["least"]
    assert (least["to_ask"], judge["to_ask"]) == (20, 80)
    # A judge that thinks has 16,384 tokens for each, at 10 dollars for a million, beside 1.25 for those it reads.
    assert (least["output_tokens"], judge["output_tokens"]) == (20 * 16_384, 80 * 16_384)
    assert judge["cost"] == pytest.approx((judge["input_tokens"] * 1.25 + judge["output_tokens"] * 10) / 1e6, abs=1e-5)
    assert least["cost"] == pytest.approx((least["input_tokens"] * 1.25 + least["output_tokens"] * 10) / 1e6, abs=1e-5)
    # Two steps of four hold a reply of up to 512 tokens.
    assert judge["input_tokens"] > 20 * 2 * 512
    shown = counterfoil(*arguments, "--limit", "20", "--dry-run", cwd=tmp_path).stdout
    assert "20–80" in shown
    in_all = model["cost"] + least["cost"], model["cost"] + judge["cost"]
    assert f"In all about ${in_all[0]:,.4f}–${in_all[1]:,.4f}. Nothing was asked." in shown


def test_what_was_judged_is_not_foreseen_again(tmp_path: Path) -> None:
    def behave(request: dict[str, Any]) -> Answer:
        text = request["messages"][0]["content"]
        is_score = "how likely it is that" in text
        return completion("Explanation: so\nScore: 80" if is_score else "Alternatives: a\nVerdict: no")

    with MockServer(behave) as server:
        arguments = (*JUDGING, "--base-url", server.url)
        assert judge_row(*arguments, cwd=tmp_path) == (0, 10, 40)
        # Replies that are there, and of which nothing is judged, are foreseen as those that are not.
        without = [word for word in arguments if word not in ("--judge", "vllm/j")]
        counterfoil(*without[:4], *without[4:6], "--limit", "10", cwd=tmp_path)
        assert judge_row(*arguments, cwd=tmp_path) == (0, 10, 40)
        counterfoil(*arguments, cwd=tmp_path)
        sent = len(server.requests)
        in_ledger, least, most = judge_row(*arguments, cwd=tmp_path)
        assert (in_ledger, least, most) == (sent, 0, 0)
        # Of twenty questions ten are judged: the sample of twenty holds the sample of ten.
        in_ledger, least, most = judge_row(*arguments, "--limit", "20", cwd=tmp_path)
        assert (in_ledger, least, most) == (sent, 10, 40)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("bias", "--limit", "20"), "20 questions × 3 orders × 5 prompts = 300 asks for each model."),
        (("explain", "--limit", "1", "--variant", "cfe"), "1 question × 1 prompt = 1 ask for each model."),
        (
            ("explain", "--limit", "20", "--repeats", "4"),
            "20 questions × 5 prompts × 4 repeats = 400 asks for each model.",
        ),
    ],
)
def test_the_product_behind_the_total_is_shown(arguments: tuple[str, ...], sentence: str, tmp_path: Path) -> None:
    dry = counterfoil("run", *arguments, "--model", "openai/gpt-4o", "--dry-run", cwd=tmp_path)
    assert dry.stdout.startswith(sentence), dry.stdout + dry.stderr
