"""Those who ask in a run, one for each model and judge: opened together, stopped together, closed together."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass

from counterfoil.asking.asker import Halt, Sender
from counterfoil.asking.budget import Account, Budget
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.base import Model, ModelSpec
from counterfoil.asking.pace import HIGHEST_LIMIT, Pace
from counterfoil.runs.plan import Plan
from counterfoil.runs.rows import Judge

Say = Callable[[str], None]

MOST_CONNECTIONS = 100_000
# Ledger, parts, modules that are loaded late.
FILES_OF_A_RUN = 48


@dataclass
class Askers:
    """Senders in the order of the request; `halt` stops them all."""

    models: Sequence[Sender]
    judges: Sequence[Sender]
    halt: Halt
    plan: Plan

    def by_name(self) -> dict[str, Judge]:
        """The judges as rows want them."""
        specs = self.plan.request.judges
        return {
            sender.model.name: Judge(sender.model, sender, spec.params)
            for sender, spec in zip(self.judges, specs, strict=True)
        }


@asynccontextmanager
async def open_askers(plan: Plan, ledger: Ledger, say: Say) -> AsyncIterator[Askers]:
    """Senders for all models and judges, within one budget, until the user interrupts."""
    request, halt = plan.request, Halt()
    budget = Budget(max_cost=request.max_cost, max_tokens=request.max_tokens_total)

    most = _connections() // max(1, len(plan.models) + len(plan.judges))

    def sender(model: Model, spec: ModelSpec) -> Sender:
        slots = min(model.slots or HIGHEST_LIMIT, max(1, most))
        pace = Pace(fixed=spec.concurrency and min(spec.concurrency, max(1, most)), slots=slots)
        account = Account(budget, plan.price(model))
        return Sender(model, ledger, pace=pace, timeout=spec.timeout, account=account, halt=halt, say=say)

    models = [sender(model, spec) for model, spec in zip(plan.models, request.models, strict=True)]
    judges = [sender(model, spec) for model, spec in zip(plan.judges, request.judges, strict=True)]
    try:
        with interruptible(halt, (*models, *judges), say):
            yield Askers(models, judges, halt, plan)
    except BaseExceptionGroup as errors:
        raise _first(errors) from None
    finally:
        for asker in (*models, *judges):
            await asker.model.close()


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
def interruptible(halt: Halt, senders: Sequence[Sender], say: Say) -> Iterator[None]:
    """Ctrl-C once, or a request to end: stop asking, go on with what is there. Twice: leave now."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None

    def interrupted() -> None:
        if halt.reason is not None:
            task.cancel()
            return
        halt.stop("interrupted")
        in_flight = sum(sender.pace.in_flight for sender in senders)
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


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error that ended it all; the others are its consequences."""
    first = errors.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
