"""A judge call: sent, read strictly, asked again where it can't be read, and never replaced by a default value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from counterfoil.asking.ask import Message, Reply
from counterfoil.judging.text import Unreadable

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

TIMES_ASKED = 3


class JudgeAsk(Protocol):
    """How judges are asked; the names are those that the user gave."""

    @property
    def judges(self) -> Sequence[str]: ...

    async def __call__(self, judge: str, messages: Sequence[Message], sample: int = 0) -> Reply: ...


@dataclass(frozen=True)
class AskedAgain:
    """Asks the same judges once more: what was asked before has another sample number."""

    ask: JudgeAsk
    sample: int

    @property
    def judges(self) -> Sequence[str]:
        return self.ask.judges

    async def __call__(self, judge: str, messages: Sequence[Message], sample: int = 0) -> Reply:
        return await self.ask(judge, messages, self.sample + sample)


@dataclass(frozen=True)
class Step(Generic[T_co]):
    """What a judge is asked to do. `parse` reads a reply, or raises Unreadable with what is wrong with it."""

    name: str
    prompt: str
    parse: Callable[[str], T_co]


@dataclass(frozen=True)
class Foreseen:
    """An ask to a judge, as far as it is known before there is a reply.

    `about_reply`: each reply leads to another one, which holds the reply on top of these messages. Others are the same
    for all replies to a question. `certain`: every reply that can be read leads to it. `sample`: which time it is
    asked, from 0 on.
    """

    messages: tuple[Message, ...] = ()
    about_reply: bool = True
    certain: bool = True
    sample: int = 0


@dataclass(frozen=True)
class Failure:
    """The judge gave no result that can be used, and why."""

    reason: str


def opening(prompt: str, content: str) -> tuple[Message, ...]:
    """The messages with which a judge is asked first."""
    return Message("system", prompt), Message("user", content)


async def ask_step(ask: JudgeAsk, judge: str, step: Step[T], content: str) -> T | Failure:
    """The judge's result. A reply that can't be read is asked for again, at most twice."""
    result = await ask_again(ask, judge, step, content, TIMES_ASKED)
    if isinstance(result, Reply):
        return Failure(f"{result.status}: {result.error}" if result.error else result.status)
    if isinstance(result, Unreadable):
        return Failure(f"unreadable, asked {TIMES_ASKED} times: {result}")
    return result


async def ask_again(ask: JudgeAsk, judge: str, step: Step[T], content: str, times: int) -> T | Reply | Unreadable:
    """The result, asked for so many times at the most. Each reply that can't be used is sent back with the reason.

    Without a result: the reply that failed, was refused or cut off, or what was wrong with the last one.
    """
    messages = [*opening(step.prompt, content)]
    while True:
        times -= 1
        reply = await ask(judge, messages)
        if reply.status != "ok":
            return reply  # at temperature 0 a refusal or a cut-off reply would only come back the same
        try:
            return step.parse(reply.text)
        except Unreadable as error:
            problem = error
        if not times or problem.is_final:
            return problem
        messages = [
            *messages,
            # Some providers take no empty message.
            Message("assistant", reply.text if reply.text.strip() else "(nothing)"),
            Message("user", f"This can't be used: {problem}. Reply again, in the strict output format, with no more."),
        ]
