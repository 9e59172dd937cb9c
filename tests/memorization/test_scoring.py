"""The formulas, with values by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.memorization import scoring

originals = st.sampled_from([0.0, 1.0])
shares = st.integers(1, 7).flatmap(lambda k: st.integers(0, k).map(lambda right: right / k))


def test_by_hand() -> None:
    # Original right, three of five draws right.
    assert scoring.memorization_gap(1, 0.6) == pytest.approx(0.4)
    assert scoring.robust_accuracy(1, 0.6) == 0
    assert scoring.robust_accuracy_at_1(1, 0.6) == pytest.approx(0.6)
    assert scoring.memorization_suspect(1, 0.6) == 1
    assert scoring.memorization_suspect_at_1(1, 0.6) == pytest.approx(0.4)
    # Original wrong: whatever becomes of the draws, it is neither robust nor suspect.
    assert scoring.memorization_gap(0, 0.6) == pytest.approx(-0.6)
    assert scoring.robust_accuracy(0, 1) == scoring.robust_accuracy_at_1(0, 1) == 0
    assert scoring.memorization_suspect(0, 0) == scoring.memorization_suspect_at_1(0, 0) == 0
    assert scoring.robust_accuracy(1, 1) == scoring.robust_accuracy_at_1(1, 1) == 1


def test_kinds_by_hand() -> None:
    assert scoring.kind_of(1, 1) == "robust"
    assert scoring.kind_of(1, 0.8) == "memorized"
    assert scoring.kind_of(1, 0) == "memorized"
    assert scoring.kind_of(0, 0.2) == "improved"
    assert scoring.kind_of(0, 1) == "improved"
    assert scoring.kind_of(0, 0) == "robust-incorrect"


@given(originals, shares)
def test_robust_and_suspect_make_up_the_original(o: float, v: float) -> None:
    assert scoring.robust_accuracy(o, v) + scoring.memorization_suspect(o, v) == o
    assert scoring.robust_accuracy_at_1(o, v) + scoring.memorization_suspect_at_1(o, v) == pytest.approx(o)
    # All draws right is harder than one of them.
    assert scoring.robust_accuracy(o, v) <= scoring.robust_accuracy_at_1(o, v)
    assert (scoring.kind_of(o, v) == "robust") == (scoring.robust_accuracy(o, v) == 1)
    assert (scoring.kind_of(o, v) == "memorized") == (scoring.memorization_suspect(o, v) == 1)
