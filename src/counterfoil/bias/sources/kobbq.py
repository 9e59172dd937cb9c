"""KoBBQ's files of samples. Its templates have a module of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from counterfoil.bias.questions import UNKNOWN, Question
from counterfoil.errors import UserError
from counterfoil.suite.imports import parse_list
from counterfoil.tables import cells_of, parsed

SAMPLE_COLUMNS = ("sample_id", "label_annotation", "context", "question", "choices", "biased_answer", "answer")
# The versions of a template: a and c have the counter-biased context, b and d the biased one.
_ID = re.compile(
    r"(?P<category>.+)-(?P<number>[^-]+)(?P<version>[a-d])-(?P<sample>[^-]+)-(?P<context>amb|dis)-(?:bsd|cnt)"
)


class SampleId(NamedTuple):
    """What KoBBQ writes into an id."""

    category: str
    template: str
    ambiguous: bool
    biased_context: bool
    # The same for the two questions that differ only in which group is which (a and b, c and d).
    pair: str


def parse_id(text: str) -> SampleId:
    """`category-templateX-sample-amb|dis-bsd|cnt`; ValueError where it is none."""
    match = _ID.fullmatch(text)
    if match is None:
        raise ValueError(f"its id {text!r} is not category-templateX-sample-amb|dis-bsd|cnt")
    category, number, version = match["category"], match["number"], match["version"]
    family = "ab" if version in "ab" else "cd"
    return SampleId(
        category=category,
        template=f"{category}-{number}",
        ambiguous=match["context"] == "amb",
        biased_context=version in "bd",
        pair=f"{category}-{number}{family}{text[match.end('version') :]}",
    )


def read_samples(text: str, where: str) -> list[Question]:
    """The questions of KoBBQ_test_samples.tsv or KoBBQ_all_samples.tsv."""
    return parsed(cells_of(text, where, SAMPLE_COLUMNS, delimiter="\t"), where, _question)


def _question(row: Mapping[str, str]) -> Question:
    about = parse_id(row["sample_id"])
    for name in ("context", "question", "biased_answer", "answer"):
        if not row[name].strip():
            raise ValueError(f"its {name} is empty")
    try:
        choices = parse_list(row["choices"], "choices")
    except UserError as error:
        raise ValueError(f"its choices are no list: {row['choices'][:60]!r}") from error
    if len(choices) != 3 or not all(isinstance(choice, str) for choice in choices) or len(set(choices)) < 3:
        raise ValueError("its choices are not three different texts")
    if UNKNOWN not in choices:
        raise ValueError(f"none of its choices is {UNKNOWN}")
    for name in ("biased_answer", "answer"):
        if row[name] not in choices:
            raise ValueError(f"its {name} {row[name]!r} is not among its choices")
    if about.ambiguous != (row["answer"] == UNKNOWN):
        raise ValueError(
            f"its context is {'ambiguous' if about.ambiguous else 'clear'}, and its answer {row['answer']!r}"
        )
    if not about.ambiguous and about.biased_context != (row["answer"] == row["biased_answer"]):
        raise ValueError("its id and its biased_answer disagree on which kind its context is")
    first, second, third = choices
    return Question(
        sample_id=row["sample_id"],
        context=row["context"],
        text=row["question"],
        choices=(first, second, third),
        unknown=UNKNOWN,
        biased=row["biased_answer"],
        right=row["answer"],
        label=row["label_annotation"],
        **about._asdict(),
    )
