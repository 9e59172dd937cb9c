"""Any model that Inspect can reach: `inspect/PROVIDER/MODEL`. Inspect sends once; the asker paces and retries."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from contextvars import Context
from typing import Any

import msgspec

from counterfoil.asking.ask import Ask, Message, Reply, Status
from counterfoil.asking.models.base import (
    Hopeless,
    Model,
    ModelError,
    ModelSpec,
    ModelUnusable,
    Sent,
    TimedOut,
    TryAgain,
    Unreachable,
)
from counterfoil.asking.models.http import LONGEST_MESSAGE, checked_base_url, dict_of
from counterfoil.asking.models.openai import chat_params, count_of, logprobs_of, split_thinking, text_of
from counterfoil.asking.models.thinking import RAISED, thinks, with_room
from counterfoil.errors import UserError
from counterfoil.log import SHORTEST_SECRET

# Settings of how an ask is sent: the asker decides that.
SENDING_SETTINGS = (
    *("max_retries", "timeout", "attempt_timeout", "stream_idle_timeout", "max_connections", "adaptive_connections"),
    *("cache", "batch", "num_choices", "fallback_models", "fail_on_refusal"),
)
MOST_CONNECTIONS = 100_000

_STATUS: dict[str | None, Status] = {
    "max_tokens": "truncated",
    "length": "truncated",  # as it was called in logs of old
    "model_length": "truncated",
    "content_filter": "refused",
}
_MARKUP = re.compile(r"\[/?[a-z ]+\]")


class InspectModel(Model):
    """One model of one of Inspect's providers, with the provider's own environment variables."""

    def __init__(self, spec: ModelSpec) -> None:
        provider, _, model = spec.rest.partition("/")
        if not provider or not model:
            raise UserError(f"{spec.name} names no model: write inspect/PROVIDER/MODEL.")
        super().__init__(spec, base_url=checked_base_url(spec.base_url) if spec.base_url else None)
        self._thinks = thinks(spec)
        require_inspect(spec.name)
        generate_config(spec.params)
        # A dry run has no keys, and sends nothing.
        self._model: Any = None if spec.dry else self._open()

    def ask(self, messages: Sequence[Message], params: Mapping[str, Any], sample: int) -> Ask:
        return super().ask(messages, with_room(params) if self._thinks else params, sample)

    @property
    def adjustments(self) -> list[str]:
        params = self._spec.params
        return [RAISED] if self._thinks and with_room(params) != params else []

    async def send(self, ask: Ask, timeout: float) -> Sent:
        config = generate_config(
            ask.params, ask.sample, max_retries=0, max_connections=MOST_CONNECTIONS, cache=False, batch=False
        )
        # In a context of its own: Inspect notes every call in its caller's, and would keep them all.
        call = asyncio.get_running_loop().create_task(
            self._model.generate(chat_messages(ask.messages), config=config), context=Context()
        )
        try:
            output = await asyncio.wait_for(call, timeout)
        except TimeoutError as error:
            raise TimedOut(f"no reply within {timeout:g} seconds") from error
        except Exception as error:
            raise self._trouble(error) from error
        reply = read_output(output.model_dump())
        if reply.status == "failed":
            raise Hopeless(self._blotted(reply.error or ""))
        reasoning = None if reply.reasoning is None else self._blotted(reply.reasoning)
        return Sent(msgspec.structs.replace(reply, text=self._blotted(reply.text), reasoning=reasoning))

    async def close(self) -> None:
        if self._model is not None:
            await self._model.api.aclose()

    def _open(self) -> Any:
        from inspect_ai.model import get_model

        try:
            model = get_model(self._spec.rest, base_url=self._identity.base_url, memoize=False)
        except Exception as error:  # whatever a provider's own package has to say
            said = _MARKUP.sub("", str(getattr(error, "message", error)))
            raise UserError(f"{self.name} can't be opened: {' '.join(said.split())}") from error
        client = getattr(model.api, "client", None)
        if client is not None and hasattr(client, "max_retries"):
            client.max_retries = 0  # the providers' packages would try again, too
        return model

    def _trouble(self, error: BaseException) -> ModelError:
        """What an error of Inspect, or of what it sends with, means."""
        error = getattr(getattr(error, "last_attempt", None), "exception", lambda: None)() or error
        said = str(getattr(error, "provider_message", None) or getattr(error, "message", None) or error)
        reason = self._blotted(" ".join(said.split()))[:LONGEST_MESSAGE] or type(error).__name__
        status = getattr(error, "status_code", None)
        kinds = {type(cause).__name__ for cause in _causes(error)}
        if kinds & {"APITimeoutError", "ReadTimeout", "WriteTimeout", "PoolTimeout"}:
            return TimedOut(reason)
        if kinds & {"ConnectError", "ConnectTimeout", "ClientConnectorError", "ConnectionRefusedError"}:
            return Unreachable(reason)
        if kinds & {"JSONDecodeError", "APIResponseValidationError"}:
            return TryAgain("the reply is not valid JSON")
        if getattr(error, "code", None) == "insufficient_quota" or status in (401, 402, 403, 404, 405):
            return ModelUnusable(f"{reason}; check the provider's key and the model's name")
        decision = self._model.api.should_retry(error)
        wait = getattr(decision, "retry_after", None)
        if status in (429, 529) or (decision and getattr(decision, "kind", None) == "rate_limit"):
            return TryAgain(reason, wait=wait, overloaded=True)
        if decision or status in (408, 409, 425) or (isinstance(status, int) and status >= 500):
            return TryAgain(reason, wait=wait)
        return Hopeless(reason)

    def _blotted(self, text: str) -> str:
        secret = getattr(self._model.api, "api_key", None)
        return text.replace(secret, "[key]") if secret and len(secret) >= SHORTEST_SECRET else text


def require_inspect(what: str) -> None:
    """One sentence where Inspect is not installed."""
    try:
        import inspect_ai  # noqa: F401
    except ModuleNotFoundError as error:
        raise UserError(f"{what} needs Inspect: pip install 'counterfoil[inspect]', then run again.") from error


def generate_config(params: Mapping[str, Any], sample: int = 0, **more: Any) -> Any:
    """An ask's parameters as Inspect's GenerateConfig; `more` are settings of Inspect's own."""
    from inspect_ai.model import GenerateConfig

    for name in params:
        if name in SENDING_SETTINGS:
            raise UserError(f"{name} is no parameter of an ask: it is counterfoil that paces and tries again.")
        if name not in GenerateConfig.model_fields:
            raise UserError(f"Inspect has no parameter {name}: leave it out, or set it in its extra_body.")
    try:
        return GenerateConfig(**chat_params(params, sample), **more)
    except ValueError as error:
        raise UserError(f"Inspect does not take these parameters: {' '.join(str(error).split())}.") from error


def chat_messages(messages: Sequence[Message]) -> list[Any]:
    """Messages as Inspect has them."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
    return [kinds[message.role](content=message.content) for message in messages]


def read_output(output: Mapping[str, Any]) -> Reply:
    """The reply in a ModelOutput of Inspect's, as its JSON; no choices are an empty text."""
    choices = output.get("choices")
    choice = dict_of(choices[0]) if isinstance(choices, list) and choices else {}
    content = dict_of(choice.get("message")).get("content")
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    stop_reason = text_of(choice.get("stop_reason"))
    usage = dict_of(output.get("usage"))
    completion = text_of(output.get("completion"))
    text, thought = split_thinking(completion or _joined(parts, "text") or text_of(content) or "")
    status = _STATUS.get(stop_reason, "ok")
    if any(part.get("refusal") for part in parts):
        status = "refused"
    if stop_reason == "model_length" and not usage:
        # The ask was too long, and what stands in the reply's place is what the server said of it.
        return Reply(status="failed", error=text, finish_reason=stop_reason)
    return Reply(
        status=status,
        text=text,
        reasoning=_joined(parts, "reasoning") or thought,
        finish_reason=stop_reason,
        served_model=text_of(output.get("model")) or None,
        input_tokens=_all_input(usage),
        cached_tokens=count_of(usage.get("input_tokens_cache_read")),
        output_tokens=count_of(usage.get("output_tokens")),
        reasoning_tokens=count_of(usage.get("reasoning_tokens")),
        logprobs=logprobs_of(choice.get("logprobs")),
    )


def _joined(parts: Sequence[Mapping[str, Any]], kind: str) -> str:
    """The parts of a kind; the field is called as the kind. Inspect, too, puts each on a line of its own."""
    return "\n".join(text_of(part.get(kind)) or "" for part in parts if part.get("type") == kind)


def _all_input(usage: Mapping[str, Any]) -> int | None:
    """Inspect counts what was read from a cache, or written to one, apart."""
    uncached = count_of(usage.get("input_tokens"))
    if uncached is None:
        return None
    return uncached + sum(count_of(usage.get(f"input_tokens_cache_{what}")) or 0 for what in ("read", "write"))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
