"""One process at a time submits with a ledger: who holds the lock knows that a half-made batch is nobody's any more."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from counterfoil.asking.asker import Halt
from counterfoil.asking.ledger_file import explained
from counterfoil.files import take_lock

WAIT_SECONDS = 0.2


@asynccontextmanager
async def submitting(ledger: Path, halt: Halt) -> AsyncIterator[bool]:
    """Wait for the lock and hold it; False where the run was halted before it was free."""
    while halt.reason is None:
        with explained(ledger):
            lock = take_lock(ledger.with_name(f"{ledger.name}-submitting"))
        if lock is None:
            await halt.nap(WAIT_SECONDS)
            continue
        try:
            yield True
        finally:
            lock.release()
        return
    yield False
