"""Anthropic's message batches: all requests go up in one body, one file of results comes down."""

from __future__ import annotations

from datetime import datetime
from typing import Any, BinaryIO

import msgspec

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.batches.interface import (
    CLOCK_SECONDS,
    BatchInterface,
    Found,
    Line,
    Look,
    NotProcessed,
    from_start,
    id_of,
)
from counterfoil.asking.models.anthropic import AnthropicModel, request_body
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

    listed, cursor, per_page = "/messages/batches", "after_id", 1_000

    def __init__(self, model: AnthropicModel) -> None:
        super().__init__(model, "/messages")

    def line(self, ask: Ask) -> bytes:
        return msgspec.json.encode({"custom_id": ask.key, "params": self._model.body(ask)})

    async def create(self, content: BinaryIO, uploaded: str | None, token: str) -> str:
        return id_of(await self._server.post("/messages/batches", from_start(content)))

    def time_of(self, batch: dict[str, Any]) -> float:
        try:
            return datetime.fromisoformat(str(batch.get("created_at"))).timestamp()
        except ValueError:
            return 0.0

    def recognised(self, batch: dict[str, Any], token: str, asks: int, posted_at: float) -> Found | None:
        """Nothing in it says whose it is. One that was made much later than it was posted is somebody else's."""
        is_then = abs(self.time_of(batch) - posted_at) <= CLOCK_SECONDS
        return Found(id_of(batch), is_sure=False) if is_then and sum(_counts(batch).values()) == asks else None

    async def look(self, batch_id: str) -> Look:
        batch = await self._server.get(f"/messages/batches/{batch_id}")
        counts = _counts(batch)
        address = batch.get("results_url")
        return Look(
            ended=batch.get("processing_status") == "ended",
            done=sum(counts.values()) - counts.get("processing", 0),
            cancelled=batch.get("cancel_initiated_at") is not None,
            results=[str(address) if self._server.is_here(address) else f"/messages/batches/{batch_id}/results"],
        )

    def read(self, ask: Ask, line: Line) -> Reply:
        result = line.get("result")
        result = result if isinstance(result, dict) else {}
        kind = result.get("type")
        if kind == "succeeded" and isinstance(message := result.get("message"), dict):
            return self._model.read(message)
        if kind in ("expired", "canceled"):
            raise NotProcessed(f"it was {kind} before the model came to it")
        if kind == "errored":
            error = result.get("error")
            inner = error.get("error", error) if isinstance(error, dict) else {}
            status = STATUS_OF_ERROR.get(str(inner.get("type")) if isinstance(inner, dict) else "", 500)
            try:
                self._server.refuse(status, {"error": inner})
            except Rejected as rejected:
                return self._model.rejected(rejected, request_body(ask))
        raise TryAgain("its line in the batch can't be read")


def _counts(batch: dict[str, Any]) -> dict[str, int]:
    counts = batch.get("request_counts")
    return {name: n for name, n in counts.items() if isinstance(n, int)} if isinstance(counts, dict) else {}
