"""The pace: grows while it is welcome, halves on a complaint, never lets in more than its limit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from counterfoil.asking.pace import FIRST_LIMIT, HIGHEST_LIMIT, Pace


def in_loop(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(test())


async def _enter_all(pace: Pace, number: int) -> list[float]:
    return [await pace.enter() for _ in range(number)]


def test_it_grows_by_one_for_each_reply_until_the_first_complaint_then_by_one_a_round() -> None:
    async def test() -> None:
        pace = Pace()
        entered = await _enter_all(pace, FIRST_LIMIT)
        pace.answered()
        assert pace.limit == FIRST_LIMIT + 1  # 16 + 1
        await asyncio.sleep(0.001)
        pace.overloaded(entered[0])
        assert pace.limit == (FIRST_LIMIT + 1) // 2  # 17 // 2 = 8
        for _ in range(7):
            pace.answered()
        assert pace.limit == 8
        pace.answered()  # the eighth reply at a limit of 8 ends the round
        assert pace.limit == 9

    in_loop(test)


def test_complaints_about_asks_from_before_the_halving_count_once() -> None:
    async def test() -> None:
        pace = Pace()
        entered = await _enter_all(pace, FIRST_LIMIT)
        await asyncio.sleep(0.001)
        for at in entered:
            pace.overloaded(at)
        assert pace.limit == FIRST_LIMIT // 2

    in_loop(test)


def test_it_never_falls_below_one_and_never_grows_where_it_is_not_used() -> None:
    async def test() -> None:
        pace = Pace()
        for _ in range(10):
            at = await pace.enter()
            await asyncio.sleep(0.001)
            pace.overloaded(at + 1)
            pace.leave()
        assert pace.limit == 1
        idle = Pace()
        await idle.enter()
        for _ in range(100):
            idle.answered()  # one ask in flight of sixteen possible says nothing about seventeen
        assert idle.limit == FIRST_LIMIT

    in_loop(test)


def test_a_fixed_number_stays_and_slots_are_the_most() -> None:
    async def test() -> None:
        fixed = Pace(fixed=64)
        at = await fixed.enter()
        fixed.overloaded(at + 1)
        fixed.answered()
        assert fixed.limit == fixed.highest == 64
        slots = Pace(slots=4)
        await _enter_all(slots, 4)
        slots.answered()
        assert slots.limit == slots.highest == 4
        assert Pace(slots=64).limit == 64  # at once
        assert Pace(fixed=64, most=5).limit == Pace(slots=64, most=5).limit == Pace(most=5).limit == 5
        assert Pace().highest == HIGHEST_LIMIT

    in_loop(test)


def test_quiet_times_add_up_to_the_longest() -> None:
    async def test() -> None:
        pace = Pace()
        assert pace.quiet_left() <= 0
        before = time.monotonic()
        pace.be_quiet(100)
        pace.be_quiet(1)
        left, passed = pace.quiet_left(), time.monotonic() - before
        assert 100 - passed <= left <= 100

    in_loop(test)


@given(st.integers(1, 5), st.lists(st.booleans(), min_size=1, max_size=40))
def test_places_are_never_overdrawn_nor_lost_whoever_is_cancelled(limit: int, cancelled: list[bool]) -> None:
    async def test() -> None:
        pace = Pace(fixed=limit)
        most = 0

        async def visit() -> None:
            nonlocal most
            await pace.enter()
            try:
                most = max(most, pace.in_flight)
                await asyncio.sleep(0)
            finally:
                pace.leave()

        visits = [asyncio.create_task(visit()) for _ in cancelled]
        await asyncio.sleep(0)
        for task, cancel in zip(visits, cancelled, strict=True):
            if cancel:
                task.cancel()
                await asyncio.sleep(0)
        _, pending = await asyncio.wait(visits, timeout=300)
        assert not pending
        assert most <= limit
        assert pace.in_flight == 0

    in_loop(test)
