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
from counterfoil.inputs import Inputs, inputs_now, reading_inputs
from counterfoil.memorization import metrics
from counterfoil.memorization.files import Perturbation, Result, Results, read_results, reported_summary
from counterfoil.memorization.questions import existing_path
from counterfoil.memorization.reading import Answer
from counterfoil.perturbing.making.existing import ExistingQuestion, load_existing
from counterfoil.stats.estimate import Estimate
from counterfoil.stats.metric import Metric
from counterfoil.suite.imports import Imported
from counterfoil.suite.suite import Question as SuiteQuestion

VARIANT = "imported"
REPORTED: dict[str, str | int] = {"basis": "reported"}
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
        named = _named([Path(name) for name in files], model)
        self.results = {name: named[Path(name)] for name in files}
        content = b"".join(Path(name).read_bytes() for name in files)
        self.sha256 = hashlib.sha256(content).hexdigest()
        self._questions = {
            question.id: question
            for results in self.results.values()
            for result in results.results
            for question in (
                ImportedQuestion(result.question_id, result.question_id, 0, 0),
                *(question for question, _ in _valid(result)),
            )
        }
        # The texts of the questions by file and id, where the user has named the dataset.
        self.texts: dict[str, Mapping[str, str]] = {}
        if data is not None:
            # The results number the questions: none may be left out.
            with reading_inputs(Inputs(encoding=inputs_now().encoding)):
                existing = load_existing(existing_path(data))
            self.texts = {name: texts_by_id(existing, results) for name, results in self.results.items()}

    def __iter__(self) -> Iterator[ImportedQuestion]:
        return iter(self._questions.values())


def _named(files: Sequence[Path], model: str | None) -> dict[Path, Results]:
    """The results in the files. Several runs of one model are told apart by the names of their files, or of the folders
    that these are in.
    """
    found = {path: read_results(path, model) for path in files}
    runs = Counter(results.model for results in found.values())
    stems = Counter(path.stem for path in found)
    for path, results in found.items():
        if runs[results.model] > 1:
            own = path.stem if stems[path.stem] == 1 else f"{path.resolve().parent.name}/{path.stem}"
            results.metadata["model"] = f"{results.model} ({own})"
    models = Counter(results.model for results in found.values())
    for path, results in found.items():
        if models[results.model] > 1:
            raise UserError(f"{path}: another file of the same model has the same name: give each a name of its own.")
    return found


def import_cfa(files: Sequence[Path], questions: Mapping[str, Any], *, model: str | None = None) -> Iterator[Imported]:
    """The answers in the files, with what they say of them: right or not. `model`: whose, where a file is silent."""
    for path, results in _named(files, model).items():
        for number, result in enumerate(results.results, start=1):
            where = f"{path}, result {number}"
            yield _imported(results, result.question_id, result.original.answer, result.original.correct, where)
            for question, perturbation in _valid(result):
                yield _imported(results, question.id, perturbation.model_answer, perturbation.correct, where)


def _imported(results: Results, question_id: str, answer: str | None, correct: bool | None, where: str) -> Imported:
    if correct is None:
        raise UserError(f"{where}: {question_id} does not say whether its answer is correct.")
    text = (answer or "").strip()
    letter = _LETTER.fullmatch(text)
    reading = Answer(text=letter[1] if letter else text or None, correct=correct)
    return Imported(
        model=results.model,
        variant=VARIANT,
        question_id=question_id,
        reply=Reply(status="ok", text=text),
        reading=reading if text or correct else None,
        was_read=True,
        where=where,
    )


def _valid(result: Result) -> Iterator[tuple[ImportedQuestion, Perturbation]]:
    """The valid perturbations, each with the question that it is."""
    draws: Counter[int] = Counter()
    for perturbation in result.perturbations:
        if perturbation.valid:
            level, draw = perturbation.level, draws[perturbation.level]
            draws[level] += 1
            name = f"{result.question_id}/{level}/{draw}"
            yield ImportedQuestion(name, result.question_id, level, draw), perturbation


def reported_estimates(results: Results) -> list[Estimate]:
    """What the file reports, made anew from its results in its own way."""
    summary = reported_summary(results)
    n = len(results.results)
    estimates = [
        counted(results.model, metric, summary[metric.name], n, REPORTED)
        for metric in (metrics.ACCURACY_ORIGINAL, metrics.ROBUST_ACCURACY, metrics.MEMORIZATION_SUSPECT)
    ]
    levels = summary["perturbation_levels"]
    groups = [({**REPORTED, "level": int(level)}, of_level) for level, of_level in levels.items()]
    if len(groups) == 1:
        groups.append((REPORTED, groups[0][1]))
    for group, of_level in groups:
        for metric, value in (
            (metrics.ACCURACY_PERTURBED, of_level["accuracy"]),
            (metrics.MEMORIZATION_GAP, of_level[metrics.MEMORIZATION_GAP.name]),
        ):
            estimates.append(counted(results.model, metric, value, of_level["n_valid"], group))
    return estimates


def with_reported(estimates: Iterable[Estimate], questions: ImportedQuestions) -> list[Estimate]:
    """The estimates, then what the files report and what is wrong with it. Gaps have a note: the bound on what wrong
    gold answers could do to them.
    """
    doubted = (metrics.MEMORIZATION_GAP.name, metrics.CONSISTENCY.name)
    doubt = "the gold answers are the file's: if a share e of them is wrong, that moves the gap by up to e"
    every = list(estimates)
    for estimate in every:
        if estimate.metric in doubted and estimate.value is not None:
            estimate.note = "; ".join(filter(None, [doubt, estimate.note]))
    for name, results in questions.results.items():
        found = finding_estimates(results, questions.texts.get(name))
        for estimate in found:
            estimate.note = attributed(estimate.note or "", name, results)
        every += reported_estimates(results) + found
    return every


def findings(results: Results, texts: Mapping[str, str] | None) -> list[tuple[Metric, int, int, str]]:
    """The metric, the number, out of how many, and a sentence, for everything that makes the reported figures wrong.

    `texts`: the questions by their ids, where they are known.
    """
    every = results.results
    valid = [(result, p) for result in every for p in result.perturbations if p.valid]
    without = [result for result in every if not any(p.valid for p in result.perturbations)]
    robust = sum(bool(result.original.correct) for result in without)
    unchanged = sum(1 for _, p in valid if p.changes_made is not None and not p.changes_made)
    answers = [*(result.original.answer for result in every), *(p.model_answer for _, p in valid)]
    unread = sum(not (answer or "").strip() for answer in answers)
    n, asked, variants = len(every), len(answers), len(valid)
    unpaired = f"The reported gap is unpaired: {n} originals against variants of {n - len(without)} of them."
    no_variant = f"{robust} of {n} questions have no valid variant and are counted as robust."
    no_change = f"{unchanged} of {variants} variants list no change at all."
    not_read = f"{unread} of {asked} answers could not be read, and count as wrong."
    found = [
        (metrics.UNPAIRED, len(without), n, unpaired),
        (metrics.ROBUST_WITHOUT_VARIANT, robust, n, no_variant),
        (metrics.UNCHANGED_VARIANTS, unchanged, variants, no_change),
        (metrics.UNREAD_ANSWERS, unread, asked, not_read),
    ]
    if texts is not None:
        plain = sum(not _DIGIT.search(texts.get(result.question_id, "0")) for result, _ in valid)
        no_digit = f"{plain} of {variants} variants are of questions without a single digit."
        found.append((metrics.VARIANTS_WITHOUT_DIGITS, plain, variants, no_digit))
    return [finding for finding in found if finding[1]] + _by_letter(valid)


def attributed(sentence: str, name: str, results: Results) -> str:
    """A sentence about a file, with the file and the model that it is of."""
    return f"{name} ({results.model}): {sentence}"


def _by_letter(valid: Sequence[tuple[Result, Perturbation]]) -> list[tuple[Metric, int, int, str]]:
    """How often variants are right where the right letter is the original's, and where it is another one."""
    sides: dict[bool, list[bool]] = {True: [], False: []}
    for result, perturbation in valid:
        letters = [
            _LETTER.fullmatch((text or "").strip()) for text in (result.correct_answer, perturbation.perturbed_answer)
        ]
        if letters[0] and letters[1]:
            sides[letters[0][1] == letters[1][1]].append(bool(perturbation.correct))
    if not all(sides.values()):
        return []
    told = {
        True: (metrics.RIGHT_LETTER_KEPT, "the right letter is the original's"),
        False: (metrics.RIGHT_LETTER_MOVED, "the right letter is not the original's"),
    }
    return [
        (metric, sum(some), len(some), f"{sum(some)} of {len(some)} variants are right where {where}.")
        for (metric, where), some in ((told[kept], some) for kept, some in sides.items())
    ]


def finding_estimates(results: Results, texts: Mapping[str, str] | None) -> list[Estimate]:
    """The same as numbers, for summary.json."""
    return [
        counted(results.model, metric, number / total, total, {"basis": "finding"}, sentence)
        for metric, number, total, sentence in findings(results, texts)
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


def counted(
    model: str,
    metric: Metric,
    value: float | None,
    n: int,
    group: dict[str, str | int],
    note: str = "no interval: recomputed as reported",
) -> Estimate:
    """A figure that a file from elsewhere reports, or what is counted in it."""
    return Estimate(
        metric=metric.name,
        model=model,
        variant=VARIANT,
        group=dict(group),
        value=value,
        low=None,
        high=None,
        n=n,
        clusters=n,
        method="as the file counts" if group["basis"] == "reported" else "counted",
        note=note,
    )
