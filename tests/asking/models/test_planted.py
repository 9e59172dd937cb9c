"""Simulated respondents: how their settings are read, and what their asks are."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import pytest

from counterfoil import __version__
from counterfoil.asking.ask import Ask, Message, Reply
from counterfoil.asking.models.base import ModelSpec
from counterfoil.asking.models.planted import PlantedModel, Respondent
from counterfoil.errors import UserError

MESSAGES = (Message("user", "Which?"),)


class Suites:
    """Notes what it is asked for, as a suite would get it."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, Mapping[str, str]]] = []

    def respondent_of(self, suite: str, settings: Mapping[str, str]) -> Respondent:
        if suite == "nothing":
            raise UserError(f"There is no suite {suite}.")
        self.seen.append((suite, settings))

        def respond(messages: Sequence[Message], sample: int) -> str:
            return f"{messages[-1].content} {sample} {settings.get('right')}"

        return respond


def planted(name: str, suites: Suites | None = None) -> PlantedModel:
    return PlantedModel(ModelSpec(name=name), (suites or Suites()).respondent_of)


@pytest.mark.parametrize(
    ("name", "suite", "settings"),
    [
        ("planted/bias", "bias", {}),
        ("planted/bias?", "bias", {}),
        ("planted/bias?right=0.7&unreadable=0.1", "bias", {"right": "0.7", "unreadable": "0.1"}),
        ("planted/bias?label=old%20age&name=%EC%84%9C%EC%9A%B8", "bias", {"label": "old age", "name": "서울"}),
        ("planted/module:suite?right=1", "module:suite", {"right": "1"}),
        ("planted/a/b?x=1", "a/b", {"x": "1"}),
        ("planted/bias?right=", "bias", {"right": ""}),  # the suite says that this is no number
        ("planted/bias?right=a=b", "bias", {"right": "a=b"}),
        ("planted/bias?right=1?2", "bias", {"right": "1?2"}),
    ],
)
def test_settings_are_handed_to_the_suite(name: str, suite: str, settings: Mapping[str, str]) -> None:
    suites = Suites()
    planted(name, suites)
    assert suites.seen == [(suite, settings)]


@pytest.mark.parametrize("name", ["planted/bias?right", "planted/bias?right=1&wrong", "planted/bias?&right=1"])
def test_settings_that_are_no_pairs_are_refused(name: str) -> None:
    with pytest.raises(UserError) as raised:
        planted(name)
    assert str(raised.value) == f"{name} can't be read: after the ? come name=value pairs, joined by &."


def test_a_setting_given_twice_is_refused() -> None:
    with pytest.raises(UserError, match="sets the same name twice"):
        planted("planted/bias?right=0.1&right=0.9")


def test_an_unknown_suite_is_the_users_mistake() -> None:
    with pytest.raises(UserError, match=r"There is no suite nothing\."):
        planted("planted/nothing")


def test_the_respondent_gets_the_messages_and_the_sample_and_nothing_else() -> None:
    async def send() -> Reply:
        model = planted("planted/bias?right=0.7")
        reply = (await model.send(model.ask(MESSAGES, {"temperature": 0}, 3), 1)).reply
        await model.close()
        return reply

    assert asyncio.run(send()) == Reply(status="ok", text="Which? 3 0.7", finish_reason="stop")


def test_settings_and_version_are_part_of_the_ask() -> None:
    ask = planted("planted/bias?right=0.7").ask(MESSAGES, {"temperature": 0}, 3)
    assert ask == Ask(
        provider="planted",
        model="bias?right=0.7",
        runtime=f"counterfoil {__version__}",
        messages=MESSAGES,
        params={"temperature": 0},
        sample=3,
    )
    assert planted("planted/bias?right=0.8").ask(MESSAGES, {"temperature": 0}, 3).key != ask.key
