"""Money and tokens: what was spent on each model, and the limit for the whole run."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import msgspec

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.prices import Price

_LOG = logging.getLogger(__name__)

# Until a model has answered, its replies are taken to be this long, or as long as the ask allows if that is shorter.
FIRST_GUESS_TOKENS = 256
# So many replies are remembered as counted, by so many digits of their keys: equal ones are mostly near each other.
FOUND_KEYS, SHORT_KEY = 65_536, 15


# Dollars and tokens that are set aside for an ask.
Reserved = tuple[float, float]


class Tally(msgspec.Struct, kw_only=True):
    """What one model was asked in a run, and what that cost; `cost` is None where its price is not known."""

    asked: int = 0
    in_ledger: int = 0
    failed: int = 0
    retries: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    cost_now: float | None = None


class Meter:
    """A limit, what of it is used up, and what the asks in flight will probably use."""

    def __init__(self, limit: float | None) -> None:
        self.limit = limit
        self.used = 0.0
        self.reserved = 0.0

    def has_room(self, amount: float) -> bool:
        return self.limit is None or self.used + self.reserved + amount <= self.limit

    @property
    def is_used_up(self) -> bool:
        return self.limit is not None and self.used >= self.limit


class Budget:
    """The limits of a run, over all of its models and judges. What its replies have cost earlier counts, too.

    What is set aside for an ask may be more than it takes. So an ask that does not fit beside those `in_flight`, which
    end by themselves, waits for them; the limit is reached only where one does not fit and nothing is in flight.
    """

    def __init__(self, *, max_cost: float | None = None, max_tokens: int | None = None) -> None:
        self.dollars = Meter(max_cost)
        self.tokens = Meter(max_tokens)
        self.in_flight = 0
        # The first who waits for room has the turn, and looks again whenever something is freed.
        self.turn = asyncio.Lock()
        self.freed = asyncio.Event()
        self._tokens_ran_out = False

    def has_room(self, dollars: float, tokens: float) -> bool:
        self._tokens_ran_out = not self.tokens.has_room(tokens)
        return not self._tokens_ran_out and self.dollars.has_room(dollars)

    @property
    def is_used_up(self) -> bool:
        """Whether what has come has taken all of it, whatever is in flight."""
        self._tokens_ran_out = self.tokens.is_used_up
        return self._tokens_ran_out or self.dollars.is_used_up

    @property
    def sentence(self) -> str:
        """What to tell the user when it is used up."""
        if self._tokens_ran_out:
            return (
                f"the budget of {self.tokens.limit:,.0f} tokens is reached ({self.tokens.used:,.0f} used): "
                "run the same command with a larger --max-tokens-total to go on"
            )
        return (
            f"the budget of ${self.dollars.limit:g} is reached (${self.dollars.used:.4f} used): "
            "run the same command with a larger --max-cost to go on"
        )


class Account:
    """One model's part of the budget."""

    def __init__(self, budget: Budget, price: Price | None) -> None:
        self.budget = budget
        self.price = price
        self.tally = Tally()
        self._found: dict[int, None] = {}
        if price is not None:
            self.tally.cost = self.tally.cost_now = 0.0

    def reserve(self, ask: Ask) -> Reserved | None:
        """Set aside what the ask will probably take, dollars and tokens; None if that is not there any more."""
        input_tokens = estimate_tokens(ask.prompt)
        output_tokens = self._expected_output(ask)
        dollars = self.price.of_tokens(input_tokens, output_tokens) if self.price else 0.0
        tokens = input_tokens + output_tokens
        if not self.budget.has_room(dollars, tokens):
            return None
        self.budget.dollars.reserved += dollars
        self.budget.tokens.reserved += tokens
        return dollars, tokens

    def release(self, reserved: Reserved) -> None:
        """The ask has ended: what was set aside for it is free again."""
        self.budget.dollars.reserved -= reserved[0]
        self.budget.tokens.reserved -= reserved[1]
        self.budget.freed.set()

    async def begin(self, ask: Ask, check: Callable[[], None]) -> Reserved | None:
        """Set aside as `reserve` does, for an ask that is sent at once and ends whatever others wait for.

        It waits for room while others are in flight. First come, first served: who comes later may take more, and
        would find the limit reached. `check` raises what ends the waiting.
        """
        budget = self.budget
        async with budget.turn:
            while True:
                check()
                reserved = self.reserve(ask)
                if reserved is not None or not budget.in_flight:
                    budget.in_flight += reserved is not None
                    return reserved
                _LOG.debug("an ask waits for budget; in flight: %d", budget.in_flight)
                budget.freed.clear()
                await budget.freed.wait()

    def end(self, reserved: Reserved) -> None:
        """An ask that has begun has ended."""
        self.budget.in_flight -= 1
        self.release(reserved)

    def count(self, reply: Reply, *, now: bool) -> None:
        """A reply of this run, paid for now or earlier."""
        tally = self.tally
        tally.asked += now
        tally.in_ledger += not now
        tally.input_tokens += reply.input_tokens or 0
        tally.cached_tokens += reply.cached_tokens or 0
        tally.output_tokens += reply.output_tokens or 0
        self.budget.tokens.used += (reply.input_tokens or 0) + (reply.output_tokens or 0)
        if self.price is not None and tally.cost is not None and tally.cost_now is not None:
            dollars = self.price.of(reply)
            self.budget.dollars.used += dollars
            tally.cost += dollars
            tally.cost_now += dollars * now

    def found(self, key: str, reply: Reply) -> None:
        """A reply that was in the ledger. Several records may share it, and it was paid for once."""
        short = int(key[:SHORT_KEY], 16)
        if short in self._found:
            return
        self._found[short] = None
        if len(self._found) > FOUND_KEYS:
            del self._found[next(iter(self._found))]
        self.count(reply, now=False)

    def _expected_output(self, ask: Ask) -> float:
        answered = self.tally.asked + self.tally.in_ledger
        if answered:
            return self.tally.output_tokens / answered
        return min(FIRST_GUESS_TOKENS, ask.params.get("max_tokens") or FIRST_GUESS_TOKENS)


def estimate_tokens(text: str) -> float:
    """About how many tokens a text has: four Latin letters to a token, fewer of other scripts."""
    ascii_only = len(text.encode("ascii", "ignore"))
    return ascii_only / 4 + (len(text) - ascii_only) / 1.5 + 4
