"""Replies as rows of the ledger's table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from counterfoil.asking.ask import Ask, Reply, TokenChoice

REPLY_COLUMNS = (
    "status, text, reasoning, finish_reason, served_model, input_tokens, cached_tokens, output_tokens, "
    "logprobs, latency, attempts, reasoning_tokens"
)
INSERT_COLUMNS = f"key, model, received_at, ask, {REPLY_COLUMNS}"


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
