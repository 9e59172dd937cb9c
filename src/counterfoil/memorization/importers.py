"""Results from elsewhere: files in the CFA study's format, read as questions, replies and readings at once.

What is wrong with them is counted, and said in words.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from counterfoil.asking.ask import Reply
from counterfoil.errors import UserError
from counterfoil.memorization.files import Perturbation, Result, Results, read_results, reported_summary
from counterfoil.memorization.metrics import (
    ACCURACY_ORIGINAL,
    ACCURACY_PERTURBED,
    CONSISTENCY,
    MEMORIZATION_GAP,
    MEMORIZATION_SUSPECT,
    ROBUST_ACCURACY,
    ROBUST_WITHOUT_VARIANT,
    UNCHANGED_VARIANTS,
    UNPAIRED,
    UNREAD_ANSWERS,
    VARIANTS_WITHOUT_DIGITS,
)
from counterfoil.memorization.questions import existing_path
from counterfoil.memorization.reading import Answer
from counterfoil.perturbing.making.existing import ExistingQuestion, load_existing
from counterfoil.stats.estimate import Estimate
from counterfoil.suite.imports import Imported
from counterfoil.suite.suite import Question as SuiteQuestion

VARIANT = "imported"
REPORTED = {"basis": "reported"}
_DIGIT = re.compile(r"\d")
_NUMBER_AT_END = re.compile(r"(\d+)$")
_LETTER = re.compile(r"\(?([A-C])\)?\.?")


class ImportedQuestion(msgspec.Struct, SuiteQuestion, frozen=True):
    """What such a file tells of a question: no text, no options, only which it is."""

    id: str
    unit: str
    level: int
    draw: int

    @property
    def cluster(self) -> str:
        return self.unit

    @property
    def columns(self) -> Mapping[str, Any]:
        return {"parent": self.unit, "level": self.level, "draw": self.draw, "topic": None, "status": "imported"}


class ImportedQuestions:
    """The questions of all files together: originals, and valid perturbations."""

    def __init__(self, files: Sequence[str], model: str | None = None, data: str | None = None) -> None:
        """`data` names the dataset that the results are of: these files only tell which of its questions they are."""
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

        # The texts of the questions by file and id, where the user has named the dataset.
        self.texts: dict[str, Mapping[str, str]] = {}
        if data is not None:
            existing = load_existing(existing_path(data))
            self.texts = {name: texts_by_id(existing, results) for name, results in self.results.items()}

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


def _valid(result: Result) -> Iterator[tuple[str, int, int, Perturbation]]:
    """The id, the level and the draw of each valid perturbation."""
    draws: Counter[int] = Counter()
    for perturbation in result.perturbations:
        if perturbation.valid:
            draw = draws[perturbation.level]
            draws[perturbation.level] += 1
            yield f"{result.question_id}/{perturbation.level}/{draw}", perturbation.level, draw, perturbation


def reported_estimates(results: Results) -> list[Estimate]:
    """What the file reports, made anew from its results in its own way."""
    summary = reported_summary(results)
    n = len(results.results)
    estimates = [
        _plain(results, metric, summary[metric], n, REPORTED)
        for metric in (ACCURACY_ORIGINAL.name, ROBUST_ACCURACY.name, MEMORIZATION_SUSPECT.name)
    ]
    for level, found in summary["perturbation_levels"].items():
        group: dict[str, str | int] = {**REPORTED, "level": int(level)}
        estimates.append(_plain(results, ACCURACY_PERTURBED.name, found["accuracy"], found["n_valid"], group))
        estimates.append(_plain(results, MEMORIZATION_GAP.name, found[MEMORIZATION_GAP.name], found["n_valid"], group))
    levels = list(summary["perturbation_levels"].values())
    if len(levels) == 1:
        [only] = levels
        estimates.append(_plain(results, ACCURACY_PERTURBED.name, only["accuracy"], only["n_valid"], REPORTED))
        estimates.append(_plain(results, MEMORIZATION_GAP.name, only[MEMORIZATION_GAP.name], only["n_valid"], REPORTED))
    return estimates


def with_doubt(estimates: Iterable[Estimate]) -> list[Estimate]:
    """Gaps of imported results, with the bound on what wrong gold answers could do to them."""
    doubt = "the gold answers are the file's: if a share e of them is wrong, that moves the gap by up to e"
    return [
        msgspec.structs.replace(estimate, note="; ".join(filter(None, [doubt, estimate.note])))
        if estimate.metric in (MEMORIZATION_GAP.name, CONSISTENCY.name) and estimate.value is not None
        else estimate
        for estimate in estimates
    ]


def findings(results: Results, texts: Mapping[str, str] | None) -> list[tuple[str, int, int, str]]:
    """Name, number, out of how many, and a sentence, for everything that makes the reported figures wrong.

    `texts`: the questions by their ids, where they are known.
    """
    valid = [(result, p) for result in results.results for p in result.perturbations if p.valid]
    without = [result for result in results.results if not any(p.valid for p in result.perturbations)]
    counted_robust = sum(bool(result.original.correct) for result in without)
    unchanged = sum(1 for _, p in valid if p.changes_made is not None and not p.changes_made)
    unread = sum(not (result.original.answer or "").strip() for result in results.results)
    unread += sum(not (p.model_answer or "").strip() for _, p in valid)
    n, asked = len(results.results), len(results.results) + len(valid)
    found = [
        (
            UNPAIRED.name,
            len(without),
            n,
            f"The reported gap is unpaired: {n} originals against variants of {n - len(without)} of them.",
        ),
        (
            ROBUST_WITHOUT_VARIANT.name,
            counted_robust,
            n,
            f"{counted_robust} of {n} questions have no valid variant and are counted as robust.",
        ),
        (
            UNCHANGED_VARIANTS.name,
            unchanged,
            len(valid),
            f"{unchanged} of {len(valid)} variants list no change at all.",
        ),
        (UNREAD_ANSWERS.name, unread, asked, f"{unread} of {asked} answers could not be read, and count as wrong."),
    ]
    if texts is not None:
        plain = [result for result, _ in valid if not _DIGIT.search(texts.get(result.question_id, "0"))]
        sentence = f"{len(plain)} of {len(valid)} variants are of questions without a single digit."
        found.append((VARIANTS_WITHOUT_DIGITS.name, len(plain), len(valid), sentence))
    return [entry for entry in found if entry[1]]


def finding_estimates(results: Results, texts: Mapping[str, str] | None) -> list[Estimate]:
    """The same as numbers, for summary.json."""
    return [
        _plain(results, name, number / total, total, {"basis": "finding"}, sentence)
        for name, number, total, sentence in findings(results, texts)
    ]


def texts_by_id(existing: Sequence[ExistingQuestion], results: Results) -> dict[str, str]:
    """The questions' texts without their options, by the ids in the file, which number them as the dataset does.

    UserError if the right answers show that it is another dataset.
    """
    texts = {}
    for result in results.results:
        number = _NUMBER_AT_END.search(result.question_id)
        if number is None or int(number[1]) >= len(existing):
            continue
        question = existing[int(number[1])]
        texts[result.question_id] = question.stem
        letter = None if question.gold is None else chr(ord("A") + question.gold)
        if letter is not None and result.correct_answer not in (None, letter):
            raise UserError(
                f"--data is not the dataset of these results: the right answer to {result.question_id} is {letter} in "
                f"the one and {result.correct_answer} in the other."
            )
    return texts


def _plain(
    results: Results, metric: str, value: float | None, n: int, group: Mapping[str, str | int], note: str | None = None
) -> Estimate:
    return Estimate(
        metric=metric,
        model=results.model,
        variant=VARIANT,
        group=dict(group),
        value=value,
        low=None,
        high=None,
        n=n,
        clusters=n,
        method="as the file counts" if group.get("basis") == "reported" else "counted",
        note=note or "no interval: recomputed as reported",
    )
