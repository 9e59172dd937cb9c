"""What people are asked about replies, as data: the questions of a form, and a reply as a rater sees it."""

from __future__ import annotations

import hashlib
from typing import Any, Literal

import msgspec

from counterfoil.errors import UserError

Kind = Literal["yes_no", "score", "choice", "number", "text"]
# The answer where a reply has none.
NONE = "none"


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


class Form(msgspec.Struct, frozen=True, omit_defaults=True):
    """All questions of a suite, in the order in which they are asked.

    `shows_right`: raters see the right answer. Where they only say what a reply says, it would lead them.
    """

    suite: str
    questions: tuple[FormQuestion, ...]
    shows_right: bool = True

    @property
    def version(self) -> str:
        """Twelve digits of the hash of every word of it."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()[:12]

    def question(self, name: str) -> FormQuestion:
        for question in self.questions:
            if question.name == name:
                return question
        there = ", ".join(question.name for question in self.questions)
        raise UserError(f"The form has no question {name!r}: it has {there}.")


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One reply as a rater sees it: nothing tells of the model, its prompt, a judge or a score.

    `options` are the choices as they were shown, A first; empty where there were none. `alternatives` are those that
    the reply names, `suggestions` all candidates, by the alphabet; `language` is the code of the question's, where the
    records have it.
    """

    id: int = 0
    context: str = ""
    question: str
    options: tuple[str, ...] = ()
    right: str
    reply: str
    alternatives: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    language: str = ""


def choice_form(suite: str, letters: str, text: str = "Which choice does the reply take?") -> Form:
    """One question: which of the lettered choices the reply takes, or none."""
    question = FormQuestion(name="answer", text=text, kind="choice", choices=(*letters, NONE))
    return Form(suite, (question,), shows_right=False)


class TaskContent(msgspec.Struct, frozen=True, kw_only=True):
    """What a suite makes of one reply: what raters see, and what they must not see.

    `algorithm`: what was read and scored without a model. `judges`: what each judge said of the reply. In both, None
    is what is not known.
    """

    task: Task
    algorithm: dict[str, Any] = {}
    judges: dict[str, dict[str, float | None]] = {}
