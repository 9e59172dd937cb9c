"""What people are asked about replies of `explain`, and a reply as they see it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from counterfoil.suite.form import Anchor, Form, FormQuestion, Task, TaskContent

if TYPE_CHECKING:
    from counterfoil.explain.questions import Question

JUDGE_MEASURES = ("confusion", "precision", "recall", "f1", "quality", "restraint", "correct")
ALGORITHM = ("correct", "confusing", "confusing_by_index", "score_threshold", "score_confusion_index")

# The five bands of the CFE study's scale of confusion, in its words.
CONFUSION = (
    Anchor(0, 15, "Straightforward; people rarely mix it up."),
    Anchor(16, 40, "Mostly clear; a couple of mild slips possible."),
    Anchor(41, 65, "Often causes hesitation with reasonable alternatives."),
    Anchor(66, 85, "Frequently makes people go back and forth between several plausible options."),
    Anchor(86, 100, "Extremely likely to cause uncertainty with many convincing alternatives."),
)

FORM = Form(
    "explain",
    (
        FormQuestion(name="correct", text="Is the answer that the reply gives right?", kind="yes_no"),
        FormQuestion(
            name="confusion",
            text="How likely would a person who knows something about the subject mix this up with another answer?",
            kind="score",
            anchors=CONFUSION,
        ),
        FormQuestion(
            name="plausible",
            text="Could somebody who knows the subject take this for the answer?",
            kind="yes_no",
            per="alternative",
        ),
        FormQuestion(name="clear", text="How clear is what is said about it?", kind="score", per="alternative"),
        FormQuestion(name="accurate", text="How accurate is what is said about it?", kind="score", per="alternative"),
        FormQuestion(
            name="convincing",
            text="How convincing is the reason why it is not the answer?",
            kind="score",
            per="alternative",
        ),
        FormQuestion(
            name="missing",
            text="Which important alternatives does the reply not clear up? One on each line; empty if none.",
            kind="text",
            suggest=True,
        ),
        FormQuestion(
            name="unneeded", text="Does the reply clear up something that needed no clarification?", kind="yes_no"
        ),
    ),
)


def task_content(question: Question, record: Mapping[str, Any]) -> TaskContent:
    """A reply with the alternatives that were found in it."""
    task = Task(
        question=question.text,
        right=question.gold,
        reply=record["reply"],
        alternatives=tuple(record["mentioned"] or ()),
        suggestions=tuple(sorted(question.candidates, key=str.casefold)),
    )
    judges = {
        judge: {name: values[place] if (values := record.get(f"judge_{name}")) else None for name in JUDGE_MEASURES}
        for place, judge in enumerate(record.get("judges") or ())
    }
    return TaskContent(task=task, algorithm={name: record.get(name) for name in ALGORITHM}, judges=judges)
