"""How work is doing: bars on a terminal, plain lines elsewhere; nothing if it is over in two seconds."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Protocol, TypeVar

from counterfoil.console import printable, say

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

QUIET_SECONDS = 2.0
TERMINAL_SECONDS = 0.25
LINES_SECONDS = 10.0

Item = TypeVar("Item")
Clock = Callable[[], float]


class Work(Protocol):
    """Work that is shown. Its `total` is None or 0 where nobody knows it."""

    @property
    def name(self) -> str: ...

    @property
    def done(self) -> int: ...

    @property
    def total(self) -> int | None: ...

    def describe(self, seconds: float) -> str:
        """How far it is, `seconds` after it was begun."""
        ...


class Progress:
    """Looks at work from time to time; the work does not know of it.

    `columns` are the names of rich's columns behind the bar; without any, the work's own description stands there.
    """

    def __init__(
        self,
        works: Sequence[Work],
        *,
        columns: Sequence[str] = (),
        say: Callable[[str], None] = say,
        clock: Clock = time.monotonic,
    ) -> None:
        self._works = works
        self._columns = columns
        self._say = say
        self._clock = clock
        self._started_at = clock()
        self._next_at = self._started_at + QUIET_SECONDS
        self._bars: Bars | None = None
        self._opened = ExitStack()

    @contextmanager
    def shown(self) -> Iterator[None]:
        """For work that calls `look` itself, as often as it likes."""
        try:
            yield
        finally:
            with suppress(OSError):
                self._opened.close()

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """For work that goes on inside, in the same event loop."""
        watching = asyncio.create_task(self._watch()) if self._works else None
        try:
            yield
        finally:
            if watching is not None:
                watching.cancel()
                with suppress(asyncio.CancelledError):
                    await watching

    async def _watch(self) -> None:
        with self.shown():
            while True:
                await asyncio.sleep(max(0.0, self._next_at - self._clock()))
                self.look()

    def look(self) -> None:
        """Show how it is, if it is time to. Nobody may be looking any more: that is no reason to stop."""
        now = self._clock()
        if now >= self._next_at:
            with suppress(OSError):
                self._show(now)

    def _show(self, now: float) -> None:
        if self._bars is None and sys.stderr.isatty():
            self._bars = self._opened.enter_context(self._new_bars())
        if self._bars is None:
            self._next_at = now + LINES_SECONDS
            for work in self._works:
                self._say(f"{work.name}: {work.describe(now - self._started_at)}")
            return
        self._next_at = now + TERMINAL_SECONDS
        for task, work in zip(self._bars.task_ids, self._works, strict=True):
            text = "" if self._columns else work.describe(now - self._started_at)
            self._bars.update(
                task, description=printable(work.name), completed=work.done, total=work.total or None, text=text
            )

    def _new_bars(self) -> Bars:
        from rich import progress
        from rich.console import Console

        text = progress.TextColumn("{task.fields[text]}", markup=False)
        behind = [getattr(progress, column)() for column in self._columns] or [text]
        name = progress.TextColumn("{task.description}", markup=False)
        bar = progress.BarColumn(bar_width=40 if self._columns else 24)
        bars = progress.Progress(name, bar, *behind, console=Console(stderr=True), transient=True)
        for work in self._works:
            bars.add_task(printable(work.name), total=work.total or None, completed=work.done, text="")
        return bars


class Count:
    """Work whose parts are counted, such as "1,200 of 4,800"."""

    def __init__(self, name: str, total: int) -> None:
        self.name = name
        self.total = total
        self.done = 0

    def describe(self, seconds: float) -> str:
        return f"{self.done:,} of {self.total:,}"


def counted(items: Sequence[Item], name: str, *, clock: Clock = time.monotonic) -> Iterator[Item]:
    """The items one after another; how many are done is shown as they go."""
    count = Count(name, len(items))
    progress = Progress([count], columns=("TaskProgressColumn", "TimeRemainingColumn"), clock=clock)
    with progress.shown():
        for item in items:
            progress.look()
            yield item
            count.done += 1
