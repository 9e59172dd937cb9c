"""The estimates of what left nothing to estimate: each is there, without a value and with a note."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from counterfoil.explain.suite import Explain
from counterfoil.stats import Estimate
from counterfoil.suite.suite import Context
from two_sides import EXPLAIN, explained

OVERALL = {
    *("accuracy", "score_threshold", "score_confusion_index", "reward", "penalty", "mentions"),
    *("clarifies_confusing", "clarifies_plain", "discernment"),
}
BY_JUDGE = {"judge_precision", "judge_recall", "judge_f1", "judge_quality", "judge_restraint"}
JUDGED = [f"judge_{name}" for name in ("precision", "recall", "f1", "restraint", "quality", "correct", "changed")]

Rows = list[dict[str, Any]]


def estimates(rows: Rows, judges: list[str] | None = None) -> list[Estimate]:
    frame = pl.DataFrame(rows, schema_overrides=EXPLAIN)
    missing = [pl.lit(None, dtype=kind).alias(name) for name, kind in EXPLAIN.items() if name not in frame.columns]
    suite = Explain({"confusing_at": 50}, Context(judges=judges or ()))
    return suite.summarize(frame.with_columns(missing), suite.prepare([]))


def asked(*rights: bool | None, model: str = "m", **more: Any) -> Rows:
    """One question for each; None: it failed."""
    return [
        explained(right, model=model, question_id=f"q{i}", cluster=f"q{i}", **more) for i, right in enumerate(rights)
    ]


def judged(judges: list[str], confusion: list[float | None], **more: list[float | None]) -> dict[str, Any]:
    """What the judges say of one reply; where it is not given, nothing."""
    nothing: dict[str, Any] = {name: [None] * len(judges) for name in JUDGED}
    return nothing | {"judges": judges, "judge_confusion": confusion, "judge_failures": []} | more


def by_name(made: list[Estimate], model: str = "m") -> dict[tuple[Any, ...], Estimate]:
    return {(it.metric, *sorted(it.group.items())): it for it in made if it.model == model}


def is_nothing(it: Estimate) -> bool:
    return (it.value, it.low, it.high, it.n) == (None, None, None, 0) and bool(it.note)


def test_all_failed() -> None:
    found = by_name(estimates(asked(None, None)))
    assert {name for name, *group in found if not group} == OVERALL
    assert set(found) == set(by_name(estimates(asked(True, False)))), "all that there would be with replies"
    assert all(is_nothing(it) for it in found.values())


def test_one_model_failed_beside_another() -> None:
    right = asked(True, True, False)
    made = estimates([*right, *asked(None, None, None, model="f")])
    assert [it for it in made if it.model == "m"] == estimates(right), "that changes nothing for the other"
    assert set(by_name(made, "f")) == set(by_name(made))
    assert all(is_nothing(it) for it in by_name(made, "f").values())


@pytest.mark.parametrize(("confusing", "absent"), [(True, ("penalty", "clarifies_plain")), (False, ("reward",))])
def test_only_one_kind_of_question(confusing: bool, absent: tuple[str, ...]) -> None:
    found = by_name(estimates(asked(True, False, confusing=confusing, confusing_by_index=confusing)))
    for group in ((), (("replies", "correct"),)):
        assert all(is_nothing(found[metric, *group]) for metric in absent)
        assert found["discernment", *group].value is None
        assert found["score_threshold", *group].value == 0.5
    assert is_nothing(found["clarifies_plain" if confusing else "clarifies_confusing", ("label", "confusion_index")])


def test_no_right_reply_leaves_the_figures_over_right_ones_without_a_value() -> None:
    found = by_name(estimates(asked(False, False)))
    over_right = {name: it for (name, *group), it in found.items() if group == [("replies", "correct")]}
    assert set(over_right) == OVERALL - {"accuracy"}
    assert all(is_nothing(it) for it in over_right.values())
    assert found["accuracy",].value == 0


@pytest.mark.parametrize("judges", [["j"], ["j", "k"]])
def test_judges_that_could_not_be_read(judges: list[str]) -> None:
    unreadable = asked(True, False, **judged(judges, [None] * len(judges)))
    found = by_name(estimates(unreadable))
    for judge in judges:
        group = (("judge", judge),) if len(judges) > 1 else ()
        assert {name for name, *own in found if name.startswith("judge") and tuple(own) == group} == BY_JUDGE
        for metric in BY_JUDGE:
            assert is_nothing(found[metric, *group]), (metric, judge)
        for metric in ("clarifies_confusing", "clarifies_plain"):
            assert is_nothing(found[metric, *group, ("label", "judge")])
    everywhere = by_name(estimates(unreadable), "all")
    assert is_nothing(everywhere["judge_confusion", ("judge", "j")])


def test_judges_without_a_reply_to_judge() -> None:
    alone = by_name(estimates(asked(None, None), ["j"]))
    assert all(is_nothing(alone[metric,]) for metric in BY_JUDGE)
    # Beside a model whose replies were judged: f1 0.5, and nothing to restrain oneself from.
    rows = asked(True, False, **judged(["j"], [80.0], judge_f1=[0.5])) + asked(None, model="f")
    made = estimates(rows, ["j"])
    assert by_name(made)["judge_f1",].value == 0.5
    assert is_nothing(by_name(made)["judge_restraint",])
    assert all(is_nothing(by_name(made, "f")[metric,]) for metric in BY_JUDGE)


def test_what_nobody_asked_a_judge_has_no_figure() -> None:
    assert not [it for it in estimates(asked(True, None)) if it.metric.startswith("judge")]
    optional = {"judge_correct", "judge_changed"}
    assert optional.isdisjoint(it.metric for it in estimates(asked(True, **judged(["j"], [80.0]))))
    imported = estimates(asked(True, **judged(["imported"], [80.0], judge_f1=[0.5])))
    assert {it.metric for it in imported if it.metric.startswith("judge") and it.model == "m"} == {"judge_f1"}


def test_a_question_is_as_confusing_as_a_judge_says_of_any_of_its_replies() -> None:
    # Of the first reply's score nothing could be read; the question is the same: 80, and 20 for the other.
    rows = asked(True, True, **judged(["j"], [None])) + asked(True, model="n", **judged(["j"], [80.0]))
    rows += [it | {"question_id": "q1", "cluster": "q1"} for it in asked(True, model="n", **judged(["j"], [20.0]))]
    it = by_name(estimates(rows), "all")["judge_confusion", ("judge", "j")]
    assert (it.value, it.n) == (50, 2)
