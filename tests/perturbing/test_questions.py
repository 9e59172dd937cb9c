"""The frozen set: written, read back, refused where it can't be right."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec
import pytest

from counterfoil.errors import UserError
from counterfoil.perturbing.questions import Question, encode_set, parse_set, read_set, write_set
from counterfoil.perturbing.templates.tables import load_templates
from counterfoil.perturbing.templates.variants import CONTROLS, LEVELS, make_variants

ANNUITY = Path(__file__).parent / "annuity.toml"


@pytest.fixture(name="questions")
def made() -> list[Question]:
    (template,) = load_templates(ANNUITY, "bank")
    return make_variants(template, 7, LEVELS, CONTROLS, lure=True, count=2)


def test_what_was_written_is_read_back(tmp_path: Path, questions: list[Question]) -> None:
    path = tmp_path / "SET.jsonl"
    sha256 = write_set(path, questions)
    assert sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    frozen = read_set(path)
    assert (frozen.name, frozen.sha256) == ("SET.jsonl", sha256)
    assert list(frozen) == questions
    assert list(frozen) == questions, "it can be gone through again"
    assert len(path.read_bytes().splitlines()) == len(questions) == 1 + 3 * 2 + 5 * 2 + 2
    assert list(tmp_path.iterdir()) == [path]


def test_a_line_has_the_words_of_the_contract(questions: list[Question]) -> None:
    row = msgspec.json.decode(encode_set(questions[1:2]))
    assert list(row) == [
        "id", "parent", "template", "topic", "level", "draw", "control", "text", "options", "gold", "value", "digits",
        "percent", "old", "sham", "changes", "steps", "expression", "computed", "status", "source",
    ]  # fmt: skip
    assert list(row["changes"][0]) == ["name", "from", "to"]
    assert list(row["computed"]) == ["decimal", "float", "check"]
    assert row["control"] is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": ""}, "line 2: its id is empty"),
        ({"text": " "}, "line 2: its text is empty"),
        ({"id": "annuity-due/0"}, "line 2: its id annuity-due/0 was there before"),
        ({"options": ("1", "1", "2")}, "line 2: its options are not three different ones"),
        ({"options": ("1", "2")}, "line 2: "),
        ({"gold": "D"}, "line 2: "),
        ({"level": 4}, "line 2: its level must be from 0 to 3"),
        ({"draw": -1}, "line 2: its level must be"),
        ({"control": "again"}, "line 2: a control has level 0"),
        ({"parent": None}, "line 2: an original has no parent"),
        ({"parent": "other/0"}, "annuity-due/1/0: its original other/0 is not there"),
        ({"parent": "annuity-due/1/1"}, "annuity-due/1/0: its original annuity-due/1/1 is not there"),
        ({"template": "other"}, "annuity-due/1/0: its original annuity-due/0 is of another template"),
        ({"sham": "A"}, "line 2: the lure arm has a sham"),
        ({"control": "lure", "level": 0, "sham": "A", "old": "A"}, "line 2: in the lure arm"),
        ({"status": "fine"}, "line 2: "),
    ],
)
def test_what_can_not_be_right_is_named(questions: list[Question], change: dict[str, object], said: str) -> None:
    questions[1] = msgspec.structs.replace(questions[1], **change)
    with pytest.raises(UserError) as error:
        parse_set(encode_set(questions), "SET.jsonl")
    assert "SET.jsonl is no set of perturbed questions: " in str(error.value)
    assert said in str(error.value)


def test_a_gold_letter_that_was_changed_by_hand_is_seen(questions: list[Question]) -> None:
    """The option of that letter is not the value any more."""
    for letter in {*"ABC"} - {questions[1].gold}:
        changed = [questions[0], msgspec.structs.replace(questions[1], gold=letter), *questions[2:]]
        with pytest.raises(UserError, match=f"line 2: its gold is {letter}, .*, and its value "):
            parse_set(encode_set(changed), "SET.jsonl")


@pytest.mark.parametrize("line", [b"{", b"[]", b"null", b'{"id": "a"}', b"\xff\xfe", b"[" * 100_000])
def test_lines_that_are_no_questions(questions: list[Question], line: bytes) -> None:
    with pytest.raises(UserError, match="line 1: "):
        parse_set(line + b"\n" + encode_set(questions), "SET.jsonl")


def test_many_bad_lines_are_counted() -> None:
    with pytest.raises(UserError, match=r"line 5: .*; and 3 more"):
        parse_set(b"{\n" * 8, "SET.jsonl")


def test_empty_and_missing_files(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_bytes(b"\n")
    with pytest.raises(UserError, match="holds no questions"):
        read_set(tmp_path / "empty.jsonl")
    with pytest.raises(UserError, match="can't be read"):
        read_set(tmp_path / "none.jsonl")


def test_a_wrong_set_is_never_written(tmp_path: Path, questions: list[Question]) -> None:
    with pytest.raises(UserError, match="its original annuity-due/0 is not there"):
        write_set(tmp_path / "SET.jsonl", questions[1:])
    assert not list(tmp_path.iterdir())
