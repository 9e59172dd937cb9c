"""Our suites as tasks of Inspect: the same replies give the same numbers as a run of our own, to the last digit."""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

pytest.importorskip("inspect_ai", reason="Inspect is not installed: make test-extras sets up an environment with it")

from inspect_ai import eval as inspect_eval
from inspect_ai._util.error import PrerequisiteError
from inspect_ai._util.registry import registry_info
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ChatMessageAssistant, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score
from inspect_ai.solver import Generate, Solver, TaskState, solver

import counterfoil
from counterfoil.adapters.bench import open_bench
from counterfoil.adapters.inspect import tasks as inspect_tasks
from counterfoil.asking.ask import Message
from counterfoil.suite.finding import named_suites
from inspect_evals import PLANTED, SUITES, Respond, Said, as_inspect_is, named, own_run, respondent, serving

pytestmark = as_inspect_is

TASKS = inspect_tasks.TASKS
STOP_REASONS: dict[str, Any] = {"length": "max_tokens"}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder of its own, a key for the server that wants none; what Inspect has left lying is swept up here."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    yield
    gc.collect()


def mocked(respond: Respond) -> Any:
    """Inspect's mock model with our respondent's replies."""

    def output(messages: list[Any], *_: Any) -> ModelOutput:
        said = respond([Message(it.role, it.text) for it in messages])
        made = ModelOutput.from_content("mock", said.text, STOP_REASONS.get(said.finish_reason, said.finish_reason))
        made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else it counts by a file it fetches
        return made

    return get_model("mockllm/model", custom_outputs=output)


def evaluated(task: Any, model: Any, **more: Any) -> EvalLog:
    """Inspect's log of a task."""
    [log] = inspect_eval(task, model=model, display="none", log_realtime=False, log_dir="logs", **more)
    return read_eval_log(log.location)


def metrics(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    [score] = log.results.scores
    return {name: metric.value for name, metric in score.metrics.items()}


def score_of(sample: Any) -> Score:
    assert list(sample.scores) == ["record"]
    return sample.scores["record"]


@pytest.mark.parametrize("suite", SUITES)
def test_the_same_replies_give_the_same_numbers(suite: str, tmp_path: Path) -> None:
    respond = respondent(suite)
    with serving(respond) as server:
        own = own_run(suite, server.url, tmp_path)
        over_the_wire = evaluated(TASKS[suite](**SUITES[suite]), "openai-api/local/mock", model_base_url=server.url)
    in_process = evaluated(TASKS[suite](**SUITES[suite]), mocked(respond))
    expected = named(own.estimates)
    assert len(expected) > 40
    assert over_the_wire.status == in_process.status == "success"
    assert metrics(over_the_wire) == expected
    assert metrics(in_process) == expected
    # Record by record, too.
    names = ("variant", "question_id", "order", "outcome")
    outcomes = {tuple(row.get(name) for name in names) for row in own.records.iter_rows(named=True)}
    for log in (over_the_wire, in_process):
        assert log.samples is not None
        assert {tuple(score_of(it).metadata.get(name) for name in names) for it in log.samples} == outcomes


def test_bias_asks_each_question_in_three_orders(tmp_path: Path) -> None:
    log = evaluated(inspect_tasks.bias(**SUITES["bias"]), mocked(respondent("bias")))
    assert log.samples is not None
    # 4 questions, 2 wordings, 3 orders.
    assert len(log.samples) == 4 * 2 * 3
    assert sorted({sample.metadata["order"] for sample in log.samples}) == [0, 1, 2]
    sample = log.samples[0]
    assert sample.id == f"{sample.metadata['variant']} {sample.metadata['question_id']}"
    told = {"outcome", "choice", "content", "role", "correct", "shown_first", "named_first", "named_longest"}
    assert told == set(score_of(sample).as_dict())


def test_overall_estimates_come_first_or_alone() -> None:
    options, model = SUITES["explain"], mocked(respondent("explain"))
    names = list(metrics(evaluated(inspect_tasks.explain(**options), model)))
    overall = [name for name in names if name.endswith(("(variant=cfe)", "(variant=baseline)"))]
    assert names.index(overall[-1]) < next(number for number, name in enumerate(names) if "," in name)
    without = evaluated(inspect_tasks.explain(**options, groups=False), model)
    assert [name for name in metrics(without) if not name.endswith((".low", ".high"))] == overall


def test_what_the_suite_asks_with_can_be_overruled() -> None:
    task = inspect_tasks.bias(limit=1)
    assert (task.config.max_tokens, task.config.temperature) == (64, 0.0)
    log = evaluated(task, mocked(respondent("bias", {"limit": 1})), temperature=0.5)
    assert log.plan.config.temperature == 0.5
    assert log.plan.config.max_tokens == 64
    by_letters = inspect_tasks.bias(limit=1, by="logprob").config
    assert (by_letters.max_tokens, by_letters.logprobs, by_letters.top_logprobs) == (1, True, 20)


@solver
def planted_by_epoch(suite: str, options: dict[str, Any], epochs: int) -> Solver:
    """Answers as the planted model of a run of our own does, which knows for the how manieth time it is asked."""
    bench = open_bench(suite, options)
    respond = bench.plan.suite.planted(PLANTED[suite], bench.plan.questions)
    places = bench.places

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        place = places[str(state.sample_id)]
        sample = place.question.asked_before * epochs + state.epoch - 1
        text = respond(place.messages, sample)
        state.output = ModelOutput.from_message(ChatMessageAssistant(content=text))
        return state

    return solve


@pytest.mark.parametrize("suite", SUITES)
def test_epochs_are_repeats_and_are_not_averaged(suite: str, tmp_path: Path) -> None:
    settings = "&".join(f"{name}={value}" for name, value in PLANTED[suite].items())
    own = counterfoil.run(
        suite,
        model=f"planted/{suite}?{settings}" if settings else f"planted/{suite}",
        repeats=2,
        out=tmp_path / "own",
        ledger=tmp_path / "ledger.sqlite",
        **SUITES[suite],
    )
    by_question = own.records.group_by([it for it in ("variant", "question_id", "order") if it in own.records.columns])
    said = by_question.agg(pl.col("reply").n_unique())["reply"]
    assert (said > 1).any(), "the respondent must not say the same both times, or this shows nothing"
    log = evaluated(
        TASKS[suite](**SUITES[suite]),
        "none",
        solver=planted_by_epoch(suite, SUITES[suite], 2),
        epochs=2,
    )
    assert metrics(log) == named(own.estimates)


def test_a_question_that_failed_is_left_out_of_all_arms(tmp_path: Path) -> None:
    options = SUITES["memorization"]
    respond = respondent("memorization")
    broken = next(place for place in open_bench("memorization", options).places.values() if place.question.draw == 1)

    def sometimes(messages: Any) -> Any:
        if list(messages) == broken.messages:
            raise ValueError("no luck")
        return respond(messages)

    log = evaluated(inspect_tasks.memorization(**options), mocked(sometimes), fail_on_error=False)
    assert log.samples is not None
    failed = [sample for sample in log.samples if sample.error]
    # The words of a draw may be those of a control as well, but not of most questions.
    assert 0 < len(failed) < len(log.samples) / 4
    assert {score_of(sample).metadata["outcome"] for sample in failed} == {"failed"}
    scored = counterfoil.score(
        "memorization", log.location, format="inspect", out=tmp_path / "scored", ledger=tmp_path / "l", draws=2
    )
    assert scored.outcomes[0]["failed"] + scored.outcomes[1]["failed"] == len(failed)
    assert metrics(log) == named(scored.estimates)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"limt": 3}, r"bias takes no -T limt \(did you mean limit\?\)"),
        ({"temperature": 1}, "bias takes no -T temperature: that is --temperature"),
        ({"repeats": 2}, "bias takes no -T repeats: that is --epochs"),
        ({"write_official": "x"}, "bias takes no -T write_official"),
        ({"limit": "three"}, "-T limit must be a whole number, and is 'three'"),
        ({"reading": "mine"}, "-T reading must be one of counterfoil, kobbq, strict"),
        ({"data": "nowhere.json"}, "nowhere.json"),
    ],
)
def test_what_can_not_be_done_is_said_in_a_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PrerequisiteError) as error:
        inspect_tasks.bias(**options)
    assert re.search(sentence, str(error.value.message))


def test_the_command_of_inspect(tmp_path: Path) -> None:
    respond = respondent("bias")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("INSPECT_")}
    with serving(respond) as server:
        own = own_run("bias", server.url, tmp_path)
        command = ["eval", "counterfoil/bias", "--model", "openai-api/local/mock", "--display", "plain"]
        options = ["-T", "limit=4", "-T", "variant=1,3", "-T", "seed=3"]
        done = subprocess.run(
            [Path(sys.executable).parent / "inspect", *command, *options],
            cwd=tmp_path,
            env=kept | {"INSPECT_LOG_DIR": str(tmp_path / "logs"), "LOCAL_BASE_URL": server.url, "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    assert done.returncode == 0, done.stderr
    [path] = (tmp_path / "logs").glob("*.eval")
    assert metrics(read_eval_log(str(path))) == named(own.estimates)


def equal_in_both(suite: str, options: dict[str, Any], planted_as: dict[str, str], tmp_path: Path) -> EvalLog:
    """Inspect's log of a suite of one's own, whose figures are those of our own run on the same replies."""
    plan = open_bench(suite, options).plan
    planted = plan.suite.planted(planted_as, plan.questions)

    def respond(messages: Any) -> Said:
        return Said(planted(messages, 0))

    with serving(respond) as server:
        model = {"model": "vllm/mock", "base_url": server.url}
        own = counterfoil.run(suite, **model, **options, out=tmp_path / "own", ledger=tmp_path / "ledger.sqlite")
    log = evaluated(inspect_tasks.suite(suite=suite, **options), mocked(respond))
    assert log.status == "success"
    assert metrics(log) == named(own.estimates)
    return log


def test_a_suite_of_ones_own_is_asked_turn_by_turn(tmp_path: Path) -> None:
    suite, options = "doubted:suite", {"data": "40", "limit": 12}
    log = equal_in_both(suite, options, {"folds": "0.5"}, tmp_path)
    assert log.samples is not None
    for sample in log.samples:
        assert [message.role for message in sample.messages] == ["user", "assistant", "user", "assistant"]
        assert score_of(sample).metadata["first"] == sample.messages[1].text
    scored = counterfoil.score(suite, log.location, format="inspect", out=tmp_path / "scored", ledger=tmp_path / "l")
    assert metrics(log) == named(scored.estimates)


def test_the_example_suite_is_asked_in_inspect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "examples" / "sycophancy"))
    suite, options = "sycophancy:suite", {"variant": ["asked", "given"]}
    equal_in_both(suite, options, {"right": "0.8", "doubt": "0.5"}, tmp_path)


def test_a_conversation_that_breaks_off_is_over(tmp_path: Path) -> None:
    """A reply that was cut off has no second turn, in a run of our own as here."""
    suite, options = "doubted:suite", {"data": "3"}

    def respond(messages: Any) -> Said:
        return Said("A", "length") if len(messages) == 1 else Said("B")

    log = evaluated(inspect_tasks.suite(suite=suite, **options), mocked(respond))
    assert log.samples is not None
    assert {len(sample.messages) for sample in log.samples} == {2}
    assert {score_of(sample).metadata["outcome"] for sample in log.samples} == {"truncated"}


def test_every_named_suite_is_a_task_with_parameters_that_inspect_can_read() -> None:
    from inspect import signature

    assert list(inspect_tasks.TASKS) == list(named_suites())
    for name, task in inspect_tasks.TASKS.items():
        assert registry_info(task).name == f"counterfoil/{name}"
        assert list(signature(task).parameters) == ["data", "variant", "limit", "seed", "groups", "options"]
        assert signature(task, eval_str=True).parameters["limit"].annotation == int | None
