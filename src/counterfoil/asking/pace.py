"""How many asks a model gets at a time: as many as it takes without complaint."""

from __future__ import annotations

import asyncio
from collections import deque

FIRST_LIMIT = 16
HIGHEST_LIMIT = 128


class Pace:
    """Additive increase, halving on overload; with `fixed`, that number throughout. Never more than `most`.

    A model that knows how many asks it takes (`slots`) gets as many from the first moment.
    The limit grows by one for each reply until the model first complains, and from then on by one for each round of
    replies. Complaints about asks that were sent before the last halving are about the old limit, and don't count.
    """

    def __init__(self, *, fixed: int | None = None, slots: int | None = None, most: int | None = None) -> None:
        self.in_flight = 0
        highest = fixed or slots or HIGHEST_LIMIT
        self.highest = min(highest, most or highest)
        self.limit = self.highest if fixed or slots else min(FIRST_LIMIT, self.highest)
        self._adapts = fixed is None
        self._complained = False
        self._replies_since_step = 0
        self._halved_at = 0.0
        self._quiet_until = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._clock = asyncio.get_running_loop().time

    async def enter(self) -> float:
        """Wait for a place; gives the time of entry, which `overloaded` wants."""
        if self.in_flight < self.limit and not self._waiting:
            self.in_flight += 1
        else:
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self.leave()
                raise
        return self._clock()

    def leave(self) -> None:
        """Give the place back."""
        self.in_flight -= 1
        self._fill()

    def answered(self) -> None:
        """A reply has come: perhaps there is room for more."""
        if not self._adapts or self.limit >= self.highest or self.in_flight < self.limit:
            return
        self._replies_since_step += 1
        if self._replies_since_step >= (self.limit if self._complained else 1):
            self._replies_since_step = 0
            self.limit += 1
            self._fill()

    def overloaded(self, entered_at: float) -> None:
        """The model has complained about an ask that entered at that time."""
        self._complained = True
        if self._adapts and entered_at > self._halved_at:
            self.limit = max(1, self.limit // 2)
            self._replies_since_step = 0
            self._halved_at = self._clock()

    def be_quiet(self, seconds: float) -> None:
        """The model wants to be left alone for so long."""
        self._quiet_until = max(self._quiet_until, self._clock() + seconds)

    def quiet_left(self) -> float:
        """Seconds until the next ask may be sent; 0 or less: now."""
        return self._quiet_until - self._clock()

    def _fill(self) -> None:
        """Give free places to those who wait, the first come first."""
        while self.in_flight < self.limit and self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                self.in_flight += 1
                turn.set_result(None)
