"""The budget: what is set aside, given back and counted, by hand."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.asking.ask import Ask, Message, Reply
from counterfoil.asking.budget import Account, Budget, Reserved, estimate_tokens
from counterfoil.asking.prices import FREE, Price

# A dollar for a million tokens in, two for a million out: a token in costs 1 millionth.
PRICE = Price(input=1.0, output=2.0, cached=0.5)


def ask_of(length: int = 40, **params: Any) -> Ask:
    return Ask(provider="openai", model="m", messages=(Message("user", "x" * length),), params=params)


def reply_of(input_tokens: int | None, output_tokens: int | None, cached_tokens: int | None = None) -> Reply:
    return Reply(status="ok", input_tokens=input_tokens, output_tokens=output_tokens, cached_tokens=cached_tokens)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 4.0),  # what any message takes
        ("x" * 40, 14.0),  # 40 / 4 + 4
        ("수도는", 6.0),  # 3 / 1.5 + 4
        ("수도는 abc", 7.0),  # 3 / 1.5 + 4 / 4 + 4
    ],
)
def test_tokens_are_estimated_by_script(text: str, tokens: float) -> None:
    assert estimate_tokens(text) == pytest.approx(tokens)


@pytest.mark.parametrize(
    ("params", "tokens", "millionths"),
    [
        ({}, 270, 526),  # 14 in and a first guess of 256 out: 14 + 2 x 256
        ({"max_tokens": 16}, 30, 46),  # 14 in and no more than 16 out: 14 + 2 x 16
        ({"max_tokens": 5000}, 270, 526),  # the guess is shorter than what is allowed
        ({"max_tokens": None}, 270, 526),
    ],
)
def test_what_an_ask_will_take_is_set_aside_and_given_back(
    params: dict[str, Any], tokens: float, millionths: float
) -> None:
    budget = Budget(max_cost=1.0, max_tokens=1000)
    account = Account(budget, PRICE)
    reserved = account.reserve(ask_of(**params))
    assert budget.set_aside == pytest.approx((millionths / 1e6, tokens))
    assert (budget.tokens.used, budget.dollars.used) == (0, 0)
    assert reserved is not None
    account.release(reserved)
    assert budget.set_aside == pytest.approx((0, 0))


def set_aside(account: Account, ask: Ask) -> tuple[float, float] | None:
    """Dollars and tokens for one more ask."""
    before = account.budget.set_aside
    if account.reserve(ask) is None:
        return None
    dollars, tokens = account.budget.set_aside
    return dollars - before[0], tokens - before[1]


def test_once_replies_have_come_their_mean_length_is_expected() -> None:
    account = Account(Budget(max_cost=1.0), PRICE)
    account.count(reply_of(14, 10), now=True)
    account.count(reply_of(14, 30), now=False)
    # 14 in and (10 + 30) / 2 = 20 out: 14 + 2 x 20 = 54 millionths, even where only 16 are allowed
    assert set_aside(account, ask_of(max_tokens=16)) == pytest.approx((54e-6, 34))


def test_tokens_in_are_reckoned_by_what_was_seen_also_for_asks_that_are_in_flight() -> None:
    account = Account(Budget(max_cost=1.0), PRICE)
    assert set_aside(account, ask_of(40, max_tokens=16)) == pytest.approx((46e-6, 30))  # 14 in, 16 out
    account.count(reply_of(28, 16), now=True, ask=ask_of(40))
    # 14 by letters were 28 in truth: the one in flight takes 28 + 16 tokens, 28 + 2 x 16 = 60 millionths
    assert account.budget.set_aside == pytest.approx((60e-6, 44))
    # one with twice the letters, 80 / 4 + 4 = 24 by letters: 48 in, 16 out
    assert set_aside(account, ask_of(80)) == pytest.approx((80e-6, 64))


def test_where_replies_grow_the_latest_are_expected() -> None:
    account = Account(Budget(max_tokens=10**9), FREE)
    for number in range(1, 1001):
        account.count(reply_of(14, number), now=True, ask=ask_of())
    # The mean of 1 to 1000 is 500.5. The latest lag behind by 1 / LATEST_SHARE = 16, less one: 1000 - 15 = 985.
    assert account.expected(Reserved(1, 14.0, 256.0), growing=True)[1] == pytest.approx(14 + 985)
    assert account.expected(Reserved(1, 14.0, 256.0))[1] == pytest.approx(14 + 500.5)
    for _ in range(1000):  # and where they shrink, the mean is: (500,500 + 1,000 x 10) / 2,000
        account.count(reply_of(14, 10), now=True, ask=ask_of())
    assert account.expected(Reserved(1, 14.0, 256.0), growing=True)[1] == pytest.approx(14 + 255.25)


def test_replies_are_counted_those_paid_for_earlier_too() -> None:
    budget = Budget()
    account = Account(budget, PRICE)
    account.count(reply_of(1000, 100, 600), now=True)  # 400 x 1 + 600 x 0.5 + 100 x 2 = 900 millionths
    account.count(reply_of(500, 50), now=False)  # 500 x 1 + 50 x 2 = 600 millionths
    tally = account.tally
    assert (tally.cost, tally.cost_now) == pytest.approx((0.0015, 0.0009))
    assert (tally.asked, tally.in_ledger, tally.failed, tally.retries) == (1, 1, 0, 0)
    assert (tally.input_tokens, tally.cached_tokens, tally.output_tokens) == (1500, 600, 150)
    assert budget.dollars.used == pytest.approx(0.0015)
    assert budget.tokens.used == 1650  # 1000 + 100 + 500 + 50


def test_without_a_price_there_is_no_cost_and_tokens_count_all_the_same() -> None:
    budget = Budget(max_tokens=1000)
    unknown, free = Account(budget, None), Account(budget, FREE)
    assert (unknown.tally.cost, unknown.tally.cost_now) == (None, None)
    assert (free.tally.cost, free.tally.cost_now) == (0.0, 0.0)
    unknown.count(reply_of(100, 10), now=True)
    free.count(reply_of(100, 10), now=True)
    assert unknown.tally.cost is None
    assert free.tally.cost == 0.0
    assert budget.tokens.used == 220
    assert set_aside(unknown, ask_of()) == pytest.approx((0.0, 24))  # 14 in, 10 out as before


def test_a_guess_at_the_first_reply_does_not_use_a_budget_up() -> None:
    budget = Budget(max_tokens=100)
    account = Account(budget, FREE)
    ask = ask_of()  # 14 in, and a first guess of 256 out

    async def begin() -> Reserved | None:
        return await account.begin(ask, lambda: None)

    assert account.reserve(ask) is None
    reserved = asyncio.run(begin())
    assert reserved is not None
    account.count(reply_of(14, 40), now=True, ask=ask)
    account.end(reserved)
    assert asyncio.run(begin()) is None  # 54 of 100 are used, and another 54 do not fit
    assert asyncio.run(Account(Budget(max_tokens=13), FREE).begin(ask, lambda: None)) is None


def test_all_models_share_one_budget() -> None:
    budget = Budget(max_tokens=60)
    first, second = Account(budget, FREE), Account(budget, FREE)
    ask = ask_of(max_tokens=16)  # 30 tokens
    assert first.reserve(ask) is not None
    assert second.reserve(ask) is not None  # 30 + 30 = 60: exactly what there is
    assert first.reserve(ask) is None
    assert budget.set_aside == pytest.approx((0, 60))  # what is refused sets nothing aside


def test_what_is_given_back_can_be_set_aside_again() -> None:
    budget = Budget(max_cost=50e-6)
    account = Account(budget, PRICE)
    ask = ask_of(max_tokens=16)  # 46 millionths
    reserved = account.reserve(ask)
    assert reserved is not None
    assert account.reserve(ask) is None
    account.release(reserved)
    again = account.reserve(ask)
    assert again is not None
    account.release(again)
    account.count(reply_of(5, 0), now=True)  # 5 millionths used: 45 are left; now an ask is taken to cost 14
    assert set_aside(account, ask) == pytest.approx((14e-6, 14))


def test_without_limits_there_is_always_room() -> None:
    account = Account(Budget(), PRICE)
    account.count(reply_of(10**9, 10**9), now=True)
    assert account.reserve(ask_of()) is not None


def test_the_sentence_names_the_limit_that_is_reached() -> None:
    budget = Budget(max_cost=1.0, max_tokens=2000)
    account = Account(budget, PRICE)
    account.count(reply_of(1980, 10), now=True)  # 1990 tokens, 2000 millionths of a dollar
    assert account.reserve(ask_of()) is None
    assert budget.sentence == (
        "the budget of 2,000 tokens is reached (1,990 used): "
        "run the same command with a larger --max-tokens-total to go on"
    )
    budget = Budget(max_cost=0.002, max_tokens=1_000_000)
    account = Account(budget, PRICE)
    account.count(reply_of(1980, 10), now=True)
    assert account.reserve(ask_of()) is None
    assert budget.sentence == (
        "the budget of $0.002 is reached ($0.0020 used): run the same command with a larger --max-cost to go on"
    )


@pytest.mark.parametrize("limit", [0.0, 1e-9])
def test_a_budget_too_small_for_the_first_ask_is_reached_at_once(limit: float) -> None:
    budget = Budget(max_cost=limit)
    assert Account(budget, PRICE).reserve(ask_of()) is None
    assert budget.sentence.startswith(f"the budget of ${limit:g} is reached ($0.0000 used)")


@given(
    st.lists(st.tuples(st.integers(0, 400), st.integers(1, 50), st.integers(0, 50)), max_size=20),
    st.integers(0, 2000),
)
def test_what_is_set_aside_never_goes_over_the_limit_and_all_of_it_comes_back(
    asks: list[tuple[int, int, int]], limit: int
) -> None:
    budget = Budget(max_tokens=limit, max_cost=limit / 1e6)
    account = Account(budget, PRICE)
    taken = [reserved for length, *_ in asks if (reserved := account.reserve(ask_of(length))) is not None]
    assert budget.set_aside[1] <= limit
    assert budget.set_aside[0] <= limit / 1e6
    for reserved in taken:
        account.release(reserved)
    for _, input_tokens, output_tokens in asks:
        account.count(reply_of(input_tokens, output_tokens), now=True)
    assert budget.set_aside == pytest.approx((0, 0), abs=1e-6)
    assert budget.tokens.used == sum(came + went for _, came, went in asks)
    assert budget.dollars.used == pytest.approx(account.tally.cost)


@pytest.mark.parametrize("usage", [(None, None), (0, 0), (None, 3), (0, None)])
def test_what_the_server_did_not_count_is_counted_by_letters_and_that_is_said_once(
    usage: tuple[int | None, int | None],
) -> None:
    said: list[str] = []
    budget = Budget(max_tokens=1000)
    account = Account(budget, PRICE, said.append)
    reply = Reply(status="ok", text="x" * 20, reasoning="y" * 20, input_tokens=usage[0], output_tokens=usage[1])
    for _ in range(2):
        account.count(reply, now=True, ask=ask_of(40))
    # 40 letters in are 40 / 4 + 4 = 14 tokens, 20 + 20 out are 40 / 4 + 4 = 14, unless the server says 3
    each = 14 + (usage[1] or 14)
    assert budget.tokens.used == 2 * each
    assert account.tally.cost == pytest.approx(2 * (14 + 2 * (usage[1] or 14)) / 1e6)
    assert (account.tally.estimated, account.tally.input_tokens) == (2, 28)
    [sentence] = said
    assert sentence.startswith("the server does not say how many tokens a reply takes")


def test_an_empty_reply_and_one_that_a_filter_stopped_need_no_estimate() -> None:
    account = Account(Budget(max_tokens=1000), PRICE)
    account.count(Reply(status="ok", text="", input_tokens=5, output_tokens=0), now=True, ask=ask_of())
    account.count(Reply(status="refused", text="the server said 400: no"), now=True, ask=ask_of())
    assert (account.tally.estimated, account.budget.tokens.used) == (0, 5)


def test_what_was_summed_before_the_first_ask_is_not_counted_twice() -> None:
    budget = Budget(max_tokens=1000)
    before = Account(budget.like(), PRICE)
    asks = [ask_of(length) for length in (1, 2, 3)]
    for ask in asks[:2]:
        before.found(ask.key, reply_of(90, 10))
    account = Account(budget, PRICE)
    account.note_earlier(before)
    assert budget.tokens.used == 200
    assert account.expected(Reserved(1, 14.0, 256.0))[1] == pytest.approx(14 + 10)  # as long as those
    account.count(reply_of(40, 10), now=True, ask=ask_of(9))
    assert budget.tokens.used == 250
    for ask in asks[:2]:
        account.found(ask.key, reply_of(90, 10))
    assert budget.tokens.used == 250
    account.found(asks[2].key, reply_of(90, 10))  # nobody had seen this one
    assert budget.tokens.used == 350
    assert budget.dollars.used == pytest.approx(account.tally.cost)


def test_a_reply_that_was_asked_for_now_is_not_found_on_top() -> None:
    account = Account(Budget(), PRICE)
    ask = ask_of()
    account.count(reply_of(90, 10), now=True, ask=ask)
    account.found(ask.key, reply_of(90, 10), ask)
    assert (account.tally.asked, account.tally.in_ledger, account.budget.tokens.used) == (1, 0, 100)
