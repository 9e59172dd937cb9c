"""Our own file of questions: whatever a question knows comes back, and what can't be right is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from counterfoil.bias.questions import Question
from counterfoil.bias.sources.loading import encode_questions, load_questions
from counterfoil.errors import UserError


def test_questions_come_back_with_their_orders(tmp_path: Path) -> None:
    for data in ("korean", "english"):
        given = load_questions(data, 2)
        path = tmp_path / "mine.jsonl"
        path.write_bytes(encode_questions(given))
        assert list(load_questions(str(path), 2)) == list(given)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"sample_id": " "}, "line 2: its sample_id or template is empty"),
        ({"order": 1}, "line 2: its sample_id or template is empty, or its order is not 0"),
        ({"choices": ["x", "x", "y"]}, "line 2: its choices are not three different texts"),
        ({"choices": ["x", "y"]}, "line 2: its choices must be a list of 3"),
        ({"right": "nobody"}, "line 2: its right answer 'nobody' is not among its choices"),
        ({"unknown": "nobody"}, "line 2: its unknown answer 'nobody' is not among its choices"),
        ({"biased": "nobody"}, "line 2: its biased answer 'nobody' is not among its choices"),
        ({"ambiguous": False}, "line 2: an ambiguous context has the right answer unknown"),
    ],
)
def test_what_can_not_be_right_is_named(tmp_path: Path, changes: dict[str, Any], sentence: str) -> None:
    first, second, *_ = load_questions("english", 1)
    assert second.ambiguous
    row = msgspec.to_builtins(second) | changes
    path = tmp_path / "mine.jsonl"
    path.write_bytes(encode_questions([first]) + msgspec.json.encode(row) + b"\n")
    with pytest.raises(UserError, match=sentence):
        load_questions(str(path))


def test_the_biased_answer_is_never_the_unknown_one(tmp_path: Path) -> None:
    question: Question = next(iter(load_questions("english", 1)))
    path = tmp_path / "mine.jsonl"
    path.write_bytes(encode_questions([msgspec.structs.replace(question, biased=question.unknown)]))
    with pytest.raises(UserError, match="its biased answer is the unknown one"):
        load_questions(str(path))
    # Where nobody is the one that the stereotype is about, there are no roles.
    path.write_bytes(encode_questions([msgspec.structs.replace(question, biased="")]))
    assert [it.role(it.right) for it in load_questions(str(path), 1)] == [None]
