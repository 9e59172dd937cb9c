"""Short names: without what all share, and never two that are equal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.console import cut
from counterfoil.figures.names import distinct, short_names
from counterfoil.figures.numbers import listed


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["openai/gpt-4o"], ["openai/gpt-4o"]),
        (["openai/gpt-4o", "openai/gpt-4o-mini"], ["gpt-4o", "gpt-4o-mini"]),
        (["together/Qwen/a", "openrouter/Qwen/b"], ["together/Qwen/a", "openrouter/Qwen/b"]),
        (["p/bias?unknown=0.2&unread=0.05", "p/bias?unknown=0.5&unread=0.05"], ["unknown=0.2", "unknown=0.5"]),
        (["planted/explain", "planted/explain?right=0.7"], ["explain", "explain?right=0.7"]),
    ],
)
def test_shared_parts_are_left_out(names: list[str], short: list[str]) -> None:
    assert list(short_names(names).values()) == short


@given(st.lists(st.text("ab/?&=", max_size=9), min_size=1, max_size=6))
def test_no_two_names_become_equal_and_none_empty(names: list[str]) -> None:
    short = short_names(names)
    assert len(set(short.values())) == len(set(names))
    assert all(short[name] or not name for name in names)


def test_names_that_would_be_cut_to_the_same_are_numbered() -> None:
    texts = [f"{'a' * 20}{letter}{'b' * 20}" for letter in "xy"] + ["short"]
    shown = distinct(texts, lambda text: cut(text, 10))
    assert shown == ["1: aa…bbbb", "2: aa…bbbb", "short"]


def test_long_lists_end_with_how_many_more() -> None:
    assert listed("abcdef", 3) == "a, b and 4 more"
    assert listed("abc", 3) == "a, b and c"
