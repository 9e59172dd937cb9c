"""Fifty raters at the same time, and the server killed in the middle: nothing that was acknowledged is lost."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import aiohttp
import pytest

from counterfoil.rating.store import About, Rater, Study
from counterfoil.suite.form import Task, choice_form
from counterfoil.suite.opinions import Source, StudyTask
from sites import Site, start_site, stop

pytest.importorskip("starlette", reason="the site is not installed: pip install 'counterfoil[web]'")

pytestmark = pytest.mark.heavy

RATERS, TASKS = 50, 6
FILE = "storm.study.sqlite"


def make_study(path: Path) -> list[Rater]:
    about = About(
        name="storm",
        suite="bias",
        form=choice_form("bias", "ABC"),
        seed=0,
        per_question=RATERS,
        run="run",
    )
    made = [
        StudyTask(
            Task(id=i, question="q", options=("x", "y", "z"), right="A: x", reply="r"),
            Source(model="m", variant="v", question_id=f"q{i}", repeat=0, cluster="c"),
        )
        for i in range(1, TASKS + 1)
    ]
    people = [Rater(id=i, name=f"rater-{i}", token=f"token-{i:03}-{'x' * 20}") for i in range(1, RATERS + 1)]
    Study.create(path, about, made, people, {it.id: list(range(1, TASKS + 1)) for it in people}).close()
    return people


class Storm:
    """All raters with one address; `acknowledged` is what the server said it has saved."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.acknowledged: dict[tuple[str, int], str] = {}
        self.failed = 0

    async def rate(self, rater: Rater) -> None:
        """Each task in turn; an answer that got no acknowledgement is sent again, as a person would."""
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
            csrf = await self._csrf(session, rater)
            for task in range(1, TASKS + 1):
                value = "ABC"[(rater.id + task) % 3]
                while (rater.name, task) not in self.acknowledged:
                    form = {"csrf": csrf, "task": str(task), "item": "answer", "value": value}
                    headers = {"Accept": "application/json", "Origin": self.address}
                    try:
                        async with session.post(self.address + rater.link, data=form, headers=headers) as answer:
                            assert answer.status == 200, await answer.text()
                            await answer.json()
                            self.acknowledged[rater.name, task] = value
                    except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError):
                        self.failed += 1
                        await asyncio.sleep(0.05)

    async def _csrf(self, session: aiohttp.ClientSession, rater: Rater) -> str:
        while True:
            try:
                async with session.get(f"{self.address}{rater.link}?task=1") as answer:
                    found = re.search(r'name="csrf" value="([^"]+)"', await answer.text())
                    assert found is not None
                    return found.group(1)
            except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError):
                await asyncio.sleep(0.05)


@pytest.mark.slow
def test_fifty_raters_lose_nothing_when_the_server_is_killed(tmp_path: Path) -> None:
    people = make_study(tmp_path / FILE)
    first = start_site(tmp_path)
    storm = Storm(first.address)
    at_the_kill: dict[tuple[str, int], str] = {}

    async def kill_in_the_middle() -> None:
        while len(storm.acknowledged) < RATERS * TASKS // 3:
            await asyncio.sleep(0.002)
        first.process.kill()
        at_the_kill.update(storm.acknowledged)
        await asyncio.to_thread(first.process.communicate)
        with Study(tmp_path / FILE) as study:
            there = {(it.rater, it.task): it.value for it in study.latest()}
        assert at_the_kill.items() <= there.items()
        second.append(await asyncio.to_thread(start_site, tmp_path, port=first.port))

    async def all_of_it() -> None:
        await asyncio.gather(kill_in_the_middle(), *map(storm.rate, people))

    second: list[Site] = []
    try:
        asyncio.run(all_of_it())
    finally:
        for up in second:
            stop(up)
    # It was in the middle, and the raters felt it.
    assert RATERS * TASKS // 3 <= len(at_the_kill) < RATERS * TASKS
    assert storm.failed > 0
    with Study(tmp_path / FILE) as study:
        history = [(it.rater, it.task, it.value) for it in study.history()]
        progress = {study.progress(rater) for rater in people}
    expected = {
        (f"rater-{i}", task, "ABC"[(i + task) % 3]) for i in range(1, RATERS + 1) for task in range(1, TASKS + 1)
    }
    # All are there, and an answer that was sent twice is there once.
    assert sorted(history) == sorted(expected)
    assert progress == {(TASKS, TASKS)}
