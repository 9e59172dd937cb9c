"""A comparison as text: everything that must be said is there."""

from __future__ import annotations

from pathlib import Path

import pytest

import counterfoil as cf
from counterfoil.comparing.compare import Comparison
from counterfoil.report.comparison_text import comparison_text
from counterfoil.suite.finding import load_suite
from two_sides import bias_run, chosen, explain_run


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")


def text_of(comparison: Comparison) -> str:
    return comparison_text(comparison, load_suite(comparison.suite))


def line_with(text: str, start: str) -> str:
    """The first: notes come after the table."""
    return next(line for line in text.splitlines() if line.startswith(start))


def test_both_values_the_difference_and_a_word() -> None:
    run = explain_run(Path("run"), {"a": [True] * 12 + [False] * 8, "b": [True] * 10 + [False] * 2 + [True] * 8})
    text = text_of(cf.compare(run))
    assert text.startswith("b against a: 20 items in both.\n")
    line = line_with(text, "accuracy ")
    assert line.split()[:4] == ["accuracy", "0.600", "0.900", "+0.300"]
    assert "0.1094" in line
    assert line.endswith("can't be told apart")
    assert "Not told apart is not equal." in text
    assert line_with(text, "score_threshold (correct)")
    assert "penalty" in text
    assert "not defined" in line_with(text, "penalty  "), "no question is plain"


def test_what_was_left_out_is_said() -> None:
    one = explain_run(Path("one"), {"m": [None, *[True] * 11]})
    two = explain_run(Path("two"), {"m": [True] * 10})
    text = text_of(cf.compare(one, two))
    assert "10 items in both." in text
    assert "2 are only in one, 0 only in two, among them q10 0, q11 0." in text
    assert "1 failed or were not asked in one: left out on both sides." in text
    assert "9 are compared." in text
    assert "one: 11 answered, 1 failed." in text


def test_groups_that_differ_are_shown_and_the_others_are_counted() -> None:
    rows = []
    for category in "xyz":
        for i in range(9):
            role = "b" if category == "x" else "u"
            for model, of_model in (("a", "u"), ("b", role)):
                rows.append(chosen(f"{category}{i}", of_model, model=model, category=category, label=None))
    text = text_of(cf.compare(bias_run(Path("run"), rows)))
    # out_of_choice, accuracy and bias are defined in three categories; x differs in all but the first. BBQ's bias is
    # the same in ambiguous contexts, and so is everything if replies without a choice are kept: there are none.
    assert "Of 9 figures of groups, 2 are told apart (Holm)." in text
    assert "The same numbers, and not shown again: bbq_bias_ambiguous as diff_bias_ambiguous." in text
    assert "(keep)" not in text
    assert line_with(text, "accuracy_ambiguous (x)").endswith("worse")
    assert "(y)" not in text


def test_controls_stand_beside_the_overall_figures() -> None:
    # Asked again, a changes its answer to every question and b to none: 1 against 0, in ten clusters.
    rows = [
        chosen(f"q{i}", "b" if model == "a" and repeat else "u", model=model, repeat=repeat, content=content)
        for i in range(10)
        for model in "ab"
        for repeat, content in ((0, 0), (1, 1 if model == "a" else 0))
    ]
    text = text_of(cf.compare(bias_run(Path("run"), rows)))
    assert line_with(text, "flip_rate (again)").endswith("better")


def test_ties_among_several() -> None:
    half = [True, False] * 10
    run = explain_run(Path("run"), {"a": half, "b": half, "c": [False] * 20})
    text = text_of(cf.compare(run))
    assert "accuracy: can't be told apart: a = b; c." in text


def test_the_table_of_the_source() -> None:
    models = ["planted/bias?biased=0.9", "planted/bias?biased=0.5"]
    run = cf.run("bias", model=models, variant="1", limit=40)
    text = text_of(cf.compare(run))
    assert "diff_bias_diff: " in text
    assert f"{models[0]}, mean over all rows of the result table" in text


def test_the_closing_sentence() -> None:
    half = [True, False] * 10
    run = explain_run(Path("run"), {"a": half, "b": [False] * 20})
    # Of nine figures those on plain questions have no values: accuracy, two scores, reward, mentions and how often
    # something is cleared up where it is needed are tested. Nothing is right in b: none is over right replies.
    text = text_of(cf.compare(run))
    assert "\nIn short, b against a: worse in accuracy; 5 other figures can't tell them apart.\n" in text
    same = text_of(cf.compare(explain_run(Path("same"), {"a": half, "b": half})))
    assert "tells b from a. That does not show that they are equal." in same


def test_notes_name_their_group() -> None:
    run = explain_run(Path("run"), {"a": [True] * 8 + [False] * 12, "b": [True] * 8 + [False] * 12})
    text = text_of(cf.compare(run))
    # Eight questions are right on both sides, of 20 that all count otherwise.
    assert "score_threshold (correct), " in text
    assert "(correct): only 8 clusters: the interval is rough" in text


@pytest.mark.parametrize("columns", [70, 80, 110, 200])
def test_the_table_fits_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    one, other = "provider/a-model-with-a-long-name-2026-01-01", "provider/another-model-with-a-long-name"
    run = explain_run(Path("run"), {one: [True, False] * 10, other: [False] * 20})
    lines = text_of(cf.compare(run)).splitlines()
    start = next(i for i, line in enumerate(lines) if line.lstrip().startswith("--"))
    rows = lines[start - 1 : lines.index("", start)]
    assert max(map(len, rows)) <= columns
    assert any(line.endswith("worse") for line in rows), "the word is there at any width"
    assert any(one in line for line in lines), "and what a and b are"
    assert any("could show" in line for line in rows) == (columns > 70)


def test_a_name_without_end_is_cut() -> None:
    run = explain_run(Path("run"), {"m" * 3000: [True] * 6, "n": [True] * 6})
    assert max(map(len, text_of(cf.compare(run)).splitlines())) < 400
