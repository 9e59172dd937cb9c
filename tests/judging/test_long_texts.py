"""Texts as long as a server may send: read or refused in one pass. In quadratic time these would take hours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from counterfoil.judging.parsing import read_list, read_ratings, read_score, read_verdict
from counterfoil.judging.second_reader import choice_task, explanation_task
from counterfoil.judging.text import Unreadable

LENGTH = 300_000
PATTERNS = [
    "Alternatives:\n- a\n",
    "- Alternatives:\n",
    "Alternatives:\n\n",
    "- a\n",
    "Score: 5\n",
    "score ",
    "Score:\n",
    "Verdict: yes\n",
    "Reason: x\n",
    "Choice: A\n",
    "Answer: right\nInstead: none\nMentioned:\n- a\n",
    "- a | clarity: 80 | accuracy: 90\n",
    "clarity: ",
    "```",
    "{",
    "[",
    "\n",
    '"',
]
# Before a long run of one character.
STARTS = ["score", "verdict", "Alternatives", "```", "- ", "Score: ", "Verdict: yes", "reason"]
READERS: list[Callable[[str], Any]] = [
    read_score,
    read_verdict,
    lambda text: read_list(text, "Alternatives"),
    lambda text: read_ratings(text, ["a"], ["clarity", "accuracy"]),
    choice_task("?", [("A", "a"), ("B", "b")], "", lambda place: place).parse,
    explanation_task("?", ["c"], ["a", "b"], "", lambda *parts: parts).parse,
]


@pytest.mark.parametrize("reader", READERS)
def test_a_pattern_again_and_again(reader: Callable[[str], Any]) -> None:
    texts = [(pattern * LENGTH)[:LENGTH] for pattern in PATTERNS]
    texts += [start + run * LENGTH for start in STARTS for run in (" ", "a", "*", "(", "\U0001f600")]
    for text in texts:
        try:
            reader(text)
        except Unreadable:
            continue


def test_a_list_with_a_remark_between_its_entries_is_whole() -> None:
    # The label in the remark announces nothing.
    text = "Alternatives:\n- Paris\n    Alternatives: many\n- Rome\n\nThat is all."
    assert read_list(text, "Alternatives") == ("Paris", "Rome")
