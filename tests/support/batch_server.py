"""A server that speaks OpenAI's and Anthropic's batch interfaces over real sockets, and their ordinary ones.

`with BatchServer() as server:`. Batches end at once, or when `ends` says so; results come in another order than asks.
What goes wrong is decided by `fault`, before a request is handled or after; `line` answers one ask.
"""

from __future__ import annotations

import asyncio
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from waiting import SECONDS

OPENAI_MODEL, ANTHROPIC_MODEL = "openai/gpt-4o", "anthropic/claude-sonnet-4-5"
PER_PAGE = 2  # so that lists have pages


@dataclass
class Fault:
    """What goes wrong with a request: a status with a message, or a connection that breaks off."""

    status: int | None = None
    message: str = "no"
    headers: dict[str, str] = field(default_factory=dict)
    reset: bool = False


@dataclass
class Made:
    """A batch that was made; `status` is OpenAI's word for it, whatever the interface."""

    id: str
    asks: dict[str, dict[str, Any]]
    metadata: dict[str, str]
    created_at: float
    looks: int = 0
    status: str = "in_progress"
    errors: list[dict[str, Any]] = field(default_factory=list)
    lines: list[dict[str, Any]] = field(default_factory=list)


# What a line says: a text; a status with an error; or a word, "expired" or "canceled", for one that was not come to.
Said = str | tuple[int, dict[str, Any]]


class BatchServer:
    """Serves in a thread of its own."""

    def __init__(
        self,
        line: Callable[[dict[str, Any]], Said] | None = None,
        *,
        ends: Callable[[Made], str | None] | None = None,
        fault: Callable[[str, str, bool], Fault | None] | None = None,
    ) -> None:
        self.line = line or largest
        self.ends = ends or (lambda made: "completed")
        self.fault = fault or (lambda method, path, after: None)
        self.batches: dict[str, Made] = {}
        self.files: dict[str, bytes] = {}
        self.requests: list[str] = []
        self.heads: list[dict[str, str]] = []
        self.asked_one_by_one: list[dict[str, Any]] = []
        self.made_odd: Callable[[Made], object] = lambda made: None
        self.results_host = "127.0.0.1"
        self.half_sent: Callable[[], None] | None = None
        self.port = 0
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    def url(self, model: str) -> str:
        return f"http://127.0.0.1:{self.port}" + ("/v1" if model.startswith("openai") else "")

    @property
    def times_submitted(self) -> Counter[str]:
        """How many batches each ask was in."""
        return Counter(key for made in self.batches.values() for key in made.asks)

    @property
    def is_looked_at(self) -> bool:
        """Whether somebody has asked how a batch is."""
        return any(made.looks for made in list(self.batches.values()))

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [body for made in self.batches.values() for body in made.asks.values()]

    def __enter__(self) -> BatchServer:
        self._thread.start()
        assert self._ready.wait(SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(SECONDS)

    async def _serve(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        app = web.Application(client_max_size=2**30)
        app.router.add_route("*", "/{path:.*}", self._handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.port = runner.addresses[0][1]
        self._ready.set()
        await self._end.wait()
        await runner.cleanup()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        path = request.path.removeprefix("/v1")
        self.requests.append(f"{request.method} {path}")
        self.heads.append(dict(request.headers))
        if fault := self.fault(request.method, path, False):
            await request.read()
            return self._broken(request, fault)
        response = await self._route(request, path)
        if fault := self.fault(request.method, path, True):
            return self._broken(request, fault)
        return response

    def _broken(self, request: web.Request, fault: Fault) -> web.Response:
        if fault.reset:
            assert request.transport is not None
            request.transport.abort()
            return web.Response()
        error = {"message": fault.message, "type": "error"}
        return web.json_response({"error": error}, status=fault.status or 500, headers=fault.headers)

    async def _route(self, request: web.Request, path: str) -> web.StreamResponse:
        match request.method, path.strip("/").split("/"):
            case "POST", ["chat", "completions"] | ["messages"]:
                body = await request.json()
                self.asked_one_by_one.append(body)
                said = self.line(body)
                if isinstance(said, tuple):
                    return web.json_response({"error": said[1]}, status=said[0])
                return web.json_response(message(said) if path == "/messages" else completion(said))
            case "POST", ["files"]:
                form = await request.post()
                assert form["purpose"] == "batch"
                file = form["file"]
                assert isinstance(file, web.FileField)
                name = f"file-{len(self.files)}"
                self.files[name] = file.file.read()
                return web.json_response({"id": name, "object": "file", "bytes": len(self.files[name])})
            case "POST", ["batches"]:
                return self._create_openai(await request.json())
            case "POST", ["messages", "batches"]:
                assert request.headers["anthropic-version"] == "2023-06-01"
                wanted = await request.json()
                asks = {one["custom_id"]: one["params"] for one in wanted["requests"]}
                assert len(asks) == len(wanted["requests"])
                return web.json_response(self._as_anthropic(self._make("msgbatch", asks, {})))
            case "GET", ["batches"]:
                return self._page(request, "after", self._as_openai)
            case "GET", ["messages", "batches"]:
                return self._page(request, "after_id", self._as_anthropic)
            case "GET", ["batches", name] if name in self.batches:
                return web.json_response(self._as_openai(self._looked_at(name)))
            case "GET", ["messages", "batches", name] if name in self.batches:
                return web.json_response(self._as_anthropic(self._looked_at(name)))
            case "GET", ["messages", "batches", name, "results"] if name in self.batches:
                return await self._lines(request, self.batches[name].lines)
            case "GET", ["files", name, "content"]:
                kind, _, batch = name.partition("-")
                lines = [line for line in self.batches[batch].lines if _is_answer(line) == (kind == "output")]
                return await self._lines(request, lines)
        return web.json_response({"error": {"message": "no such thing"}}, status=404)

    def _create_openai(self, wanted: dict[str, Any]) -> web.Response:
        assert wanted["endpoint"] == "/v1/chat/completions"
        assert wanted["completion_window"] == "24h"
        requests = [json.loads(line) for line in self.files[wanted["input_file_id"]].splitlines()]
        assert all(one["method"] == "POST" and one["url"] == wanted["endpoint"] for one in requests)
        asks = {one["custom_id"]: one["body"] for one in requests}
        assert len(asks) == len(requests)
        return web.json_response(self._as_openai(self._make("batch", asks, wanted.get("metadata") or {})))

    def _make(self, kind: str, asks: dict[str, dict[str, Any]], metadata: dict[str, str]) -> Made:
        made = Made(f"{kind}_{len(self.batches)}", asks, metadata, time.time())
        self.batches[made.id] = made
        return made

    def _looked_at(self, name: str) -> Made:
        made = self.batches[name]
        made.looks += 1
        if made.status == "in_progress" and (ending := self.ends(made)) is not None:
            made.status = ending
            if ending != "failed":
                made.lines = [self._line(made, key, body) for key, body in made.asks.items()]
                random.Random(1).shuffle(made.lines)
                self.made_odd(made)
        return made

    def _line(self, made: Made, key: str, body: dict[str, Any]) -> dict[str, Any]:
        said = self.line(body)
        line: dict[str, Any] = {"custom_id": key, "unknown": {"field": [1]}}
        if made.id.startswith("msgbatch"):
            if said in ("expired", "canceled"):
                return line | {"result": {"type": said}}
            if isinstance(said, tuple):
                error = {"type": "error", "error": said[1], "request_id": None}
                return line | {"result": {"type": "errored", "error": error}}
            return line | {"result": {"type": "succeeded", "message": message(said)}}
        if said in ("expired", "canceled"):
            error = {"code": f"batch_{said.replace('canceled', 'cancelled')}", "message": "It was not executed."}
            return line | {"id": "r", "response": None, "error": error}
        status, answer = (said[0], {"error": said[1]}) if isinstance(said, tuple) else (200, completion(said))
        return line | {"id": "r", "response": {"status_code": status, "request_id": "q", "body": answer}, "error": None}

    async def _lines(self, request: web.Request, lines: list[dict[str, Any]]) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/octet-stream"})
        await response.prepare(request)
        middle = len(lines) // 2
        for number, line in enumerate(lines):
            if number == middle and self.half_sent is not None:
                await response.write(b"")
                await self._loop.run_in_executor(None, self.half_sent)
            await response.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
        await response.write_eof()
        return response

    def _page(self, request: web.Request, after: str, shown: Callable[[Made], dict[str, Any]]) -> web.Response:
        newest_first = list(reversed(self.batches.values()))
        names = [made.id for made in newest_first]
        start = names.index(request.query[after]) + 1 if after in request.query else 0
        assert 1 <= int(request.query["limit"]) <= (100 if after == "after" else 1000)
        page = newest_first[start : start + PER_PAGE]
        return web.json_response({"data": [shown(m) for m in page], "has_more": start + PER_PAGE < len(names)})

    def _as_openai(self, made: Made) -> dict[str, Any]:
        done = len(made.lines)
        kinds = {_is_answer(line) for line in made.lines}
        return {
            "id": made.id,
            "object": "batch",
            "status": made.status,
            "errors": {"object": "list", "data": made.errors} if made.errors else None,
            "output_file_id": f"output-{made.id}" if True in kinds else None,
            "error_file_id": f"error-{made.id}" if False in kinds else None,
            "created_at": int(made.created_at),
            "request_counts": {"total": len(made.asks), "completed": done, "failed": 0},
            "metadata": made.metadata,
        }

    def _as_anthropic(self, made: Made) -> dict[str, Any]:
        done = len(made.lines)
        return {
            "id": made.id,
            "type": "message_batch",
            "processing_status": "in_progress" if made.status == "in_progress" else "ended",
            "request_counts": {"processing": len(made.asks) - done, "succeeded": done, "errored": 0},
            "created_at": datetime.fromtimestamp(made.created_at, UTC).isoformat(),
            "cancel_initiated_at": "2026-11-16T00:00:00Z" if made.status == "cancelled" else None,
            "results_url": f"http://{self.results_host}:{self.port}/v1/messages/batches/{made.id}/results",
        }


def largest(body: dict[str, Any]) -> str:
    """A model that is right with most of the questions of `three_choice`, and judges kindly."""
    text = body["messages"][-1]["content"]
    numbers = [int(line[3:]) for line in text.splitlines() if line[1:3] == ": "]
    if not numbers:
        return "yes"
    return "ABC"[numbers.index(max(numbers))] if sum(numbers) % 4 else "I can't say."


def completion(content: str) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "gpt-4o-2024-08-06",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 60, "completion_tokens": 2, "total_tokens": 62},
    }


def message(content: str) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": [{"type": "text", "text": content}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 60, "output_tokens": 2},
    }


def _is_answer(line: dict[str, Any]) -> bool:
    """Whether it is in the file of outputs, and not in that of errors."""
    response = line.get("response")
    return isinstance(response, dict) and response["status_code"] == 200
