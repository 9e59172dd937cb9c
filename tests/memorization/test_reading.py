"""A reply is read as a careful reader would read it, and the answer is judged against the question."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from counterfoil.memorization.prompts import load_variants
from counterfoil.memorization.reading import Answer, read_answer
from counterfoil.perturbing.questions import Computed, Question
from counterfoil.reading import read_choice
from counterfoil.reading.amounts import number_of
from counterfoil.reading.numbers import PERCENT

LINES = (Path(__file__).parent / "readings.jsonl").read_text(encoding="utf-8").strip().split("\n")
READINGS = [json.loads(line) for line in LINES]
MONEY = ("$14,047.16", "$16,215.64", "$15,030.46")
MCQ, OPEN = load_variants(["mcq", "open"])


def a_question(**fields: Any) -> Question:
    """The CFA study's annuity at 7 %, in the lure arm: C is right, A is the original's gold, B another draw's."""
    known: dict[str, Any] = {
        "id": "annuity/lure-1", "parent": "annuity/0", "template": "annuity", "topic": "quantitative methods",
        "level": 0, "draw": 1, "control": "lure", "text": "What is it worth?", "options": MONEY, "gold": "C",
        "value": "$15,030.46", "digits": 2, "percent": False, "old": "A", "sham": "B", "changes": (), "steps": "",
        "expression": "pv", "computed": None, "status": "verified", "source": "bank",
    }  # fmt: skip
    return Question(**(known | fields))


@pytest.mark.parametrize("row", READINGS, ids=lambda row: row["reply"][-40:].encode("unicode_escape").decode())
def test_as_a_careful_reader_says(row: dict[str, Any]) -> None:
    if "options" in row:
        place = read_choice(row["reply"], row["options"])
        assert (None if place is None else "ABC"[place]) == row["expected"]
    else:
        unit = PERCENT if row["percent"] else Decimal(row.get("scale", 1))
        read = number_of(row["reply"], unit, row["digits"], None)
        assert (None if read is None else read.said) == (None if row["expected"] is None else Decimal(row["expected"]))


def test_there_are_many_kinds_of_replies() -> None:
    for letters in (True, False):
        rows = [row for row in READINGS if ("options" in row) == letters]
        assert len(rows) >= 150
        assert sum(row["expected"] is None for row in rows) >= 25
    assert sum(row["source"] == "smollm2" for row in READINGS) >= 20


def test_letters_are_judged() -> None:
    question = a_question()
    said = [read_answer(question, MCQ, f"ANSWER: {letter}", None) for letter in "ABC"]
    assert said == [
        Answer(text="A", correct=False, kept_old=True, sham=False, read_by="final_line"),
        Answer(text="B", correct=False, kept_old=False, sham=True, read_by="final_line"),
        Answer(text="C", correct=True, kept_old=False, sham=False, read_by="final_line"),
    ]
    assert read_answer(question, MCQ, "I can't say.", None) is None


def test_numbers_are_judged() -> None:
    question = a_question()
    said = [
        read_answer(question, OPEN, f"ANSWER: {number}", None) for number in ("14047.16", "16,215.64", "$15,030.46")
    ]
    assert said == [
        Answer(text="14047.16", correct=False, kept_old=True, sham=False, read_by="final_line"),
        Answer(text="16215.64", correct=False, kept_old=False, sham=True, read_by="final_line"),
        Answer(text="15030.46", correct=True, kept_old=False, sham=False, read_by="final_line"),
    ]
    assert read_answer(question, OPEN, "ANSWER: C", None) is None


def test_the_tolerance_reaches_the_judgement() -> None:
    question = a_question()
    for tolerance, right in ((None, False), (Decimal("0.4"), False), (Decimal("0.46"), True)):
        answer = read_answer(question, OPEN, "ANSWER: 15,030", tolerance)
        assert answer is not None
        assert answer.correct is right


def test_where_there_is_no_old_answer_none_is_kept() -> None:
    question = a_question(control=None, level=1, old=None, sham=None)
    for variant, reply in ((MCQ, "ANSWER: A"), (OPEN, "ANSWER: 14,047.16")):
        answer = read_answer(question, variant, reply, None)
        assert answer is not None
        assert (answer.correct, answer.kept_old, answer.sham) == (False, False, False)


@pytest.mark.parametrize(
    ("value", "percent", "reply", "number"),
    [
        ("$8.60 million", False, "$8,600,000", "8.6"),
        ("$8.60 million", False, "8.60", "8.60"),
        ("$8.60 million", False, "$0.0086 billion", "8.6"),
        ("15.50%", True, "0.155", "15.5"),
        # Of the size that is expected, whatever its digits: 0.0045 would be 0.0045 %.
        ("0.45%", True, "0.45", "0.45"),
        ("0.45%", True, "0.0045", "0.45"),
        ("0.45%", True, "0.4512", "0.4512"),
        ("0.45%", True, "45 bps", "0.45"),
        ("–2.20%.", True, "(2.20%)", "-2.20"),
    ],
)
def test_numbers_are_in_the_unit_of_the_question(value: str, percent: bool, reply: str, number: str) -> None:
    question = a_question(value=value, percent=percent, options=(value, "1%", "2%"), gold="A", old=None, sham=None)
    answer = read_answer(question, OPEN, f"ANSWER: {reply}", None)
    assert answer is not None
    assert answer.text is not None
    assert Decimal(answer.text) == Decimal(number)
    assert answer.correct


def test_a_question_whose_gold_is_no_number_has_no_right_number() -> None:
    question = a_question(
        value="liquidity", options=("maturity", "liquidity", "inflation"), gold="B", old=None, sham=None
    )
    answer = read_answer(question, OPEN, "ANSWER: 5", None)
    assert answer == Answer(text="5", correct=False, kept_old=False, sham=False, read_by="final_line")


def test_in_the_open_form_the_exact_answer_counts_as_well_as_the_printed_one() -> None:
    # 18,000 · 1.06 · … = 22,886.4, printed as 22,890: both are right, and what lies between is not.
    computed = Computed(decimal="22886.4", float="22886.4", check="22886.4")
    question = a_question(value="$22,890", options=("$1", "$2", "$22,890"), digits=0, computed=computed)
    found = {
        said: read_answer(question, OPEN, f"ANSWER: ${said}", None) for said in ("22,890", "22,886", "22,888", "22,885")
    }
    assert {said: answer is not None and answer.correct for said, answer in found.items()} == {
        "22,890": True, "22,886": True, "22,888": False, "22,885": False,
    }  # fmt: skip
