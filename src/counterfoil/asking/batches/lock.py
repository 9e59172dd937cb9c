"""One process at a time submits with a ledger: who holds the lock knows that a half-made batch is nobody's any more."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from counterfoil.asking.asker import Halt
from counterfoil.asking.connection import explained

try:
    import fcntl
except ModuleNotFoundError:  # Windows: only one process at a time can use batches there
    fcntl = None  # type: ignore[assignment]

WAIT_SECONDS = 0.2


@asynccontextmanager
async def submitting(ledger: Path, halt: Halt) -> AsyncIterator[bool]:
    """Wait for the lock and hold it; False where the run was halted before it was free."""
    with explained(ledger):
        file = ledger.with_name(f"{ledger.name}-submitting").open("w")
    with file:
        while halt.reason is None:
            if fcntl is not None:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    await halt.nap(WAIT_SECONDS)
                    continue
            yield True
            return
        yield False
