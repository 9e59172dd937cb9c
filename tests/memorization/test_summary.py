"""The estimates, with values by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arms import Rows, asked, frame
from counterfoil.memorization.metrics import GAP_WITH_NOISE, NOISE_GAP
from counterfoil.memorization.suite import suite
from counterfoil.stats import Estimate

pytestmark = pytest.mark.heavy

# o and v̄: 1 and 1, 1 and 2/3, 0 and 1/3, 0 and 0, 1 and 0.
FIVE = [
    *asked("a", "1", "111"),
    *asked("b", "1", "110"),
    *asked("c", "0", "100"),
    *asked("d", "0", "000"),
    *asked("e", "1", "000"),
]


def of(*rows: Rows) -> dict[tuple[Any, ...], Estimate]:
    """By metric and group."""
    return {(it.metric, *sorted(it.group.items())): it for it in suite.summarize(frame(*rows), None)}


def values(*rows: Rows) -> dict[tuple[Any, ...], float | None]:
    return {name: it.value for name, it in of(*rows).items()}


def test_the_metrics_by_hand() -> None:
    found = values(FIVE)
    expected = {
        ("accuracy_original",): 3 / 5,
        # (1 + 2/3 + 1/3) / 5
        ("accuracy_perturbed",): 2 / 5,
        ("memorization_gap",): 1 / 5,
        ("robust_accuracy",): 1 / 5,
        # o·v̄: (1 + 2/3) / 5
        ("robust_accuracy", ("k", 1)): 1 / 3,
        ("memorization_suspect",): 2 / 5,
        # o(1 − v̄): (1/3 + 1) / 5
        ("memorization_suspect", ("k", 1)): 4 / 15,
        ("improved",): 1 / 5,
        # (1 − o)v̄: (1/3) / 5
        ("improved", ("k", 1)): 1 / 15,
        # 1 − (1/5) / (3/5)
        ("consistency",): 2 / 3,
        ("out_of_choice",): 0,
        ("accuracy_perturbed", ("level", 1)): 2 / 5,
        ("memorization_gap", ("level", 1)): 1 / 5,
    }
    for name, value in expected.items():
        assert found[name] == pytest.approx(value), name
    assert of(FIVE)["memorization_gap",].n == 5, "questions, not replies"
    assert of(FIVE)["memorization_gap",].clusters == 5


def test_level_3_is_apart() -> None:
    found = values([*FIVE, *asked("f", "1", "1", level_3="0001")])
    assert found["accuracy_perturbed", ("level", 3)] == pytest.approx(1 / 4)
    assert ("memorization_gap", ("level", 3)) not in found
    # One more question with o = v̄ = 1: its level 3 is not in the gap.
    assert found["memorization_gap",] == pytest.approx(1 / 6)
    assert found["robust_accuracy",] == pytest.approx(2 / 6)


def test_levels_1_and_2_are_in_the_gap_together_and_each_by_itself() -> None:
    found = values(asked("a", "1", "11", "00"), asked("b", "1", "10", "01"), asked("c", "0", "00", "11"))
    assert found["memorization_gap", ("level", 1)] == pytest.approx((0 + 0.5 + 0) / 3)
    assert found["memorization_gap", ("level", 2)] == pytest.approx((1 + 0.5 - 1) / 3)
    assert found["memorization_gap",] == pytest.approx((0.5 + 0.5 - 0.5) / 3)
    assert found["robust_accuracy",] == 0, "robust is over all draws of the gap"
    assert found["robust_accuracy", ("level", 1)] == pytest.approx(1 / 3)
    assert found["improved", ("level", 2)] == pytest.approx(1 / 3)
    assert found["accuracy_original", ("level", 2)] == pytest.approx(2 / 3)


def test_controls_and_the_excess_by_hand() -> None:
    found = values(
        asked("a", "1", "00", again="11", reshuffled="10", renamed="00"),
        asked("b", "1", "10", again="10", reshuffled="11"),
        asked("c", "0", "00", again="01", reshuffled="00", renamed="10"),
    )
    # 0, 0.5, −0.5; 0.5, 0, 0; 1 and −0.5, b having no names.
    assert found["control_gap", ("control", "again")] == pytest.approx(0)
    assert found["control_gap", ("control", "reshuffled")] == pytest.approx(1 / 6)
    assert found["control_gap", ("control", "renamed")] == pytest.approx(1 / 4)
    # reshuffled − perturbed: 0.5, 0.5, 0.
    assert found["excess_gap",] == pytest.approx(1 / 3)
    assert found["memorization_gap",] == pytest.approx((1 + 0.5 + 0) / 3), "controls are not in the gap"


def test_the_lure_arm_by_hand() -> None:
    found = of(asked("a", "1", "1", lure="oo1s"), asked("b", "0", "0", lure="0-1o"))
    # 3 old and 1 sham of 8 replies.
    assert found["kept_old",].value == pytest.approx(3 / 8)
    assert found["kept_old_excess",].value == pytest.approx(2 / 8)
    assert found["kept_old",].clusters == 2
    assert found["accuracy_perturbed",].value == 0.5, "lures are not in the gap"


def test_what_was_not_asked_for_has_no_estimates() -> None:
    names = {name for name, *_ in of(FIVE)}
    assert names.isdisjoint({"control_gap", "excess_gap", "kept_old", "kept_old_excess"})


ARMS = {"again": "11", "reshuffled": "10", "renamed": "01", "lure": "o1"}


def failed(rows: Rows, **more: Any) -> Rows:
    lost = dict.fromkeys(("answer", "correct", "kept_old", "took_sham", "gold")) | {"outcome": "failed"}
    return [row | lost | more for row in rows]


def test_what_was_asked_and_has_no_reply_has_every_figure_without_a_value() -> None:
    rows = asked("a", "1", "10", "01", "11", **ARMS) + asked("b", "0", "00", "11", "10", topic="u", **ARMS)
    usual, lost = of(rows), of(failed(rows))
    # Nobody asked with noise.
    noise = {NOISE_GAP.name, GAP_WITH_NOISE.name}
    assert {name for name, *group in usual if not group} == {
        metric.name for metric in suite.metrics if metric.is_overall
    } - noise
    assert list(lost) == list(usual)
    for name, it in lost.items():
        assert (it.value, it.low, it.high, it.n, it.p) == (None, None, None, 0, None), name
        assert it.note, name
    # Beside one that was answered: no figure of that one changes.
    both = suite.summarize(frame(rows, failed(rows, model="f")), None)
    assert [it for it in both if it.model == "m"] == list(usual.values())
    assert [(it.metric, it.group) for it in both if it.model == "f"] == [(it.metric, it.group) for it in usual.values()]


def test_what_failed_has_no_figures_of_what_was_not_asked_for() -> None:
    assert list(of(failed(FIVE))) == list(of(FIVE))
    # Without options there is nothing to reshuffle, whether or not a number was given.
    open_rows = [row | {"variant": "open", "answer": "1.5"} for row in asked("a", "1", "1", again="1", reshuffled="1")]
    assert list(of(failed(open_rows))) == list(of(open_rows))
    assert ("control_gap", ("control", "reshuffled")) not in of(open_rows)


def test_golds_of_a_model_whose_questions_all_failed() -> None:
    lost = of(failed(asked("a", "1", "10", status="unverified")))
    gap = lost["memorization_gap", ("status", "unverified")]
    assert (gap.value, gap.n) == (None, 0)
    assert "no values" in str(gap.note)
    assert ("memorization_gap", ("status", "refuted")) not in lost


def test_originals_count_where_level_3_alone_was_asked_for() -> None:
    # a and b have all their draws, c lacks one, and d has none: 1 of 2.
    rows = asked("a", "1", level_3="10") + asked("b", "0", level_3="11")
    rows += asked("c", "1", level_3="1x") + asked("d", "1")
    found = of(rows)
    assert (found["accuracy_original",].value, found["accuracy_original",].n) == (0.5, 2)
    assert found["accuracy_original", ("topic", "t")].value == 0.5
    assert found["accuracy_perturbed", ("level", 3)].n == 2, "over the same questions"
    # Level 3 is not in the gap, nor in what is made of it.
    for metric in ("memorization_gap", "accuracy_perturbed", "robust_accuracy", "consistency"):
        assert (found[metric,].value, found[metric,].note) == (None, "no values"), metric
    # With one draw in the gap, the originals are again those of the gap.
    assert of([*rows, *asked("e", "1", "1")])["accuracy_original",].n == 1


def test_originals_count_where_no_gold_is_trusted_and_where_nothing_was_changed() -> None:
    written = of(asked("a", "1", "00", status="unverified"), asked("b", "0", "0x", status="unverified"))
    assert (written["accuracy_original",].value, written["accuracy_original",].n) == (1, 1)
    controls = of(asked("a", "1", again="1"), asked("b", "0", again="0"))
    assert (controls["accuracy_original",].value, controls["accuracy_original",].n) == (0.5, 2)


def test_by_topic() -> None:
    found = values(asked("a", "1", "00", topic="x"), asked("b", "1", "10", topic="y"), asked("c", "0", "10", topic="y"))
    assert found["memorization_gap", ("topic", "x")] == 1
    assert found["accuracy_original", ("topic", "y")] == 0.5
    assert found["memorization_suspect", ("topic", "x")] == 1
    assert found["memorization_suspect", ("topic", "y")] == 0.5
    assert found["memorization_gap", ("topic", "y")] == pytest.approx(0)
    assert found["accuracy_perturbed", ("topic", "y")] == pytest.approx(0.5)


def test_a_failed_draw_leaves_its_question_out_of_all_arms_and_an_unread_one_is_wrong() -> None:
    lost = [*FIVE, *asked("f", "1", "11x"), *asked("g", "x", "111")]
    assert {name: it.value for name, it in of(lost).items()} == values(FIVE)
    assert of(lost)["accuracy_original",].n == 5
    # 1 − 0, and 0 − 1 where the original could not be read: 1/5 · 5 + 1 − 1 over 7.
    unread = values([*FIVE, *asked("f", "1", "---"), *asked("g", "-", "111")])
    assert unread["memorization_gap",] == pytest.approx(1 / 7)
    assert unread["out_of_choice",] == pytest.approx(4 / 28)


def test_questions_of_one_template_are_one_cluster() -> None:
    rows = [row | {"cluster": "one" if row["parent"] in "ab" else row["parent"]} for row in FIVE]
    assert of(rows)["memorization_gap",].clusters == 4


def test_repeats_are_members() -> None:
    twice = [row | {"repeat": repeat} for repeat in (0, 1) for row in FIVE]
    found = of(twice)
    assert found["memorization_gap",].n == 5
    assert found["memorization_gap",].value == pytest.approx(1 / 5)
    assert found["robust_accuracy",].value == pytest.approx(1 / 5)
    # Asked again with other luck: robust in one of two repeats is half robust, whatever else is asked.
    lucky = [row | {"repeat": 1, "correct": True} if row["parent"] == "b" else row | {"repeat": 1} for row in FIVE]
    assert of([*FIVE, *lucky])["robust_accuracy",].value == pytest.approx(1.5 / 5)
    assert of([*FIVE, *lucky])["memorization_suspect",].value == pytest.approx(1.5 / 5)


def test_what_is_not_defined_is_null_with_a_note() -> None:
    none_right = of(asked("a", "0", "10"), asked("b", "0", "00"))
    assert none_right["consistency",].value is None
    assert none_right["consistency",].note
    assert none_right["memorization_gap",].value == pytest.approx(-0.25)
    nothing_left = of(asked("a", "1", "1x"), asked("b", "x", "11"))
    for metric in ("accuracy_original", "accuracy_perturbed", "memorization_gap", "robust_accuracy", "consistency"):
        assert nothing_left[metric,].value is None
        assert nothing_left[metric,].note
        assert nothing_left[metric,].n == 0


def test_what_a_model_wrote_is_apart_with_a_warning() -> None:
    written = [
        *asked("f", "1", "00", status="unverified"),
        *asked("g", "1", "01", status="unverified"),
        *asked("h", "0", "00", status="refuted"),
    ]
    found = of([*FIVE, *written])
    assert found["memorization_gap",].value == pytest.approx(1 / 5)
    assert found["memorization_gap",].n == 5
    unverified = found["memorization_gap", ("status", "unverified")]
    assert unverified.value == pytest.approx(0.75)
    assert unverified.n == 2
    assert unverified.note
    assert "error rate" in unverified.note
    assert found["accuracy_perturbed", ("status", "refuted")].value == 0
    assert "error rate" not in (found["memorization_gap",].note or "")
    alone = of(written)
    assert alone["memorization_gap",].value is None, "not one gap on gold answers that nothing confirms"


def test_models_and_variants_are_apart() -> None:
    other = [row | {"model": "n", "variant": "open"} for row in asked("a", "1", "000")]
    found = {
        (it.model, it.variant): it.value
        for it in suite.summarize(frame(FIVE, other), None)
        if it.metric == "memorization_gap"
    }
    assert found == {("m", "mcq"): pytest.approx(1 / 5), ("n", "open"): 1}


one_question = st.tuples(st.sampled_from("01-"), st.text("01-", min_size=3, max_size=3))


@settings(deadline=None, max_examples=50)
@given(st.lists(one_question, min_size=1, max_size=8))
def test_the_metrics_fit_together(questions: list[tuple[str, str]]) -> None:
    rows = [row for number, (o, v) in enumerate(questions) for row in asked(f"q{number}", o, v)]
    found = {name: -1.0 if value is None else value for name, value in values(rows).items()}
    original, changed = found["accuracy_original",], found["accuracy_perturbed",]
    assert found["memorization_gap",] == pytest.approx(original - changed)
    for group in ((), (("k", 1),)):
        assert found["robust_accuracy", *group] + found["memorization_suspect", *group] == pytest.approx(original)
    assert found["robust_accuracy", ("k", 1)] + found["improved", ("k", 1)] == pytest.approx(changed)
    if original > 0:
        assert found["consistency",] == pytest.approx(1 - found["memorization_gap",] / original)
    pairs = [(float(o == "1"), v.count("1") / 3) for o, v in questions]
    n = len(pairs)
    # Original and all draws right; with one draw o·v̄.
    assert found["robust_accuracy",] == pytest.approx(sum(o == 1 and v == 1 for o, v in pairs) / n)
    assert found["robust_accuracy", ("k", 1)] == pytest.approx(sum(o * v for o, v in pairs) / n)
