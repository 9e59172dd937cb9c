"""Existing questions: read from their files, and sorted out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from counterfoil.errors import UserError
from counterfoil.perturbing.making import candidates
from counterfoil.perturbing.making.candidates import REASONS, sort_out, why_not
from counterfoil.perturbing.making.existing import ExistingQuestion, existing_from, load_existing
from counterfoil.perturbing.making.recipes import shipped_recipes

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "cfa"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="../shared/data/cfa is not here: it holds public questions")

STEM = "What is 7 times 6, if A: is no option?"
FLARE = {"text": f"Q:{STEM},CHOICES: A: 41.,B: 42.,C: 43.", "gold": 1, "answer": "B", "choices": ["A", "B", "C"]}
QUESTION = ExistingQuestion(stem=STEM, options=("41.", "42.", "43."), gold=1)


@pytest.mark.parametrize(
    "row",
    [
        FLARE,
        {"text": FLARE["text"], "answer": "b"},
        {"text": FLARE["text"], "gold": 1},
        {"query": f"Read well.\n{FLARE['text']} Answer:", "answer": "B"},
        {"question": STEM, "options": ["41.", "42.", "43."], "answer": "B"},
        {"question": STEM, "options": {"C": "43.", "A": "41.", "B": "42."}, "answer": "B."},
        {"question": STEM, "options": "41.|42.|43.", "answer": "42."},
        {"question": STEM, "A": "41.", "B": "42.", "C": "43.", "D": "", "answer": "B"},
    ],
)
def test_every_layout_gives_the_same_question(row: dict[str, Any]) -> None:
    assert existing_from(row) == QUESTION
    assert QUESTION.text == FLARE["text"], "recipes know it by this text"


def test_a_scenario_goes_before_its_question() -> None:
    choices = "Answer Choices: A: 5%., B: 6%., C: 7%.. \nAnswer:"
    query = f"Read.\nScenario: Two funds.\nOne pays 5%. ;\nQuestion:The yield is:;\n{choices}"
    found = existing_from({"query": query, "answer": "A", "source": "x"})
    assert found == ExistingQuestion(
        stem="Two funds.\nOne pays 5%.\nThe yield is:", options=("5%.", "6%.", "7%."), gold=0
    )


def test_a_topic_is_kept() -> None:
    assert existing_from({**FLARE, "topic": " bonds "}).topic == "bonds"
    assert existing_from({**FLARE, "topic": 3}).topic == "not given"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ([], "it is no object"),
        ({}, "it has no question, text or query"),
        ({"text": "What?", "gold": 0}, "the question has not the form Q:"),
        ({"query": "What?", "answer": "A"}, "its query has neither the form"),
        ({"question": "1?", "options": 3, "answer": "A"}, "its options are no list of texts"),
        ({"question": "1?", "options": ["1"], "answer": "A"}, "its options are not 2 to 10"),
        ({"question": "1?", "options": ["1", " "], "answer": "A"}, "its options are not 2 to 10"),
        ({"question": " ", "options": ["1", "2"], "answer": "A"}, "its question is missing"),
        ({"question": "1?", "options": ["1", "2"]}, "it has no answer"),
        ({"question": "1?", "options": ["1", "2"], "answer": "C"}, "its answer is not one of its options"),
        ({"question": "1?", "options": ["1", "2"], "answer": "three"}, "its answer 'three' is neither a letter nor"),
        ({"question": "1?", "options": ["1", "2"], "gold": -1}, "its answer is not one of its options"),
    ],
)
def test_a_bad_row_says_what_is_wrong(row: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        existing_from(row)


def as_json(path: Path, rows: list[Any]) -> None:
    path.write_text(json.dumps(rows))


def as_jsonl(path: Path, rows: list[Any]) -> None:
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n\n")


def as_csv(path: Path, rows: list[Any]) -> None:
    path.write_text('question,options,answer\n"What is 7 times 6, if A: is no option?",41.|42.|43.,B\n')


def as_parquet(path: Path, rows: list[Any]) -> None:
    pl.DataFrame(rows).write_parquet(path)


@pytest.mark.parametrize("write", [as_json, as_jsonl, as_csv, as_parquet])
def test_every_kind_of_file(write: Callable[[Path, list[Any]], None], tmp_path: Path) -> None:
    path = tmp_path / f"q.{write.__name__.removeprefix('as_')}"
    write(path, [FLARE])
    assert load_existing(path) == [QUESTION]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("q.json", b"{", "is not valid JSON"),
        ("q.json", b"{}", "must hold a list"),
        ("q.json", b"[]", "holds no questions"),
        ("q.json", b"[" * 100_000, "is not valid JSON"),
        ("q.json", b"[3, {}]", "question 1: it is no object; question 2: it has no question"),
        ("q.jsonl", b"{}\nx", "line 1: it has no question, text or query; line 2: it is not valid JSON"),
        ("q.csv", b"\xff\xfa", "is not UTF-8"),
        ("q.parquet", b"PAR1", "is no Parquet file"),
        ("q.txt", b"", "existing questions are in a .json, .jsonl, .csv or .parquet file"),
    ],
)
def test_a_bad_file_is_one_sentence(name: str, content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError) as error:
        load_existing(tmp_path / name)
    assert said in str(error.value)


def existing(stem: str, *options: str, gold: int | None = 0) -> ExistingQuestion:
    return ExistingQuestion(stem=stem, options=options, gold=gold)


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        (existing("5 of 10 is:", "50%.", "20%.", "10%."), None),
        (existing("5 of 10 is:", "$-1,050.5", "€20", "7"), candidates.OTHER_WORDS),
        (existing("5 of 10 is:", "up 5%", "up 6%", "down 5%"), candidates.SAME_NUMBER),
        (existing("5 of 10 is:", "up 5%", "up 6%", "down 7%"), None),
        (existing("5 of 10 is:", "up 5%", "up 6%", "down 7%", gold=2), candidates.OTHER_WORDS),
        (existing("5 of 10 is:", "-5%", "5%", "6%"), None),
        (existing("half of ten is:", "50%", "20%", "10%"), candidates.NO_NUMBER),
        (existing("5 of 10 is:", "50%", "20%", "less"), candidates.NO_OPTION_NUMBER),
        (existing("5 of 10 is:", "50%", "20%", "5 or 6"), candidates.SEVERAL_NUMBERS),
        (existing("5 of 10 is:", "50%", "20%", "5.00%", gold=None), candidates.CONTRADICTS),
        (existing("5 of 10 is:", "50%", "20%"), candidates.NOT_THREE),
        (existing("5 of 10 is:", "50%", "20%", "10%", "5%"), candidates.NOT_THREE),
        (existing("Of 3 funds:", "Fund 1", "Fund 2", "Fund 3"), candidates.LABELS),
        (existing("Of 3 funds:", "1", "2", "3"), None),
        (existing("Of 3 funds:", "Fund 10", "Fund 20", "Fund 30"), None),
        (existing("5,CHOICES: A: 1,B: 2,C: 3", "50%,B: 1", "20%", "10%"), candidates.SEVERAL_NUMBERS),
    ],
)
def test_what_can_be_perturbed(question: ExistingQuestion, reason: str | None) -> None:
    assert why_not(question) == reason


def test_the_reasons_are_counted_in_their_order() -> None:
    fine = existing("5 of 10 is:", "50%.", "20%.", "10%.")
    words = existing("half is:", "50%", "20%", "10%")
    kept, set_aside = sort_out([words, fine, fine, words, existing("1 is:", "a", "b")])
    assert kept == [fine]
    assert list(set_aside.items()) == [
        (candidates.SEEN_BEFORE, 2),
        (candidates.NOT_THREE, 1),
        (candidates.NO_NUMBER, 1),
    ]
    assert set(set_aside) < set(REASONS)


@needs_data
def test_the_public_questions_are_sorted_out() -> None:
    questions = load_existing(DATA / "cfa_easy.json")
    kept, set_aside = sort_out(questions)
    assert len(questions) == 1032
    assert len(kept) + sum(set_aside.values()) == 1032
    assert set_aside[candidates.CONTRADICTS] == 3, "three rows have the answer a and the gold 2"
    hashes = {question.sha256 for question in kept}
    assert {recipe.sha256 for recipe in shipped_recipes()} <= hashes, "what has a recipe can be perturbed"
    challenge = load_existing(DATA / "cfa_challenge.json")
    assert len(challenge) == 90
    assert {len(question.options) for question in challenge} == {3}
    assert not any("Answer" in question.options[2] for question in challenge)
