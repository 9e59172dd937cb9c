"""Anthropic's messages interface."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from counterfoil.asking.ask import Ask, Message, Reply, Status
from counterfoil.asking.models.base import ModelSpec, Sent, TryAgain
from counterfoil.asking.models.http import Endpoint, Rejected, checked_base_url, key_from
from counterfoil.asking.models.openai import count_of, refused_by_filter, text_of
from counterfoil.errors import UserError

BASE_URL = "https://api.anthropic.com"
KEY_VARIABLE = "ANTHROPIC_API_KEY"
VERSION = "2023-06-01"
# The interface wants a limit; this one is sent where the user set none.
MAX_TOKENS = 4096

_STATUS: dict[str | None, Status] = {
    "max_tokens": "truncated",
    "model_context_window_exceeded": "truncated",
    "refusal": "refused",
}


class AnthropicModel:
    """One model behind `v1/messages`."""

    slots: int | None = None

    def __init__(self, spec: ModelSpec) -> None:
        self.name = spec.name
        self._spec = spec
        self._takes_temperature = True
        if not spec.dry and (missing := missing_variables(spec)):
            raise UserError(f"{spec.name} needs {missing[0]}: set the environment variable, then run again.")
        if not spec.rest:
            raise UserError(f"{spec.name} names no model: write anthropic/NAME.")
        for name in ("choices", "logprobs"):
            if name in spec.params:
                raise UserError(f"{spec.name} does not take {name}: leave --param {name} out.")
        self._base_url = checked_base_url(spec.base_url) if spec.base_url else None
        secret = key_from(KEY_VARIABLE)
        base_url = self._base_url or BASE_URL
        self.endpoint = Endpoint(
            f"{base_url}/messages" if base_url.endswith("/v1") else f"{base_url}/v1/messages",
            {"anthropic-version": VERSION} | ({"x-api-key": secret} if secret else {}),
            secret=secret,
            remedy=f"check {KEY_VARIABLE}",
        )

    def ask(self, messages: Sequence[Message], params: Mapping[str, Any], sample: int) -> Ask:
        return Ask(
            provider="anthropic",
            base_url=self._base_url,
            model=self._spec.rest,
            messages=tuple(messages),
            params=dict(params),
            sample=sample,
        )

    async def send(self, ask: Ask, timeout: float) -> Sent:
        body = self.body(ask)
        try:
            answer = await self.endpoint.post(body, timeout)
        except Rejected as error:
            return Sent(self.rejected(error, body))
        return Sent(read_message(answer.body), answer.quiet)

    def body(self, ask: Ask) -> dict[str, Any]:
        """What is sent for an ask, by what is known of the model so far."""
        return request_body(ask, takes_temperature=self._takes_temperature)

    def rejected(self, error: Rejected, body: Mapping[str, Any]) -> Reply:
        """The reply where a filter let nothing through; otherwise raises what the rejection of that body means."""
        if error.filtered:
            return refused_by_filter(error)
        # Of a temperature that the interface allows, the model takes none; any other is the user's to correct.
        temperature = body.get("temperature")
        if "temperature" in str(error) and isinstance(temperature, int | float) and 0 <= temperature <= 1:
            self._takes_temperature = False
            raise TryAgain(str(error), wait=0.0) from error
        raise error

    async def close(self) -> None:
        await self.endpoint.close()

    @property
    def adjustments(self) -> list[str]:
        return [] if self._takes_temperature else ["temperature is not sent: the model does not take it"]


def missing_variables(spec: ModelSpec) -> list[str]:
    """The environment variables that a model still needs."""
    return [] if spec.base_url or os.environ.get(KEY_VARIABLE) else [KEY_VARIABLE]


def request_body(ask: Ask, *, takes_temperature: bool = True) -> dict[str, Any]:
    """The ask as the interface wants it: the system prompt apart, a limit always. It has no seed."""
    body: dict[str, Any] = {"model": ask.model, "max_tokens": MAX_TOKENS}
    system = "\n\n".join(message.content for message in ask.messages if message.role == "system")
    if system:
        body["system"] = system
    body["messages"] = [message for message in ask.messages if message.role != "system"]
    left_out = {"seed"} if takes_temperature else {"seed", "temperature"}
    return body | {name: value for name, value in ask.params.items() if name not in left_out}


def read_message(body: Mapping[str, Any]) -> Reply:
    """The reply in a message: its text blocks, its thinking apart."""
    content = body.get("content")
    if not isinstance(content, list):
        raise TryAgain("the reply is not a message")
    blocks = [block for block in content if isinstance(block, dict)]
    stop_reason = text_of(body.get("stop_reason"))
    usage = body.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    uncached = count_of(usage.get("input_tokens"))
    cached = count_of(usage.get("cache_read_input_tokens")) or 0
    written = count_of(usage.get("cache_creation_input_tokens")) or 0
    return Reply(
        status=_STATUS.get(stop_reason, "ok"),
        text=_joined(blocks, "text"),
        reasoning=_joined(blocks, "thinking") or None,
        finish_reason=stop_reason,
        served_model=text_of(body.get("model")),
        input_tokens=None if uncached is None else uncached + cached + written,
        cached_tokens=None if uncached is None else cached,
        output_tokens=count_of(usage.get("output_tokens")),
    )


def _joined(blocks: list[dict[str, Any]], kind: str) -> str:
    """The blocks of a kind; the interface calls the field as the kind."""
    return "".join(text_of(block.get(kind)) or "" for block in blocks if block.get("type") == kind)
