"""Scoring replies that were made elsewhere. Judges are asked, and nobody else."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from counterfoil.console import Say
from counterfoil.errors import UserError
from counterfoil.inputs import telling_of_inputs
from counterfoil.progress import Progress
from counterfoil.running.askers import Askers, Watched
from counterfoil.running.folder import Run
from counterfoil.running.plan import Plan, make_plan
from counterfoil.running.records import NoParts, Parts
from counterfoil.running.request import RunRequest
from counterfoil.running.rows import Counts, Item, Rows, unheard
from counterfoil.running.run import WORKERS, WORKERS_PER_PLACE, carry_out, nothing_lost, with_ledger
from counterfoil.running.second_reader.reading import SecondReader
from counterfoil.suite.imports import Imported, Importer, import_jsonl
from counterfoil.suite.options import nearest
from counterfoil.suite.suite import AnySuite, Variant


class _Job(NamedTuple):
    imported: Imported
    item: Item
    place: int


def score_replies(suite: AnySuite, request: RunRequest, say: Say) -> Run:
    """Read, judge and score the replies that the request's context names; gives the run, as it is now in its folder."""
    files = list(map(Path, request.context.files))
    _importer(suite, request)
    for path in files:
        if not path.exists():
            raise UserError(f"There is no file {path}: name the replies to score.")
    with nothing_lost(suite, request):
        return _score_files(make_plan(suite, request), files, say)


def _score_files(plan: Plan, files: Sequence[Path], say: Say) -> Run:
    importer = _importer(plan.suite, plan.request)
    questions = {question.id: question for question in plan.questions}
    gc.freeze()  # the questions stay: to look through them at every collection would cost a third of the time

    async def score(askers: Askers[Any], parts: Parts | NoParts) -> Sequence[Counts]:
        counts = Counts(0)
        is_kept = isinstance(parts, Parts)
        rows = Rows(plan.suite, plan.facts, askers.by_name(), counts, say if is_kept else unheard)
        second_reader = SecondReader(askers, parts, [counts])
        jobs = _jobs(importer(files, questions), questions, plan)
        await _score_all(rows, askers, jobs, second_reader, is_kept=is_kept)
        await second_reader.read()
        if not counts.done:
            raise UserError(f"There are no replies in {', '.join(map(str, files))}.")
        return [counts]

    with telling_of_inputs(plan.inputs):
        return with_ledger(plan, lambda ledger: carry_out(plan, ledger, say, score))


async def _score_all(
    rows: Rows, askers: Askers[Any], jobs: Iterator[_Job], second_reader: SecondReader, *, is_kept: bool
) -> None:
    """One pass over all replies."""

    async def work() -> None:
        for job in jobs:
            if job.place % 64 == 0:
                await asyncio.sleep(0)  # reading never waits: give a stop a turn
            if reason := askers.halt.reason or rows.counts.stopped.get(job.item.model):
                second_reader.put(0, job.place, rows.left_out(job.item, "not_asked", reason), job.item)
                continue
            row = await rows.of_reply(job.item, job.imported.reply, job.imported)
            second_reader.put(0, job.place, row, job.item, job.imported.reply)

    watched = [Watched(rows.counts, judge, judge.account) for judge in askers.judges]
    places = max((judge.places for judge in askers.judges), default=0)
    async with Progress(watched if is_kept else []).watched(), asyncio.TaskGroup() as group:
        for _ in range(WORKERS + WORKERS_PER_PLACE * places if places else 1):
            group.create_task(work())


def _jobs(imports: Iterator[Imported], questions: Mapping[str, Any], plan: Plan) -> Iterator[_Job]:
    """A job for each import, in order. Imports without a question are left out, as bad rows are; where most are so,
    the dataset is another one.
    """
    variants = {variant.name: variant for variant in plan.variants}
    seen: dict[int, str] = {}
    places = count()
    unknown: dict[str, list[str]] = {}
    for imported in imports:
        question = questions.get(imported.question_id)
        if question is None:
            file, _, line = imported.where.rpartition(", ")
            unknown.setdefault(file, []).append(f"{line}: {_unknown(imported.question_id, questions, plan)}")
            continue
        model = imported.model or plan.request.context.imported_model
        if not model:
            raise UserError(f"{imported.where}: it does not say whose reply it is: name the model with --model.")
        identity = hash((model, imported.variant, imported.question_id, imported.repeat))
        if identity in seen:
            raise UserError(
                f"{imported.where}: {model} has answered {imported.question_id} in {imported.variant} "
                f"before ({seen[identity]}): number repeats with `repeat`."
            )
        seen[identity] = imported.where
        variant = variants.setdefault(imported.variant, Variant(imported.variant, "", None))
        yield _Job(imported, Item(model, variant, question, imported.repeat, None), next(places))
    for file, problems in unknown.items():
        if sum(map(len, unknown.values())) > len(seen):
            raise UserError(f"{file}, {problems[0]}.")
        plan.inputs.leave_out(file, problems, len(seen))


def _unknown(question_id: str, questions: Mapping[str, Any], plan: Plan) -> str:
    """Why there is no such question, and what to do."""
    if f"{question_id}-0" in questions:
        return f"the choices of {question_id} have orders, and it does not say which was shown: write `order`, from 0"
    return f"the question {question_id} is not in {plan.dataset.name}: name the dataset that was asked with --data"


def _import_inspect(files: Sequence[Path], questions: Mapping[str, Any]) -> Iterator[Imported]:
    from counterfoil.suite.inspect_logs import import_inspect

    return import_inspect(files, questions)


def _importer(suite: AnySuite, request: RunRequest) -> Importer:
    name = str(request.context.format)
    importers: dict[str, Importer] = {"jsonl": import_jsonl, "inspect": _import_inspect, **suite.importers}
    if name not in importers:
        raise UserError(
            f"{suite.name} can't read {name}{nearest(name, importers)}: there are {', '.join(sorted(importers))}."
        )
    return importers[name]
