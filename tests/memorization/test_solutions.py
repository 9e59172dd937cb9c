"""Solutions that GSM8K's authors publish with their marks, read and scored anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from counterfoil.errors import UserError
from counterfoil.memorization.solutions import Solutions
from counterfoil.memorization.suite import Memorization
from counterfoil.suite.suite import Context

SHARED = Path(__file__).parents[3] / "shared" / "data" / "gsm"


def row(question: str, truth: str, **models: tuple[str, bool]) -> dict[str, Any]:
    made = {name: {"solution": text, "is_correct": marked} for name, (text, marked) in models.items()}
    return {"question": question, "ground_truth": truth, **made}


ROWS = [
    row("How many?", "2 + 5 = <<2+5=7>>7\nA: 7", a=("54/8=<<54/8=6.75>>6.75 packs\nA: 6.75", False), b=("A: 7", True)),
    # The reading has it right, and the mark says otherwise; nothing is read where there is no number.
    row("How much?", "#### 1,200", a=("1,000 + 200\n#### 1200", False), b=("I don't know.", True)),
]


def written(tmp_path: Path, rows: list[dict[str, Any]]) -> str:
    path = tmp_path / "solutions.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return str(path)


def test_solutions_are_scored_anew_and_differences_named(tmp_path: Path) -> None:
    found = Solutions([written(tmp_path, ROWS)])
    assert [answer and (answer.text, answer.correct) for answer in (one.answer for one in found.solutions)] == [
        ("6.75", False),  # the answer is 7: rounded is not right
        ("7", True),
        ("1200", True),
        None,
    ]
    assert found.marked_otherwise() == {
        "a": ["line 2 (a): marked as wrong, but it is read as 1200, and the answer is 1200."],
        "b": ["line 2 (b): marked as right, but nothing can be read in it, and the answer is 1200."],
    }
    assert found.sentences()[0] == "2 of 4 solutions come out as they are marked (50.00%). Right are 1 of a, 1 of b."
    # Two of the four questions by each model; as marked: none of a, both of b.
    figures = {(one.model, one.metric, one.group["basis"]): one.value for one in found.reported()}
    assert figures == {
        ("a", "accuracy_original", "reported"): 0.0,
        ("a", "marked_otherwise", "finding"): 0.5,
        ("b", "accuracy_original", "reported"): 1.0,
        ("b", "marked_otherwise", "finding"): 0.5,
    }
    assert len(list(found)) == 2


def test_the_importer_gives_each_models_solutions(tmp_path: Path) -> None:
    path = written(tmp_path, ROWS)
    suite = Memorization().configured({}, Context(format="gsm8k", files=(path,)))
    imported = list(suite.importers["gsm8k"]([Path(path)], {}))
    assert [(one.model, one.reading and one.reading.correct, one.was_read) for one in imported] == [
        ("a", False, True),
        ("b", True, True),
        ("a", True, True),
        ("b", None, True),
    ]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"question": "q"}, "it has no question and ground_truth"),
        (row("q", "I don't know.", a=("A: 1", True)), "its ground_truth gives no answer"),
        (row("q", "A: 1"), "no model has a solution"),
        ({**row("q", "A: 1"), "a": {"solution": "A: 1"}}, "a has no solution, or does not say"),
    ],
)
def test_a_row_that_can_not_be_right_is_named(wrong: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        Solutions([written(tmp_path, [wrong])])
    assert said in str(error.value)


def test_published_marks_and_readings_agree() -> None:
    path = SHARED / "example_solutions_dev.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is not here")
    found = Solutions([str(path)])
    assert len(found.solutions) == 1320
    otherwise = sum(map(len, found.marked_otherwise().values()))
    assert otherwise / len(found.solutions) <= 0.005
