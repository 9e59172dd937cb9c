"""Which questions are held out."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.adapters.training.export import held_out
from counterfoil.errors import UserError

MARKS = st.lists(st.lists(st.sampled_from("abcdefghijkl"), min_size=1, max_size=3), min_size=1, max_size=40)


def parts(marks: list[list[str]]) -> list[set[int]]:
    """What hangs together, found the slow way: items are joined until nothing changes."""
    found = [{item} for item in range(len(marks))]
    changed = True
    while changed:
        changed = False
        for one in range(len(found)):
            for other in range(one + 1, len(found)):
                of = [{mark for item in part for mark in marks[item]} for part in (found[one], found[other])]
                if found[one] and found[other] and of[0] & of[1]:
                    found[one] |= found[other]
                    found[other] = set()
                    changed = True
    return [part for part in found if part]


@given(MARKS, st.floats(0.01, 0.99), st.integers())
def test_nothing_is_on_both_sides_and_both_hold_something(marks: list[list[str]], share: float, seed: int) -> None:
    together = parts(marks)
    if len(together) == 1:
        with pytest.raises(UserError, match="hang together"):
            held_out(marks, share, seed)
        return
    out = held_out(marks, share, seed)
    assert len(out) == len(marks)
    assert any(out)
    assert not all(out)
    for part in together:
        assert len({out[item] for item in part}) == 1
    # A part is taken if that brings the number nearer, so it is over by half a part at the most; or it is the smallest.
    sizes = sorted(map(len, together))
    assert sum(out) <= max(share * len(marks) + sizes[-1] / 2, sizes[0])
    assert held_out(marks, share, seed) == out


@given(st.lists(st.integers(0, 50), min_size=4, max_size=50, unique=True), st.integers(0, 5))
def test_what_comes_first_does_not_matter(clusters: list[int], seed: int) -> None:
    marks = [[f"cluster {number}"] for number in clusters]
    out = dict(zip(clusters, held_out(marks, 0.3, seed), strict=True))
    turned = dict(zip(clusters[::-1], held_out(marks[::-1], 0.3, seed), strict=True))
    assert out == turned


def test_the_share_is_kept_and_the_seed_decides_who() -> None:
    marks = [[f"cluster {number // 2}", f"unit {number}"] for number in range(100)]
    sides = [tuple(held_out(marks, 0.2, seed)) for seed in range(20)]
    # Parts of two: each that is taken brings the number nearer to 20, until it is there.
    assert {sum(side) for side in sides} == {20}
    assert len(set(sides)) == 20
    # Over many seeds every question is held out now and then: 50 parts, 20 draws of 10.
    times = Counter(number for side in sides for number, out in enumerate(side) if out)
    assert len(times) > 90


def test_links_reach_further_than_one_step() -> None:
    # 0-1 by a, 1-2 by b, 2-3 by c: one part; 4 is alone, and the smaller one is held out.
    assert held_out([["a"], ["a", "b"], ["b", "c"], ["c"], ["d"]], 0.01, 0) == [False] * 4 + [True]
