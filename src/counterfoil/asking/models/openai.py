"""OpenAI-compatible chat completions: OpenAI itself, Azure, and every server that speaks the same."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import msgspec

from counterfoil.asking.ask import Ask, Reply, Status, TokenChoice
from counterfoil.asking.models.base import ModelSpec, TryAgain
from counterfoil.asking.models.http import HttpModel, Rejected, dict_of, key_from
from counterfoil.asking.models.thinking import is_called_so
from counterfoil.errors import UserError
from counterfoil.log import spelled_out

_STATUS: dict[str | None, Status] = {"content_filter": "refused", "length": "truncated"}
MOST_TOKENS = 10**12
LONGEST_NAME = 200
_THINKING = re.compile(r"^\s*<think(?:ing)?>(.*?)(?:</think(?:ing)?>|\Z)", re.DOTALL)
_THOUGHT_BEFORE = re.compile(r"^(.*?)</think(?:ing)?>", re.DOTALL)


class OpenAIModel(HttpModel):
    """One model behind `chat/completions`."""

    renamed: ClassVar[Mapping[str, str]] = {"max_tokens": "max_completion_tokens"}

    def __init__(self, spec: ModelSpec) -> None:
        super().__init__(spec)
        if spec.provider in ("openai", "azure") and is_called_so(spec):
            # What others don't take is learned from their refusals.
            self._unsupported = {"max_tokens", "temperature"}
        if "choices" in spec.params and spec.provider != "vllm":
            raise UserError(f"{spec.name} can't be held to given choices: leave --param choices out.")

    def address(self, base_url: str, secret: str | None) -> tuple[str, dict[str, str]]:
        if self._spec.provider == "azure":
            version = os.environ.get("OPENAI_API_VERSION", "")
            url = f"{base_url}/openai/deployments/{self._spec.rest}/chat/completions?api-version={version}"
            return url, {"api-key": secret} if secret else {}
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        if self._spec.provider == "openai" and (organization := key_from("OPENAI_ORG_ID")):
            headers["OpenAI-Organization"] = organization
        return base_url if base_url.endswith("/chat/completions") else f"{base_url}/chat/completions", headers

    def body(self, ask: Ask) -> dict[str, Any]:
        return request_body(ask, self._unsupported)

    def reply_in(self, body: Mapping[str, Any]) -> Reply:
        return read_completion(body)

    def unsupported_in(self, error: Rejected, body: Mapping[str, Any]) -> str | None:
        if "reasoning_effort" in body and is_about_effort(error):
            return "reasoning_effort"
        is_optional = error.parameter in ("temperature", "max_tokens", "seed") and error.parameter in body
        return error.parameter if is_optional else None


def is_about_effort(error: Rejected) -> bool:
    """Whether the model takes no reasoning effort at all. One that it does not have is the user's to correct."""
    said = str(error).lower()
    return (
        "effort" in said
        and "value" not in said
        and re.search("support|unrecognized|unknown|unexpected", said) is not None
    )


def request_body(ask: Ask, unsupported: set[str]) -> dict[str, Any]:
    """The ask as the interface wants it."""
    body: dict[str, Any] = {"model": ask.model, "messages": ask.messages}
    for name, value in chat_params(ask.params, ask.sample).items():
        if name == "choices":
            body["structured_outputs"] = {"choice": value}
        elif name == "max_tokens" and "max_completion_tokens" in ask.params:
            continue  # the same by two names
        elif name not in unsupported:
            body[name] = value
        elif name in OpenAIModel.renamed:
            body[OpenAIModel.renamed[name]] = value
    return body


def chat_params(params: Mapping[str, Any], sample: int) -> dict[str, Any]:
    """Parameters as chat interfaces have them: log probabilities by two names, a seed of its own for each sample."""
    named = dict(params)
    if "logprobs" in named:
        named |= {"logprobs": True, "top_logprobs": named["logprobs"]}
    if isinstance(seed := named.get("seed"), int):
        named["seed"] = seed + sample
    return named


def read_completion(body: Mapping[str, Any]) -> Reply:
    """The reply in a chat completion; `choices: []` and missing or null content are an empty text. What has another
    form, such as that of older completions, is none.
    """
    choices = body.get("choices")
    if not isinstance(choices, list):
        raise TryAgain("the reply is not a chat completion")
    choice = choices[0] if choices else {}
    message = dict_of(dict_of(choice).get("message"))
    is_completion = isinstance(choice, dict) and (bool(message) or "text" not in choice)
    if not is_completion or not isinstance(message.get("content"), str | list | None):
        raise TryAgain("the reply is not a chat completion")
    finish_reason = name_of(choice.get("finish_reason"))
    if finish_reason == "error":  # OpenRouter, where the model broke down on the way
        raise TryAgain("the reply broke off with an error")
    text, reasoning = split_thinking(text_of(message.get("content")) or "")
    reasoning = text_of(message.get("reasoning_content")) or text_of(message.get("reasoning")) or reasoning
    refusal = text_of(message.get("refusal"))
    usage = dict_of(body.get("usage"))
    output_tokens, reasoning_tokens = _output(usage)
    return Reply(
        status="refused" if refusal else _STATUS.get(finish_reason, "ok"),
        text=text or refusal or "",
        reasoning=reasoning,
        finish_reason=finish_reason,
        served_model=name_of(body.get("model")),
        input_tokens=count_of(usage.get("prompt_tokens")),
        cached_tokens=count_of(dict_of(usage.get("prompt_tokens_details")).get("cached_tokens")),
        output_tokens=output_tokens,
        reasoning_tokens=reasoning_tokens,
        logprobs=logprobs_of(choice.get("logprobs")),
    )


def _output(usage: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Tokens out, and those of them that went into thinking. Some servers count these on top."""
    written = count_of(usage.get("completion_tokens"))
    thought = count_of(dict_of(usage.get("completion_tokens_details")).get("reasoning_tokens"))
    if written is not None and thought:
        asked, total = count_of(usage.get("prompt_tokens")), count_of(usage.get("total_tokens"))
        if asked is not None and total == asked + written + thought:
            written += thought
    return written, thought


def split_thinking(text: str) -> tuple[str, str | None]:
    """A text without the reasoning that think tags mark at its beginning, and that reasoning.

    A tag that is never closed marks all of it; one that was opened in the prompt shows only at its end.
    """
    if "think" not in text:
        return text, None
    match = _THINKING.match(text)
    if match is None and not re.search(r"<think(?:ing)?>", text):
        match = _THOUGHT_BEFORE.match(text)
    if match is None:
        return text, None
    return text[match.end() :].lstrip(), match.group(1).strip()


def text_of(value: Any) -> str | None:
    """A text, or the text parts of a list of parts; None for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(part["text"] for part in value if isinstance(part, dict) and isinstance(part.get("text"), str))
    return None


def name_of(value: Any) -> str | None:
    """A name that a server gives, such as the model's, as it can be shown."""
    return spelled_out(name[:LONGEST_NAME]) if (name := text_of(value)) is not None else None


def count_of(value: Any) -> int | None:
    """A number of tokens; None for anything that can't be one."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if is_number and 0 <= value <= MOST_TOKENS else None


class _Token(msgspec.Struct):
    """A token with its log probability, as the interface gives it."""

    token: str
    logprob: Annotated[float, msgspec.Meta(ge=-sys.float_info.max, le=sys.float_info.max)]


class _WrittenToken(_Token):
    """A token that was written, and what could have been in its place."""

    top_logprobs: list[_Token] | None = None


def logprobs_of(value: Any) -> tuple[TokenChoice, ...] | None:
    """The log probabilities; None where there are none, or none that can be read."""
    content = dict_of(value).get("content")
    if content is None:
        return None
    try:
        tokens = msgspec.convert(content, list[_WrittenToken])
    except msgspec.ValidationError:
        return None
    return tuple(
        TokenChoice(t.token, t.logprob, {other.token: other.logprob for other in t.top_logprobs or []}) for t in tokens
    )
