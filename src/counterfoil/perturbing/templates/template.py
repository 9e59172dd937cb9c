"""What a template is made of: its texts with markers, its slots and derived numbers, its expressions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from counterfoil.perturbing.expressions.language import Expression
from counterfoil.perturbing.questions import Letter, Source
from counterfoil.perturbing.templates import numbers

_MARKUP = re.compile(r"\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]*)(:[^{}]*)?\}|[{}]")


class Text(NamedTuple):
    """A text in which {name} and {name:form} are markers, and {{ and }} are braces."""

    source: str
    markers: tuple[str, ...]
    # As they stand in the text: name:form.
    forms: tuple[str, ...] = ()

    def render(self, printed: Mapping[str, str]) -> str:
        """The text with each marker replaced."""
        if not self.forms:
            return self.source.format_map(printed)
        return _MARKUP.sub(lambda mark: printed[mark[0][1:-1]] if mark[1] else mark[0][0], self.source)


def parse_text(source: str) -> Text:
    """ValueError for a brace that is none of a marker, and not doubled."""
    matches = list(_MARKUP.finditer(source))
    for match in matches:
        if match[0] in ("{", "}"):
            raise ValueError(f"the brace at character {match.start() + 1} belongs to no {{name}}")
    forms = tuple(match[1] + match[2] for match in matches if match[2])
    return Text(source, tuple(match[1] for match in matches if match[1] is not None), forms)


def escaped(words: str) -> str:
    """The source of a text that consists of these words."""
    return words.replace("{", "{{").replace("}", "}}")


class Listed(NamedTuple):
    """A value that a slot can take, and the word for it."""

    word: str
    value: Decimal


class Slot(NamedTuple):
    """A number in the text that can be changed. All values are as printed: 5 for 5 %."""

    name: str
    original: Decimal
    low: Decimal
    step: Decimal
    # How many values there are: low, low + step, … ; 1 where it is fixed.
    choices: int
    percent: bool
    fixed: bool
    plain: bool
    # Digits behind the point that are printed, at most and at least.
    digits: int
    at_least: int
    minus: str
    # Its values one by one, where they are no range; the original is among them.
    listed: tuple[Listed, ...] = ()
    # How the original is printed, where that is a word.
    word: str = ""

    def value(self, number: int) -> Decimal:
        """The value with this number, from 0."""
        return self.listed[number].value if self.listed else self.low + self.step * number

    @property
    def high(self) -> Decimal:
        return max(one.value for one in self.listed) if self.listed else self.value(self.choices - 1)

    def printed(self, value: Decimal) -> str:
        if self.word and value == self.original:
            return self.word
        for one in self.listed:
            if one.value == value:
                return one.word
        text = numbers.printed(value, self.digits, self.at_least, self.plain)
        return self.minus + text[1:] if text.startswith("-") else text


class Derived(NamedTuple):
    """A number that follows from the slots; printed only where it has digits."""

    name: str
    value: Expression
    digits: int | None
    percent: bool
    plain: bool


class Clause(NamedTuple):
    """A part of the text that is there only where its condition holds."""

    name: str
    when: Expression
    text: Text


class Inverse(NamedTuple):
    """A text that gives the answer and asks for a slot instead."""

    unknown: str
    text: Text
    steps: Text | None
    distractors: tuple[Expression, ...]
    digits: int
    prefix: Text
    suffix: Text


class GivenOptions(NamedTuple):
    """The original's options as they were printed, and which of them is right."""

    options: tuple[Text, Text, Text]
    numbers: tuple[numbers.PrintedNumber, numbers.PrintedNumber, numbers.PrintedNumber]
    gold: Letter
    # By how many units of its last digit the printed gold may differ from what is computed.
    slack: int


class PrintedOption(NamedTuple):
    """A wrong option of an existing question: the distractor that gives it, and its distance from the gold as a share
    of the gold; below 0 where it is less than the gold.
    """

    distractor: Expression | None
    away: Decimal


@dataclass(frozen=True, kw_only=True)
class Template:
    """A question with numbers that can be changed, and how to compute its answer."""

    id: str
    topic: str
    source: Source
    text: Text
    slots: Mapping[str, Slot]
    # Each after those that it uses.
    derived: tuple[Derived, ...]
    answer: Expression
    check: Expression
    distractors: tuple[Expression, ...]
    conditions: tuple[Expression, ...]
    digits: int
    percent: bool
    prefix: Text
    suffix: Text
    steps: Text
    # The first of each is the original's.
    names: Mapping[str, tuple[str, ...]]
    inverses: tuple[Inverse, ...]
    given: GivenOptions | None
    # How far its options are from each other at least; the wrong ones that an existing question prints.
    apart: numbers.Apart = numbers.USUAL
    printed: tuple[PrintedOption, ...] = ()
    clauses: tuple[Clause, ...] = ()
    # The original in its own words, where the text with its values is not exactly that; the conditions are then for
    # variants alone.
    own_text: str | None = None
    # The template that it is nearly the same as: they are not independent, and share a cluster.
    like: str | None = None
    # By level, the values that slots can have together, where conditions leave too little to find them by chance.
    moves: Mapping[int, tuple[Mapping[str, Decimal], ...]] = field(default_factory=dict)

    @cached_property
    def forms(self) -> frozenset[str]:
        """All markers with a form, in any of its texts."""
        texts = [self.text, self.steps, *(clause.text for clause in self.clauses)]
        texts += [text for inverse in self.inverses for text in (inverse.text, inverse.steps) if text is not None]
        return frozenset(form for text in texts for form in text.forms)

    @property
    def first_names(self) -> dict[str, str]:
        """The names that the original has."""
        return {name: words[0] for name, words in self.names.items()}

    @property
    def changeable(self) -> tuple[Slot, ...]:
        return tuple(slot for slot in self.slots.values() if slot.choices > 1)
