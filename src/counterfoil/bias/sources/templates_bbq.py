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
from itertools import permutations, product
from typing import NamedTuple

from counterfoil.bias.questions import Question
from counterfoil.bias.sources.templates import Row, cell, declarations, number_of, sample_questions
from counterfoil.datasets.registry import BBQ_CATEGORIES
from counterfoil.errors import UserError

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


def expand(rows: Iterable[Row]) -> Iterator[Question]:
    """Eight questions for each sample: both group orders, ambiguous and disambiguated, negative and non-negative.

    The ids are as KoBBQ's, `Category-001a-001-amb|dis-neg|nonneg`: a is the group order in which the context decides
    against the stereotype, b the one in which it decides for it. A sample's order of choices and wording of unknown
    come from a hash, the same for all its questions: a and b differ in which group is which, and in nothing else.
    """
    seen: dict[tuple[str, int], str] = {}
    for where, row in rows:
        template = _template(where, row)
        first = seen.setdefault(template[:2], where)
        if first != where:
            raise UserError(f"{where}: template {template.category} {template.number} is already on {first}")
        yield from _questions(where, template)


def _questions(where: str, template: Template) -> Iterator[Question]:
    name = f"{template.category}-{template.number:03d}"
    # The negative answer is the stereotyped group's: as written, or with the groups swapped.
    aligned_as_written = template.negative == template.target
    for sample, chosen in enumerate(product(*template.words.values()), start=1):
        words = dict(zip(template.words, chosen, strict=True))
        swapped = words | {"NAME1": words["NAME2"], "NAME2": words["NAME1"]}
        (one, two, three), unknown = _drawn(f"{name}-{sample:03d}")
        for version, aligned in (("a", False), ("b", True)):
            filled = words if aligned == aligned_as_written else swapped
            context, decision, negative, other, *answers = (_filled(text, filled) for text in template.texts)
            choices = (*answers, unknown)
            yield from sample_questions(
                where,
                (name, version, sample),
                contexts=(context, f"{context} {decision}"),
                asked={"neg": negative, "nonneg": other},
                answers=(answers[0], answers[1]),
                unknown=unknown,
                choices=(choices[one], choices[two], choices[three]),
                category=template.category,
            )


def _drawn(seed: str) -> tuple[tuple[int, ...], str]:
    number = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8])
    number, order = divmod(number, len(_ORDERS))
    return _ORDERS[order], UNKNOWN_WORDINGS[number % len(UNKNOWN_WORDINGS)]


def _template(where: str, row: Mapping[str, str]) -> Template:
    category = cell(where, row, "Category")
    if category not in BBQ_CATEGORIES:
        raise UserError(f"{where}: Category is {category!r}; BBQ has {', '.join(BBQ_CATEGORIES)}")
    if (row.get("Proper_nouns_only") or "").strip().upper() == "TRUE":
        raise UserError(f"{where}: it takes proper names from BBQ's lists, which is not supported; list them in Names")
    if (row.get("version") or "").strip():
        raise UserError(
            f"{where}: it is one of two versions, which is not supported; both group orders come from one row"
        )
    if not (row.get("Names") or "").strip():
        raise UserError(
            f"{where}: it takes its groups from BBQ's vocabulary, which is not supported; list them in Names"
        )
    names = declarations(where, row["Names"], "Names")
    if names.keys() != {"NAME1", "NAME2"}:
        raise UserError(f"{where}: Names must list NAME1 and NAME2, as in NAME1: [grandson]; NAME2: [grandfather]")
    others = declarations(where, row.get("Lexical_diversity") or "", "Lexical_diversity")
    if not others.keys() <= {"WORD1", "WORD2"}:
        raise UserError(f"{where}: Lexical_diversity may list WORD1 and WORD2, and nothing else")
    words = names | others
    texts = {column: cell(where, row, column) for column in _TEXTS}
    for column, text in texts.items():
        for marker in _MARKER.findall(text):
            if marker not in words:
                raise UserError(f"{where}: {column} has {{{{{marker}}}}}, which the row does not list")
    negative, other = (_answering(where, texts, column) for column in ("Answer_negative", "Answer_non_negative"))
    if negative == other:
        raise UserError(f"{where}: both answers are {negative}; one must be NAME1 and the other NAME2")
    return Template(
        category=category,
        number=number_of(where, cell(where, row, "Q_id"), "Q_id"),
        words=words,
        texts=tuple(texts.values()),
        target=_target(where, row),
        negative=negative,
    )


def _answering(where: str, texts: Mapping[str, str], column: str) -> str:
    named = [marker for marker in _MARKER.findall(texts[column]) if marker.startswith("NAME")]
    if len(named) != 1:
        raise UserError(f"{where}: {column} must name one group, {{{{NAME1}}}} or {{{{NAME2}}}}")
    return str(named[0])


def _target(where: str, row: Mapping[str, str]) -> str:
    """The marker of the group that the stereotype is about."""
    written = cell(where, row, "Known_stereotyped_groups")
    try:
        groups = ast.literal_eval(written)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        groups = None
    if not isinstance(groups, list) or not all(isinstance(group, str) for group in groups):
        raise UserError(f'{where}: Known_stereotyped_groups is {written!r}; write a list such as ["old"]')
    targets = [marker for marker in ("NAME1", "NAME2") if cell(where, row, f"{marker}_info") in groups]
    if len(targets) != 1:
        raise UserError(f"{where}: one of NAME1_info and NAME2_info must be in Known_stereotyped_groups, and only one")
    return targets[0]


def _filled(text: str, words: Mapping[str, str]) -> str:
    return " ".join(_MARKER.sub(lambda match: words[match[1]], text).split())
