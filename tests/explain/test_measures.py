"""What two sides of `explain` are compared by: the same figures as in the summary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import counterfoil as cf
from counterfoil.explain.measures import measures
from counterfoil.runs.compare import Comparison
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
    # All eight clusters differ, in one direction.
    assert rows_of["judge_quality"].p == rows_of["mentions"].p == 2 / 2**8
    assert "judge_recall" not in rows_of, "no judge has given it"


def test_without_judges_there_are_no_figures_of_theirs() -> None:
    frame = pl.DataFrame([explained(True)], schema_overrides=EXPLAIN)
    frame = frame.with_columns(
        pl.lit(None, dtype=kind).alias(name) for name, kind in EXPLAIN.items() if "judge" in name
    )
    _, found = measures(frame, 50)
    assert not [it.metric for it in found if it.metric.startswith("judge")]
    assert {it.label: it.where_both for it in found} == {
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
