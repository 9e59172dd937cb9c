"""Any text at all gives a result, and the results agree with each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.explain import answer_is_right, find_mentions, mention_spans

pytestmark = pytest.mark.heavy

WORDS = (
    "Rome New York 7 12,500 's ’s three twenty - . \n 1. ** 은 서울 京都 é e\u0301 \ud800 ² ፩ ① not answer is U.S. IT "
    "the July 1990 ( ) : ;"
)
PIECES = st.sampled_from(WORDS.split(" "))
ANY_TEXT = st.one_of(
    st.text(st.characters(), max_size=200),  # lone surrogates included
    st.lists(PIECES, max_size=30).map("".join),
    st.lists(PIECES, max_size=30).map(" ".join),
)
NAMES = st.one_of(
    ANY_TEXT, st.sampled_from(["Rome", "New York", "7", "three", "서울", "京都", "US", "July 7, 1990", ""])
)


@given(ANY_TEXT, st.lists(NAMES, max_size=4), NAMES, ANY_TEXT)
def test_spans_lie_in_the_reply_in_order_and_apart(reply: str, candidates: list[str], gold: str, question: str) -> None:
    spans = mention_spans(reply, candidates, gold=gold, question=question)
    end_before = 0
    for start, end, candidate in spans:
        assert end_before <= start < end <= len(reply)
        assert candidate in candidates
        end_before = end
    named = {candidate for _, _, candidate in spans}
    expected = [candidate for candidate in candidates if candidate in named]
    assert find_mentions(reply, candidates, gold=gold, question=question) == expected


@given(ANY_TEXT, NAMES, st.lists(NAMES, max_size=3), st.lists(NAMES, max_size=4), ANY_TEXT)
def test_every_answer_is_right_or_wrong(
    reply: str, gold: str, aliases: list[str], candidates: list[str], question: str
) -> None:
    assert answer_is_right(reply, gold, aliases=aliases, candidates=candidates, question=question) in (True, False)


@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=4, max_size=12).map(str.title))
def test_a_name_on_its_own_is_found(name: str) -> None:
    assert find_mentions(f'"{name}"', [name]) == [name]
    assert answer_is_right(name, name)


@pytest.mark.parametrize(
    "reply",
    [
        "Rome " * 20_000,
        "7" * 1_000_000,
        "7,777" * 200_000,
        "7." * 500_000,
        "'s" * 500_000,
        "서울은" * 300_000,
        "서울 " * 50_000,
        " " * 1_000_000,
        "not " * 250_000 + "Rome",
        "A " * 300_000 + "Rome",
        "\ud800" * 1_000_000,
        "e" + "\u0301" * 1_000_000,
        "one might, " * 80_000 + "Rome",
        "\n" * 1_000_000,
        "Rome; while " * 20_000,
        "서울 하지만 " * 30_000,
    ],
)
def test_long_texts_of_one_thing(reply: str) -> None:
    names = ["Rome", "New Rome", "Ada Rome", "7", "12", "서울", "京都", "US"]
    find_mentions(reply, names, gold="Paris", question="Who are they, and how many?")
    answer_is_right(reply, "Rome", candidates=names[1:], question="Who are they, and how many?")


@pytest.mark.parametrize("reply", ["There are 9:", "9:", "- **Category 9:", "It is 9 %", "9: 12:"])
def test_a_reply_that_ends_in_a_number_and_a_colon_can_be_read(reply: str) -> None:
    """As any reply can that was cut off at its limit."""
    names = find_mentions(reply, ["9", "12"], gold="8", question="How many planets are there?")
    assert set(names) <= {"9", "12"}
