"""Models that think before they answer. What they think counts as output, so that a limit made for an answer leaves
nothing of it: they get room to think.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from counterfoil.asking.ask import Reply
from counterfoil.asking.models.base import ModelSpec
from counterfoil.asking.models.providers import provider_of

# As in the client of the CFA study.
ROOM = 16_384
RAISED = f"max_tokens is raised to {ROOM:,}: the model thinks, and its thoughts count as output"

_THINKING_NAME = re.compile(r"(?:^|/)(?:o[1-9](?![a-z\d])|gpt-5(?!-chat))")


def thinks(spec: ModelSpec) -> bool:
    """Whether the model's name says that it thinks, or a parameter of Anthropic's turns that on.

    A server of the user's own may give a model any name: of those only replies tell.
    """
    setting = spec.params.get("thinking")
    return is_called_so(spec) or (isinstance(setting, dict) and setting.get("type") != "disabled")


def is_called_so(spec: ModelSpec) -> bool:
    """Whether the model's name says that it thinks."""
    return provider_of(spec.name).kind == "service" and _THINKING_NAME.search(spec.rest) is not None


def with_room(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters with room to think. Who sets max_completion_tokens has decided how much there is."""
    limit = params.get("max_tokens")
    if limit is None or limit >= ROOM or "max_completion_tokens" in params:
        return dict(params)
    return {**params, "max_tokens": ROOM}


def limit_of(spec: ModelSpec) -> int | None:
    """The most tokens that a reply of the model can have; None where nobody has set a limit."""
    params = with_room(spec.params) if thinks(spec) else spec.params
    limit: int | None = params.get("max_completion_tokens") or params.get("max_tokens")
    return limit


def lacked_room(params: Mapping[str, Any], reply: Reply) -> bool:
    """Whether thinking has taken what the answer would have needed, and there could have been more."""
    has_thought = bool(reply.reasoning_tokens or reply.reasoning)
    return reply.status == "truncated" and has_thought and with_room(params) != params
