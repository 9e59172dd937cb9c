"""What a question of `explain` is, and the files it can come from."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from counterfoil import targets
from counterfoil.datasets.registry import is_registered, no_dataset
from counterfoil.errors import UserError
from counterfoil.explain.scoring import is_confusing_by_threshold
from counterfoil.inputs import inputs_now
from counterfoil.suite.suite import ListedQuestions
from counterfoil.suite.suite import Question as SuiteQuestion
from counterfoil.tables import parsed, rows_of

SAMPLES = {"english": ("english.jsonl",), "korean": ("korean.jsonl",), "samples": ("english.jsonl", "korean.jsonl")}
DEFAULT_SAMPLE = "english"
CSV_COLUMNS = ("id", "question", "answer", "candidates")
SCORE_KINDS = ("listwise", "bradley_terry", "plackett_luce")

_CANDIDATE = re.compile(r"^(.*)\((\d+(?:\.\d+)?)\)$", re.DOTALL)
# What another candidate looks like that was not parted from the next one by |.
_PARTED_OTHERWISE = re.compile(r"\(\d{1,3}(?:\.\d+)?\)\s*[;,/]")
_KNOWN = ("id", "question", "answer", "candidates", "candidate_answers", "aliases")
_MISSPELLED = {"alias": "aliases", "candidate": "candidates", "answers": "answer", "questions": "question"}
_KINDS = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list", dict: "an object"}


class Question(msgspec.Struct, SuiteQuestion, frozen=True, kw_only=True, rename={"text": "question", "gold": "answer"}):
    """A factual question with one objective answer, and wrong candidates, each with a plausibility from 0 to 100."""

    id: str
    text: str
    gold: str
    aliases: tuple[str, ...] = ()
    candidates: dict[str, float]

    @property
    def stratum(self) -> str:
        """A sample holds as many confusing questions as its dataset does."""
        return "confusing" if is_confusing_by_threshold(self.candidates.values()) else "plain"


def load_questions(data: str | None, scores: str = "listwise") -> ListedQuestions[Question]:
    """The samples by name, or a file: PlausibleQA's JSON, JSONL, or CSV. Every bad row is named in the sentence."""
    if data is None or data in SAMPLES:
        name = data or DEFAULT_SAMPLE
        folder = resources.files("counterfoil.explain") / "samples"
        files = [(file, (folder / file).read_bytes()) for file in SAMPLES[name]]
    else:
        name, path = Path(data).name, _path(data)
        try:
            targets.reading(path)
            files = [(str(path), path.read_bytes())]
        except OSError as error:
            raise no_dataset(data, [*SAMPLES, "plausibleqa"]) from error
    content = b"".join(raw for _, raw in files)
    questions = [question for file, raw in files for question in parse_questions(raw, file, scores)]
    numbers = [number for question in questions for number in question.candidates.values()]
    if numbers and max(numbers) <= 1 and any(number % 1 for number in numbers):
        inputs_now().note(
            f"{name}: no plausibility is above 1. They are taken to be of 100, so no question is confusing: "
            "multiply them by 100 if they are shares."
        )
    return ListedQuestions(name, hashlib.sha256(content).hexdigest(), questions)


def _path(data: str) -> Path:
    """A file, or the cached one of a dataset that can be fetched."""
    if not is_registered(data):
        return Path(data)
    from counterfoil.datasets.fetch import dataset_path  # loads aiohttp

    return dataset_path(data)


def parse_questions(raw: bytes, where: str, scores: str = "listwise") -> list[Question]:
    """The questions of a file's content, whose name tells its format."""
    ending = Path(where).suffix.lower()
    if ending not in (".json", ".jsonl", ".csv"):
        raise UserError(f"{where}: a dataset is a .json, .jsonl or .csv file.")
    ids: set[str] = set()

    def parse(row: Any) -> Question:
        question = _question(row, scores)
        if question.id in ids:
            raise ValueError(f"its id {question.id} was there before")
        ids.add(question.id)
        return question

    return parsed(rows_of(raw, where, ending, CSV_COLUMNS), where, parse)


def _question(row: Any, scores: str) -> Question:
    """A question from a row of any of the formats; ValueError says what is wrong with it."""
    if not isinstance(row, dict):
        raise ValueError("it is no object")
    for key in row:
        plain = str(key).strip().casefold()
        meant = plain if plain in _KNOWN else _MISSPELLED.get(plain)
        if meant is not None and meant not in row:
            raise ValueError(f"it has {key}, which is not read: call it {meant}")
    fields = {}
    for name in ("id", "question", "answer"):
        value = str(row[name]) if name == "id" and isinstance(row.get(name), int) else row.get(name)
        if value is not None and not isinstance(value, str):
            raise ValueError(f"its {name} is {_KINDS.get(type(value), value)}, and must be a text")
        if value is None or not value.strip():
            raise ValueError(f"its {name} is missing")
        fields[name] = value.strip()
    candidates = _candidates(row.get("candidates", row.get("candidate_answers")), scores)
    aliases = row.get("aliases") or []
    if isinstance(aliases, str):
        aliases = [alias.strip() for alias in aliases.split("|") if alias.strip()]
    if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
        raise ValueError("its aliases are no list of texts")
    if any(name.casefold() == fields["answer"].casefold() for name in candidates):
        raise ValueError("its answer is one of its candidates")
    rivals = {name.strip().casefold() for name in candidates}
    if wrong := [alias for alias in aliases if alias.strip().casefold() in rivals]:
        raise ValueError(f"its alias {wrong[0]!r} is one of its candidates, too: it can't be right and wrong")
    return Question(
        id=fields["id"],
        text=fields["question"],
        gold=fields["answer"],
        aliases=tuple(aliases),
        candidates=candidates,
    )


def _candidates(value: Any, scores: str) -> dict[str, float]:
    """From {text: number}, from PlausibleQA's {text: {listwise: …}}, or from "text (number)|text (number)"."""
    if isinstance(value, str):
        matches = {part: _CANDIDATE.match(part.strip()) for part in value.split("|") if part.strip()}
        unread = [part for part, match in matches.items() if match is None]
        if unread:
            raise ValueError(f"its candidate {unread[0]!r} does not end with a plausibility in brackets")
        if joined := [part for part in matches if _PARTED_OTHERWISE.search(part)]:
            raise ValueError(f"its candidate {joined[0]!r} looks like several: put | between them")
        pairs = [(match.group(1).strip(), float(match.group(2))) for match in matches.values() if match]
        value = dict(pairs)
        if len(value) < len(pairs):
            raise ValueError("one of its candidates is there twice")
    if value and not isinstance(value, dict):
        kind = _KINDS.get(type(value), value)
        raise ValueError(f'its candidates are {kind}: write each with its plausibility, as in {{"Sydney": 80}}')
    if not value:
        raise ValueError("it has no candidates")
    candidates = {}
    for text, plausibility in value.items():
        if not text.strip():
            raise ValueError("one of its candidates has no name")
        if not isinstance(plausibility, Mapping) and scores != SCORE_KINDS[0]:
            raise UserError(f"--plausibility {scores}: these candidates have one plausibility each. Leave it out.")
        number = plausibility.get(scores) if isinstance(plausibility, Mapping) else plausibility
        if isinstance(number, str | bool | list):
            raise ValueError(
                f"the plausibility of {text!r} is {number!r}, {_KINDS[type(number)]}, and must be a number"
            )
        if not isinstance(number, int | float):
            raise ValueError(f"its candidate {text!r} has no {scores} plausibility")
        if not 0 <= number <= 100:
            raise ValueError(f"the plausibility of {text!r} is {number}, and must be from 0 to 100")
        candidates[text] = float(number)
    return candidates


def encode_questions(questions: Iterable[Question]) -> bytes:
    """The questions as JSONL that `--data` reads."""
    return b"".join(msgspec.json.encode(question) + b"\n" for question in questions)
