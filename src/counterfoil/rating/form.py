"""What is rated of a task, item by item, and which values answer a question of a form.

A form is copied into every study, with its version, the hash of its words: a study goes on with the form it began with.
"""

from __future__ import annotations

import math
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from counterfoil.errors import UserError
from counterfoil.suite.form import Form, FormQuestion, Task

# True or false; 0 to 100; one of the choices; a number as written, empty for none; any text, empty for nothing.
Value = bool | float | str

LONGEST_TEXT = 5_000
HIGHEST_SCORE = 100


class Item(NamedTuple):
    """One thing to be rated of a task: a question of the form, and the number of the alternative it is about."""

    question: str
    alternative: int | None = None

    @property
    def key(self) -> str:
        """`correct`, or `clear.0` for the first alternative."""
        return self.question if self.alternative is None else f"{self.question}.{self.alternative}"


def items(form: Form, task: Task) -> list[Item]:
    """What is to be rated of a task, in order; all that is asked of an alternative stands together."""
    found: list[Item] = []
    per_alternative: list[FormQuestion] = []
    for question in form.questions:
        if question.per == "alternative":
            per_alternative.append(question)
            continue
        found += _of_alternatives(per_alternative, task)
        per_alternative = []
        if question.when == "always" or (question.when == "options") == bool(task.options):
            found.append(Item(question.name))
    return [*found, *_of_alternatives(per_alternative, task)]


def _of_alternatives(questions: list[FormQuestion], task: Task) -> list[Item]:
    return [Item(question.name, place) for place in range(len(task.alternatives)) for question in questions]


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


def plain_number(text: str, what: str) -> Decimal:
    """A number as people write it: separators of thousands, a currency and a percent sign do not matter."""
    try:
        number = Decimal(text.strip().lstrip("$€£¥₩ ").rstrip("% ").replace(",", "").replace("−", "-"))
    except InvalidOperation as error:
        raise UserError(f"{what}: {text[:50]!r} is no number; leave it empty where there is none.") from error
    if not number.is_finite():
        raise UserError(f"{what}: {text[:50]!r} is no number; leave it empty where there is none.")
    return number


def names_in(text: str) -> list[str]:
    """The names in a free text: one on each line, or parted by semicolons; each once."""
    parts = (part.strip() for line in text.splitlines() for part in line.split(";"))
    return list({part.casefold(): part for part in parts if part}.values())
