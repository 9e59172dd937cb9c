"""Anthropic's messages: what arrives at the server, and what each shape of reply means."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.asking.ask import Ask, Message, Reply
from counterfoil.asking.models.anthropic import AnthropicModel, read_message
from counterfoil.asking.models.base import Hopeless, ModelSpec, ModelUnusable, Sent, TryAgain
from counterfoil.errors import UserError
from mock_server import Answer, MockServer

KEY = "sk-ant-test-0123456789abcdef"
MESSAGES = (Message("system", "Be brief."), Message("user", "수도는?"))


def message(content: Any = None, stop_reason: str = "end_turn", **fields: Any) -> Answer:
    """A message as the interface documents it."""
    body = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-mock-2026",
        "content": [{"type": "text", "text": "B"}] if content is None else content,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 60, "output_tokens": 2},
    }
    return Answer(json.dumps(body | fields).encode())


def error(status: int, kind: str, text: str, headers: Mapping[str, str] | None = None) -> Answer:
    """An error as the interface documents it."""
    body = {"type": "error", "error": {"type": kind, "message": text}, "request_id": "req_1"}
    return Answer(json.dumps(body).encode(), status, headers or {})


def send_all(
    server: MockServer, params: Sequence[Mapping[str, Any]] = ({},), messages: Sequence[Message] = MESSAGES
) -> list[Sent | BaseException]:
    """Send asks with these parameters, one after another; what each gave, reply or error."""

    async def send() -> list[Sent | BaseException]:
        model = AnthropicModel(ModelSpec(name="anthropic/claude-mock", base_url=server.url))
        try:
            return [
                (await asyncio.gather(model.send(model.ask(messages, one, 0), 10), return_exceptions=True))[0]
                for one in params
            ]
        finally:
            await model.close()

    return asyncio.run(send())


def body_of(params: Mapping[str, Any], messages: Sequence[Message] = MESSAGES) -> dict[str, Any]:
    """The request's body as it arrives at the server."""
    with MockServer(lambda request: message()) as server:
        (sent,) = send_all(server, [params], messages)
        assert isinstance(sent, Sent)
        return server.requests[0]


def outcome_of(answer: Answer) -> Sent | BaseException:
    with MockServer(lambda request: answer) as server:
        (outcome,) = send_all(server, [{"temperature": 0}])
    return outcome


def reply_to(answer: Answer) -> Reply:
    outcome = outcome_of(answer)
    assert isinstance(outcome, Sent), outcome
    return outcome.reply


def test_the_system_prompt_is_apart_and_there_is_always_a_limit() -> None:
    assert body_of({"temperature": 0}) == {
        "model": "claude-mock",
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "수도는?"}],
        "temperature": 0,
        "max_tokens": 4096,  # the interface wants one
    }


def test_the_users_limit_is_taken_and_no_seed_is_sent() -> None:
    body = body_of({"max_tokens": 16, "seed": 1, "top_k": 3}, [Message("user", "Hi")])
    assert body == {
        "model": "claude-mock",
        "messages": [{"role": "user", "content": "Hi"}],
        "max_tokens": 16,
        "top_k": 3,
    }


def test_several_system_prompts_are_joined_and_turns_keep_their_order() -> None:
    turns = [Message("system", "One."), Message("user", "a"), Message("assistant", "b"), Message("system", "Two.")]
    body = body_of({}, turns)
    assert body["system"] == "One.\n\nTwo."
    assert body["messages"] == [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/"])
def test_address_and_headers(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)

    async def send(url: str) -> None:
        model = AnthropicModel(ModelSpec(name="anthropic/m", base_url=url))
        await model.send(model.ask(MESSAGES, {}, 0), 10)
        await model.close()

    with MockServer(lambda request: message()) as server:
        asyncio.run(send(f"http://127.0.0.1:{server.port}{path}"))
        head = server.heads[0]
    assert head.startswith("POST /v1/messages HTTP/1.1\r\n")
    assert f"\r\nx-api-key: {KEY}\r\n" in head
    assert "\r\nanthropic-version: 2023-06-01\r\n" in head


def test_without_a_key_none_is_sent() -> None:
    with MockServer(lambda request: message()) as server:
        send_all(server)
        assert "x-api-key" not in server.heads[0].lower()


def test_the_ask_holds_the_address_only_where_the_user_gave_one_and_never_the_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    own = AnthropicModel(ModelSpec(name="anthropic/m")).ask(MESSAGES, {"top_k": 1}, 2)
    assert own == Ask(provider="anthropic", model="m", messages=MESSAGES, params={"top_k": 1}, sample=2)
    other = AnthropicModel(ModelSpec(name="anthropic/m", base_url="http://localhost:1/")).ask(MESSAGES, {}, 0)
    assert other.base_url == "http://localhost:1"
    assert KEY not in own.canonical + other.canonical


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        (ModelSpec(name="anthropic/m"), "anthropic/m needs ANTHROPIC_API_KEY: set the environment variable"),
        (ModelSpec(name="anthropic/", base_url="http://x"), "anthropic/ names no model: write anthropic/NAME"),
        (ModelSpec(name="anthropic/m", base_url="x"), "--base-url x is no address"),
        (ModelSpec(name="anthropic/m", base_url="http://a:b@x"), "--base-url holds a password"),
        (ModelSpec(name="anthropic/m", base_url="http://x", params={"logprobs": 5}), "leave --param logprobs out"),
        (ModelSpec(name="anthropic/m", base_url="http://x", params={"choices": ["A"]}), "leave --param choices out"),
    ],
)
def test_mistakes_are_said_in_a_sentence(spec: ModelSpec, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        AnthropicModel(spec)


def test_a_whole_reply() -> None:
    assert reply_to(message()) == Reply(
        status="ok",
        text="B",
        finish_reason="end_turn",
        served_model="claude-mock-2026",
        input_tokens=60,
        cached_tokens=0,
        output_tokens=2,
    )


@pytest.mark.parametrize(
    ("content", "text", "reasoning"),
    [
        ([{"type": "text", "text": "A "}, {"type": "text", "text": "or B"}], "A or B", None),
        ([{"type": "thinking", "thinking": "Hm.", "signature": "x"}, {"type": "text", "text": "B"}], "B", "Hm."),
        ([{"type": "redacted_thinking", "data": "x"}, {"type": "text", "text": "B"}], "B", None),
        ([{"type": "thinking", "thinking": "", "signature": "x"}, {"type": "text", "text": "B"}], "B", None),
        ([{"type": "tool_use", "input": {}}], "", None),
        ([], "", None),
        ([None, "B", {"type": "text"}, {"type": "text", "text": None}, {"type": "text", "text": 7}], "", None),
    ],
)
def test_text_and_thinking_are_kept_apart(content: Any, text: str, reasoning: str | None) -> None:
    reply = reply_to(message(content))
    assert (reply.status, reply.text, reply.reasoning) == ("ok", text, reasoning)


@pytest.mark.parametrize(
    ("stop_reason", "status"),
    [
        ("end_turn", "ok"),
        ("stop_sequence", "ok"),
        ("max_tokens", "truncated"),
        ("model_context_window_exceeded", "truncated"),
        ("refusal", "refused"),
    ],
)
def test_how_a_reply_ended(stop_reason: str, status: str) -> None:
    reply = reply_to(message(stop_reason=stop_reason))
    assert (reply.status, reply.finish_reason) == (status, stop_reason)


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        # 10 fresh + 40 read from the cache + 5 written to it = 55 tokens of input
        (
            {"input_tokens": 10, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 5, "output_tokens": 2},
            (55, 40, 2),
        ),
        (
            {
                "input_tokens": 10,
                "cache_read_input_tokens": None,
                "cache_creation_input_tokens": None,
                "output_tokens": 0,
            },
            (10, 0, 0),
        ),
        ({"input_tokens": 10}, (10, 0, None)),
        ({"input_tokens": "10", "output_tokens": -1}, (None, None, None)),
        ({}, (None, None, None)),
        (None, (None, None, None)),
        ([1], (None, None, None)),
    ],
)
def test_tokens_are_counted_where_the_server_counts_them(usage: Any, counts: tuple[int | None, ...]) -> None:
    reply = reply_to(message(usage=usage))
    assert (reply.input_tokens, reply.cached_tokens, reply.output_tokens) == counts


@pytest.mark.parametrize("body", [b"{}", b'{"content": null}', b'{"content": "B"}', b"[]", b"<html>", b'{"content": ['])
def test_what_is_no_message_is_tried_again(body: bytes) -> None:
    assert isinstance(outcome_of(Answer(body)), TryAgain)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (error(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), Hopeless),
        (error(401, "authentication_error", "invalid x-api-key"), ModelUnusable),
        (error(402, "billing_error", "no credit"), ModelUnusable),
        (error(403, "permission_error", "no"), ModelUnusable),
        (error(404, "not_found_error", "model: claude-mock"), ModelUnusable),
        (error(413, "request_too_large", "too large"), Hopeless),
        (error(500, "api_error", "internal"), TryAgain),
        (error(200, "api_error", "behind a 200"), TryAgain),
    ],
)
def test_errors_mean_what_the_interface_says(answer: Answer, kind: type[Exception]) -> None:
    assert isinstance(outcome_of(answer), kind)


def test_a_wrong_key_is_said_with_its_variable() -> None:
    raised = outcome_of(error(401, "authentication_error", "invalid x-api-key"))
    assert str(raised) == "the server said 401: invalid x-api-key; check ANTHROPIC_API_KEY"


@pytest.mark.parametrize(
    ("answer", "wait"),
    [
        (error(529, "overloaded_error", "Overloaded"), None),
        (error(429, "rate_limit_error", "slower", {"retry-after": "9"}), 9.0),
    ],
)
def test_an_overloaded_server_wants_fewer_asks(answer: Answer, wait: float | None) -> None:
    raised = outcome_of(answer)
    assert isinstance(raised, TryAgain)
    assert (raised.overloaded, raised.wait) == (True, wait)


def test_a_content_filter_refuses() -> None:
    reply = reply_to(error(400, "invalid_request_error", "Output blocked by content filtering policy"))
    assert (reply.status, reply.finish_reason) == ("refused", "content_filter")


def takes_no_temperature(request: dict[str, Any]) -> Answer:
    if "temperature" in request:
        refusal = error(400, "invalid_request_error", "`temperature` is deprecated for this model.")
        refusal.delay = 0.2  # so that several asks are under way together
        return refusal
    return message()


def test_that_a_model_takes_no_temperature_is_learned_by_all_asks_under_way() -> None:
    async def send(url: str) -> None:
        model = AnthropicModel(ModelSpec(name="anthropic/m", base_url=url))
        ask = model.ask(MESSAGES, {"temperature": 0, "max_tokens": 16}, 0)
        assert model.adjustments == []
        refused = await asyncio.gather(*(model.send(ask, 10) for _ in range(3)), return_exceptions=True)
        assert [(type(one), getattr(one, "wait", None)) for one in refused] == [(TryAgain, 0.0)] * 3
        assert model.adjustments == ["temperature is not sent: the model does not take it"]
        assert (await model.send(ask, 10)).reply.text == "B"
        await model.close()

    with MockServer(takes_no_temperature) as server:
        asyncio.run(send(server.url))
        assert ["temperature" in request for request in server.requests] == [True, True, True, False]
        assert server.requests[-1]["max_tokens"] == 16


@pytest.mark.parametrize("temperature", [1.5, -1, "warm"])
def test_a_temperature_out_of_range_is_not_silently_left_out(temperature: Any) -> None:
    answer = error(400, "invalid_request_error", "temperature: range: 0..1")
    with MockServer(lambda request: answer) as server:
        first, second = send_all(server, [{"temperature": temperature}] * 2)
        assert isinstance(first, Hopeless)
        assert isinstance(second, Hopeless)
        assert all("temperature" in request for request in server.requests)


def test_a_complaint_about_temperature_where_none_was_sent_ends_the_ask() -> None:
    with MockServer(lambda request: error(400, "invalid_request_error", "temperature?")) as server:
        (raised,) = send_all(server)
        assert isinstance(raised, Hopeless)


def test_the_key_does_not_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    answers = [
        error(401, "authentication_error", f"{KEY} is wrong"),
        message([{"type": "text", "text": f"It is {KEY}"}]),
    ]
    with MockServer(lambda request: answers[len(server.requests) - 1]) as server:
        refused, said = send_all(server, [{}] * 2)
        assert all(KEY in head for head in server.heads)
    assert "[key] is wrong" in str(refused)
    assert isinstance(said, Sent)
    assert said.reply.text == "It is [key]"


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
blocks = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "thinking"]) | anything},
    optional={"text": texts | anything, "thinking": texts | anything},
)
messages = st.fixed_dictionaries(
    {"content": st.lists(blocks | anything, max_size=3) | anything},
    optional={
        "model": anything,
        "stop_reason": st.sampled_from(["end_turn", "max_tokens", "refusal"]) | anything,
        "usage": anything
        | st.fixed_dictionaries(
            {},
            optional={
                "input_tokens": st.integers() | anything,
                "cache_read_input_tokens": st.integers() | anything,
                "cache_creation_input_tokens": st.floats() | anything,
                "output_tokens": st.integers() | anything,
            },
        ),
    },
)


@given(messages | st.dictionaries(texts, anything, max_size=3))
def test_any_json_is_a_reply_that_can_be_kept_or_is_tried_again(body: dict[str, Any]) -> None:
    try:
        reply = read_message(body)
    except TryAgain:
        return
    assert msgspec.json.decode(msgspec.json.encode(reply), type=Reply) == reply
    for count in (reply.input_tokens, reply.cached_tokens, reply.output_tokens):
        assert count is None or 0 <= count < 2**63  # what the ledger's columns hold
