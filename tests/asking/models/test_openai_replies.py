"""What each shape of a chat completion means."""

from __future__ import annotations

import json
from typing import Any

import pytest

from counterfoil.asking.ask import Reply, TokenChoice
from counterfoil.asking.models.base import TryAgain
from counterfoil.asking.models.openai import split_thinking
from mock_server import Answer, MockServer, completion
from openai_asks import reply_to, send_all, with_choice


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
    ],
)
def test_content_of_any_kind_is_a_text(content: Any, text: str) -> None:
    reply = reply_to(completion(content))
    assert (reply.status, reply.text, reply.reasoning) == ("ok", text, None)


@pytest.mark.parametrize(
    "choices",
    [[], [{}], [{"message": None}], [{"message": {}}], [{"message": {"role": "assistant"}}]],
)
def test_a_reply_without_content_is_an_empty_text(choices: Any) -> None:
    reply = reply_to(Answer(json.dumps({"choices": choices}).encode()))
    assert reply == Reply(status="ok", text="")


@pytest.mark.parametrize(
    "body",
    [
        *({}, {"choices": None}, {"choices": {}}, {"object": "chat.completion"}),
        # They would be kept for good, as empty replies.
        *({"choices": choices} for choices in ([None], [[]], ["B"], [{"text": "B"}])),
        *({"choices": [{"message": {"content": content}}]} for content in (7, {"text": "B"}, True)),
    ],
)
def test_what_is_no_completion_is_no_reply(body: Any) -> None:
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
