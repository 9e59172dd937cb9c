"""A second reader: asked once about a sample of replies, blind; its agreement and its figures are what they must be."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import counterfoil as cf
from commands import counterfoil
from counterfoil.asking.asker import Halt
from counterfoil.asking.budget import Account
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.base import Model, ModelSpec
from counterfoil.asking.posting import InThisProcess
from counterfoil.errors import UserError
from counterfoil.report.text import dry_run_text
from counterfoil.running import waves
from counterfoil.running.askers import most_places, sender_of
from counterfoil.running.plan import Plan
from counterfoil.running.waves import CarrierOf
from counterfoil.stats.estimate import ALL, Estimate
from mock_server import Answer, MockServer, completion
from readers import reader

pytestmark = pytest.mark.heavy

BIAS: dict[str, Any] = {"model": "planted/bias", "data": "english", "limit": 200, "out": "run"}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def reread(suite: str, server: MockServer, **options: Any) -> cf.Run:
    return cf.run(suite, second_reader="vllm/reader", base_url=server.url, **options)


def figure(run: cf.Run, metric: str, model: str | None = None, **group: str) -> Estimate:
    """The only estimate of this metric in this group, of all models or of the only one."""
    found = [one for one in run.estimates if one.metric == metric and one.group == group]
    found = [one for one in found if model is None or one.model == model]
    assert len(found) == 1, found
    return found[0]


def test_the_planted_agreement_is_recovered_and_running_again_asks_nothing() -> None:
    with MockServer(reader(errors=0.2)) as server:
        run = reread("bias", server, **BIAS)
        asked, about = len(server.requests), run.manifest["second_reader"]
        summary = (run.folder / "summary.json").read_bytes()
        again = reread("bias", server, **BIAS)
        assert len(server.requests) == asked
    assert asked == 200  # of 200 questions in 3 orders
    agreement = figure(run, "reading_agreement")
    assert agreement.n == 200
    assert agreement.low is not None
    assert agreement.high is not None
    assert agreement.low < 0.8 < agreement.high
    assert agreement.high - agreement.low < 0.2
    records = run.records.filter(pl.col("second_reading").is_not_null())
    assert records.height == 200
    assert records["readers_agree"].mean() == agreement.value
    assert (records["readers_agree"] == (records["second_reading"] == records["choice"])).all()
    assert run.records.filter(pl.col("second_reading").is_null())["readers_agree"].null_count() == 400
    assert (about["asked"], about["sample"], about["read"], about["not_read"]) == (200, 200, 200, 0)
    assert again.manifest["second_reader"]["in_ledger"] == 200
    assert [prompt["name"] for prompt in about["prompts"]] == ["choice", "number", "explanation"]
    assert run.manifest["cost"]["second_reader"] == 0.0
    assert again.records.equals(run.records)
    assert summary == (again.folder / "summary.json").read_bytes()
    assert run.is_complete


def test_the_second_reader_is_not_told_what_the_rules_have_read() -> None:
    with MockServer(reader()) as server:
        run = reread("bias", server, **BIAS | {"limit": 8}, second_reader_sample=6)
        asked = [json.loads(request) if isinstance(request, bytes | str) else request for request in server.requests]
    replies = {row["reply"] for row in run.records.iter_rows(named=True)}
    for request in asked:
        [system, user] = request["messages"]
        assert system["role"] == "system"
        _, _, reply = user["content"].partition("<reply>\n")
        assert reply.removesuffix("\n</reply>") in replies
        assert "planted" not in user["content"]


def test_headline_figures_by_a_reader_that_finds_nothing() -> None:
    # Accuracy over read replies: by a reader that finds none it is not defined, and no difference is.
    with MockServer(reader(says="Choice: none")) as server:
        run = reread("bias", server, **BIAS)
    rules = figure(run, "accuracy_disambiguated", reading="rules")
    second = figure(run, "accuracy_disambiguated", reading="second_reader")
    moved = figure(run, "accuracy_disambiguated", reading="difference")
    assert rules.value is not None
    assert (second.value, moved.value) == (None, None)
    assert moved.note
    assert figure(run, "reading_agreement").value == 0.0


def test_a_reader_that_reads_the_same_moves_no_figure() -> None:
    with MockServer(reader()) as server:
        run = reread("bias", server, **BIAS | {"model": ["planted/bias", "planted/bias?unknown=0.2"]})
    assert {one.model for one in run.estimates if one.metric == "reading_agreement"} == {
        *("planted/bias", "planted/bias?unknown=0.2"),
        ALL,
    }
    moved = [one for one in run.estimates if one.group.get("reading") == "difference"]
    assert len(moved) == 4 * 3  # four headline figures, of two models and of both
    assert {one.value for one in moved} == {0.0}
    assert all(one.low is not None and one.high is not None and one.low < 0 < one.high for one in moved)
    assert figure(run, "reading_agreement", ALL).value == 1.0
    # Over both models the sample is as large as over one.
    assert figure(run, "reading_agreement", ALL).n == 200


def test_accuracy_moves_as_far_as_readings_differ_by_hand() -> None:
    # A suite of 6 questions, all answered A, which is right for all: by a reader that says B, none is.
    Path("ebbing.py").write_text(
        """
from counterfoil.suite.multiple_choice import ChoiceQuestion, MultipleChoice

class Tides(MultipleChoice):
    name = "tides"
    questions = [ChoiceQuestion(name=f"q{i}", text=f"{i}?", choices=("Yes", "No"), right=0) for i in range(6)]

suite = Tides()
""",
        encoding="utf-8",
    )
    with MockServer(reader(says="Choice: B")) as server:
        run = reread("ebbing:suite", server, model="planted/ebbing:suite?right=1", out="run")
    values = {name: figure(run, "accuracy", reading=name).value for name in ("rules", "second_reader", "difference")}
    assert values == {"rules": 1.0, "second_reader": 0.0, "difference": -1.0}
    assert set(run.records["second_reading"]) == {"B"}


def test_figures_over_pairs_can_be_made_from_the_sample() -> None:
    with MockServer(reader()) as server:
        run = reread(
            "memorization",
            server,
            model="planted/memorization",
            limit=40,
            out="run",
            variant=["mcq", "open"],
            second_reader_sample=400,
        )
    for variant in ("mcq", "open"):
        [rules] = [
            one
            for one in run.estimates
            if (one.metric, one.variant, one.group) == ("memorization_gap", variant, {"reading": "rules"})
        ]
        assert rules.n >= 2
    drawn = run.records.filter(pl.col("second_reading").is_not_null())
    parents = drawn.select("variant", "parent").unique()
    whole = run.records.join(parents, on=["variant", "parent"], how="semi")
    assert whole.filter(pl.col("outcome") == "answered")["second_reading"].null_count() == 0
    assert figure(run, "reading_agreement", ALL).value == 1.0


def test_explanations_are_compared_as_a_whole_and_in_parts() -> None:
    with MockServer(reader(errors=0.3)) as server:
        run = reread("explain", server, model="planted/explain", limit=60, out="run")
    whole = figure(run, "reading_agreement", ALL)
    answer = figure(run, "reading_agreement", ALL, part="correct")
    mentions = figure(run, "reading_agreement", ALL, part="mentioned")
    assert whole.value is not None
    assert answer.value is not None
    assert mentions.value is not None
    assert whole.value <= min(answer.value, mentions.value)
    assert answer.low is not None
    assert answer.high is not None
    assert answer.low < 0.7 < answer.high
    assert figure(run, "accuracy", ALL, reading="difference").value is not None


def test_replies_made_elsewhere_are_read_a_second_time_as_well() -> None:
    made = cf.run("bias", **BIAS | {"limit": 20, "out": "made"})
    lines = [
        {"question_id": row["question_id"], "order": row["order"], "variant": "en", "model": "m", "reply": row["reply"]}
        for row in made.records.iter_rows(named=True)
    ]
    Path("replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with MockServer(reader()) as server:
        options = ("--second-reader", "vllm/reader", "--base-url", server.url, "--second-reader-sample", "30")
        arguments = ("score", "bias", "--from", "jsonl", "replies.jsonl", "--data", "english", "--out", "scored")
        for _ in range(2):
            done = counterfoil(*arguments, *options, cwd=Path())
            assert done.returncode == 0, done.stderr
        assert len(server.requests) == 30
    run = cf.Run("scored")
    assert figure(run, "reading_agreement").n == 30
    assert figure(run, "reading_agreement").value == 1.0


def test_a_dry_run_counts_what_will_be_asked() -> None:
    with MockServer(reader()) as server:
        options = {**BIAS, "second_reader": "vllm/reader", "base_url": server.url, "second_reader_sample": 50}
        before = cf.run("bias", dry_run=True, **options)
        cf.run("bias", **BIAS | {"out": "first"})
        between = cf.run("bias", dry_run=True, **options)
        assert not server.requests
        cf.run("bias", **options)
        after = cf.run("bias", dry_run=True, **options)
        assert len(server.requests) == 50
    rows = [next(row for row in rows if row.second_reader) for rows in (before, between, after)]
    assert [(row.asks, row.in_ledger, row.to_ask) for row in rows] == [(50, 0, 50), (50, 0, 50), (50, 50, 0)]
    assert "vllm/reader (second reader)" in dry_run_text(before)
    assert rows[0].input_tokens > 50 * 100
    assert abs(rows[0].input_tokens - rows[1].input_tokens) < 0.5 * rows[1].input_tokens


def test_a_reader_that_can_not_be_used_leaves_the_run_incomplete() -> None:
    with MockServer(lambda request: completion("I would rather not.")) as server:
        run = reread("bias", server, **BIAS | {"limit": 8}, second_reader_sample=6)
        assert len(server.requests) == 6 * 3  # asked for again twice, with what was wrong
    assert run.whole_summary.not_reread == 6
    assert not run.is_complete
    assert not [one for one in run.estimates if one.metric == "reading_agreement"]
    assert run.records["second_reading"].null_count() == run.records.height


def test_the_budget_holds_for_the_second_reader_too() -> None:
    with MockServer(reader()) as server:
        # 60 tokens in and 2 out for each reply of the mock server.
        run = reread("bias", server, **BIAS, max_tokens_total=1_500, temperature=0)
        assert len(server.requests) < 200
    assert run.whole_summary.not_reread > 0
    assert not run.is_complete


def test_an_experiment_file_names_a_second_reader_with_settings() -> None:
    with MockServer(reader()) as server:
        Path("e.toml").write_text(
            f"""
suite = "bias"
data = "english"
limit = 8
out = "run"
model = "planted/bias"
second-reader-sample = 6
[second-reader]
name = "vllm/reader"
base_url = "{server.url}"
max_tokens = 99
""",
            encoding="utf-8",
        )
        run = cf.run(experiment="e.toml")
    assert run.manifest["second_reader"]["params"]["max_tokens"] == 99
    assert run.manifest["second_reader"]["read"] == 6


def test_runs_with_and_without_a_second_reader_have_folders_of_their_own() -> None:
    with MockServer(reader()) as server:
        plain = cf.run("bias", **{name: value for name, value in BIAS.items() if name != "out"} | {"limit": 8})
        second = reread("bias", server, **{name: value for name, value in BIAS.items() if name != "out"} | {"limit": 8})
    assert plain.folder != second.folder
    assert "second_reading" not in plain.records.columns
    assert plain.manifest["second_reader"] is None


def test_a_suite_that_says_nothing_of_a_second_reader_has_none() -> None:
    with pytest.raises(UserError, match="second reader can't be asked about these replies of three_choice"):
        cf.run("three_choice:suite", model="planted/three_choice:suite", second_reader="planted/three_choice:suite")
    with pytest.raises(UserError, match="--second-reader-sample is for --second-reader MODEL"):
        cf.run("bias", model="planted/bias", data="english", second_reader_sample=10)
    with pytest.raises(UserError, match="second reader"):
        cf.run("bias", model="planted/bias", data="english", by="logprob", second_reader="planted/bias")


def test_in_waves_the_same_is_asked_and_read(monkeypatch: pytest.MonkeyPatch) -> None:
    @asynccontextmanager
    async def in_this_process(plan: Plan, ledger: Ledger, halt: Halt, say: Any) -> AsyncIterator[CarrierOf]:
        def carrier_of(model: Model, spec: ModelSpec, account: Account) -> InThisProcess:
            return InThisProcess(sender_of(model, spec, ledger, most_places(plan), account=account, halt=halt, say=say))

        yield carrier_of

    monkeypatch.setattr(waves, "open_carriers", in_this_process)
    with MockServer(reader(errors=0.2)) as server:
        usual = reread("bias", server, **BIAS, ledger="usual.sqlite")
        asked = len(server.requests)
        in_waves = reread("bias", server, **BIAS | {"out": "waves"}, ledger="waves.sqlite", engine="ray")
        assert len(server.requests) == 2 * asked
    assert in_waves.records.equals(usual.records)
    assert in_waves.manifest["second_reader"]["asked"] == asked
    assert in_waves.manifest["second_reader"]["in_ledger"] == 0


def test_mentions_by_a_judge_are_not_the_second_readers() -> None:
    """By --mentions judge a judge finds the mentions; the figures of the second reader are by what it found itself."""

    def behave(request: dict[str, Any]) -> Answer:
        if "expert reader" in request["messages"][0]["content"]:
            return completion("Mentioned: none")
        if "Task Definition" in request["messages"][0]["content"]:
            return completion("Explanation: no.\nScore: 10" if "likely" in json.dumps(request) else "Verdict: no")
        return reader()(request)

    with MockServer(behave) as server:
        asked = {"model": "planted/explain", "limit": 20, "variant": "cfe", "mentions": "judge", "judge": "vllm/j"}
        run = reread("explain", server, **asked, out="run")
    rules = figure(run, "score_threshold", reading="rules")
    second = figure(run, "score_threshold", reading="second_reader")
    assert rules.n == second.n == 20
    assert rules.value != second.value


def test_what_was_refused_or_is_empty_is_not_asked_about_and_counts_all_the_same() -> None:
    def behave(request: dict[str, Any]) -> Answer:
        if request["messages"][0]["role"] == "system":
            return reader()(request)
        kind = len(request["messages"][0]["content"]) % 3
        return (
            completion("A") if kind == 0 else completion("" if kind == 1 else "A", ["stop", "content_filter"][kind - 1])
        )

    with MockServer(behave) as server:
        run = reread("bias", server, model="vllm/m", data="english", limit=20, out="run")
    outcomes = dict(run.records.group_by("outcome").len().iter_rows())
    assert outcomes["refused"]
    assert outcomes["out_of_choice"]
    assert run.manifest["second_reader"]["read"] == outcomes["answered"]
    assert figure(run, "reading_agreement").n == outcomes["answered"]
    assert run.whole_summary.not_reread == 0
    for metric in ("accuracy_ambiguous", "accuracy_disambiguated"):
        whole, rules = figure(run, metric), figure(run, metric, reading="rules")
        assert (rules.value, rules.n) == (whole.value, whole.n)  # the sample is all there is
