"""The second reader: what it is asked, blind, and what its strict answers mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from counterfoil.judging.second_reader import (
    PROMPTS,
    ReadingTask,
    choice_task,
    described_prompts,
    explanation_task,
    number_task,
)
from counterfoil.judging.text import Unreadable

CHOICES = [("A", "The nurse"), ("B", "The cook"), ("C", "Can't be known")]
CANDIDATES = ("Sydney", "Melbourne", "New South Wales")


def place_of(text: str) -> int | str:
    """The place of the choice; none where it says that there is none."""
    task = choice_task("Who?", CHOICES, "It was the cook.", lambda place: "none" if place is None else str(place))
    said = task.parse(text)
    assert said is not None
    return said


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Choice: B", "1"),
        ("choice: b", "1"),
        ("**Choice:** (B)", "1"),
        ("Choice: B: The cook", "1"),
        ("The reply names the cook.\nChoice: B", "1"),
        ("```\nChoice: C\n```", "2"),
        ("B", "1"),
        ("Choice: none", "none"),
        ("None.", "none"),
        ("Choice: B\nChoice: B", "1"),
    ],
)
def test_a_choice_is_a_label_or_none(text: str, place: str) -> None:
    assert place_of(text) == place


@pytest.mark.parametrize(
    "text",
    ["", "The cook", "Choice:", "Choice: D", "Choice: A or B", "Choice: A\nChoice: B", "It is B, I think.", "AB"],
)
def test_whatever_else_is_not_guessed_at(text: str) -> None:
    with pytest.raises(Unreadable):
        place_of(text)


def test_a_number_is_read_by_whoever_knows_its_unit() -> None:
    task = number_task("How much?", "About 12.5 %.", lambda said: None if said == "much" else said or "nothing")
    assert task.parse("Number: 12.5 %") == "12.5 %"
    assert task.parse("Number: none") == "nothing"
    for text in ("12.5", "Number: much", "Number: 1\nNumber: 2"):
        with pytest.raises(Unreadable):
            task.parse(text)


def said_of(text: str) -> Any:
    task = explanation_task("Which?", ["Canberra"], CANDIDATES, "reply", lambda *parts: parts)
    return task.parse(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Answer: right\nInstead: none\nMentioned:\n- Sydney\n- Melbourne", (True, ("Sydney", "Melbourne"), None)),
        ("Answer: wrong\nInstead: Sydney\nMentioned:\n- sydney", (False, ("Sydney",), "Sydney")),
        ("Answer: none\nInstead: none\nMentioned: none", (False, (), None)),
        # In the order of the candidates, each once.
        ("Answer: right\nInstead: none\nMentioned:\n- Melbourne\n- Sydney\n- Sydney", (True, CANDIDATES[:2], None)),
    ],
)
def test_an_explanation_has_an_answer_and_mentions(text: str, said: Any) -> None:
    assert said_of(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "Answer: right",
        "Answer: right\nInstead: none",
        "Answer: perhaps\nInstead: none\nMentioned: none",
        "Answer: right\nInstead: none\nMentioned:\n- Perth",
        "Answer: wrong\nInstead: Perth\nMentioned: none",
    ],
)
def test_an_explanation_without_all_its_parts_can_not_be_used(text: str) -> None:
    with pytest.raises(Unreadable):
        said_of(text)


@pytest.mark.parametrize(
    "task",
    [
        lambda reply: choice_task("Who?", CHOICES, reply, lambda place: place),
        lambda reply: number_task("How much?", reply, lambda said: said),
        lambda reply: explanation_task("Which?", ["Canberra"], CANDIDATES, reply, lambda *parts: parts),
    ],
)
def test_a_task_holds_question_and_reply(task: Callable[[str], ReadingTask[Any]]) -> None:
    content = task("the very reply").content
    assert content.startswith("Question: ")
    assert content.endswith("<reply>\nthe very reply\n</reply>")
    assert task("x").step.prompt == PROMPTS[task("x").kind]


def test_prompts_are_known_by_version_and_hash() -> None:
    described = described_prompts()
    assert [prompt["name"] for prompt in described] == ["choice", "number", "explanation"]
    assert {prompt["version"] for prompt in described} == {1}
    # A change of a prompt's words must be a change of its version.
    assert [str(prompt["sha256"])[:12] for prompt in described] == ["25013857f78a", "070a20f07dd2", "cf5a229ccdab"]
