"""The user's files: in which encoding they are read, and what becomes of rows that are wrong."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from counterfoil.errors import UserError
from counterfoil.inputs import Inputs, reading_inputs, text_of
from counterfoil.tables import cell_rows, cells_in, in_words, json_lines, lines_of, parsed, rows_of

KOREAN = "동네 도서관에 두 사람이 앉아 있었습니다."


@pytest.mark.parametrize(
    "raw",
    [
        KOREAN.encode(),
        codecs.BOM_UTF8 + KOREAN.encode(),
        KOREAN.encode("utf-16"),
        codecs.BOM_UTF16_BE + KOREAN.encode("utf-16-be"),
        KOREAN.encode("cp949"),  # 17 syllables and nothing else: it can hardly be anything but CP949
    ],
)
def test_a_text_is_the_same_in_every_encoding_that_is_certain(raw: bytes) -> None:
    assert text_of(raw, "f") == KOREAN


@pytest.mark.parametrize(
    "raw",
    [
        "값".encode("cp949"),  # too little to be certain
        ("Où est l'été? À côté du café, près du château." * 3).encode("latin-1"),
        "今天天气很好，我们一起去公园散步吧。".encode("gb2312"),
        "今日はとてもいい天気ですね。".encode("euc-jp"),
        "今日はとてもいい天気ですね。".encode("shift-jis"),
    ],
)
def test_what_is_not_certain_is_refused_with_what_to_do(raw: bytes) -> None:
    with pytest.raises(UserError, match=r"^f is not UTF-8 .*--encoding cp949, or .* iconv -f CP949 -t UTF-8 does\.$"):
        text_of(raw, "f")


def test_the_option_names_the_encoding_and_utf8_stays_what_it_is() -> None:
    with reading_inputs(Inputs(encoding="cp949")):
        assert text_of("값".encode("cp949"), "f") == "값"
        assert text_of("값".encode(), "f") == "값"
        assert text_of("값".encode("utf-16"), "f") == "값"
    with reading_inputs(Inputs(encoding="utf-16-le")):
        assert text_of("ab".encode("utf-16-le"), "f") == "ab"
    with pytest.raises(UserError, match="looks like UTF-16 without its mark"):
        text_of("ab".encode("utf-16-le"), "f")
    with pytest.raises(UserError, match="There is no encoding cp94: name one"):
        Inputs(encoding="cp94")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp949"])
def test_files_are_read_line_by_line_in_every_encoding(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(f"a,b\n1,{KOREAN}\n".encode(encoding))
    assert [row for _, row in cells_in(path, ("a",))] == [{"a": "1", "b": KOREAN}]
    assert [line.decode() for _, line in lines_of(path)] == ["a,b\n", f"1,{KOREAN}\n"]


def test_bad_rows_are_left_out_counted_and_named() -> None:
    with reading_inputs(Inputs(strict=False)) as inputs:
        assert parsed(json_lines("1\n{\n3\n4", "f"), "f", int) == [1, 3, 4]
        assert parsed(json_lines("1\n{\n3\n4", "f"), "f", int) == [1, 3, 4]  # the same file again
    assert inputs.described() == {"left_out": [{"file": "f", "rows": 1, "first": ["line 2: it is not valid JSON"]}]}
    assert inputs.notes == ["f: 1 of 4 rows is left out: line 2: it is not valid JSON. --strict refuses the file."]


def test_a_file_of_which_most_is_bad_is_refused() -> None:
    with reading_inputs(Inputs(strict=False)), pytest.raises(UserError, match=r"^f has bad rows, 2 of 3: line 1: "):
        parsed(json_lines("{\n2\n{", "f"), "f", int)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2,3\n", "it has 3 cells, and there are 2 columns"),
        ("a,b\n1,\0\n", "it holds the character NUL, which is no text"),
    ],
)
def test_a_row_of_cells_that_can_not_be_right_says_so(text: str, said: str) -> None:
    [(_, row)] = cell_rows(text, "f.csv", ("a",))
    assert isinstance(row, ValueError)
    assert str(row) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", r"^f\.csv is empty: its first line must name the columns id, q\.$"),
        ("id,x\n1,2\n", r"^f\.csv lacks the column q\. It has id, x\.$"),
        ("id,q,id\n1,2,3\n", r"^f\.csv has the column id more than once: leave one of them\.$"),
        ('id,q\n1,2\n3,"4\n5,6\n', r"^f\.csv, line 3: a quotation mark is opened there and never closed\.$"),
        ('id,q\n1,2\n3,"4\n', r"^f\.csv, line 3: a quotation mark is opened there and never closed\.$"),
    ],
)
def test_a_table_that_can_not_be_read_is_told_in_a_sentence(text: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        list(cell_rows(text, "f.csv", ("id", "q")))


@pytest.mark.parametrize(
    "text", ["id;q\n1;2\n", "id\tq\n1\t2\n", " ID ,Q\n1,2\n", "\n\nid,q\n1,2,\n", '"id","q"\n1,2\n']
)
def test_what_spreadsheets_make_of_a_table_is_read(text: str) -> None:
    assert [row for _, row in cell_rows(text, "f.csv", ("id", "q"))] == [{"id": "1", "q": "2"}]


def test_a_list_in_lines_and_lines_in_a_list_get_their_name() -> None:
    for one_list in (b'[\n{"a": 1}\n]', b'[{"a": 1}]\n'):
        with pytest.raises(UserError, match=r"^f holds one list, not a row on each line: name it \.json\.$"):
            list(rows_of(one_list, "f", ".jsonl"))
    with pytest.raises(UserError, match=r"^f holds a row on each line, not one list: name it \.jsonl\.$"):
        list(rows_of(b'{"a": 1}\n{"a": 2}\n', "f", ".json"))


@pytest.mark.parametrize("ending", [".json", ".jsonl"])
@pytest.mark.parametrize(("written", "said"), [("\\ud800", "half a character, \\ud800"), ("\\u0000", "NUL")])
def test_texts_that_can_not_be_written_are_bad_rows(ending: str, written: str, said: str) -> None:
    first, second = f'{{"a": "{written}"}}', '{"a": "\\ud83d\\ude00"}'  # the second is an emoji in two halves
    content = f"[{first}, {second}]" if ending == ".json" else f"{first}\n{second}"
    rows = [row for _, row in rows_of(content.encode(), "f", ending)]
    assert isinstance(rows[0], ValueError)
    assert said in str(rows[0])
    assert rows[1] == {"a": "😀"}


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("Object missing required field `reply`", "it has no reply"),
        ("Object missing required field `text` - at `$.reply`", "it has no text in reply"),
        ("Expected `str | null`, got `int` - at `$.reply`", "its reply is a whole number, and must be a text or null"),
        ("Expected `object`, got `array`", "it is a list, and must be an object"),
        ("Expected `array` of length 3 - at `$.choices`", "its choices must be a list of 3"),
        ("JSON is malformed: invalid character (byte 0)", "it is not valid JSON"),
        ("Input data was truncated", "it is not valid JSON"),
    ],
)
def test_what_the_decoder_says_is_put_in_plain_words(error: str, said: str) -> None:
    assert in_words(ValueError(error)) == said
