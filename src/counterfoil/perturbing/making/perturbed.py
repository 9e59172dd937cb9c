"""The frozen set: questions made from templates, written once, before any model sees them, and known by their hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from counterfoil.errors import UserError
from counterfoil.files import without_mark
from counterfoil.perturbing.questions import LETTERS, Question
from counterfoil.running.written import replacing

_SHOWN = 5


class PerturbedSet:
    """A frozen set in memory: its name, the SHA-256 of its file, its questions."""

    def __init__(self, name: str, sha256: str, questions: list[Question]) -> None:
        self.name = name
        self.sha256 = sha256
        self._questions = questions

    def __iter__(self) -> Iterator[Question]:
        return iter(self._questions)


def encode_set(questions: Iterable[Question]) -> bytes:
    """One line of JSON for each question; the same questions give the same bytes."""
    return b"".join(msgspec.json.encode(question) + b"\n" for question in questions)


def write_set(path: Path, questions: Iterable[Question]) -> str:
    """Write the set, and its SHA-256 is returned. What it holds is checked as it will be when it is read."""
    content = encode_set(questions)
    parse_set(content, str(path))
    with replacing(path) as temporary:
        temporary.write_bytes(content)
    return hashlib.sha256(content).hexdigest()


def read_set(path: Path) -> PerturbedSet:
    """A set that was written. UserError names the lines that can't be right."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} can't be read: {error.strerror or error}.") from error
    return PerturbedSet(path.name, hashlib.sha256(content).hexdigest(), parse_set(without_mark(content), str(path)))


def parse_set(content: bytes, where: str) -> list[Question]:
    """The questions of a set's content, each with its original among them."""
    questions: dict[str, Question] = {}
    wrong: list[str] = []
    decoder = msgspec.json.Decoder(Question)
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            question = decoder.decode(line)
            _check(question)
            if question.id in questions:
                raise ValueError(f"its id {question.id} was there before")
            questions[question.id] = question
        except (msgspec.MsgspecError, UnicodeDecodeError, ValueError, RecursionError) as error:
            wrong.append(f"line {number}: {error}")
    for question in questions.values():
        parent = questions.get(question.parent) if question.parent is not None else None
        if question.parent is not None and (parent is None or parent.parent is not None):
            wrong.append(f"{question.id}: its original {question.parent} is not there")
        elif parent is not None and parent.template != question.template:
            wrong.append(f"{question.id}: its original {question.parent} is of another template")
    if wrong:
        more = f"; and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        raise UserError(f"{where} is no set of perturbed questions: {'; '.join(wrong[:_SHOWN])}{more}.")
    if not questions:
        raise UserError(f"{where} holds no questions.")
    return list(questions.values())


def _check(question: Question) -> None:
    """ValueError says what can't be right about a question."""
    for name in ("id", "template", "topic", "text", "value"):
        if not getattr(question, name).strip():
            raise ValueError(f"its {name} is empty")
    if len(set(question.options)) != len(LETTERS) or not all(option.strip() for option in question.options):
        raise ValueError("its options are not three different ones")
    if question.level not in range(4) or question.draw < 0 or question.digits < 0:
        raise ValueError("its level must be from 0 to 3, its draw and its digits 0 or more")
    if question.control is not None and question.level != 0:
        raise ValueError("a control has level 0")
    if (question.parent is None) != (question.level == 0 and question.control is None):
        raise ValueError("an original has no parent, and all others have one")
    if (question.control == "lure") != (question.sham is not None):
        raise ValueError("the lure arm has a sham, and nothing else has")
    if question.control == "lure" and len({question.gold, question.old, question.sham}) != len(LETTERS):
        raise ValueError("in the lure arm, gold, old and sham are three different letters")
