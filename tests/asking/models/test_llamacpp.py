"""Weights in this process, with the real small model: it answers, is held to choices, and fails in clear sentences."""

from __future__ import annotations

import asyncio
import hashlib
import math
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib import metadata, util
from pathlib import Path
from typing import Any

import pytest

from counterfoil.asking.ask import Ask, Message, Reply
from counterfoil.asking.models.base import Hopeless, ModelSpec, ModelUnusable
from counterfoil.asking.models.llamacpp import LlamaModel
from counterfoil.asking.models.weights import SMOLLM2_SHA256, cache_folder, smollm2_is_here, smollm2_path
from counterfoil.errors import UserError

if util.find_spec("xllamacpp") is None:
    pytest.skip("llama.cpp is not installed: pip install 'counterfoil[local]'", allow_module_level=True)

pytestmark = pytest.mark.heavy

needs_weights = pytest.mark.skipif(
    not smollm2_is_here(), reason="the weights of smollm2 are not here: `counterfoil models get smollm2` fetches them"
)
QUESTION = "Which is a fruit?\nA: apple\nB: stone\nC: car\nAnswer with one letter."


def user(text: str) -> tuple[Message, ...]:
    return (Message("user", text),)


class Answers:
    """What the real model gave to all asks below; it is loaded once."""

    def __init__(self, asks: Sequence[tuple[str, Mapping[str, Any], int]]) -> None:
        self.asks: list[Ask] = []
        self.outcomes: list[Reply | BaseException] = []
        asyncio.run(self._send(asks))

    async def _send(self, asks: Sequence[tuple[str, Mapping[str, Any], int]]) -> None:
        model = LlamaModel(ModelSpec(name="smollm2", concurrency=2))
        assert model.slots == 2
        self.asks = [model.ask(user(text), params, sample) for text, params, sample in asks]
        sent = await asyncio.gather(*(model.send(ask, 120) for ask in self.asks), return_exceptions=True)
        self.outcomes = [one if isinstance(one, BaseException) else one.reply for one in sent]
        await model.close()

    def reply(self, number: int) -> Reply:
        outcome = self.outcomes[number]
        assert isinstance(outcome, Reply), outcome
        return outcome


SHORT = {"temperature": 0, "max_tokens": 4}


@pytest.fixture(scope="module")
def answers() -> Answers:
    return Answers(
        [
            ("Say hello.", SHORT, 0),
            ("Say hello.", SHORT, 0),
            (QUESTION, {"temperature": 0, "max_tokens": 8, "choices": ["stone", 'a "b"\\']}, 0),
            (QUESTION, {"temperature": 0, "max_tokens": 2, "logprobs": 3, "choices": ["A", "B", "C"]}, 0),
            ("word " * 6000, SHORT, 0),
            ("Say hello.", {"max_tokens": "many"}, 0),
        ]
    )


@needs_weights
def test_a_short_reply_is_cut_off_at_its_limit(answers: Answers) -> None:
    reply = answers.reply(0)
    assert reply.text != ""
    assert (reply.status, reply.finish_reason) == ("truncated", "length")
    assert reply.output_tokens == 4
    assert reply.input_tokens is not None
    assert reply.input_tokens > 3  # "Say hello." and the chat template around it


@needs_weights
def test_the_same_ask_gives_the_same_text_at_temperature_0(answers: Answers) -> None:
    assert answers.asks[0].key == answers.asks[1].key
    assert answers.reply(0).text == answers.reply(1).text


@needs_weights
def test_choices_hold_the_model_to_them(answers: Answers) -> None:
    # Unheld it does not begin with either: they are no good answers, and one has a quote and a backslash in it.
    assert answers.reply(2).text in ("stone", 'a "b"\\')
    assert answers.reply(2).status == "ok"
    assert answers.reply(3).text in ("A", "B", "C")


@needs_weights
def test_log_probabilities_are_those_of_the_letters(answers: Answers) -> None:
    reply = answers.reply(3)
    assert reply.logprobs is not None
    first = reply.logprobs[0]
    assert first.token == reply.text
    assert len(first.top) == 3
    assert all(logprob <= 0 for logprob in (first.logprob, *first.top.values()))
    assert sum(math.exp(logprob) for logprob in first.top.values()) <= 1 + 1e-6
    assert {"A", "B", "C"} & first.top.keys()  # asked for one letter, it finds at least one of them likely


@needs_weights
def test_a_prompt_that_is_too_long_is_hopeless(answers: Answers) -> None:
    # 6,000 words are more than the 4,096 tokens of a slot.
    assert type(answers.outcomes[4]) is Hopeless
    assert "context" in str(answers.outcomes[4])


@needs_weights
def test_a_parameter_that_makes_no_sense_is_hopeless(answers: Answers) -> None:
    assert type(answers.outcomes[5]) is Hopeless


@needs_weights
def test_the_ask_is_the_weights_hash_and_the_runtimes_version(answers: Answers) -> None:
    assert answers.asks[0] == Ask(
        provider="gguf",
        model=f"sha256:{SMOLLM2_SHA256}",
        runtime=f"xllamacpp {metadata.version('xllamacpp')}",
        messages=user("Say hello."),
        params=SHORT,
    )


@needs_weights
def test_no_path_of_this_machine_is_in_an_ask_or_a_reply(answers: Answers) -> None:
    everything = repr(answers.asks[:4]) + repr(answers.outcomes)
    for path in (str(smollm2_path()), smollm2_path().name, str(cache_folder()), str(Path.home()) + "/"):
        assert path not in everything


@needs_weights
def test_the_same_weights_under_another_name_are_the_same_model(tmp_path: Path, answers: Answers) -> None:
    link = tmp_path / "mine.gguf"
    link.symlink_to(smollm2_path())
    model = LlamaModel(ModelSpec(name=f"gguf/{link}"))
    assert model.name == f"gguf/{link}"
    assert model.ask(user("Say hello."), SHORT, 0).key == answers.asks[0].key
    asyncio.run(model.close())


@pytest.fixture
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COUNTERFOIL_CACHE", str(tmp_path / "cache"))


@pytest.mark.usefixtures("_own_cache")
def test_without_its_weights_smollm2_says_how_to_get_them() -> None:
    with pytest.raises(UserError) as raised:
        LlamaModel(ModelSpec(name="smollm2"))
    assert str(raised.value) == (
        "The weights of smollm2 are not here yet: `counterfoil models get smollm2` fetches them."
    )


@pytest.mark.usefixtures("_own_cache")
def test_a_file_that_is_not_there_or_no_gguf_is_said(tmp_path: Path) -> None:
    for path in (tmp_path / "none.gguf", tmp_path):
        with pytest.raises(UserError) as raised:
            LlamaModel(ModelSpec(name=f"gguf/{path}"))
        assert str(raised.value) == f"gguf/{path}: there is no file {path}."
    for content in (b"", b"GG", b"PK and so on"):
        file = tmp_path / "other.gguf"
        file.write_bytes(content)
        with pytest.raises(UserError) as raised:
            LlamaModel(ModelSpec(name=f"gguf/{file}"))
        assert str(raised.value) == f"gguf/{file}: {file} is not a GGUF file."


@pytest.mark.usefixtures("_own_cache")
def test_without_the_runtime_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def version(package: str) -> str:
        raise metadata.PackageNotFoundError(package)

    monkeypatch.setattr(metadata, "version", version)
    with pytest.raises(UserError, match=r"needs llama\.cpp: pip install 'counterfoil\[local\]', then run again"):
        LlamaModel(ModelSpec(name=f"gguf/{tmp_path}/x.gguf"))


LOADS_WEIGHTS = """
import asyncio, sys
from counterfoil.asking.models.base import ModelSpec
from counterfoil.asking.models.llamacpp import LlamaModel

model = LlamaModel(ModelSpec(name=f"gguf/{sys.argv[1]}"))
asyncio.run(model.send(model.ask([], {}, 0), 60))
"""


@pytest.mark.parametrize(("given", "expected"), [(None, "PASSIVE"), ("active", "ACTIVE")])
def test_threads_give_way_unless_told_otherwise(tmp_path: Path, given: str | None, expected: str) -> None:
    file = tmp_path / "broken.gguf"
    file.write_bytes(b"GGUF\x03\x00\x00\x00 and nothing that follows from it")
    environment = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    environment |= {"COUNTERFOIL_CACHE": str(tmp_path / "cache"), "OMP_DISPLAY_ENV": "true"}
    environment |= {"OMP_WAIT_POLICY": given} if given else {}
    command = [sys.executable, "-c", LOADS_WEIGHTS, str(file)]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stderr
    assert "can't be loaded" in said
    if "OPENMP DISPLAY ENVIRONMENT BEGIN" not in said:
        pytest.skip("this llama.cpp is built without OpenMP")
    assert f"OMP_WAIT_POLICY = '{expected}'" in said


@pytest.mark.usefixtures("_own_cache")
def test_a_broken_gguf_makes_the_model_unusable(tmp_path: Path) -> None:
    file = tmp_path / "broken.gguf"
    content = b"GGUF\x03\x00\x00\x00 and nothing that follows from it"
    file.write_bytes(content)

    async def send() -> None:
        model = LlamaModel(ModelSpec(name=f"gguf/{file}"))
        ask = model.ask(user("Say hello."), {}, 0)
        assert ask.model == f"sha256:{hashlib.sha256(content).hexdigest()}"
        try:
            await model.send(ask, 60)
        finally:
            await model.close()

    with pytest.raises(ModelUnusable, match=r"broken\.gguf can't be loaded"):
        asyncio.run(send())
