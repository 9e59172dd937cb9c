"""A study as CSV."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from counterfoil.errors import UserError
from counterfoil.rating.results import COLUMNS, write_csv

from .conftest import MakeStudy, explain_record


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_every_row_that_was_ever_saved(explain_study: MakeStudy, tmp_path: Path) -> None:
    study = explain_study(2)
    rater = study.raters()[0]
    study.rate(rater, 1, "correct", True)
    study.rate(rater, 1, "clear.0", 10)
    study.rate(rater, 1, "clear.0", 12.5)
    study.rate(rater, 1, "unneeded", False)
    study.undo(rater)
    write_csv(study, tmp_path / "ratings.csv")
    rows = read(tmp_path / "ratings.csv")
    assert tuple(rows[0]) == COLUMNS
    assert [(row["question"], row["alternative"], row["value"], row["undoes"], row["holds"]) for row in rows] == [
        ("correct", "", "true", "", "true"),
        ("clear", "High", "10", "", "false"),
        ("clear", "High", "12.5", "", "true"),
        ("unneeded", "", "false", "", "false"),
        ("unneeded", "", "", "4", "false"),
    ]
    assert {row["rater"] for row in rows} == {"rater-1"}
    assert {row["form"] for row in rows} == {study.form.version}
    assert rows[0]["model"] == "secret-model"
    assert all(it.token not in (tmp_path / "ratings.csv").read_text() for it in study.raters())


def test_no_cell_is_a_formula(explain_study: MakeStudy, tmp_path: Path) -> None:
    study = explain_study(1, [explain_record(0, mentioned=["High"], model="=cmd|' /C calc'!A0")])
    rater = study.raters()[0]
    for text in ("=1+1", "@x", "+1;\n-2", 'a, "b"\nc', "-5"):
        study.rate(rater, 1, "missing", text)
    write_csv(study, tmp_path / "ratings.csv")
    rows = read(tmp_path / "ratings.csv")
    # A plain number is none.
    assert [row["value"] for row in rows] == ["'=1+1", "'@x", "'+1;\n-2", 'a, "b"\nc', "-5"]
    assert rows[0]["model"] == "'=cmd|' /C calc'!A0"


def test_an_empty_study_and_a_place_that_is_not_there(explain_study: MakeStudy, tmp_path: Path) -> None:
    study = explain_study(1)
    write_csv(study, tmp_path / "ratings.csv")
    assert read(tmp_path / "ratings.csv") == []
    with pytest.raises(UserError, match="can't be written"):
        write_csv(study, tmp_path / "nowhere" / "ratings.csv")
