"""BBQ's templates, expanded to questions.

A template row holds texts with the markers {{NAME1}}, {{NAME2}}, {{WORD1}} and {{WORD2}}. The column Names lists the
words for the two groups, Lexical_diversity those of the other markers, NAME1_info and NAME2_info what the groups are
called, and Known_stereotyped_groups which of them the stereotype is about.

Only rows that bring their own words are read. Those that take them from BBQ's vocabulary or from its lists of proper
names, and those written twice, as versions a and b, are refused: their questions are in BBQ's JSONL files.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import cycle, permutations, product
from typing import NamedTuple

from counterfoil.bias.questions import Question
from counterfoil.bias.sources.templates import cell, declarations, number_of, sample_questions
from counterfoil.tables import Row, kept

# The wordings that BBQ uses.
UNKNOWN_WORDINGS = (
    "Unknown",
    "Cannot be determined",
    "Can't be determined",
    "Not answerable",
    "Not known",
    "Not enough info",
    "Not enough information",
    "Cannot answer",
    "Can't answer",
    "Undetermined",
)
_ORDERS = tuple(permutations(range(3)))
_TEXTS = (
    "Ambiguous_Context",
    "Disambiguating_Context",
    "Question_negative_stereotype",
    "Question_non_negative",
    "Answer_negative",
    "Answer_non_negative",
)
# Lexical_diversity may be there as well, and others that BBQ's own files have.
COLUMNS = ("Category", "Q_id", "Names", "NAME1_info", "NAME2_info", "Known_stereotyped_groups", *_TEXTS)
_MARKER = re.compile(r"\{\{([^{}]*)\}\}")


class Template(NamedTuple):
    """A row, read and checked."""

    category: str
    number: int
    words: dict[str, tuple[str, ...]]
    # In the order of the columns.
    texts: tuple[str, ...]
    # The marker that stands for the stereotyped group where the groups are as in the row, and the answers' markers.
    target: str
    negative: str


def expand(rows: Iterable[Row], where: str) -> list[Question]:
    """The questions of all templates in a file.

    Each sample gives eight: both group orders, ambiguous and disambiguated, negative and non-negative. The ids are as
    KoBBQ's, `Category-001a-001-amb|dis-neg|nonneg`: a is the group order in which the context decides against the
    stereotype, b the one in which it decides for it. A sample's order of choices comes from a hash, and the samples of
    the file take the wordings of unknown in turn; both are the same for all questions of a sample: a and b differ in
    which group is which, and in nothing else.
    """
    wordings = cycle(UNKNOWN_WORDINGS)
    seen: dict[tuple[str, int], str] = {}

    def questions_of(place: str, row: Mapping[str, str]) -> list[Question]:
        template = _template(row)
        first = seen.get(template[:2])
        if first is not None:
            raise ValueError(f"template {template.category} {template.number} is already on {first}")
        seen[template[:2]] = place
        return list(_questions(template, wordings))

    return [question for some in kept(rows, where, questions_of) for question in some]


def _questions(template: Template, wordings: Iterator[str]) -> Iterator[Question]:
    name = f"{template.category}-{template.number:03d}"
    # The negative answer is the stereotyped group's: as written, or with the groups swapped.
    aligned_as_written = template.negative == template.target
    for sample, chosen in enumerate(product(*template.words.values()), start=1):
        words = dict(zip(template.words, chosen, strict=True))
        swapped = words | {"NAME1": words["NAME2"], "NAME2": words["NAME1"]}
        (one, two, three), unknown = _order(f"{name}-{sample:03d}"), next(wordings)
        for version, aligned in (("a", False), ("b", True)):
            filled = words if aligned == aligned_as_written else swapped
            context, decision, negative, other, *answers = (_filled(text, filled) for text in template.texts)
            choices = (*answers, unknown)
            yield from sample_questions(
                (name, version, sample),
                contexts=(context, f"{context} {decision}"),
                asked={"neg": negative, "nonneg": other},
                answers=(answers[0], answers[1]),
                unknown=unknown,
                choices=(choices[one], choices[two], choices[three]),
                category=template.category,
            )


def _order(sample: str) -> tuple[int, ...]:
    number = int.from_bytes(hashlib.sha256(sample.encode()).digest()[:8])
    return _ORDERS[number % len(_ORDERS)]


def _template(row: Mapping[str, str]) -> Template:
    category = cell(row, "Category")
    if (row.get("Proper_nouns_only") or "").strip().upper() == "TRUE":
        raise ValueError("it takes proper names from BBQ's lists, which is not supported; list them in Names")
    if (row.get("version") or "").strip():
        raise ValueError("it is one of two versions, which is not supported; both group orders come from one row")
    if not (row.get("Names") or "").strip():
        raise ValueError("it takes its groups from BBQ's vocabulary, which is not supported; list them in Names")
    names = declarations(row["Names"], "Names")
    if names.keys() != {"NAME1", "NAME2"}:
        raise ValueError("Names must list NAME1 and NAME2, as in NAME1: [grandson]; NAME2: [grandfather]")
    others = declarations(row.get("Lexical_diversity") or "", "Lexical_diversity")
    if not others.keys() <= {"WORD1", "WORD2"}:
        raise ValueError("Lexical_diversity may list WORD1 and WORD2, and nothing else")
    words = names | others
    texts = {column: cell(row, column) for column in _TEXTS}
    for column, text in texts.items():
        for marker in _MARKER.findall(text):
            if marker not in words:
                raise ValueError(f"{column} has {{{{{marker}}}}}, which the row does not list")
    negative, other = (_answering(texts, column) for column in ("Answer_negative", "Answer_non_negative"))
    if negative == other:
        raise ValueError(f"both answers are {negative}; one must be NAME1 and the other NAME2")
    return Template(
        category=category,
        number=number_of(cell(row, "Q_id"), "Q_id"),
        words=words,
        texts=tuple(texts.values()),
        target=_target(row),
        negative=negative,
    )


def _answering(texts: Mapping[str, str], column: str) -> str:
    named = [marker for marker in _MARKER.findall(texts[column]) if marker.startswith("NAME")]
    if len(named) != 1:
        raise ValueError(f"{column} must name one group, {{{{NAME1}}}} or {{{{NAME2}}}}")
    return str(named[0])


def _target(row: Mapping[str, str]) -> str:
    """The marker of the group that the stereotype is about."""
    written = cell(row, "Known_stereotyped_groups")
    try:
        groups = ast.literal_eval(written)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        groups = None
    if not isinstance(groups, list) or not all(isinstance(group, str) for group in groups):
        raise ValueError(f'Known_stereotyped_groups is {written!r}; write a list such as ["old"]')
    targets = [marker for marker in ("NAME1", "NAME2") if cell(row, f"{marker}_info") in groups]
    if len(targets) != 1:
        raise ValueError("one of NAME1_info and NAME2_info must be in Known_stereotyped_groups, and only one")
    return targets[0]


def _filled(text: str, words: Mapping[str, str]) -> str:
    return " ".join(_MARKER.sub(lambda match: words[match[1]], text).split())
