"""The ask, its key, and the reply."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

import msgspec

Status = Literal["ok", "refused", "truncated", "failed"]

LARGEST_EXACT_INTEGER = 2**53
# json.dumps would make an encoder for each ask.
_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


class Message(msgspec.Struct, frozen=True):
    """One turn of a conversation; `role` is system, user or assistant."""

    role: str
    content: str


class Ask(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One call to a model, complete: everything here can change the answer, and nothing else can.

    `base_url` is set only where the user gave one. For local weights `model` is their hash and `runtime` the name
    and version of what runs them. `sample` tells repeats of the same ask apart, `round` those of `--fresh`. How an
    ask is sent (time limits, concurrency, keys) is no part of it.
    """

    provider: str
    model: str
    messages: tuple[Message, ...]
    params: dict[str, Any] = {}
    sample: int = 0
    base_url: str | None = None
    runtime: str | None = None
    round: str | None = None

    @cached_property
    def canonical(self) -> str:
        """The ask as JSON that is the same in every process: sorted names, no spaces, no unset fields."""
        fields: dict[str, Any] = {
            "messages": [{"content": m.content, "role": m.role} for m in self.messages],
            "model": self.model,
            "params": _plain_numbers(self.params),
            "provider": self.provider,
            "sample": self.sample,
        }
        if self.base_url is not None:
            fields["base_url"] = self.base_url
        if self.runtime is not None:
            fields["runtime"] = self.runtime
        if self.round is not None:
            fields["round"] = self.round
        return _canonical(fields)

    @cached_property
    def key(self) -> str:
        """SHA-256 of the canonical JSON, as 64 hexadecimal digits."""
        return hashlib.sha256(self.canonical.encode()).hexdigest()

    @property
    def prompt(self) -> str:
        """All contents in one text: asks that share a prefix sort next to each other by it."""
        return "\n".join(m.content for m in self.messages)


class TokenChoice(msgspec.Struct, frozen=True):
    """A token that was written, with its log probability and those of the likeliest tokens in its place."""

    token: str
    logprob: float
    top: dict[str, float] = {}


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What came back. `latency` is that of the last attempt, in seconds; `error` says why a reply failed."""

    status: Status
    text: str = ""
    reasoning: str | None = None
    finish_reason: str | None = None
    served_model: str | None = None
    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    # Of the output tokens, those that went into thinking.
    reasoning_tokens: int | None = None
    logprobs: tuple[TokenChoice, ...] | None = None
    latency: float = 0.0
    attempts: int = 1
    error: str | None = None

    @property
    def earlier(self) -> tuple[Reply, ...]:
        """The replies of the conversation's turns before this one."""
        return ()


class LaterReply(Reply, frozen=True, kw_only=True):
    """The reply of a later turn. The ledger holds each turn's by itself."""

    earlier: tuple[Reply, ...] = ()


def after(earlier: Sequence[Reply], reply: Reply) -> Reply:
    """The reply with those of the turns before it."""
    return LaterReply(**msgspec.structs.asdict(reply), earlier=tuple(earlier)) if earlier else reply


def ask_from_canonical(text: str) -> Ask:
    """The ask whose canonical JSON this is."""
    return msgspec.json.decode(text, type=Ask)


def _plain_numbers(value: Any) -> Any:
    """1.0 and 1 are the same setting and must give the same key; infinities and NaN are no settings at all."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} can't be a parameter of an ask")
        return int(value) if value.is_integer() and abs(value) < LARGEST_EXACT_INTEGER else value
    if isinstance(value, dict):
        return {str(name): _plain_numbers(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_numbers(inner) for inner in value]
    return value
