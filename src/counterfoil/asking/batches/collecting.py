"""What came of a batch that has ended: line by line into the ledger, and what else its lines say."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import NamedTuple

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.batches.interface import BatchInterface, Line, Look, NotProcessed
from counterfoil.asking.batches.store import Batch, BatchStore
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.base import ModelError

LINES_AT_ONCE = 500


class NotOurs(Exception):
    """The batch holds none of the asks that it was thought to hold."""


class Ended(NamedTuple):
    """How one ask ended: with a reply that is durable, or with an error."""

    key: bytes
    ask: Ask
    reply: Reply | None
    error: ModelError | None


async def collect(
    interface: BatchInterface, store: BatchStore, ledger: Ledger, batch: Batch, look: Look, seen: set[bytes]
) -> AsyncIterator[list[Ended]]:
    """The asks of a batch as they ended, many at a time; those that are in `seen` are left out, and it grows.

    Asks without a line come last. The download may break off: call it again with the same `seen`.
    """
    async for lines in _in_parts(interface, look):
        asks = store.asks(batch.id, [key for key in lines if key not in seen])
        if not asks and not seen and not batch.is_sure:
            raise NotOurs
        ended = [_ended(interface, key, ask, lines[key]) for key, ask in asks.items()]
        kept = await asyncio.gather(*(ledger.put(one.ask, batch.model, one.reply) for one in ended if one.reply))
        replies = iter(kept)
        seen.update(asks)
        yield [one._replace(reply=next(replies)) if one.reply else one for one in ended]
    if not seen and not batch.is_sure:
        raise NotOurs
    missing = [key for key in store.keys(batch.id) if key not in seen]
    nothing = NotProcessed("the batch ended without a line for it")
    for start in range(0, len(missing), LINES_AT_ONCE):
        asks = store.asks(batch.id, missing[start : start + LINES_AT_ONCE])
        seen.update(asks)
        yield [Ended(key, ask, None, nothing) for key, ask in asks.items()]


def _ended(interface: BatchInterface, key: bytes, ask: Ask, line: Line) -> Ended:
    try:
        return Ended(key, ask, interface.read(ask, line), None)
    except ModelError as error:
        return Ended(key, ask, None, error)


async def _in_parts(interface: BatchInterface, look: Look) -> AsyncIterator[dict[bytes, Line]]:
    """The lines by their keys, some at a time; of two for one ask the first."""
    part: dict[bytes, Line] = {}
    async for name, line in interface.lines(look):
        try:
            part.setdefault(bytes.fromhex(name), line)
        except ValueError:
            continue
        if len(part) >= LINES_AT_ONCE:
            yield part
            part = {}
    if part:
        yield part
