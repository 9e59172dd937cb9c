"""Waiting for what must come, however slow the machine; the limits only keep a test from hanging for ever."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

SECONDS = 300
LOOK_SECONDS = 0.01
STEPS = 60


def wait_until(is_so: Callable[[], object]) -> None:
    until = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < until, "it never came to that"
        time.sleep(LOOK_SECONDS)


async def until(is_so: Callable[[], object]) -> None:
    """The same in an event loop."""
    async with asyncio.timeout(SECONDS):
        while not is_so():
            await asyncio.sleep(LOOK_SECONDS)


class Skipping:
    """The time of the running event loop, from which some can be left out: limits that are far away are reached."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._time, self._skipped = self._loop.time, 0.0
        self._loop.time = lambda: self._time() + self._skipped  # type: ignore[method-assign]

    def skip(self, seconds: float) -> None:
        """May be called in any thread. The time passes in steps: one leap would be a process that was stopped."""
        self._loop.call_soon_threadsafe(self._skip, seconds / STEPS, STEPS)

    def _skip(self, seconds: float, steps: int) -> None:
        self._skipped += seconds
        if steps > 1:
            self._loop.call_soon(self._skip, seconds, steps - 1)
