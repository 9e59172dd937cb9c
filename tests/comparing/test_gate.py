"""--fail-if: conditions on the difference, by the bounds of its interval."""

from __future__ import annotations

from typing import Any

import pytest

from counterfoil.comparing.compare import Comparison
from counterfoil.comparing.compared import ComparedFigure
from counterfoil.comparing.gate import failing, parse_gate
from counterfoil.errors import UserError


def row(difference: float | None, low: float | None, high: float | None, **more: Any) -> ComparedFigure:
    usual: dict[str, Any] = {"metric": "accuracy", "a": "old", "b": "new", "group": {}, "value_a": 0.5, "value_b": 0.5}
    usual |= {"p": 0.01, "p_adjusted": 0.01, "smallest_p": 0.0, "detectable": 0.02, "equivalent": None}
    usual |= {"pairs": 100, "clusters": 50, "verdict": "", "method": "", "note": None}
    return ComparedFigure(**(usual | {"difference": difference, "low": low, "high": high} | more))


def comparison(*rows: ComparedFigure) -> Comparison:
    return Comparison(suite="s", rows=list(rows), alignment=[], tied={}, not_compared=[], seed_table=[])


def holds(condition: str, *rows: ComparedFigure) -> bool:
    return bool(failing(comparison(*rows), [parse_gate(condition)]))


def test_the_whole_interval_must_lie_there() -> None:
    worse = row(-0.05, -0.08, -0.03)
    assert holds("accuracy < -0.02", worse)
    assert not holds("accuracy < -0.04", worse), "the upper bound is −0.03"
    assert not holds("accuracy > -0.09 ", row(-0.05, -0.10, -0.03))
    assert holds("accuracy > -0.09", worse)
    assert not holds("accuracy < -0.03", worse), "not below"


def test_one_bound_can_be_named() -> None:
    unsure = row(-0.01, -0.05, 0.03)
    assert not holds("accuracy < -0.02", unsure)
    assert holds("accuracy.low < -0.02", unsure), "a loss of more than 0.02 can't be ruled out"
    assert not holds("accuracy.low < -0.05", unsure)
    assert holds("accuracy.high > 0.02", unsure)
    assert not holds("accuracy.high < 0", unsure)


def test_only_overall_figures_count_and_every_pair_does() -> None:
    bad = row(-0.5, -0.6, -0.4, group={"category": "age"})
    assert not holds("accuracy < -0.02", row(0.0, -0.01, 0.01), bad)
    found = failing(
        comparison(row(0.0, -0.01, 0.01), row(-0.05, -0.08, -0.03, b="newer")), [parse_gate("accuracy<-0.02")]
    )
    assert found == ["Failed: accuracy<-0.02, for newer against old: -0.050 [-0.080, -0.030]."]


def test_several_conditions() -> None:
    gates = [parse_gate("accuracy < -0.02"), parse_gate("accuracy.low < -0.07")]
    assert len(failing(comparison(row(-0.05, -0.08, -0.03)), gates)) == 2


def test_what_can_not_be_tested_is_said() -> None:
    with pytest.raises(UserError, match="there is no metric acuracy; there are accuracy"):
        holds("acuracy < 0", row(0.0, -0.1, 0.1))
    with pytest.raises(UserError, match=r"accuracy has no interval here \(fewer than 5 clusters"):
        holds("accuracy < 0", row(0.1, None, None, note="fewer than 5 clusters"))
    with pytest.raises(UserError, match="accuracy has no overall figure"):
        holds("accuracy < 0", row(-0.5, -0.6, -0.4, group={"category": "age"}))


@pytest.mark.parametrize(
    ("text", "number"),
    [("a < 1", 1), ("a<-.5", -0.5), ("  a_b.low > +0.02 ", 0.02), ("a > 0.", 0.0), ("a < 1e-3", 0.001)],
)
def test_conditions(text: str, number: float) -> None:
    assert parse_gate(text).number == number


@pytest.mark.parametrize(
    "text", ["", "a", "a <", "< 1", "a = 1", "a <= 1", "a.middle < 1", "a < b", "a < 1 < 2", "a < ."]
)
def test_no_conditions(text: str) -> None:
    with pytest.raises(UserError, match="is no condition: write METRIC < NUMBER"):
        parse_gate(text)
