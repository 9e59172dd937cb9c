"""How drawing is doing: a bar on a terminal, plain lines elsewhere; nothing if it is over in two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import TypeVar

from counterfoil.console import say

QUIET_SECONDS, LINES_SECONDS = 2.0, 10.0

Item = TypeVar("Item")


def watched(items: Sequence[Item], what: str) -> Iterator[Item]:
    """The items one after another; how many are done is shown as they go."""
    next_at = time.monotonic() + QUIET_SECONDS
    with ExitStack() as stack:
        bar = None
        for done, item in enumerate(items):
            if bar is not None:
                bar.update(bar.task_ids[0], completed=done)
            elif time.monotonic() >= next_at and sys.stderr.isatty():
                from rich.console import Console
                from rich.progress import Progress

                bar = stack.enter_context(Progress(console=Console(stderr=True), transient=True))
                bar.add_task(what, total=len(items), completed=done)
            elif time.monotonic() >= next_at:
                say(f"{what}: {done:,} of {len(items):,}")
                next_at = time.monotonic() + LINES_SECONDS
            yield item
