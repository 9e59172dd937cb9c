"""Logs of Inspect: read as replies, written from runs, and there and back without a number changed."""

from __future__ import annotations

import gc
import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

pytest.importorskip("inspect_ai", reason="Inspect is not installed: make test-extras sets up an environment with it")

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log, read_eval_log_sample_summaries, write_eval_log
from inspect_ai.model import ChatMessageAssistant, ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

import counterfoil
from commands import counterfoil_process as command
from counterfoil.adapters.bench import open_bench
from counterfoil.adapters.inspect import tasks as inspect_tasks
from counterfoil.adapters.inspect.log import export_log
from counterfoil.errors import UserError
from counterfoil.suite.inspect_logs import import_inspect
from inspect_evals import SUITES, as_inspect_is, named, own_run, respondent, serving

pytestmark = as_inspect_is


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder of its own; what Inspect has left lying is swept up here."""
    monkeypatch.chdir(tmp_path)
    yield
    gc.collect()


@solver
def saying(replies: dict[str, str]) -> Solver:
    """Says to each sample what was set down for it; an exclamation mark is an error."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        text = replies[str(state.sample_id)]
        if text == "!":
            raise ValueError("the line is dead")
        state.output = ModelOutput.from_message(ChatMessageAssistant(content=text))
        return state

    return solve


def scored(suite: str, *logs: Any, out: str = "scored", **options: Any) -> counterfoil.Run:
    return counterfoil.score(suite, list(logs), format="inspect", out=out, ledger="ledger.sqlite", **options)


def logged(task: Any, **more: Any) -> EvalLog:
    [log] = inspect_eval(task, model="none", display="none", log_realtime=False, log_dir="logs", **more)
    return log


def theirs(replies: dict[str, str], **metadata: Any) -> Task:
    """Somebody else's task, whose samples are named as our questions."""
    return Task([Sample("?", id=id, metadata=metadata) for id in replies], solver=saying(replies))


@pytest.mark.parametrize("suite", SUITES)
def test_a_run_goes_to_inspect_and_back(suite: str, tmp_path: Path) -> None:
    with serving(respondent(suite)) as server:
        own = own_run(suite, server.url, tmp_path)
    [path] = export_log(own, tmp_path / "exported")
    log = read_eval_log(str(path))
    assert (log.status, log.eval.task, log.eval.model) == ("success", f"counterfoil/{suite}", "vllm/mock")
    assert log.results is not None
    assert log.samples is not None
    [score] = log.results.scores
    assert {name: metric.value for name, metric in score.metrics.items()} == named(own.estimates)
    assert list(log.results.metadata["estimates"][0]) == list(msgspec.to_builtins(own.estimates[0]))
    places = open_bench(suite, SUITES[suite]).places
    assert {sample.id for sample in log.samples} == set(places)
    for sample in log.samples:
        assert [(it.role, it.text) for it in sample.input] == [
            (it.role, it.content) for it in places[sample.id].messages
        ]
        assert sample.output.completion == sample.messages[-1].text
    assert {it.id for it in read_eval_log_sample_summaries(str(path))} == set(places)
    again = scored(suite, path, **{name: value for name, value in SUITES[suite].items() if name == "draws"})
    assert named(again.estimates) == named(own.estimates)
    assert again.outcomes == own.outcomes


def test_what_had_no_reply_is_an_error_in_the_log(tmp_path: Path) -> None:
    canned = tmp_path / "canned.jsonl"
    canned.write_text(json.dumps({"when": "Canberra", "text": "x"}) + "\n", encoding="utf-8")
    own = counterfoil.run("explain", model=f"replay/{canned}", limit=2, variant="cfe", out="own", ledger="l")
    assert own.outcomes[0]["failed"] == 2
    [path] = export_log(own, tmp_path / "exported")
    [first, _] = read_eval_log(str(path)).samples or []
    assert first.error is not None
    assert first.error.message == "failed: no line of the file fits this ask"
    assert scored("explain", path).outcomes == own.outcomes


def test_a_run_whose_questions_have_gone_is_exported_without_their_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    question = {"id": "q1", "question": "?", "answer": "A", "candidates": {"B": 60, "C": 20}}
    data = tmp_path / "data.json"
    rows = [{"question_id": id, "model": "m", "reply": "A."} for id in ("q1",)]
    data.write_text(json.dumps([question]), encoding="utf-8")
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    run = counterfoil.score("explain", "replies.jsonl", data=data, out="own", ledger="l")
    data.unlink()
    [path] = export_log(run, tmp_path / "exported")
    [sample] = read_eval_log(str(path)).samples or []
    assert (sample.id, sample.input, sample.output.completion) == ("imported q1", "imported q1", "A.")
    assert "The logs hold the questions' ids in place of their words" in capsys.readouterr().err


@pytest.mark.parametrize("format", ["eval", "json"])
def test_logs_of_our_own_tasks_are_scored_as_they_were(format: str) -> None:
    places = open_bench("bias", {"limit": 4, "variant": ["1"]}).places.values()
    replies = {place.id: "ABC"[number % 3] for number, place in enumerate(places)}
    log = logged(inspect_tasks.bias(limit=4, variant=1), solver=saying(replies), epochs=2, log_format=format)
    assert Path(log.location).suffix == f".{format}"
    run = scored("bias", log.location)
    assert run.records.height == 2 * len(replies)
    assert sorted(set(run.records["repeat"])) == [0, 1]
    assert log.results is not None
    [score] = log.results.scores
    assert {name: metric.value for name, metric in score.metrics.items()} == named(run.estimates)


def test_logs_of_other_peoples_tasks() -> None:
    questions = list(open_bench("bias", {"limit": 2, "orders": 1}).plan.questions)
    replies = {questions[0].id: "A", questions[1].id: "!"}
    log = logged(theirs(replies), fail_on_error=False)
    run = scored("bias", log.location)
    assert set(run.records["variant"]) == {"imported"}
    rows = {row["outcome"]: row for row in run.records.iter_rows(named=True)}
    assert rows["answered"]["choice"] == "A"
    assert "the line is dead" in rows["failed"]["reason"]
    named_variant = logged(theirs({questions[0].id: "A"}, variant="1"))
    assert set(scored("bias", named_variant.location, out="2").records["variant"]) == {"1"}
    by_metadata = logged(theirs({"one": "A"}, question_id=questions[0].id))
    assert scored("bias", by_metadata.location, out="3").records["choice"].to_list() == ["A"]


def test_what_a_log_that_broke_off_lacks_has_failed() -> None:
    questions = list(open_bench("bias", {"limit": 3, "orders": 1}).plan.questions)
    log = read_eval_log(logged(theirs({question.id: "A" for question in questions})).location)
    assert log.samples is not None
    del log.samples[1:]
    log.status = "cancelled"
    write_eval_log(log, "broken_off.eval")
    [outcomes] = scored("bias", "broken_off.eval").outcomes
    assert (outcomes["answered"], outcomes["failed"]) == (1, 2)


def test_what_can_not_be_placed_is_named() -> None:
    log = logged(theirs({"nobody": "A"}))
    with pytest.raises(UserError, match=r"\.eval, sample nobody, epoch 1: the question nobody is not in korean"):
        scored("bias", log.location)


def test_the_same_sample_in_two_logs_is_said_with_both_files() -> None:
    questions = list(open_bench("bias", {"limit": 2, "orders": 1}).plan.questions)
    first = logged(theirs({questions[0].id: "A", questions[1].id: "A"})).location
    # Another log that has one sample with the first in common, and an evaluation of the same in a later epoch.
    second = logged(theirs({questions[1].id: "B"})).location
    shutil.copy(first, "copy.eval")
    with pytest.raises(UserError, match="is named twice: name each log once") as named_twice:
        scored("bias", first, first)
    assert str(named_twice.value).startswith(first)
    for again, question in ((second, questions[1]), ("copy.eval", questions[0])):
        with pytest.raises(UserError) as twice:
            scored("bias", first, again)
        assert str(twice.value) == (
            f"{again}, sample {question.id}, epoch 1: the same sample and epoch of none/none is in {first}, too: "
            "leave one of the logs out, or score them apart, each with its own --out."
        )
    told = command("score", "bias", "--from", "inspect", first, "copy.eval", cwd=Path.cwd())
    assert told.returncode == 2
    assert "copy.eval, sample" in told.stderr
    assert "`repeat`" not in told.stderr


def test_two_samples_of_a_log_that_are_one_question() -> None:
    [question] = open_bench("bias", {"limit": 1, "orders": 1}).plan.questions
    log = logged(theirs({"one": "A", "two": "B"}, question_id=question.id))
    with pytest.raises(UserError, match=rf"sample two, epoch 1: sample one is the question {question.id} in imported"):
        scored("bias", log.location)


@pytest.mark.parametrize("content", [b"", b"no log", b"{}", b'{"eval": 3}', b"PK\x03\x04 half of it"])
def test_what_is_no_log_is_named(content: bytes) -> None:
    Path("x.eval").write_bytes(content)
    with pytest.raises(UserError, match=r"^x\.eval is no log of Inspect, or is damaged"):
        scored("bias", "x.eval")


def test_a_damaged_sample_is_named() -> None:
    questions = list(open_bench("bias", {"limit": 1, "orders": 1}).plan.questions)
    log = logged(theirs({questions[0].id: "A"}))
    with zipfile.ZipFile(log.location) as whole, zipfile.ZipFile("half.eval", "w") as half:
        for name in whole.namelist():
            half.writestr(name, whole.read(name)[: 99 if name.startswith("samples/") else None])
    with pytest.raises(UserError, match=r"^half\.eval is no log of Inspect, or is damaged"):
        scored("bias", "half.eval")
    with pytest.raises(UserError, match=r"^\. can't be read: Is a directory"):
        list(import_inspect([Path()], {}))
