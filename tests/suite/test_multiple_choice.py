"""The ready-made parts of multiple choice: questions, orders, reading, metrics, a respondent, a self-test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.asking.ask import Reply
from counterfoil.errors import UserError
from counterfoil.stats.summary import summarize
from counterfoil.suite.multiple_choice import ChoiceQuestion, MultipleChoice, encode_questions, read_questions

LINE = '{"id": "a", "question": "Which?", "choices": ["x", "y", "z"], "answer": "y"}'


class Letters(MultipleChoice):
    name = "letters"
    questions = (
        ChoiceQuestion(name="one", text="First?", choices=("alpha", "beta", "gamma"), right=0),
        ChoiceQuestion(name="two", text="Second?", choices=("alpha", "beta", "gamma"), right=1, topic="same"),
        ChoiceQuestion(name="three", text="Yes or no?", choices=("yes", "no"), right=1, topic="same"),
    )


@given(st.integers(2, 10), st.data())
def test_each_order_shows_all_choices_and_letters_lead_back(count: int, data: st.DataObject) -> None:
    choices = tuple(f"choice {number}" for number in range(count))
    order = data.draw(st.integers(0, count - 1))
    question = ChoiceQuestion(name="q", text="?", choices=choices, right=0, order=order)
    assert sorted(question.shown) == sorted(choices)
    for place, shown in enumerate(question.shown):
        assert choices[question.content(place)] == shown
        assert question.letter(question.content(place)) == "ABCDEFGHIJ"[place]


def test_every_choice_stands_first_in_one_of_the_orders() -> None:
    asked = [question for question in Letters({"orders": 3}).load(None) if question.name == "one"]
    assert [question.shown[0] for question in asked] == ["alpha", "beta", "gamma"]
    assert [question.id for question in asked] == ["one-0", "one-1", "one-2"]
    # A question with two choices has two orders.
    assert sum(question.name == "three" for question in Letters({"orders": 3}).load(None)) == 2


def test_a_letter_is_the_choice_that_stands_beside_it() -> None:
    suite = Letters({"orders": 2})
    [_, turned] = [question for question in suite.load(None) if question.name == "one"]
    [variant] = suite.variants((), None)
    assert suite.messages(turned, variant)[0].content.endswith("First?\nA: beta\nB: gamma\nC: alpha")
    reading = suite.read(turned, variant, Reply(status="ok", text="The answer is C."))
    assert reading is not None
    assert suite.score(turned, None, reading, None) == {"choice": "C", "content": 0, "correct": True}
    assert suite.read(turned, variant, Reply(status="ok", text="I can't say.")) is None
    assert suite.score(turned, None, None, None) == {"correct": False}


def records(*rows: dict[str, Any]) -> pl.DataFrame:
    common = {"model": "m", "variant": "plain", "repeat": 0, "outcome": "answered"}
    return pl.DataFrame([{**common, "cluster": row["question_id"], **row} for row in rows])


def test_the_figures_of_hand_made_records() -> None:
    # q1 has the same content in both orders, q2 has not, q3 was read in one of them only.
    rows = [
        {"question_id": "q1", "order": 0, "choice": "A", "content": 0, "correct": True},
        {"question_id": "q1", "order": 1, "choice": "B", "content": 0, "correct": True},
        {"question_id": "q2", "order": 0, "choice": "A", "content": 0, "correct": False},
        {"question_id": "q2", "order": 1, "choice": "A", "content": 1, "correct": True},
        {"question_id": "q3", "order": 0, "choice": "A", "content": 0, "correct": True},
        {"question_id": "q3", "order": 1, "choice": None, "content": None, "correct": False},
    ]
    suite = Letters()
    found = {one.metric: one for one in summarize(suite.metrics, suite.items(records(*rows)))}
    assert found["accuracy"].value == pytest.approx(4 / 6)
    assert found["out_of_choice"].value == pytest.approx(1 / 6)
    assert found["order_bias"].value == pytest.approx(1 / 2)
    assert found["order_bias"].n == 2


def test_one_order_tells_nothing_of_the_position() -> None:
    rows = [{"question_id": "q1", "order": 0, "choice": "A", "content": 0, "correct": True}]
    suite = Letters()
    assert {one.metric for one in summarize(suite.metrics, suite.items(records(*rows)))} == {
        "accuracy",
        "out_of_choice",
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (LINE.replace('"y"}', '"w"}'), "the answer 'w' is none of the choices"),
        (f"{LINE}\n{LINE}", "line 2: the id a or one of the choices is there twice"),
        (LINE.replace('"z"', '"x"'), "is there twice"),
        ("{}", "line 1"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(text)
    with pytest.raises(UserError, match=words):
        read_questions(path)


def test_questions_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(f"\ufeff{LINE}\n\n")
    assert read_questions(path) == [ChoiceQuestion(name="a", text="Which?", choices=("x", "y", "z"), right=1)]
    assert Letters().load(str(path)).name == "q.jsonl"
    held_out = tmp_path / "again.jsonl"
    held_out.write_bytes(encode_questions(Letters({"orders": 2}).load(None)))
    assert read_questions(held_out) == list(Letters.questions)
