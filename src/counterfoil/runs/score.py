"""Scoring replies that were made elsewhere: the way through without its first half. Asks judges, and nobody else."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count, islice
from pathlib import Path
from typing import Any, NamedTuple

from counterfoil.asking.ledger import Ledger
from counterfoil.errors import UserError
from counterfoil.runs.answering import WINDOW
from counterfoil.runs.askers import Say, open_askers
from counterfoil.runs.finish import finish
from counterfoil.runs.folder import Run
from counterfoil.runs.imports import Imported, Importer, import_jsonl
from counterfoil.runs.options import nearest
from counterfoil.runs.plan import Plan, make_plan
from counterfoil.runs.progress import Progress, Watched
from counterfoil.runs.records import Parts, Window
from counterfoil.runs.request import RunRequest
from counterfoil.runs.rows import Item, Rows, Standing
from counterfoil.runs.run import WORKERS, WORKERS_PER_PLACE, with_ledger
from counterfoil.runs.suite import Suite, Variant


class _Job(NamedTuple):
    imported: Imported
    item: Item
    window: Window
    position: int


def score_replies(suite: Suite, request: RunRequest, format_name: str, files: Sequence[Path], say: Say) -> Run:
    """Read, judge and score the replies in these files; gives the run, as it is now in its folder."""
    plan = make_plan(suite, request)
    importer = _importer(plan.suite, format_name)
    return with_ledger(plan, lambda ledger: _score(plan, ledger, importer, files, say))


async def _score(plan: Plan, ledger: Ledger, importer: Importer, files: Sequence[Path], say: Say) -> Run:
    started_at = datetime.now(UTC)
    parts = Parts(plan.request.out, plan.suite.columns)
    async with open_askers(plan, ledger, say) as askers:
        standing = Standing(0)
        rows = Rows(plan.suite, plan.facts, askers.by_name(), standing)
        questions = {question.id: question for question in plan.questions}
        gc.freeze()  # all of them stay: looking through them again and again would cost a third of the time
        jobs = _jobs(importer(files, questions), questions, plan, parts)

        async def work() -> None:
            for job in jobs:
                if job.position % 64 == 0:
                    await asyncio.sleep(0)  # reading never waits: let a stop have its turn
                if askers.halt.reason is not None:
                    job.window.put(job.position, rows.left_out(job.item, "not_asked", askers.halt.reason))
                    continue
                imported = job.imported
                row = await rows.of_reply(
                    job.item,
                    imported.reply,
                    reading=imported.reading,
                    was_read=imported.was_read,
                    verdicts=imported.verdicts,
                )
                job.window.put(job.position, row)

        watching = asyncio.create_task(Progress([Watched(standing, asker) for asker in askers.judges]).watch())
        places = max((asker.pace.highest for asker in askers.judges), default=0)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(WORKERS + WORKERS_PER_PLACE * places if places else 1):
                    group.create_task(work())
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching
        if not standing.done:
            raise UserError(f"There are no replies in {', '.join(map(str, files))}.")
    return finish(plan, parts, [standing], askers, started_at)


def _jobs(imports: Iterator[Imported], questions: Mapping[str, Any], plan: Plan, parts: Parts) -> Iterator[_Job]:
    """The imports in their order, each with its question; what can't be placed is named."""
    variants = {variant.name: variant for variant in plan.variants}
    seen: dict[int, str] = {}
    for number in count():
        part = list(islice(imports, WINDOW))
        if not part:
            return
        window = parts.window(0, number, len(part))
        for position, imported in enumerate(part):
            question = questions.get(imported.question_id)
            if question is None:
                raise UserError(
                    f"{imported.where}: the question {imported.question_id} is not in {plan.dataset.name}: "
                    "name the dataset that was asked with --data."
                )
            identity = hash((imported.model, imported.variant, imported.question_id, imported.repeat))
            if identity in seen:
                raise UserError(
                    f"{imported.where}: {imported.model} has answered {imported.question_id} in {imported.variant} "
                    f"before ({seen[identity]}): number repeats with `repeat`."
                )
            seen[identity] = imported.where
            variant = variants.setdefault(imported.variant, Variant(imported.variant, "", None))
            yield _Job(imported, Item(imported.model, variant, question, imported.repeat, None), window, position)


def _importer(suite: Suite, name: str) -> Importer:
    importers: dict[str, Importer] = {"jsonl": import_jsonl, **suite.importers}
    if name not in importers:
        raise UserError(
            f"{suite.name} can't read {name}{nearest(name, importers)}: there are {', '.join(sorted(importers))}."
        )
    return importers[name]
