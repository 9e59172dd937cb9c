"""The suite `memorization`: ties the others together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterfoil.asking.ask import Message, Reply
from counterfoil.asking.models.planted import Respondent
from counterfoil.errors import UserError
from counterfoil.memorization.importers import ImportedQuestions, import_cfa, texts_by_id
from counterfoil.memorization.options import OPTIONS
from counterfoil.memorization.planted import respondent
from counterfoil.memorization.prompts import VARIANTS, load_variants, messages
from counterfoil.memorization.questions import existing_path, load_set
from counterfoil.memorization.reading import Answer, read_answer
from counterfoil.perturbing.making.existing import load_existing
from counterfoil.perturbing.questions import PerturbedSet, Question
from counterfoil.stats.estimate import Estimate
from counterfoil.suite.imports import Importer
from counterfoil.suite.metric import Measure
from counterfoil.suite.options import Option, with_defaults
from counterfoil.suite.suite import JudgeAsk, Row, Variant

if TYPE_CHECKING:
    import polars as pl

    from counterfoil.running.folder import Run


class Memorization:
    """Does the model reason, or remember?"""

    name = "memorization"
    options: Sequence[Option] = OPTIONS
    columns: Mapping[str, Any] = {
        "parent": str,
        "level": int,
        "draw": int,
        "control": str,
        "topic": str,
        "status": str,
        "gold": str,
        "answer": str,
        "correct": bool,
        "kept_old": bool,
        "took_sham": bool,
    }

    metrics: Sequence[str] = (
        *("accuracy_original", "accuracy_perturbed", "memorization_gap", "excess_gap", "kept_old", "kept_old_excess"),
        *("robust_accuracy", "memorization_suspect", "improved", "consistency", "out_of_choice"),
    )

    def __init__(self, settings: Mapping[str, Any] | None = None) -> None:
        self._settings = with_defaults(OPTIONS, settings or {})
        self._format = (settings or {}).get("format")
        self._files: Sequence[str] = (settings or {}).get("files") or ()
        self._imported_model = (settings or {}).get("imported_model")
        self._questions: PerturbedSet | ImportedQuestions | None = None
        # The texts of imported questions by file and id, where the user has named the dataset.
        self._texts: dict[str, Mapping[str, str]] = {}
        tolerance = self._settings["tolerance"]
        self._tolerance = None if tolerance is None else Decimal(str(tolerance))

    def params(self, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"max_tokens": 1024}

    @property
    def importers(self) -> Mapping[str, Importer]:
        return {"cfa": partial(import_cfa, model=self._imported_model)}

    def configured(self, settings: Mapping[str, Any]) -> Memorization:
        if settings["judges"]:
            raise UserError("memorization asks no judges: leave --judge out.")
        return Memorization(settings)

    def dataset(self, data: str | None) -> PerturbedSet | ImportedQuestions:
        if self._format != "cfa":
            self._questions = load_set(data, self._settings)
            return self._questions
        # The seed's files tell of their questions only which they are; the dataset, if it is named, tells the rest.
        self._questions = ImportedQuestions(self._files, self._imported_model)
        if data is not None:
            existing = load_existing(existing_path(data))
            self._texts = {name: texts_by_id(existing, results) for name, results in self._questions.results.items()}
        return self._questions

    def variants(self, names: Sequence[str], dataset: Any) -> list[Variant]:
        """Replies from elsewhere may be to any of the shipped prompts."""
        return load_variants(names or (VARIANTS if self._format else ()))

    def planted(self, settings: Mapping[str, str], questions: Iterable[Question] | None) -> Respondent:
        return respondent(settings, questions)

    def prepare(self, questions: Iterable[Any]) -> None:
        """Nothing needs to be known of the whole dataset."""

    def messages(self, question: Question, variant: Variant) -> list[Message]:
        return messages(question, variant)

    def read(self, question: Question, variant: Variant, reply: Reply) -> Answer | None:
        if variant.prompt is None:  # somebody else's words: what they ask for is taken to be a letter
            [variant] = load_variants(["mcq"])
        return read_answer(question, variant, reply.text, self._tolerance)

    async def judge(self, question: Question, reading: Answer, ask: JudgeAsk) -> None:
        raise NotImplementedError("memorization asks no judges")

    def score(self, question: Any, facts: None, reading: Answer | None, verdicts: None) -> Row:
        row: Row = {"gold": getattr(question, "gold", None), "correct": False, "kept_old": False, "took_sham": False}
        if reading is None:
            return row
        return row | {
            "answer": reading.letter or reading.number,
            "correct": reading.correct,
            "kept_old": reading.kept_old,
            "took_sham": reading.sham,
        }

    def summarize(self, rows: pl.DataFrame, facts: None) -> list[Estimate]:
        from counterfoil.memorization.summary import summarize

        estimates = summarize(rows)
        if isinstance(self._questions, ImportedQuestions):
            from counterfoil.memorization.importers import finding_estimates, reported_estimates, with_doubt

            estimates = with_doubt(estimates)
            for name, results in self._questions.results.items():
                estimates += reported_estimates(results)
                estimates += finding_estimates(results, self._texts.get(name))
        return estimates

    def measures(self, rows: pl.DataFrame, settings: Mapping[str, Any]) -> tuple[pl.DataFrame, list[Measure]]:
        from counterfoil.memorization.measures import measures

        return measures(rows)

    def seed_comparison(
        self, a: Sequence[Estimate], b: Sequence[Estimate], label_a: str, label_b: str
    ) -> list[dict[str, Any]]:
        return []

    def finished(self, run: Run) -> None:
        from counterfoil.memorization.files import write_files

        write_files(run, self._questions if isinstance(self._questions, PerturbedSet) else None)
        if isinstance(self._questions, ImportedQuestions):
            from counterfoil.console import say
            from counterfoil.memorization.importers import findings

            for name, results in self._questions.results.items():
                for *_, sentence in findings(results, self._texts.get(name)):
                    say(f"{Path(name).name}: {sentence}")


suite = Memorization()
