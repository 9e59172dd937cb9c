"""`inspect/PROVIDER/MODEL`: Inspect's providers as models of ours. We pace, we try again, we keep the replies."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="Inspect is not installed: make test-extras sets up an environment with it")

import counterfoil
from counterfoil.asking.ask import Message, Reply, TokenChoice
from counterfoil.asking.models import open_model
from counterfoil.asking.models.base import Hopeless, ModelSpec, ModelUnusable, TimedOut, TryAgain, Unreachable
from counterfoil.asking.models.inspect import read_output
from counterfoil.errors import UserError
from inspect_evals import SUITES, as_inspect_is, named, own_run, respondent, serving
from mock_server import Answer, MockServer, completion, error

pytestmark = as_inspect_is

NAME = "inspect/openai-api/local/mock"
KEY = "a-key-that-nobody-may-see"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder and a key of its own; what Inspect has left lying is swept up here."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOCAL_API_KEY", KEY)
    yield
    gc.collect()


def sent(behave: Callable[[dict[str, Any]], Answer], timeout: float = 30, **params: Any) -> tuple[Reply, MockServer]:
    """One attempt to ask a server that behaves like this."""

    async def ask(url: str) -> Reply:
        model = open_model(ModelSpec(name=NAME, base_url=url, params=params))
        try:
            return (await model.send(model.ask([Message("user", "Why?")], params, 2), timeout)).reply
        finally:
            await model.close()

    with MockServer(behave) as server:
        return asyncio.run(ask(server.url)), server


@pytest.mark.parametrize("suite", SUITES)
def test_a_run_through_inspect_is_a_run(suite: str, tmp_path: Path) -> None:
    with serving(respondent(suite)) as server:
        own = own_run(suite, server.url, tmp_path)
        asked = len(server.requests)
        through = counterfoil.run(
            suite, model=NAME, base_url=server.url, out="through", ledger="ledger.sqlite", **SUITES[suite]
        )
        assert len(server.requests) == 2 * asked
        again = counterfoil.run(
            suite, model=NAME, base_url=server.url, out="again", ledger="ledger.sqlite", **SUITES[suite]
        )
        # All of it was in the ledger.
        assert len(server.requests) == 2 * asked
    assert named(own.estimates) == named(through.estimates) == named(again.estimates)
    assert KEY.encode() not in Path("ledger.sqlite").read_bytes()


def test_an_ask_says_who_was_asked() -> None:
    ask = open_model(ModelSpec(name="inspect/mockllm/model")).ask([Message("user", "Why?")], {"seed": 1}, 0)
    assert (ask.provider, ask.model, ask.base_url) == ("inspect", "mockllm/model", None)


def test_what_is_sent_and_what_comes_back() -> None:
    other = {"token": "A", "logprob": -2.0, "bytes": None}
    logprobs = {"content": [{"token": "B", "logprob": -0.25, "bytes": None, "top_logprobs": [other]}]}

    def behave(request: dict[str, Any]) -> Answer:
        body = json.loads(completion("B", reasoning_content="B it is").body)
        body["choices"][0]["logprobs"] = logprobs
        body["usage"]["prompt_tokens_details"] = {"cached_tokens": 40}
        return Answer(json.dumps(body).encode())

    reply, server = sent(behave, temperature=0.0, max_tokens=5, logprobs=3, seed=7)
    [request] = server.requests
    # The third repeat of an ask with seed 7.
    expected = {"temperature": 0.0, "max_tokens": 5, "logprobs": True, "top_logprobs": 3, "seed": 9}
    assert {name: request[name] for name in expected} == expected
    assert reply == Reply(
        status="ok",
        text="B",
        reasoning="B it is",
        finish_reason="stop",
        served_model="mock-2026",
        input_tokens=60,
        cached_tokens=40,
        output_tokens=2,
        logprobs=(TokenChoice("B", -0.25, {"A": -2.0}),),
    )


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (completion("Because", finish_reason="length"), "truncated"),
        (completion(None, finish_reason="content_filter"), "refused"),
        (completion(None, refusal="I can't."), "refused"),
        (error(400, "content", code="content_filter"), "refused"),
        (completion(None), "ok"),
        (completion(""), "ok"),
    ],
)
def test_how_a_reply_ends(answer: Answer, status: str) -> None:
    assert sent(lambda request: answer)[0].status == status


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (error(401, f"wrong key {KEY}"), ModelUnusable),
        (error(404, "no such model"), ModelUnusable),
        (error(429, "no credit", code="insufficient_quota"), ModelUnusable),
        (error(429, "slow down", headers={"Retry-After": "7"}), TryAgain),
        (error(500, "oh"), TryAgain),
        (error(503, "oh"), TryAgain),
        (error(400, "what is that?"), Hopeless),
        (error(400, "too long", code="context_length_exceeded"), Hopeless),
        (Answer(reset=True), TryAgain),
        (Answer(b"not json"), TryAgain),
    ],
)
def test_what_goes_wrong_is_tried_once_and_told(answer: Answer, kind: type[Exception]) -> None:
    seen: list[Any] = []

    def behave(request: dict[str, Any]) -> Answer:
        seen.append(request)
        return answer

    with pytest.raises(kind) as raised:
        sent(behave)
    assert type(raised.value) is kind
    assert len(seen) == 1
    assert KEY not in str(raised.value)
    if isinstance(raised.value, TryAgain):
        assert raised.value.overloaded == (answer.status == 429)


def test_no_server_and_no_answer() -> None:
    with pytest.raises(TimedOut, match="no reply within"):
        sent(lambda request: Answer(hang=True), timeout=0.5)
    with MockServer() as server:
        url = server.url

    async def ask() -> None:
        model = open_model(ModelSpec(name=NAME, base_url=url))
        await model.send(model.ask([Message("user", "Why?")], {}, 0), 30)

    with pytest.raises(Unreachable):
        asyncio.run(ask())


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        (ModelSpec(name="inspect/openai-api"), "write inspect/PROVIDER/MODEL"),
        (ModelSpec(name="inspect/nobody/x"), "nobody"),
        (ModelSpec(name="inspect/openai-api/other/x"), "OTHER_API_KEY"),
        (ModelSpec(name=NAME, base_url="nowhere"), "is no address"),
        (ModelSpec(name="inspect/mockllm/model", params={"max_retries": 3}), "max_retries is no parameter"),
        (ModelSpec(name="inspect/mockllm/model", params={"choices": ["A"]}), "Inspect has no parameter choices"),
        (ModelSpec(name="inspect/mockllm/model", params={"top_k": "many"}), "does not take these parameters"),
    ],
)
def test_what_can_not_be_is_said_before_anything_is_asked(spec: ModelSpec, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        open_model(spec)


@pytest.mark.parametrize("output", [{}, {"choices": None}, {"choices": [3]}, {"choices": [{"message": 3}], "usage": 4}])
def test_an_output_without_anything_in_it_is_an_empty_reply(output: dict[str, Any]) -> None:
    reply = read_output(output)
    assert (reply.status, reply.text, reply.input_tokens) == ("ok", "", None)


def test_an_output_in_parts() -> None:
    content = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "A"}, {"type": "text", "text": "B"}]
    output = {"choices": [{"message": {"content": content}, "stop_reason": "max_tokens"}]}
    assert read_output(output) == Reply(status="truncated", text="A\nB", reasoning="hm", finish_reason="max_tokens")


def test_a_dry_run_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOCAL_API_KEY")
    spec = ModelSpec(name=NAME, base_url="http://127.0.0.1:1/v1")
    with pytest.raises(UserError, match="can't be opened"):
        open_model(spec)
    model = open_model(ModelSpec(name=NAME, base_url="http://127.0.0.1:1/v1", dry=True))
    assert model.ask([Message("user", "Who?")], {}, 0).model == "openai-api/local/mock"
    asyncio.run(model.close())
