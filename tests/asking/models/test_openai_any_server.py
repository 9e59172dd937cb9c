"""Chat completions of any server at all."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.asking.ask import Reply
from counterfoil.asking.models.base import TryAgain
from counterfoil.asking.models.openai import read_completion, split_thinking

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
