"""The askers of a run, one for each model and judge. They are opened, stopped and closed together."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from counterfoil.asking.asker import Asker, Halt, Sender
from counterfoil.asking.budget import Account, Budget
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.base import Model, ModelSpec
from counterfoil.asking.pace import Pace
from counterfoil.asking.posting import Carrier
from counterfoil.console import Say
from counterfoil.running.live.state import Work
from counterfoil.running.plan import Plan
from counterfoil.running.rows import Counts, Judge

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
    def trouble(self) -> str | None:
        """Why asks are tried again, since the last reply."""
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


A = TypeVar("A", bound=RunAsker)


@dataclass
class Askers(Generic[A]):
    """The askers in the order of the request. `halt` stops all of them."""

    models: Sequence[A]
    judges: Sequence[A]
    second_reader: Sequence[A]
    halt: Halt
    plan: Plan

    @property
    def all(self) -> Sequence[A]:
        return [*self.models, *self.judges, *self.second_reader]

    @property
    def budget(self) -> Budget:
        """What they share; without askers, one that is never used."""
        return next((asker.account.budget for asker in self.all), Budget())

    def by_name(self) -> dict[str, Judge]:
        """The judges as rows want them."""
        specs = self.plan.request.judges
        return {
            asker.model.name: Judge(asker.model, asker, spec.params)
            for asker, spec in zip(self.judges, specs, strict=True)
        }


class JudgeAsks:
    """The asks of a judge. Nobody knows how many they will be. The second reader asks of at least so many replies."""

    def __init__(self, account: Account, role: str = "judge", total: int = 0) -> None:
        self._tally = account.tally
        self.role = role
        self.total = total

    @property
    def done(self) -> int:
        return self._tally.asked + self._tally.in_ledger + self._tally.failed


class Watched(NamedTuple):
    """A model that is being asked, as progress shows it."""

    counted: Counts | Carrier | JudgeAsks
    asker: RunAsker
    account: Account

    @property
    def name(self) -> str:
        return self.work.title

    @property
    def total(self) -> int:
        return self.counted.total

    @property
    def done(self) -> int:
        return self.counted.done

    def describe(self, seconds: float) -> str:
        return self.work.describe(seconds)

    @property
    def work(self) -> Work:
        """How it is doing now."""
        tally = self.account.tally
        return Work(
            name=self.asker.model.name,
            role=self.counted.role if isinstance(self.counted, JudgeAsks) else "model",
            done=self.done,
            total=self.total or 0,
            in_flight=self.asker.in_flight,
            asked=tally.asked,
            in_ledger=tally.in_ledger,
            failed=tally.failed,
            tokens=tally.input_tokens + tally.output_tokens,
            cost=tally.cost,
            trouble=self.asker.trouble,
            stopped=self.asker.stopped,
        )


def telling(say: Say, spec: ModelSpec) -> Say:
    """Tells the user sentences about one model."""
    return lambda sentence: say(f"{spec.name}: {sentence}")


@asynccontextmanager
async def open_askers(
    plan: Plan,
    halt: Halt,
    say: Say,
    new_asker: Callable[[Model, ModelSpec, Account], A],
    close: Callable[[A], Awaitable[None]],
) -> AsyncIterator[Askers[A]]:
    """Askers for all models and judges, within one budget, until the user interrupts."""
    request = plan.request
    budget = Budget(max_cost=request.max_cost, max_tokens=request.max_tokens_total)

    def askers_of(models: Sequence[Model], specs: Sequence[ModelSpec]) -> list[A]:
        pairs = zip(models, specs, strict=True)
        return [new_asker(model, spec, Account(budget, plan.price(spec), telling(say, spec))) for model, spec in pairs]

    askers = Askers(
        askers_of(plan.models, request.models),
        askers_of(plan.judges, request.judges),
        askers_of(plan.second_reader, request.second_reader),
        halt,
        plan,
    )
    try:
        with one_error(), interruptible(halt, askers.all, say, records=len(plan.models) * plan.asks_per_model):
            yield askers
    finally:
        for asker in askers.all:
            await close(asker)


@asynccontextmanager
async def open_senders(plan: Plan, ledger: Ledger, say: Say) -> AsyncIterator[Askers[Sender]]:
    """Askers that send what the ledger does not hold."""
    halt = Halt()
    most = most_places(plan)

    def new_sender(model: Model, spec: ModelSpec, account: Account) -> Sender:
        return sender_of(model, spec, ledger, most, account=account, halt=halt, say=say)

    async with open_askers(plan, halt, say, new_sender, lambda sender: sender.model.close()) as senders:
        yield senders


def most_places(plan: Plan) -> int:
    """The largest number of asks in flight for each model and judge: their share of all connections."""
    return max(1, _connections() // max(1, len(plan.asked)))


def sender_of(
    model: Model, spec: ModelSpec, ledger: Ledger, most: int, *, account: Account, halt: Halt, say: Say
) -> Sender:
    """The sender for a model, with at most so many asks at a time."""
    pace = Pace(fixed=spec.concurrency, slots=model.slots, most=most)
    return Sender(model, ledger, pace=pace, timeout=spec.timeout, account=account, halt=halt, say=say)


def _connections() -> int:
    """How many connections there can be. Each is an open file, and the system limits these; many systems begin with a
    low limit that may be raised. A run keeps a few for itself.
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
def interruptible(halt: Halt, askers: Sequence[RunAsker], say: Say, *, records: int = 0) -> Iterator[None]:
    """The first Ctrl-C, request to end or closed terminal stops asking; the run goes on with what is there. The second
    leaves now. So does the first where there are too many `records` to write down.
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
        in_flight = sum(asker.in_flight for asker in askers)
        say(f"Stopping: {in_flight} asks are still in flight, and what is there is kept. Ctrl-C again leaves at once.")

    handled = []
    numbers = [signal.SIGINT, signal.SIGTERM]
    # nohup has it ignored; Windows has none.
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    for number in numbers:
        with suppress(ValueError, RuntimeError, NotImplementedError):  # not in the main thread, or on Windows
            loop.add_signal_handler(number, interrupted)
            handled.append(number)
    try:
        yield
    finally:
        for number in handled:
            loop.remove_signal_handler(number)


@contextmanager
def one_error() -> Iterator[None]:
    """Of errors that come together, the first alone: the others are its consequences."""
    try:
        yield
    except BaseExceptionGroup as errors:
        first: BaseException = errors
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        raise first from None
