"""KoBBQ's files of samples. Its templates have a module of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from counterfoil.bias.questions import UNKNOWN, Question
from counterfoil.suite.imports import parse_list
from counterfoil.tables import Cells, Row, cell_rows, parsed

SAMPLE_COLUMNS = ("sample_id", "label_annotation", "context", "question", "choices", "biased_answer", "answer")
# The versions of a template: a and c have the counter-biased context, b and d the biased one.
_ID = re.compile(
    r"(?P<category>.+)-(?P<number>[^-]+)(?P<version>[a-d])-(?P<sample>[^-]+)-(?P<context>amb|dis)-(?:bsd|cnt)"
)


# As the preprocessed files have them: with the order behind.
_ORDERED = re.compile(rf"{_ID.pattern}-[0-2]")


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
    """The questions of KoBBQ_test_samples.tsv or KoBBQ_all_samples.tsv, or of what KoBBQ's preprocessing makes of them:
    each question in its orders, in the words of one prompt.
    """
    rows = list(cell_rows(text, where, SAMPLE_COLUMNS, delimiter="\t"))
    good = [(place, row) for place, row in rows if isinstance(row, dict)]
    if good and all(_ORDERED.fullmatch(row["sample_id"]) for _, row in good):
        rows = [*_as_samples(good), *((place, row) for place, row in rows if isinstance(row, ValueError))]
    return parsed(rows, where, _question)


def _as_samples(rows: Sequence[tuple[str, Cells]]) -> list[Row]:
    """Rows of KoBBQ_test_evaluation_1.tsv as rows of samples: each question once, its choices in the samples' order,
    the unknown one in the samples' words.
    """
    answers = {row["answer"] for _, row in rows if "-amb-" in row["sample_id"]}
    # The right answer in ambiguous contexts, in the prompt's words; the same in the whole file.
    unknown = answers.pop() if len(answers) == 1 else UNKNOWN
    found: dict[str, Row] = {}
    for place, row in rows:
        sample_id, _, order = row["sample_id"].rpartition("-")
        choices = row["choices"]
        with suppress(ValueError):
            shown = [UNKNOWN if choice == unknown else choice for choice in parse_list(choices, "choices")]
            # Order i of c shows c[i], c[i−1], c[i−2]: c[j] stands in place i − j.
            choices = str([shown[(int(order) - j) % len(shown)] for j in range(len(shown))])
        answer = UNKNOWN if row["answer"] == unknown else row["answer"]
        found.setdefault(sample_id, (place, row | {"sample_id": sample_id, "choices": choices, "answer": answer}))
    return list(found.values())


def _question(row: Mapping[str, str]) -> Question:
    about = parse_id(row["sample_id"])
    for name in ("context", "question", "biased_answer", "answer"):
        if not row[name].strip():
            raise ValueError(f"its {name} is empty")
    try:
        choices = parse_list(row["choices"], "choices")
    except ValueError as error:
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
        bbq=(row.get("bbq_id") or "", row.get("bbq_category") or ""),
        **about._asdict(),
    )
