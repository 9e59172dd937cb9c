"""How a run is doing: a live display on a terminal, plain lines elsewhere; nothing if it is over in two seconds."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple, Protocol

from counterfoil.asking.budget import Account
from counterfoil.asking.models.base import Model

QUIET_SECONDS = 2.0
TERMINAL_SECONDS = 0.25
LINES_SECONDS = 10.0


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
    """A model that is being asked."""

    standing: Counted
    sender: Shown


class Progress:
    """Looks at the counters from time to time; asking does not know of it."""

    def __init__(self, watched: Sequence[Watched]) -> None:
        self._watched = watched
        self._started_at = time.monotonic()

    @asynccontextmanager
    async def shown(self) -> AsyncIterator[None]:
        """Show how it is while the work inside goes on; nothing where nothing is watched."""
        watching = asyncio.create_task(self.watch()) if self._watched else None
        try:
            yield
        finally:
            if watching is not None:
                watching.cancel()
                with suppress(asyncio.CancelledError):
                    await watching

    async def watch(self) -> None:
        """Show how it is until cancelled, or until nobody looks any more."""
        await asyncio.sleep(QUIET_SECONDS)
        with suppress(OSError):
            if sys.stderr.isatty():
                await self._watch_on_terminal()
            while True:
                for watched in self._watched:
                    print(f"{watched.sender.model.name}: {self.describe(watched)}", file=sys.stderr, flush=True)
                await asyncio.sleep(LINES_SECONDS)

    async def _watch_on_terminal(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bars

        name, standing = (TextColumn(f"{{task.fields[{it}]}}", markup=False) for it in ("name", "standing"))
        columns = (name, BarColumn(bar_width=24), standing)
        with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
            tasks = [
                bars.add_task("", total=watched.standing.total, name=watched.sender.model.name, standing="")
                for watched in self._watched
            ]
            while True:
                for task, watched in zip(tasks, self._watched, strict=True):
                    bars.update(task, completed=watched.standing.done, standing=self.describe(watched))
                await asyncio.sleep(TERMINAL_SECONDS)

    def describe(self, watched: Watched) -> str:
        """Done, in flight, rate, tokens, money, failures, time left."""
        standing, sender = watched
        tally = sender.account.tally
        seconds = max(time.monotonic() - self._started_at, 0.001)
        asked = tally.asked + tally.failed
        parts = [f"{standing.done:,} of {standing.total:,}" if standing.total else f"{standing.done:,} done"]
        parts.append(f"{sender.in_flight} in flight")
        if tally.in_ledger:
            parts.append(f"{tally.in_ledger:,} from the ledger")
        parts.append(f"{asked / seconds:,.1f}/s")
        parts.append(f"{tally.input_tokens + tally.output_tokens:,} tokens")
        if tally.cost:
            parts.append(f"${tally.cost:,.4f}")
        if tally.failed:
            parts.append(f"{tally.failed:,} failed")
        if asked and standing.done < standing.total:
            parts.append(f"{_duration((standing.total - standing.done) * seconds / asked)} left")
        return ", ".join(parts)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
