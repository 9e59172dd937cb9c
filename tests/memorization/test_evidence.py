"""Which questions are called memorized: what chance alone makes of one, by hand and in simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from counterfoil.memorization.evidence import chance_of, memorized


def test_the_chance_by_hand() -> None:
    # Right in the original, wrong in five draws: one of six answers is the original. All five lures kept: 1/32.
    together = 1 / 6 / 32
    assert chance_of(True, 0, 5, 5, 0) == pytest.approx(together * (1 - math.log(together)))
    # Without lures 1/6 is all there is, and no single question passes 5 %.
    assert chance_of(True, 0, 5, 0, 0) > 0.4
    # A wrong original is evidence of nothing, nor is one that all draws share.
    assert chance_of(False, 3, 5, 0, 0) == chance_of(True, 5, 5, 0, 0) == 1.0
    # Of three lures two kept the old answer: 4 of 8 ways keep as many.
    assert chance_of(False, 0, 5, 2, 1) == pytest.approx(0.5 * (1 + math.log(2)))


@pytest.mark.parametrize(("skill", "lures"), [(0.95, 0), (0.7, 5), (0.4, 5)])
def test_without_memory_hardly_a_run_calls_a_question_memorized(skill: float, lures: int) -> None:
    rng = np.random.default_rng(7)
    runs = 200
    called = 0
    for _ in range(runs):
        chance = rng.beta(skill, 1 - skill, 60)
        original = rng.random(60) < chance
        draws = rng.binomial(5, chance)
        wrong = rng.binomial(lures, 1 - chance)
        old = rng.binomial(wrong, 0.5)
        found = memorized(
            [
                chance_of(bool(o), int(r), 5, int(k), int(w - k))
                for o, r, k, w in zip(original, draws, old, wrong, strict=True)
            ]
        )
        called += any(found)
    # At most 5 % of the runs, by design: 10; 20 leave room for luck.
    assert called <= 20


def test_a_parrot_is_found_out() -> None:
    assert memorized([chance_of(True, 0, 5, 5, 0)] * 8 + [1.0] * 2) == [True] * 8 + [False] * 2
