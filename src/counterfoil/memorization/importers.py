"""Results from elsewhere: files in the seed's format, read as questions, replies and readings at once."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from counterfoil.asking.ask import Reply
from counterfoil.errors import UserError
from counterfoil.memorization.reading import Answer
from counterfoil.memorization.results_file import Results, read_results
from counterfoil.suite.imports import Imported

VARIANT = "imported"
_LETTER = re.compile(r"\(?([A-C])\)?\.?")


class ImportedQuestion(msgspec.Struct, frozen=True):
    """What such a file tells of a question: no text, no options, only which it is."""

    id: str
    unit: str
    level: int
    draw: int

    @property
    def kin(self) -> str:
        return self.unit

    @property
    def cluster(self) -> str:
        return self.unit

    @property
    def stratum(self) -> str:
        return "all"

    @property
    def asked_before(self) -> int:
        return 0

    @property
    def columns(self) -> Mapping[str, Any]:
        return {"parent": self.unit, "level": self.level, "draw": self.draw, "topic": None, "status": "imported"}


class ImportedQuestions:
    """The questions of all files together: originals, and valid perturbations."""

    def __init__(self, files: Sequence[str], model: str | None = None) -> None:
        self.name = ", ".join(Path(name).name for name in files)
        self.results = {name: read_results(Path(name), model) for name in files}
        content = b"".join(Path(name).read_bytes() for name in files)
        self.sha256 = hashlib.sha256(content).hexdigest()
        self._questions: dict[str, ImportedQuestion] = {}
        for results in self.results.values():
            for result in results.results:
                found = [ImportedQuestion(result.question_id, result.question_id, 0, 0)]
                found += [
                    ImportedQuestion(name, result.question_id, level, draw) for name, level, draw, _ in _valid(result)
                ]
                self._questions |= {question.id: question for question in found}

    def __iter__(self) -> Iterator[ImportedQuestion]:
        return iter(self._questions.values())


def import_cfa(files: Sequence[Path], questions: Mapping[str, Any], *, model: str | None = None) -> Iterator[Imported]:
    """The answers in the files, with what they say of them: right or not. `model`: whose, where a file is silent."""
    seen: Counter[str] = Counter()
    for path in files:
        results = read_results(path, model)
        seen[results.model] += 1
        if seen[results.model] > 1:
            raise UserError(f"{path}: there is another file of {results.model}: import each in a command of its own.")
        for number, result in enumerate(results.results, start=1):
            where = f"{path}, result {number}"
            yield _imported(results, result.question_id, result.original.answer, result.original.correct, where)
            for name, _, _, perturbation in _valid(result):
                yield _imported(results, name, perturbation.model_answer, perturbation.correct, where)


def _imported(results: Results, question_id: str, answer: str | None, correct: bool | None, where: str) -> Imported:
    if correct is None:
        raise UserError(f"{where}: {question_id} does not say whether its answer is correct.")
    text = (answer or "").strip()
    letter = _LETTER.fullmatch(text)
    reading = Answer(
        letter=letter[1] if letter else None,
        number=None if letter else text or None,
        correct=correct,
        kept_old=False,
        sham=False,
    )
    return Imported(
        model=results.model,
        variant=VARIANT,
        question_id=question_id,
        reply=Reply(status="ok", text=text),
        reading=reading if text or correct else None,
        was_read=True,
        where=where,
    )


def _valid(result: Any) -> Iterator[tuple[str, int, int, Any]]:
    draws: Counter[int] = Counter()
    for perturbation in result.perturbations:
        if perturbation.valid:
            draw = draws[perturbation.level]
            draws[perturbation.level] += 1
            yield f"{result.question_id}/{perturbation.level}/{draw}", perturbation.level, draw, perturbation
