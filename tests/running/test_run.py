"""The way through: from questions to a run folder, and from the same command to the same folder."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import counterfoil as cf
import three_choice
from commands import SUITE, counterfoil, environment
from counterfoil.progress import Progress
from counterfoil.running import run as answering
from counterfoil.running.folder import locked
from mock_server import Answer, MockServer, completion, error

pytestmark = pytest.mark.heavy

PLANTED = "planted/three_choice:suite"


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def largest(request: dict[str, Any]) -> Answer:
    """A model that is always right."""
    text = request["messages"][-1]["content"]
    numbers = [int(line[3:]) for line in text.splitlines() if line[1:3] == ": "]
    return completion("ABC"[numbers.index(max(numbers))])


def test_every_record_is_there_in_order_with_all_columns() -> None:
    run = cf.run(
        SUITE, model=[f"{PLANTED}?right=0.9", f"{PLANTED}?right=0.5"], variant=["polite", "plain"], data="40", repeats=2
    )
    records = run.records
    assert records.columns == [
        *(
            "model",
            "variant",
            "question_id",
            "repeat",
            "cluster",
            "outcome",
            "reply",
            "ask_key",
            "judge_keys",
            "reason",
            "read_by",
        ),
        *("choice", "correct", "judged_right"),
    ]
    keys = records.select("model", "variant", "question_id", "repeat").rows()
    assert keys == [
        (f"{PLANTED}?right={right}", variant, f"q{number}", repeat)
        for right in ("0.9", "0.5")
        for variant in ("polite", "plain")
        for number in range(40)
        for repeat in range(2)
    ]
    assert records["ask_key"].n_unique() == 320
    assert records["outcome"].unique().to_list() == ["answered"]


def test_the_estimates_are_those_of_the_records() -> None:
    with MockServer(largest) as server:
        run = cf.run(SUITE, model="vllm/m", base_url=server.url, data="60")
    (accuracy, unread) = run.estimates
    assert (accuracy.metric, accuracy.value, accuracy.n, accuracy.clusters) == ("accuracy", 1.0, 60, 60)
    assert accuracy.low is not None
    # All right, one record a cluster: Wilson's lower bound n / (n + c²), with t(0.975) at 59 degrees of freedom, 2.001:
    # 60 / (60 + 4.004) = 0.937.
    assert accuracy.low == pytest.approx(0.937, abs=0.001)
    assert (unread.metric, unread.value) == ("out_of_choice", 0.0)
    assert run.summary.height == 2
    saved = json.loads((run.folder / "summary.json").read_text())
    assert saved["suite"] == "three_choice"
    assert saved["estimates"][0] == {
        "metric": "accuracy",
        "model": "vllm/m",
        "variant": "plain",
        "group": {},
        "value": 1.0,
        "low": accuracy.low,
        "high": accuracy.high,
        "confidence": 0.95,
        "n": 60,
        "clusters": 60,
        "method": accuracy.method,
        "p": None,
        "note": accuracy.note,
    }


def test_the_same_command_again_asks_nothing_and_gives_the_same() -> None:
    with MockServer(largest) as server:
        arguments = ("run", SUITE, "--model", "vllm/m", "--base-url", server.url, "--data", "30")
        first = counterfoil(*arguments, cwd=Path())
        records = next(Path("runs").iterdir()) / "records.parquet"
        before = pl.read_parquet(records)
        assert len(server.requests) == 30
        second = counterfoil(*arguments, cwd=Path())
        assert len(server.requests) == 30
        # More questions, another variant, a repeat: only what is new is asked.
        counterfoil(*arguments[:-1], "40", cwd=Path())
        assert len(server.requests) == 40
        counterfoil(*arguments, "--variant", "plain", "--variant", "polite", cwd=Path())
        assert len(server.requests) == 70
        counterfoil(*arguments, "--repeats", "2", cwd=Path())
        assert len(server.requests) == 100
    assert (first.returncode, second.returncode) == (0, 0)
    assert second.stdout == first.stdout
    assert before.equals(pl.read_parquet(records))


def test_the_manifest_says_what_was_done() -> None:
    with MockServer() as server:
        run = cf.run(SUITE, model="vllm/m", base_url=server.url, data="30", limit=10, seed=3, param={"top_p": 0.9})
        manifest = run.manifest
        assert manifest["data"] == {
            "name": "numbers-30",
            "given": "30",
            "questions": 30,
            "chosen": 10,
            "asks": 10,
            "asked": 10,
            "answered": 10,
            "sha256": three_choice.Numbers(30).sha256,
        }
        (model,) = manifest["models"]
        # Each reply is 60 tokens in and 2 out.
        expected = {"asked": 10, "in_ledger": 0, "input_tokens": 600, "output_tokens": 20, "failed": 0}
        assert {name: model[name] for name in expected} == expected
        assert model["params"] == {"max_tokens": 16, "temperature": 0.0, "top_p": 0.9}
        assert (manifest["seed"], manifest["options"]["limit"], manifest["outcomes"]["answered"]) == (3, 10, 10)
        assert set(manifest["versions"]) >= {"counterfoil", "python", "polars", "numpy", "msgspec"}
        assert manifest["variants"][0]["name"] == "plain"
        again = cf.run(SUITE, model="vllm/m", base_url=server.url, data="30", limit=10, seed=3, param={"top_p": 0.9})
        assert again.folder == run.folder
        assert (again.manifest["models"][0]["asked"], again.manifest["models"][0]["in_ledger"]) == (0, 10)


def test_clusters_are_asked_one_after_another_and_asks_that_share_a_prefix_next_to_each_other() -> None:
    # 600 questions in 300 clusters: q7 and q307 are of one. One at a time shows the order.
    with MockServer(largest) as server:
        arguments: dict[str, Any] = {"model": "vllm/m", "base_url": server.url, "data": "600", "concurrency": 1}
        cf.run(SUITE, variant=["polite", "plain"], **arguments)
        prompts = server.prompts
    cluster = {
        three_choice.suite.messages(question, variant)[0].content: question.cluster
        for question in three_choice.Numbers(600)
        for variant in three_choice.suite.variants(["polite", "plain"], None)
    }
    clusters = [cluster[prompt] for prompt in prompts]
    assert len(clusters) == 1_200
    assert clusters[::4] == clusters[1::4] == clusters[2::4] == clusters[3::4], "two questions in two prompts each"
    assert len(set(clusters[::4])) == 300
    assert clusters[::4] != sorted(clusters[::4])
    for start in range(0, 1_200, 4):
        assert prompts[start : start + 4] == sorted(prompts[start : start + 4])


def test_records_are_asked_in_windows_and_joined_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "WINDOW", 16)
    run = cf.run(SUITE, model=PLANTED, data="100")
    assert run.records["question_id"].to_list() == [f"q{number}" for number in range(100)]
    assert sorted(path.name for path in run.folder.iterdir()) == [
        ".lock",
        "manifest.json",
        "records.parquet",
        "summary.json",
    ]


def test_judges_are_asked_about_what_could_be_read_and_counted_apart() -> None:
    Path("judge.jsonl").write_text('{"when": "Is A right?", "text": "yes"}\n{"text": "no"}\n')
    run = cf.run(SUITE, model=f"{PLANTED}?right=0.9&unreadable=0.3", judge="replay/judge.jsonl", data="60")
    records = run.records
    unread = records.filter(pl.col("outcome") == "out_of_choice")
    assert 5 < unread.height < 40
    assert unread["judge_keys"].null_count() == unread.height
    read = records.filter(pl.col("outcome") == "answered")
    assert read["judge_keys"].list.len().unique().to_list() == [1]
    assert read.filter(pl.col("judged_right") != (pl.col("choice") == "A")).is_empty()
    (judge,) = run.manifest["judges"]
    assert judge["asked"] == read.height
    assert run.manifest["models"][0]["asked"] == 60


def test_a_judge_that_fails_leaves_the_replies_and_is_told() -> None:
    def behave(request: dict[str, Any]) -> Answer:
        return error(401, "wrong key") if request["model"] == "judge" else completion("B")

    with MockServer(behave) as server:
        arguments = ("run", SUITE, "--model", "vllm/m", "--judge", "vllm/judge", "--base-url", server.url)
        done = counterfoil(*arguments, "--data", "10", "--out", "out", cwd=Path())
    assert done.returncode == 1
    assert "vllm/judge: the server said 401" in done.stderr
    assert "10 replies could not be judged" in done.stdout
    records = cf.Run("out").records
    assert records["outcome"].to_list() == ["answered"] * 10, "the model has answered, whatever the judge does"
    assert records["judged_right"].null_count() == 10


def test_nobody_listening_is_no_reason_to_stop() -> None:
    with MockServer(latency=0.5) as server:
        arguments = f"run {SUITE} --model vllm/m --base-url {server.url} --data 30 --concurrency 4 --out out"
        command = f"{sys.executable} -m counterfoil {arguments} 2>&1 >/dev/null | true"
        subprocess.run(command, shell=True, env=environment(), check=True)
    assert cf.Run("out").outcomes[0]["answered"] == 30


def test_limit_is_a_stratified_sample_and_not_the_first() -> None:
    run = cf.run(SUITE, model=PLANTED, data="1000", limit=20)
    numbers = [int(name[1:]) for name in run.records["question_id"].to_list()]
    assert sum(number % 2 for number in numbers) == 10  # as many odd as even ones, as in the dataset
    assert max(numbers) > 200


def test_a_budget_stops_cleanly_and_a_larger_one_goes_on() -> None:
    with MockServer(largest) as server:
        arguments = ("run", SUITE, "--model", "vllm/m", "--base-url", server.url, "--data", "100", "--concurrency", "1")
        arguments += ("--out", "out")
        # A reply takes 62 tokens; 1,000 of them are enough for 16 and the next one's estimate no longer fits.
        first = counterfoil(*arguments, "--max-tokens-total", "1000", cwd=Path())
        assert first.returncode == 1
        assert first.stderr.count("the budget of 1,000 tokens is reached") == 1
        assert len(server.requests) == 16
        assert cf.Run("out").outcomes[0]["not_asked"] == 84
        same = counterfoil(*arguments, "--max-tokens-total", "1000", cwd=Path())
        assert same.returncode == 1
        assert len(server.requests) == 16, "what was paid for earlier counts, too"
        more = counterfoil(*arguments, "--max-tokens-total", "10000", cwd=Path())
        assert more.returncode == 0
        assert len(server.requests) == 100


def test_the_progress_of_judges_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    watched: list[Any] = []

    class Seen(Progress):
        def __init__(self, works: Sequence[Any]) -> None:
            watched[:] = works or watched
            super().__init__(works)

    monkeypatch.setattr("counterfoil.running.run.Progress", Seen)
    with MockServer(lambda request: completion("yes" if request["model"] == "judge" else "B")) as server:
        cf.run(SUITE, model=["vllm/a"], judge=["vllm/judge"], base_url=server.url, data="7", out="out")
    assert [work.name for work in watched] == ["vllm/a", "vllm/judge (judge)"]
    model, judge = watched
    assert model.describe(1.0).startswith("7 of 7, 0 in flight, ")
    assert judge.describe(1.0).startswith("7 done, 0 in flight, ")


def test_a_budget_in_dollars_wants_a_price() -> None:
    with MockServer(largest) as server:
        arguments = ("run", SUITE, "--model", "openai/no-such-model", "--base-url", server.url, "--data", "100")
        arguments += ("--out", "out", "--concurrency", "1", "--max-cost", "0.01")
        unknown = counterfoil(*arguments, cwd=Path())
        assert unknown.returncode == 2
        assert "The price of openai/no-such-model is not known" in unknown.stderr
        assert server.requests == []
        Path("prices.toml").write_text('["openai/no-such-model"]\ninput = 10\noutput = 100\n')
        done = counterfoil(*arguments, "--prices", "prices.toml", cwd=Path())
        # 60 × $10 + 2 × $100 for a million: $0.0008 a reply, so 12 fit into $0.01 and the 13th does not.
        assert done.returncode == 1
        assert len(server.requests) == 12
        assert cf.Run("out").manifest["models"][0]["cost"] == pytest.approx(12 * 0.0008)


def test_a_dry_run_asks_and_writes_nothing() -> None:
    with MockServer() as server:
        arguments = ("run", SUITE, "--model", "openai/gpt-4o", "--base-url", server.url, "--data", "50")
        before = sorted(Path().rglob("*"))
        done = counterfoil(*arguments, "--dry-run", "--json", cwd=Path())
        assert done.returncode == 0, done.stderr
        (row,) = json.loads(done.stdout)
        assert (row["asks"], row["in_ledger"], row["to_ask"]) == (50, 0, 50)
        assert row["output_tokens"] == 50 * 16
        # gpt-4o: $2.50 and $10 for a million tokens.
        assert row["cost"] == pytest.approx(row["input_tokens"] * 2.5e-6 + 800 * 10e-6, abs=1e-5)
        assert sorted(Path().rglob("*")) == before
        counterfoil(*arguments[:-1], "20", cwd=Path())
        assert len(server.requests) == 20
        (row,) = json.loads(counterfoil(*arguments, "--dry-run", "--json", cwd=Path()).stdout)
        assert (row["asks"], row["in_ledger"], row["to_ask"]) == (50, 20, 30)
        assert row["output_tokens"] == 30 * 2  # as long as the replies that are there
        assert len(server.requests) == 20
        text = counterfoil(*arguments, "--dry-run", cwd=Path()).stdout
        assert "Nothing was asked." in text


def test_a_second_process_on_the_same_folder_is_told_so() -> None:
    with locked(Path("out")):
        done = counterfoil("run", SUITE, "--model", PLANTED, "--data", "5", "--out", "out", cwd=Path())
    assert done.returncode == 2
    assert "Another process is at work on out" in done.stderr


def test_it_runs_inside_a_loop_that_is_running_as_in_a_notebook() -> None:
    async def cell() -> cf.Run:
        return cf.run(SUITE, model=PLANTED, data="5")

    assert asyncio.run(cell()).records.height == 5


def test_wrong_options_in_python_are_named() -> None:
    with pytest.raises(cf.UserError, match=r"no option modle \(did you mean model\?\)"):
        cf.run(SUITE, modle="x")
    with pytest.raises(cf.UserError, match="limit must be a whole number"):
        cf.run(SUITE, limit="many")


def test_a_planted_truth_is_covered() -> None:
    # The respondent answers right with chance 0.7, and one time in ten nothing that can be read: 0.9 × 0.7 = 0.63.
    run = cf.run(SUITE, model=f"{PLANTED}?right=0.7&unreadable=0.1", data="2000")
    accuracy, unread = run.estimates
    assert accuracy.low is not None
    assert accuracy.high is not None
    assert accuracy.low < 0.63 < accuracy.high
    assert unread.low is not None
    assert unread.high is not None
    assert unread.low < 0.1 < unread.high
