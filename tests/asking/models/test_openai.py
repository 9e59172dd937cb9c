"""Chat completions: what arrives at the server, and what each shape of reply means."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.asking.ask import Ask, Message, Reply, TokenChoice
from counterfoil.asking.models.base import Hopeless, ModelSpec, ModelUnusable, Sent, TimedOut, TryAgain, Unreachable
from counterfoil.asking.models.openai import OpenAIModel, read_completion, request_body, split_thinking
from counterfoil.errors import UserError
from mock_server import Answer, MockServer, completion, error

KEY = "sk-test-0123456789abcdef"
MESSAGES = (Message("system", "Be brief."), Message("user", "수도는?"))
WIRE = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "수도는?"}]


def ask_of(params: Mapping[str, Any], sample: int = 0) -> Ask:
    return Ask(provider="openai", model="m", messages=MESSAGES, params=dict(params), sample=sample)


def send_all(
    server: MockServer,
    params: Sequence[Mapping[str, Any]] = ({},),
    *,
    name: str = "vllm/m",
    base_url: str | None = "",
    timeout: float = 10.0,
    sample: int = 0,
) -> list[Sent | BaseException]:
    """Send asks with these parameters, one after another; what each gave, reply or error. "": the server's URL."""
    base_url = server.url if base_url == "" else base_url

    async def send() -> list[Sent | BaseException]:
        model = OpenAIModel(ModelSpec(name=name, base_url=base_url))
        try:
            return [
                (await asyncio.gather(model.send(model.ask(MESSAGES, one, sample), timeout), return_exceptions=True))[0]
                for one in params
            ]
        finally:
            await model.close()

    return asyncio.run(send())


def body_of(params: Mapping[str, Any], **how: Any) -> dict[str, Any]:
    """The request's body as it arrives at the server."""
    with MockServer() as server:
        (sent,) = send_all(server, [params], **how)
        assert isinstance(sent, Sent)
        return server.requests[0]


def head_of(**how: Any) -> tuple[str, dict[str, str]]:
    """The request's first line, and its headers with names in lower case."""
    with MockServer() as server:
        (sent,) = send_all(server, **how)
        assert isinstance(sent, Sent)
        first, *lines = server.heads[0].split("\r\n")
    return first, {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}


def reply_to(answer: Answer) -> Reply:
    with MockServer(lambda request: answer) as server:
        (sent,) = send_all(server)
    assert isinstance(sent, Sent), sent
    return sent.reply


def with_choice(choice: Any) -> Answer:
    return Answer(json.dumps({"choices": [choice]}).encode())


def refusing(name: str, code: str) -> Callable[[dict[str, Any]], Answer]:
    """A server that does not take a parameter."""

    def behave(request: dict[str, Any]) -> Answer:
        if name in request:
            return error(400, f"Unsupported: '{name}'", code=code, param=name, type="invalid_request_error")
        return completion()

    return behave


# What is sent


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
    assert body == {"model": name.partition("/")[2], "messages": WIRE, "max_completion_tokens": 16}


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


# Where it is sent, and with which key


def test_the_key_and_the_organization_travel_in_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")  # as a file gives it
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    first, headers = head_of(name="openai/m")
    assert first == "POST /v1/chat/completions HTTP/1.1"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert headers["openai-organization"] == "org-1"
    assert headers["content-type"] == "application/json"


@pytest.mark.parametrize("value", [None, "", " \n"])
@pytest.mark.parametrize("name", ["openai/m", "azure/m", "vllm/m"])
def test_without_a_key_no_key_is_sent(name: str, value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_VERSION", "1")
    for variable in ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "OPENAI_ORG_ID"):
        if value is not None:
            monkeypatch.setenv(variable, value)
    _, headers = head_of(name=name)
    assert not {"authorization", "api-key", "openai-organization"} & headers.keys()


def test_one_providers_key_does_not_go_to_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    for name in ("vllm/m", "together/m", "openrouter/m"):
        _, headers = head_of(name=name)
        assert not {"authorization", "openai-organization"} & headers.keys()


def test_azure_has_its_deployment_in_the_address_and_a_header_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")
    with MockServer() as server:
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", f"http://127.0.0.1:{server.port}/")
        (sent,) = send_all(server, name="azure/my-gpt", base_url=None)
        assert isinstance(sent, Sent)
        head = server.heads[0]
    assert head.startswith("POST /openai/deployments/my-gpt/chat/completions?api-version=2024-10-21 HTTP/1.1\r\n")
    assert f"\r\napi-key: {KEY}" in head
    assert "authorization" not in head.lower()


@pytest.mark.parametrize("end", ["", "/", "/chat/completions", "/chat/completions/"])
def test_the_address_may_or_may_not_end_with_the_interface(end: str) -> None:
    with MockServer() as server:
        send_all(server, base_url=f"{server.url}{end}")
        assert server.heads[0].startswith("POST /v1/chat/completions HTTP/1.1\r\n")


def test_clova_is_where_its_variable_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOVA_API_KEY", KEY)
    with MockServer() as server:
        monkeypatch.setenv("CLOVA_URL", server.url)
        (sent,) = send_all(server, name="clova/HCX-005", base_url=None)
        assert isinstance(sent, Sent)
        assert f"Authorization: Bearer {KEY}" in server.heads[0]


def test_the_address_is_part_of_the_ask_only_where_the_user_gave_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    own = OpenAIModel(ModelSpec(name="openai/m"))
    other = OpenAIModel(ModelSpec(name="openai/m", base_url="http://localhost:1/v1/"))
    assert own.ask(MESSAGES, {"top_p": 1}, 2) == Ask(
        provider="openai", model="m", messages=MESSAGES, params={"top_p": 1}, sample=2
    )
    assert other.ask(MESSAGES, {}, 0).base_url == "http://localhost:1/v1"
    assert KEY not in own.ask(MESSAGES, {}, 0).canonical


@pytest.mark.parametrize(
    ("name", "variables", "missing"),
    [
        ("openai/m", {}, "OPENAI_API_KEY"),
        ("openai/m", {"OPENAI_API_KEY": ""}, "OPENAI_API_KEY"),
        ("openrouter/m", {}, "OPENROUTER_API_KEY"),
        ("together/m", {}, "TOGETHER_API_KEY"),
        ("clova/m", {}, "CLOVA_API_KEY and CLOVA_URL"),
        ("azure/m", {}, "AZURE_OPENAI_API_KEY and AZURE_OPENAI_ENDPOINT and OPENAI_API_VERSION"),
        ("azure/m", {"AZURE_OPENAI_API_KEY": KEY, "AZURE_OPENAI_ENDPOINT": "https://x"}, "OPENAI_API_VERSION"),
    ],
)
def test_missing_variables_are_named(
    name: str, variables: Mapping[str, str], missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    with pytest.raises(UserError) as raised:
        OpenAIModel(ModelSpec(name=name))
    assert str(raised.value) == f"{name} needs {missing}: set the environment variable, then run again."


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        (ModelSpec(name="vllm/"), "vllm/ names no model: write vllm/NAME."),
        (ModelSpec(name="ollama"), "ollama names no model: write ollama/NAME."),
        (ModelSpec(name="vllm/m", base_url="localhost:8000"), "--base-url localhost:8000 is no address"),
        (ModelSpec(name="vllm/m", base_url="http://me:pass@host/v1"), "--base-url holds a password"),
    ],
)
def test_other_mistakes_are_said_in_a_sentence(spec: ModelSpec, sentence: str) -> None:
    with pytest.raises(UserError, match=re.escape(sentence)):
        OpenAIModel(spec)


def test_a_wrong_address_in_a_variable_is_said_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOVA_API_KEY", KEY)
    monkeypatch.setenv("CLOVA_URL", "clova.example")
    with pytest.raises(UserError, match=r"^CLOVA_URL clova\.example is no address"):
        OpenAIModel(ModelSpec(name="clova/m"))


def test_a_key_that_can_not_be_sent_is_said_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\r\nX-Other: 1")
    with pytest.raises(UserError, match=r"^OPENAI_API_KEY holds a line break") as raised:
        OpenAIModel(ModelSpec(name="openai/m"))
    assert KEY not in str(raised.value)


# What comes back


def test_a_whole_reply() -> None:
    # The numbers are those of mock_server.completion.
    assert reply_to(completion("Canberra.")) == Reply(
        status="ok",
        text="Canberra.",
        finish_reason="stop",
        served_model="mock-2026",
        input_tokens=60,
        output_tokens=2,
    )


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ("", ""),
        ("  B \n", "  B \n"),
        ([], ""),
        (
            [{"type": "text", "text": "A "}, {"type": "image_url", "image_url": {}}, {"type": "text", "text": "or B"}],
            "A or B",
        ),
        ([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "B"}], "B"),
        (["B", None, {"text": 1}], ""),
        (7, ""),
        ({"text": "B"}, ""),
    ],
)
def test_content_of_any_kind_is_a_text(content: Any, text: str) -> None:
    reply = reply_to(completion(content))
    assert (reply.status, reply.text, reply.reasoning) == ("ok", text, None)


@pytest.mark.parametrize(
    "choices",
    [[], [None], [{}], [{"message": None}], [{"message": {}}], [{"message": {"role": "assistant"}}], [[]], ["B"]],
)
def test_a_reply_without_content_is_an_empty_text(choices: Any) -> None:
    reply = reply_to(Answer(json.dumps({"choices": choices}).encode()))
    assert reply == Reply(status="ok", text="")


@pytest.mark.parametrize("body", [{}, {"choices": None}, {"choices": {}}, {"object": "chat.completion"}])
def test_what_has_no_choices_is_no_reply(body: Any) -> None:
    with MockServer(lambda request: Answer(json.dumps(body).encode())) as server:
        (raised,) = send_all(server)
    assert type(raised) is TryAgain
    assert str(raised) == "the reply is not a chat completion"


@pytest.mark.parametrize(
    ("answer", "status", "text"),
    [
        (completion("B", "stop"), "ok", "B"),
        (completion("The answer i", "length"), "truncated", "The answer i"),
        (completion("", "length"), "truncated", ""),
        (completion(None, "content_filter"), "refused", ""),
        (completion("Half of", "content_filter"), "refused", "Half of"),
        (completion(None, "stop", refusal="I can't help with that."), "refused", "I can't help with that."),
        (completion(None, "length", refusal="I can't"), "refused", "I can't"),
        (completion("B", "stop", refusal=None), "ok", "B"),
        (completion("B", "stop", refusal=""), "ok", "B"),
        (completion("B", "tool_calls"), "ok", "B"),
    ],
)
def test_how_a_reply_ended(answer: Answer, status: str, text: str) -> None:
    reply = reply_to(answer)
    assert (reply.status, reply.text) == (status, text)


def test_a_model_that_broke_down_on_the_way_is_asked_again() -> None:
    answer = with_choice({"finish_reason": "error", "error": {"code": 502, "message": "x"}, "message": {"content": ""}})
    with MockServer(lambda request: answer) as server:
        (raised,) = send_all(server)
    assert type(raised) is TryAgain


@pytest.mark.parametrize(
    ("content", "message", "text", "reasoning"),
    [
        ("B", {"reasoning_content": "A is wrong."}, "B", "A is wrong."),
        ("B", {"reasoning": "A is wrong."}, "B", "A is wrong."),
        ("B", {"reasoning_content": None, "reasoning": "A is wrong."}, "B", "A is wrong."),
        ("B", {"reasoning_content": "", "reasoning": None}, "B", None),
        (None, {"reasoning_content": "A is wr"}, "", "A is wr"),
        ("<think>A is wrong.</think>\n\nB", {}, "B", "A is wrong."),
        ("<think>A is wrong.</think>B", {"reasoning": "field"}, "B", "field"),
    ],
)
def test_reasoning_is_kept_apart(content: Any, message: dict[str, Any], text: str, reasoning: str | None) -> None:
    reply = reply_to(completion(content, **message))
    assert (reply.text, reply.reasoning) == (text, reasoning)


@pytest.mark.parametrize(
    ("text", "answer", "reasoning"),
    [
        ("<think>\nA?\n</think>\n\nB", "B", "A?"),
        ("\n <think>A?</think>B", "B", "A?"),
        ("<thinking>A?</thinking>B", "B", "A?"),
        ("<think>A? ", "", "A?"),  # never closed: it was cut off while it thought
        ("<think>", "", ""),
        ("A? No.\n</think>\n\nB", "B", "A? No."),  # the prompt's template has opened it
        ("</think>B", "B", ""),
        ("I think B", "I think B", None),
        ("B. Thinking about <thought> tags", "B. Thinking about <thought> tags", None),
        ("B, since <think>A?</think> comes later", "B, since <think>A?</think> comes later", None),
        ("", "", None),
    ],
)
def test_think_tags(text: str, answer: str, reasoning: str | None) -> None:
    assert split_thinking(text) == (answer, reasoning)


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        ({"prompt_tokens": 60, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 48}}, (60, 48, 2)),
        ({"prompt_tokens": 60, "completion_tokens": 2, "prompt_tokens_details": None}, (60, None, 2)),
        ({"prompt_tokens": 60, "completion_tokens": 0, "prompt_tokens_details": {}}, (60, None, 0)),
        ({"prompt_tokens": 60.0, "completion_tokens": 2.0}, (60, None, 2)),
        ({"prompt_tokens": "60", "completion_tokens": -1}, (None, None, None)),
        ({"prompt_tokens": True, "completion_tokens": 10**30}, (None, None, None)),
        ({}, (None, None, None)),
        (None, (None, None, None)),
        ([], (None, None, None)),
    ],
)
def test_tokens_are_counted_where_the_server_counts_them(usage: Any, counts: tuple[int | None, ...]) -> None:
    reply = reply_to(Answer(json.dumps({"choices": [{"message": {"content": "B"}}], "usage": usage}).encode()))
    assert (reply.input_tokens, reply.cached_tokens, reply.output_tokens) == counts
    assert reply.text == "B"


def test_log_probabilities_come_with_what_else_could_have_been() -> None:
    token = {
        "token": "B",
        "logprob": -0.25,
        "bytes": [66],
        "top_logprobs": [{"token": "B", "logprob": -0.25, "bytes": [66]}, {"token": "A", "logprob": -2}],
    }
    last = {"token": ".", "logprob": 0}
    reply = reply_to(with_choice({"message": {"content": "B."}, "logprobs": {"content": [token, last]}}))
    assert reply.logprobs == (TokenChoice("B", -0.25, {"B": -0.25, "A": -2.0}), TokenChoice(".", 0.0, {}))


@pytest.mark.parametrize(
    "logprobs",
    [
        None,
        {},
        {"content": None},
        {"content": "B"},
        {"content": [None]},
        {"content": [{}]},
        {"content": [{"token": "B"}]},
        {"content": [{"token": "B", "logprob": None}]},
        {"content": [{"token": "B", "logprob": float("-inf")}]},
        {"content": [{"token": 66, "logprob": -1}]},
        {"content": [{"token": "B", "logprob": -1, "top_logprobs": [7]}]},
        {"tokens": ["B"], "token_logprobs": [-1]},
    ],
)
def test_log_probabilities_that_can_not_be_read_do_not_cost_the_reply(logprobs: Any) -> None:
    reply = reply_to(with_choice({"message": {"content": "B"}, "logprobs": logprobs}))
    assert (reply.text, reply.logprobs) == ("B", None)


def test_half_of_a_surrogate_pair_becomes_a_replacement_character() -> None:
    body = rb'{"choices": [{"message": {"content": "B \ud83d"}, "finish_reason": "length"}]}'
    assert reply_to(Answer(body)).text == "B \ufffd"


# What goes wrong


@pytest.mark.parametrize(
    "answer",
    [
        error(
            400, "The response was filtered", code="content_filter", innererror={"code": "ResponsibleAIPolicyViolation"}
        ),
        error(403, "flagged", code=403, metadata={"reasons": ["hate"], "flagged_input": "…"}),
    ],
)
def test_a_content_filter_refuses(answer: Answer) -> None:
    reply = reply_to(answer)
    assert (reply.status, reply.finish_reason) == ("refused", "content_filter")


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (error(400), Hopeless),
        (error(401), ModelUnusable),
        (error(404), ModelUnusable),
        (error(429), TryAgain),
        (error(500), TryAgain),
        (error(200, code=502), TryAgain),
        (Answer(completion().body[:-9]), TryAgain),
        (Answer(reset=True), TryAgain),
        (Answer(hang=True), TimedOut),
    ],
)
def test_errors_pass_through(answer: Answer, kind: type[Exception]) -> None:
    with MockServer(lambda request: answer) as server:
        (raised,) = send_all(server, timeout=0.5)
    assert isinstance(raised, kind)


def test_a_server_that_has_gone_is_unreachable() -> None:
    with MockServer() as server:
        pass
    (raised,) = send_all(server)
    assert isinstance(raised, Unreachable)


def test_a_model_can_be_asked_again_after_any_trouble() -> None:
    answers = [Answer(reset=True), error(500), Answer(b"<html>"), completion("B")]
    with MockServer(lambda request: answers[len(server.requests) - 1]) as server:
        *troubles, last = send_all(server, [{}] * 4)
    assert [type(one).__name__ for one in troubles] == ["TryAgain", "TryAgain", "NotJson"]
    assert isinstance(last, Sent)


def test_a_reply_passes_on_how_long_to_be_quiet() -> None:
    answer = completion()
    answer.headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s"}
    with MockServer(lambda request: answer) as server:
        (sent,) = send_all(server)
    assert isinstance(sent, Sent)
    assert sent.quiet == 360  # six minutes


@pytest.mark.parametrize(
    ("name", "variable", "version"), [("openai/m", "OPENAI_API_KEY", ""), ("azure/m", "AZURE_OPENAI_API_KEY", "1")]
)
def test_the_key_does_not_come_back(name: str, variable: str, version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, KEY)
    monkeypatch.setenv("OPENAI_API_VERSION", version)
    answers = [
        error(401, f"Incorrect API key provided: {KEY}"),
        error(400, f"{KEY}", code="content_filter"),
        completion(f"Your key is {KEY}.", reasoning=KEY),
    ]
    with MockServer(lambda request: answers[len(server.requests) - 1]) as server:
        refused, filtered, said = send_all(server, [{}] * 3, name=name)
        assert all(KEY in head for head in server.heads)
    assert "Incorrect API key provided: [key]" in str(refused)
    assert f"check {variable}" in str(refused)
    assert isinstance(said, Sent)
    assert said.reply.text == "Your key is [key]."
    assert KEY not in f"{refused!r} {filtered!r} {said!r}"


# Any server at all

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=6
)


def object_with(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """An object with some of these fields, each as documented or anything else; or no object."""
    optional = {name: strategy | anything for name, strategy in fields.items()}
    return st.fixed_dictionaries({}, optional=optional) | anything


likely = object_with(token=texts, logprob=st.floats())
written = object_with(token=texts, logprob=st.floats(), top_logprobs=st.lists(likely, max_size=2))
choices = object_with(
    message=object_with(content=texts, reasoning=texts, reasoning_content=texts, refusal=texts),
    finish_reason=st.sampled_from(["stop", "length", "content_filter", "error"]),
    logprobs=object_with(content=st.lists(written, max_size=2)),
)
completions = st.fixed_dictionaries(
    {"choices": st.lists(choices, max_size=2) | anything},
    optional={
        "model": anything,
        "usage": object_with(
            prompt_tokens=st.integers(),
            completion_tokens=st.floats(),
            prompt_tokens_details=object_with(cached_tokens=st.integers()),
        ),
    },
)


@given(completions | st.dictionaries(texts, anything, max_size=3))
def test_any_json_is_a_reply_that_can_be_kept_or_is_tried_again(body: dict[str, Any]) -> None:
    try:
        reply = read_completion(body)
    except TryAgain:
        return
    assert msgspec.json.decode(msgspec.json.encode(reply), type=Reply) == reply
    for count in (reply.input_tokens, reply.cached_tokens, reply.output_tokens):
        assert count is None or 0 <= count < 2**63  # what the ledger's columns hold


tagged = st.lists(texts | st.sampled_from(["<think>", "</think>", "<thinking>", "</thinking>", "think"])).map("".join)


@given(tagged)
def test_any_text_is_split_into_parts_of_itself(text: str) -> None:
    answer, reasoning = split_thinking(text)
    assert text.endswith(answer)
    assert reasoning is None or reasoning in text
    if reasoning is None:
        assert answer == text
    if not re.search("</?think(ing)?>", text):
        assert (answer, reasoning) == (text, None)


plain = texts.filter(lambda text: "<" not in text)


@given(plain, plain)
def test_what_was_thought_and_what_was_said_are_told_apart(thought: str, said: str) -> None:
    assert split_thinking(f"<think>{thought}</think>{said}") == (said.lstrip(), thought.strip())
    assert split_thinking(f"{thought}</think>{said}") == (said.lstrip(), thought.strip())
    assert split_thinking(f"<think>{thought}") == ("", thought.strip())
