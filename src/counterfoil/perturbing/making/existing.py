"""Existing multiple-choice questions, from the files that people have them in, and where the parts of a text stand.

A row has `text` or `query` (FLARE's layouts), or `question` and `options`: docs/templates.md lists the layouts.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from counterfoil.errors import UserError
from counterfoil.files import read_bytes
from counterfoil.perturbing.questions import LETTERS, require, three
from counterfoil.perturbing.templates import numbers
from counterfoil.perturbing.templates.template import escaped
from counterfoil.tables import parsed, rows_of

Span = tuple[int, int]

DEFAULT_TOPIC = "not given"
ENDINGS = (".json", ".jsonl", ".csv", ".parquet")
_ALPHABET = "ABCDEFGHIJ"
_FLARE = re.compile(r"Q:.*,CHOICES: A: .*(?= Answer:\s*$)", re.DOTALL)
_SCENARIO = re.compile(
    r"Scenario:(?P<scenario>.*);\s*Question:(?P<question>.*);\s*"
    r"Answer Choices: A: (?P<A>.*), B: (?P<B>.*), C: (?P<C>.*)\.\s*Answer:\s*",
    re.DOTALL,
)
_TEXT = re.compile(r"Q:(?P<stem>.*),CHOICES: A: (?P<A>.*),B: (?P<B>.*),C: (?P<C>.*)", re.DOTALL)
_CONTINUES_BEFORE = re.compile(r"\d[.,]?$", re.ASCII)
_CONTINUES_BEHIND = re.compile(r"[.,]?\d", re.ASCII)


class ExistingQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question that somebody else wrote; `gold` is the position of its right option, None where that is in doubt."""

    stem: str
    options: tuple[str, ...]
    gold: int | None
    topic: str = DEFAULT_TOPIC
    # Its number in the file, from 0, and the id that it has there.
    number: int = 0
    own_id: str | None = None

    @property
    def right(self) -> int:
        """The position of the right option. Questions in which it is in doubt were set aside before."""
        assert self.gold is not None
        return self.gold

    def source_id(self, *, public: bool) -> str:
        """Its own id, or else its number, for a public question as the CFA study has it: easy_0."""
        return self.own_id or f"{'easy' if public else 'question'}_{self.number}"

    @property
    def text(self) -> str:
        """The question in the form that recipes know it by."""
        choices = (f"{letter}: {option}" for letter, option in zip(_ALPHABET, self.options, strict=False))
        return f"Q:{self.stem},CHOICES: {','.join(choices)}"

    @property
    def sha256(self) -> str:
        return text_hash(self.text)


def load_existing(path: Path) -> list[ExistingQuestion]:
    """The questions of a .json, .jsonl, .csv or .parquet file. UserError names every row that can't be read."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise UserError(f"{path}: existing questions are in a {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]} file.")
    rows = enumerate(rows_of(read_bytes(path), str(path), ending))
    numbered = ((place, row if isinstance(row, ValueError) else (number, row)) for number, (place, row) in rows)
    found = parsed(numbered, str(path), lambda pair: _numbered(*pair))
    if not found:
        raise UserError(f"{path} holds no questions.")
    return found


def _numbered(number: int, row: Any) -> ExistingQuestion:
    question = existing_from(row)
    own = row.get("id")
    own_id = str(own) if isinstance(own, str | int) and str(own).strip() else None
    return msgspec.structs.replace(question, number=number, own_id=own_id)


def existing_from(row: Any) -> ExistingQuestion:
    """A question from a row of any of the layouts; ValueError says what is wrong with it."""
    if not isinstance(row, Mapping):
        raise ValueError("it is no object")
    if isinstance(row.get("text"), str):
        stem, options = _flare(row["text"])
    elif isinstance(row.get("query"), str):
        stem, options = _query(row["query"])
    else:
        stem, options = _plain(row)
    require(bool(stem.strip()), "its question is missing")
    if not 2 <= len(options) <= len(_ALPHABET) or not all(option.strip() for option in options):
        raise ValueError(f"its options are not 2 to {len(_ALPHABET)}, or one of them is empty")
    topic = row.get("topic")
    topic = topic.strip() if isinstance(topic, str) and topic.strip() else DEFAULT_TOPIC
    return ExistingQuestion(stem=stem, options=options, gold=_gold(row, options), topic=topic)


def _flare(text: str) -> tuple[str, tuple[str, ...]]:
    stem, options = layout(text)
    return text[slice(*stem)], tuple(text[slice(*option)] for option in options)


def _query(query: str) -> tuple[str, tuple[str, ...]]:
    """A whole prompt, of which only the question is taken."""
    flare = _FLARE.search(query)
    if flare is not None:
        return _flare(flare[0])
    match = _SCENARIO.search(query)
    if match is None:
        raise ValueError(
            "its query has neither the form Q:…,CHOICES: A: … nor Scenario:…;Question:…;Answer Choices: A: …"
        )
    stem = f"{match['scenario'].strip()}\n{match['question'].strip()}"
    return stem, (match["A"], match["B"], match["C"])


def _plain(row: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    question, options = row.get("question"), row.get("options", row.get("choices"))
    if not isinstance(question, str):
        raise ValueError("it has no question, text or query")
    if isinstance(options, str):
        options = options.split("|")
    elif isinstance(options, Mapping):
        options = [options[letter] for letter in sorted(options)]
    elif options is None:
        options = [row[letter] for letter in _ALPHABET if row.get(letter) not in (None, "")]
    if not isinstance(options, list) or not all(isinstance(option, str | int | float) for option in options):
        raise ValueError("its options are no list of texts")
    return question.strip(), tuple(str(option).strip() for option in options)


def _gold(row: Mapping[str, Any], options: tuple[str, ...]) -> int | None:
    """From `gold`, a position from 0, and `answer`, a letter or the option's words; None if they contradict."""
    found = set()
    gold, answer = row.get("gold"), row.get("answer")
    if isinstance(gold, int) and not isinstance(gold, bool):
        found.add(gold)
    if isinstance(answer, str | int | float) and not isinstance(answer, bool):
        words = str(answer).strip()
        letter = words.rstrip(".):").upper()
        if len(letter) == 1 and letter in _ALPHABET:
            found.add(_ALPHABET.index(letter))
        elif words in options:
            found.add(options.index(words))
        else:
            raise ValueError(f"its answer {words[:40]!r} is neither a letter nor one of its options")
    require(bool(found), "it has no answer")
    require(found <= set(range(len(options))), "its answer is not one of its options")
    return found.pop() if len(found) == 1 else None


def text_hash(text: str) -> str:
    """What a recipe knows a question by."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Mark(NamedTuple):
    """What stands in a span is replaced by the marker."""

    span: Span
    marker: str


class Layout(NamedTuple):
    """Where a question's text has its stem and its options."""

    stem: Span
    options: tuple[Span, Span, Span]


def layout(text: str) -> Layout:
    """ValueError if the text has not the form that questions have."""
    match = _TEXT.fullmatch(text)
    if match is None:
        raise ValueError("the question has not the form Q:…,CHOICES: A: …,B: …,C: …")
    return Layout(match.span("stem"), three(match.span(letter) for letter in LETTERS))


class Options(NamedTuple):
    """Where the parts of a question stand in its text, and what the numbers of its options are."""

    layout: Layout
    spans: tuple[Span, ...]
    numbers: tuple[numbers.PrintedNumber, ...]


def options_of(question: ExistingQuestion) -> Options:
    """The one number of each option. ValueError if there is not one."""
    text = question.text
    places = layout(text)
    if tuple(text[slice(*place)] for place in places.options) != question.options:
        raise ValueError("its text looks like options")
    spans = tuple(option_number(text, option, None) for option in places.options)
    return Options(places, spans, tuple(numbers.read(text[slice(*span)]) for span in spans))


def printed_number(text: str, spans: Sequence[Span], within: Span) -> str:
    """The number that stands in all these spans. ValueError if they do not cover a whole one, or not the same."""
    found = set()
    for start, end in spans:
        if not within[0] <= start < end <= within[1]:
            raise ValueError(f"the span {start} to {end} is not within {within[0]} to {within[1]}")
        if _CONTINUES_BEFORE.search(text[:start][-2:]) or _CONTINUES_BEHIND.match(text[end : end + 2]):
            raise ValueError(f"the span {start} to {end} does not cover the whole number")
        numbers.read(text[start:end])
        found.add(text[start:end])
    require(len(found) == 1, f"the spans {list(spans)} hold different numbers")
    return found.pop()


def option_number(text: str, option: Span, span: Span | None) -> Span:
    """Where the one number of an option stands; ValueError if there are more, or it is not where `span` says."""
    start, end = numbers.only(text[slice(*option)])
    found = (option[0] + start, option[0] + end)
    if span is not None:
        printed_number(text, [span], option)
        if numbers.read(text[slice(*span)]).value != numbers.read(text[slice(*found)]).value:
            raise ValueError(f"the span {span[0]} to {span[1]} is not where the option's number stands")
    return found


def around(text: str, option: Span, number: Span, marks: Sequence[Mark]) -> tuple[str, str]:
    """The markup before and behind an option's number: its sign belongs to the number, its currency sign does not."""
    printed = numbers.read(text[slice(*number)])
    currency = number[0] + len(printed.sign)
    before = markup(text, (option[0], number[0]), marks)
    before += markup(text, (currency, currency + len(printed.currency)), marks)
    return before, markup(text, (number[1], option[1]), marks)


def markup(text: str, within: Span, marks: Sequence[Mark]) -> str:
    """A part of the text, with what stands in the marks' spans replaced. ValueError if two of them overlap."""
    pieces, position = [], within[0]
    for (start, end), marker in sorted(
        mark for mark in marks if within[0] <= mark.span[0] and mark.span[1] <= within[1]
    ):
        require(start >= position, f"the span {start} to {end} ({marker}) overlaps another one")
        pieces += [escaped(text[position:start]), f"{{{marker}}}"]
        position = end
    return "".join([*pieces, escaped(text[position : within[1]])])


def option_fields(
    text: str, places: Sequence[Span], spans: Sequence[Span], gold: int, marks: Sequence[Mark]
) -> dict[str, Any]:
    """What a template says about the options at these places, whose numbers stand in these spans."""
    prefix, suffix = around(text, places[gold], spans[gold], marks)
    return {
        "options": [markup(text, place, marks) for place in places],
        "gold": LETTERS[gold],
        "prefix": prefix,
        "suffix": suffix,
        "digits": max(numbers.read(text[slice(*span)]).decimals for span in spans),
    }


def occurrences(name: str, text: str) -> list[tuple[int, int]]:
    """Where a name stands in a text as a word of its own; a currency sign stands anywhere."""
    pattern = rf"(?<!\w){re.escape(name)}(?!\w)" if name[0].isalnum() else re.escape(name)
    return [match.span() for match in re.finditer(pattern, text)]
