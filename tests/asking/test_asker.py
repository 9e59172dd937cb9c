"""The sender: each ask once, again where that can help, within the budget, and never for ever."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import string
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from counterfoil.asking import asker
from counterfoil.asking.ask import Ask, Message, Reply
from counterfoil.asking.asker import Collector, Halt, NotAsked, Sender
from counterfoil.asking.budget import Account, Budget
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.base import ModelSpec
from counterfoil.asking.models.openai import OpenAIModel
from counterfoil.asking.pace import Pace
from counterfoil.asking.prices import FREE
from mock_server import Answer, MockServer, completion, error, held
from waiting import Skipping, until


class Bench:
    """A sender with everything around it."""

    def __init__(self, server: MockServer, tmp_path: Path, budget: Budget | None = None, timeout: float = 60) -> None:
        self.model = OpenAIModel(ModelSpec(name="vllm/m", base_url=server.url))
        self.ledger = Ledger(tmp_path / "ledger.sqlite")
        self.halt = Halt()
        self.timeout = timeout
        self.said: list[str] = []
        self.account = Account(budget or Budget(), FREE)
        self.sender = Sender(
            self.model,
            self.ledger,
            pace=Pace(),
            timeout=timeout,
            account=self.account,
            halt=self.halt,
            say=self.said.append,
        )

    def make_ask(self, text: str = "Which?") -> Ask:
        return self.model.ask([Message("user", text)], {"max_tokens": 8}, 0)


def with_sender(
    behave: Callable[[dict[str, Any]], Answer],
    tmp_path: Path,
    test: Callable[[Bench, MockServer], Coroutine[Any, Any, None]],
    **settings: Any,
) -> None:
    async def main() -> None:
        skipping = Skipping()

        def answer(request: dict[str, Any]) -> Answer:
            found = behave(request)
            if found.hang:  # the limit is reached as soon as the request is there
                skipping.skip(1.05 * bench.timeout)  # it runs out in parts, each of which ends a step too late
            return found

        with MockServer(answer) as server:
            bench = Bench(server, tmp_path, **settings)
            try:
                await test(bench, server)
            finally:
                await bench.model.close()
                bench.ledger.close()

    asyncio.run(main())


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """No long waits between attempts."""
    monkeypatch.setattr(asker, "FIRST_WAIT", 0.001)
    monkeypatch.setattr(asker, "LONGEST_WAIT", 0.002)


def good(request: dict[str, Any]) -> Answer:
    return completion()


def sequence(*answers: Answer) -> Callable[[dict[str, Any]], Answer]:
    """These answers one after another, the last one again and again."""
    left = list(answers)
    return lambda request: left.pop(0) if len(left) > 1 else left[0]


def test_an_ask_that_several_records_need_is_sent_once(tmp_path: Path) -> None:
    async def test(bench: Bench, server: MockServer) -> None:
        ask = bench.make_ask()
        replies = await asyncio.gather(*(bench.sender.ask(ask) for _ in range(10)))
        assert [reply.text for reply in replies] == ["B"] * 10
        # Who looked it up before it was there, and comes when it is done, does not send it either.
        assert (await bench.sender.ask(bench.make_ask(), looked_up=True)).text == "B"
        assert (await bench.sender.ask(bench.make_ask())).text == "B"
        assert len(server.requests) == 1
        assert (bench.account.tally.asked, bench.account.tally.in_ledger) == (1, 0), "paid once, counted once"

    with_sender(good, tmp_path, test)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    "trouble",
    [error(status) for status in (408, 409, 425, 429, 500, 502, 503, 504, 529)]
    + [Answer(reset=True), Answer(b'{"choi'), Answer(b"<html>"), Answer(b"[]"), Answer(hang=True)],
    ids=lambda answer: "hang" if answer.hang else "reset" if answer.reset else f"{answer.status} {answer.body[:6]!r}",
)
def test_what_can_get_better_is_tried_again(trouble: Answer, tmp_path: Path) -> None:
    async def test(bench: Bench, server: MockServer) -> None:
        reply = await bench.sender.ask(bench.make_ask())
        assert (reply.status, reply.text, reply.attempts) == ("ok", "B", 3)
        assert len(server.requests) == 3
        assert bench.account.tally.retries == 2

    with_sender(sequence(trouble, trouble, completion()), tmp_path, test)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("trouble", [error(500, "oops"), Answer(b'{"choi'), Answer(hang=True), Answer(reset=True)])
def test_what_does_not_get_better_ends_as_failed_with_its_reason(trouble: Answer, tmp_path: Path) -> None:
    async def test(bench: Bench, server: MockServer) -> None:
        reply = await bench.sender.ask(bench.make_ask())
        assert reply.status == "failed"
        assert reply.error is not None
        assert reply.error.endswith("(after 8 attempts)")
        assert len(server.requests) == 8
        assert bench.account.tally.failed == 1

    with_sender(lambda request: trouble, tmp_path, test)
    connection = sqlite3.connect(tmp_path / "ledger.sqlite")
    assert connection.execute("SELECT attempts FROM failures").fetchall() == [(8,)]
    assert connection.execute("SELECT count(*) FROM replies").fetchone() == (0,)
    connection.close()


@pytest.mark.usefixtures("hasty")
def test_rate_limits_take_more_patience_but_not_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Twelve complaints are more than the eight attempts that other faults get.
    with_sender(
        sequence(*[error(429)] * 12, completion()),
        tmp_path,
        lambda bench, server: _expect(bench, status="ok", attempts=13),
    )
    # After the time for an ask is over, it fails.
    monkeypatch.setattr(asker, "LEAST_ASK_SECONDS", 0.2)
    monkeypatch.setattr(asker, "ATTEMPTS_PER_ASK", 0)
    with_sender(lambda request: error(429), tmp_path / "other", lambda bench, server: _expect(bench, status="failed"))


async def _expect(bench: Bench, **fields: Any) -> None:
    reply = await bench.sender.ask(bench.make_ask())
    assert {name: getattr(reply, name) for name in fields} == fields


@pytest.mark.usefixtures("hasty")
def test_a_server_that_never_answers_stops_the_model(tmp_path: Path) -> None:
    async def test(bench: Bench, server: MockServer) -> None:
        asks = [bench.sender.ask(bench.make_ask(str(number))) for number in range(50)]
        results = await asyncio.gather(*asks, return_exceptions=True)
        assert len(server.requests) < 50
        assert all(isinstance(it, NotAsked) or (isinstance(it, Reply) and it.status == "failed") for it in results)
        assert len(bench.said) == 1
        assert "it has never answered: no reply within 60 seconds" in bench.said[0]

    with_sender(lambda request: Answer(hang=True), tmp_path, test)


def test_headers_that_say_nothing_is_left_make_the_model_be_left_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", "counterfoil")
    empty = completion()
    empty.headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m30s"}

    async def test(bench: Bench, server: MockServer) -> None:
        assert bench.sender.pace.quiet_left() <= 0
        before = time.monotonic()
        await bench.sender.ask(bench.make_ask())
        left, passed = bench.sender.pace.quiet_left(), time.monotonic() - before
        assert 90 - passed <= left <= 90
        waiting = asyncio.create_task(bench.sender.ask(bench.make_ask("another")))
        waits = re.compile(r"vllm/m: an ask waits \d+\.\d s: the model wants none before")
        await until(lambda: waits.search(caplog.text))
        assert len(server.requests) == 1
        bench.halt.stop("interrupted")  # a stop does not wait for the end of the quiet time
        with pytest.raises(NotAsked, match="interrupted"):
            await waiting

    with_sender(lambda request: empty, tmp_path, test)


def test_several_complaints_without_a_reply_between_them_are_meant_for_all(tmp_path: Path) -> None:
    async def test(bench: Bench, server: MockServer) -> None:
        before = time.monotonic()
        asks = [asyncio.create_task(bench.sender.ask(bench.make_ask(str(number)))) for number in range(4)]
        await until(lambda: bench.sender.pace.quiet_left() > 0)
        left, passed = bench.sender.pace.quiet_left(), time.monotonic() - before
        assert 60 - passed <= left <= 60
        bench.halt.stop("interrupted")
        results = await asyncio.gather(*asks, return_exceptions=True)
        assert all(isinstance(result, NotAsked) for result in results)

    with_sender(lambda request: error(429, headers={"Retry-After": "60"}), tmp_path, test)


def test_the_budget_in_tokens_holds(tmp_path: Path) -> None:
    # A reply takes 60 + 2 tokens. "Which? N" is 8 letters: 8 / 4 + 4 = 6 tokens by the estimate, and 8 more at the
    # first (max_tokens). The first reply shows that 6 are 60 in truth: from then on 60 + 2 are expected. Of 320 tokens
    # five asks take 310, and a sixth does not fit.
    async def test(bench: Bench, server: MockServer) -> None:
        for number in range(5):
            await bench.sender.ask(bench.make_ask(f"Which? {number}"))
        with pytest.raises(NotAsked, match="320 tokens is reached"):
            await bench.sender.ask(bench.make_ask("Which? 5"))
        assert len(server.requests) == 5
        assert len(bench.said) == 1
        assert "larger --max-tokens-total" in bench.said[0]
        assert bench.account.budget.set_aside == pytest.approx((0, 0))

    with_sender(good, tmp_path, test, budget=Budget(max_tokens=320))


def test_the_collector_asks_nobody(tmp_path: Path) -> None:
    async def test(bench: Bench, server: MockServer) -> None:
        outbox: list[Ask] = []
        collector = Collector(bench.ledger, outbox.append, bench.account)
        known, unknown = bench.make_ask("known"), bench.make_ask("unknown")
        await bench.ledger.put(known, "vllm/m", Reply(status="ok", text="C"))
        assert (await collector.ask(known)).text == "C"
        with pytest.raises(NotAsked):
            await collector.ask(unknown)
        assert outbox == [unknown]
        assert server.requests == []

    with_sender(good, tmp_path, test)


@pytest.mark.parametrize("limit", [100, 320, 1_000])
def test_the_budget_is_reached_by_what_asks_took_and_not_by_what_was_set_aside(limit: int, tmp_path: Path) -> None:
    # A reply takes 62 tokens, and an ask sets aside 6 + 8, once one was answered 62. One after another, 1 fits into
    # 100, 5 into 320, 16 into 1,000. At first some more may be sent at a time, since they seem to fit, but none fewer.
    alone = {100: 1, 320: 5, 1_000: 16}[limit]

    async def test(bench: Bench, server: MockServer) -> None:
        asks = [bench.sender.ask(bench.make_ask(f"Which? {letter}")) for letter in string.ascii_letters]
        results = await asyncio.gather(*asks, return_exceptions=True)
        answered = [it for it in results if isinstance(it, Reply)]
        assert alone <= len(answered) == len(server.requests) < 52
        assert all(isinstance(it, Reply | NotAsked) for it in results)
        (sentence,) = bench.said
        assert f"the budget of {limit:,} tokens is reached ({62 * len(answered):,} used)" in sentence
        assert bench.account.budget.set_aside == pytest.approx((0, 0))
        assert (bench.account.budget.in_flight, bench.sender.in_flight) == (0, 0)

    with_sender(good, tmp_path, test, budget=Budget(max_tokens=limit))


def test_an_ask_that_does_not_fit_beside_others_waits_for_them(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", "counterfoil")

    # Each sets aside 6 + 8 = 14 tokens: seven do not fit into 90 at a time. The server tells no usage, so each takes 6
    # in and 1 / 4 + 4 = 4 out by its letters: nine of them are 90, and all are sent.
    silent = completion("B")
    silent.body = silent.body.replace(b'"usage"', b'"other"')

    async def test(bench: Bench, server: MockServer) -> None:
        asks = [bench.sender.ask(bench.make_ask(f"Which? {number}")) for number in range(9)]
        assert [reply.text for reply in await asyncio.gather(*asks)] == ["B"] * 9
        assert bench.said == []

    with_sender(lambda request: silent, tmp_path, test, budget=Budget(max_tokens=90))
    assert "an ask waits for budget; in flight: 6" in caplog.text


def test_who_waits_goes_on_when_an_ask_of_another_model_ends(tmp_path: Path) -> None:
    async def test(bench: Bench, server: MockServer) -> None:
        other = Account(bench.account.budget, FREE)
        reserved = await other.begin(bench.make_ask(), lambda: None)
        assert reserved is not None
        waiting = [asyncio.create_task(bench.sender.ask(bench.make_ask(text))) for text in ("Which? 1", "Which? 2")]
        await asyncio.sleep(0.05)
        assert server.requests == []
        assert bench.sender.in_flight == 0, "none of them is with the model"
        other.end(reserved)
        first, second = await asyncio.gather(*waiting, return_exceptions=True)
        assert isinstance(first, Reply)
        # It took 62 of the 20 tokens: for the second there is nothing left, whatever ends.
        assert isinstance(second, NotAsked)
        assert "20 tokens is reached (62 used)" in str(second)

    with_sender(good, tmp_path, test, budget=Budget(max_tokens=20))


def test_who_waits_for_the_budget_leaves_when_the_run_is_stopped(tmp_path: Path) -> None:
    async def test(bench: Bench, server: MockServer) -> None:
        flying = asyncio.create_task(bench.sender.ask(bench.make_ask("Which? 1")))
        waiting = asyncio.create_task(bench.sender.ask(bench.make_ask("Which? 2")))
        await until(lambda: server.requests)
        bench.halt.stop("interrupted")
        stopped.set()
        assert (await flying).text == "B", "what is in flight is waited for"
        with pytest.raises(NotAsked, match="interrupted"):
            await waiting
        assert len(server.requests) == 1

    stopped = threading.Event()
    with_sender(lambda request: held(stopped), tmp_path, test, budget=Budget(max_tokens=20))


def test_what_another_process_was_answered_meanwhile_is_not_sent(tmp_path: Path) -> None:
    # Both have looked: neither ask was there. While the first is with the model, another process stores the second.
    async def test(bench: Bench, server: MockServer) -> None:
        bench.sender.pace = Pace(fixed=1)
        first, second = bench.make_ask("first"), bench.make_ask("second")
        asks = [asyncio.create_task(bench.sender.ask(ask, looked_up=True)) for ask in (first, second)]
        await until(lambda: server.requests)
        with Ledger(bench.ledger.path) as other:
            await other.put(second, "vllm/m", Reply(status="ok", text="C"))
        stored.set()
        assert [reply.text for reply in await asyncio.gather(*asks)] == ["B", "C"]
        assert server.prompts == ["first"]
        assert (bench.account.tally.asked, bench.account.tally.in_ledger) == (1, 1)

    stored = threading.Event()
    with_sender(lambda request: held(stored), tmp_path, test)


def test_a_place_is_held_until_the_reply_is_durable(tmp_path: Path) -> None:
    async def test(bench: Bench, server: MockServer) -> None:
        bench.sender.pace = Pace(fixed=1)
        blocker = sqlite3.connect(bench.ledger.path)
        blocker.execute("BEGIN IMMEDIATE")  # nothing can be written meanwhile
        asks = [asyncio.create_task(bench.sender.ask(bench.make_ask(text))) for text in ("first", "second")]
        try:
            await until(lambda: bench.account.tally.asked == 1)
            for _ in range(50):  # turns of the loop in which a free place would be taken
                await asyncio.sleep(0)
            assert server.prompts == ["first"]
            assert bench.sender.in_flight == 1
        finally:
            blocker.close()
        await asyncio.gather(*asks)
        assert server.prompts == ["first", "second"]

    with_sender(good, tmp_path, test)


def test_a_model_that_wants_to_be_left_alone_for_days_is_stopped_with_a_sentence(tmp_path: Path) -> None:
    empty = completion()
    empty.headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "99d"}

    async def test(bench: Bench, server: MockServer) -> None:
        assert (await bench.sender.ask(bench.make_ask())).text == "B"
        # 99 x 86,400 seconds
        assert bench.sender.stopped is not None
        assert "it wants to be left alone for 8553600 seconds" in bench.sender.stopped
        with pytest.raises(NotAsked):
            await bench.sender.ask(bench.make_ask("another"))

    with_sender(lambda request: empty, tmp_path, test)


def test_why_asks_are_tried_again_is_known_until_one_is_answered(tmp_path: Path) -> None:
    async def test(bench: Bench, server: MockServer) -> None:
        asked = asyncio.create_task(bench.sender.ask(bench.make_ask()))
        await until(lambda: bench.sender.trouble)
        assert bench.sender.trouble == "the server said 502: bad gateway"
        assert (await asked).text == "B"
        assert bench.sender.trouble is None

    with_sender(sequence(error(502, "bad gateway"), completion()), tmp_path, test)
