"""One ask on its way through a network: its prompt, what is written of its reply, how it ends."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from contextlib import suppress

from counterfoil.asking.ask import Ask, Reply, TokenChoice
from counterfoil.asking.models.base import Hopeless
from counterfoil.asking.models.hf.stops import Stops
from counterfoil.asking.models.hf.tokens import read_settings
from counterfoil.asking.models.hf.weights import Network
from counterfoil.asking.models.openai import split_thinking

# The longest reply where neither the ask nor the network sets a limit.
MOST_TOKENS = 4_096


class Job:
    """Draws come from a generator of its own, which its key seeds: they depend on the ask and on nothing around it."""

    def __init__(self, ask: Ask, future: asyncio.Future[Reply], network: Network) -> None:
        try:
            self.settings = read_settings(ask.params)
        except ValueError as error:
            raise Hopeless(f"the ask can't be done: {error}") from error
        self.future = future
        self.outcome: Reply | Exception | None = None
        # Whether there is nothing more to do: it was answered, or took too long.
        self.over = False
        future.add_done_callback(self._note_over)
        self._key = ask.key
        self._network = network
        self.text = network.prompt_text(ask.messages, self.settings.chat_template_kwargs)
        self.choices = [network.tokenizer(text, add_special_tokens=False).input_ids for text in self.settings.choices]
        self.prompt: list[int] = []

    def take(self, prompt: list[int]) -> None:
        """The tokens of its text; Hopeless where nothing can follow them."""
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
        # How many tokens it may come to.
        self.room = len(prompt) + max([self._limit, *map(len, self.choices)])
        self.start()

    def start(self) -> None:
        """From the beginning, for the first time or again."""
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
        """Whether all that is needed is what the network says after the prompt."""
        return all(len(choice) == 1 for choice in self.choices) if self.choices else self._limit == 1

    def _note_over(self, _: asyncio.Future[Reply]) -> None:
        self.over = True

    def draw(self) -> float:
        return self._draws.random() if self.settings.temperature > 0 else 0.0

    def write(self, token: int) -> None:
        """One more token of the reply; perhaps its last."""
        self.written.append(token)
        if token in self._network.ends:
            self._end(self._network.text(self.written[:-1]), "stop")
            return
        text = self._stops.cut(self.written)
        if text is not None:
            self._end(text, "stop")
        elif len(self.written) >= self._limit:
            self._end(self._network.text(self.written), "length")

    def choose(self, place: int, logprobs: list[TokenChoice]) -> None:
        """The reply is this one of the choices."""
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
    """Tell who waits how each job ended, or that it never will. All in one go: each call wakes their event loop."""

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
