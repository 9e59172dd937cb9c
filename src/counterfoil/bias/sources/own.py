"""Our own file of questions: a line of JSON for each, with all that is known of it, whatever file it came from."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from counterfoil.bias.questions import Question
from counterfoil.tables import numbered, parsed

# What no line of BBQ's has.
MARK = '"sample_id"'


def encode_questions(questions: Iterable[Question]) -> bytes:
    """One line for each sample; in which orders it is asked is no part of it."""
    return b"".join(msgspec.json.encode(question) + b"\n" for question in questions if question.order == 0)


def read_lines(raw: bytes, where: str) -> list[Question]:
    """The questions of a file."""
    decoder = msgspec.json.Decoder(Question)

    def parse(line: bytes) -> Question:
        try:
            question = decoder.decode(line)
        except RecursionError as error:
            raise ValueError(str(error)) from error
        _check(question)
        return question

    return parsed(numbered(raw.split(b"\n")), where, parse)


def _check(question: Question) -> None:
    if not question.sample_id.strip() or not question.template.strip() or question.order:
        raise ValueError("its sample_id or template is empty, or its order is not 0")
    if len(set(question.choices)) < len(question.choices):
        raise ValueError("its choices are not three different texts")
    for name in ("unknown", "right", "biased"):
        value = getattr(question, name)
        if value not in question.choices and (name != "biased" or value):
            raise ValueError(f"its {name} answer {value!r} is not among its choices")
    if question.biased and question.biased == question.unknown:
        raise ValueError("its biased answer is the unknown one")
    if question.ambiguous != (question.right == question.unknown):
        raise ValueError("an ambiguous context has the right answer unknown, and no other has")
