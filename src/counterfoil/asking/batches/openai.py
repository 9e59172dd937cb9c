"""OpenAI's batches: a file of requests goes up, a batch is made of it, files of results come down."""

from __future__ import annotations

from typing import Any, BinaryIO

import msgspec

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.batches.interface import (
    BatchInterface,
    Complaint,
    Found,
    Line,
    Look,
    NotProcessed,
    from_start,
    id_of,
)
from counterfoil.asking.models.base import Hopeless, TryAgain
from counterfoil.asking.models.http import LONGEST_MESSAGE, Rejected
from counterfoil.asking.models.openai import OpenAIModel, request_body, text_of

ENDPOINT = "/v1/chat/completions"
# The name under which a batch carries our token.
METADATA = "counterfoil"
ENDED = ("completed", "failed", "expired", "cancelled")
# Codes of lines that were not come to, and of a queue that is full.
UNPROCESSED = ("batch_expired", "batch_cancelled")
QUEUE_IS_FULL = "token_limit_exceeded"


class OpenAIBatches(BatchInterface):
    """Batches for one model."""

    provider = "openai"
    most_asks = 50_000
    most_bytes = 190_000_000  # of 200 MB
    head = b""
    between = b"\n"
    tail = b"\n"

    listed, cursor, per_page = "/batches", "after", 100

    def __init__(self, model: OpenAIModel) -> None:
        super().__init__(model, "/chat/completions")

    def line(self, ask: Ask) -> bytes:
        return msgspec.json.encode(
            {"custom_id": ask.key, "method": "POST", "url": ENDPOINT, "body": self._model.body(ask)}
        )

    async def upload(self, content: BinaryIO) -> str | None:
        answer = await self._server.post_file("/files", from_start(content), "counterfoil.jsonl", {"purpose": "batch"})
        return id_of(answer)

    async def create(self, content: BinaryIO, uploaded: str | None, token: str) -> str:
        wanted = {
            "input_file_id": uploaded,
            "endpoint": ENDPOINT,
            "completion_window": "24h",
            "metadata": {METADATA: token},
        }
        return id_of(await self._server.post("/batches", msgspec.json.encode(wanted)))

    def time_of(self, batch: dict[str, Any]) -> float:
        created = batch.get("created_at")
        return float(created) if isinstance(created, int | float) else 0.0

    def recognised(self, batch: dict[str, Any], token: str, asks: int, posted_at: float) -> Found | None:
        is_it = (batch.get("metadata") or {}).get(METADATA) == token
        return Found(id_of(batch), is_sure=True) if is_it else None

    async def look(self, batch_id: str) -> Look:
        batch = await self._server.get(f"/batches/{batch_id}")
        status = batch.get("status")
        counts = batch.get("request_counts")
        counts = counts if isinstance(counts, dict) else {}
        done = sum(n for name in ("completed", "failed") if isinstance(n := counts.get(name), int))
        files = [batch[name] for name in ("output_file_id", "error_file_id") if isinstance(batch.get(name), str)]
        return Look(
            ended=status in ENDED,
            done=done,
            cancelled=status == "cancelled",
            results=[f"/files/{file}/content" for file in files],
            complaints=_complaints(batch) if status == "failed" else (),
        )

    def read(self, ask: Ask, line: Line) -> Reply:
        error, response = line.get("error"), line.get("response")
        if isinstance(response, dict):
            status, body = response.get("status_code"), response.get("body")
            if status == 200 and isinstance(body, dict):
                return self._model.read(body)
            try:
                self._server.refuse(status if isinstance(status, int) and status >= 400 else 500, body)
            except Rejected as rejected:
                # Whatever was left out since, it may have been in the body that was sent.
                return self._model.rejected(rejected, request_body(ask, set()))
        details = error if isinstance(error, dict) else {}
        message = text_of(details.get("message")) or "no reason given"
        if details.get("code") in UNPROCESSED:
            raise NotProcessed(message)
        if error:
            raise Hopeless(f"the batch said: {message[:LONGEST_MESSAGE]}")
        raise TryAgain("its line in the batch is empty")


def _complaints(batch: dict[str, Any]) -> list[Complaint]:
    errors = batch.get("errors")
    data = errors.get("data") if isinstance(errors, dict) else None
    complaints = [
        Complaint(
            message=" ".join((text_of(error.get("message")) or str(error.get("code"))).split())[:LONGEST_MESSAGE],
            line=line if isinstance(line := error.get("line"), int) and not _is_about_model(error) else None,
            too_much=error.get("code") == QUEUE_IS_FULL,
        )
        for error in (data if isinstance(data, list) else [])
        if isinstance(error, dict)
    ]
    return complaints or [Complaint("no reason given", None, too_much=False)]


def _is_about_model(error: dict[str, Any]) -> bool:
    """Whatever line it names, it holds for all of them."""
    return "model" in f"{error.get('code')} {error.get('param')}"
