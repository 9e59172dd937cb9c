"""A server that speaks chat completions over real sockets, as well or as badly as it is told to.

In a test: `with MockServer(behave) as server:`, where `behave` gets the request's JSON and says what to do. As a
process, `python mock_server.py [--latency SECONDS]` answers everything with "B", and is never in the way.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from waiting import LOOK_SECONDS, SECONDS


@dataclass
class Answer:
    """What to send; `reset` breaks the connection off instead, `hang` never answers, `hold` answers when it is set."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    reset: bool = False
    hang: bool = False
    hold: threading.Event | None = None

    def raw(self) -> bytes:
        extra = "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())
        head = f"HTTP/1.1 {self.status} X\r\nContent-Type: application/json\r\nContent-Length: {len(self.body)}\r\n"
        return f"{head}{extra}\r\n".encode() + self.body


def completion(content: Any = "B", finish_reason: str = "stop", **message: Any) -> Answer:
    """A chat completion as the interface documents it."""
    return Answer(
        json.dumps(
            {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "created": 1,
                "model": "mock-2026",
                "choices": [
                    {
                        "index": 0,
                        "message": {"role": "assistant", "content": content, **message},
                        "finish_reason": finish_reason,
                    }
                ],
                "usage": {"prompt_tokens": 60, "completion_tokens": 2, "total_tokens": 62},
            }
        ).encode()
    )


def held(until: threading.Event, content: Any = "B") -> Answer:
    """A completion that is on its way until this is set."""
    answer = completion(content)
    answer.hold = until
    return answer


def error(status: int, message: str = "no", headers: Mapping[str, str] | None = None, **details: Any) -> Answer:
    """An error as the interface documents it."""
    return Answer(json.dumps({"error": {"message": message, **details}}).encode(), status, headers or {})


class _Connection(asyncio.Protocol):
    def __init__(self, respond: Callable[[bytes, bytes], Answer], latency: float) -> None:
        self._respond = respond
        self._latency = latency
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        buffer = self._buffer + data if self._buffer else data
        while (end := buffer.find(b"\r\n\r\n")) >= 0:
            head = buffer[:end].lower()
            at = head.find(b"content-length:")
            length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            if len(buffer) < end + 4 + length:
                break
            body, head = buffer[end + 4 : end + 4 + length], buffer[:end]
            buffer = buffer[end + 4 + length :]
            self._answer(self._respond(head, body))
        self._buffer = buffer

    def _answer(self, answer: Answer) -> None:
        if answer.hang:
            return
        if answer.reset:
            self._transport.abort()
            return
        delay = self._latency + answer.delay
        if answer.hold is not None and not answer.hold.is_set():
            asyncio.get_running_loop().call_later(LOOK_SECONDS, self._answer, answer)
        elif delay:
            asyncio.get_running_loop().call_later(delay, self._transport.write, answer.raw())
        else:
            self._transport.write(answer.raw())


class MockServer:
    """Serves in a thread of its own. `requests` are the bodies that came, `heads` what stood before them."""

    def __init__(self, behave: Callable[[dict[str, Any]], Answer] | None = None, latency: float = 0.0) -> None:
        self.requests: list[dict[str, Any]] = []
        self.heads: list[str] = []
        self._behave = behave or (lambda request: completion())
        self._latency = latency
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def prompts(self) -> list[str]:
        """The last message of each request."""
        return [request["messages"][-1]["content"] for request in self.requests]

    def __enter__(self) -> MockServer:
        self._thread.start()
        assert self._ready.wait(SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(SECONDS)

    def _respond(self, head: bytes, body: bytes) -> Answer:
        request = json.loads(body)
        self.requests.append(request)
        self.heads.append(head.decode())
        return self._behave(request)

    async def _serve(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        server = await self._loop.create_server(
            lambda: _Connection(self._respond, self._latency), "127.0.0.1", 0, backlog=1024
        )
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._end.wait()
        server.close()


async def _serve_forever(latency: float) -> None:
    canned = completion()
    raw = canned.raw()
    canned.raw = lambda: raw  # type: ignore[method-assign]
    server = await asyncio.get_running_loop().create_server(
        lambda: _Connection(lambda head, body: canned, latency), "127.0.0.1", 0, backlog=1024
    )
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    import uvloop

    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.0)
    uvloop.run(_serve_forever(parser.parse_args().latency))
