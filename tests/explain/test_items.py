"""What two sides of `explain` are compared by: the same figures as in the summary."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterfoil as cf
from counterfoil.comparing.compare import Comparison
from counterfoil.comparing.items import differences_between, joined_items, told_by
from counterfoil.explain.items import items
from counterfoil.explain.metrics import METRICS
from counterfoil.explain.suite import suite
from run_folders import make_run
from two_sides import EXPLAIN, explained


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def compared(rows: list[dict[str, Any]]) -> Comparison:
    return cf.compare(make_run(Path("run"), rows, suite="explain", schema=EXPLAIN))


def value_of(comparison: Comparison, metric: str) -> tuple[float | None, float | None]:
    [row] = [row for row in comparison.rows if row.metric == metric and not row.group]
    return row.value_a, row.value_b


def test_all_figures_are_those_of_the_summary() -> None:
    models = ["planted/explain?right=0.9&clarifies=0.9&overclarifies=0.5", "planted/explain?right=0.5&clarifies=0.3"]
    run = cf.run("explain", model=models, variant="baseline", repeats=2)
    values = {(it.model, it.metric): it.value for it in run.estimates if not it.group}
    comparison = cf.compare(run)
    metrics = {row.metric for row in comparison.rows if not row.group}
    assert metrics == {metric for _, metric in values}, "every metric of the summary is compared"
    for metric in metrics:
        assert value_of(comparison, metric) == pytest.approx(tuple(values[model, metric] for model in models))
    [aligned] = comparison.alignment
    assert aligned.both == run.records.height / 2, "repeats are paired with repeats"


def test_rewards_where_questions_confuse_and_penalties_where_they_do_not() -> None:
    rows = []
    for model, reward, penalty in (("a", 0.2, 0.4), ("b", 0.6, 0.1)):
        for i in range(12):
            scores = {"confusing": i < 6, "reward": reward, "penalty": penalty, "clarifies": i < 6}
            rows.append(explained(True, model=model, question_id=f"q{i}", cluster=f"q{i}", **scores))
    comparison = compared(rows)
    assert value_of(comparison, "reward") == pytest.approx((0.2, 0.6))
    assert value_of(comparison, "penalty") == pytest.approx((0.4, 0.1))
    # Cleared up on all that confuse and on none that do not: 1 − 0.
    assert value_of(comparison, "discernment") == (1, 1)
    pairs = {row.metric: row.pairs for row in comparison.rows if not row.group}
    assert (pairs["reward"], pairs["penalty"], pairs["accuracy"]) == (6, 6, 12)


def test_mentions_are_counted_and_quality_is_out_of_a_hundred() -> None:
    rows = []
    for model, mentioned, quality in (("a", ["x"], 80.0), ("b", ["x", "y", "z"], 50.0)):
        for i in range(8):
            judged = {"judges": ["j"], "judge_quality": [quality], "judge_f1": [0.5]}
            named = {"question_id": f"q{i}", "cluster": f"q{i}"}
            rows.append(explained(True, model=model, mentioned=mentioned, **named, **judged))
    comparison = compared(rows)
    assert value_of(comparison, "mentions") == pytest.approx((1, 3))
    assert value_of(comparison, "judge_quality") == (80, 50)
    rows_of = {row.metric: row for row in comparison.rows if not row.group}
    assert rows_of["judge_quality"].difference == pytest.approx(-30)
    assert rows_of["mentions"].difference == pytest.approx(2)
    # All eight clusters differ, in one direction, but by a small part of the scale: the interval is less sure.
    for row in (rows_of["judge_quality"], rows_of["mentions"]):
        assert row.p is not None
        assert row.p > 2 / 2**8 == row.smallest_p
        assert row.method.endswith("p by the interval")
    assert "judge_recall" not in rows_of, "no judge has given it"


def without_judges() -> list[pl.Expr]:
    return [pl.lit(None, dtype=kind).alias(name) for name, kind in EXPLAIN.items() if "judge" in name]


def with_mentions(**numbers: list[int]) -> list[dict[str, Any]]:
    """For each model so many mentions in its replies to q0, q1, …"""
    return [
        explained(True, model=model, mentioned=["x"] * number, question_id=f"q{i}", cluster=f"q{i}")
        for model, of_model in numbers.items()
        for i, number in enumerate(of_model)
    ]


@pytest.mark.parametrize("turned", [False, True])
def test_mentions_are_compared_on_one_scale_where_one_side_has_more_than_is_usual(turned: bool) -> None:
    # One side has 12 mentions in each of eight replies, the other 3. On a scale that ends at 12 all differences are
    # −9 ÷ 12 = −0.75. All clusters agree, so n_eff = 8, and c = 2.3646 with 7 degrees of freedom. With ±0.75 added,
    # m' = 8·(−0.75) ÷ 10 = −0.6 and Q' = (8·0.5625 + 2·0.5625) ÷ 10 = 0.5625; the half width is
    # 2.3646·sqrt((0.5625 − 0.36) ÷ 10) = 0.33649. From −0.93649·12 = −11.238 to −0.26351·12 = −3.162.
    sides = {"a": [3] * 8, "b": [12] * 8} if turned else {"a": [12] * 8, "b": [3] * 8}
    comparison = compared(with_mentions(**sides))
    assert comparison.not_compared == []
    [over_all, over_right] = [row for row in comparison.rows if row.metric == "mentions"]
    for row in (over_all, over_right):
        assert [row.value_a, row.value_b] == ([3, 12] if turned else [12, 3])
        assert row.difference == pytest.approx(9 if turned else -9)
        assert [row.low, row.high] == pytest.approx([3.162, 11.238] if turned else [-11.238, -3.162], abs=1e-3)
        assert row.p == 2 / 2**8


def test_up_to_ten_mentions_the_scale_ends_at_ten() -> None:
    # As above, with 9 and 0 mentions: −0.9 on a scale that ends at 10. m' = 8·(−0.9) ÷ 10 = −0.72 and
    # Q' = (8·0.81 + 2·0.5625) ÷ 10 = 0.7605; the half width is 2.3646·sqrt((0.7605 − 0.5184) ÷ 10) = 0.36792.
    # From −1 (−1.088 is cut off) to −0.35208, times 10.
    [row] = [
        it for it in compared(with_mentions(a=[9] * 8, b=[0] * 8)).rows if it.metric == "mentions" and not it.group
    ]
    assert [row.low, row.high] == pytest.approx([-10, -3.5208], abs=1e-3)


def test_a_single_long_list_changes_no_other_pair_and_no_value() -> None:
    # q0 of the third has 20 mentions: where it takes part the scale ends at 20, for the first two at 10.
    numbers = {"a": [1, 2, 3, 4, 5, 6, 7, 8], "b": [2] * 8, "c": [20, 0, 0, 0, 0, 0, 0, 0]}
    rows = with_mentions(**numbers)
    comparison = compared(rows)
    assert comparison.not_compared == []
    facts = suite.prepare([])
    of_run = suite.summarize(pl.DataFrame(rows, schema_overrides=EXPLAIN).with_columns(without_judges()), facts)
    own = {it.model: it.value for it in of_run if it.metric == "mentions" and not it.group and it.value}
    # (1 + … + 8) ÷ 8, 2 and 20 ÷ 8.
    assert own == pytest.approx({"a": 4.5, "b": 2, "c": 2.5})
    found = {(row.a[0], row.b[0]): row for row in comparison.rows if row.metric == "mentions" and not row.group}
    assert set(found) == {("a", "b"), ("a", "c"), ("b", "c")}
    for (a, b), row in found.items():
        assert [row.value_a, row.value_b] == pytest.approx([own[a], own[b]], abs=1e-12)
        assert row.difference == pytest.approx(own[b] - own[a], abs=1e-12)
    shutil.rmtree("run")
    # With as many sides, for the intervals go with the number of tests, and no list beyond the scale.
    shorter = compared(with_mentions(**numbers | {"c": [10, 0, 0, 0, 0, 0, 0, 0]}))
    [same] = [row for row in shorter.rows if row.metric == "mentions" and not row.group and row.a[0] + row.b[0] == "ab"]
    assert (same.low, same.high) == (found["a", "b"].low, found["a", "b"].high)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=12))
def test_values_are_the_means_whatever_the_scale(pairs: list[tuple[int, int]]) -> None:
    sides = []
    for side in zip(*pairs, strict=True):
        frame = pl.DataFrame(with_mentions(m=list(side)), schema_overrides=EXPLAIN)
        sides.append(items(frame.with_columns(without_judges()), 50))
    mentions = [metric for metric in METRICS if metric.name == "mentions"]
    for found in differences_between(joined_items(*sides, mentions), mentions, "a", "b"):
        values = [found.difference.value_a, found.difference.value_b]
        assert values == pytest.approx([sum(it) / len(pairs) for it in zip(*pairs, strict=True)], abs=1e-12)
        low, high = found.difference.interval.low, found.difference.interval.high
        end = max(10, *itertools.chain(*pairs))
        assert low is None or high is None or -end - 1e-9 <= low <= high <= end + 1e-9


def test_without_judges_there_are_no_figures_of_theirs() -> None:
    frame = pl.DataFrame([explained(True)], schema_overrides=EXPLAIN).with_columns(without_judges())
    found = list(told_by(items(frame, 50), METRICS))
    assert not [metric.name for metric in found if metric.name.startswith("judge")]
    assert {metric.label: metric.where for metric in found} == {
        (): None,
        (("replies", "correct"),): "correct",
        (("label", "confusion_index"),): None,
    }


def test_each_judge_is_a_figure_of_its_own_where_there_are_several() -> None:
    rows = []
    for model, f1 in (("a", [0.2, 0.6]), ("b", [0.4, 0.4])):
        for i in range(8):
            # To the second judge, half of the questions are confusing: above 50.
            judged = {"judges": ["j", "k"], "judge_f1": f1, "judge_confusion": [0.0, 90.0 if i < 4 else 10.0]}
            named = {"question_id": f"q{i}", "cluster": f"q{i}", "clarifies": i < 4}
            rows.append(explained(True, model=model, **named, **judged))
    found = {(row.metric, *row.group.items()): row for row in compared(rows).rows}
    assert found["judge_f1", ("judge", "j")].difference == pytest.approx(0.2)
    assert found["judge_f1", ("judge", "k")].difference == pytest.approx(-0.2)
    assert ("judge_f1",) not in found
    # All that confuse the second judge are cleared up, and no other; to the first, none confuses.
    second = found["discernment", ("label", "judge"), ("judge", "k")]
    assert (second.value_a, second.value_b, second.difference) == (1, 1, 0)
    assert found["clarifies_confusing", ("label", "judge"), ("judge", "j")].value_a is None
    assert found["clarifies_plain", ("label", "judge"), ("judge", "j")].value_a == 0.5


def test_runs_of_before_without_the_newer_columns_still_give_their_figures() -> None:
    run = cf.run("explain", model="planted/explain", variant="cfe", limit=12, out="run")
    newer = ["instead", "confusion_index", "judge_alternatives", "judge_clarity", "judge_accuracy", "judge_explanation"]
    judged = run.records.with_columns(judges=pl.lit(["j"]), judge_confusion=pl.lit([80.0]), judge_f1=pl.lit([0.5]))
    others = [name for name in judged.columns if judged[name].dtype == pl.List(pl.Float64) and name not in newer]
    judged = judged.with_columns(pl.col(name).fill_null([None]) for name in others)
    now, before = (suite.items(frame) for frame in (judged, judged.drop(newer)))
    for kind, metric in (("judgement", "judge_f1"), ("judged question", "confusion")):
        assert before[kind][metric].to_list() == now[kind][metric].to_list()
    assert before["judged question"]["judge_alternatives"].null_count() == 12
