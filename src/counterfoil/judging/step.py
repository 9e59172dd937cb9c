"""A judge call: sent, read strictly, asked again where it can't be read, and never replaced by a default value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from counterfoil.asking.ask import Message, Reply
from counterfoil.judging.text import Unreadable
from counterfoil.suite.suite import JudgeAsk

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

TIMES_ASKED_AGAIN = 2


@dataclass(frozen=True)
class Step(Generic[T_co]):
    """What a judge is asked to do. `parse` reads a reply, or raises Unreadable with what is wrong with it."""

    name: str
    prompt: str
    parse: Callable[[str], T_co]


@dataclass(frozen=True)
class Failure:
    """The judge gave no result that can be used, and why."""

    reason: str


async def ask_step(ask: JudgeAsk, judge: str, step: Step[T], content: str) -> T | Failure:
    """The judge's result. A reply that can't be read is asked for again, with what was wrong with it, at most twice."""
    messages = [Message("system", step.prompt), Message("user", content)]
    problem = ""
    for _ in range(1 + TIMES_ASKED_AGAIN):
        reply = await ask(judge, messages)
        if reply.status != "ok":
            # At temperature 0 a refusal or a cut-off reply would only come back the same.
            return Failure(_without_result(reply))
        try:
            return step.parse(reply.text)
        except Unreadable as error:
            problem = str(error)
        messages = [
            *messages,
            # Some providers take no empty message.
            Message("assistant", reply.text if reply.text.strip() else "(nothing)"),
            Message("user", f"This can't be used: {problem}. Reply again, in the strict output format, with no more."),
        ]
    return Failure(f"unreadable, asked {1 + TIMES_ASKED_AGAIN} times: {problem}")


def _without_result(reply: Reply) -> str:
    return f"{reply.status}: {reply.error}" if reply.error else reply.status
