"""The formulas, by hand, and on the 88 questions of the CFE study."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.explain import scoring
from counterfoil.explain.questions import load_questions

pytestmark = pytest.mark.heavy

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "cfe"

plausibilities = st.lists(st.floats(0, 100), min_size=1, max_size=12)


def test_main_distractors_come_before_the_largest_drop() -> None:
    # Sorted 90, 80, 30, 20: drops 10, 50, 10. The largest is behind the second.
    assert scoring.main_distractors([30, 90, 20, 80]) == 2
    # 60, 40, 20: drops 20 and 20, so the first of them.
    assert scoring.main_distractors([20, 40, 60]) == 1
    assert scoring.main_distractors([50, 50, 50]) == 1
    assert scoring.main_distractors([70]) == 1


def test_confusion_index_by_hand() -> None:
    # 90, 80, 30, 20: S = 220, M = 170 / 220; with max S = 440, CI = 170 / 220 × 220 / 440 = 170 / 440.
    index = scoring.confusion_index([30, 90, 20, 80])
    assert index == (2, pytest.approx(170 / 220), 220)
    assert index.value(440) == pytest.approx(170 / 440)
    assert scoring.confusion_index([0, 0]).value(100) == 0
    assert scoring.confusion_index([0, 0]).value(0) == 0


def test_labels_of_a_dataset_by_hand() -> None:
    # a: 60, 10: one distractor, M = 60 / 70, S = 70. b: 20, 10: M = 20 / 30, S = 30. Max S = 70.
    # CI(a) = 60 / 70, CI(b) = 20 / 70, mean 40 / 70: a is confusing by both labels, b by neither.
    facts = scoring.label_all({"a": [60, 10], "b": [20, 10]})
    assert facts.max_total == 70
    assert facts.mean_index == pytest.approx(40 / 70)
    assert facts.labels["a"] == (True, True, pytest.approx(60 / 70))
    assert facts.labels["b"] == (False, False, pytest.approx(20 / 70))
    # Where all are the same, none is above the mean. 50 is confusing by the threshold, 49.9 is not.
    same = scoring.label_all({"a": [50], "b": [50]})
    assert [tuple(labels[:2]) for labels in same.labels.values()] == [(True, False), (True, False)]
    assert not scoring.is_confusing_by_threshold([49.9])


def test_reward_and_penalty_by_hand() -> None:
    every = [80, 50, 10]
    # 80² + 50² + 10² = 9,000; 80² = 6,400. (20² + 50² + 90²) = 11,000; 20² = 400.
    assert scoring.reward([80], every) == pytest.approx(6_400 / 9_000)
    assert scoring.penalty([80], every) == pytest.approx(400 / 11_000)
    assert scoring.score([80], every, confusing=True) == pytest.approx(6_400 / 9_000)
    assert scoring.score([80], every, confusing=False) == pytest.approx(1 - 400 / 11_000)
    assert (scoring.reward([], every), scoring.penalty([], every)) == (0, 0)


def test_edges() -> None:
    # All at 0: nothing to clear up, and each mention is as unneeded as any other: 100² of 3 × 100².
    assert scoring.reward([0], [0, 0, 0]) == 0
    assert scoring.penalty([0], [0, 0, 0]) == pytest.approx(1 / 3)
    # All at 100: no mention is unneeded.
    assert scoring.penalty([100], [100, 100]) == 0
    assert scoring.reward([100], [100, 100]) == 0.5
    # One candidate.
    assert scoring.score([40], [40], confusing=True) == 1
    assert scoring.score([40], [40], confusing=False) == 0


@given(plausibilities, st.data())
def test_scores_lie_between_0_and_1_and_more_mentions_never_lower_the_reward(
    every: list[float], data: st.DataObject
) -> None:
    mentioned = [p for p in every if data.draw(st.booleans())]
    for confusing in (True, False):
        assert -1e-9 <= scoring.score(mentioned, every, confusing=confusing) <= 1 + 1e-9
    assert scoring.reward(mentioned, every) <= scoring.reward(every, every) + 1e-9
    assert 1 <= scoring.main_distractors(every) <= len(every)


@pytest.mark.skipif(not DATA.exists(), reason="../shared/data/cfe is not here: it holds the labels of the 88 questions")
def test_the_labels_of_the_88_questions_come_out_exactly() -> None:
    expected = json.loads((DATA / "expected_labels_88.json").read_text())
    questions = list(load_questions(str(DATA / "questions_88.json")))
    facts = scoring.label_all({question.id: list(question.candidates.values()) for question in questions})
    assert facts.max_total == expected["max_total_plausibility"]
    assert facts.mean_index == pytest.approx(expected["mean_confusion_index"], abs=1e-12)
    assert set(facts.labels) == set(expected["labels"])
    for question in questions:
        index, labels = scoring.confusion_index(list(question.candidates.values())), facts.labels[question.id]
        wanted = expected["labels"][question.id]
        assert labels.threshold == wanted["threshold_confusing"]
        assert labels.confusion_index == wanted["ci_confusing"]
        assert index.distractors == wanted["distractors"]
        assert index.total == wanted["S"]
        assert index.mass == pytest.approx(wanted["M"], abs=1e-12)
        assert labels.ci == pytest.approx(wanted["ci"], abs=1e-12)
