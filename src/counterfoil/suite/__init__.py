"""What a suite is made of: the contract, and the parts that a suite of one's own needs. docs/suites.md shows how."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterfoil.lazy import exports

__all__ = [
    "Cell",
    "Context",
    "Dataset",
    "Form",
    "FormQuestion",
    "Habit",
    "ListedQuestions",
    "Message",
    "Metric",
    "Option",
    "Placebo",
    "Planting",
    "Question",
    "Reading",
    "ReadingTask",
    "Record",
    "Reply",
    "Respondent",
    "Row",
    "Suite",
    "Task",
    "TaskContent",
    "Training",
    "UserError",
    "Variant",
    "choice_form",
    "choice_task",
    "number_task",
    "parse_settings",
]

if TYPE_CHECKING:
    from counterfoil.asking.ask import Message, Reply
    from counterfoil.asking.models.planted import Respondent, parse_settings
    from counterfoil.errors import UserError
    from counterfoil.judging.second_reader import ReadingTask, choice_task, number_task
    from counterfoil.stats.metric import Metric
    from counterfoil.suite.form import Form, FormQuestion, Task, TaskContent, choice_form
    from counterfoil.suite.habits import Habit, Placebo
    from counterfoil.suite.options import Option
    from counterfoil.suite.outcome import Reading
    from counterfoil.suite.planting import Cell, Planting
    from counterfoil.suite.suite import (
        Context,
        Dataset,
        ListedQuestions,
        Question,
        Record,
        Row,
        Suite,
        Training,
        Variant,
    )

# Loaded when they are used: whoever needs one part does not wait for the others.
__getattr__ = exports(
    __name__,
    {
        **dict.fromkeys(("Message", "Reply"), "counterfoil.asking.ask"),
        **dict.fromkeys(("Respondent", "parse_settings"), "counterfoil.asking.models.planted"),
        "UserError": "counterfoil.errors",
        **dict.fromkeys(("ReadingTask", "choice_task", "number_task"), "counterfoil.judging.second_reader"),
        "Metric": "counterfoil.stats.metric",
        **dict.fromkeys(("Form", "FormQuestion", "Task", "TaskContent", "choice_form"), "counterfoil.suite.form"),
        **dict.fromkeys(("Habit", "Placebo"), "counterfoil.suite.habits"),
        "Option": "counterfoil.suite.options",
        "Reading": "counterfoil.suite.outcome",
        **dict.fromkeys(("Cell", "Planting"), "counterfoil.suite.planting"),
        **dict.fromkeys(
            ("Context", "Dataset", "ListedQuestions", "Question", "Record", "Row", "Suite", "Training", "Variant"),
            "counterfoil.suite.suite",
        ),
    },
)
