"""The headline table: its rows and columns, who is marked best, and how it fits a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterfoil.console import width_of
from counterfoil.report.headline.html import headline_html
from counterfoil.report.headline.table import HeadlineTable, headline_table
from counterfoil.report.headline.text import headline_text
from counterfoil.running.asked import suite_of
from counterfoil.running.folder import Run
from run_folders import estimate, make_run, record
from two_sides import explain_run

# Of 40 questions: a answers all, b all but two, c every second.
RIGHT = {
    "openai/models/a": [True] * 40,
    "openai/models/b": [True] * 38 + [False] * 2,
    "openai/models/c": [n % 2 == 0 for n in range(40)],
}


def table_of(folder: Path, answers: dict[str, list[bool]] = RIGHT) -> HeadlineTable:
    figures = [
        estimate("accuracy", sum(some) / len(some), sum(some) / len(some) - 0.1, 1.0, model=model)
        for model, some in answers.items()
    ]
    run = explain_run(folder, answers, estimates=figures)
    found = headline_table(run, suite_of(run))
    assert found is not None
    return found


def test_the_best_and_what_the_paired_test_cant_tell_from_it_have_signs(tmp_path: Path) -> None:
    table = table_of(tmp_path / "run")
    # b differs from a in two questions: of 4 exchanges 2 are as far, p = 1/2. c differs in 20, p = 2/2^20.
    assert [row.cells[0].sign for row in table.rows] == ["★", "≈", ""]
    assert [row.cells[0].standing for row in table.rows] == ["best", "not told", "behind"]
    assert "95 of 100" in table.note
    assert [column.better for column in table.columns] == ["higher is better"]


def test_names_leave_out_what_all_share_and_one_model_stands_against_nobody(tmp_path: Path) -> None:
    assert [row.name for row in table_of(tmp_path / "three").rows] == ["a", "b", "c"]
    alone = table_of(tmp_path / "one", {"openai/models/a": [True] * 40})
    assert [(row.name, row.prompt) for row in alone.rows] == [("openai/models/a", "")]
    assert alone.rows[0].cells[0].standing is None
    assert alone.note == ""


def test_older_records_without_the_columns_of_a_test_keep_the_table(tmp_path: Path) -> None:
    figures = [estimate("accuracy", value, 0.1, 0.9, model=model) for model, value in (("a", 0.5), ("b", 0.6))]
    run = make_run(tmp_path / "run", [record(model="a"), record(model="b")], figures, suite="explain")
    table = headline_table(run, suite_of(run))
    assert table is not None
    assert [row.cells[0].sign for row in table.rows] == ["", ""]


def test_a_run_whose_records_are_gone_keeps_its_table_without_signs(tmp_path: Path) -> None:
    table_of(tmp_path / "run")
    (tmp_path / "run" / "records.parquet").unlink()
    run = Run(tmp_path / "run")
    table = headline_table(run, suite_of(run))
    assert table is not None
    assert {row.cells[0].standing for row in table.rows} == {None}


@pytest.mark.parametrize("columns", [30, 60, 80, 110])
def test_it_is_never_wider_than_the_terminal(columns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("counterfoil.console.on_a_terminal", lambda: True)
    long = {f"openai/{'x' * 60}-{letter}-{'y' * 60}": some for letter, some in zip("abc", RIGHT.values(), strict=True)}
    text = headline_text(table_of(tmp_path / "run", long))
    assert max(map(width_of, text.splitlines())) <= columns
    assert "1.000 [0.900, 1.000]" in text
    assert "●" in text
    # The three names are cut, and still differ: each stands in its line, alone or before its figures.
    names = [line for line in text.splitlines() if "…" in line]
    assert len(set(names)) == len(names) == 3


def test_without_an_interval_nothing_is_drawn_and_n_is_said(tmp_path: Path) -> None:
    figures = [estimate("accuracy", 0.5, n=3, note="no interval: fewer than 5 clusters (3)")]
    run = explain_run(tmp_path / "run", {"m": [True, False, True]}, estimates=figures)
    table = headline_table(run, suite_of(run))
    assert table is not None
    assert "●" not in headline_text(table)
    assert "(n=3)" in headline_text(table)
    page = headline_html(table)
    assert "n = 3" in page
    assert "<svg" not in page


def test_texts_of_models_are_escaped_on_the_page(tmp_path: Path) -> None:
    page = headline_html(table_of(tmp_path / "run", {"<b>": [True] * 40, "<i>": [False] * 40}))
    assert "<i>" not in page
    assert "&lt;i&gt;" in page
    assert 'aria-label="best"' in page
