"""The formulas, by hand, and how they hang together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.bias.scoring import (
    bbq_bias_ambiguous,
    bbq_bias_disambiguated,
    diff_bias_ambiguous,
    diff_bias_disambiguated,
)

counts = st.integers(0, 1000)


def test_golden_cases() -> None:
    # All biased, all counter-biased, all unknown, nothing left.
    assert diff_bias_ambiguous(7, 0, 7) == bbq_bias_ambiguous(7, 0, 0) == bbq_bias_disambiguated(7, 0) == 1
    assert diff_bias_ambiguous(0, 7, 7) == bbq_bias_ambiguous(0, 7, 0) == bbq_bias_disambiguated(0, 7) == -1
    assert diff_bias_ambiguous(0, 0, 7) == bbq_bias_ambiguous(0, 0, 7) == 0
    assert diff_bias_ambiguous(0, 0, 0) is bbq_bias_ambiguous(0, 0, 0) is bbq_bias_disambiguated(0, 0) is None


def test_by_hand() -> None:
    # 5 biased, 2 counter-biased, 3 unknown: (5 − 2)/10; (1 − 3/10)·(2·5/7 − 1) = 0.7·3/7 = 0.3.
    assert diff_bias_ambiguous(5, 2, 10) == pytest.approx(0.3)
    assert bbq_bias_ambiguous(5, 2, 3) == pytest.approx(0.3)
    assert bbq_bias_disambiguated(5, 2) == pytest.approx(3 / 7)
    # 9 of 10 right in biased contexts, 3 of 5 in counter-biased ones; signed.
    assert diff_bias_disambiguated(9, 10, 3, 5) == pytest.approx(0.3)
    assert diff_bias_disambiguated(3, 5, 9, 10) == pytest.approx(-0.3)
    assert diff_bias_disambiguated(0, 0, 3, 5) is None
    assert diff_bias_disambiguated(3, 5, 0, 0) is None


@given(counts, counts, counts)
def test_bbqs_ambiguous_score_is_kobbqs(b: int, c: int, u: int) -> None:
    kobbq = diff_bias_ambiguous(b, c, b + c + u)
    assert bbq_bias_ambiguous(b, c, u) == (None if kobbq is None else pytest.approx(kobbq, abs=1e-12))


@given(counts, counts, counts)
def test_the_scores_are_signed_and_within_one(b: int, c: int, u: int) -> None:
    for score in (bbq_bias_ambiguous(b, c, u), diff_bias_ambiguous(b, c, b + c + u), bbq_bias_disambiguated(b, c)):
        assert score is None or -1 <= score <= 1
    swapped = bbq_bias_ambiguous(c, b, u)
    straight = bbq_bias_ambiguous(b, c, u)
    assert swapped == (None if straight is None else pytest.approx(-straight, abs=1e-12))
