"""The key: the same everywhere for the same ask, another one whenever anything that matters differs."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.asking.ask import Ask, Message, ask_from_canonical

pytestmark = pytest.mark.heavy

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
numbers = st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts, lambda inner: st.lists(inner, max_size=3), max_leaves=5
)
messages = st.lists(st.builds(Message, st.sampled_from(["system", "user", "assistant"]), texts), max_size=3).map(tuple)
asks = st.builds(
    Ask,
    provider=texts,
    model=texts,
    messages=messages,
    params=st.dictionaries(texts, values, max_size=3),
    sample=st.integers(0, 5),
    base_url=st.none() | texts,
    runtime=st.none() | texts,
)

EXAMPLE = Ask(
    provider="openai",
    model="gpt-4o",
    messages=(Message("system", "Be brief."), Message("user", "수도는?")),
    params={"temperature": 0.0, "max_tokens": 16},
)


def test_the_canonical_json_is_what_it_is_for_ever() -> None:
    # Written down by hand: names sorted, no spaces, UTF-8 as it is, 0.0 as 0, unset fields left out. A change here
    # would make every ledger in the world useless.
    expected = (
        '{"messages":[{"content":"Be brief.","role":"system"},{"content":"수도는?","role":"user"}],'
        '"model":"gpt-4o","params":{"max_tokens":16,"temperature":0},"provider":"openai","sample":0}'
    )
    assert EXAMPLE.canonical == expected
    assert EXAMPLE.key == hashlib.sha256(expected.encode()).hexdigest()


def test_the_key_is_the_same_in_another_process_with_another_hash_seed() -> None:
    code = (
        "from counterfoil.asking.ask import Ask, Message\n"
        "print(Ask(provider='openai', model='gpt-4o', params={'max_tokens': 16, 'temperature': 0},"
        " messages=(Message('system', 'Be brief.'), Message('user', '수도는?'))).key)"
    )
    for seed in ("0", "1", "12345"):
        done = subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == EXAMPLE.key


@given(asks)
def test_an_ask_survives_its_canonical_json(ask: Ask) -> None:
    again = ask_from_canonical(ask.canonical)
    assert again.canonical == ask.canonical
    assert again.key == ask.key
    assert again.messages == ask.messages


@given(asks, asks)
def test_keys_are_equal_exactly_when_the_asks_are(one: Ask, other: Ask) -> None:
    # Python holds 1 == 1.0 and the key agrees; it also holds True == 1, where JSON and the key do not.
    if one.key == other.key:
        assert one == other
    elif not _has_booleans(one.params) and not _has_booleans(other.params):
        assert one != other


def _has_booleans(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_has_booleans(inner) for inner in value.values())
    if isinstance(value, list | tuple):
        return any(_has_booleans(inner) for inner in value)
    return isinstance(value, bool)


@pytest.mark.parametrize(
    "change",
    [
        {"provider": "azure"},
        {"model": "gpt-4o-mini"},
        {"messages": (*EXAMPLE.messages, Message("user", "again"))},
        {"messages": EXAMPLE.messages[::-1]},
        {"messages": (Message("user", "Be brief."), EXAMPLE.messages[1])},
        {"params": {"temperature": 0, "max_tokens": 17}},
        {"params": {"temperature": 0, "max_tokens": 16, "seed": 1}},
        {"params": {"temperature": 1e-9, "max_tokens": 16}},
        {"params": {"temperature": 0}},
        {"sample": 1},
        {"base_url": "http://localhost:8000/v1"},
        {"runtime": "xllamacpp 1"},
    ],
)
def test_everything_that_can_change_the_answer_changes_the_key(change: dict[str, Any]) -> None:
    assert msgspec.structs.replace(EXAMPLE, **change).key != EXAMPLE.key


def test_what_is_the_same_setting_has_the_same_key() -> None:
    params = {"max_tokens": 16.0, "temperature": 0}
    assert msgspec.structs.replace(EXAMPLE, params=params).key == EXAMPLE.key


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [float("-inf")]])
def test_what_json_does_not_know_is_no_setting(value: Any) -> None:
    with pytest.raises(ValueError, match="can't be a parameter"):
        _ = msgspec.structs.replace(EXAMPLE, params={"temperature": value}).key
