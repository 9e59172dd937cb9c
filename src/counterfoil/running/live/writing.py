"""A run tells how it is doing: its state, and the rows that it has, both from time to time."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from counterfoil.running.askers import Watched
from counterfoil.running.live.state import Live, write_live
from counterfoil.running.plan import Plan
from counterfoil.running.records import NoParts, Parts

SECONDS = 1.0


@asynccontextmanager
async def telling(plan: Plan, parts: Parts | NoParts, watched: Sequence[Watched]) -> AsyncIterator[None]:
    """Tell while the asks go on inside. A pass whose rows are not kept tells nothing."""
    if not isinstance(parts, Parts):
        yield
        return
    started = time.monotonic()
    first = _first(plan)

    def tell() -> None:
        with suppress(OSError):
            parts.write_waiting()
        seconds = time.monotonic() - started
        write_live(
            plan.request.out, msgspec.structs.replace(first, seconds=seconds, works=[each.work for each in watched])
        )

    async def again_and_again() -> None:
        while True:
            await asyncio.sleep(SECONDS)
            tell()

    tell()
    task = asyncio.create_task(again_and_again())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        tell()


def _first(plan: Plan) -> Live:
    request, dataset = plan.request, plan.dataset
    return Live(
        suite=plan.suite.name,
        suite_at=plan.suite.place or None,
        options={option.key: request.settings[option.key] for option in plan.suite.options},
        data={"name": dataset.name, "given": request.data, "sha256": dataset.sha256},
        variants=[variant.name for variant in plan.variants],
        columns=list(plan.columns),
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=0.0,
        works=[],
        pid=os.getpid(),
        host=socket.gethostname(),
        command=_command(),
        cwd=str(Path.cwd()),
    )


def _command() -> list[str] | None:
    """The words after `counterfoil`, if this process was begun by it."""
    is_ours = Path(sys.argv[0]).stem in ("counterfoil", "__main__") and sys.argv[1:2] == ["run"]
    return sys.argv[1:] if is_ours else None
