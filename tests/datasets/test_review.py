"""The list for people: safe to open, forgiving to read, never taken for decided when it is not."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from counterfoil.datasets.curation import Reviewed, cell, decided, decisions, has_entries, read_review, write_review
from counterfoil.errors import UserError

HEADING = "id,question,keep,reason\n"


def review(tmp_path: Path, content: str, encoding: str = "utf-8") -> Path:
    path = tmp_path / "review.csv"
    path.write_bytes(content.encode(encoding))
    return path


def test_it_is_written_for_spreadsheets_and_without_formulas(tmp_path: Path) -> None:
    path = tmp_path / "review.csv"
    texts = ["=1+1", "+1", "-1", "@sum(a1)", "\tx", "plain = text", '수도, "서울"\nline']
    write_review(path, ("id", "question"), [{"id": f"q{i}", "question": text} for i, text in enumerate(texts)])
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["question"] for row in rows] == ["'=1+1", "'+1", "'-1", "'@sum(a1)", "'\tx", *texts[5:]]
    assert {(row["keep"], row["reason"]) for row in rows} == {("", "")}
    assert not has_entries(path)
    assert decided(path) == (0, 7)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_it_is_read_as_spreadsheets_save_it(delimiter: str, encoding: str, tmp_path: Path) -> None:
    content = (HEADING + "q1,a,YES,\nq2,b, n ,두 답\nq3,c,,later\n,,,\n").replace(",", delimiter).replace("\n", "\r\n")
    path = review(tmp_path, content, encoding)
    assert read_review(path) == [
        Reviewed("q1", True, ""),
        Reviewed("q2", False, "두 답"),
        Reviewed("q3", None, "later"),
    ]
    assert has_entries(path)
    assert decided(path) == (2, 3)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("id,question\nq1,a\n", "lacks the columns keep, reason"),
        ("", "is empty: its first line must name the columns id, keep, reason"),
        (HEADING + "q1,a,perhaps,\n", r"review\.csv, line 2: keep is 'perhaps', and must be yes or no"),
        (HEADING + "q1,a,,\nq1,a,,\n", r"line 3: the id q1 was there before"),
    ],
)
def test_what_is_wrong_with_it_is_named(content: str, sentence: str, tmp_path: Path) -> None:
    path = review(tmp_path, content)
    with pytest.raises(UserError, match=sentence):
        read_review(path)
    with pytest.raises(UserError, match=sentence):
        has_entries(path)


def test_another_encoding_and_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not UTF-8"):
        read_review(review(tmp_path, HEADING + "q1,für,,\n", "latin-1"))
    with pytest.raises(UserError, match="can't be read"):
        read_review(tmp_path / "nix.csv")
    assert not has_entries(tmp_path / "nix.csv")


def test_all_that_were_drawn_must_be_decided(tmp_path: Path) -> None:
    path = review(tmp_path, HEADING + "'-q1,a,yes,\nq2,b,no,two answers\n")
    assert cell("-q1") == "'-q1"
    assert decisions(path, ["-q1", "q2"]) == {"-q1": None, "q2": "two answers"}
    with pytest.raises(UserError, match=r"2 of the 4 questions of .* are undecided, the first is q3"):
        decisions(path, ["-q1", "q2", "q3", "q4"])
    with pytest.raises(UserError, match="'q2' is not one of those that were drawn"):
        decisions(path, ["-q1"])
