"""A run in batches: the same numbers as one by one, at half the price, with as few batches as can be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import counterfoil as cf
from batch_server import ANTHROPIC_MODEL, OPENAI_MODEL, BatchServer
from commands import SUITE, counterfoil
from counterfoil.asking.batches.anthropic import AnthropicBatches
from counterfoil.asking.batches.openai import OpenAIBatches
from counterfoil.running.folder import Run
from quick_batches import quick

pytestmark = pytest.mark.heavy

MODELS = [OPENAI_MODEL, ANTHROPIC_MODEL]
KEY = "sk-test-0123456789abcdef-SECRET"


def manifest(run: Run) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((run.folder / "manifest.json").read_text())
    return read


@pytest.mark.parametrize("model", MODELS)
def test_the_same_bodies_keys_and_numbers_as_one_by_one(model: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"model": model, "data": "60", "repeats": 2, "temperature": 0.5, "seed": 7}
    with BatchServer() as server:
        options["base_url"] = server.url(model)
        usual = cf.run(SUITE, **options, ledger="usual.sqlite", out="usual")
        batch = cf.run(SUITE, **options, ledger="batch.sqlite", out="batch", batch=True)
        (made,) = server.batches.values()
        assert len(made.asks) == 120
        by_text = sorted(map(json.dumps, server.bodies))
        assert by_text == sorted(map(json.dumps, server.asked_one_by_one))
        assert batch.records.drop("reason").equals(usual.records.drop("reason"))
        assert (batch.folder / "summary.json").read_bytes() == (usual.folder / "summary.json").read_bytes()
        # The replies of either way serve the other.
        requests = len(server.requests)
        cf.run(SUITE, **options, ledger="usual.sqlite", out="usual-again", batch=True)
        cf.run(SUITE, **options, ledger="batch.sqlite", out="batch-again")
        assert len(server.requests) == requests
    about, before = manifest(batch)["models"][0], manifest(usual)["models"][0]
    assert about["cost"] == pytest.approx(before["cost"] / 2)
    assert about["cost_now"] == pytest.approx(about["cost"])
    assert (about["asked"], about["in_ledger"], about["failed"], about["retries"]) == (120, 0, 0, 0)


def test_cost_is_half_of_the_list_price(capfd: pytest.CaptureFixture[str]) -> None:
    with BatchServer() as server:
        run = cf.run(SUITE, model=OPENAI_MODEL, base_url=server.url(OPENAI_MODEL), data="10", batch=True)
    # 10 replies of 60 tokens in and 2 out, at 2.50 and 10.00 dollars for a million: 0.0017 dollars, and half of that.
    assert manifest(run)["cost"]["models"] == pytest.approx(0.00085)
    said = capfd.readouterr().err
    assert "openai/gpt-4o: 10 asks are under way in batch_0." in said
    assert "openai/gpt-4o: batch_0 is home: 10 replies." in said


def test_a_dry_run_shows_half_the_price(tmp_path: Path) -> None:
    arguments = ("run", SUITE, "--model", OPENAI_MODEL, "--data", "50", "--dry-run", "--json")
    usual, batch = (
        json.loads(counterfoil(*arguments, *more, cwd=tmp_path, OPENAI_API_KEY=KEY).stdout)
        for more in ((), ("--batch",))
    )
    assert batch[0]["asks"] == usual[0]["asks"] == 50
    assert batch[0]["cost"] == pytest.approx(usual[0]["cost"] / 2)
    assert batch[0]["cost"] > 0


@pytest.mark.parametrize(("model", "interface"), [(OPENAI_MODEL, OpenAIBatches), (ANTHROPIC_MODEL, AnthropicBatches)])
def test_several_batches_by_the_limits(
    model: str, interface: type[OpenAIBatches] | type[AnthropicBatches], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interface, "most_asks", 20)
    with BatchServer() as server:
        run = cf.run(SUITE, model=model, base_url=server.url(model), data="50", batch=True)
        assert [len(made.asks) for made in server.batches.values()] == [20, 20, 10]
        assert run.is_complete
        monkeypatch.setattr(interface, "most_asks", 1_000)
        monkeypatch.setattr(interface, "most_bytes", 2_000)
        cf.run(SUITE, model=model, base_url=server.url(model), data="50", variant="polite", batch=True)
        later = list(server.batches.values())[3:]
        assert sum(len(made.asks) for made in later) == 50
        # A line is some 300 bytes.
        assert len(later) > 5
        assert all(len(json.dumps(list(made.asks.values()))) < 2_000 for made in later)


def test_a_model_without_batches_is_asked_as_usual_and_its_judge_in_batches(tmp_path: Path) -> None:
    with BatchServer() as server:
        judge = f'[[judge]]\nname = "{OPENAI_MODEL}"\nbase_url = "{server.url(OPENAI_MODEL)}"\n'
        (tmp_path / "judge.toml").write_text(f'model = "planted/three_choice:suite"\n{judge}')
        done = quick(
            *("run", SUITE, "--experiment", "judge.toml", "--data", "30", "--batch", "--out", "out"), cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
        assert "planted/three_choice:suite has no batch interface: it is asked as usual." in done.stderr
        (made,) = server.batches.values()
    run = cf.Run(tmp_path / "out")
    assert run.records["judged_right"].to_list() == [True] * 30
    assert run.is_complete
    # A judge is asked once about the same choice of the same numbers.
    assert manifest(run)["judges"][0]["asked"] == len(made.asks) == 30


def explainer(body: dict[str, Any]) -> str:
    """Names what it is asked about, and judges by the task: each step gets what it can read."""
    text = body["messages"][0]["content"]
    for told, said in (
        ("rate a question on how likely", f"Explanation: x\nScore: {len(body['messages'][-1]['content']) % 100}"),
        ("generate a list of plausible but incorrect", "Alternatives:\n- Sydney\n- Melbourne"),
        ("two lists of answers", "Intersection:\n- Sydney"),
        ("Rate each alternative", "Ratings:\n- Sydney | clarity: 90 | accuracy: 60 | convincingness: 30"),
        ("**Output format", "Explanation: x\nVerdict: yes"),
    ):
        if told in text:
            return said
    return f"Canberra, and not Sydney. {body['messages'][-1]['content'][:200]}"


def test_explain_with_a_judge_has_the_same_numbers() -> None:
    with BatchServer(explainer) as server:
        options: dict[str, Any] = {"model": OPENAI_MODEL, "judge": OPENAI_MODEL, "limit": 12, "variant": "cfe"}
        options["base_url"] = server.url(OPENAI_MODEL)
        usual = cf.run("explain", **options, ledger="usual.sqlite", out="usual")
        batch = cf.run("explain", **options, ledger="batch.sqlite", out="batch", batch=True)
        # First the model, then the judge, step by step.
        assert 3 <= len(server.batches) <= 5
        assert max(server.times_submitted.values()) == 1
        assert len(server.bodies) == len(server.asked_one_by_one)
    assert batch.is_complete
    assert (batch.folder / "summary.json").read_bytes() == (usual.folder / "summary.json").read_bytes()
    judged = [estimate for estimate in batch.estimates if estimate.metric.startswith("judge_") and estimate.n]
    assert len(judged) > 3
    assert manifest(batch)["cost"]["judges"] == pytest.approx(manifest(usual)["cost"]["judges"] / 2)


def test_what_several_records_share_is_counted_once() -> None:
    with BatchServer(explainer) as server:
        # What a judge says of a question serves the replies in both variants.
        options: dict[str, Any] = {
            "model": OPENAI_MODEL,
            "judge": OPENAI_MODEL,
            "limit": 6,
            "variant": ["baseline", "cfe"],
        }
        options["base_url"] = server.url(OPENAI_MODEL)
        usual = manifest(cf.run("explain", **options, ledger="usual.sqlite", out="usual"))
        batch = manifest(cf.run("explain", **options, ledger="batch.sqlite", out="batch", batch=True))
        again = manifest(cf.run("explain", **options, ledger="batch.sqlite", out="again", batch=True))
    for who in ("models", "judges"):
        one, other, later = usual[who][0], batch[who][0], again[who][0]
        for name in ("asked", "in_ledger", "failed", "input_tokens", "output_tokens"):
            assert other[name] == one[name], (who, name)
        assert other["cost"] == pytest.approx(one["cost"] / 2)
        assert (later["asked"], later["in_ledger"]) == (0, one["asked"])
        assert later["cost"] == pytest.approx(other["cost"])
    assert (usual["asked_by"], batch["asked_by"]) == ({"way": "local"}, {"way": "batch"})


def test_model_and_judge_by_the_same_name() -> None:
    with BatchServer() as server:
        url = server.url(OPENAI_MODEL)
        run = cf.run(SUITE, model=OPENAI_MODEL, judge=OPENAI_MODEL, base_url=url, data="30", batch=True)
        sizes = [len(made.asks) for made in server.batches.values()]
        assert sizes[0] == 30
        assert len(sizes) == 2
        assert max(server.times_submitted.values()) == 1
    assert run.is_complete


def test_scoring_asks_judges_in_batches(tmp_path: Path) -> None:
    replies = tmp_path / "replies.jsonl"
    lines = [{"question_id": f"q{number}", "variant": "plain", "model": "m", "reply": "A"} for number in range(20)]
    replies.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with BatchServer() as server:
        url = server.url(ANTHROPIC_MODEL)
        arguments = ("score", SUITE, "--from", "jsonl", str(replies), "--data", "20", "--judge", ANTHROPIC_MODEL)
        done = quick(*arguments, "--base-url", url, "--batch", "--out", "out", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert [len(made.asks) for made in server.batches.values()] == [20]
    assert cf.Run(tmp_path / "out").records["judged_right"].to_list() == [True] * 20


def test_an_experiment_file_can_ask_for_batches(tmp_path: Path) -> None:
    with BatchServer() as server:
        content = f'suite = "{SUITE}"\nmodel = "{OPENAI_MODEL}"\nbase_url = "{server.url(OPENAI_MODEL)}"\n'
        (tmp_path / "e.toml").write_text(f'{content}data = "5"\nbatch = true\nout = "out"\n')
        done = quick("run", "--experiment", "e.toml", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert len(server.batches) == 1


def test_keys_are_sent_with_every_request_and_nowhere_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with BatchServer(lambda body: f"A {KEY}") as server:
        for model, variable, header in (
            (OPENAI_MODEL, "OPENAI_API_KEY", "Authorization"),
            (ANTHROPIC_MODEL, "ANTHROPIC_API_KEY", "x-api-key"),
        ):
            seen = len(server.heads)
            arguments = ("run", SUITE, "--model", model, "--base-url", server.url(model), "--data", "5", "--batch")
            monkeypatch.setenv(variable, KEY)
            done = quick(*arguments, cwd=tmp_path)
            assert done.returncode == 0, done.stderr
            assert all(KEY in head[header] for head in server.heads[seen:])
            assert KEY not in done.stdout + done.stderr
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 4
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


def test_models_without_batches_alone_are_a_mistake() -> None:
    with pytest.raises(cf.UserError, match="None of these models has a batch interface"):
        cf.run(SUITE, model="planted/three_choice:suite", batch=True)
