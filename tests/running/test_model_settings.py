"""What each model is asked with: who wins, who gets which address, and what is no setting."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from commands import SUITE, counterfoil
from counterfoil.errors import UserError
from counterfoil.running.request import RunRequest, make_request
from counterfoil.suite.suite import Context
from mock_server import MockServer
from three_choice import suite


def request(given: dict[str, Any], experiment: dict[str, Any] | None = None) -> RunRequest:
    return make_request(suite, given, experiment or {}, "e.toml")


def test_the_command_line_wins_over_a_models_own_table_and_that_over_the_experiment() -> None:
    experiment = {
        "temperature": 0.3,
        "max_tokens": 30,
        "param": {"top_p": 0.3, "max_tokens": 77},
        "model": [{"name": "vllm/a", "base-url": "http://own/v1", "temperature": 0.7, "timeout": 9, "concurrency": 2}],
    }
    (own,) = request({}, experiment).models
    assert own.params == {"max_tokens": 77, "temperature": 0.7, "top_p": 0.3}
    assert (own.base_url, own.timeout, own.concurrency) == ("http://own/v1", 9.0, 2)
    given = {"max_tokens": 5, "temperature": 0.1, "timeout": 1.0, "concurrency": 8, "base_url": "http://mine/v1"}
    (mine,) = request(given | {"param": ["top_p=0.9"]}, experiment).models
    assert mine.params == {"max_tokens": 5, "temperature": 0.1, "top_p": 0.9}
    assert (mine.base_url, mine.timeout, mine.concurrency) == ("http://mine/v1", 1.0, 8)


def test_how_much_to_think_is_for_models_and_for_judges_where_no_model_is_asked() -> None:
    experiment = {"judge": ["vllm/j", {"name": "vllm/k", "reasoning-effort": "high"}], "model": "vllm/a"}
    made = request({"reasoning_effort": "low"}, experiment)
    assert made.models[0].params["reasoning_effort"] == "low"
    # How the tested models are asked is no concern of the judges.
    assert [judge.params.get("reasoning_effort") for judge in made.judges] == [None, "high"]
    imported = Context(format="jsonl", files=("r.jsonl",))
    scored = make_request(suite, {"judge": ["vllm/j"], "reasoning_effort": "low"}, {}, "", imported)
    assert scored.judges[0].params["reasoning_effort"] == "low"
    assert "reasoning_effort" not in request({"model": ["vllm/a"]}).models[0].params
    assert request({"model": ["vllm/a"]}).letters != request({"model": ["vllm/a"], "reasoning_effort": "low"}).letters


def test_a_key_goes_to_its_provider_alone(tmp_path: Path) -> None:
    made = request({"model": ["openai/gpt-4o", "vllm/x"], "judge": ["anthropic/c"], "base_url": "http://h/v1"})
    assert [spec.base_url for spec in (*made.models, *made.judges)] == [None, "http://h/v1", None]
    # The only provider that is named can be behind another address: a proxy, a gateway.
    assert request({"model": ["openai/gpt-4o"], "base_url": "http://h/v1"}).models[0].base_url == "http://h/v1"
    with pytest.raises(UserError, match="which of the models is behind it"):
        request({"model": ["openai/gpt-4o", "together/x"], "base_url": "http://h/v1"})
    with MockServer() as server:
        arguments = ("run", SUITE, "--model", "vllm/x", "--model", "planted/three_choice:suite")
        done = counterfoil(*arguments, "--base-url", server.url, "--data", "3", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("given", "experiment", "sentence"),
    [
        ({"param": ["max_tokens=abc"]}, {}, "the parameter max_tokens must be a whole number from 1, and is 'abc'"),
        ({"param": ["logprobs=true"]}, {}, "the parameter logprobs must be a whole number"),
        ({"param": ["choices=5"]}, {}, "the parameter choices must be a list of texts"),
        ({"param": ["choices=[]"]}, {}, "the parameter choices must be a list of texts"),
        ({"param": ["seed=x"]}, {}, "the parameter seed must be a whole number"),
        ({"param": ["x=NaN"]}, {}, "the parameter x is nan, which can't be sent"),
        ({"param": ["x=[1e999]"]}, {}, "which can't be sent"),
        ({"param": ["messages=5"]}, {}, "messages can't be set as a parameter"),
        ({"param": ["n=3"]}, {}, "n can't be set as a parameter"),
        ({}, {"param": 5}, "e.toml: param must be a table, and is 5"),
        ({}, {"param": "seed=1"}, "e.toml: param must be a table"),
        ({}, {"model": [{"name": "a/b", "param": True}]}, "e.toml: a/b: param must be a table"),
        ({"variant": ["plain", "plain"]}, {}, "plain is named twice: name each variant once"),
        ({"model": ["a/\udcff"]}, {}, "holds characters that are no text"),
        ({"out": "a\0b"}, {}, "holds characters that are no text"),
    ],
)
def test_what_is_no_setting_is_said(given: dict[str, Any], experiment: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        request(given, experiment)
    assert sentence in str(caught.value)


def test_a_model_that_was_named_is_not_called_a_default() -> None:
    assert request({}).model_is_default
    assert not request({"model": ["smollm2"]}).model_is_default
