"""Existing multiple-choice questions, from the files that people have them in.

Each row has one of these layouts:

- `text` ("Q:…,CHOICES: A: …,B: …,C: …") with `gold` (0, 1, 2) or `answer` (a letter), as FLARE has them
- `query` ("Scenario: …; Question: …; Answer Choices: A: …") with `answer`
- `question`, `options` and `answer` (a letter, or the right option's words)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from counterfoil.datasets.rows import bad_rows, rows_of
from counterfoil.errors import UserError
from counterfoil.perturbing.making.recipes import layout, text_hash

DEFAULT_TOPIC = "not given"
ENDINGS = (".json", ".jsonl", ".csv", ".parquet")
_ALPHABET = "ABCDEFGHIJ"
_FLARE = re.compile(r"Q:.*,CHOICES: A: .*(?= Answer:\s*$)", re.DOTALL)
_SCENARIO = re.compile(
    r"Scenario:(?P<scenario>.*);\s*Question:(?P<question>.*);\s*"
    r"Answer Choices: A: (?P<A>.*), B: (?P<B>.*), C: (?P<C>.*)\.\s*Answer:\s*",
    re.DOTALL,
)


class Existing(msgspec.Struct, frozen=True, kw_only=True):
    """A question that somebody else wrote; `gold` is the position of its right option, None where that is in doubt."""

    stem: str
    options: tuple[str, ...]
    gold: int | None
    topic: str = DEFAULT_TOPIC

    @property
    def text(self) -> str:
        """The question in the form that recipes know it by."""
        choices = (f"{letter}: {option}" for letter, option in zip(_ALPHABET, self.options, strict=False))
        return f"Q:{self.stem},CHOICES: {','.join(choices)}"

    @property
    def sha256(self) -> str:
        return text_hash(self.text)


def load_existing(path: Path) -> list[Existing]:
    """The questions of a .json, .jsonl, .csv or .parquet file. UserError names every row that can't be read."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise UserError(f"{path}: existing questions are in a {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]} file.")
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} can't be read: {error.strerror or error}.") from error
    found, wrong = [], []
    for place, row in rows_of(raw, str(path), ending):
        try:
            found.append(existing_from(row))
        except ValueError as error:
            wrong.append(f"{place}: {error}")
    if wrong:
        raise bad_rows(str(path), wrong)
    if not found:
        raise UserError(f"{path} holds no questions.")
    return found


def existing_from(row: Any) -> Existing:
    """A question from a row of any of the layouts; ValueError says what is wrong with it."""
    if isinstance(row, ValueError):
        raise row
    if not isinstance(row, Mapping):
        raise ValueError("it is no object")
    if isinstance(row.get("text"), str):
        stem, options = _flare(row["text"])
    elif isinstance(row.get("query"), str):
        stem, options = _query(row["query"])
    else:
        stem, options = _plain(row)
    if not stem.strip():
        raise ValueError("its question is missing")
    if not 2 <= len(options) <= len(_ALPHABET) or not all(option.strip() for option in options):
        raise ValueError(f"its options are not 2 to {len(_ALPHABET)}, or one of them is empty")
    topic = row.get("topic")
    topic = topic.strip() if isinstance(topic, str) and topic.strip() else DEFAULT_TOPIC
    return Existing(stem=stem, options=options, gold=_gold(row, options), topic=topic)


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
    if not found or not found <= set(range(len(options))):
        raise ValueError("its answer is not one of its options" if found else "it has no answer")
    return found.pop() if len(found) == 1 else None
