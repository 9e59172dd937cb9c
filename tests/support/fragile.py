"""Suites whose own code fails on some replies: the word behind `boom` says in which step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import three_choice
from counterfoil.asking.ask import Message, Reply
from counterfoil.judging.step import JudgeAsk
from counterfoil.suite.suite import Variant


class Fragile(three_choice.ThreeChoice):
    """Fails in `read`, `judge` or `score`."""

    name = "fragile"

    def read(self, question: three_choice.Question, variant: Variant, reply: Reply) -> str | None:
        if "boom read" in reply.text:
            raise IndexError("list index out of range: \ud800")
        return reply.text if "boom" in reply.text else super().read(question, variant, reply)

    async def judge(self, question: three_choice.Question, reading: str, ask: JudgeAsk) -> bool | None:
        if "boom judge" in reading:
            raise KeyError("no such verdict")
        return await super().judge(question, reading, ask)

    def score(
        self, question: three_choice.Question, facts: int, reading: str | None, verdicts: bool | None
    ) -> dict[str, Any]:
        if reading is not None and "boom score" in reading:
            raise ZeroDivisionError("division by zero")
        return super().score(question, facts, reading, verdicts)


class Turning(three_choice.ThreeChoice):
    """Fails while it makes the next turn."""

    name = "turning"

    def follow_up(
        self, question: three_choice.Question, variant: Variant, replies: Sequence[Reply]
    ) -> list[Message] | None:
        if "boom" in replies[-1].text:
            raise IndexError("no turn")
        return None


fragile, turning = Fragile(), Turning()
