"""The same replies to Inspect and to us: a respondent that answers by the prompt alone, and what each makes of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import counterfoil
from counterfoil.adapters.bench import open_bench
from counterfoil.asking.ask import Message
from counterfoil.stats.estimate import Estimate
from mock_server import Answer, MockServer, completion

# Inspect leaves streams and sockets to the garbage collector, and calls tenacity as of old.
as_inspect_is = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore:The 'initial' parameter is deprecated:DeprecationWarning"
)

# A few questions of each suite, in several wordings; bias asks each in three orders.
SUITES: dict[str, dict[str, Any]] = {
    "explain": {"limit": 8, "variant": ["cfe", "baseline"]},
    "bias": {"limit": 4, "variant": ["1", "3"], "seed": 3},
    "memorization": {"limit": 2, "variant": ["mcq", "open"], "draws": 2},
}
# Not perfect, so that nothing is 0 or 1 for the want of an error.
PLANTED: dict[str, dict[str, str]] = {
    "explain": {},
    "bias": {"unread": "0.1"},
    "memorization": {},
}


class Said(NamedTuple):
    """A reply and how it ended, in the words of chat completions."""

    text: str
    finish_reason: str = "stop"


Respond = Callable[[Sequence[Message]], Said]


def respondent(suite: str, options: Mapping[str, Any] | None = None) -> Respond:
    """The planted respondent; of every ten prompts one is filtered, one cut off, one empty, one thought over first."""
    bench = open_bench(suite, options or SUITES[suite])
    planted = bench.plan.suite.planted(PLANTED[suite], bench.plan.questions)

    def respond(messages: Sequence[Message]) -> Said:
        words = "\n".join(message.content for message in messages)
        text = planted(messages, 0)
        which = hashlib.sha256(words.encode()).digest()[0] % 10
        if which == 0:
            return Said("", "content_filter")
        if which == 1:
            return Said(text[: len(text) // 2], "length")
        if which == 2:
            return Said("")
        if which == 3:
            return Said(f"<think>A, or B, or C?</think>\n\n{text}")
        return Said(text)

    return respond


def serving(respond: Respond) -> MockServer:
    """The respondent behind a real socket."""

    def behave(request: dict[str, Any]) -> Answer:
        said = respond([Message(it["role"], it["content"]) for it in request["messages"]])
        return completion(said.text, said.finish_reason)

    return MockServer(behave)


def own_run(suite: str, url: str, folder: Path, **more: Any) -> counterfoil.Run:
    """`counterfoil run` on that server."""
    return counterfoil.run(
        suite,
        model="vllm/mock",
        base_url=url,
        out=folder / "own",
        ledger=folder / "ledger.sqlite",
        **(SUITES[suite] | more),
    )


def named(estimates: Sequence[Estimate]) -> dict[str, float]:
    """Values and intervals by the names that they have in Inspect."""
    ends = {"": "value", ".low": "low", ".high": "high"}
    found: dict[str, float | None] = {}
    for estimate in estimates:
        group = {"variant": estimate.variant} | dict(estimate.group)
        name = f"{estimate.metric}({','.join(f'{key}={value}' for key, value in group.items())})"
        name = name.translate(str.maketrans("[]", "()"))
        found |= {name + end: getattr(estimate, field) for end, field in ends.items()}
    return {name: value for name, value in found.items() if value is not None}
