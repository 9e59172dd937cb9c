"""The suite `memorization`: what the modules beside it do, as one suite."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from counterfoil.asking.ask import Message, Reply
from counterfoil.asking.models.planted import Respondent
from counterfoil.console import say
from counterfoil.errors import UserError
from counterfoil.judging.second_reader import ReadingTask, choice_task, number_task
from counterfoil.memorization import solutions
from counterfoil.memorization.importers import (
    ImportedQuestion,
    ImportedQuestions,
    attributed,
    findings,
    import_cfa,
    with_reported,
)
from counterfoil.memorization.metrics import (
    ACCURACY_PERTURBED,
    CONTROL_GAP,
    GAP_LEVELS,
    KEPT_OLD_EXCESS,
    MEMORIZATION_GAP,
    METRICS,
    TRUSTED,
)
from counterfoil.memorization.options import OPTIONS
from counterfoil.memorization.planted import MemorizationPlanting, respondent
from counterfoil.memorization.prompts import VARIANTS, load_variants, messages
from counterfoil.memorization.questions import ITEMS, LEFT_OUT, RESULTS, SET, load_set
from counterfoil.memorization.reading import Answer, letter_taken, marks, number_given, read_answer
from counterfoil.memorization.solutions import Solutions
from counterfoil.perturbing.questions import LETTERS, PerturbedSet, Question, encode_set, read_set
from counterfoil.running.folder import RECORDS
from counterfoil.stats.estimate import Estimate
from counterfoil.stats.metric import Items, Metric
from counterfoil.suite.form import NONE, Form, FormQuestion, Task, TaskContent
from counterfoil.suite.imports import Importer
from counterfoil.suite.opinions import plain_number
from counterfoil.suite.suite import Record, Row, Suite, Training, Variant

if TYPE_CHECKING:
    import polars as pl

    from counterfoil.figures.plots import Plot
    from counterfoil.figures.tables import Table
    from counterfoil.running.folder import Run
    from counterfoil.suite.habits import PlaceboSets
    from counterfoil.suite.planting import Planting

FORM = Form(
    "memorization",
    (
        FormQuestion(
            name="answer",
            text="Which option does the reply give as its answer?",
            kind="choice",
            when="options",
            choices=(*LETTERS, NONE),
        ),
        FormQuestion(
            name="number",
            text="Which number does the reply give as its answer, in the unit that is asked for? Empty if none.",
            kind="number",
            when="no_options",
        ),
    ),
    shows_right=False,
)


_Dataset = PerturbedSet | ImportedQuestions | Solutions


class Memorization(Suite[Any, Answer, _Dataset, None]):
    """Does the model reason, or remember?"""

    name = "memorization"
    options = OPTIONS
    files = (SET, ITEMS, RESULTS)
    form = FORM
    rating_strata = ("correct", "level", "control")
    unit_column = "parent"
    read_columns = ("answer",)
    reread_together = True
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

    metrics = METRICS
    group_names: Mapping[str, str] = {
        "level": "level {}",
        "control": "{}",
        "k": "at k = {}",
        "strength": "of strength {}",
        "numbers": "{} numbers",
        "basis=reported": "as reported",
        "status": "{}",
    }
    beside_overall = harness_groups = ("control",)
    headline_figures = (
        (MEMORIZATION_GAP.name, {}),
        (CONTROL_GAP.name, {"control": "again"}),
        (KEPT_OLD_EXCESS.name, {}),
    )

    def params(self, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"max_tokens": 1024}

    @property
    def importers(self) -> Mapping[str, Importer]:
        return {
            "cfa": partial(import_cfa, model=self.context.imported_model),
            solutions.FORMAT: lambda files, questions: Solutions(list(map(str, files))).imported(),
        }

    def files_for(self, models: Sequence[str], variants: Sequence[str]) -> Sequence[str]:
        from counterfoil.memorization.files import result_names

        arms = [(model, variant) for model in models for variant in variants]
        return [SET, ITEMS, *result_names(arms).values()] if arms else self.files

    def load(self, data: str | None) -> _Dataset:
        if self.context.format == solutions.FORMAT:
            return Solutions(self.context.files)
        if self.context.format == "cfa":
            return ImportedQuestions(self.context.files, self.context.imported_model, data)
        return load_set(data, self.settings)

    def prepare(self, dataset: _Dataset) -> _Dataset:
        return dataset

    def variants(self, names: Sequence[str], dataset: Any) -> list[Variant]:
        """Replies from elsewhere may be to any of the shipped prompts."""
        variants = load_variants(names or (VARIANTS if self.context.format else ()))
        if self.settings["tolerance"] is not None and not any(variant.prompt.open for variant in variants):
            raise UserError("--tolerance is for numbers, and these variants ask for letters: add --variant open.")
        return variants

    @property
    def variant_names(self) -> Sequence[str]:
        return VARIANTS

    def planted(self, settings: Mapping[str, str], questions: Iterable[Question] | None) -> Respondent:
        return respondent(settings, questions)

    def messages(self, question: Question, variant: Variant) -> list[Message]:
        return messages(question, variant)

    def read(self, question: Question, variant: Variant, reply: Reply) -> Answer | None:
        if variant.prompt is None:  # somebody else's words: what they ask for is taken to be a letter
            [variant] = load_variants(["mcq"])
        return read_answer(question, variant, reply.text, self._tolerance())

    def _tolerance(self) -> Decimal | None:
        given = self.settings["tolerance"]
        return None if given is None else Decimal(str(given))

    @property
    def can_be_reread(self) -> bool:
        """Published results come without the texts of replies, or of questions."""
        return self.context.format not in ("cfa", solutions.FORMAT)

    def reading_task(self, question: Question, variant: Variant, reply: Reply) -> ReadingTask[Answer]:
        """What the second reader names is read as a reply would be, so that both have the same unit."""

        def made(said: str | None) -> Answer | None:
            return None if said is None else self.read(question, variant, msgspec.structs.replace(reply, text=said))

        if variant.prompt is not None and variant.prompt.open:
            return number_task(question.text, reply.text, made)
        lettered = list(zip(LETTERS, question.options, strict=True))
        return choice_task(
            question.text, lettered, reply.text, lambda place: made(None if place is None else LETTERS[place])
        )

    def score(self, question: Any, facts: object, reading: Answer | None, verdicts: None) -> Row:
        reading = reading or Answer(text=None, correct=False)
        return {
            "gold": getattr(question, "gold", None),
            "answer": reading.text,
            "correct": reading.correct,
            "kept_old": reading.kept_old,
            "took_sham": reading.sham,
        }

    def summarize(self, rows: pl.DataFrame, facts: _Dataset | None) -> list[Estimate]:
        from counterfoil.memorization.items import summarize

        estimates = summarize(self.items(rows))
        if isinstance(facts, ImportedQuestions):
            return with_reported(estimates, facts)
        if isinstance(facts, Solutions):
            return [*estimates, *facts.reported()]
        if facts is None:
            return estimates
        from counterfoil.memorization.placebos.band import bands

        return [*estimates, *bands(estimates, rows, facts), *_of_missing_levels(rows, facts)]

    def items(self, records: pl.DataFrame) -> Items:
        from counterfoil.memorization.items import items

        return items(records)

    def finished(self, run: Run, facts: _Dataset) -> None:
        from counterfoil.memorization.files import write_files

        write_files(run, facts if isinstance(facts, PerturbedSet) else None)
        if isinstance(facts, ImportedQuestions):
            for name, results in facts.results.items():
                for *_, sentence in findings(results, facts.texts.get(name)):
                    say(attributed(sentence, name, results))
        if isinstance(facts, Solutions):
            for sentence in facts.sentences():
                say(sentence)

    def headline(self, run: Run) -> list[str]:
        from counterfoil.memorization.report.headline import headline

        return headline(run)

    def placebo_sets(
        self, data: Sequence[str], sets: int | None, seed: int, tell: Callable[[str, int, int], None] | None
    ) -> PlaceboSets:
        from counterfoil.memorization.placebos import zoo

        return zoo.placebo_sets(data, zoo.SETS if sets is None else sets, seed, tell)

    def plots(self, run: Run) -> list[Plot]:
        from counterfoil.memorization.report.plots import plots

        return plots(run)

    def tables(self, run: Run) -> list[Table]:
        from counterfoil.memorization.report.tables import tables

        return tables(run)

    def shown(self, question: Question | ImportedQuestion) -> Mapping[str, str]:
        if isinstance(question, ImportedQuestion):  # its file has no texts
            return {}
        options: dict[str, str] = dict(zip(LETTERS, question.options, strict=True))
        changes = "; ".join(f"{change.name} from {change.before} to {change.after}" for change in question.changes)
        return {
            "question": question.text,
            **options,
            "right answer": f"{question.gold}, {question.value}",
            **({"changed": changes} if changes else {}),
            **({"old answer": question.old} if question.control == "lure" and question.old else {}),
        }

    def versions(self, family: Sequence[Any]) -> list[tuple[Any, str]]:
        """The original, what was made from it by level and draw, then the controls."""

        def place(question: Any) -> tuple[bool, int, str, int]:
            about = question.columns
            return bool(about.get("control")), about["level"], about.get("control") or "", about["draw"]

        return [(question, _version(question)) for question in sorted(family, key=place)]

    def marks(self, record: Record, shown: Mapping[str, str]) -> list[tuple[int, int, str]]:
        return marks(record)

    def task(self, run: Run, question: Question, record: Record) -> TaskContent:
        is_open = record["variant"] in _open_variants(run.folder / RECORDS)
        task = Task(
            question=question.text,
            options=() if is_open else question.options,
            right=question.value if is_open else f"{question.gold}: {question.value}",
            reply=record["reply"],
        )
        return TaskContent(task=task, algorithm={"reading": record["answer"] or ("" if is_open else NONE)})

    def heard(self, question: Question, record: Record, said: Mapping[str, Any]) -> tuple[Answer | None, None]:
        if "answer" in said:
            return (None if said["answer"] == NONE else letter_taken(question, said["answer"])), None
        number = plain_number(said["number"], "number") if said["number"] else None
        return (None if number is None else number_given(question, number, self._tolerance())), None

    def placed(self, records: pl.DataFrame) -> pl.DataFrame:
        from counterfoil.memorization.replies import placed

        return placed(records)

    def correctable(self, records: pl.DataFrame) -> tuple[Sequence[Metric], Items]:
        from counterfoil.memorization.replies import CORRECTABLE, reply_items

        return CORRECTABLE, reply_items(records)

    def questions_of(self, run: Run, data: str | None) -> PerturbedSet:
        """The frozen set that every run keeps, except those of results from elsewhere, which have no texts."""
        path = Path(data) if data else run.folder / SET
        if not path.is_file():
            raise UserError(f"there is no {path}, the set of questions as they were asked")
        return read_set(path)

    def planting(self) -> Planting:
        return MemorizationPlanting(self)

    def training(self, run: Run) -> Training:
        return Training(scores=("correct",), score=_correct, encode=encode_set)


def _version(question: Any) -> str:
    """What makes a question another than the original."""
    about = question.columns
    draw = f", draw {about['draw'] + 1}"
    if about.get("control"):
        return f"{about['control'].replace('_', ' ')}{draw}"
    return f"level {about['level']}{draw}" if about["level"] else "original"


def _of_missing_levels(rows: pl.DataFrame, facts: PerturbedSet) -> list[Estimate]:
    """Levels that were asked for, and that no question of the set has: not defined, and never left out in silence."""
    return [
        Estimate(
            metric=metric.name,
            model=model,
            variant=variant,
            group={"level": level},
            value=None,
            low=None,
            high=None,
            n=0,
            clusters=0,
            method="not asked",
            note=f"no question of {facts.name} has level {level}",
        )
        for model, variant in rows.select("model", "variant").unique(maintain_order=True).iter_rows()
        for level in facts.about.get(LEFT_OUT, ())
        for metric in (ACCURACY_PERTURBED, *([MEMORIZATION_GAP] if level in GAP_LEVELS else []))
    ]


@lru_cache(maxsize=2)
def _open_variants(records: Path) -> set[str]:
    """The variants that ask for a number: the shipped one, and those whose answers are never letters."""
    import polars as pl

    answers = pl.scan_parquet(records).select("variant", "answer").drop_nulls()
    letters = answers.group_by("variant").agg(letters=pl.col("answer").is_in(LETTERS).any()).collect()
    return {"open", *letters.filter(~pl.col("letters"))["variant"]}


def _correct(record: Record, name: str) -> float | None:
    """None where the right answer itself is in doubt."""
    return float(record[name]) if record[name] is not None and record["status"] in TRUSTED else None


suite = Memorization()
