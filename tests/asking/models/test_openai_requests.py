"""What arrives at a chat completions interface."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from counterfoil.asking.models.base import Hopeless, ModelSpec, TryAgain
from counterfoil.asking.models.openai import OpenAIModel, request_body
from counterfoil.errors import UserError
from mock_server import Answer, MockServer, error
from openai_asks import MESSAGES, WIRE, ask_of, body_of, refusing, send_all


def test_messages_and_parameters_arrive_as_they_are() -> None:
    assert body_of({"temperature": 0, "max_tokens": 16, "top_p": 0.5, "stop": ["\n"]}) == {
        "model": "m",
        "messages": WIRE,
        "temperature": 0,
        "max_tokens": 16,
        "top_p": 0.5,
        "stop": ["\n"],
    }


def test_the_model_is_the_name_without_its_first_part() -> None:
    assert body_of({}, name="openrouter/meta/llama-3:free")["model"] == "meta/llama-3:free"


@pytest.mark.parametrize("name", ["openai/o3-mini", "openai/gpt-5", "openai/gpt-5-mini"])
def test_reasoning_models_get_a_limit_of_another_name_and_no_temperature(name: str) -> None:
    body = body_of({"temperature": 0, "max_tokens": 16}, name=name)
    assert body == {"model": name.partition("/")[2], "messages": WIRE, "max_completion_tokens": 16_384}


@pytest.mark.parametrize("name", ["openai/gpt-4o", "openai/omni", "vllm/o3-mini", "vllm/gpt-5"])
def test_other_models_and_other_peoples_servers_get_both(name: str) -> None:
    body = body_of({"temperature": 0, "max_tokens": 16}, name=name)
    assert (body["temperature"], body["max_tokens"]) == (0, 16)


@pytest.mark.parametrize(
    ("parameter", "code", "left", "adjustment"),
    [
        (
            "temperature",
            "unsupported_value",
            {"max_tokens": 16, "seed": 3},
            "temperature is not sent: the model does not take it",
        ),
        (
            "max_tokens",
            "unsupported_parameter",
            {"temperature": 0, "max_completion_tokens": 16, "seed": 3},
            "max_tokens is sent as max_completion_tokens",
        ),
        (
            "seed",
            "unsupported_parameter",
            {"temperature": 0, "max_tokens": 16},
            "seed is not sent: the model does not take it",
        ),
    ],
)
def test_what_a_model_does_not_take_is_learned(
    parameter: str, code: str, left: Mapping[str, Any], adjustment: str
) -> None:
    params = {"temperature": 0, "max_tokens": 16, "seed": 3}

    async def send(url: str) -> None:
        model = OpenAIModel(ModelSpec(name="vllm/m", base_url=url))
        assert model.adjustments == []
        ask = model.ask(MESSAGES, params, 0)
        with pytest.raises(TryAgain) as raised:
            await model.send(ask, 10)
        assert raised.value.wait == 0  # at once
        assert model.adjustments == [adjustment]
        assert (await model.send(ask, 10)).reply.text == "B"
        assert (await model.send(ask, 10)).reply.text == "B"
        await model.close()

    with MockServer(refusing(parameter, code)) as server:
        asyncio.run(send(server.url))
        assert server.requests[0] == {"model": "m", "messages": WIRE, **params}
        assert server.requests[1] == server.requests[2] == {"model": "m", "messages": WIRE, **left}


def test_asks_under_way_while_it_is_learned_are_tried_again_too() -> None:
    def behave(request: dict[str, Any]) -> Answer:
        answer = refusing("temperature", "unsupported_value")(request)
        answer.delay = 0.2  # all are sent before the first is refused
        return answer

    async def send(url: str) -> list[Any]:
        model = OpenAIModel(ModelSpec(name="vllm/m", base_url=url))
        ask = model.ask(MESSAGES, {"temperature": 0}, 0)
        given_up = await asyncio.gather(*(model.send(ask, 10) for _ in range(4)), return_exceptions=True)
        await model.close()
        return given_up

    with MockServer(behave) as server:
        assert [type(one) for one in asyncio.run(send(server.url))] == [TryAgain] * 4
        assert all("temperature" in request for request in server.requests)


def test_a_parameter_that_is_refused_and_was_not_sent_ends_the_ask() -> None:
    answer = error(400, "unsupported", code="unsupported_parameter", param="temperature")
    with MockServer(lambda request: answer) as server:
        first, second = send_all(server, [{"temperature": 0}] * 2)
        assert type(first) is TryAgain
        assert isinstance(second, Hopeless)


def test_a_value_out_of_range_is_not_silently_left_out() -> None:
    answer = error(400, "Expected a value <= 2", code="decimal_above_max_value", param="temperature")
    with MockServer(lambda request: answer) as server:
        (raised,) = send_all(server, [{"temperature": 5}])
        assert isinstance(raised, Hopeless)


def test_a_refused_parameter_that_the_user_named_ends_the_ask() -> None:
    with MockServer(refusing("logprobs", "unsupported_parameter")) as server:
        (raised,) = send_all(server, [{"logprobs": 5}])
        assert isinstance(raised, Hopeless)


def test_log_probabilities_are_asked_for_with_their_number() -> None:
    body = body_of({"logprobs": 5})
    assert body["logprobs"] is True
    assert body["top_logprobs"] == 5


@pytest.mark.parametrize(("seed", "sample", "sent"), [(7, 0, 7), (7, 3, 10), (0, 2, 2)])
def test_each_sample_has_a_seed_of_its_own(seed: int, sample: int, sent: int) -> None:
    assert body_of({"seed": seed}, sample=sample)["seed"] == sent


def test_without_a_seed_none_is_sent_and_a_strange_one_is_the_servers_to_refuse() -> None:
    assert "seed" not in body_of({}, sample=3)
    assert body_of({"seed": "seven"}, sample=3)["seed"] == "seven"


def test_vllm_can_be_held_to_choices_and_others_can_not() -> None:
    assert body_of({"choices": ["A", "B"]})["structured_outputs"] == {"choice": ["A", "B"]}
    with pytest.raises(UserError, match="openai/m can't be held to given choices: leave --param choices out"):
        OpenAIModel(ModelSpec(name="openai/m", base_url="http://localhost/v1", params={"choices": ["A"]}))


def test_the_ask_itself_is_not_changed_by_how_it_is_sent() -> None:
    ask = ask_of({"temperature": 0, "max_tokens": 16, "seed": 1}, sample=2)
    before = ask.canonical
    assert request_body(ask, {"temperature", "max_tokens"}) == {
        "model": "m",
        "messages": MESSAGES,
        "max_completion_tokens": 16,
        "seed": 3,
    }
    assert msgspec.structs.replace(ask).canonical == before
