"""What one address makes of a server's answer."""

from __future__ import annotations

import asyncio

import pytest

from counterfoil.asking.models.base import ModelError
from counterfoil.asking.models.http import Answer as Answered
from counterfoil.asking.models.http import Endpoint
from mock_server import Answer, MockServer

KEY = "sk-test/0123456789+abcdef"


class Raw(Answer):
    """Bytes as they are, without a head of their own."""

    def raw(self) -> bytes:
        return self.body


def post_to(url: str, *, secret: str | None = None, timeout: float = 300.0) -> Answered:
    async def post() -> Answered:
        endpoint = Endpoint(url, {}, secret=secret, remedy="check THE_KEY")
        try:
            return await endpoint.post({}, timeout)
        finally:
            await endpoint.close()

    return asyncio.run(post())


def post(answer: Answer, *, secret: str | None = None, timeout: float = 300.0) -> Answered:
    """What the endpoint makes of an answer."""
    with MockServer(lambda request: answer) as server:
        return post_to(server.url, secret=secret, timeout=timeout)


def trouble(answer: Answer, *, secret: str | None = None, timeout: float = 300.0) -> ModelError:
    """The error that the endpoint makes of an answer."""
    with pytest.raises(ModelError) as raised:
        post(answer, secret=secret, timeout=timeout)
    return raised.value
