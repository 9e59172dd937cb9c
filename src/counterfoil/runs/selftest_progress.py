"""How a self-test is doing: a bar on a terminal, plain lines elsewhere; nothing if it is over in two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from counterfoil.console import say
from counterfoil.runs.progress import LINES_SECONDS, QUIET_SECONDS
from counterfoil.runs.selftest import Progress


@contextmanager
def watching(name: str) -> Iterator[Progress]:
    """What to call with the cell, the trials that are done, and those that there are."""
    if not sys.stderr.isatty():
        yield _lines(name)
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=None)
        yield lambda cell, done, total: bar.update(task, description=cell, completed=done, total=total)


def _lines(name: str) -> Progress:
    started = time.monotonic()
    next_at = started + QUIET_SECONDS

    def tell(cell: str, done: int, total: int) -> None:
        nonlocal next_at
        now = time.monotonic()
        if now >= next_at and done < total:
            left = (now - started) * (total - done) / done
            say(f"{name}: {done:,} of {total:,} trials, at {cell}, about {left:.0f} s left")
            next_at = now + LINES_SECONDS

    return tell
