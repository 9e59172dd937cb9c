"""Posting: what is there is given, what is not is carried once, and a carrier's errors are not lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from counterfoil.asking.ask import Ask, Message, Reply
from counterfoil.asking.asker import Halt, NotAsked, Sender
from counterfoil.asking.budget import Account, Budget
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.base import ModelSpec
from counterfoil.asking.models.openai import OpenAIModel
from counterfoil.asking.pace import Pace
from counterfoil.asking.posting import InThisProcess, Poster
from counterfoil.asking.prices import FREE
from counterfoil.errors import UserError
from mock_server import Answer, MockServer, error


class Post:
    """A poster whose carrier is a sender in this process."""

    def __init__(self, server: MockServer, ledger: Ledger) -> None:
        self.model = OpenAIModel(ModelSpec(name="vllm/m", base_url=server.url))
        self.halt = Halt()
        self.account = Account(Budget(), FREE)
        sender = Sender(
            self.model,
            ledger,
            pace=Pace(),
            timeout=300,
            account=self.account,
            halt=self.halt,
            say=lambda sentence: None,
        )
        self.carrier = InThisProcess(sender)
        self.poster = Poster(self.model, self.carrier, ledger, account=self.account, halt=self.halt)

    def make_ask(self, text: str) -> Ask:
        return self.model.ask([Message("user", text)], {"max_tokens": 8}, 0)


def with_post(
    tmp_path: Path,
    test: Callable[[Post, MockServer, Ledger], Coroutine[Any, Any, None]],
    behave: Callable[[dict[str, Any]], Answer] | None = None,
) -> None:
    async def main() -> None:
        with MockServer(behave) as server, Ledger(tmp_path / "ledger.sqlite") as ledger:
            post = Post(server, ledger)
            try:
                await test(post, server, ledger)
            finally:
                await post.carrier.close()

    asyncio.run(main())


async def posted(post: Post, ask: Ask) -> Reply | None:
    try:
        return await post.poster.ask(ask)
    except NotAsked:
        return None


def test_what_is_posted_is_there_in_the_next_wave(tmp_path: Path) -> None:
    async def test(post: Post, server: MockServer, ledger: Ledger) -> None:
        asks = [post.make_ask(f"{number}?") for number in range(40)]
        assert [await posted(post, ask) for ask in asks] == [None] * 40
        await post.carrier.wait_for_all()
        assert post.poster.posted == post.carrier.total == post.carrier.done == len(server.requests) == 40
        found = [await posted(post, ask) for ask in asks]
        assert all(reply is not None and reply.status == "ok" for reply in found)
        assert post.poster.posted == 40

    with_post(tmp_path, test)


def test_the_same_ask_at_the_same_time_is_carried_once(tmp_path: Path) -> None:
    async def test(post: Post, server: MockServer, ledger: Ledger) -> None:
        ask = post.make_ask("Which?")
        await asyncio.gather(*(posted(post, ask) for _ in range(300)))
        await post.carrier.wait_for_all()
        assert len(server.requests) == 1
        assert post.account.tally.asked == 1

    with_post(tmp_path, test)


def test_a_failure_is_remembered_and_not_posted_again(tmp_path: Path) -> None:
    async def test(post: Post, server: MockServer, ledger: Ledger) -> None:
        ask = post.make_ask("Which?")
        assert await posted(post, ask) is None
        await post.carrier.wait_for_all()
        again = await posted(post, ask)
        assert again is not None
        assert again.status == "failed"
        assert post.poster.posted == 1

    with_post(tmp_path, test, lambda request: error(400, "no"))


def test_after_a_halt_nothing_is_posted(tmp_path: Path) -> None:
    async def test(post: Post, server: MockServer, ledger: Ledger) -> None:
        post.halt.stop("interrupted")
        with pytest.raises(NotAsked, match="interrupted"):
            await post.poster.ask(post.make_ask("Which?"))
        assert post.carrier.total == 0

    with_post(tmp_path, test)


def test_a_ledger_that_can_not_keep_ends_it(tmp_path: Path) -> None:
    async def test(post: Post, server: MockServer, ledger: Ledger) -> None:
        def full(*_: object) -> None:
            raise UserError("The ledger is full.")

        ledger.put = full  # type: ignore[method-assign,assignment]
        assert await posted(post, post.make_ask("Which?")) is None
        with pytest.raises(UserError, match="The ledger is full"):
            await post.carrier.wait_for_all()

    with_post(tmp_path, test)
