"""A run that was stopped is a random part of its questions, and says so; where it is not, it says that."""

from __future__ import annotations

import signal
import statistics
import threading
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import counterfoil as cf
import three_choice
from commands import SUITE, counterfoil, ended, start, wait_for_line
from mock_server import Answer, MockServer, completion, error, held
from waiting import wait_until

pytestmark = pytest.mark.heavy

# Of each reply: 60 in and 2 out.
TOKENS = 62


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def numbers(request: dict[str, Any]) -> list[int]:
    return [int(line[3:]) for line in request["messages"][-1]["content"].splitlines() if line[1:3] == ": "]


VARIANT = three_choice.suite.variants(["plain"], None)[0]
TEXTS = sorted(three_choice.suite.messages(question, VARIANT)[0].content for question in three_choice.Numbers(20))


def right_on_the_first_texts(request: dict[str, Any]) -> Answer:
    """Right on 16 of 20 questions, those that come first in the order of their texts; wrong on the others."""
    found = numbers(request)
    is_first = TEXTS.index(request["messages"][-1]["content"]) < 16
    return completion("ABC"[(found.index(max(found)) + (not is_first)) % 3])


def the_part(run: cf.Run) -> dict[str, Any]:
    (part,) = run.manifest["partial"]
    return dict(part)


def test_what_a_budget_leaves_is_as_right_as_the_whole_over_seeds() -> None:
    """In the order of the texts the first 9 are all right: 1.000, where the whole is 0.800."""
    found = []
    with MockServer(right_on_the_first_texts) as server:
        arguments: dict[str, Any] = {"model": "vllm/m", "base_url": server.url, "data": "20", "concurrency": 1}
        whole = cf.run(SUITE, **arguments)
        assert whole.estimates[0].value == 0.8
        assert whole.manifest["partial"] == []
        for seed in range(40):
            ledger = f"{seed}.sqlite"
            run = cf.run(SUITE, **arguments, seed=seed, max_tokens_total=9 * TOKENS, ledger=ledger, out=f"{seed}")
            accuracy = run.estimates[0]
            assert 5 <= accuracy.n <= 12
            said = f"a random {accuracy.n} of 20 questions, stopped by the budget"
            part = the_part(run)
            assert (part["with_replies"], part["questions"], part["random"]) == (accuracy.n, 20, True)
            assert part["sentence"] == said
            assert accuracy.note is not None
            assert accuracy.note.split("; ")[-1] == said
            assert accuracy.value is not None
            found.append(accuracy.value)
    # 9 of 20 without putting back: a variance of 0.16 / 9 · 11 / 19, a standard error of 0.016 over 40 seeds.
    assert abs(statistics.mean(found) - 0.8) < 4 * 0.016


def test_the_same_command_says_the_same_and_a_larger_budget_makes_it_whole() -> None:
    with MockServer() as server:
        arguments = ("run", SUITE, "--model", "vllm/m", "--base-url", server.url, "--data", "40", "--out", "out")
        small = (*arguments, "--max-tokens-total", str(15 * TOKENS), "--concurrency", "4")
        first = counterfoil(*small, cwd=Path())
        part = the_part(cf.Run("out"))
        assert part["random"]
        assert f"vllm/m: {part['sentence']}.\n" in first.stdout
        counterfoil("report", "out", cwd=Path())
        assert f"vllm/m: {part['sentence']}." in Path("out/report.html").read_text()
        counterfoil(*small, cwd=Path())
        assert the_part(cf.Run("out"))["random"], "what the ledger holds is the beginning of the same order"
        last = counterfoil(*arguments, cwd=Path())
    assert last.returncode == 0
    assert "random" not in last.stdout
    assert cf.Run("out").manifest["partial"] == []


def test_each_variant_has_its_part_and_orders_are_no_questions() -> None:
    with MockServer() as server:
        run = cf.run("bias", model="vllm/m", base_url=server.url, limit=40, max_tokens_total=60 * TOKENS, concurrency=1)
    parts = run.manifest["partial"]
    assert len(parts) == len(run.manifest["variants"]) > 1
    assert all(part["questions"] == 40 and part["random"] for part in parts)
    asked = run.records.filter(pl.col("outcome") != "not_asked")
    for part in parts:
        answered = asked.filter(variant=part["variant"])
        assert part["with_replies"] == answered["question_id"].n_unique() > 0


def test_models_and_variants_go_through_the_questions_together() -> None:
    with MockServer() as server:
        variants = ["plain", "polite"]
        arguments: dict[str, Any] = {"base_url": server.url, "data": "50", "concurrency": 1, "variant": variants}
        cf.run(SUITE, model=["vllm/a", "vllm/b"], **arguments)
        asked = [(request["model"], tuple(numbers(request))) for request in server.requests]
    of_a, of_b = ([question for model, question in asked if model == name] for name in ("a", "b"))
    assert of_a == of_b
    assert of_a[::2] == of_a[1::2], "each question in both variants before the next one"


def test_a_run_that_was_interrupted_says_so() -> None:
    interrupted = threading.Event()

    def behave(request: dict[str, Any]) -> Answer:
        return completion() if len(server.requests) <= 10 else held(interrupted)

    with MockServer(behave) as server:
        arguments = ("run", SUITE, "--model", "vllm/m", "--base-url", server.url, "--data", "50", "--concurrency", "4")
        process = start(*arguments, "--out", "out", cwd=Path())
        wait_until(lambda: len(server.requests) == 14)
        process.send_signal(signal.SIGINT)
        wait_for_line(process, "Ctrl-C again leaves at once")
        interrupted.set()
        done = ended(process)
    assert "vllm/m: a random 14 of 50 questions, interrupted.\n" in done.stdout


def test_what_fails_is_not_missing_at_random() -> None:
    """A model that fails on long prompts, here on large numbers."""
    with MockServer(lambda request: error(400, "too long") if max(numbers(request)) > 900 else completion()) as server:
        arguments = ("run", SUITE, "--model", "vllm/m", "--base-url", server.url, "--data", "20", "--out", "out")
        done = counterfoil(*arguments, cwd=Path())
    run = cf.Run("out")
    said = "16 of 20 questions; 4 asks failed, and what fails may not be like the rest: this is no random part"
    assert f"vllm/m: {said}.\n" in done.stdout
    assert (the_part(run)["sentence"], the_part(run)["random"]) == (said, False)
    assert (run.estimates[0].note or "").endswith("16 of 20 questions; no random part")


def test_replies_of_a_run_with_another_order_are_no_random_part() -> None:
    with MockServer() as server:
        arguments: dict[str, Any] = {"model": "vllm/m", "base_url": server.url, "data": "40", "concurrency": 1}
        cf.run(SUITE, **arguments, limit=8, seed=1)
        run = cf.run(SUITE, **arguments, max_tokens_total=14 * TOKENS)
    part = the_part(run)
    assert not part["random"]
    assert part["sentence"].endswith("; some of the replies came with other runs: this may be no random part")


def test_a_model_that_answers_nothing_has_no_part() -> None:
    with MockServer(lambda request: error(401, "wrong key")) as server:
        run = cf.run(SUITE, model="vllm/m", base_url=server.url, data="20", concurrency=1)
    assert the_part(run)["sentence"].startswith("none of 20 questions, since the model stopped; 1 ask failed")
