"""Progress: when it says something, and what. Time is a number that the tests turn."""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import Iterator

import pytest

from counterfoil import progress
from counterfoil.progress import LINES_SECONDS, QUIET_SECONDS, Count, Progress, counted


class Clock:
    """Stands still until it is turned."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Broken(io.StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    monkeypatch.setattr(progress, "QUIET_SECONDS", QUIET_SECONDS)
    return Clock()


def test_nothing_is_said_of_what_is_over_in_two_seconds(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in counted(range(100), "drawing", clock=clock):
        clock.now += (QUIET_SECONDS - 0.001) / 100
    assert capsys.readouterr().err == ""


def test_lines_come_after_two_seconds_and_then_every_ten(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    for number in counted(range(2_000), "drawing", clock=clock):
        assert number >= 0
        clock.now += 1 / 128  # a step without rounding
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["drawing: 256 of 2,000", "drawing: 1,536 of 2,000"]
    assert LINES_SECONDS == 10


def test_a_terminal_gets_one_bar_that_goes_away(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    count = Count("[bold]", 10)
    shown = Progress([count], clock=clock)
    with shown.shown():
        shown.look()
        assert terminal.getvalue() == ""
        clock.now += QUIET_SECONDS
        count.done = 4
        shown.look()
    text = terminal.getvalue()
    assert "[bold]" in text
    assert "4 of 10" in text
    assert text.endswith("\x1b[2K")  # the line is empty again


def test_columns_of_rich_take_the_place_of_the_description(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    count = Count("drawing", 10)
    shown = Progress([count], columns=["TaskProgressColumn"], clock=clock)
    with shown.shown():
        clock.now += QUIET_SECONDS
        count.done = 4
        shown.look()
    assert "40%" in terminal.getvalue()
    assert "4 of 10" not in terminal.getvalue()


@pytest.mark.parametrize("stderr", [Broken()])
def test_work_goes_on_when_nobody_looks_any_more(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, stderr: io.StringIO
) -> None:
    monkeypatch.setattr(sys, "stderr", stderr)
    done = []
    for number in counted(range(3), "drawing", clock=clock):
        clock.now += 20
        done.append(number)
    assert done == [0, 1, 2]


def test_an_error_of_the_work_is_not_hidden(clock: Clock) -> None:
    def items() -> Iterator[int]:
        for number in counted(range(3), "drawing", clock=clock):
            yield number
            raise OSError("the disk")

    with pytest.raises(OSError, match="the disk"):
        list(items())


def test_work_in_a_loop_is_looked_at_from_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    said: list[str] = []
    seen = asyncio.Event()

    def say(sentence: str) -> None:
        said.append(sentence)
        seen.set()

    async def work() -> None:
        async with Progress([Count("asking", 7)], say=say).watched():
            await seen.wait()

    asyncio.run(work())
    assert said == ["asking: 0 of 7"]


def test_of_no_work_nothing_is_shown() -> None:
    async def work() -> None:
        async with Progress([]).watched():
            assert len(asyncio.all_tasks()) == 1

    asyncio.run(work())
