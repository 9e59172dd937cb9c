"""The two wordings, and the user's own."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from counterfoil.errors import UserError
from counterfoil.memorization.prompts import form_of, load_variants, messages
from counterfoil.perturbing.questions import Question
from counterfoil.perturbing.templates.tables import load_bank
from counterfoil.perturbing.templates.variants import make_original


@pytest.fixture(scope="module")
def question() -> Question:
    return make_original(load_bank()[0], seed=1).question


def changed(question: Question, **fields: Any) -> Question:
    return msgspec.structs.replace(question, **fields)


def test_options_are_asked_for_by_letter_unless_said_otherwise() -> None:
    (usual,) = load_variants([])
    assert usual.name == "mcq"
    assert usual.prompt.open is False
    assert usual.sha256 == hashlib.sha256(usual.prompt.text.encode()).hexdigest()
    assert [variant.prompt.open for variant in load_variants(["mcq", "open"])] == [False, True]


def test_the_question_and_its_options_are_shown(question: Question) -> None:
    (message,) = messages(question, load_variants(["mcq"])[0])
    assert message.role == "user"
    assert question.text in message.content
    for letter, option in zip("ABC", question.options, strict=True):
        assert f"\n{letter}: {option}\n" in message.content
    assert "\nANSWER: X\n" in message.content


def test_an_open_question_shows_no_option_and_nothing_of_the_answer(question: Question) -> None:
    shown = changed(question, value="$15,030.46", options=("$14,047.16", "$16,215.64", "$15,030.46"), digits=2)
    (message,) = messages(shown, load_variants(["open"])[0])
    assert shown.text in message.content
    assert "ANSWER:" in message.content
    assert not any(option in message.content for option in shown.options)
    assert "15" not in message.content.replace(shown.text, "")


@pytest.mark.parametrize(
    ("value", "digits", "form"),
    [
        ("$15,030.46", 2, "in the form $#.##, with 2 digits behind the decimal point"),
        ("15.5%", 1, "in the form #.#%, with 1 digit behind the decimal point"),
        ("$1,732 thousand", 0, "in the form $# thousand, with no decimals"),
        # Neither its sign nor its size is given away.
        ("-$8.60 million", 2, "in the form $#.## million, with 2 digits behind the decimal point"),
        ("\u20132.20%", 2, "in the form #.##%, with 2 digits behind the decimal point"),
        ("51.6 days", 1, "in the form #.# days, with 1 digit behind the decimal point"),
    ],
)
def test_unit_and_digits_are_asked_for(question: Question, value: str, digits: int, form: str) -> None:
    assert form_of(changed(question, value=value, digits=digits)) == form


def test_markers_in_a_question_are_its_own_words(question: Question) -> None:
    shown = changed(question, text="What is {a} {b} {form} {question}?")
    (message,) = messages(shown, load_variants(["mcq"])[0])
    assert "What is {a} {b} {form} {question}?" in message.content


def test_a_file_of_the_user(question: Question, tmp_path: Path) -> None:
    asking, open_asking = tmp_path / "short.txt", tmp_path / "number.txt"
    asking.write_text('{question} A {a} B {b} C {c}. Reply as {"answer": …}.\n', encoding="utf-8")
    open_asking.write_text("{question} Reply {form}.", encoding="utf-8")
    one, other = load_variants([str(asking), str(open_asking)])
    assert (one.name, one.prompt.open) == ("short", False)
    assert (other.name, other.prompt.open) == ("number", True)
    first, second, third = question.options
    (message,) = messages(question, one)
    assert message.content == f'{question.text} A {first} B {second} C {third}. Reply as {{"answer": …}}.'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "never says where the question goes"),
        ("A {a} B {b} C {c}", "never says where the question goes"),
        ("{question} {a} {b}", "but not {c}"),
        ("{question} {a} {b} {c} {options}", "the marker {options}"),
    ],
)
def test_files_that_can_not_be_asked_with(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "mine.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=said.replace("{", r"\{")):
        load_variants([str(path)])


def test_names_that_are_not_there_or_twice(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no variant mqc.*mcq"):
        load_variants(["mqc"])
    with pytest.raises(UserError, match="Two variants are called mcq"):
        load_variants(["mcq", "mcq"])
    binary = tmp_path / "binary.txt"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match=r"binary\.txt is not UTF-16"):
        load_variants([str(binary)])
