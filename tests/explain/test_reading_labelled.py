"""Replies of many kinds in labelled.jsonl: whether the answer is right, and which candidates are mentioned.

Written for these tests. A reply that is read otherwise than its label says shows a rule that is wrong or missing.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from counterfoil.explain import answer_is_right, find_mentions, mention_spans
from counterfoil.explain.mentions.answer import given_answer
from counterfoil.reading.ways import WAYS

LINES = (Path(__file__).parent / "labelled.jsonl").read_text(encoding="utf-8").splitlines()
LABELLED: list[dict[str, Any]] = [json.loads(line) for line in LINES]
PIECES = [
    "Rome",
    "New",
    "York",
    "7",
    "12,500",
    "'s",
    "three",
    "twenty",
    "-",
    ".",
    "1.",
    "**",
    "은",
    "서울",
    "京都",
    "�",
    "²",
    "CO₂",
    "①",
    "not",
    "answer",
    "is",
    "U.S.",
    "the",
    "July",
    "1990",
    "(",
    ")",
    ":",
    ";",
    ",",
    "and",
    "or",
    "Dutch",
    "Bill",
    "Gates",
    "wait,",
    "sorry",
    "so",
    "but",
    "while",
    "which",
    "who",
    "whether",
    "if",
    "\\boxed{",
    "}",
    "Answer:",
    "정답은",
    "아니라",
    "지만",
    "입니다",
    "former",
    "latter",
    "that's",
    "your",
    "clarification",
    "many",
    "people",
    "think",
    "?",
    "…",
    "–",
    "/",
    "%",
    "=",
    "1989",
    "hundred",
    "half",
    "2/3",
    "of",
    "them",
    "keys",
    "52",
    "white",
    "Sr.",
    "<think>",
    "</think>",
    "|",
    "~~",
    "❌",
    "✅",
    "후자",
    "맞습니다",
    "52개",
    "II",
]
NAMES = [
    "Rome",
    "New York",
    "7",
    "서울",
    "US",
    "July 7, 1990",
    "",
    "July 1990",
    "Netherlands",
    "Bill Gates",
    "Carbon dioxide",
    "UTC+5:30",
    "8월 15일",
    "52개",
    "2/3",
    "\nRio de Janeiro",
    "House of York",
    "Henry VIII",
    "아마존강",
    "더글러스 맥아더",
    "In",
    "Chicago White Sox",
]


@pytest.mark.parametrize("labelled", LABELLED, ids=lambda labelled: labelled["reply"][:40])
def test_as_a_person_reads_it(labelled: dict[str, Any]) -> None:
    gold, question, candidates, reply = (labelled[name] for name in ("gold", "question", "candidates", "reply"))
    right = answer_is_right(reply, gold, aliases=labelled["aliases"], candidates=candidates, question=question)
    assert right is labelled["right"]
    assert find_mentions(reply, candidates, gold=gold, question=question) == labelled["mentioned"]


@pytest.mark.parametrize("seed", range(200))
def test_pieces_of_replies_in_any_order_can_be_read(seed: int) -> None:
    draw = random.Random(seed)
    candidates, gold = draw.sample(NAMES, 4), draw.choice(NAMES)
    question = draw.choice(
        ("Who did it?", "How many keys are there?", "Which country won in 1990?", "수도는 어디인가요?")
    )
    for _ in range(20):
        reply = draw.choice((" ", "")).join(draw.choices(PIECES, k=draw.randint(0, 30)))
        spans = mention_spans(reply, candidates, gold=gold, question=question)
        named = {name for _, _, name in spans}
        found = find_mentions(reply, candidates, gold=gold, question=question)
        assert found == [name for name in candidates if name in named]
        given = given_answer(reply, gold, candidates=candidates, question=question)
        assert given.read_by is None or given.read_by in WAYS
