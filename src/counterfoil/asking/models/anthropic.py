"""Anthropic's messages interface."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from counterfoil.asking.ask import Ask, Reply, Status
from counterfoil.asking.models.base import ModelSpec, TryAgain
from counterfoil.asking.models.http import HttpModel, Rejected, dict_of
from counterfoil.asking.models.openai import count_of, is_about_effort, name_of, text_of
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
        for name in ("choices", "logprobs"):
            if name in spec.params:
                raise UserError(f"{spec.name} does not take {name}: leave --param {name} out.")

    def address(self, base_url: str, secret: str | None) -> tuple[str, dict[str, str]]:
        url = f"{base_url}/messages" if base_url.endswith("/v1") else f"{base_url}/v1/messages"
        return url, {"anthropic-version": VERSION} | ({"x-api-key": secret} if secret else {})

    def body(self, ask: Ask) -> dict[str, Any]:
        return request_body(ask, self._unsupported)

    def reply_in(self, body: Mapping[str, Any]) -> Reply:
        return read_message(body)

    def unsupported_in(self, error: Rejected, body: Mapping[str, Any]) -> str | None:
        # Of a temperature that the interface allows, the model takes none; any other is the user's to correct.
        if "output_config" in body and is_about_effort(error):
            return "reasoning_effort"
        temperature = body.get("temperature")
        is_allowed = isinstance(temperature, int | float) and 0 <= temperature <= 1
        return "temperature" if is_allowed and "temperature" in str(error) else None


def request_body(ask: Ask, unsupported: Collection[str] = ()) -> dict[str, Any]:
    """The ask as the interface wants it: the system prompt apart, a limit always. It has no seed."""
    body: dict[str, Any] = {"model": ask.model, "max_tokens": MAX_TOKENS}
    system = "\n\n".join(message.content for message in ask.messages if message.role == "system")
    if system:
        body["system"] = system
    body["messages"] = [message for message in ask.messages if message.role != "system"]
    params = {name: value for name, value in ask.params.items() if name not in ("seed", *unsupported)}
    if (effort := params.pop("reasoning_effort", None)) is not None:
        params["output_config"] = {"effort": effort}
    return body | params


def read_message(body: Mapping[str, Any]) -> Reply:
    """The reply in a message: its text blocks, its thinking apart."""
    content = body.get("content")
    if not isinstance(content, list):
        raise TryAgain("the reply is not a message")
    blocks = [block for block in content if isinstance(block, dict)]
    stop_reason = name_of(body.get("stop_reason"))
    usage = dict_of(body.get("usage"))
    uncached = count_of(usage.get("input_tokens"))
    cached = count_of(usage.get("cache_read_input_tokens")) or 0
    written = count_of(usage.get("cache_creation_input_tokens")) or 0
    return Reply(
        status=_STATUS.get(stop_reason, "ok"),
        text=_joined(blocks, "text"),
        reasoning=_joined(blocks, "thinking") or None,
        finish_reason=stop_reason,
        served_model=name_of(body.get("model")),
        input_tokens=None if uncached is None else uncached + cached + written,
        cached_tokens=None if uncached is None else cached,
        output_tokens=count_of(usage.get("output_tokens")),
    )


def _joined(blocks: list[dict[str, Any]], kind: str) -> str:
    """The blocks of a kind; the interface calls the field as the kind."""
    return "".join(text_of(block.get(kind)) or "" for block in blocks if block.get("type") == kind)
