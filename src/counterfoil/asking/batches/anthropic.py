"""Anthropic's message batches: all requests go up in one body, one file of results comes down."""

from __future__ import annotations

from typing import Any, BinaryIO

import msgspec

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.batches.interface import BatchInterface, Line, Look, NotProcessed, fields_of
from counterfoil.asking.models.anthropic import request_body
from counterfoil.asking.models.base import TryAgain
from counterfoil.asking.models.http import Rejected

# The statuses that asks outside of batches get with these errors.
STATUS_OF_ERROR = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}


class AnthropicBatches(BatchInterface):
    """Batches for one model."""

    provider = "anthropic"
    most_asks = 100_000
    most_bytes = 240_000_000  # of 256 MB
    head = b'{"requests":['
    between = b","
    tail = b"]}"
    path, path_of_asks = "/messages/batches", "/messages"
    cursor, per_page = "after_id", 1_000
    is_sure = False  # nothing in a batch says whose it is

    def line(self, ask: Ask) -> bytes:
        return msgspec.json.encode({"custom_id": ask.key, "params": self._model.body(ask)})

    async def create(self, content: BinaryIO, uploaded: str | None, token: str) -> str:
        return await self._server.post(self.path, content)

    def is_posted(self, batch: dict[str, Any], token: str, asks: int, is_then: bool) -> bool:
        return is_then and sum(_counts(batch).values()) == asks

    async def look(self, batch_id: str) -> Look:
        batch = await self._server.get(f"{self.path}/{batch_id}")
        counts = _counts(batch)
        address = batch.get("results_url")
        return Look(
            ended=batch.get("processing_status") == "ended",
            done=sum(counts.values()) - counts.get("processing", 0),
            cancelled=batch.get("cancel_initiated_at") is not None,
            results=[str(address) if self._server.is_here(address) else f"{self.path}/{batch_id}/results"],
        )

    def read(self, ask: Ask, line: Line) -> Reply:
        result = fields_of(line.get("result"))
        kind = result.get("type")
        if kind == "succeeded" and isinstance(message := result.get("message"), dict):
            return self._model.read(message)
        if kind in ("expired", "canceled"):
            raise NotProcessed(f"it was {kind} before the model came to it")
        if kind == "errored":
            error = fields_of(result.get("error"))
            inner = error.get("error", error)
            try:
                status = STATUS_OF_ERROR.get(str(fields_of(inner).get("type")), 500)
                self._model.endpoint.refuse(status, {}, {"error": inner})
            except Rejected as rejected:
                return self._model.rejected(rejected, request_body(ask))
        raise TryAgain("its line in the batch can't be read")


def _counts(batch: dict[str, Any]) -> dict[str, int]:
    return {name: n for name, n in fields_of(batch.get("request_counts")).items() if isinstance(n, int)}
