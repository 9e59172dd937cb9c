"""Replies as rows of the ledger's table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from zlib import crc32

import msgspec

from counterfoil.asking.ask import Ask, Reply, TokenChoice

REPLY_COLUMNS = (
    "status, text, reasoning, finish_reason, served_model, input_tokens, cached_tokens, output_tokens, "
    "logprobs, latency, attempts, reasoning_tokens"
)
INSERT_COLUMNS = f"key, model, received_at, ask, {REPLY_COLUMNS}"
# What the check sum is of; the ask has its key for one.
SUMMED_COLUMNS = f"key, model, received_at, {REPLY_COLUMNS}"
_DECIMAL = tuple(SUMMED_COLUMNS.split(", ").index(name) for name in ("received_at", "latency"))


def reply_from_row(values: Sequence[Any]) -> Reply:
    """A reply from the values of REPLY_COLUMNS."""
    status, text, reasoning, finish, served, tokens_in, tokens_cached, tokens_out, logprobs, *rest = values
    latency, attempts, tokens_thought = rest
    return Reply(
        status=status,
        text=text,
        reasoning=reasoning,
        finish_reason=finish,
        served_model=served,
        input_tokens=tokens_in,
        cached_tokens=tokens_cached,
        output_tokens=tokens_out,
        reasoning_tokens=tokens_thought,
        logprobs=logprobs and msgspec.json.decode(logprobs, type=tuple[TokenChoice, ...]),
        latency=latency,
        attempts=attempts,
    )


def reply_row(ask: Ask, model: str, received_at: float, reply: Reply) -> tuple[Any, ...]:
    """The values of INSERT_COLUMNS."""
    return (
        bytes.fromhex(ask.key),
        model,
        received_at,
        ask.canonical,
        reply.status,
        reply.text,
        reply.reasoning,
        reply.finish_reason,
        reply.served_model,
        reply.input_tokens,
        reply.cached_tokens,
        reply.output_tokens,
        reply.logprobs and msgspec.json.encode(reply.logprobs).decode(),
        round(reply.latency, 6),
        reply.attempts,
        reply.reasoning_tokens,
    )


def check_sum(values: Sequence[Any]) -> int:
    """The check sum of the values of SUMMED_COLUMNS. UnicodeEncodeError where a text is none."""
    summed = list(values)
    for column in _DECIMAL:
        summed[column] = float(summed[column])  # as it comes back
    return crc32(msgspec.msgpack.encode(summed))


def is_whole(values: Sequence[Any], summed: int | None) -> bool:
    """Whether the values of SUMMED_COLUMNS are as they were written. Older rows have no check sum: their texts must be
    texts.
    """
    try:
        return check_sum(values) == summed or summed is None
    except (UnicodeEncodeError, TypeError, ValueError):
        return False
