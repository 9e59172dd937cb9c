"""Stop texts are found when they are there, by reading the end of a reply only."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.asking.models.hf.job import LOST, Stops

Token = bytes


def by_bytes(tokens: Sequence[Token]) -> str:
    """As byte-level tokenizers do."""
    return b"".join(tokens).decode(errors="replace")


def stripped(tokens: Sequence[Token]) -> str:
    """As tokenizers do that mark where words begin: the first space is none."""
    return by_bytes(tokens).removeprefix(" ")


def by_runs(tokens: Sequence[Token]) -> str:
    """As tokenizers with a token for each byte do: neighbours of them are read together, or not at all."""
    parts: list[str] = []
    run = b""
    for token in [*tokens, b"ab"]:
        if len(token) == 1:
            run += token
            continue
        try:
            parts.append(run.decode())
        except UnicodeDecodeError:
            parts.append("\N{REPLACEMENT CHARACTER}" * len(run))
        parts.append(token.decode(errors="replace"))
        run = b""
    return "".join(parts)[:-2]


# Letters, spaces, and characters of two and three bytes, whole and in pieces.
pieces = [b"a", b"b", b" ", b"ab", b" a", "é".encode(), "안".encode(), b"\xc3", b"\xa9", b"\xec", b"\x95", b"\x88"]
tokens = st.lists(st.sampled_from(pieces), max_size=80)
stops = st.lists(st.text("ab é안", min_size=1, max_size=5), min_size=1, max_size=3)


@pytest.mark.parametrize("read", [by_bytes, stripped, by_runs])
@given(tokens=tokens, stops=stops)
def test_a_stop_is_found_as_in_the_whole_text(
    read: Callable[[Sequence[Token]], str], tokens: Sequence[Token], stops: Sequence[str]
) -> None:
    finder = Stops(stops, read)  # type: ignore[arg-type]
    for count in range(1, len(tokens) + 1):
        whole = read(tokens[:count])
        places = [whole.index(stop) for stop in stops if stop in whole]
        expected = whole[: min(places)] if places else None
        assert finder.cut(tokens[:count]) == expected  # type: ignore[arg-type]
        if expected is not None:
            return


def test_only_the_end_is_read() -> None:
    most = 0

    def read(tokens: Sequence[int]) -> str:
        nonlocal most
        most = max(most, len(tokens))
        return "".join(map(chr, tokens))

    finder = Stops(["stop", "never"], read)
    tokens = list(map(ord, "abcdefghij" * 50))
    assert all(finder.cut(tokens[:count]) is None for count in range(1, len(tokens) + 1))
    # What is read begins where the last part began: two parts, each as long as the longest text and what may be lost.
    assert most <= 2 * (len("never") + LOST) + 1
    assert finder.cut([*tokens, *map(ord, "stop")]) == "abcdefghij" * 50


def test_without_stops_nothing_is_read() -> None:
    def read(tokens: Sequence[int]) -> str:
        raise AssertionError

    assert Stops([], read).cut([1, 2]) is None
