"""A judge call: what is asked again, with what words, and how it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from counterfoil.asking.ask import Message, Reply
from counterfoil.asking.asker import NotAsked
from counterfoil.judging.parsing import Score, read_score
from counterfoil.judging.step import Failure, Step, ask_step

STEP = Step("confusion", "Rate the question.", read_score)


class Judge:
    """Gives these replies, one after the other, and remembers what it was asked."""

    judges = ("j",)

    def __init__(self, *replies: str | Reply | Exception) -> None:
        self.asked: list[tuple[Message, ...]] = []
        self._replies = list(replies)

    async def __call__(self, judge: str, messages: Sequence[Message], sample: int = 0) -> Reply:
        assert judge == "j"
        self.asked.append(tuple(messages))
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, Reply) else Reply(status="ok", text=reply)


def take(judge: Judge) -> Score | Failure:
    return asyncio.run(ask_step(judge, "j", STEP, "Which city?"))


def test_a_good_reply_is_asked_for_once() -> None:
    judge = Judge("Explanation: x\nScore: 42")
    assert take(judge) == ("x", 42)
    assert judge.asked == [(Message("system", "Rate the question."), Message("user", "Which city?"))]


def test_a_bad_reply_is_asked_for_again_with_what_was_wrong() -> None:
    judge = Judge("Score: 250", '{"score": 4', "Score: 42")
    assert take(judge) == ("", 42)
    first, second, third = judge.asked
    assert second[:2] == first
    assert second[2] == Message("assistant", "Score: 250")
    assert second[3].role == "user"
    assert "the score must be a number from 0 to 100, and is “250”." in second[3].content
    assert third[:4] == second
    assert third[4] == Message("assistant", '{"score": 4')
    assert "there is no score in it." in third[5].content


@pytest.mark.parametrize("bad", ["Score: 250", "Score: high", "Score: -1", "Explanation: x", "", "I'm sorry."])
def test_three_bad_replies_are_a_failure(bad: str) -> None:
    judge = Judge(bad, bad, bad)
    result = take(judge)
    assert isinstance(result, Failure)
    assert result.reason.startswith("unreadable, asked 3 times: ")
    assert len(judge.asked) == 3
    # Some providers take no empty message.
    assert all(message.content.strip() for messages in judge.asked for message in messages)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(status="refused", text="Score: 42"), "refused"),
        (Reply(status="truncated", text="Score: 4"), "truncated"),
        (Reply(status="failed", error="the server answered 500"), "failed: the server answered 500"),
    ],
)
def test_what_is_no_reply_is_a_failure_at_once(reply: Reply, reason: str) -> None:
    judge = Judge(reply)
    assert take(judge) == Failure(reason)
    assert len(judge.asked) == 1
    assert take(Judge("nothing to read", reply)) == Failure(reason)


def test_where_asking_has_stopped_so_does_the_step() -> None:
    with pytest.raises(NotAsked):
        take(Judge(NotAsked("the budget is spent")))
