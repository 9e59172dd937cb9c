"""From records of a run to tasks for raters, and to what raters must not see: whose reply it is, how it was scored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from counterfoil.errors import UserError
from counterfoil.rating.form import LETTERS, NONE, Task
from counterfoil.running.folder import RECORDS, Run

Record = Mapping[str, Any]
JUDGE_MEASURES = ("confusion", "precision", "recall", "f1", "quality", "restraint", "correct")
ALGORITHM = ("correct", "confusing", "confusing_by_index", "score_threshold", "score_confusion_index")


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """Where a task's reply comes from. `algorithm`: what was read and scored without a model; `judges`: what each
    judge said of it. In both, None is what is not known.
    """

    model: str
    variant: str
    question_id: str
    repeat: int
    order: int | None = None
    cluster: str
    algorithm: dict[str, Any] = {}
    judges: dict[str, dict[str, float | None]] = {}

    @property
    def key(self) -> tuple[Any, ...]:
        """Which record of the run it is."""
        return self.model, self.variant, self.question_id, self.repeat, self.order


class Made(msgspec.Struct, frozen=True):
    """A task, and its source, which is kept apart from it."""

    task: Task
    source: Source


def record_key(record: Record) -> tuple[Any, ...]:
    """The same as `Source.key` of the task that is made from it."""
    return (*(record[name] for name in ("model", "variant", "question_id", "repeat")), record.get("order"))


def make_tasks(run: Run, records: Sequence[Record], data: str | None = None) -> list[Made]:
    """A task for each of the records, numbered from 1; `data` names the questions where the run's have moved."""
    suite = run.manifest["suite"]
    make = {"explain": _explain, "bias": _bias, "memorization": _memorization}[suite](run, data)
    return [make(number, record) for number, record in enumerate(records, start=1)]


Make = Callable[[int, Record], Made]


def _explain(run: Run, data: str | None) -> Make:
    from counterfoil.explain.questions import load_questions

    about = run.manifest
    questions = load_questions(data or about["data"]["given"], about["options"].get("plausibility", "listwise"))
    known = {it.id: it for it in _checked(questions, about, data)}

    def make(number: int, record: Record) -> Made:
        question = _found(known, record["question_id"])
        task = Task(
            id=number,
            question=question.text,
            right=question.gold,
            reply=record["reply"],
            alternatives=tuple(record["mentioned"] or ()),
            suggestions=tuple(sorted(question.candidates, key=str.casefold)),
        )
        judges = {
            judge: {name: _entry(record.get(f"judge_{name}"), place) for name in JUDGE_MEASURES}
            for place, judge in enumerate(record.get("judges") or ())
        }
        return Made(task, _source(record, {name: record.get(name) for name in ALGORITHM}, judges))

    return make


def _entry(values: Sequence[float | None] | None, place: int) -> float | None:
    return values[place] if values else None


def _bias(run: Run, data: str | None) -> Make:
    from counterfoil.bias.questions import ORDERS, load_questions

    about = run.manifest
    questions = load_questions(data or about["data"]["given"], ORDERS, about["options"].get("metadata"))
    known = {(it.sample_id, it.order): it for it in _checked(questions, about, data)}

    def make(number: int, record: Record) -> Made:
        question = _found(known, (record["question_id"], record["order"]))
        right = LETTERS[question.shown.index(question.right)]
        task = Task(
            id=number,
            context=question.context,
            question=question.text,
            options=question.shown,
            right=f"{right}: {question.right}",
            reply=record["reply"],
        )
        return Made(task, _source(record, {"reading": record["choice"] or NONE}))

    return make


def _memorization(run: Run, data: str | None) -> Make:
    from counterfoil.memorization.files import SET
    from counterfoil.perturbing.questions import read_set

    path = run.folder / SET
    if data is not None:
        raise UserError("The questions of a run of memorization lie in its folder: leave --data out.")
    if not path.is_file():
        raise UserError(
            f"{run.folder} has no {SET}: replies that came without their questions can't be shown to people."
        )
    known = {it.id: it for it in _checked(read_set(path), run.manifest, str(path))}
    without_options = _without_options(run)

    def make(number: int, record: Record) -> Made:
        question = _found(known, record["question_id"])
        open_form = record["variant"] in without_options
        answer = record["answer"] or (NONE if not open_form else "")
        task = Task(
            id=number,
            question=question.text,
            options=() if open_form else question.options,
            right=question.value if open_form else f"{question.gold}: {question.value}",
            reply=record["reply"],
        )
        return Made(task, _source(record, {"reading": answer}))

    return make


def _without_options(run: Run) -> set[str]:
    """The variants that ask for a number: the shipped one, and those whose answers are never letters."""
    import polars as pl

    answers = pl.scan_parquet(run.folder / RECORDS).select("variant", "answer").drop_nulls()
    letters = answers.group_by("variant").agg(letters=pl.col("answer").is_in(LETTERS).any()).collect()
    return {"open", *letters.filter(~pl.col("letters"))["variant"]}


def _source(
    record: Record, algorithm: dict[str, Any], judges: dict[str, dict[str, float | None]] | None = None
) -> Source:
    model, variant, question_id, repeat, order = record_key(record)
    return Source(
        model=model,
        variant=variant,
        question_id=question_id,
        repeat=repeat,
        order=order,
        cluster=record["cluster"],
        algorithm=algorithm,
        judges=judges or {},
    )


def _checked(questions: Any, manifest: Mapping[str, Any], data: str | None) -> Any:
    about = manifest["data"]
    if questions.sha256 != about["sha256"]:
        raise UserError(
            f"{data or about['given'] or questions.name} is not what the run was asked from, {about['name']}: its hash "
            "is another. Name the questions as they were with --data."
        )
    return questions


def _found(known: Mapping[Any, Any], key: Any) -> Any:
    if key not in known:
        raise UserError(f"The run has a reply to question {key}, and its dataset has no such question.")
    return known[key]
