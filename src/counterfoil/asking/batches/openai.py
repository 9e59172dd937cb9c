"""OpenAI's batches: a file of requests goes up, a batch is made of it, files of results come down."""

from __future__ import annotations

from typing import Any, BinaryIO

import msgspec

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.batches.interface import BatchInterface, Complaint, Line, Look, NotProcessed, fields_of
from counterfoil.asking.models.base import Hopeless, TryAgain
from counterfoil.asking.models.http import LONGEST_MESSAGE, Rejected
from counterfoil.asking.models.openai import request_body, text_of
from counterfoil.log import plain

ENDPOINT = "/v1/chat/completions"
# The name of the token in a batch.
METADATA = "counterfoil"
ENDED = ("completed", "failed", "expired", "cancelled")
# Codes of lines that were not processed, and of a queue that is full.
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
    path, path_of_asks = "/batches", "/chat/completions"
    cursor, per_page = "after", 100
    is_sure = True

    def line(self, ask: Ask) -> bytes:
        return msgspec.json.encode(
            {"custom_id": ask.key, "method": "POST", "url": ENDPOINT, "body": self._model.body(ask)}
        )

    async def upload(self, content: BinaryIO) -> str | None:
        return await self._server.post_file("/files", content, "counterfoil.jsonl", {"purpose": "batch"})

    async def create(self, content: BinaryIO, uploaded: str | None, token: str) -> str:
        wanted = {
            "input_file_id": uploaded,
            "endpoint": ENDPOINT,
            "completion_window": "24h",
            "metadata": {METADATA: token},
        }
        return await self._server.post(self.path, msgspec.json.encode(wanted))

    def is_posted(self, batch: dict[str, Any], token: str, asks: int, is_then: bool) -> bool:
        return fields_of(batch.get("metadata")).get(METADATA) == token

    async def look(self, batch_id: str) -> Look:
        batch = await self._server.get(f"{self.path}/{batch_id}")
        status, counts = batch.get("status"), fields_of(batch.get("request_counts"))
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
        error, response = fields_of(line.get("error")), line.get("response")
        if isinstance(response, dict):
            status, body = response.get("status_code"), response.get("body")
            if status == 200 and isinstance(body, dict):
                return self._model.read(body)
            try:
                self._model.endpoint.refuse(status if isinstance(status, int) and status >= 400 else 500, {}, body)
            except Rejected as rejected:
                # Whatever was left out since, it may have been in the body that was sent.
                return self._model.rejected(rejected, request_body(ask, set()))
        message = text_of(error.get("message")) or "no reason given"
        if error.get("code") in UNPROCESSED:
            raise NotProcessed(message)
        if line.get("error"):
            raise Hopeless(f"the batch said: {message[:LONGEST_MESSAGE]}")
        raise TryAgain("its line in the batch is empty")


def _complaints(batch: dict[str, Any]) -> list[Complaint]:
    data = fields_of(batch.get("errors")).get("data")
    complaints = [
        Complaint(
            message=plain(text_of(error.get("message")) or str(error.get("code")))[:LONGEST_MESSAGE],
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
