"""Who holds which ask: nobody twice, and nobody for ever."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.asking.ask import Ask, Message, Reply
from counterfoil.asking.batches.store import BatchStore, Claim
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.ledger import file as ledger_file
from counterfoil.asking.ledger.admin import info

pytestmark = pytest.mark.heavy

WHERE = ("openai", "https://example.org/v1")


def ask(number: int) -> Ask:
    return Ask(provider="openai", model="m", messages=(Message("user", f"question {number}"),))


def key(number: int) -> bytes:
    return bytes.fromhex(ask(number).key)


def claim(store: BatchStore, numbers: list[int]) -> Claim:
    return store.claim("openai/m", [key(n) for n in numbers], (ask(n).canonical for n in numbers))


def test_an_ask_is_in_one_batch_until_that_is_collected_or_released(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    one, two = BatchStore(path, *WHERE), BatchStore(path, *WHERE)
    first = claim(one, [1, 2, 3])
    assert first.batch is not None
    assert (first.batch.asks, first.batch.state, first.free) == (3, "claimed", [0, 1, 2])
    second = claim(two, [2, 3, 4, 5])
    assert second.batch is not None
    assert (second.free, second.under_way) == ([2, 3], {key(2): first.batch.id, key(3): first.batch.id})
    assert two.keys(first.batch.id) == [key(1), key(2), key(3)], "in the order of the lines"
    assert claim(one, [1, 5]).batch is None
    one.release(first.batch.id)
    assert two.get(first.batch.id) is None
    third = claim(two, [1, 4])
    assert third.free == [0]
    two.mark_collected(second.batch.id)
    assert one.batch_of(key(4)) is None
    for store in (one, two):
        store.close()


def test_an_ask_whose_reply_has_come_meanwhile_is_not_claimed(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    store = BatchStore(path, *WHERE)

    async def put() -> None:
        with Ledger(path) as ledger:
            await ledger.put(ask(1), "openai/m", Reply(status="ok", text="A"))

    asyncio.run(put())
    claimed = claim(store, [1, 2])
    assert (claimed.free, claimed.answered) == ([1], [key(1)])
    store.close()


def test_what_is_left_half_done_is_seen_by_those_of_the_same_provider_and_address(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    stores = [BatchStore(path, *where) for where in (WHERE, ("openai", "http://localhost/v1"), ("anthropic", WHERE[1]))]
    batch = claim(stores[0], [1]).batch
    assert batch is not None
    for state in ("claimed", "posting"):
        assert [[b.state for b in store.unsettled()] for store in stores] == [[state], [], []]
        stores[0].mark_posting(batch.id)
    stores[0].mark_under_way(batch.id, "batch_1", is_sure=False)
    assert stores[0].unsettled() == []
    assert stores[0].known_ids(batch.id) == set()
    stores[0].disown(batch.id)
    assert [b.batch_id for b in stores[0].unsettled()] == [None]
    assert stores[0].known_ids(batch.id) == {"batch_1"}
    for store in stores:
        store.close()


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), st.lists(st.integers(0, 12), unique=True), st.booleans()), max_size=12))
def test_whatever_two_processes_claim_no_ask_is_held_twice(steps: list[tuple[int, list[int], bool]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        stores = [BatchStore(Path(folder) / "ledger.sqlite", *WHERE) for _ in range(2)]
        held: dict[bytes, int] = {}
        for who, numbers, ends in steps:
            claimed = claim(stores[who], numbers)
            free = [key(numbers[i]) for i in claimed.free]
            assert not set(free) & set(held)
            assert claimed.under_way == {key(n): held[key(n)] for n in numbers if key(n) in held}
            if claimed.batch is not None and not ends:
                held |= dict.fromkeys(free, claimed.batch.id)
            elif claimed.batch is not None:
                stores[who].mark_collected(claimed.batch.id)
        for store in stores:
            store.close()


def test_a_ledger_from_before_batches_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"

    async def put() -> None:
        with Ledger(path) as ledger:
            await ledger.put(ask(1), "openai/m", Reply(status="ok", text="A"))

    asyncio.run(put())
    with sqlite3.connect(path) as connection:  # as the second version left it
        for name in ("batch_asks", "batches"):
            connection.execute(f"DROP TABLE {name}")
        for name in ledger_file.LATER_COLUMNS.values():
            connection.execute(f"ALTER TABLE replies DROP COLUMN {name}")
        connection.execute("DELETE FROM migrations WHERE name >= '0003'")
    connection.close()
    with Ledger(path, create=False) as ledger:
        assert ledger.get([ask(1).key])[ask(1).key].text == "A"
    assert [about.replies for about in info(path)] == [1]
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM migrations").fetchone() == (2,), "reading changes nothing"
    connection.close()
    BatchStore(path, *WHERE).close()
    assert [about.replies for about in info(path)] == [1]
