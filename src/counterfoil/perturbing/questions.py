"""Questions with three options: an original, or one that was made from it by changing what it says.

A frozen set of them is written once, before any model sees them, and known by its hash.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from counterfoil.errors import UserError
from counterfoil.files import read_bytes, replacing
from counterfoil.inputs import first_of
from counterfoil.suite.suite import ListedQuestions
from counterfoil.suite.suite import Question as SuiteQuestion
from counterfoil.tables import in_words, numbered

T = TypeVar("T")
Order = tuple[int, int, int]
Letter = Literal["A", "B", "C"]
LETTERS: tuple[Letter, Letter, Letter] = ("A", "B", "C")

Control = Literal["again", "reshuffled", "reoptioned", "renamed", "stand_in", "lure", "noise", "noise_changed"]
# More than the draws of any control.
_MOST_DRAWS = 1_000
Status = Literal["verified", "refuted", "unverified"]
Source = Literal["bank", "recipe", "file", "proposed", "direct", "published"]


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What was changed in the original, from what to what, as printed."""

    name: str
    before: str = msgspec.field(name="from")
    after: str = msgspec.field(name="to")


class Computed(msgspec.Struct, frozen=True, kw_only=True):
    """The answer before rounding: in decimal arithmetic, in floating point, and by the checking expression.

    At level 3 these are the unknown as it was drawn, the unknown as it was solved for, and the given answer by the
    checking expression.
    """

    decimal: str
    float: str
    check: str


class Question(msgspec.Struct, SuiteQuestion, frozen=True, kw_only=True):
    """A question with three options, one of them right; a line of a frozen set."""

    id: str
    # The id of the original; None for the original itself.
    parent: str | None
    template: str
    topic: str
    # 0 for originals and for all controls, the lure arm among them.
    level: int
    draw: int
    control: Control | None
    text: str
    options: tuple[str, str, str]
    gold: Letter
    # The gold as printed, with its unit.
    value: str
    # Digits behind the point that are asked for; with `percent`, behind the point of the percentage.
    digits: int
    percent: bool
    # Where the original's gold is among the options; at levels 1 to 3 it never is.
    old: Letter | None
    # The gold of another draw, in the lure arm.
    sham: Letter | None
    changes: tuple[Change, ...]
    steps: str
    expression: str
    computed: Computed | None
    status: Status
    source: Source
    # A template that this one is nearly the same as.
    like: str | msgspec.UnsetType = msgspec.UNSET
    # The id that its original has in the dataset it comes from, where that is known.
    source_id: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def cluster(self) -> str:
        """Questions made from one template are not independent of each other, nor are those of templates alike."""
        return self.template if isinstance(self.like, msgspec.UnsetType) else self.like

    @property
    def unit(self) -> str:
        """The original: a sample holds all that was made from it, or nothing."""
        return self.parent or self.id

    @property
    def asked_before(self) -> int:
        """The control `again` has the words of the original; draws of `renamed` may have the same names, and those of
        `reoptioned` the words of the original, or of it reshuffled.
        """
        if self.control == "again":
            return self.draw + 1
        if self.control == "reoptioned":
            return self.draw + _MOST_DRAWS
        return self.draw if self.control == "renamed" else 0

    @property
    def columns(self) -> dict[str, Any]:
        return {
            "parent": self.unit,
            "level": self.level,
            "draw": self.draw,
            "control": self.control,
            "topic": self.topic,
            "status": self.status,
        }

    @property
    def stratum(self) -> str:
        """A sample holds as much of each topic as its dataset does."""
        return self.topic


def with_source_id(questions: Iterable[Question], source_id: str | None) -> list[Question]:
    """The questions of an original, with the id that it has in its dataset."""
    known = msgspec.UNSET if source_id is None else source_id
    return [msgspec.structs.replace(question, source_id=known) for question in questions]


def require(holds: bool, reason: str) -> None:
    """ValueError with the reason if it does not hold."""
    if not holds:
        raise ValueError(reason)


def three(parts: Iterable[T]) -> tuple[T, T, T]:
    """The parts as a tuple whose type says that they are three."""
    one, two, three = parts
    return one, two, three


def value_of(option: str) -> str:
    """An option without the full stop at its end."""
    return option.strip().removesuffix(".")


def variant_of(original: Question, options: tuple[str, str, str], order: Order, **fields: Any) -> Question:
    """The original with other fields and other options, whose first is the gold; `order` says where each stands."""
    return msgspec.structs.replace(
        original,
        parent=original.id,
        options=three(options[content] for content in order),
        gold=LETTERS[order.index(0)],
        value=value_of(options[0]),
        old=None,
        **fields,
    )


class PerturbedSet(ListedQuestions[Question]):
    """A frozen set in memory."""


def encode_set(questions: Iterable[Question]) -> bytes:
    """One line of JSON for each question; the same questions give the same bytes."""
    return b"".join(msgspec.json.encode(question) + b"\n" for question in questions)


def write_set(path: Path, questions: Iterable[Question]) -> str:
    """Write the set, checked as it will be when it is read. Returns its SHA-256."""
    content = encode_set(questions)
    parse_set(content, str(path))
    with replacing(path) as temporary:
        temporary.write_bytes(content)
    return hashlib.sha256(content).hexdigest()


def read_set(path: Path) -> PerturbedSet:
    """A set that was written. UserError names the lines that can't be right."""
    content = read_bytes(path)
    return PerturbedSet(path.name, hashlib.sha256(content).hexdigest(), parse_set(content, str(path)))


def parse_set(content: bytes, where: str) -> list[Question]:
    """The questions of a set's content, each with its original among them."""
    questions: dict[str, Question] = {}
    wrong: list[str] = []
    decoder = msgspec.json.Decoder(Question)
    for place, line in numbered(content.split(b"\n")):
        try:
            question = decoder.decode(line)
            _check(question)
            require(question.id not in questions, f"its id {question.id} was there before")
            questions[question.id] = question
        except (msgspec.MsgspecError, UnicodeDecodeError, ValueError, RecursionError) as error:
            wrong.append(f"{place}: {in_words(error)}")
    for question in questions.values():
        parent = questions.get(question.parent) if question.parent is not None else None
        if question.parent is not None and (parent is None or parent.parent is not None):
            wrong.append(f"{question.id}: its original {question.parent} is not there")
        elif parent is not None and parent.template != question.template:
            wrong.append(f"{question.id}: its original {question.parent} is of another template")
    if wrong:
        raise UserError(f"{where} is no set of perturbed questions: {first_of(wrong)}.")
    if not questions:
        raise UserError(f"{where} holds no questions.")
    return list(questions.values())


def _check(question: Question) -> None:
    """ValueError says what can't be right about a question."""
    for name in ("id", "template", "topic", "text", "value"):
        require(bool(getattr(question, name).strip()), f"its {name} is empty")
    are_options = len(set(question.options)) == len(LETTERS) and all(option.strip() for option in question.options)
    require(are_options, "its options are not three different ones")
    right = value_of(question.options[LETTERS.index(question.gold)])
    require(right == value_of(question.value), f"its gold is {question.gold}, {right}, and its value {question.value}")
    in_range = question.level in range(4) and question.draw >= 0 and question.digits >= 0
    require(in_range, "its level must be from 0 to 3, its draw and its digits 0 or more")
    require(question.control is None or question.level == 0, "a control has level 0")
    is_original = question.level == 0 and question.control is None
    require((question.parent is None) == is_original, "an original has no parent, and all others have one")
    is_lure = question.control == "lure"
    require(is_lure == (question.sham is not None), "the lure arm has a sham, and nothing else has")
    letters = {question.gold, question.old, question.sham}
    require(not is_lure or len(letters) == 3, "in the lure arm, gold, old and sham are three different letters")
