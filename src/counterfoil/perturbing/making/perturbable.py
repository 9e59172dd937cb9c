"""Which existing questions can be perturbed at all. The others are set aside, each for the first reason that holds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from counterfoil.perturbing.making.existing import Existing
from counterfoil.perturbing.making.recipes import Layout, Span, around, layout, option_number
from counterfoil.perturbing.questions import LETTERS
from counterfoil.perturbing.templates import numbers

_DIGIT = re.compile(r"\d", re.ASCII)

SEEN_BEFORE = "the same question was there before"
NOT_THREE = "it has not three options"
CONTRADICTS = "its gold and its answer contradict"
NO_NUMBER = "there is no number in its text"
NO_OPTION_NUMBER = "there is an option without a number"
SEVERAL_NUMBERS = "there is an option with more than one number, or with one that can't be read"
SAME_NUMBER = "two options have the same number"
LABELS = "the numbers of its options are labels, as in Portfolio 1"
OTHER_WORDS = "its options differ in their words, too"
REASONS = (
    SEEN_BEFORE,
    NOT_THREE,
    CONTRADICTS,
    NO_NUMBER,
    NO_OPTION_NUMBER,
    SEVERAL_NUMBERS,
    SAME_NUMBER,
    LABELS,
    OTHER_WORDS,
)


class SortedOut(NamedTuple):
    """The questions that can be perturbed, and how many can't for which reason."""

    kept: list[Existing]
    set_aside: Mapping[str, int]


class Options(NamedTuple):
    """Where the parts of a question stand in its text, and what the numbers of its options are."""

    layout: Layout
    spans: tuple[Span, ...]
    numbers: tuple[numbers.Printed, ...]


def sort_out(questions: Iterable[Existing]) -> SortedOut:
    """Set aside what can't be perturbed; the reasons in the order of the table."""
    kept: list[Existing] = []
    seen: set[str] = set()
    counts: Counter[str] = Counter()
    for question in questions:
        reason = SEEN_BEFORE if question.sha256 in seen else why_not(question)
        seen.add(question.sha256)
        if reason is None:
            kept.append(question)
        else:
            counts[reason] += 1
    return SortedOut(kept, {reason: counts[reason] for reason in REASONS if counts[reason]})


def why_not(question: Existing) -> str | None:
    """Why a question can't be perturbed; None if it can.

    A variant's options have the gold's words around other numbers: at least one wrong option must have them, too.
    """
    if len(question.options) != len(LETTERS):
        return NOT_THREE
    if question.gold is None:
        return CONTRADICTS
    if not _DIGIT.search(question.stem):
        return NO_NUMBER
    if not all(_DIGIT.search(option) for option in question.options):
        return NO_OPTION_NUMBER
    try:
        options = options_of(question)
    except ValueError:
        return SEVERAL_NUMBERS
    if len({number.value for number in options.numbers}) < len(LETTERS):
        return SAME_NUMBER
    words = [
        tuple(part.strip(" .") for part in around(question.text, whole, span, ()))
        for whole, span in zip(options.layout.options, options.spans, strict=True)
    ]
    if words.count(words[question.gold]) < 2:
        return OTHER_WORDS
    labelled = (
        sorted(number.value for number in options.numbers) == [1, 2, 3] and words[question.gold][0][-1:].isalpha()
    )
    return LABELS if labelled else None


def options_of(question: Existing) -> Options:
    """The one number of each option. ValueError if there is not one."""
    text = question.text
    places = layout(text)
    if tuple(text[slice(*place)] for place in places.options) != question.options:
        raise ValueError("its text looks like options")
    spans = tuple(option_number(text, option, None) for option in places.options)
    return Options(places, spans, tuple(numbers.read(text[slice(*span)]) for span in spans))
