"""What a look decides, from evidence that is written down here: normal intervals of value ± critical · error."""

from __future__ import annotations

from collections import Counter
from typing import Any

from counterfoil.deciding.rules import Evidence, decided
from counterfoil.running.looks.design import design_of
from counterfoil.running.looks.questions import Look, Open, Questions
from counterfoil.stats.estimate import Interval
from counterfoil.stats.stopping.levels import critical


def normal(value: float, error: float, p: float | None = None) -> Evidence:
    def at(confidence: float) -> Interval:
        reach = critical(1 - confidence) * error
        return Interval(value, value - reach, value + reach, 100, 20, "normal", None)

    return Evidence(at) if p is None else Evidence(at, lambda: p)


def questions(*until: str, models: int = 2, **given: Any) -> Questions:
    values = {"looks": None, "margin": None, "futility": None, "batch": False, "engine": "local", **given}
    return Questions(design_of({"until": until, **values}), [f"m{number}" for number in range(models)], ["v"])  # type: ignore[arg-type]


def verdicts(look: Look, evidence: dict[tuple[str, ...], Evidence]) -> dict[tuple[str, ...], str]:
    by_open: dict[Open, Evidence] = {one: evidence[one.models] for one in look.open}
    return {tuple(decision.models): decision.verdict for decision in decided(look, by_open)}


def test_beyond_the_level_of_the_look_a_model_is_above_or_below() -> None:
    """At 1/4 of the clusters, of two models each has 2.5 %: a level of 0.37 %, critical 2.90."""
    look = questions("share > 0.5").at(3)
    assert verdicts(look, {("m0",): normal(0.8, 0.1), ("m1",): normal(0.2, 0.1)}) == {
        ("m0",): "above",
        ("m1",): "below",
    }
    assert verdicts(look, {("m0",): normal(0.78, 0.1), ("m1",): normal(0.5, 0.1)}) == {}


def test_what_is_told_apart_leaves_its_error_to_the_others() -> None:
    """Alone, the second model's 2.8 standard errors would not do; after the first it is tested with all 5 %: 2.68."""
    look = questions("share > 0.5").at(3)
    assert verdicts(look, {("m0",): normal(0.9, 0.1), ("m1",): normal(0.78, 0.1)}) == {
        ("m0",): "above",
        ("m1",): "above",
    }


def test_a_pair_is_told_apart_only_if_the_test_says_so_too() -> None:
    look = questions("compare share").at(4)
    assert verdicts(look, {("m0", "m1"): normal(0.4, 0.1, p=0.001)}) == {("m0", "m1"): "above"}
    assert verdicts(look, {("m0", "m1"): normal(0.4, 0.1, p=0.04)}) == {}


def test_within_the_margin_a_pair_is_equal() -> None:
    """At half the level is 1.53 %, critical 2.42: 0.01 ± 0.024 lies within 0.05."""
    look = questions("compare share", margin=0.05).at(4)
    assert verdicts(look, {("m0", "m1"): normal(0.01, 0.01, p=0.5)}) == {("m0", "m1"): "equal"}
    narrower = questions("compare share", margin=0.03).at(4)
    assert verdicts(narrower, {("m0", "m1"): normal(0.01, 0.01, p=0.5)}) != {("m0", "m1"): "equal"}


def test_what_would_hardly_be_decided_is_given_up_unless_futility_is_0() -> None:
    """At 3/4 and 0 standard errors, all clusters tell apart beyond 2.25·√¾ = 1.95 of these, whose spread is ½."""
    evidence = {("m0", "m1"): normal(0.0, 0.1, p=1.0)}
    assert verdicts(questions("compare share").at(5), evidence) == {("m0", "m1"): "given up"}
    assert verdicts(questions("compare share", futility=0.0).at(5), evidence) == {}


def test_at_the_last_look_nothing_stays_open() -> None:
    look = questions("share > 0.5", "share ± 0.01", "compare share", futility=0.0).at(6)
    evidence = {models: normal(0.5, 0.1, p=1.0) for models in (("m0",), ("m1",))}
    found = decided(look, {one: evidence.get(one.models, normal(0.0, 0.1, p=1.0)) for one in look.open})
    assert Counter(decision.verdict for decision in found) == {"not decided": 5}


def test_narrow_enough_is_told_at_the_confidence_of_the_summary() -> None:
    """± 0.03 with an error of 0.015: 1.96 · 0.015 = 0.0294 is narrow, and with looks that spend error it is not."""
    alone = questions("share ± 0.03", models=1).at(1)
    assert verdicts(alone, {("m0",): normal(0.5, 0.015)}) == {("m0",): "narrow enough"}
    beside = questions("share ± 0.03", "share > 0.5", models=1).at(1)
    assert verdicts(beside, {("m0",): normal(0.5, 0.015)}) == {}


def test_a_model_goes_on_while_any_of_its_pairs_is_open() -> None:
    pairs = questions("compare share", models=3)
    apart = normal(0.9, 0.1, p=0.0001)
    look = pairs.at(4)
    evidence = {one: apart if "m2" in one.models else normal(0.1, 0.1, p=0.3) for one in look.open}
    pairs.close(decided(look, evidence))
    assert pairs.busy == {"m0", "m1"}
    assert pairs.at(5).told_apart["compare share"] == 2
