"""The suite from end to end: runs on samples and on a server that behaves badly, the command line and Python."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import counterfoil as cf
from commands import counterfoil
from counterfoil.bias.sources.loading import load_questions
from counterfoil.stats import Estimate
from mock_server import Answer, MockServer, completion, error

pytestmark = pytest.mark.heavy

METRICS = {
    *("out_of_choice", "accuracy_ambiguous", "accuracy_disambiguated", "diff_bias_ambiguous"),
    *("diff_bias_disambiguated", "bbq_bias_ambiguous", "bbq_bias_disambiguated", "flip_rate", "position_bias"),
}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def overall(run: cf.Run, variant: str = "1") -> dict[str, Estimate]:
    return {it.metric: it for it in run.estimates if not it.group and it.variant == variant}


def served(behave: Any, **options: Any) -> tuple[cf.Run, list[str]]:
    """A run on a server; the prompts that came."""
    with MockServer(behave) as server:
        run = cf.run("bias", model="vllm/m", base_url=server.url, **({"variant": "1", "out": "run"} | options))
        return run, server.prompts


def test_a_run_on_the_korean_samples() -> None:
    arguments = ("run", "bias", "--model", "planted/bias?unknown=0.6", "--limit", "24", "--out", "out")
    done = counterfoil(*arguments, cwd=Path())
    assert done.returncode == 0, done.stderr
    run = cf.Run("out")
    # 24 questions, three orders, five prompts.
    assert run.records.height == 24 * 3 * 5
    assert set(run.records["variant"]) == {"1", "2", "3", "4", "5"}
    counts = Counter(run.records.filter(variant="1")["question_id"])
    assert len(counts) == 24
    assert set(counts.values()) == {3}
    assert {it.metric for it in run.estimates} >= METRICS
    shown = counterfoil("show", "out", "--all", cwd=Path()).stdout
    for metric in METRICS:
        assert metric in shown
    assert {it.variant for it in run.estimates} == {"1", "2", "3", "4", "5", "all"}
    again = counterfoil(*arguments, cwd=Path())
    assert again.stdout == done.stdout
    assert cf.Run("out").manifest["models"][0]["asked"] == 0
    python = cf.run("bias", model="planted/bias?unknown=0.6", limit=24, out="python")
    assert python.records.drop("ask_key").equals(run.records.drop("ask_key")), "the same from Python"


def test_a_run_on_the_english_samples() -> None:
    model = "planted/bias?unknown=0.6&data=english"
    arguments = ("run", "bias", "--model", model, "--data", "english", "--limit", "24", "--out", "out", "--json")
    done = counterfoil(*arguments, cwd=Path())
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["suite"] == "bias"
    run = cf.Run("out")
    assert run.records.height == 24 * 3
    assert set(run.records["variant"]) == {"en"}
    assert not [it for it in run.estimates if "label" in it.group], "BBQ has no labels"
    assert run.records["outcome"].unique().to_list() == ["answered"]


def test_orders() -> None:
    run, prompts = served(lambda request: completion("A"), limit=4)
    assert len(prompts) == 12
    # Whoever always says A takes each content once: never the same in all orders.
    assert overall(run)["position_bias"].value == 1
    by_question = run.records.group_by("question_id").agg(pl.col("content").sort())
    assert by_question["content"].to_list() == [[0, 1, 2]] * 4
    one, prompts = served(lambda request: completion("A"), limit=4, orders=1, out="one")
    assert len(prompts) == 4
    assert one.records["order"].unique().to_list() == [0]
    assert overall(one)["position_bias"].value is None
    wrong = counterfoil("run", "bias", "--model", "planted/bias", "--orders", "4", cwd=Path())
    assert wrong.returncode == 2


def test_every_letter_is_put_back_to_its_content() -> None:
    # A server that knows the answers: right in every order, whatever stands where.
    known = {(it.context, it.text): it for it in load_questions(None, orders=1)}

    def behave(request: dict[str, Any]) -> Answer:
        lines = request["messages"][-1]["content"].split("\n")
        question = known[lines[-6].removeprefix("맥락: "), lines[-5].removeprefix("질문: ")]
        [letter] = [line[0] for line in lines[-4:-1] if line[3:] == question.right]
        return completion(letter)

    run, _ = served(behave, limit=48)
    estimates = overall(run)
    for metric in ("accuracy_ambiguous", "accuracy_disambiguated"):
        assert estimates[metric].value == 1
    for metric in ("position_bias", "diff_bias_ambiguous", "diff_bias_disambiguated", "out_of_choice"):
        assert estimates[metric].value == 0


def test_each_bad_reply_is_its_own_outcome_and_failed_ones_are_left_out() -> None:
    # By the place of the question among those asked: one of each kind, and unknown for the rest.
    asked: dict[str, int] = {}

    def behave(request: dict[str, Any]) -> Answer:
        kind = asked.setdefault(request["messages"][-1]["content"], len(asked))
        answers = {
            0: completion(""),
            1: completion(None),
            2: completion("", finish_reason="content_filter"),
            3: completion("글쎄요, 생각해 보면", finish_reason="length"),
            4: completion("B", finish_reason="length"),
            5: error(400, "bad"),
            6: completion("모두 가능합니다."),
        }
        return answers.get(kind, completion("알 수 없음"))

    run, prompts = served(behave, limit=12, orders=1, concurrency=1)
    assert len(set(prompts)) == 12
    counts = Counter(run.records["outcome"])
    assert counts == {"out_of_choice": 3, "refused": 1, "truncated": 1, "failed": 1, "answered": 6}
    assert not run.is_complete
    [left_out] = run.unanswered
    assert left_out.outcome == "failed"
    failed = run.records.filter(outcome="failed")
    assert failed["correct"].to_list() == [None]
    # Eleven count; five of them have no choice: three out of choice, one refused, one truncated.
    estimate = overall(run)["out_of_choice"]
    assert estimate.n == 11
    assert estimate.value == pytest.approx(5 / 11)
    read = overall(run)["accuracy_ambiguous"].n + overall(run)["accuracy_disambiguated"].n
    assert read == 6


def test_a_failed_run_ends_with_one_and_names_what_is_missing() -> None:
    with MockServer(lambda request: error(400, "no")) as server:
        done = counterfoil(
            *("run", "bias", "--model", "vllm/m", "--base-url", server.url, "--variant", "1", "--limit", "4"),
            *("--out", "out"),
            cwd=Path(),
        )
    assert done.returncode == 1, done.stderr
    assert set(cf.Run("out").records["outcome"]) <= {"failed", "not_asked"}


def test_out_of_choice_policies_on_the_command_line() -> None:
    model = "planted/bias?unread=0.3&unknown=0.5"
    drop = cf.run("bias", model=model, variant="1", limit=96, out="drop")
    keep = cf.run("bias", model=model, variant="1", limit=96, out_of_choice="keep", out="keep")
    dropped, kept = overall(drop), overall(keep)
    assert dropped["out_of_choice"].value == kept["out_of_choice"].value
    for metric in ("accuracy_ambiguous", "accuracy_disambiguated"):
        assert kept[metric].n > dropped[metric].n
        # The same number right among more.
        right = (dropped[metric].value or 0) * dropped[metric].n
        assert kept[metric].value == pytest.approx(right / kept[metric].n)
    shown = {
        (it.metric, it.value) for it in drop.estimates if it.group == {"policy": "keep"} and "accuracy" in it.metric
    }
    assert shown == {(metric, it.value) for metric, it in kept.items() if "accuracy" in metric}


def test_repeats_stand_beside() -> None:
    run = cf.run("bias", model="planted/bias?unknown=0.5", variant="1", limit=24, repeats=3, temperature=1)
    assert run.records.height == 24 * 3 * 3
    again = {it.metric for it in run.estimates if it.group == {"control": "again"}}
    assert again == {"flip_rate", "position_bias"}


def test_aggregate_templates() -> None:
    options: dict[str, Any] = {"model": "planted/bias?unread=0.2", "variant": "1", "limit": 100}
    pooled = overall(cf.run("bias", **options))
    templates = cf.run("bias", aggregate="templates", **options)
    means = overall(templates)
    by_template = templates.records.group_by("cluster").agg(pl.col("choice").is_null().mean())
    assert means["out_of_choice"].value == pytest.approx(by_template["choice"].mean())
    assert means["out_of_choice"].n == by_template.height
    assert pooled["out_of_choice"].n == 300


def test_debiased_variants_and_a_users_table() -> None:
    header = "prompt_id\tinstruction\tcontext\tquestion\ta\tb\tc\tanswer\tunknown\n"
    Path("mine.tsv").write_text(header + "7\t고르시오.\t글: \t물음: \tA: \tB: \tC: \t답:\t모름\n", encoding="utf-8")
    run, prompts = served(lambda request: completion("모름"), limit=2, variant=["mine.tsv", "1-debiased"])
    assert len(prompts) == 12
    assert sum("고르시오." in prompt and ": 모름\n" in prompt for prompt in prompts) == 6
    roles = {variant: set(rows["role"]) for (variant,), rows in run.records.group_by("variant")}
    assert roles["mine-7"] == {"unknown"}, "in the table's own words"
    manifest = run.manifest["variants"]
    assert [it["name"] for it in manifest] == ["mine-7", "1-debiased"]
    assert all(len(it["sha256"]) == 64 for it in manifest)


def test_by_logprob() -> None:
    tops = [
        {"token": token, "logprob": value, "bytes": None} for token, value in ((" B", -1.0), ("A", -0.5), ("x", -0.1))
    ]
    logprobs = {"content": [{"token": "x", "logprob": -0.1, "bytes": None, "top_logprobs": tops}]}

    def behave(request: dict[str, Any]) -> Answer:
        assert request["max_tokens"] == 1
        assert request["logprobs"] is True
        body = json.loads(completion("x").body)
        body["choices"][0]["logprobs"] = logprobs
        return Answer(json.dumps(body).encode())

    run, _ = served(behave, limit=2, by="logprob")
    assert run.records["choice"].unique().to_list() == ["A"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--variant", "9"), "There is no variant 9"),
        (("--data", "nix"), "there is no such dataset"),
        (("--judge", "planted/bias"), "bias asks no judges"),
        (("--metadata", "nix.csv", "--data", "q.jsonl"), "nix.csv can't be read"),
    ],
)
def test_wrong_use_is_one_sentence(arguments: tuple[str, ...], sentence: str) -> None:
    Path("q.jsonl").write_text("{}")
    done = counterfoil("run", "bias", "--model", "planted/bias", *arguments, cwd=Path())
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_run_without_a_single_reply_has_every_metric_and_can_be_shown_and_compared() -> None:
    Path("failing.jsonl").write_text('{"text": "no", "status": "failed"}')
    models = ("--model", "planted/bias", "--model", "replay/failing.jsonl")
    options = ("--variant", "1", "--limit", "4", "--repeats", "2", "--out", "o")
    assert counterfoil("run", "bias", *models, *options, cwd=Path()).returncode == 1
    run = cf.Run("o")
    of_model = {name: [it for it in run.estimates if it.model == name] for name in models[1::2]}
    planted, failing = ({it.metric: it for it in some if not it.group} for some in of_model.values())
    assert set(planted) == set(failing) == METRICS
    for it in of_model["replay/failing.jsonl"]:
        assert (it.value, it.low, it.high, it.n) == (None, None, None, 0)
        assert it.note
    again = {it.metric: it for it in of_model["planted/bias"] if it.group == {"control": "again"}}
    assert again["flip_rate"].value is not None
    assert again["position_bias"].value is None
    assert "--repeats 3" in str(again["position_bias"].note)
    shown = counterfoil("show", "o", "--all", cwd=Path())
    assert shown.returncode == 0, shown.stderr
    assert "position_bias, again" in shown.stdout
    for command in (("compare", "o"), ("report", "o", "--out", "r.html"), ("export", "o", "tables", "--to", "csv")):
        assert counterfoil(*command, cwd=Path()).returncode == 0, command
