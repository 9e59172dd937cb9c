"""Which items changed between two sides, and which records stand behind them."""

from __future__ import annotations

from pathlib import Path

from counterfoil.comparing.changes import changed_items, with_records
from counterfoil.comparing.compare import MOST_WITH_GROUPS, compare_pairs, compare_runs
from counterfoil.comparing.sides import chosen_sides
from counterfoil.report.comparing.page import forest_plot, in_short
from counterfoil.stats.metric import by_name
from two_sides import explain_run


def test_changed_items_come_with_the_records_that_they_are_made_of(tmp_path: Path) -> None:
    run = explain_run(tmp_path / "run", {"m": [True, True, False, True], "n": [True, False, True, True]})
    _, [joined] = compare_pairs([chosen_sides([run], ["m"], ["n"])])
    accuracy = by_name(joined.metrics)["accuracy"]
    moved, same = changed_items(joined, accuracy)
    assert same == 2
    changes = with_records(joined, accuracy, moved)
    # m's four records are the rows 0 to 3, n's are 4 to 7; q1 and q2 changed.
    assert sorted((one.a, one.b, tuple(one.rows_a), tuple(one.rows_b)) for one in changes) == [
        (0.0, 1.0, (2,), (6,)),
        (1.0, 0.0, (1,), (5,)),
    ]


def test_between_many_sides_only_overall_figures_are_compared(tmp_path: Path) -> None:
    few = explain_run(tmp_path / "few", {model: [True, False] * 4 for model in "abc"})
    assert compare_runs([few]).with_groups
    # Five models are ten pairs.
    many = explain_run(tmp_path / "many", {model: [True, False] * 4 for model in "abcde"})
    comparison = compare_runs([many])
    assert len(comparison.alignment) > MOST_WITH_GROUPS
    assert not comparison.with_groups
    two = compare_runs([many], a=["a"], b=["e"])
    assert len(two.alignment) == 1
    assert {row.metric for row in two.rows} == {row.metric for row in comparison.rows}


def test_the_forest_plot_draws_what_has_an_interval_in_words(tmp_path: Path) -> None:
    # Of 40 questions m has all right, n a half: p = 2/2^20 before correction.
    run = explain_run(tmp_path / "run", {"m": [True] * 40, "n": [True, False] * 20})
    comparison = compare_runs([run])
    rows = [row for row in comparison.rows if not row.group]
    plot = forest_plot(rows, "m", "n")
    assert plot is not None
    assert {(dot.label, dot.series) for dot in plot.rows} >= {("accuracy", "worse")}
    assert all(dot.low is not None for dot in plot.rows)
    assert in_short(rows, "m", "n").startswith("In short, n against m: worse in accuracy")
