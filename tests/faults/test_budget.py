"""A budget over several models and judges: used up before it is said to be, and nobody waits for ever."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from commands import SUITE, counterfoil
from counterfoil import Run
from mock_server import Answer, MockServer, completion

pytestmark = pytest.mark.heavy

QUESTIONS = 40
# Of each reply: 60 in and 2 out.
TOKENS = 62


def behave(request: dict[str, Any]) -> Answer:
    return completion("yes" if request["model"] == "judge" else "B")


@pytest.mark.parametrize("limit", [30, 100, 500, 3_000])
@pytest.mark.parametrize("concurrency", [(), ("--concurrency", "2")], ids=["adapts", "two"])
def test_models_and_judges_share_it_to_the_end(limit: int, concurrency: tuple[str, ...], tmp_path: Path) -> None:
    with MockServer(behave, latency=0.005) as server:
        arguments = ["run", SUITE, "--model", "vllm/a", "--model", "vllm/b", "--judge", "vllm/judge"]
        arguments += ["--base-url", server.url, "--data", str(QUESTIONS), "--out", "out", *concurrency]
        done = counterfoil(*arguments, "--max-tokens-total", str(limit), cwd=tmp_path)
        sent = len(server.requests)
    assert done.returncode == 1, done.stderr
    assert f"the budget of {limit:,} tokens is reached" in done.stderr
    assert Run(tmp_path / "out").records.height == 2 * QUESTIONS
    # An ask takes 62 tokens, and is taken to take less than 70 before that is seen: by the estimate under 50 + 4 tokens
    # in, and at most 16 out. So while 70 are left and nothing is in flight, another one is sent.
    told = [int(used.replace(",", "")) for used in re.findall(r"is reached \(([0-9,]+) used\)", done.stderr)]
    assert told
    assert all(limit - 70 < used <= sent * TOKENS for used in told)


def test_a_budget_that_is_enough_for_all_asks_all(tmp_path: Path) -> None:
    # 40 replies of 62 tokens are 2,480. Before the first comes, 16 asks at a time would set aside hundreds each.
    with MockServer(behave, latency=0.01) as server:
        arguments = ("run", SUITE, "--model", "vllm/a", "--base-url", server.url, "--data", str(QUESTIONS))
        arguments += ("--out", "out", "--max-tokens", "256", "--max-tokens-total", "2500")
        done = counterfoil(*arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(server.requests) == QUESTIONS


def spent(folder: Path) -> int:
    manifest = Run(folder).manifest
    return sum(one["input_tokens"] + one["output_tokens"] for one in (*manifest["models"], *manifest["judges"]))


def test_the_same_command_with_the_same_budget_spends_nothing_more(tmp_path: Path) -> None:
    # One model has answered: 40 replies of 62 tokens, each judged with another 62, are 4,960. Beside another model, of
    # which nothing is there, 5,200 leave room for 240 tokens; its asks would go out before the others are looked up.
    with MockServer(behave, latency=0.005) as server:
        common = ("--judge", "vllm/judge", "--base-url", server.url, "--data", str(QUESTIONS), "--concurrency", "2")
        first = counterfoil("run", SUITE, "--model", "vllm/old", *common, "--out", "first", cwd=tmp_path)
        assert first.returncode == 0, first.stderr
        before = len(server.requests)
        both = ("run", SUITE, "--model", "vllm/new", "--model", "vllm/old", *common, "--out", "both")
        sent = []
        for _ in range(3):
            done = counterfoil(*both, "--max-tokens-total", "5200", cwd=tmp_path)
            assert done.returncode == 1, done.stderr
            assert "the budget of 5,200 tokens is reached" in done.stderr
            sent.append(len(server.requests) - before)
            assert spent(tmp_path / "both") == sum(TOKENS for _ in server.requests)
        assert 1 <= sent[0] <= 240 // TOKENS + 2  # two at a time may seem to fit
        assert sent[1:] == sent[:1] * 2
        assert spent(tmp_path / "both") <= 5200 + 2 * TOKENS


def test_a_budget_below_what_was_spent_asks_nobody(tmp_path: Path) -> None:
    with MockServer(behave) as server:
        command = ("run", SUITE, "--model", "vllm/a", "--base-url", server.url, "--out", "out")
        assert counterfoil(*command, "--data", "1500", cwd=tmp_path).returncode == 0
        # More questions, in more windows of 1,024: what the later windows hold is paid for, too.
        done = counterfoil(*command, "--data", "2500", "--max-tokens-total", str(1400 * TOKENS), cwd=tmp_path)
        assert done.returncode == 1, done.stderr
        assert len(server.requests) == 1500
        assert f"({1500 * TOKENS:,} used)" in done.stderr


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": -5, "completion_tokens": "many"}, {}])
@pytest.mark.parametrize("limit", [("--max-tokens-total", "2000"), ("--max-cost", "0.002")], ids=["tokens", "dollars"])
def test_a_server_that_does_not_count_is_counted_by_letters(
    usage: dict[str, Any] | None, limit: tuple[str, str], tmp_path: Path
) -> None:
    def silent(request: dict[str, Any]) -> Answer:
        answer = completion("B")
        body = json.loads(answer.body)
        body["usage"] = usage
        answer.body = json.dumps(body).encode()
        return answer

    (tmp_path / "prices.toml").write_text('["vllm/a"]\ninput = 1\noutput = 1\n')  # a millionth each
    with MockServer(silent) as server:
        arguments = ("run", SUITE, "--model", "vllm/a", "--base-url", server.url, "--data", "400", "--out", "out")
        arguments += ("--concurrency", "4", "--prices", "prices.toml", *limit)
        done = counterfoil(*arguments, cwd=tmp_path)
        sent = len(server.requests)
        assert done.returncode == 1, done.stderr
        assert "is reached" in done.stderr
        # An ask of up to 200 letters and a reply of one are between 4 + 4 and 54 + 4 tokens.
        assert 2000 / 60 < sent < 2000 / 8
        assert done.stderr.count("vllm/a: the server does not say how many tokens a reply takes") == 1
        again = counterfoil(*arguments, cwd=tmp_path)
        assert (again.returncode, len(server.requests)) == (1, sent)
    (model,) = Run(tmp_path / "out").manifest["models"]
    assert model["estimated"] == sent
    assert model["cost"] == pytest.approx((model["input_tokens"] + model["output_tokens"]) / 1e6)
    assert 1900 < model["input_tokens"] + model["output_tokens"] <= 2000


def test_equal_replies_end_within_the_budget_however_many_are_in_flight(tmp_path: Path) -> None:
    # 128 at a time take 62 each, more than half of 12,400. By letters an ask would seem to take about half of that.
    with MockServer(behave, latency=0.01) as server:
        arguments = ("run", SUITE, "--model", "vllm/a", "--base-url", server.url, "--data", "400", "--out", "out")
        done = counterfoil(*arguments, "--concurrency", "128", "--max-tokens-total", "12400", cwd=tmp_path)
        assert done.returncode == 1, done.stderr
    assert 12_400 - 2 * TOKENS <= spent(tmp_path / "out") <= 12_400 + TOKENS


def test_replies_that_grow_go_over_the_budget_by_no_more_than_they_grow_in_flight(tmp_path: Path) -> None:
    # The n-th reply has n tokens. With 64 in flight, each of these is at most 64 + 16 tokens longer than the latest
    # that have come: 64 x 80 = 5,120. By the mean, n / 2, they would be taken to be 100 tokens shorter still.
    def grow(request: dict[str, Any]) -> Answer:
        answer = completion("B")
        body = json.loads(answer.body)
        body["usage"]["completion_tokens"] = len(server.requests)
        answer.body = json.dumps(body).encode()
        return answer

    with MockServer(grow, latency=0.01) as server:
        arguments = ("run", SUITE, "--model", "vllm/a", "--base-url", server.url, "--data", "1000", "--out", "out")
        done = counterfoil(*arguments, "--concurrency", "64", "--max-tokens-total", "30000", cwd=tmp_path)
        assert done.returncode == 1, done.stderr
    assert spent(tmp_path / "out") <= 30_000 + 5_120
