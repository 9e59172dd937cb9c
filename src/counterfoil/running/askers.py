"""The askers of a run, one for each model and judge. They are opened, stopped and closed together."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from counterfoil.asking.asker import Asker, Halt, Sender
from counterfoil.asking.budget import Account, Budget
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.base import Model, ModelSpec
from counterfoil.asking.models.providers import PROVIDERS, provider_of
from counterfoil.asking.pace import Pace
from counterfoil.asking.posting import Carrier, InThisProcess
from counterfoil.errors import UserError
from counterfoil.running.plan import Plan
from counterfoil.running.rows import Judge

Say = Callable[[str], None]

MOST_CONNECTIONS = 100_000
# To record of more questions than these that they were not asked would take hours.
MOST_WRITTEN_DOWN = 10_000_000
# Ledger, parts, modules that are loaded late.
FILES_OF_A_RUN = 48


class RunAsker(Asker, Protocol):
    """The asker of one model, with what the run must know of it."""

    @property
    def model(self) -> Model: ...

    @property
    def account(self) -> Account: ...

    @property
    def stopped(self) -> str | None:
        """Why the model is not asked any more."""
        ...

    @property
    def in_flight(self) -> int: ...

    @property
    def places(self) -> int:
        """The largest number of asks in flight."""
        ...

    @property
    def adjustments(self) -> Sequence[str]:
        """Settings that the model refused, and what was sent instead."""
        ...


@dataclass
class Askers:
    """The askers in the order of the request. `halt` stops all of them."""

    models: Sequence[RunAsker]
    judges: Sequence[RunAsker]
    halt: Halt
    plan: Plan

    def by_name(self) -> dict[str, Judge]:
        """The judges as rows want them."""
        specs = self.plan.request.judges
        return {
            sender.model.name: Judge(sender.model, sender, spec.params)
            for sender, spec in zip(self.judges, specs, strict=True)
        }


class Counted(Protocol):
    """How much of how much is done."""

    @property
    def total(self) -> int: ...

    @property
    def done(self) -> int: ...


class Shown(Protocol):
    """Who is asked, what it has cost, how much is under way."""

    @property
    def model(self) -> Model: ...

    @property
    def account(self) -> Account: ...

    @property
    def in_flight(self) -> int: ...


class Watched(NamedTuple):
    """A model that is being asked, as progress shows it."""

    standing: Counted
    sender: Shown

    @property
    def name(self) -> str:
        return self.sender.model.name

    @property
    def total(self) -> int:
        return self.standing.total

    @property
    def done(self) -> int:
        return self.standing.done

    def describe(self, seconds: float) -> str:
        """Done, in flight, rate, tokens, money, failures, time left."""
        tally = self.sender.account.tally
        seconds = max(seconds, 0.001)
        asked = tally.asked + tally.failed
        parts = [f"{self.done:,} of {self.total:,}" if self.total else f"{self.done:,} done"]
        parts.append(f"{self.sender.in_flight} in flight")
        if tally.in_ledger:
            parts.append(f"{tally.in_ledger:,} from the ledger")
        parts.append(f"{asked / seconds:,.1f}/s")
        parts.append(f"{tally.input_tokens + tally.output_tokens:,} tokens")
        if tally.cost:
            parts.append(f"${tally.cost:,.4f}")
        if tally.failed:
            parts.append(f"{tally.failed:,} failed")
        if asked and self.done < self.total:
            parts.append(f"{_duration((self.total - self.done) * seconds / asked)} left")
        return ", ".join(parts)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


@asynccontextmanager
async def open_askers(plan: Plan, ledger: Ledger, say: Say) -> AsyncIterator[Askers]:
    """Senders for all models and judges, within one budget, until the user interrupts."""
    request, halt = plan.request, Halt()
    budget = Budget(max_cost=request.max_cost, max_tokens=request.max_tokens_total)
    most = most_places(plan)

    def sender(model: Model, spec: ModelSpec) -> Sender:
        account = Account(budget, plan.price(model))
        return sender_of(model, spec, ledger, most, account=account, halt=halt, say=say)

    models = [sender(model, spec) for model, spec in zip(plan.models, request.models, strict=True)]
    judges = [sender(model, spec) for model, spec in zip(plan.judges, request.judges, strict=True)]
    try:
        with interruptible(halt, (*models, *judges), say, records=len(models) * plan.asks_per_model):
            yield Askers(models, judges, halt, plan)
    except BaseExceptionGroup as errors:
        raise first_error(errors) from None
    finally:
        for asker in (*models, *judges):
            await asker.model.close()


def most_places(plan: Plan) -> int:
    """The largest number of asks in flight for each model and judge: their share of all connections."""
    return max(1, _connections() // max(1, len(plan.models) + len(plan.judges)))


def sender_of(
    model: Model, spec: ModelSpec, ledger: Ledger, most: int, *, account: Account, halt: Halt, say: Say
) -> Sender:
    """The sender for a model, with at most so many asks at a time."""
    pace = Pace(fixed=spec.concurrency, slots=model.slots, most=most)
    return Sender(model, ledger, pace=pace, timeout=spec.timeout, account=account, halt=halt, say=say)


def _connections() -> int:
    """How many connections there can be: each is an open file, of which the system allows so many, and a run needs a
    few for itself. Many systems begin with a low limit that may be raised.
    """
    try:
        import resource
    except ModuleNotFoundError:  # Windows has no such limit
        return MOST_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    return MOST_CONNECTIONS if soft == resource.RLIM_INFINITY else max(1, soft - FILES_OF_A_RUN)


@contextmanager
def interruptible(halt: Halt, senders: Sequence[RunAsker], say: Say, *, records: int = 0) -> Iterator[None]:
    """Ctrl-C once, or a request to end: stop asking, go on with what is there. Twice, or where so many `records` are to
    be that going on has no end: leave now.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None

    def interrupted() -> None:
        if halt.reason is not None:
            task.cancel()
            return
        halt.stop("interrupted")
        if records > MOST_WRITTEN_DOWN:
            say(f"Stopping: {records:,} records are too many to write down which of them were not asked.")
            task.cancel()
            return
        in_flight = sum(sender.in_flight for sender in senders)
        say(f"Stopping: {in_flight} asks are still in flight, and what is there is kept. Ctrl-C again leaves at once.")

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


def first_error(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first error. The others are its consequences."""
    first = errors.exceptions[0]
    return first_error(first) if isinstance(first, BaseExceptionGroup) else first


CarrierOf = Callable[[Model, ModelSpec, Account], Carrier]


@asynccontextmanager
async def open_carriers(plan: Plan, ledger: Ledger, halt: Halt, say: Say) -> AsyncIterator[CarrierOf]:
    """A function that gives the carrier of each model. What the carriers share is open as long as the context is."""
    request = plan.request
    most = most_places(plan)

    def in_this_process(model: Model, spec: ModelSpec, account: Account) -> Carrier:
        return InThisProcess(sender_of(model, spec, ledger, most, account=account, halt=halt, say=say))

    async with AsyncExitStack() as stack:
        if request.batch:
            from counterfoil.asking.batches.carrier import BatchCarrier

            if not any(provider_of(spec.name).has_batches for spec in (*request.models, *request.judges)):
                raise UserError("None of these models has a batch interface: leave --batch out.")

            def carrier_of(model: Model, spec: ModelSpec, account: Account) -> Carrier:
                if provider_of(spec.name).has_batches:
                    return BatchCarrier(model, ledger, account=account, halt=halt, say=say)
                say(f"{spec.name} has no batch interface: it is asked as usual.")
                return in_this_process(model, spec, account)

        else:
            from counterfoil.asking.cluster.carrier import ClusterCarrier
            from counterfoil.asking.cluster.connection import open_cluster

            assert request.cluster is not None

            if all(provider_of(spec.name).kind == "here" for spec in (*request.models, *request.judges)):
                here = " and ".join(row.name for row in PROVIDERS.values() if row.kind == "here")
                raise UserError(f"{here} models answer in this process: leave --engine ray out.")
            cluster = await stack.enter_async_context(open_cluster(request.cluster, say))

            def carrier_of(model: Model, spec: ModelSpec, account: Account) -> Carrier:
                if provider_of(spec.name).kind == "here":
                    return in_this_process(model, spec, account)
                return ClusterCarrier(model, spec, ledger, cluster=cluster, account=account, halt=halt, say=say)

        yield carrier_of
