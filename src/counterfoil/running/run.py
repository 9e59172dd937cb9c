"""A run from its questions to its folder: asks, ledger, replies, readings, rows, estimates."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from itertools import groupby, islice
from typing import Any, NamedTuple

from counterfoil.asking.ask import Ask, Reply, after
from counterfoil.asking.asker import NotAsked
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.providers import provider_of
from counterfoil.console import Say
from counterfoil.errors import UserError
from counterfoil.lazy import load_numpy
from counterfoil.progress import Progress
from counterfoil.running.asked import keep_dataset
from counterfoil.running.askers import Askers, JudgeAsks, RunAsker, Watched, open_senders
from counterfoil.running.finish import Asked, finish
from counterfoil.running.folder import (
    Run,
    begin_round,
    discard_empty,
    end_round,
    locked,
    refuse_others,
    what_goes,
    writing_run,
)
from counterfoil.running.live.state import end_live
from counterfoil.running.live.writing import telling
from counterfoil.running.looks import DECIDED
from counterfoil.running.looks.looks import Decide, Looks, looks_of
from counterfoil.running.plan import Plan, make_plan
from counterfoil.running.records import NoParts, Parts
from counterfoil.running.request import RunRequest
from counterfoil.running.rows import Counts, Item, Rows, unheard
from counterfoil.running.second_reader.reading import SecondReader
from counterfoil.suite.suite import AnySuite, Variant

# One pass over all questions with these askers. Its rows go to the parts.
Pass = Callable[[Askers[Any], Parts | NoParts], Awaitable[Sequence[Counts]]]

# Workers beyond the asks in flight: their records wait for the ledger or a judge.
WORKERS, WORKERS_PER_PLACE = 64, 3


class LeftAtOnce(Exception):
    """The user has interrupted twice. Every reply that had come is in the ledger."""


class FollowUpFailed(Exception):
    """The suite's own code failed on a reply that another turn was to follow."""

    def __init__(self, reply: Reply, error: Exception) -> None:
        super().__init__(str(error))
        self.reply = reply
        self.error = error


class NotAllStored(Run):
    """A run whose folder is complete, but whose shards could not all be stored."""

    @property
    def is_complete(self) -> bool:
        return False


def with_ledger(plan: Plan, work: Callable[[Ledger], Coroutine[Any, Any, Run]]) -> Run:
    """Do the work with the ledger open and the run folder locked."""
    out = plan.request.out
    try:
        with locked(out):
            names = [model.name for model in plan.models], [variant.name for variant in plan.variants]
            refuse_others(out, plan.suite.name, plan.suite.files_for(*names), overwrite=plan.request.overwrite)
            try:
                with Ledger(plan.request.ledger) as ledger:
                    return asyncio.run(work(ledger))
            except UserError:
                discard_empty(out)
                raise
    except asyncio.CancelledError as error:
        raise LeftAtOnce from error
    finally:
        gc.unfreeze()


def _begin_round(plan: Plan, say: Say) -> str:
    """Everything is asked again, in a round of its own."""
    name, begun_earlier = begin_round(plan.request.out)
    for model in plan.asked:
        model.begin_round(name)
    if begun_earlier:
        say(f"Going on with the fresh asks that were begun at {name[:19]}: they are not complete yet.")
    return name


async def carry_out(plan: Plan, ledger: Ledger, say: Say, one_pass: Pass) -> Run:
    """Ask, read, score, estimate; gives the run."""
    from counterfoil.running.dry import count_earlier, say_what_is_in_batches

    started_at = datetime.now(UTC)
    if sentence := what_goes(plan.request.out, plan.request.letters):
        say(sentence)
    asked_in = _begin_round(plan, say) if plan.request.fresh else None
    if not plan.request.batch and any(provider_of(model.name).has_batches for model in plan.asked):
        await say_what_is_in_batches(plan, ledger, say, one_pass)
    parts = Parts(plan.request.out, plan.columns)
    # While the first asks are on their way, load what their records will need.
    loading = asyncio.get_running_loop().run_in_executor(None, _load_tables)
    is_all_stored = True
    askers: Askers[Any]
    if plan.request.in_waves:
        from counterfoil.running.waves import ask_in_waves, open_posters

        async with open_posters(plan, ledger, say) as askers:
            await count_earlier(plan, ledger, askers, one_pass)
            counts = await ask_in_waves(askers, one_pass, parts)
        is_all_stored = not any(poster.carrier.not_stored for poster in askers.all)
    else:
        async with open_senders(plan, ledger, say) as askers:
            await count_earlier(plan, ledger, askers, one_pass)
            counts = await one_pass(askers, parts)
    if ledger.damaged:
        say(f"{ledger.damaged:,} damaged replies in {ledger.path} were not used: counterfoil ledger check names them.")
    await loading
    run = finish(plan, parts, counts, askers, started_at, Asked(asked_in, ledger.oldest))
    if asked_in is not None and run.is_complete:
        end_round(run.folder)
    end_live(run.folder, is_complete=run.is_complete)
    if not is_all_stored:
        run = NotAllStored(run.folder)
    keep_dataset(run, plan.dataset)
    return run


def _load_tables() -> None:
    load_numpy()
    for name in ("polars", "counterfoil.stats.estimates"):
        import_module(name)
    gc.freeze()  # modules stay: to look through them at every collection would cost a tenth of the time


# Asks that are looked up together.
WINDOW = 1_024


class Job(NamedTuple):
    """A record to make: its ask, its turn in the order of asks, and its place among the records of its model."""

    item: Item
    ask: Ask
    found: Reply | None
    turn: int
    place: int


@dataclass
class Answering:
    """Answers all questions in all variants with one model. `number` is the model's place in the run. With `looks` it
    asks part after part, until all that is asked of the model is decided.
    """

    plan: Plan
    number: int
    params: Mapping[str, Any]
    asker: RunAsker
    rows: Rows
    ledger: Ledger
    second_reader: SecondReader
    looks: Looks | None = None

    async def answer(self) -> None:
        """Make a row of every question."""
        self._turn = 0
        questions = iter(self.plan.order)
        if self.looks is None:
            await self._answer(questions)
            return
        for size in self.looks.sizes:
            await self._answer(islice(questions, size))
            is_whole = not self.rows.counts.missing_from
            if not await self.looks.goes_on(self.asker.model.name, is_whole=is_whole) and is_whole:
                break
        await self._leave_out(questions)

    async def _leave_out(self, questions: Iterable[tuple[int, Any]]) -> None:
        """Make rows of questions that are not asked, since all is decided."""
        for question, variant, repeat, place in self._wanted(questions):
            item = Item(self.asker.model.name, variant, question, repeat, None)
            self.rows.counts.decided[variant.name] += 1
            self.second_reader.put(self.number, place, self.rows.left_out(item, "not_asked", DECIDED), item)
            if place % 64 == 0:
                await asyncio.sleep(0)

    async def _answer(self, questions: Iterable[tuple[int, Any]]) -> None:
        jobs = self._jobs(questions)
        missing_from = self.rows.counts.missing_from
        has_turns = self.rows.suite.has_turns

        async def work() -> None:
            for job in jobs:
                item, reply = job.item, None
                try:
                    if stopped := self.rows.counts.stopped.get(job.item.model):
                        raise NotAsked(stopped)
                    reply = job.found or await self.asker.ask(job.ask, looked_up=True)
                    if has_turns:
                        item, reply = await self._last_turn(item, job.ask, reply)
                    row = await self.rows.of_reply(item, reply)
                except NotAsked as reason:
                    reply = None
                    row = self.rows.left_out(job.item, "not_asked", str(reason))
                    variant = job.item.variant.name
                    missing_from[variant] = min(missing_from.get(variant, job.turn), job.turn)
                except FollowUpFailed as failed:
                    row = self.rows.broken(job.item, failed.reply, failed.error)
                self.second_reader.put(self.number, job.place, row, item, reply)
                # Replies from the ledger and models that have stopped never wait: give others, such as Ctrl-C, a turn.
                if row["outcome"] == "not_asked" or (job.found is not None and job.place % 8 == 0):
                    await asyncio.sleep(0)

        async with asyncio.TaskGroup() as group:
            for _ in range(WORKERS + WORKERS_PER_PLACE * self.asker.places):
                group.create_task(work())

    async def _last_turn(self, item: Item, ask: Ask, reply: Reply) -> tuple[Item, Reply]:
        """The last reply of the conversation, with those before it, and the item with the key of its ask."""
        replies = [reply]
        while reply.status == "ok":
            try:
                messages = self.rows.suite.follow_up(item.question, item.variant, replies)
            except UserError:
                raise
            except Exception as error:
                raise FollowUpFailed(reply, error) from error
            if messages is None:
                break
            ask = self.asker.model.ask(messages, self.params, ask.sample)
            reply = await self.asker.ask(ask)
            replies.append(reply)
        return item._replace(ask_key=ask.key), after(replies[:-1], reply)

    def _wanted(self, questions: Iterable[tuple[int, Any]]) -> Iterator[tuple[Any, Variant, int, int]]:
        """Each question in each variant and repeat, with its place among the records."""
        repeats, count = self.plan.request.repeats, self.plan.question_count
        return (
            (question, variant, repeat, (number * count + place) * repeats + repeat)
            for place, question in questions
            for number, variant in enumerate(self.plan.variants)
            for repeat in range(repeats)
        )

    def _jobs(self, questions: Iterable[tuple[int, Any]]) -> Iterator[Job]:
        """The jobs, cluster after cluster in random order; within one, asks that share a prefix next to each other."""
        repeats, model, messages = self.plan.request.repeats, self.asker.model, self.plan.suite.messages
        found_until = self.rows.counts.found_until
        to_ask = self._wanted(questions)
        while part := list(islice(to_ask, WINDOW)):
            asks = [
                model.ask(messages(question, variant), self.params, question.asked_before * repeats + repeat)
                for question, variant, repeat, _ in part
            ]
            found = self.ledger.get([ask.key for ask in asks])
            for _, cluster in groupby(range(len(part)), key=lambda i: part[i][0].cluster):
                for i in sorted(cluster, key=lambda i: asks[i].prompt):
                    question, variant, repeat, place = part[i]
                    ask = asks[i]
                    reply = found.get(ask.key)
                    if reply is not None:
                        self.asker.account.found(ask.key, reply, ask)
                        found_until[variant.name] = self._turn
                    item = Item(model.name, variant, question, repeat, ask.key)
                    yield Job(item, ask, reply, self._turn, place)
                    self._turn += 1


def run_suite(suite: AnySuite, request: RunRequest, say: Say, decide: Decide | None = None) -> Run:
    """Ask, read, score, estimate; gives the run, as it is now in its folder. `say` tells the user a sentence. `decide`
    decides what a request wants decided.
    """

    async def run(plan: Plan, ledger: Ledger) -> Run:
        return await carry_out(
            plan, ledger, say, lambda askers, parts: answer_all(plan, ledger, askers, parts, say, decide)
        )

    with nothing_lost(suite, request):
        plan = make_plan(suite, request)
        return with_ledger(plan, lambda ledger: run(plan, ledger))


@contextmanager
def nothing_lost(suite: AnySuite, request: RunRequest) -> Iterator[None]:
    """Refuse what a run would take away, before anything is read, asked, or put into its folder."""
    with writing_run(request.out, request.inputs, overwrite=request.overwrite):
        refuse_others(request.out, suite.name, suite.files, overwrite=request.overwrite)
        yield


async def answer_all(
    plan: Plan,
    ledger: Ledger,
    askers: Askers[Any],
    parts: Parts | NoParts,
    say: Say,
    decide: Decide | None = None,
) -> Sequence[Counts]:
    """One pass over all questions, of all models side by side. Only the one whose rows are kept is heard, and looks."""
    looks = None if decide is None or not isinstance(parts, Parts) else looks_of(plan, parts, decide, say)
    is_kept = isinstance(parts, Parts)
    counts = [Counts(plan.asks_per_model) for _ in askers.models]
    models = list(zip(askers.models, plan.request.models, counts, strict=True))
    watched = [Watched(of_model, asker, asker.account) for asker, _, of_model in models]
    watched += [Watched(JudgeAsks(asker.account), asker, asker.account) for asker in askers.judges]
    second_reader = SecondReader(askers, parts, counts)
    shown = Progress(watched if is_kept else []).watched()
    async with telling(plan, parts, watched), shown, asyncio.TaskGroup() as group:
        for number, (asker, spec, of_model) in enumerate(models):
            rows = Rows(plan.suite, plan.facts, askers.by_name(), of_model, say if is_kept else unheard)
            answering = Answering(plan, number, spec.params, asker, rows, ledger, second_reader, looks)
            group.create_task(answering.answer())
    await second_reader.read()
    return counts
