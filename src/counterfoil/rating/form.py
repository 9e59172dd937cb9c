"""Which values answer a question of a form.

A form is copied into every study, with its version, the hash of its words: a study goes on with the form it began with.
"""

from __future__ import annotations

import math

from counterfoil.errors import UserError
from counterfoil.suite.form import Form, FormQuestion, Task
from counterfoil.suite.opinions import Item, Value, items, plain_number

LONGEST_TEXT = 5_000
HIGHEST_SCORE = 100


def checked_item(form: Form, task: Task, key: str) -> Item:
    """The item of that key, if the task has it."""
    for item in items(form, task):
        if item.key == key:
            return item
    raise UserError(f"Reply {task.id} of the study has no question {key!r}.")


def checked_value(question: FormQuestion, value: object) -> Value:
    """The value as it is stored, if it answers the question; numbers may come as text."""
    if question.kind == "yes_no":
        if isinstance(value, bool):
            return value
        raise UserError(f"{question.name}: the answer is yes or no (true or false), not {value!r}.")
    if question.kind == "score":
        return _checked_score(question, value)
    if not isinstance(value, str):
        raise UserError(f"{question.name}: the answer is a text, not {value!r}.")
    text = value.strip()
    if question.kind == "choice" and text not in question.choices:
        raise UserError(f"{question.name}: the answer is one of {', '.join(question.choices)}, not {text[:50]!r}.")
    if question.kind == "number" and text:
        plain_number(text, question.name)
    if len(text) > LONGEST_TEXT or "\0" in text:
        raise UserError(f"{question.name}: the answer is a text of at most {LONGEST_TEXT:,} characters.")
    return text.encode("utf-8", "replace").decode("utf-8")


def _checked_score(question: FormQuestion, value: object) -> float:
    try:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise ValueError
        number = float(value)
        if not math.isfinite(number) or not 0 <= number <= HIGHEST_SCORE:
            raise ValueError
    except (ValueError, OverflowError) as error:
        raise UserError(
            f"{question.name}: the score is a number from 0 to {HIGHEST_SCORE}, not {str(value)[:50]!r}."
        ) from error
    return number
