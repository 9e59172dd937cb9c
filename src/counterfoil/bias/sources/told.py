"""What a file tells of a question, in the terms of all of BBQ's layouts, and the question that it makes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from counterfoil.bias.questions import Question
from counterfoil.tables import Row, parsed


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """A row, whatever its layout. Places are those of the choices in the file.

    `target`: the place of the group that the stereotype is about; None where that can't be worked out. `negative`: the
    question asks for what the stereotype says of that group, and not for the contrary. `swapped`: the same for two
    questions that differ only in which group is which.
    """

    id: str
    template: str
    category: str
    context: str
    text: str
    choices: tuple[str, ...]
    unknown: int
    right: int
    ambiguous: bool
    negative: bool
    target: int | None
    swapped: str | None = None
    dataset: str | None = None
    language: str | None = None
    control: bool = False
    parallel: str | None = None


def questions_from(rows: Iterable[Row], where: str, tell: Callable[[Any], Told]) -> list[Question]:
    """The questions of a file, of whose rows `tell` says what they tell. It may take a row's layout for granted."""

    def question(row: Any) -> Question:
        if not isinstance(row, dict):
            raise ValueError("it is no JSON object")
        try:
            return question_from(tell(row))
        except KeyError as error:
            raise ValueError(f"it has no {error.args[0]}") from error
        except (AttributeError, IndexError, SyntaxError, TypeError) as error:
            raise ValueError("its parts are not of the kinds that they are in the other rows") from error

    return in_pairs(parsed(rows, where, question))


def place_of(label: Any) -> int:
    """The place of the right answer."""
    if str(label) not in ("0", "1", "2"):
        raise ValueError(f"its label is {label!r}, not 0, 1 or 2")
    return int(label)


def question_from(told: Told) -> Question:
    """The question; ValueError where its parts contradict each other."""
    choices = tuple(choice.strip() for choice in told.choices)
    if len(choices) != 3 or len(set(choices)) < 3 or not all(choices):
        raise ValueError("its answers are not three different texts")
    if told.ambiguous != (told.right == told.unknown):
        kind = "ambig" if told.ambiguous else "disambig"
        raise ValueError(f"its context is {kind}, and its label {told.right}")
    for name, text in (("context", told.context), ("question", told.text)):
        if not text.strip():
            raise ValueError(f"its {name} is empty")
    biased = ""
    if told.target is not None and told.target != told.unknown:
        # The places are 0, 1 and 2: what is left of their sum is the third.
        biased = choices[told.target if told.negative else 3 - told.target - told.unknown]
    right = choices[told.right]
    # Datasets number their examples and templates alike.
    of = f"{told.dataset}-" if told.dataset else ""
    return Question(
        sample_id=f"{of}{told.id}",
        context=told.context,
        text=told.text,
        choices=(choices[0], choices[1], choices[2]),
        unknown=choices[told.unknown],
        biased=biased,
        right=right,
        category=told.category,
        label="",
        template=f"{of}{told.template}",
        ambiguous=told.ambiguous,
        biased_context=None if told.ambiguous or not biased else right == biased,
        pair=f"{of}{told.swapped}" if biased and told.swapped else None,
        dataset=told.dataset,
        language=told.language,
        control=told.control,
        parallel=told.parallel and f"{of}{told.parallel}",
    )


def in_pairs(questions: Iterable[Question]) -> list[Question]:
    """The questions. Two are a pair that tell of the same groups the other way round, in different contexts."""
    every = list(questions)
    of_pair: dict[str | None, list[Question]] = {}
    for question in every:
        of_pair.setdefault(question.pair, []).append(question)
    pairs = {
        pair: min(question.parallel or "" for question in some)
        for pair, some in of_pair.items()
        if pair is not None and len(some) == len({question.context for question in some}) == 2
    }
    return [
        msgspec.structs.replace(
            question,
            pair=question.pair if question.pair in pairs else None,
            kin=question.parallel and pairs.get(question.pair or "", question.parallel),
        )
        for question in every
    ]
