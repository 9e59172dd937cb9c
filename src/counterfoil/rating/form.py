"""What raters are asked, as data: the questions of each suite's form, and which values answer them.

A form is copied into every study, with its version, the hash of its words: a study goes on with the form it began with.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Literal, NamedTuple

import msgspec

from counterfoil.errors import UserError

Kind = Literal["yes_no", "score", "choice", "number", "text"]
# True or false; 0 to 100; one of the choices; a number as written, empty for none; any text, empty for nothing.
Value = bool | float | str

NONE = "none"
LONGEST_TEXT = 5_000
HIGHEST_SCORE = 100


class Anchor(msgspec.Struct, frozen=True):
    """What the scores from `low` to `high` mean."""

    low: int
    high: int
    words: str


class FormQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """One question of a form.

    `per` says whether it is asked once for the reply, or for each alternative that the reply names. `when` limits it to
    tasks that show options, or to those that show none. `suggest`: the task's candidates are offered as answers.
    """

    name: str
    text: str
    kind: Kind
    per: Literal["reply", "alternative"] = "reply"
    when: Literal["always", "options", "no_options"] = "always"
    choices: tuple[str, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    suggest: bool = False


class Form(msgspec.Struct, frozen=True):
    """All questions of a suite, in the order in which they are asked."""

    suite: str
    questions: tuple[FormQuestion, ...]

    @property
    def version(self) -> str:
        """Twelve digits of the hash of every word of it."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()[:12]

    def question(self, name: str) -> FormQuestion:
        for question in self.questions:
            if question.name == name:
                return question
        raise UserError(f"The form has no question {name!r}: it has {', '.join(it.name for it in self.questions)}.")


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One reply as a rater sees it: nothing tells of the model, its prompt, a judge or a score.

    `options` are the choices as they were shown, A first; empty where there were none. `alternatives` are those that
    the reply names, `suggestions` all candidates, by the alphabet.
    """

    id: int
    context: str = ""
    question: str
    options: tuple[str, ...] = ()
    right: str
    reply: str
    alternatives: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()


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


# The five bands of the CFE project's scale of confusion, in its words.
CONFUSION = (
    Anchor(0, 15, "Straightforward; people rarely mix it up."),
    Anchor(16, 40, "Mostly clear; a couple of mild slips possible."),
    Anchor(41, 65, "Often causes hesitation with reasonable alternatives."),
    Anchor(66, 85, "Frequently makes people go back and forth between several plausible options."),
    Anchor(86, 100, "Extremely likely to cause uncertainty with many convincing alternatives."),
)
ASPECTS = ("clear", "accurate", "convincing")
LETTERS = ("A", "B", "C", NONE)

EXPLAIN = Form(
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
BIAS = Form(
    "bias",
    (FormQuestion(name="answer", text="Which choice does the reply take?", kind="choice", choices=LETTERS),),
)
MEMORIZATION = Form(
    "memorization",
    (
        FormQuestion(
            name="answer",
            text="Which option does the reply give as its answer?",
            kind="choice",
            when="options",
            choices=LETTERS,
        ),
        FormQuestion(
            name="number",
            text="Which number does the reply give as its answer, in the unit of the right answer? Empty if none.",
            kind="number",
            when="no_options",
        ),
    ),
)
FORMS: Mapping[str, Form] = {form.suite: form for form in (EXPLAIN, BIAS, MEMORIZATION)}


def form_of(suite: str) -> Form:
    """The form of a suite's replies."""
    if suite not in FORMS:
        raise UserError(f"There is no form for replies of {suite}: people can rate runs of {', '.join(FORMS)}.")
    return FORMS[suite]
