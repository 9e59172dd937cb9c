"""Solutions of GSM8K's questions as their authors publish them: what each model wrote, marked as right or wrong.

They are read and scored anew, and where that comes out otherwise it is said.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from counterfoil.asking.ask import Reply
from counterfoil.files import read_bytes
from counterfoil.memorization import metrics
from counterfoil.memorization.importers import REPORTED, VARIANT, ImportedQuestion, counted
from counterfoil.memorization.reading import Answer
from counterfoil.stats.estimate import Estimate
from counterfoil.suite.imports import Imported
from counterfoil.tables import kept, rows_of

FORMAT = "gsm8k"


class Solution(NamedTuple):
    """What a model wrote, whether the file marks it as right, and what we read in it."""

    question_id: str
    model: str
    text: str
    marked: bool
    gold: Decimal
    where: str

    @property
    def answer(self) -> Answer | None:
        """What it answers; right only if it is the gold answer to the last digit."""
        from counterfoil.reading.amounts import number_of

        read = number_of(self.text, Decimal(1), 0, None)
        if read is None:
            return None
        return Answer(text=f"{read.said:f}", correct=read.said == self.gold, read_by=read.by)


class Solutions:
    """The solutions of all files, and the questions that they are to."""

    def __init__(self, files: Sequence[str]) -> None:
        self.name = ", ".join(Path(name).name for name in files)
        contents = {name: read_bytes(Path(name)) for name in files}
        self.sha256 = hashlib.sha256(b"".join(contents.values())).hexdigest()
        self.solutions = [
            solution
            for name, content in contents.items()
            for several in kept(rows_of(content, name, Path(name).suffix.lower() or ".jsonl"), name, _solutions)
            for solution in several
        ]

    def __iter__(self) -> Iterator[ImportedQuestion]:
        for name in dict.fromkeys(solution.question_id for solution in self.solutions):
            yield ImportedQuestion(name, name, 0, 0)

    def imported(self) -> Iterator[Imported]:
        for solution in self.solutions:
            yield Imported(
                model=solution.model,
                variant=VARIANT,
                question_id=solution.question_id,
                reply=Reply(status="ok", text=solution.text),
                reading=solution.answer,
                was_read=True,
                where=solution.where,
            )

    def marked_otherwise(self) -> dict[str, list[str]]:
        """By model, a sentence for each solution that comes out otherwise than it is marked."""
        found: dict[str, list[str]] = {solution.model: [] for solution in self.solutions}
        for solution in self.solutions:
            answer = solution.answer
            if (answer is not None and answer.correct) == solution.marked:
                continue
            read = "nothing can be read in it" if answer is None else f"it is read as {answer.text}"
            marked = "right" if solution.marked else "wrong"
            told = f"marked as {marked}, but {read}, and the answer is {solution.gold}."
            found[solution.model].append(f"{solution.where} ({solution.model}): {told}")
        return found

    def reported(self) -> list[Estimate]:
        """What the file marks, and how often that comes out otherwise here."""
        estimates = []
        for model, sentences in self.marked_otherwise().items():
            marks = [solution.marked for solution in self.solutions if solution.model == model]
            estimates.append(counted(model, metrics.ACCURACY_ORIGINAL, sum(marks) / len(marks), len(marks), REPORTED))
            estimates.append(
                counted(
                    model,
                    metrics.MARKED_OTHERWISE,
                    len(sentences) / len(marks),
                    len(marks),
                    {"basis": "finding"},
                    " ".join(sentences) or "all solutions come out as they are marked",
                )
            )
        return estimates

    def sentences(self) -> list[str]:
        """How far the marks and the readings agree; then each solution that comes out otherwise, with the reason."""
        otherwise = [sentence for sentences in self.marked_otherwise().values() for sentence in sentences]
        agreed, every = len(self.solutions) - len(otherwise), len(self.solutions)
        right: Counter[str] = Counter()
        for solution in self.solutions:
            right[solution.model] += solution.answer is not None and solution.answer.correct
        told = ", ".join(f"{count:,} of {model}" for model, count in right.items())
        return [
            f"{agreed:,} of {every:,} solutions come out as they are marked ({agreed / every:.2%}). Right are {told}.",
            *otherwise,
        ]


def _solutions(where: str, row: Any) -> list[Solution]:
    """The solutions of a row, one for each model. ValueError says what can't be right about it."""
    from counterfoil.reading.amounts import number_of

    if not isinstance(row, Mapping) or not all(isinstance(row.get(name), str) for name in ("question", "ground_truth")):
        raise ValueError("it has no question and ground_truth")
    gold = number_of(row["ground_truth"], Decimal(1), 0, None)
    if gold is None:
        raise ValueError("its ground_truth gives no answer")
    name = f"gsm8k-{hashlib.sha256(row['question'].encode()).hexdigest()[:12]}"
    found = []
    for model, made in row.items():
        if not isinstance(made, Mapping):
            continue
        text, marked = made.get("solution"), made.get("is_correct")
        if not isinstance(text, str) or not isinstance(marked, bool):
            raise ValueError(f"{model} has no solution, or does not say whether it is_correct")
        found.append(Solution(name, model, text, marked, gold.said, where))
    if not found:
        raise ValueError("no model has a solution")
    return found
