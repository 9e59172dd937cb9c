"""From records to questions: what belongs together, and what leaves a question out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arms import asked, frame
from counterfoil.memorization.items import lures_of, questions_of


def only(*rows: list[dict[str, Any]], **options: bool) -> dict[str, Any]:
    [row] = questions_of(frame(*rows), **options).to_dicts()
    return row


def test_an_original_beside_the_means_of_its_arms() -> None:
    row = only(asked("q", "1", "110", "10", "1000", again="11", reshuffled="10", renamed="0"))
    assert row["o"] == 1
    assert row["level 1"] == pytest.approx(2 / 3)
    assert row["level 2"] == 0.5
    # Both levels of the gap, draw by draw: 3 of 5; level 3 has no part in it.
    assert row["perturbed"] == pytest.approx(3 / 5)
    assert row["level 3"] == 0.25
    assert (row["again"], row["reshuffled"], row["renamed"]) == (1, 0.5, 0)
    assert row["draws"] == 5
    assert (row["robust"], row["suspect"], row["improved"]) == (0, 1, 0)


def test_an_arm_without_questions_is_null_and_not_0() -> None:
    row = only(asked("q", "1", "11"))
    assert [row[arm] for arm in ("level 2", "level 3", "again", "reshuffled", "renamed")] == [None] * 5
    bare = only(asked("q", "1", level_3="11", again="1", lure="11"))
    assert bare["perturbed"] is None
    assert bare["robust"] is None, "all of none are right, and that is no robustness"


def test_a_failed_draw_leaves_the_question_out_of_that_arm_alone() -> None:
    row = only(asked("q", "1", "11x", "11", again="11", reshuffled="1x"))
    assert (row["perturbed"], row["level 1"], row["reshuffled"]) == (None, None, None)
    assert (row["o"], row["level 2"], row["again"]) == (1, 1, 1)
    assert only(asked("q", "x", "11"))["o"] is None


def test_what_could_not_be_read_is_wrong() -> None:
    row = only(asked("q", "-", "1-"))
    assert (row["o"], row["perturbed"]) == (0, 0.5)


def test_repeats_are_members_and_never_new_questions() -> None:
    rows = [row for repeat, (o, v) in enumerate([("1", "11"), ("0", "10")]) for row in _repeated(repeat, o, v)]
    row = only(rows)
    # Original: right in one of two repeats. Draws: 2 of 2 and 1 of 2, so 3/4.
    assert (row["o"], row["perturbed"], row["draws"]) == (0.5, 0.75, 2)
    # Robust in the first repeat; in the second the original is wrong and a draw right.
    assert (row["robust"], row["suspect"], row["improved"]) == (0.5, 0, 0.5)


def _repeated(repeat: int, o: str, v: str) -> list[dict[str, Any]]:
    return [row | {"repeat": repeat} for row in asked("q", o, v)]


def test_draws_whose_gold_a_model_wrote_are_apart() -> None:
    computed, written = asked("q", "1", "11"), asked("q", "", "0", status="unverified")
    written = [row | {"draw": 7} for row in written]
    assert only(computed, written)["perturbed"] == 1
    assert only(computed, written, trusted=False)["perturbed"] == 0
    assert only(asked("q", "1", "10", status="refuted"))["perturbed"] is None
    assert only(asked("q", "1", "10", status="imported"))["perturbed"] == 0.5


def test_models_and_variants_are_apart() -> None:
    found = questions_of(
        frame(asked("q", "1", "1"), asked("q", "0", "1", model="n"), asked("q", "1", "0", variant="v"))
    )
    assert found.select("model", "variant", "o", "perturbed").rows() == [
        ("m", "mcq", 1, 1),
        ("n", "mcq", 0, 1),
        ("m", "v", 1, 0),
    ]


def test_lures_took_the_old_answer_the_sham_or_neither() -> None:
    found = lures_of(frame(asked("q", "1", "1", lure="1os0-"))).drop_nulls("excess")
    assert found["old"].to_list() == [0, 1, 0, 0, 0]
    assert found["excess"].to_list() == [0, 1, -1, 0, 0]


def test_a_failed_lure_leaves_its_question_out() -> None:
    found = lures_of(frame(asked("q", "1", lure="ox"), asked("r", "1", lure="so"))).drop_nulls("excess")
    assert found["parent"].to_list() == ["r", "r"]


def test_lures_whose_gold_nothing_confirms_do_not_count() -> None:
    assert not lures_of(frame(asked("q", "1", lure="oo", status="unverified"))).height


letters = st.text("01-", min_size=1, max_size=6)


@settings(deadline=None, max_examples=50)
@given(st.sampled_from("01-"), letters, st.randoms(use_true_random=False))
def test_the_order_of_the_records_does_not_matter(o: str, v: str, chance: Any) -> None:
    rows = asked("q", o, v, again="1")
    shuffled = chance.sample(rows, len(rows))
    one, other = questions_of(frame(rows)), questions_of(frame(shuffled))
    assert one.drop("perturbed", "level 1").equals(other.drop("perturbed", "level 1"))
    assert one["perturbed"][0] == pytest.approx(v.count("1") / len(v)) == pytest.approx(other["perturbed"][0])
    assert one["robust"].item() == (o == "1" and set(v) == {"1"})
