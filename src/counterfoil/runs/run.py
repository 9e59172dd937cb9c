"""The way through, written once: questions, asks, ledger, replies, readings, rows, estimates, run folder."""

from __future__ import annotations

import asyncio
import gc
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

from counterfoil.asking.asker import Halt, Sender
from counterfoil.asking.budget import Account, Budget
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.base import Model, ModelSpec
from counterfoil.asking.pace import Pace
from counterfoil.runs.answering import Answering, Judge, Standing
from counterfoil.runs.files import write_json
from counterfoil.runs.folder import MANIFEST, RECORDS, SUMMARY, Run, Summary, Unanswered, locked
from counterfoil.runs.manifest import manifest
from counterfoil.runs.outcome import LEFT_OUT, OUTCOMES
from counterfoil.runs.plan import Plan, make_plan
from counterfoil.runs.progress import Progress, Watched
from counterfoil.runs.records import Parts, read_left_out, read_scores
from counterfoil.runs.request import RunRequest
from counterfoil.runs.suite import Suite

# Beside the records whose asks are in flight there are those that wait for the ledger or a judge.
WORKERS, WORKERS_PER_PLACE = 64, 3
UNANSWERED_NAMED = 20

Say = Callable[[str], None]


class LeftAtOnce(Exception):
    """The user has interrupted twice. Every reply that had come is in the ledger."""


def run_suite(suite: Suite, request: RunRequest, say: Say) -> Run:
    """Ask, read, score, estimate; gives the run, as it is now in its folder. `say` tells the user a sentence."""
    plan = make_plan(suite, request)
    gc.freeze()  # all that was imported stays: looking through it again and again would cost a tenth of the time
    with locked(request.out), Ledger(request.ledger) as ledger:
        try:
            return asyncio.run(_run(plan, ledger, say))
        except asyncio.CancelledError as error:
            raise LeftAtOnce from error
        finally:
            gc.unfreeze()


async def _run(plan: Plan, ledger: Ledger, say: Say) -> Run:
    started_at = datetime.now(UTC)
    request, halt = plan.request, Halt()
    budget = Budget(max_cost=request.max_cost, max_tokens=request.max_tokens_total)
    parts = Parts(request.out, plan.suite.columns)

    def sender(model: Model, spec: ModelSpec) -> Sender:
        pace = Pace(fixed=spec.concurrency, slots=model.slots)
        account = Account(budget, plan.price(model))
        return Sender(model, ledger, pace=pace, timeout=spec.timeout, account=account, halt=halt, say=say)

    senders = [sender(model, spec) for model, spec in zip(plan.models, request.models, strict=True)]
    judge_senders = [sender(model, spec) for model, spec in zip(plan.judges, request.judges, strict=True)]
    judges = {
        asker.model.name: Judge(asker.model, asker, spec.params)
        for asker, spec in zip(judge_senders, request.judges, strict=True)
    }
    answerings = [
        Answering(
            suite=plan.suite,
            facts=plan.facts,
            model=asker.model,
            number=number,
            params=spec.params,
            variants=plan.variants,
            repeats=request.repeats,
            asker=asker,
            account=asker.account,
            ledger=ledger,
            judges=judges,
            parts=parts,
            standing=Standing(plan.asks_per_model),
        )
        for number, (asker, spec) in enumerate(zip(senders, request.models, strict=True))
    ]
    watching = asyncio.create_task(
        Progress([Watched(a.standing, s) for a, s in zip(answerings, senders, strict=True)]).watch()
    )
    try:
        with _interruptible(halt, senders, say):
            async with asyncio.TaskGroup() as group:
                for answering, asker in zip(answerings, senders, strict=True):
                    group.create_task(
                        answering.answer(plan.questions, WORKERS + WORKERS_PER_PLACE * asker.pace.highest)
                    )
    except BaseExceptionGroup as errors:
        raise _first(errors) from None
    finally:
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
        for asker in (*senders, *judge_senders):
            await asker.model.close()
    parts.join(request.out / RECORDS)
    _write_summary(plan, answerings)
    content = manifest(plan, senders, judge_senders, answerings, halt.reason, started_at)
    write_json(request.out / MANIFEST, content)
    return Run(request.out)


def _write_summary(plan: Plan, answerings: Sequence[Answering]) -> None:
    records = plan.request.out / RECORDS
    outcomes: list[dict[str, Any]] = [
        {"model": answering.model.name, "variant": variant.name}
        | {outcome: answering.standing.outcomes[variant.name, outcome] for outcome in OUTCOMES}
        for answering in answerings
        for variant in plan.variants
    ]
    unanswered: list[Unanswered] = []
    if any(row[outcome] for row in outcomes for outcome in LEFT_OUT):
        unanswered = [Unanswered(**row) for row in read_left_out(records, UNANSWERED_NAMED)]
    estimates = plan.suite.summarize(read_scores(records), plan.facts)
    write_json(plan.request.out / SUMMARY, Summary(plan.suite.name, estimates, outcomes, unanswered))


@contextmanager
def _interruptible(halt: Halt, senders: Sequence[Sender], say: Say) -> Iterator[None]:
    """Ctrl-C once, or a request to end: stop asking, score what is there. Twice: leave now."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None

    def interrupted() -> None:
        if halt.reason is not None:
            task.cancel()
            return
        halt.stop("interrupted")
        in_flight = sum(sender.pace.in_flight for sender in senders)
        say(
            f"Stopping: {in_flight} asks are still in flight, and what is there is scored. Ctrl-C again leaves at once."
        )

    handled = []
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(ValueError, RuntimeError, NotImplementedError):  # not in the main thread, or on Windows
            loop.add_signal_handler(number, interrupted)
            handled.append(number)
    try:
        yield
    finally:
        for number in handled:
            loop.remove_signal_handler(number)


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error that ended it all; the others are its consequences."""
    first = errors.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
