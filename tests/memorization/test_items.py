"""What two sides are compared by."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import counterfoil as cf
from arms import SCHEMA, Rows, asked, frame
from counterfoil.comparing.compare import compare_runs
from counterfoil.comparing.items import told_by, with_partners
from counterfoil.memorization.items import items
from counterfoil.memorization.metrics import METRICS
from counterfoil.stats.metric import Metric
from run_folders import make_run

pytestmark = pytest.mark.heavy


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def compared(*rows: Rows) -> tuple[dict[str, pl.DataFrame], list[Metric]]:
    """What one side of a comparison has: its items by kind, and the metrics that they tell."""
    frames = with_partners(items(frame(*rows)), METRICS)
    return frames, list(told_by(frames, METRICS))


def test_an_item_for_each_original() -> None:
    frames, made = compared(asked("a", "1", "110", lure="os1"), asked("b", "0", "100", topic="x", lure="oo1"))
    questions = frames["question"]
    assert questions["item"].to_list() == ["a", "b"]
    assert questions["topic"].to_list() == ["t", "x"]
    assert questions["right_original"].to_list() == [1, 0]
    assert questions["gap"].to_list() == pytest.approx([1 / 3, -1 / 3])
    assert questions["robust"].to_list() == [False, False]
    # o·v̄, o(1 − v̄), (1 − o)v̄.
    assert questions["robust_1"].to_list() == pytest.approx([2 / 3, 0])
    assert questions["suspect_1"].to_list() == pytest.approx([1 / 3, 0])
    assert questions["improved_1"].to_list() == pytest.approx([0, 1 / 3])
    # The lures are replies: old, sham, neither; old, old, neither.
    assert frames["lure"]["excess"].to_list() == [1, -1, 0, 1, 1, 0]
    assert not any(frame["left_out"].any() for frame in frames.values())
    overall = [metric.name for metric in made if metric.is_overall]
    assert overall == [
        *("accuracy_original", "accuracy_perturbed", "memorization_gap"),
        *("robust_accuracy", "memorization_suspect", "improved", "consistency"),
        *("memorized_share", "out_of_choice", "kept_old", "kept_old_excess"),
    ]


def test_originals_are_compared_where_level_3_alone_was_asked_for() -> None:
    frames, _ = compared(asked("a", "1", level_3="10"), asked("b", "1", level_3="1x"), asked("c", "0", level_3="1"))
    questions = frames["question"]
    assert questions["right_original"].to_list() == [1, None, 0]
    assert questions["left_out"].to_list() == [False, True, False]
    assert questions["gap"].to_list() == [None, None, None], "there is no gap"
    assert questions["paired_original"].to_list() == [None, None, None]


def test_levels_controls_and_unconfirmed_golds_have_items_of_their_own() -> None:
    frames, made = compared(
        asked("a", "1", "10", "1", "0", again="1", reshuffled="0", renamed="1"),
        asked("b", "1", "11", "0", "1", again="0", reshuffled="1", renamed="1"),
        asked("c", "1", "0", status="unverified"),
    )
    levels = frames["level"]
    assert levels.select("item", "level", "gap").rows() == [
        *(("a level 1", 1, 0.5), ("b level 1", 1, 0.0), ("a level 2", 2, 0.0), ("b level 2", 2, 1.0)),
    ]
    assert frames["other skill"]["right_perturbed"].to_list() == [0, 1]
    assert frames["control again"]["gap"].to_list() == [0, 1]
    assert frames["control reshuffled"]["gap"].to_list() == [1, 0]
    # Reshuffled minus the mean over the three draws: 0 − 2/3, 1 − 2/3.
    assert frames["excess"]["gap"].to_list() == pytest.approx([-2 / 3, 1 / 3])
    assert frames["status"].select("item", "status", "gap").rows() == [("c unverified", "unverified", 1.0)]
    labels = [metric.label for metric in made if metric.name == "control_gap"]
    assert labels == [(("control", name),) for name in ("again", "reshuffled", "renamed")]
    [unconfirmed] = [metric for metric in made if metric.name == "memorization_gap" and metric.of == "status"]
    assert unconfirmed.note is not None
    assert "nothing confirms them" in unconfirmed.note


def test_what_failed_leaves_the_item_out_and_level_3_does_not() -> None:
    frames, _ = compared(asked("a", "1", "1x"), asked("b", "x", "11"), asked("c", "1", "11", level_3="x"))
    assert frames["question"]["left_out"].to_list() == [True, True, False]
    assert frames["question"]["gap"].to_list() == [None, None, 0]
    assert frames["reply"]["left_out"].sum() == 3
    controls, made = compared(asked("a", "1", "10", again="x", lure="ox"))
    assert controls["question"]["left_out"].to_list() == [False]
    assert not controls["lure"].height, "a lure is missing"
    assert not controls["control again"].height
    assert not {"control_gap", "kept_old"} & {metric.name for metric in made}


def test_without_lures_nothing_is_said_of_them() -> None:
    _, made = compared(asked("a", "1", "10"))
    assert "kept_old_excess" not in [metric.name for metric in made]


def test_consistency_is_a_ratio_with_an_interval_and_a_test() -> None:
    # a: o = 1 in all 12, v̄ = ½ in all: ½. b: o = 1 in 8, v̄ = 1 in those: 8/8.
    rows = frame(
        *(asked(f"q{i}", "1", "10", model="a") for i in range(12)),
        *(asked(f"q{i}", "1" if i < 8 else "0", "11" if i < 8 else "00", model="b") for i in range(12)),
    )
    run = make_run(Path("run"), rows.to_dicts(), suite="memorization", schema=SCHEMA)
    [row] = [row for row in compare_runs([run]).rows if row.metric == "consistency" and not row.group]
    assert (row.value_a, row.value_b, row.difference) == (0.5, 1.0, 0.5)
    assert row.low is not None
    assert row.high is not None
    assert row.low < 0.5 < row.high
    assert row.method == "Fieller and MOVER, cluster-robust; label swaps, complete, p by the interval"
    # All 12 exchanged, or none. With the 4 where b knows neither exchanged, too, a would have Σv = 4·0 + 4 = 4 over
    # Σo = 8, again ½, and b Σv = 8 + 2 over Σo = 12, 10/12: less than ½ apart.
    # The interval is less sure than these swaps alone.
    assert row.p is not None
    assert 2 / 2**12 <= row.p < 0.01


@pytest.mark.slow
def test_two_respondents_are_compared_question_by_question() -> None:
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
    assert gap.verdict == "worse", "further from 0"
    assert rows["accuracy_original", None].difference == 0
    excess = rows["kept_old_excess", None]
    assert (excess.value_a, excess.value_b, excess.verdict) == (0, 1, "worse")
    assert [topic for metric, topic in rows if metric == "memorization_gap" and topic is not None]
    # And inside of one run.
    both = cf.run("memorization", model=names, limit=20, draws=3, controls=False, out="both")
    inside = next(row for row in compare_runs([both]).rows if row.metric == "memorization_gap" and not row.group)
    assert inside.difference == pytest.approx(gap.difference)
