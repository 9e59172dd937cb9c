"""Models that think: room for it, by their names and by what replies show; how much they are to think; what it took."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.models.anthropic import AnthropicModel
from counterfoil.asking.models.anthropic import request_body as anthropic_body
from counterfoil.asking.models.base import Hopeless, ModelSpec, TryAgain
from counterfoil.asking.models.openai import OpenAIModel, read_completion
from counterfoil.asking.models.thinking import limit_of
from mock_server import Answer, MockServer, completion, error
from openai_asks import MESSAGES, ask_of, body_of, send_all

LIMIT = {"max_tokens": 64}
RAISED = "max_tokens is raised to 16,384: the model thinks, and its thoughts count as output"


def model_of(name: str, url: str = "http://localhost/v1", **params: Any) -> OpenAIModel:
    return OpenAIModel(ModelSpec(name=name, base_url=url, params=params))


@pytest.mark.parametrize(
    "name",
    [
        *("openai/o1", "openai/o3-mini", "openai/o4-mini-2025-04-16", "openai/gpt-5", "openai/gpt-5-mini-2025-08-07"),
        *("openai/gpt-5.4", "azure/gpt-5-mini", "openrouter/openai/o3", "openrouter/openai/gpt-5-nano"),
    ],
)
def test_a_model_that_is_called_so_has_room_to_think(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_VERSION", "1")
    model = model_of(name, **LIMIT)
    assert model.ask(MESSAGES, LIMIT, 0).params == {"max_tokens": 16_384}
    assert model.ask(MESSAGES, {"max_tokens": 20_000}, 0).params == {"max_tokens": 20_000}
    assert model.ask(MESSAGES, {}, 0).params == {}  # as much as the provider gives
    assert RAISED in model.adjustments


@pytest.mark.parametrize(
    "name", ["openai/gpt-4o", "openai/gpt-5-chat-latest", "openai/omni", "openrouter/x/o1y", "vllm/gpt-5", "ollama/o1"]
)
def test_other_models_are_asked_as_before_with_the_same_key(name: str) -> None:
    url = "http://localhost/v1"
    provider, _, rest = name.partition("/")
    before = Ask(provider=provider, model=rest, messages=MESSAGES, params=LIMIT, base_url=url)
    model = model_of(name, url, **LIMIT)
    assert model.ask(MESSAGES, LIMIT, 0).key == before.key
    assert model.adjustments == []


def test_who_sets_the_limit_of_thinking_and_answer_together_has_decided() -> None:
    body = body_of({"max_tokens": 64, "max_completion_tokens": 500}, name="openai/gpt-5")
    assert body["max_completion_tokens"] == 500
    assert "max_tokens" not in body
    body = body_of({"max_tokens": 64, "max_completion_tokens": 500}, name="vllm/m")
    assert ("max_tokens" in body, body["max_completion_tokens"]) == (False, 500)


def test_what_turns_thinking_on_gives_room_for_it() -> None:
    on = {"max_tokens": 64, "thinking": {"type": "enabled", "budget_tokens": 8_000}}
    for params, limit in ((on, 16_384), (on | {"thinking": {"type": "disabled"}}, 64), (LIMIT, 64)):
        model = AnthropicModel(ModelSpec(name="anthropic/claude-x", base_url="http://localhost", params=params))
        assert model.ask(MESSAGES, params, 0).params["max_tokens"] == limit
        assert model.adjustments == ([RAISED] if limit > 64 else [])


@pytest.mark.parametrize(
    ("name", "params", "limit"),
    [
        ("openai/gpt-5", {"max_tokens": 64}, 16_384),
        ("openai/gpt-5", {"max_tokens": 64, "max_completion_tokens": 500}, 500),
        ("openai/gpt-4o", {"max_tokens": 64}, 64),
        ("openai/gpt-5", {}, None),
    ],
)
def test_the_most_that_a_reply_can_have(name: str, params: dict[str, Any], limit: int | None) -> None:
    assert limit_of(ModelSpec(name=name, params=params)) == limit


def thinking(content: str, tokens: tuple[int, int], finish_reason: str = "stop") -> Answer:
    """A completion with so many tokens out, so many of them thoughts."""
    answer = completion(content, finish_reason)
    body = json.loads(answer.body)
    details = {"reasoning_tokens": tokens[1]}
    body["usage"] = {"prompt_tokens": 60, "completion_tokens": tokens[0], "completion_tokens_details": details}
    answer.body = json.dumps(body).encode()
    return answer


def needs_room(request: dict[str, Any]) -> Answer:
    """Thinks for 900 tokens, and answers with 10 more."""
    limit = request["max_tokens"]
    return thinking("B", (910, 900)) if limit >= 910 else thinking("", (limit, limit), "length")


def test_that_a_model_thinks_is_learned_from_its_replies() -> None:
    async def send(url: str) -> list[Reply]:
        model = model_of("vllm/m", url, **LIMIT)
        ask = model.ask(MESSAGES, LIMIT, 0)
        assert (ask.params, model.adjustments) == (LIMIT, [])
        replies = [(await model.send(ask, 10)).reply for _ in range(2)]
        assert (ask.params, model.adjustments) == (LIMIT, [RAISED])
        await model.close()
        return replies

    with MockServer(needs_room) as server:
        first, second = asyncio.run(send(server.url))
        assert [request["max_tokens"] for request in server.requests] == [64, 16_384, 16_384]
    assert (first.text, first.status, second.text) == ("B", "ok", "B")
    # The first was paid for twice: 60 + 60 in, 64 + 910 out, of which 64 + 900 were thoughts.
    assert (first.input_tokens, first.output_tokens, first.reasoning_tokens) == (120, 974, 964)
    assert (second.input_tokens, second.output_tokens, second.reasoning_tokens) == (60, 910, 900)


def test_asks_under_way_while_it_is_learned_get_room_too() -> None:
    async def send(url: str) -> list[str]:
        model = model_of("vllm/m", url, **LIMIT)
        sent = await asyncio.gather(*(model.send(model.ask(MESSAGES, LIMIT, n), 10) for n in range(4)))
        await model.close()
        return [one.reply.text for one in sent]

    def slow(request: dict[str, Any]) -> Answer:
        answer = needs_room(request)
        answer.delay = 0.2  # all are sent before the first is cut off
        return answer

    with MockServer(slow) as server:
        assert asyncio.run(send(server.url)) == ["B"] * 4
        assert len(server.requests) == 8


def test_a_server_without_the_room_gives_what_it_can_and_is_not_asked_for_it_again() -> None:
    def behave(request: dict[str, Any]) -> Answer:
        if request["max_tokens"] > 8_192:
            return error(400, "max_tokens is too large: this model's maximum context length is 8192 tokens")
        return needs_room(request)

    with MockServer(behave) as server:
        replies = send_all(server, [LIMIT] * 3)
        assert [request["max_tokens"] for request in server.requests] == [64, 16_384, 64, 64]
    assert [one.reply.status for one in replies if not isinstance(one, BaseException)] == ["truncated"] * 3


def test_a_reply_that_was_cut_off_without_a_thought_is_left_as_it_is() -> None:
    with MockServer(lambda request: completion("The answer is", "length")) as server:
        (sent,) = send_all(server, [LIMIT])
        assert not isinstance(sent, BaseException)
        assert (sent.reply.status, len(server.requests)) == ("truncated", 1)


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        # OpenAI: thoughts are among the tokens out.
        ({"prompt_tokens": 60, "completion_tokens": 910, "total_tokens": 970, "thoughts": 900}, (910, 900)),
        # Others count them on top: 60 + 10 + 900 = 970 in all, so 910 out.
        ({"prompt_tokens": 60, "completion_tokens": 10, "total_tokens": 970, "thoughts": 900}, (910, 900)),
        ({"prompt_tokens": 60, "completion_tokens": 10, "total_tokens": 70, "thoughts": 0}, (10, 0)),
        ({"prompt_tokens": 60, "completion_tokens": 10, "thoughts": "many"}, (10, None)),
        ({"prompt_tokens": 60, "completion_tokens": 10}, (10, None)),
    ],
)
def test_thoughts_are_tokens_out(usage: dict[str, Any], counts: tuple[int, int | None]) -> None:
    if "thoughts" in usage:
        usage = usage | {"completion_tokens_details": {"reasoning_tokens": usage["thoughts"]}}
    reply = read_completion({"choices": [], "usage": usage})
    assert (reply.output_tokens, reply.reasoning_tokens) == counts


def test_how_much_to_think_is_part_of_an_ask_only_where_it_is_said() -> None:
    assert ask_of(LIMIT).key != ask_of(LIMIT | {"reasoning_effort": "low"}).key
    assert body_of({"reasoning_effort": "low"}, name="openai/gpt-5")["reasoning_effort"] == "low"
    body = anthropic_body(ask_of({"max_tokens": 64, "reasoning_effort": "low"}))
    assert body["output_config"] == {"effort": "low"}
    assert "reasoning_effort" not in body


@pytest.mark.parametrize(
    "said",
    [
        "Unrecognized request argument supplied: reasoning_effort",
        "Unsupported parameter: 'reasoning_effort' is not supported with this model.",
    ],
)
def test_that_a_model_does_not_think_is_learned(said: str) -> None:
    def behave(request: dict[str, Any]) -> Answer:
        return error(400, said) if "reasoning_effort" in request else completion("B")

    with MockServer(behave) as server:
        first, second = send_all(server, [{"reasoning_effort": "low"}] * 2)
        assert isinstance(first, TryAgain)
        assert not isinstance(second, BaseException)


def test_an_effort_that_a_model_does_not_have_is_the_users_to_correct() -> None:
    said = "Unsupported value: 'reasoning_effort' does not support 'xhigh' with this model."
    answer = error(400, said, code="unsupported_value", param="reasoning_effort")
    with MockServer(lambda request: answer) as server:
        (raised,) = send_all(server, [{"reasoning_effort": "xhigh"}])
        assert isinstance(raised, Hopeless)
        assert said in str(raised)
