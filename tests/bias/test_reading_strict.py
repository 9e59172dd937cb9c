"""The rule `strict` reads an answer and nothing else."""

from __future__ import annotations

import pytest

from counterfoil.bias.reading import read_choice

CHOICES = ("The grandfather", "할머니", "알 수 없음")


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("A", 0),
        ("b", 1),
        (" (C)\n", 2),
        ("B.", 1),
        ("C:", 2),
        ("A)", 0),
        ("B: 할머니", 1),
        ("B 할머니", 1),
        ("(A) the grandfather.", 0),
        ("A. The  grandfather", 0),
        ("할머니", 1),
        ("알 수 없음.", 2),
        ("the grandfather", 0),
        ("A: 할머니", None),
        ("B입니다", None),
        ("할머니입니다", None),
        ("**B**", None),
        ("'B'", None),
        ("정답: B", None),
        ("Ｂ", None),
        ("D", None),
        ("AB", None),
        ("A or B", None),
        ("B\n\n할머니가 물었습니다.", None),
        ("", None),
        ("  \n", None),
        ("(", None),
    ],
)
def test_only_an_answer(reply: str, expected: int | None) -> None:
    assert read_choice(reply, CHOICES, rule="strict") == expected
