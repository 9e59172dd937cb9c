"""Anthropic's messages interface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from counterfoil.asking.ask import Ask, Reply, Status
from counterfoil.asking.models.base import ModelSpec, TryAgain
from counterfoil.asking.models.http import Endpoint, HttpModel, Rejected, key_from
from counterfoil.asking.models.openai import count_of, refused_by_filter, text_of
from counterfoil.asking.models.providers import provider_of
from counterfoil.errors import UserError

VERSION = "2023-06-01"
# The interface wants a limit; this one is sent where the user set none.
MAX_TOKENS = 4096

_STATUS: dict[str | None, Status] = {
    "max_tokens": "truncated",
    "model_context_window_exceeded": "truncated",
    "refusal": "refused",
}


class AnthropicModel(HttpModel):
    """One model behind `v1/messages`."""

    def __init__(self, spec: ModelSpec) -> None:
        super().__init__(spec)
        self._takes_temperature = True
        for name in ("choices", "logprobs"):
            if name in spec.params:
                raise UserError(f"{spec.name} does not take {name}: leave --param {name} out.")
        provider = provider_of(spec.name)
        assert provider.base_url is not None
        assert provider.key is not None
        secret = key_from(provider.key)
        base_url = self._identity.base_url or provider.base_url
        self.endpoint = Endpoint(
            f"{base_url}/messages" if base_url.endswith("/v1") else f"{base_url}/v1/messages",
            {"anthropic-version": VERSION} | ({"x-api-key": secret} if secret else {}),
            secret=secret,
            remedy=f"check {provider.key}",
        )

    def body(self, ask: Ask) -> dict[str, Any]:
        return request_body(ask, takes_temperature=self._takes_temperature)

    def rejected(self, error: Rejected, body: Mapping[str, Any]) -> Reply:
        if error.filtered:
            return refused_by_filter(error)
        # Of a temperature that the interface allows, the model takes none; any other is the user's to correct.
        temperature = body.get("temperature")
        if "temperature" in str(error) and isinstance(temperature, int | float) and 0 <= temperature <= 1:
            self._takes_temperature = False
            raise TryAgain(str(error), wait=0.0) from error
        raise error

    def read(self, body: Mapping[str, Any]) -> Reply:
        return read_message(body)

    @property
    def adjustments(self) -> list[str]:
        return [] if self._takes_temperature else ["temperature is not sent: the model does not take it"]


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
