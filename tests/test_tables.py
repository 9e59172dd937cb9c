"""Tables of other people: rows with their places, and one sentence for what is wrong."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import Any

import pytest

from counterfoil.errors import UserError
from counterfoil.tables import (
    cells_in,
    cells_of,
    delimiter_of,
    json_lines,
    lines_of,
    numbered,
    parsed,
    rows_of,
    text_of,
)

MARK = codecs.BOM_UTF8


def test_cells_come_with_the_line_on_which_their_row_ends() -> None:
    rows = list(cells_of('a,b\n1,"2\n3"\n\n4\n', "f.csv", ("b",)))
    assert rows == [("line 3", {"a": "1", "b": "2\n3"}), ("line 5", {"a": "4", "b": ""})]


def test_a_cell_can_be_longer_than_the_library_allows() -> None:
    [(_, row)] = cells_of(f"a\tb\n{'x' * 200_000}\t1", "f.tsv", delimiter="\t")
    assert len(row["a"]) == 200_000


def test_missing_columns_are_named_together() -> None:
    with pytest.raises(UserError, match=r"^f\.csv lacks the columns c, a\. It has b\.$"):
        list(cells_of("b\n1\n", "f.csv", ("c", "b", "a")))


@pytest.mark.parametrize(("heading", "delimiter"), [("a,b", ","), ("a;b;c", ";"), ("a\tb", "\t"), ("", ",")])
def test_what_spreadsheets_put_between_cells_is_seen_in_the_heading(heading: str, delimiter: str) -> None:
    assert delimiter_of(f"{heading}\n1;2;3,4") == delimiter


def test_a_file_is_read_as_its_rows_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_bytes(MARK + b"a\n1\n" + b"2\n" * 100_000 + b"\xff\n")
    rows = cells_in(path, ("a",))
    assert next(rows) == (f"{path}, line 2", {"a": "1"})
    with pytest.raises(UserError, match=r"f\.csv is not UTF-8 \(byte \d+: invalid start byte\): name its encoding"):
        list(rows)


@pytest.mark.parametrize("read", [cells_in, lines_of])
def test_a_file_that_is_not_there_is_named(read: Any, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nix can't be read: No such file or directory\.$"):
        list(read(tmp_path / "nix"))


def test_lines_have_numbers_and_no_mark() -> None:
    assert list(numbered([MARK + b"a\n", b" \n", b"b"])) == [("line 1", b"a\n"), ("line 3", b"b")]
    assert list(numbered([MARK])) == []


def test_every_format_gives_rows_with_places() -> None:
    assert list(rows_of(MARK + b'[{"a": 1}]', "f", ".json")) == [("question 1", {"a": 1})]
    assert list(rows_of(MARK + b'{"a": 1}\n\n2', "f", ".jsonl")) == [("line 1", {"a": 1}), ("line 3", 2)]
    assert list(rows_of(MARK + b"a\n1\n", "f", ".csv")) == [("line 2", {"a": "1"})]
    with pytest.raises(UserError, match=r"^f is no Parquet file that can be read"):
        list(rows_of(b"no", "f", ".parquet"))


def test_a_text_that_is_not_utf8_is_refused() -> None:
    with pytest.raises(UserError, match=r"^f is not UTF-8 \(byte 1: invalid start byte\): name its encoding"):
        text_of(b"a\xff", "f")


def test_the_first_bad_rows_are_named_and_the_others_counted() -> None:
    def parse(value: Any) -> int:
        if value < 3:
            raise ValueError(f"it is {value}")
        return int(value)

    assert parsed(json_lines("3\n4", "f"), "f", parse) == [3, 4]
    with pytest.raises(UserError, match=r"^f has bad rows: line 1: it is 1; line 3: it is not valid JSON\.$"):
        parsed(json_lines("1\n5\n{", "f"), "f", parse)
    with pytest.raises(UserError, match=r"line 5: it is 0; and 2 more\.$"):
        parsed(json_lines("0\n" * 7, "f"), "f", parse)
