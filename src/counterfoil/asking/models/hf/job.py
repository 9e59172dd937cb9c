"""One ask on its way through a network: its settings, its prompt, the reply as it grows, its end."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from counterfoil.asking.ask import Ask, Reply, TokenChoice
from counterfoil.asking.models.base import Hopeless
from counterfoil.asking.models.openai import split_thinking

if TYPE_CHECKING:
    from counterfoil.asking.models.hf.network import Network

# The longest reply where neither the ask nor the network has a limit.
MOST_TOKENS = 4_096

# Signs that a part can lose when it is read without the tokens before it: a space, or the mark of a word.
LOST = 8
# An incomplete character as it reads: its other bytes are in tokens to come.
INCOMPLETE = "\N{REPLACEMENT CHARACTER}"


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The parameters of an ask. Defaults that weights come with have no part.

    `device` and `dtype` are the network's, and the same in all asks of a model.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    max_tokens: int | None = None
    seed: int = 0
    stop: str | list[str] = msgspec.field(default_factory=list)
    logprobs: int = 0
    choices: list[str] = msgspec.field(default_factory=list)
    chat_template_kwargs: dict[str, Any] = {}
    device: Literal["cpu", "cuda"] | None = None
    dtype: Literal["float32", "bfloat16", "float16"] | None = None

    def __post_init__(self) -> None:
        for name, least in {"max_tokens": 1, "temperature": 0, "top_k": 0, "logprobs": 0}.items():
            if (value := getattr(self, name)) is not None and value < least:
                raise ValueError(f"{name} is {value}, which is too low")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p is {self.top_p}, and must be above 0 and at most 1")
        if "" in self.stops or "" in self.choices:
            raise ValueError(f"{'stop' if '' in self.stops else 'choices'} has an empty text in it")

    @property
    def stops(self) -> list[str]:
        return [self.stop] if isinstance(self.stop, str) else self.stop


def read_settings(params: Mapping[str, Any]) -> Settings:
    """The parameters, checked. The words of a ValueError name the wrong one."""
    for name in params:
        if name not in Settings.__struct_fields__:
            raise ValueError(f"there is no parameter {name} here")
    whole = {
        name: int(value) if isinstance(value, float) and value.is_integer() else value for name, value in params.items()
    }
    return msgspec.convert(whole, Settings)


class Stops:
    """Stop texts in a reply that grows token by token. Only the end of the reply is read again with each token.

    Tokens are read from `_start` on; they have at least as many signs as the longest text. `_next` is the next
    `_start`, as soon as enough signs follow it. A character ends at both.
    """

    def __init__(self, texts: Sequence[str], read: Callable[[Sequence[int]], str]) -> None:
        self._texts = texts
        self._read = read
        self._enough = max(map(len, texts), default=0) + LOST
        self._start = self._next = 0

    def cut(self, tokens: Sequence[int]) -> str | None:
        """The reply before its first stop text; None where there is none. To be called with each new token."""
        if not self._texts:
            return None
        end = self._read(tokens[self._start :])
        if any(text in end for text in self._texts):
            whole = self._read(tokens)
            places = [place for text in self._texts if (place := whole.find(text)) >= 0]
            if places:
                return whole[: min(places)]
        if not end.endswith(INCOMPLETE) and len(self._read(tokens[self._next :])) >= self._enough:
            self._start, self._next = self._next, len(tokens)
        return None


class Job:
    """One ask. The key of the ask seeds its draws: they depend on nothing around it."""

    def __init__(self, ask: Ask, future: asyncio.Future[Reply], network: Network) -> None:
        try:
            self.settings = read_settings(ask.params)
        except ValueError as error:
            raise Hopeless(f"the ask can't be done: {error}") from error
        self.future = future
        self.outcome: Reply | Exception | None = None
        # Nothing is left to do: the ask was answered, or took too long.
        self.over = False
        future.add_done_callback(self._note_over)
        self._key = ask.key
        self._network = network
        self.text = network.prompt_text(ask.messages, self.settings.chat_template_kwargs)
        self.choices = [network.tokenizer(text, add_special_tokens=False).input_ids for text in self.settings.choices]
        self.prompt: list[int] = []

    def take(self, prompt: list[int]) -> None:
        """Take the tokens of the text; Hopeless where nothing can follow them."""
        self.prompt, context = prompt, self._network.context
        if not prompt:
            raise Hopeless("the prompt is empty")
        limit = self.settings.max_tokens
        if context is not None:
            left = context - len(prompt)
            if left < 1:
                raise Hopeless(f"the prompt has {len(prompt)} tokens, and the model's context is {context} long")
            limit = min(left, limit or left)
        self._limit = limit or MOST_TOKENS
        # The most tokens of prompt and reply together.
        self.room = len(prompt) + max([self._limit, *map(len, self.choices)])
        self.start()

    def start(self) -> None:
        """Begin, for the first time or again."""
        self.written: list[int] = []
        self.logprobs: list[TokenChoice] = []
        self._stops = Stops(self.settings.stops, self._network.text)
        self._draws = random.Random(self._key)  # noqa: S311

    @property
    def last(self) -> int:
        """The token that the next one follows."""
        return self.written[-1] if self.written else self.prompt[-1]

    @property
    def is_one_token(self) -> bool:
        """Whether the logits after the prompt are enough."""
        return all(len(choice) == 1 for choice in self.choices) if self.choices else self._limit == 1

    def _note_over(self, _: asyncio.Future[Reply]) -> None:
        self.over = True

    def draw(self) -> float:
        return self._draws.random() if self.settings.temperature > 0 else 0.0

    def write(self, token: int) -> None:
        """Add a token to the reply; perhaps its last."""
        self.written.append(token)
        if token in self._network.ends:
            self._end(self._network.text(self.written[:-1]), "stop")
        elif (text := self._stops.cut(self.written)) is not None:
            self._end(text, "stop")
        elif len(self.written) >= self._limit:
            self._end(self._network.text(self.written), "length")

    def choose(self, place: int, logprobs: list[TokenChoice]) -> None:
        """End with this one of the choices."""
        self.written, self.logprobs = self.choices[place], logprobs
        self._end(self.settings.choices[place], "stop")

    def fail(self, error: Exception) -> None:
        self.outcome, self.over = error, True

    def _end(self, text: str, reason: str) -> None:
        text, reasoning = split_thinking(text)
        self.over = True
        self.outcome = Reply(
            status="truncated" if reason == "length" else "ok",
            text=text,
            reasoning=reasoning,
            finish_reason=reason,
            input_tokens=len(self.prompt),
            output_tokens=len(self.written),
            logprobs=tuple(self.logprobs) if self.settings.logprobs else None,
        )


def deliver(jobs: Sequence[Job]) -> None:
    """Resolve the futures of these jobs; cancel that of a job without outcome. Each call wakes the event loop."""

    def resolve() -> None:
        for job in jobs:
            if job.future.done():
                continue
            if job.outcome is None:
                job.future.cancel()
            elif isinstance(job.outcome, Exception):
                job.future.set_exception(job.outcome)
            else:
                job.future.set_result(job.outcome)

    if jobs:
        with suppress(RuntimeError):  # the loop is gone where the user left at once
            jobs[0].future.get_loop().call_soon_threadsafe(resolve)
