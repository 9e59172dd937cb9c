"""What two sides are compared by."""

from __future__ import annotations

from pathlib import Path

import pytest

import counterfoil as cf
from arms import asked, frame
from counterfoil.memorization.measures import measures
from counterfoil.memorization.summary import summarize
from counterfoil.runs.compare import compare_runs


def test_an_item_for_each_original() -> None:
    items, made = measures(frame(asked("a", "1", "110", lure="os1"), asked("b", "0", "100", topic="x", lure="oo1")))
    assert items["item"].to_list() == ["a", "b"]
    assert items["topic"].to_list() == ["t", "x"]
    assert items["right_original"].to_list() == [1, 0]
    assert items["gap"].to_list() == pytest.approx([1 / 3, -1 / 3])
    assert items["robust"].to_list() == [False, False]
    # (1 − 1 + 0) / 3, (1 + 1 + 0) / 3.
    assert items["excess"].to_list() == pytest.approx([0, 2 / 3])
    assert [it.metric for it in made] == [
        *("accuracy_original", "accuracy_perturbed", "memorization_gap", "robust_accuracy", "kept_old_excess"),
    ]
    assert not items["left_out"].any()


def test_the_mean_of_a_measure_is_the_estimate() -> None:
    rows = frame(asked("a", "1", "110"), asked("b", "0", "100"), asked("c", "1", "111"))
    items, made = measures(rows)
    estimates = {it.metric: it.value for it in summarize(rows) if not it.group}
    for measure in made:
        [(factor, column)] = measure.terms
        values = [float(value) for value in items[column]]
        assert factor * sum(values) / len(values) == pytest.approx(estimates[measure.metric])


def test_what_failed_leaves_the_item_out_and_level_3_does_not() -> None:
    items, _ = measures(frame(asked("a", "1", "1x"), asked("b", "x", "11"), asked("c", "1", "11", level_3="x")))
    assert items["left_out"].to_list() == [True, True, False]
    assert items["gap"].to_list() == [None, None, 0]
    controls, _ = measures(frame(asked("a", "1", "10", again="x", lure="ox")))
    assert controls["left_out"].to_list() == [False]
    assert controls["excess"].to_list() == [None], "a lure is missing"


def test_without_lures_nothing_is_said_of_them() -> None:
    _, made = measures(frame(asked("a", "1", "10")))
    assert "kept_old_excess" not in [it.metric for it in made]


def test_two_respondents_are_compared_question_by_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # Whoever solves everything has no gap; who has memorized everything and solves nothing guesses what was changed.
    names = ["planted/memorization?skill=1&slip=0", "planted/memorization?skill=0&memorized=1&slip=0"]
    runs = [
        cf.run("memorization", model=name, limit=20, draws=3, controls=False, out=out)
        for name, out in zip(names, ("solves", "remembers"), strict=True)
    ]
    rows = {(row.metric, row.group.get("topic")): row for row in compare_runs(runs).rows}
    gap = rows["memorization_gap", None]
    assert gap.pairs == 20
    assert gap.value_a == 0
    own = next(it.value for it in runs[1].estimates if it.metric == "memorization_gap" and not it.group)
    assert gap.difference == pytest.approx(own)
    assert gap.value_b == pytest.approx(own)
    assert gap.low is not None
    assert gap.low > 0
    assert gap.verdict == "higher"
    assert rows["accuracy_original", None].difference == 0
    excess = rows["kept_old_excess", None]
    assert (excess.value_a, excess.value_b, excess.verdict) == (0, 1, "higher")
    assert [topic for metric, topic in rows if metric == "memorization_gap" and topic is not None]
    # And inside of one run.
    both = cf.run("memorization", model=names, limit=20, draws=3, controls=False, out="both")
    inside = next(row for row in compare_runs([both]).rows if row.metric == "memorization_gap" and not row.group)
    assert inside.difference == pytest.approx(gap.difference)
