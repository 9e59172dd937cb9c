"""Asks to a chat completions interface, what arrives at the server, and what is made of its answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from counterfoil.asking.ask import Ask, Message, Reply
from counterfoil.asking.models.base import ModelSpec, Sent
from counterfoil.asking.models.openai import OpenAIModel
from mock_server import Answer, MockServer, completion, error

KEY = "sk-test-0123456789abcdef"
MESSAGES = (Message("system", "Be brief."), Message("user", "수도는?"))
WIRE = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "수도는?"}]


def ask_of(params: Mapping[str, Any], sample: int = 0) -> Ask:
    return Ask(provider="openai", model="m", messages=MESSAGES, params=dict(params), sample=sample)


def send_all(
    server: MockServer,
    params: Sequence[Mapping[str, Any]] = ({},),
    *,
    name: str = "vllm/m",
    base_url: str | None = "",
    timeout: float = 300.0,
    sample: int = 0,
) -> list[Sent | BaseException]:
    """Send asks with these parameters, one after another; what each gave, reply or error. "": the server's URL."""
    base_url = server.url if base_url == "" else base_url

    async def send() -> list[Sent | BaseException]:
        model = OpenAIModel(ModelSpec(name=name, base_url=base_url))
        try:
            return [
                (await asyncio.gather(model.send(model.ask(MESSAGES, one, sample), timeout), return_exceptions=True))[0]
                for one in params
            ]
        finally:
            await model.close()

    return asyncio.run(send())


def body_of(params: Mapping[str, Any], **how: Any) -> dict[str, Any]:
    """The request's body as it arrives at the server."""
    with MockServer() as server:
        (sent,) = send_all(server, [params], **how)
        assert isinstance(sent, Sent)
        return server.requests[0]


def head_of(**how: Any) -> tuple[str, dict[str, str]]:
    """The request's first line, and its headers with names in lower case."""
    with MockServer() as server:
        (sent,) = send_all(server, **how)
        assert isinstance(sent, Sent)
        first, *lines = server.heads[0].split("\r\n")
    return first, {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}


def reply_to(answer: Answer) -> Reply:
    with MockServer(lambda request: answer) as server:
        (sent,) = send_all(server)
    assert isinstance(sent, Sent), sent
    return sent.reply


def with_choice(choice: Any) -> Answer:
    return Answer(json.dumps({"choices": [choice]}).encode())


def refusing(name: str, code: str) -> Callable[[dict[str, Any]], Answer]:
    """A server that does not take a parameter."""

    def behave(request: dict[str, Any]) -> Answer:
        if name in request:
            return error(400, f"Unsupported: '{name}'", code=code, param=name, type="invalid_request_error")
        return completion()

    return behave
