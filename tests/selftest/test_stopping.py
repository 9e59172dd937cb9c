"""Simulated runs that stop early: few false alarms, intervals that hold, fewer asks the larger the difference."""

from __future__ import annotations

from typing import Any

import pytest

from counterfoil.errors import UserError
from counterfoil.running.looks.design import Design, design_of
from counterfoil.selftest import stopping
from counterfoil.selftest.stopping import stopping_test
from counterfoil.selftest.stopping_text import stopping_text

pytestmark = pytest.mark.heavy


@pytest.fixture(autouse=True)
def few_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopping, "SHARES", (0.5, 0.9))
    monkeypatch.setattr(stopping, "CORRELATIONS", (0.3,))


def design(*until: str, **given: Any) -> Design:
    usual = {"until": until, "looks": None, "margin": None, "futility": None, "batch": False, "engine": "local"}
    found = design_of(usual | given)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "until", ["compare accuracy_ambiguous", "diff_bias_ambiguous > 0.1", "accuracy_ambiguous ± 0.1"]
)
def test_what_must_hold_holds(until: str) -> None:
    found = stopping_test("bias", design(until), trials=20, clusters=48)
    assert found.failures == []
    assert "What must hold holds." in stopping_text(found)


def test_larger_differences_take_fewer_asks() -> None:
    asks = stopping_test("bias", design("accuracy_ambiguous > 0.5"), trials=20, clusters=64).asks
    assert asks["1"] > asks["2"] > asks["3"]


def test_looks_that_spend_the_whole_error_each_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six looks at 5 % each: false alarms in about 18 % of the runs of one model, and more for two."""
    monkeypatch.setattr("counterfoil.deciding.rules.levels_of", lambda fractions, alpha: (0.05,) * len(fractions))
    monkeypatch.setattr(stopping, "EFFECTS", (0.0,))
    found = stopping_test("bias", design("accuracy_ambiguous > 0.5", futility=0.0), trials=60, clusters=100)
    assert any("false alarms" in failure for failure in found.failures)


def test_one_condition_at_a_time() -> None:
    both = design("accuracy_ambiguous > 0.5", "compare accuracy_ambiguous")
    with pytest.raises(UserError, match="one --until at a time"):
        stopping_test("bias", both)
