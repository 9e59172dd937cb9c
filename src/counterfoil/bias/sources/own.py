"""Our own file of questions: a line of JSON for each, with all that is known of it, whatever file it came from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from counterfoil.bias.questions import Question

# What no line of BBQ's has.
MARK = '"sample_id"'


def encode_questions(questions: Iterable[Question]) -> bytes:
    """One line for each sample; in which orders it is asked is no part of it."""
    return b"".join(msgspec.json.encode(question) + b"\n" for question in questions if question.order == 0)


def read_lines(text: str, where: str) -> Iterator[tuple[str, Question | ValueError]]:
    """The questions of a file, each with where it stands."""
    decoder = msgspec.json.Decoder(Question)
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                question = decoder.decode(line)
                _check(question)
                yield f"{where}, line {number}", question
            except (ValueError, RecursionError) as error:
                yield f"{where}, line {number}", ValueError(str(error).rstrip("."))


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
