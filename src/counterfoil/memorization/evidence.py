"""What one question's replies say of memory, and of which questions they say enough."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, log

from counterfoil.stats.multiplicity import discoveries

# Of the questions called memorized, so many at most are not, on average.
FALSE_SHARE = 0.05


def chance_of(original_right: bool, draws_right: int, draws: int, old: int, sham: int) -> float:
    """How likely chance alone makes a question look as memorized as this one.

    Two things are exact without memory, whatever the question. Which of its 1 + K answers is the original's: where r
    draws are right, the original is with chance (1 + r)/(1 + K). And of n lures that took the old answer or the sham,
    each took the old one with chance ½. Both are put together by their product c: p = c·(1 − ln c) (Fisher).
    """
    of_original = (1 + draws_right) / (1 + draws) if original_right else 1.0
    n = old + sham
    of_lures: float = sum(comb(n, k) for k in range(old, n + 1)) / 2**n
    together = of_original * of_lures
    return together * (1 - log(together))


def memorized(chances: Sequence[float]) -> list[bool]:
    """Which of a model's questions are called memorized: a share of false ones of 5 % at the most is expected."""
    return discoveries(chances, FALSE_SHARE)
