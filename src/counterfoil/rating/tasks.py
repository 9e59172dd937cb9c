"""From records of a run to tasks for raters, and to what raters must not see: whose reply it is, how it was scored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from counterfoil.running.asked import question_of, questions_by_key, suite_of
from counterfoil.running.folder import Run
from counterfoil.suite.form import Task
from counterfoil.suite.suite import Record


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
    suite = suite_of(run)
    known = questions_by_key(run, data)
    made = []
    for number, record in enumerate(records, start=1):
        content = suite.task(run, question_of(suite, known, record), record)
        model, variant, question_id, repeat, order = record_key(record)
        source = Source(
            model=model,
            variant=variant,
            question_id=question_id,
            repeat=repeat,
            order=order,
            cluster=record["cluster"],
            algorithm=content.algorithm,
            judges=content.judges,
        )
        made.append(Made(msgspec.structs.replace(content.task, id=number), source))
    return made
