"""What is in force: the command line over the experiment file over the defaults."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from counterfoil.errors import UserError
from counterfoil.running.request import RunRequest, make_request, read_experiment
from three_choice import suite


def request(given: dict[str, Any] | None = None, toml: str = "", tmp_path: Path | None = None) -> RunRequest:
    experiment: dict[str, Any] = {}
    if toml:
        assert tmp_path is not None
        path = tmp_path / "e.toml"
        path.write_text(toml)
        experiment = read_experiment(path)
    return make_request(suite, given or {}, experiment, "e.toml")


def test_defaults() -> None:
    made = request()
    assert made.model_is_default
    assert [model.name for model in made.models] == ["smollm2"]
    assert made.models[0].params == {"max_tokens": 16, "temperature": 0.0}  # the suite's, and the default of every run
    assert (made.repeats, made.seed, made.limit, made.settings) == (1, 0, None, {"lenient": False})
    assert made.ledger == Path(".counterfoil/ledger.sqlite")
    assert re.fullmatch(r"runs/three_choice-[a-z]{8}", str(made.out))


def test_an_experiment_file_holds_everything_and_the_command_line_wins(tmp_path: Path) -> None:
    toml = """
        suite = "three_choice:suite"
        limit = 7
        max-tokens = 32
        max_cost = 3
        variant = ["plain", "polite"]
        judge = "vllm/j"
        lenient = true
        model = [
            "openai/gpt-4o",
            {name = "vllm/x", base-url = "http://h:1/v1", temperature = 1, max-tokens = 5, concurrency = 3},
        ]
        [param]
        seed = 5
        top_p = 0.5
    """
    made = request({"limit": 9, "param": ["seed=6", 'stop=["x"]', "user=me"], "repeats": None}, toml, tmp_path)
    assert made.limit == 9
    assert made.max_cost == 3.0
    assert made.context.variants == ["plain", "polite"]
    assert made.settings == {"lenient": True}
    assert [judge.name for judge in made.judges] == ["vllm/j"]
    common = {"top_p": 0.5, "seed": 6, "stop": ["x"], "user": "me"}
    assert made.models[0].params == {"temperature": 0.0, "max_tokens": 32, **common}
    assert made.models[1].params == {"temperature": 1.0, "max_tokens": 5, **common}
    assert (made.models[1].base_url, made.models[1].concurrency) == ("http://h:1/v1", 3)
    assert made.models[0].base_url is None


@pytest.mark.parametrize(
    ("toml", "sentence"),
    [
        ("limt = 3", "e.toml: there is no option limt (did you mean limit?)."),
        ('limit = "3"', "e.toml: limit must be a whole number, and is '3'."),
        ("limit = true", "e.toml: limit must be a whole number, and is True."),
        ("limit = 0", "e.toml: limit must be at least 1, and is 0."),
        ("temperature = -1", "e.toml: temperature must be at least 0, and is -1.0."),
        ("temperature = nan", "e.toml: temperature must be a number, and is nan."),
        ('model = [{nam = "x"}]', "e.toml: a model is a name, or a table with a name; {'nam': 'x'} is neither."),
        ('model = [{name = "x", tempratur = 1}]', "e.toml: a model has no tempratur (did you mean temperature?)."),
        ('model = [{name = "x", timeout = "1"}]', "e.toml: x: timeout must be a number, and is '1'."),
        ('model = ["a/b", "a/b"]', "a/b is named twice: name each model once."),
        ("lenient = 1", "e.toml: lenient must be true or false, and is 1."),
    ],
)
def test_bad_keys_and_values_are_named(toml: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        request(toml=toml, tmp_path=tmp_path)
    assert str(caught.value) == sentence


def test_a_file_that_is_missing_or_no_toml(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nix\.toml can't be read"):
        read_experiment(tmp_path / "nix.toml")
    (tmp_path / "bad.toml").write_text("limit = \nseed = 1\n")
    with pytest.raises(UserError, match=r"bad\.toml is not valid TOML: .*line 1"):
        read_experiment(tmp_path / "bad.toml")
    with pytest.raises(UserError, match="param seed is not KEY=VALUE"):
        request({"param": ["seed"]})


def test_the_folder_is_found_again_by_what_is_asked_for_and_nothing_else() -> None:
    folder = request().out
    same: list[dict[str, Any]] = [
        {"concurrency": 5},
        {"timeout": 1.0},
        {"max_cost": 1.0},
        {"max_tokens_total": 10},
        {"ledger": "elsewhere"},
        {"model": ["smollm2"]},
    ]
    other: list[dict[str, Any]] = [
        {"model": ["vllm/x"]},
        {"judge": ["vllm/x"]},
        {"variant": ["polite"]},
        {"data": "10"},
        {"limit": 3},
        {"repeats": 2},
        {"temperature": 0.5},
        {"max_tokens": 17},
        {"param": ["seed=1"]},
        {"base_url": "http://h/v1"},
        {"seed": 1},
        {"lenient": True},
    ]
    assert {request(given).out for given in same} == {folder}
    assert len({request(given).out for given in other} | {folder}) == len(other) + 1
