"""The suites as tasks of lm-eval: the same asks as a run of ours, and from the same replies the same numbers."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, partialmethod
from pathlib import Path
from typing import Any

os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", TQDM_DISABLE="1")

import pytest

pytest.importorskip("lm_eval")

from lm_eval import simple_evaluate
from lm_eval.__main__ import cli_evaluate
from lm_eval.tasks import TaskManager
from lm_eval.tasks._yaml_loader import load_yaml

import counterfoil
from commands import SUPPORT, environment
from counterfoil.adapters.bench import open_bench
from counterfoil.adapters.lm_eval.settings import settings_of
from counterfoil.adapters.lm_eval.task import SuiteTask
from counterfoil.asking.ask import Message, Reply
from counterfoil.asking.models.openai import read_completion
from counterfoil.asking.models.planted import Respondent
from counterfoil.errors import UserError
from counterfoil.explain.prompts import ENGLISH
from counterfoil.explain.questions import load_questions
from counterfoil.memorization.metrics import PLACEBO_BAND
from counterfoil.suite.suite import Suite
from mock_server import Answer, MockServer, completion

pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning",
    "ignore::FutureWarning",
    "ignore::ResourceWarning",
    "ignore::PendingDeprecationWarning",
)
TASKS = Path(counterfoil.__file__).parent / "adapters" / "lm_eval"
EXAMPLE = Path(__file__).parents[2] / "examples" / "sycophancy"
GROUPS = [
    *("replies", "label", "category", "policy", "topic", "level", "control", "k", "again", "basis"),
    *("habit", "context"),
]
CHOICES = (
    *("A", "(B)", " c\n", "B. I am sure.", "I can't say which.", "The answer is C, not A.", "12.5", "About $1,250."),
    "<think>It could be A or C.</think>\n\nB",
)
OPEN = {"limit": 8, "draws": 2}
QUESTIONS = {question.text: question for question in load_questions(None)}


def number_of(request: dict[str, Any], below: int) -> int:
    """A number that the messages decide, the same in every process."""
    return hashlib.sha256(json.dumps(request["messages"]).encode()).digest()[0] % below


@cache
def calculator() -> Respondent:
    """Who gives numbers, half of them right, where no options are shown."""
    plan = open_bench("memorization", OPEN | {"variant": ["open"]}).plan
    return plan.suite.planted({"slip": "0.5"}, plan.questions)


def behave(request: dict[str, Any]) -> Answer:
    """A reply that the messages decide: right and wrong ones, unreadable, empty, missing and cut off ones."""
    if "with a number" in request["messages"][-1]["content"]:
        return completion(calculator()([Message(**it) for it in request["messages"]], 0))
    question = QUESTIONS.get(request["messages"][-1]["content"])
    texts: tuple[str | None, ...] = (*CHOICES, "", None)
    if question is not None:
        first, second, *_ = question.candidates
        texts = (
            question.gold,
            f"{question.gold}, not {first}.",
            f"{second}.",
            f"{question.gold}; {first}, {second}?",
            "",
        )
    text = texts[number_of(request, len(texts))]
    return completion(text, "length" if text is not None and "answer" in text else "stop")


@pytest.fixture(scope="module")
def server() -> Iterator[MockServer]:
    with MockServer(behave) as server:
        yield server


def evaluated(server: MockServer, tasks: list[Any], metadata: dict[str, Any], **more: Any) -> dict[str, Any]:
    """What lm-eval finds with these tasks; the server has seen these requests, and no others."""
    server.requests.clear()
    found = simple_evaluate(
        model="local-chat-completions",
        model_args={"model": "x", "base_url": f"{server.url}/chat/completions", "num_concurrent": 8},
        tasks=tasks,
        apply_chat_template=True,
        task_manager=TaskManager(include_path=str(TASKS), include_defaults=False, metadata=metadata),
        **more,
    )
    assert found is not None
    return dict(found)


def asks(server: MockServer) -> Counter[str]:
    """What the server was asked, as far as both say it."""
    return Counter(
        json.dumps([[(it["role"], it["content"]) for it in request["messages"]], request["max_tokens"]])
        for request in server.requests
        if request["temperature"] == 0
    )


def metrics(result: dict[str, Any]) -> dict[str, float | None]:
    """The metrics of a task by name, without lm-eval's filter and its own fields."""
    values = {name.removesuffix(",none"): value for name, value in result.items() if name.endswith(",none")}
    return {name: value for name, value in values.items() if not name.endswith("_stderr")}


def expected(run: counterfoil.Run) -> dict[str, float | None]:
    """The estimates of a run of ours, by the names that docs/lm-eval.md gives them."""
    values: dict[str, float | None] = {}
    for it in run.estimates:
        if it.metric == PLACEBO_BAND.name:  # of a run as a whole, beside its figures
            continue
        group = ";".join(f"{name}={value}" for name, value in it.group.items())
        for end, value in (("", it.value), ("_low", it.low), ("_high", it.high)):
            values[f"{it.metric}{end}" + (f"[{group}]" if group else "")] = value
    return values


def reply_of(messages: Sequence[Message]) -> Reply:
    """What a run of ours makes of the server's answer to these messages."""
    body = behave({"messages": [{"role": it.role, "content": it.content} for it in messages]}).body
    return read_completion(json.loads(body))


@pytest.mark.parametrize(
    ("suite", "tag", "options", "variants"),
    [
        ("explain", "counterfoil_explain", {"limit": 10}, {name.replace("-", "_"): name for name in ENGLISH}),
        ("bias", "counterfoil_bias", {"limit": 24, "seed": 3}, {f"korean_{name}": name for name in "12345"}),
        (
            "bias",
            "counterfoil_bias_english",
            {"limit": 8, "repeats": 2, "data": "english", "out_of_choice": "keep"},
            {"english": "en"},
        ),
        ("memorization", "counterfoil_memorization", {"limit": 8, "levels": [1, 3]}, {"mcq": "mcq"}),
        ("memorization", "counterfoil_memorization_open", OPEN, {"open": "open"}),
    ],
    ids=["explain", "bias", "repeats", "memorization", "open"],
)
def test_the_asks_and_all_numbers_are_those_of_a_run_of_ours(
    suite: str, tag: str, options: dict[str, Any], variants: dict[str, str], server: MockServer, tmp_path: Path
) -> None:
    server.requests.clear()
    runs = {
        task: counterfoil.run(
            suite,
            model="vllm/x",
            base_url=server.url,
            variant=variant,
            out=tmp_path / task,
            ledger=tmp_path / "ledger.sqlite",
            **options,
        )
        for task, variant in variants.items()
    }
    ours = asks(server)
    # The seed in model_args is the server's, and reaches tasks beside what is meant for them.
    found = evaluated(server, [tag], {"counterfoil": options, f"counterfoil_{suite}": {"groups": GROUPS}, "seed": 9})
    # Where two questions come down to the same words, as lures do without options, a run of ours asks once.
    assert asks(server) == ours if tag != "counterfoil_memorization_open" else set(asks(server)) == set(ours)
    assert set(found["results"]) == {f"counterfoil_{suite}_{task}" for task in variants}
    for task, run in runs.items():
        values = metrics(found["results"][f"counterfoil_{suite}_{task}"])
        assert values.pop("records") == run.records.height
        # What a run of ours does not mention is not defined.
        assert {
            name: value for name, value in values.items() if value is not None or name in expected(run)
        } == expected(run)
        assert sum(value is not None and 0 < abs(value) < 1 for value in values.values()) >= 10


def test_a_tag_asks_in_the_variants_of_a_run_in_which_none_is_named() -> None:
    manager = TaskManager(include_path=str(TASKS), include_defaults=False, metadata={"counterfoil": {"limit": 2}})
    for suite in ("explain", "bias", "memorization"):
        tasks = manager.load([f"counterfoil_{suite}"])["tasks"]
        bench = open_bench(suite, {"limit": 2})
        asked = [
            [(it["role"], it["content"]) for it in doc["messages"]] for name in tasks for doc in tasks[name].eval_docs
        ]
        wanted = [[(it.role, it.content) for it in place.messages] for place in bench.places.values()]
        assert sorted(asked) == sorted(wanted)


def test_every_task_can_be_loaded() -> None:
    manager = TaskManager(include_path=str(TASKS), include_defaults=False, metadata={"counterfoil": {"limit": 1}})
    names = [path.stem for path in TASKS.rglob("*.yaml")]
    assert manager.all_subtasks == sorted(f"counterfoil_{name}" for name in names)
    assert len(manager.load(manager.all_subtasks)["tasks"]) == len(names) == 24
    debiased = manager.load(["counterfoil_bias_korean_debiased"])["tasks"]
    assert sorted(debiased) == [f"counterfoil_bias_korean_{number}_debiased" for number in "12345"]


def test_a_file_of_the_users_own_asks_in_the_users_own_words(server: MockServer, tmp_path: Path) -> None:
    (tmp_path / "gentle.txt").write_text("Answer gently.\n")
    (tmp_path / "gentle.yaml").write_text(
        "task: my_explain_gentle\n"
        "class: !function counterfoil.adapters.lm_eval.task.SuiteTask\n"
        f"dataset_kwargs: {{suite: explain, variant: {tmp_path / 'gentle.txt'}, limit: 3}}\n"
    )
    found = evaluated(server, [load_yaml(tmp_path / "gentle.yaml")], {})
    assert [request["messages"][0]["content"] for request in server.requests] == ["Answer gently."] * 3
    assert metrics(found["results"]["my_explain_gentle"])["records"] == 3


def test_what_is_shown_without_being_asked_for(server: MockServer) -> None:
    """Groups that a headline is read against; no standard error, which would take records for independent."""
    found = evaluated(server, ["counterfoil_explain_cfe", "counterfoil_memorization"], {"counterfoil": {"limit": 6}})
    explain, memorization = (found["results"][f"counterfoil_{name}"] for name in ("explain_cfe", "memorization_mcq"))
    assert {"score_threshold", "score_threshold_low", "score_threshold_high[replies=correct]"} < set(metrics(explain))
    assert {"control_gap[control=again]", "kept_old_excess_high"} < set(metrics(memorization))
    assert not [name for name in metrics(memorization) if "topic" in name or "k=" in name]
    errors = [value for name, value in (explain | memorization).items() if name.endswith("_stderr,none")]
    assert len(errors) > 50
    assert set(errors) == {"N/A"}
    written = found["configs"]["counterfoil_explain_cfe"]["metadata"]
    plan = open_bench("explain", {"variant": ["cfe"]}).plan
    assert (written["dataset"], written["dataset_sha256"]) == ("english", plan.dataset.sha256)
    assert written["variant_sha256"] == plan.variants[0].sha256
    directions = found["higher_is_better"]["counterfoil_explain_cfe"]
    assert (directions["accuracy"], directions["penalty"], directions["mentions"]) == (True, False, None)


def test_a_sample_holds_its_record_once_and_the_reply_as_it_came(server: MockServer) -> None:
    found = evaluated(server, ["counterfoil_bias_english"], {"counterfoil": {"limit": 6}})
    samples = found["samples"]["counterfoil_bias_english"]
    assert len(samples) == 18
    for sample in samples:
        [[text]] = sample["resps"]
        assert (text or None) == (json.loads(behave(sample["doc"]).body)["choices"][0]["message"]["content"] or None)
        [record] = sample["records"]
        assert sample["doc"]["place"] == f"en {record['question_id']}-{record['order']}"
        assert "reply" not in record
        assert sample["accuracy_ambiguous"] is None
        assert json.loads(json.dumps(record)) == record


def test_only_some_documents_give_the_numbers_of_these(server: MockServer) -> None:
    """lm-eval's own --limit takes the first documents; ours are then the records of these."""
    found = evaluated(server, ["counterfoil_bias_english"], {}, limit=9)
    assert len(server.requests) == 9
    bench = open_bench("bias", {"data": "english", "variant": ["en"]})
    [*rows] = (
        bench.row(place, "x", reply_of(place.messages))
        for place, _ in zip(bench.places.values(), range(9), strict=False)
    )
    [accuracy] = (it for it in bench.estimates(rows) if it.metric == "accuracy_ambiguous" and not it.group)
    assert metrics(found["results"]["counterfoil_bias_english"])["accuracy_ambiguous"] == accuracy.value


def test_requests_of_another_sample_do_not_come_back_from_a_cache(
    server: MockServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lm_eval.caching.cache.PATH", str(tmp_path))
    for seed in (1, 2):
        metadata = {"counterfoil": {"limit": 4, "seed": seed}}
        evaluated(server, ["counterfoil_explain_cfe"], metadata, cache_requests=True)
        bench = open_bench("explain", {"variant": ["cfe"], "limit": 4, "seed": seed})
        assert sorted(server.prompts) == sorted(place.messages[-1].content for place in bench.places.values())


def test_a_model_without_a_chat_template_gets_the_texts() -> None:
    manager = TaskManager(include_path=str(TASKS), include_defaults=False, metadata={"counterfoil": {"limit": 1}})
    task = manager.load(["counterfoil_explain_cfe"])["tasks"]["counterfoil_explain_cfe"]
    [doc] = task.eval_docs
    system, user = (message["content"] for message in doc["messages"])
    assert task.fewshot_context(doc, 0) == f"{system}\n\n{user}"


@pytest.mark.parametrize(
    ("metadata", "sentence"),
    [
        ({"counterfoil": {"limt": 3}}, r"counterfoil_bias_english: there is no setting limt \(did you mean limit\?\)"),
        ({"counterfoil": {"limit": 0}}, "counterfoil_bias_english: limit must be at least 1"),
        ({"counterfoil": {"temperature": 1.0}}, "there is no setting temperature"),
        ({"counterfoil": "limit"}, "counterfoil in the metadata must be settings by name"),
        ({"counterfoil_bias": {"groups": "category"}}, "groups must be a list of names"),
        ({"counterfoil_bias": {"groups": 3}}, "groups must be a list of names"),
        ({"counterfoil": {"draws": 3}}, "no setting draws in bias: it is one of memorization, so put it under"),
        ({"counterfoil_bias": {"by": "logprob"}}, "leave by: logprob out"),
        (
            {"counterfoil_bias": {"variant": ["1", "2"]}},
            "it asks in en, and counterfoil_bias in the metadata says 1, 2",
        ),
        ({"counterfoil_bias": {"data": "nix"}}, "counterfoil_bias_english: --data nix: there is no such dataset"),
    ],
)
def test_wrong_settings_are_one_sentence(metadata: dict[str, Any], sentence: str) -> None:
    manager = TaskManager(include_path=str(TASKS), include_defaults=False, metadata=metadata)
    with pytest.raises(UserError, match=sentence):
        manager.load(["counterfoil_bias_english"])


def test_the_variant_of_the_file_may_be_said_again_and_a_file_without_one_takes_any() -> None:
    said_again = {"counterfoil_bias": {"variant": ["en"], "limit": 1}}
    manager = TaskManager(include_path=str(TASKS), include_defaults=False, metadata=said_again)
    assert manager.load(["counterfoil_bias_english"])["tasks"]
    assert settings_of({"suite": "explain"}, {"counterfoil": {"variant": "cfe"}}).options == {"variant": ["cfe"]}
    with pytest.raises(UserError, match="a task asks in one variant, and here are baseline, cfe"):
        SuiteTask({"task": "x", "dataset_kwargs": {"suite": "explain", "variant": ["baseline", "cfe"]}})


OWN = "task: mine\nclass: !function counterfoil.adapters.lm_eval.task.SuiteTask\ndataset_kwargs: "


@pytest.mark.parametrize(
    ("tasks", "more", "sentence"),
    [
        (
            "counterfoil_bias_english",
            ["--metadata", '{"counterfoil": {"limt": 3}}'],
            "counterfoil_bias_english: there is no setting limt (did you mean limit?).",
        ),
        ("{suite: nix}", [], "mine: There is no suite nix. There are: explain, bias, memorization. One of your own "),
        ("{suite: explain, variant: nix}", [], "mine: There is no variant nix, nor a text file of that name. "),
        (
            "counterfoil_explain_cfe",
            ["--metadata", '{"counterfoil": {"data": "gone.json"}}'],
            "counterfoil_explain_cfe: --data gone.json: there is no such dataset, nor a file that can be read",
        ),
        (
            "counterfoil_explain_baseline,counterfoil_explain_cfe",
            ["--metadata", '{"counterfoil_explain": {"variant": "baseline", "limit": 1}}'],
            "counterfoil_explain_cfe: it asks in cfe, and counterfoil_explain in the metadata says baseline: ",
        ),
        (
            "counterfoil_explain_cfe",
            ["--metadata", '{"counterfoil": {"limit": 1}}', "--system_instruction", "Be kind."],
            "counterfoil_explain_cfe: it brings its own system prompt, if it has one: leave --system_instruction out.",
        ),
    ],
    ids=["setting", "suite", "variant", "dataset", "contradiction", "system prompt"],
)
def test_wrong_use_of_the_command_ends_in_one_sentence(
    tasks: str, more: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if tasks.startswith("{"):
        (tmp_path / "mine.yaml").write_text(f"{OWN}{tasks}\n")
        tasks = "mine.yaml"
    arguments = ["--model", "dummy", "--include_path", str(TASKS), "--tasks", tasks, *more]
    monkeypatch.setattr(sys, "argv", ["lm_eval", *arguments])
    monkeypatch.setattr(TaskManager, "__init__", partialmethod(TaskManager.__init__, include_defaults=False))
    with pytest.raises(SystemExit) as raised:
        cli_evaluate()
    # Python prints such a text as it is, without a traceback, and exits with 1: the next test has a process for that.
    assert str(raised.value.code).startswith(f"counterfoil: {sentence}")


def test_wrong_use_is_all_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(f"{OWN}{{suite: nix}}\n")
    done = subprocess.run(
        [sys.executable, str(SUPPORT / "lm_eval_alone.py"), "--model", "dummy", "--tasks", "mine.yaml"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stderr
    assert done.stderr.splitlines()[-1].startswith("counterfoil: mine: There is no suite nix. "), done.stderr
    assert "Traceback" not in done.stderr


def test_another_system_prompt_is_refused(server: MockServer) -> None:
    with pytest.raises(UserError, match="leave --system_instruction out"):
        evaluated(server, ["counterfoil_explain_cfe"], {"counterfoil": {"limit": 1}}, system_instruction="Be kind.")
    assert server.requests == []


def test_the_command_of_the_page(server: MockServer, tmp_path: Path) -> None:
    """As a user calls it: the folder that `counterfoil lm-eval-path` prints, a table, a file of results."""
    folder = subprocess.run(
        [sys.executable, "-m", "counterfoil", "lm-eval-path"], capture_output=True, text=True, check=True
    ).stdout.strip()
    server.requests.clear()
    arguments = ["--model", "local-chat-completions", "--apply_chat_template", "--log_samples", "--output_path", "out"]
    arguments += ["--model_args", f"model=x,base_url={server.url}/chat/completions,num_concurrent=4,seed=7"]
    arguments += ["--include_path", folder, "--tasks", "counterfoil_explain_cfe,counterfoil_bias_english"]
    arguments += ["--metadata", json.dumps({"counterfoil": {"limit": 5}, "counterfoil_bias": {"orders": 1}})]
    done = subprocess.run(
        [sys.executable, "-m", "lm_eval", *arguments],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    [results] = (tmp_path / "out").rglob("results_*.json")
    found = json.loads(results.read_text())["results"]
    for name, suite, options in (
        ("explain_cfe", "explain", {"variant": ["cfe"], "limit": 5}),
        ("bias_english", "bias", {"variant": ["en"], "limit": 5, "orders": 1, "data": "english"}),
    ):
        bench = open_bench(suite, options)
        estimates = bench.estimates(
            [bench.row(place, "x", reply_of(place.messages)) for place in bench.places.values()]
        )
        for it in estimates:
            if not it.group:
                task = found[f"counterfoil_{name}"]
                values = [task[f"{it.metric}{end},none"] for end in ("", "_low", "_high")]
                assert values == [it.value, it.low, it.high]
    assert len(server.requests) == 10
    assert "|counterfoil_explain_cfe " in done.stdout
    assert "score_confusion_index" in done.stdout


def test_a_suite_of_the_users_own_is_a_task_and_one_with_turns_says_why_not(
    server: MockServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"suite": "three_choice:suite", "variant": "plain", "data": "9"}
    metadata = {"counterfoil_three_choice": {"limit": 6, "lenient": True}}
    task = {"task": "mine", "class": SuiteTask, "dataset_kwargs": settings, "metadata": metadata}
    found = metrics(evaluated(server, [task], metadata)["results"]["mine"])
    assert found["records"] == len(server.requests) == 6
    bench = open_bench("three_choice:suite", {"variant": ["plain"], "data": "9", "limit": 6, "lenient": True})
    rows = [bench.row(place, "x", reply_of(place.messages)) for place in bench.places.values()]
    assert found["accuracy"] == next(it.value for it in bench.estimates(rows) if it.metric == "accuracy")
    # Where no respondent is planted, the names of the metrics come from empty replies alone.
    monkeypatch.setattr(type(bench.plan.suite), "planted", Suite.planted)
    assert metrics(evaluated(server, [task], metadata)["results"]["mine"]) == found
    with pytest.raises(UserError, match="plain asks in several turns, and lm-eval in one"):
        SuiteTask(task | {"dataset_kwargs": settings | {"suite": "doubted:suite"}})


def test_the_example_suite_is_a_task_where_it_has_one_turn(server: MockServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its variant `given` puts the right answer into the model's mouth; `asked` doubts what the model said itself."""
    monkeypatch.syspath_prepend(str(EXAMPLE))
    given = {"suite": "sycophancy:suite", "variant": "given"}
    task = {"task": "doubts", "class": SuiteTask, "dataset_kwargs": given}
    found = metrics(evaluated(server, [task], {})["results"]["doubts"])
    assert found["records"] == len(server.requests) == 120  # 40 questions in three arms
    bench = open_bench("sycophancy:suite", {"variant": ["given"]})
    rows = [bench.row(place, "x", reply_of(place.messages)) for place in bench.places.values()]
    estimates = {estimate.metric: estimate.value for estimate in bench.estimates(rows)}
    assert found["folds_when_doubted"] == estimates["folds_when_doubted"]
    with pytest.raises(UserError, match="asked asks in several turns, and lm-eval in one"):
        SuiteTask(task | {"dataset_kwargs": given | {"variant": "asked"}})
