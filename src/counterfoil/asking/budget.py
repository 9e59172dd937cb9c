"""Money and tokens: what was spent on each model, and the limit for the whole run."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.prices import Price

_LOG = logging.getLogger(__name__)

# Until a model has answered, its replies are taken to be this long, or as long as the ask allows if that is shorter.
FIRST_GUESS_TOKENS = 256
# Replies may grow: those to come are taken to be as long as the latest, where these are longer than the mean. Each
# reply counts for so much of what the latest are.
LATEST_SHARE = 1 / 16
# So many replies are remembered as counted, by so many digits of their keys: equal ones are mostly near each other.
FOUND_KEYS, SHORT_KEY = 65_536, 15


class Reserved(NamedTuple):
    """Asks that budget is set aside for: how many, and a first guess at their tokens by what they say."""

    asks: float = 0
    input_tokens: float = 0.0
    output_tokens: float = 0.0

    def plus(self, other: Reserved, sign: int = 1) -> Reserved:
        """Both together; with the sign -1 what is left without the other."""
        return Reserved(*(mine + sign * others for mine, others in zip(self, other, strict=True)))


NOTHING = Reserved()
# Of more models behind one name than these, the others are counted together.
MOST_NAMES = 20


class Tally(msgspec.Struct, kw_only=True):
    """What one model was asked in a run, and what that cost; `cost` is None where its price is not known.

    `reasoning_tokens` are those of the output that went into thinking. `estimated`: replies whose tokens the server did
    not count, and which are counted by their letters. `truncated` replies were cut off; in `empty` ones
    is nothing, though they were not.
    """

    asked: int = 0
    in_ledger: int = 0
    failed: int = 0
    retries: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    estimated: int = 0
    truncated: int = 0
    empty: int = 0
    # Replies by the name that the server gave its model.
    served: dict[str, int] = {}
    cost: float | None = None
    cost_now: float | None = None


class Meter:
    """A limit, and what of it is used up: by replies of now, and by those that were paid for before.

    The latter are known in two ways: `earlier` is what the ledger was found to hold before the first ask, `found` what
    has been found there since. Mostly they are the same replies, so the larger of the two counts.
    """

    def __init__(self, limit: float | None) -> None:
        self.limit = limit
        self.now = 0.0
        self.found = 0.0
        self.earlier = 0.0

    @property
    def used(self) -> float:
        return self.now + max(self.earlier, self.found)

    def add(self, amount: float, *, now: bool) -> None:
        if now:
            self.now += amount
        else:
            self.found += amount

    def has_room(self, amount: float) -> bool:
        return self.limit is None or self.used + amount <= self.limit

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
        self.accounts: list[Account] = []
        self.in_flight = 0
        # The first who waits for room has the turn, and looks again whenever something is freed.
        self.turn = asyncio.Lock()
        self.freed = asyncio.Event()
        self._tokens_ran_out = False

    @property
    def is_limited(self) -> bool:
        return self.dollars.limit is not None or self.tokens.limit is not None

    def like(self) -> Budget:
        """Another one with these limits, of which nothing is used."""
        limit = self.tokens.limit
        return Budget(max_cost=self.dollars.limit, max_tokens=None if limit is None else round(limit))

    @property
    def set_aside(self) -> tuple[float, float]:
        """Dollars and tokens for the asks in flight, by what is known of their models now."""
        parts = [account.expected(account.reserved, growing=True) for account in self.accounts]
        return sum(dollars for dollars, _ in parts), sum(tokens for _, tokens in parts)

    def has_room(self, dollars: float, tokens: float) -> bool:
        dollars_aside, tokens_aside = self.set_aside
        self._tokens_ran_out = not self.tokens.has_room(tokens_aside + tokens)
        return not self._tokens_ran_out and self.dollars.has_room(dollars_aside + dollars)

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


class Seen(msgspec.Struct, kw_only=True):
    """What replies have shown of those to come: tokens in by their letters and as counted, tokens out, and the length
    of the latest.
    """

    replies: int = 0
    guessed_input: float = 0.0
    input_tokens: float = 0.0
    output_tokens: float = 0.0
    latest_output: float = 0.0

    def add(self, ask: Ask | None, input_tokens: int, output_tokens: int) -> None:
        self.replies += 1
        self.output_tokens += output_tokens
        self.latest_output += (output_tokens - self.latest_output) * (LATEST_SHARE if self.replies > 1 else 1.0)
        if ask is not None:
            self.guessed_input += estimate_tokens(ask.prompt)
            self.input_tokens += input_tokens


class Account:
    """One model's part of the budget. `say` tells the user once that its tokens are estimated."""

    def __init__(self, budget: Budget, price: Price | None, say: Callable[[str], None] | None = None) -> None:
        self.budget = budget
        self.price = price
        self.tally = Tally()
        self.reserved = NOTHING
        self._seen = Seen()
        self._say = say
        self._found: dict[int, None] = {}
        if price is not None:
            self.tally.cost = self.tally.cost_now = 0.0
        budget.accounts.append(self)

    def note_earlier(self, earlier: Account) -> None:
        """These replies were found in the ledger before they are asked for. They are paid for, and show what others
        will take.
        """
        tally = earlier.tally
        self.budget.dollars.earlier += tally.cost or 0.0
        self.budget.tokens.earlier += tally.input_tokens + tally.output_tokens
        self._seen = msgspec.structs.replace(earlier._seen)

    def expected(self, asks: Reserved, *, growing: bool = False) -> tuple[float, float]:
        """Dollars and tokens that these asks will probably take, by the replies that have come: a mean. `growing`:
        if the latest replies are longer than the mean, as these.
        """
        seen = self._seen
        input_tokens, output_tokens = asks.input_tokens, asks.output_tokens
        if seen.guessed_input:
            input_tokens *= seen.input_tokens / seen.guessed_input
        if seen.replies:
            mean = seen.output_tokens / seen.replies
            output_tokens = asks.asks * (max(mean, seen.latest_output) if growing else mean)
        dollars = self.price.of_tokens(input_tokens, output_tokens) if self.price else 0.0
        return dollars, input_tokens + output_tokens

    def reserve(self, ask: Ask, *, alone: bool = False) -> Reserved | None:
        """Set aside what the ask will probably take; None if that is not there any more.

        While others are in flight, it is taken to be one of many that may grow. With nothing in flight the mean
        decides: it is the same in another run with the same replies, which then spends nothing more either. `alone`:
        the first ask of a model is sent while nothing else is in flight, if only what it says fits. A guess at its
        reply is no reason to call a budget used up.
        """
        if not self.budget.is_limited:
            return NOTHING
        allowed = ask.params.get("max_tokens") or FIRST_GUESS_TOKENS
        reserved = Reserved(1, estimate_tokens(ask.prompt), min(FIRST_GUESS_TOKENS, allowed))
        needed = reserved._replace(output_tokens=0.0) if alone and not self._seen.replies else reserved
        if not self.budget.has_room(*self.expected(needed, growing=self.budget.in_flight > 0)):
            return None
        self.reserved = self.reserved.plus(reserved)
        return reserved

    def release(self, reserved: Reserved) -> None:
        """The ask has ended: what was set aside for it is free again."""
        self.reserved = self.reserved.plus(reserved, -1)
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
                reserved = self.reserve(ask, alone=not budget.in_flight)
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

    def count(self, reply: Reply, *, now: bool, ask: Ask | None = None) -> None:
        """A reply of this run, paid for now or earlier. What the server did not count is counted by letters: of the
        ask, where that is at hand, and of the reply.
        """
        tally = self.tally
        tally.asked += now
        tally.in_ledger += not now
        if is_uncounted(reply):
            reply = self._estimated(reply, ask, now=now)
        input_tokens, output_tokens = reply.input_tokens or 0, reply.output_tokens or 0
        tally.input_tokens += input_tokens
        tally.cached_tokens += reply.cached_tokens or 0
        tally.output_tokens += output_tokens
        tally.reasoning_tokens += reply.reasoning_tokens or 0
        tally.truncated += reply.status == "truncated"
        tally.empty += reply.status == "ok" and not reply.text.strip()
        if reply.served_model is not None:
            name = reply.served_model if reply.served_model in tally.served or len(tally.served) < MOST_NAMES else "…"
            tally.served[name] = tally.served.get(name, 0) + 1
        self.budget.tokens.add(input_tokens + output_tokens, now=now)
        if self.price is not None and tally.cost is not None and tally.cost_now is not None:
            dollars = self.price.of(reply)
            self.budget.dollars.add(dollars, now=now)
            tally.cost += dollars
            tally.cost_now += dollars * now
        if now and ask is not None:
            self._remember(ask.key)
        if self.budget.is_limited:
            self._seen.add(ask, input_tokens, output_tokens)

    def found(self, key: str, reply: Reply, ask: Ask | None = None) -> None:
        """A reply that was in the ledger. Several records may share it, and it was paid for once."""
        if self._remember(key):
            self.count(reply, now=False, ask=ask)

    def _remember(self, key: str) -> bool:
        """Whether the reply was not counted before, as far as that is remembered."""
        short = int(key[:SHORT_KEY], 16)
        if short in self._found:
            return False
        self._found[short] = None
        if len(self._found) > FOUND_KEYS:
            del self._found[next(iter(self._found))]
        return True

    def _estimated(self, reply: Reply, ask: Ask | None, *, now: bool) -> Reply:
        self.tally.estimated += 1
        if now and self.tally.estimated == 1 and self.budget.is_limited and self._say is not None:
            self._say("the server does not say how many tokens a reply takes: the budget counts them by their letters.")
        thought = f"{reply.reasoning or ''}{reply.text}"
        return msgspec.structs.replace(
            reply,
            input_tokens=reply.input_tokens or round(estimate_tokens(ask.prompt) if ask is not None else 0),
            output_tokens=reply.output_tokens or round(estimate_tokens(thought) if thought else 0),
        )


def is_uncounted(reply: Reply) -> bool:
    """Whether the server did not say, or not believably, how many tokens it took. Nothing comes of an ask that a filter
    has stopped.
    """
    if reply.status == "refused":
        return False
    return not reply.input_tokens or reply.output_tokens is None or (reply.output_tokens == 0 and bool(reply.text))


def estimate_tokens(text: str) -> float:
    """About how many tokens a text has: four Latin letters to a token, fewer of other scripts."""
    ascii_only = len(text.encode("ascii", "ignore"))
    return ascii_only / 4 + (len(text) - ascii_only) / 1.5 + 4
