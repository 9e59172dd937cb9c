"""Multiple choice, ready-made: questions from a file, orders of the choices, a reader, metrics, a simulated respondent.

A suite that asks for one of several choices inherits from `MultipleChoice` and names its questions. docs/suites.md has
one.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from counterfoil.asking.ask import Message, Reply
from counterfoil.asking.models.planted import Respondent, parse_settings
from counterfoil.errors import UserError
from counterfoil.judging.second_reader import ReadingTask, choice_task
from counterfoil.reading.choices import choice_of
from counterfoil.stats.metric import Items, Metric
from counterfoil.suite.form import NONE, Form, Task, TaskContent, choice_form
from counterfoil.suite.habits import Habit, Placebo, letter_habits
from counterfoil.suite.options import Option
from counterfoil.suite.outcome import OUT_OF_CHOICE, Reading
from counterfoil.suite.planting import Cell, Planting
from counterfoil.suite.suite import ListedQuestions, Question, Record, Row, Suite, Training, Variant
from counterfoil.tables import decoded_row, lines_of, parsed

if TYPE_CHECKING:
    import polars as pl

    from counterfoil.running.folder import Run

# Items beside the records: questions that were read in all their orders.
ALL_ORDERS = "all orders"

ACCURACY = Metric(
    name="accuracy",
    formula="Right answers ÷ replies. What could not be read is wrong.",
    says="How often the model takes the right choice.",
    better="higher",
    headline=True,
    mean="correct",
)
ORDER_BIAS = Metric(
    name="order_bias",
    formula="Questions whose chosen content is not the same in all orders of the choices ÷ questions read in all "
    "orders.",
    says="How often the answer changes with the order of the choices.",
    better="lower",
    mean="differs",
    of=ALL_ORDERS,
)
ORDERS = Option(
    "orders", "ask each question in N orders of its choices, each choice first in turn", kind=int, least=1, default=1
)


# Letters that a model may give whatever is asked; few questions have more choices.
FIRST_LETTERS = ascii_uppercase[:6]
ALWAYS_A = Placebo(
    name="always-A",
    what="answers A, whatever is asked",
    answer=lambda question, messages, luck: "A",
    says=("answers A in ", "this is a constant letter"),
)


def constant_letters(but: str) -> tuple[Habit, ...]:
    """The habits of giving always the same letter; `but` says what that is not."""
    return letter_habits(FIRST_LETTERS, (ACCURACY.name, 0.5), "whatever is asked", but)


class ChoiceQuestion(msgspec.Struct, Question, frozen=True, kw_only=True):
    """A question with its choices, in one of the orders in which they are shown. `right` is the right one's place."""

    # The dataset's own id. The asked question's `id` tells the order, too.
    name: str
    text: str
    choices: tuple[str, ...]
    right: int
    # What questions that are not independent have in common.
    topic: str = ""
    order: int = 0

    @property
    def id(self) -> str:
        return f"{self.name}-{self.order}"

    @property
    def unit(self) -> str:
        return self.name

    @property
    def cluster(self) -> str:
        return self.topic or self.name

    @property
    def columns(self) -> Mapping[str, Any]:
        return {"question_id": self.name, "order": self.order}

    @property
    def shown(self) -> tuple[str, ...]:
        """The choices as they are shown: each order begins with the next choice."""
        return self.choices[self.order :] + self.choices[: self.order]

    def content(self, place: int) -> int:
        """Which of the choices stands in this place."""
        return (place + self.order) % len(self.choices)

    def letter(self, content: int) -> str:
        """The letter that stands before this choice."""
        return ascii_uppercase[(content - self.order) % len(self.choices)]


C = TypeVar("C", bound=ChoiceQuestion)


class Choice(Reading, frozen=True):
    """The choice that a reply takes, by its place in the dataset's own list."""

    content: int


class ChoiceSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The chances of the simulated respondent."""

    right: float = 0.7
    unread: float = 0.0


# Few and many clusters. A respondent is compared with its equal, and with a better one.
CELLS = (
    Cell(name="middling", clusters=12, settings={"right": 0.6, "unread": 0.1}, compared=True),
    Cell(name="middling", clusters=40, settings={"right": 0.6, "unread": 0.1}, compared=True, other={"right": 0.8}),
    Cell(name="good", clusters=100, settings={"right": 0.95, "unread": 0.0}),
)


class MultipleChoice(Suite[ChoiceQuestion, Choice, None, None]):
    """Asks for a letter. A suite of this kind has a `name`, `questions` (a JSONL file or the questions themselves) and
    `prompts`.

    A line of the file has `id`, `question`, `choices`, `answer` (the right choice's text), and may have `topic`.
    """

    questions: Path | Sequence[ChoiceQuestion]
    prompts: Mapping[str, str] = {"plain": "Answer with the letter of the right choice, and nothing else."}
    options: Sequence[Option] = (ORDERS,)
    identity = ("question_id", "order")
    alike = ("content", "correct")
    asked_in = "orders"
    columns: Mapping[str, Any] = {"order": int, "choice": str, "content": int, "correct": bool}
    metrics: Sequence[Metric] = (ACCURACY, OUT_OF_CHOICE, ORDER_BIAS)
    # The settings of the simulated respondent, and what its self-test plants.
    chances: type[msgspec.Struct] = ChoiceSettings
    cells: Sequence[Cell] = CELLS
    # Always the same letter, which is no answer. Who reads is right more often than not.
    habits: Sequence[Habit] = constant_letters("not an answer to what was asked")
    placebos: Sequence[Placebo] = (ALWAYS_A,)

    @property
    def form(self) -> Form:
        """People are asked which choice a reply takes."""
        return choice_form(self.name, ascii_uppercase[: max(len(question.choices) for question in self.load(None))])

    def load(self, data: str | None) -> ListedQuestions[ChoiceQuestion]:
        source = Path(data) if data is not None else self.questions
        if isinstance(source, Path):
            name, questions, content = source.name, read_questions(source), source.read_bytes()
        else:
            name, questions = self.name, list(source)
            content = msgspec.json.encode(questions)
        most = self.settings.get("orders", 1)
        asked = [
            msgspec.structs.replace(question, order=order)
            for question in questions
            for order in range(min(most, len(question.choices)))
        ]
        return ListedQuestions(name, hashlib.sha256(content).hexdigest(), asked)

    def params(self, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"max_tokens": 64}

    def messages(self, question: ChoiceQuestion, variant: Variant) -> list[Message]:
        choices = "\n".join(f"{letter}: {choice}" for letter, choice in lettered(question))
        return [Message("user", f"{variant.prompt}\n\n{question.text}\n{choices}")]

    def read(self, question: ChoiceQuestion, variant: Variant, reply: Reply) -> Choice | None:
        letters = tuple(ascii_uppercase[: len(question.shown)])
        read = choice_of(reply.text, question.shown, letters, None, by_name=False)
        return None if read is None else Choice(question.content(read.said), read_by=read.by)

    def reading_task(self, question: ChoiceQuestion, variant: Variant, reply: Reply) -> ReadingTask[Any]:
        """The letter that the second reader names is read as a reply would be, and so is its silence."""

        def made(place: int | None) -> Any | None:
            letter = "" if place is None else ascii_uppercase[place]
            return self.read(question, variant, msgspec.structs.replace(reply, text=letter))

        return choice_task(question.text, lettered(question), reply.text, made)

    def score(self, question: ChoiceQuestion, facts: None, reading: Choice | None, verdicts: None) -> Row:
        if reading is None:
            return {"correct": False}
        return {
            "choice": question.letter(reading.content),
            "content": reading.content,
            "correct": reading.content == question.right,
        }

    def items(self, records: pl.DataFrame) -> Items:
        import polars as pl

        questions = self.question_items(records).with_columns(unread=pl.col("choice").is_null())
        read = pl.col("content").drop_nulls()
        in_all = pl.col("content").count() == pl.len()
        orders = (
            questions.filter(pl.len().over("model", "variant", "question_id", "repeat") > 1)
            .group_by(["model", "variant", "cluster", "question_id", "repeat"], maintain_order=True)
            .agg(left_out=pl.col("left_out").any(), differs=pl.when(in_all).then(read.n_unique() > 1))
            .with_columns(item=pl.format("{} {}", "question_id", "repeat"))
        )
        return {"question": questions, **({ALL_ORDERS: orders} if orders.height else {})}

    def shown(self, question: ChoiceQuestion) -> Mapping[str, str]:
        right = question.choices[question.right]
        return {"question": question.text, **dict(lettered(question)), "right answer": right}

    def task(self, run: Run, question: ChoiceQuestion, record: Record) -> TaskContent:
        right = f"{question.letter(question.right)}: {question.choices[question.right]}"
        task = Task(question=question.text, options=question.shown, right=right, reply=record["reply"])
        return TaskContent(task=task, algorithm={"reading": record["choice"] or NONE})

    def heard(self, question: ChoiceQuestion, record: Record, said: Mapping[str, Any]) -> tuple[Choice | None, None]:
        letter = said["answer"]
        return (None if letter == NONE else Choice(question.content(ascii_uppercase.index(letter)))), None

    def training(self, run: Run) -> Training | None:
        """A right reply is good, a wrong one bad. Of a conversation, the last reply alone teaches nothing."""
        if self.has_turns:
            return None
        return Training(scores=("correct",), score=lambda record, name: record[name], encode=encode_questions)

    def planted(self, settings: Mapping[str, str], questions: Iterable[ChoiceQuestion] | None) -> Respondent:
        """`planted/NAME?right=0.7&unread=0`, or whatever `chances` says. It knows questions by their first message."""
        chances = parse_settings(self.name, settings, self.chances)
        asked = list(questions or self.load(None))
        known = {
            self.messages(question, variant)[0].content: question
            for variant in self.variants(tuple(self.prompts), None)
            for question in asked
        }

        def respond(messages: Sequence[Message], sample: int) -> str:
            question = known.get(messages[0].content)
            if question is None:
                raise UserError(f"planted/{self.name} does not know this question: {messages[0].content[:60]!r}.")
            return self.respond(question, messages, chances, random.Random(f"{settings} {sample} {messages}"))  # noqa: S311

        return respond

    def respond(self, question: ChoiceQuestion, messages: Sequence[Message], chances: Any, luck: random.Random) -> str:
        """What the simulated respondent says: right with chance `right`, and with chance `unread` nothing readable."""
        if luck.random() < chances.unread:
            return "…"
        if luck.random() < chances.right:
            return question.letter(question.right)
        wrong = [place for place in range(len(question.choices)) if place != question.right]
        return question.letter(luck.choice(wrong))

    def truth(self, settings: Mapping[str, float]) -> Mapping[Metric, float]:
        """The value of each metric for a respondent with these chances."""
        return {ACCURACY: settings["right"] * (1 - settings["unread"]), OUT_OF_CHOICE: settings["unread"]}

    def planting(self) -> Planting:
        return ChoicePlanting(self)


class ChoicePlanting(Planting):
    """The cells and the truth that the suite declares."""

    def __init__(self, suite: MultipleChoice) -> None:
        super().__init__(suite)
        self.cells = suite.cells
        self._truth = suite.truth

    def truth(
        self, clusters: Sequence[Sequence[Any]], facts: None, cell: Cell, settings: Mapping[str, float]
    ) -> dict[tuple[str, str], float]:
        return {(metric.name, ""): value for metric, value in self._truth(settings).items()}


def lettered(question: ChoiceQuestion) -> list[tuple[str, str]]:
    """The choices as they are shown, each with its letter."""
    return list(zip(ascii_uppercase, question.shown, strict=False))


class _Line(msgspec.Struct):
    id: str
    question: str
    choices: tuple[str, ...]
    answer: str
    topic: str = ""


def read_questions(path: Path) -> list[ChoiceQuestion]:
    """The questions of a JSONL file."""
    ids: set[str] = set()

    def parse(raw: bytes) -> ChoiceQuestion:
        line = decoded_row(raw, _Line)
        if line.answer not in line.choices:
            raise ValueError(f"the answer {line.answer!r} is none of the choices")
        if line.id in ids or len(set(line.choices)) < len(line.choices):
            raise ValueError(f"the id {line.id} or one of the choices is there twice")
        ids.add(line.id)
        return ChoiceQuestion(
            name=line.id,
            text=line.question,
            choices=line.choices,
            right=line.choices.index(line.answer),
            topic=line.topic,
        )

    return parsed(lines_of(path), str(path), parse)


def encode_questions(questions: Iterable[ChoiceQuestion]) -> bytes:
    """The questions as JSONL that `--data` reads; each once, whatever the orders."""
    lines = {
        question.name: _Line(
            question.name, question.text, question.choices, question.choices[question.right], question.topic
        )
        for question in questions
    }
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines.values())
