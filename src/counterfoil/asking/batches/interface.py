"""What a provider's batch interface must give, and what can be said of a batch."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from typing import Any, BinaryIO, NamedTuple, Protocol

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.models.base import TryAgain

Line = dict[str, Any]


class NotProcessed(TryAgain):
    """The provider did not come to this ask before the batch ended."""


class Complaint(NamedTuple):
    """Why a batch was not accepted; `line` counts from 1, and is None where it is about the whole."""

    message: str
    line: int | None
    too_much: bool


class Found(NamedTuple):
    """A batch that may be the one that was posted; `is_sure` where it says so itself."""

    batch_id: str
    is_sure: bool


class Look(NamedTuple):
    """How a batch is doing. `done` of its asks are done; `results` are where its lines can be fetched, once it has
    ended; `complaints` are there only where it was not accepted.
    """

    ended: bool
    done: int
    cancelled: bool
    results: Sequence[str] = ()
    complaints: Sequence[Complaint] = ()


class BatchInterface(Protocol):
    """One provider's way with batches. Its errors are those of `models.base`."""

    provider: str
    base_url: str
    most_asks: int
    most_bytes: int
    # What stands before, between and after the lines of a batch.
    head: bytes
    between: bytes
    tail: bytes

    def line(self, ask: Ask) -> bytes:
        """An ask in a batch, by its key; with the body that would be sent without one."""
        ...

    async def upload(self, content: BinaryIO) -> str | None:
        """What has to happen before the batch is made, and costs nothing; gives what `create` needs of it."""
        ...

    async def create(self, content: BinaryIO, uploaded: str | None, token: str) -> str:
        """Make the batch; gives its id."""
        ...

    async def find(self, token: str, asks: int, posted_at: float, known: Collection[str]) -> Found | None:
        """The batch that was made for this token, or about then with so many asks; not one of the known."""
        ...

    async def look(self, batch_id: str) -> Look:
        """How it is doing."""
        ...

    def lines(self, look: Look) -> AsyncIterator[tuple[str, Line]]:
        """The lines of an ended batch by the keys of their asks, in any order."""
        ...

    def read(self, ask: Ask, line: Line) -> Reply:
        """The reply in a line; raises what else it says."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...
