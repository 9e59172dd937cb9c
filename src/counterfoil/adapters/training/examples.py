"""Examples from scored replies: those good enough to learn from, or pairs of a better and a worse one."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

Kind = Literal["sft", "dpo"]
Messages = Sequence[Mapping[str, str]]

# Replies that are neither cut off nor empty nor without a score are counted as this.
USED = "used"


class Rule(NamedTuple):
    """A good reply has a score of at least the one, a bad reply of at most the other."""

    kind: Kind
    score: str
    at_least: float
    at_most: float


class Scored(NamedTuple):
    """A reply to a prompt, with its score."""

    text: str
    score: float
    model: str


@dataclass
class Prompt:
    """The replies to one prompt, by their texts: the same words are one reply, whoever gave them how often."""

    messages: Messages
    question_id: str
    variant: str
    _replies: dict[str, list[Scored]] = field(default_factory=dict)

    def add(self, reply: Scored) -> None:
        self._replies.setdefault(reply.text, []).append(reply)

    def good(self, at_least: float) -> list[Scored]:
        """Texts that have at least this score each time, in the order in which they came."""
        return [reply for reply in self._with_score(min) if reply.score >= at_least]

    def bad(self, at_most: float) -> list[Scored]:
        """Texts that have at most this score each time."""
        return [reply for reply in self._with_score(max) if reply.score <= at_most]

    def _with_score(self, choose: Callable[[Iterable[float]], float]) -> list[Scored]:
        """Each text once, with one of its scores, and the first model that gave it."""
        return [same[0]._replace(score=choose(reply.score for reply in same)) for same in self._replies.values()]


@dataclass
class Side:
    """Training or test: the prompts with their replies, the questions that were asked, the examples."""

    prompts: dict[str, Prompt] = field(default_factory=dict)
    questions: list[Any] = field(default_factory=list)
    examples: list[dict[str, Any]] = field(default_factory=list)


class Gathered(NamedTuple):
    """What a run has to offer. `replies` counts what became of them."""

    variants: list[str]
    train: Side
    test: Side
    replies: Counter[str]


def make_examples(rule: Rule, prompts: Iterable[Prompt], seed: int) -> Iterator[dict[str, Any]]:
    """Prompt and completion of every good reply; or pairs of a good and a bad reply to the same prompt."""
    return _pairs(rule, prompts, seed) if rule.kind == "dpo" else _completions(rule, prompts)


def _completions(rule: Rule, prompts: Iterable[Prompt]) -> Iterator[dict[str, Any]]:
    for prompt in prompts:
        for reply in prompt.good(rule.at_least):
            yield {
                "prompt": prompt.messages,
                "completion": _said(reply),
                "question_id": prompt.question_id,
                "variant": prompt.variant,
                "model": reply.model,
                "score": reply.score,
            }


def _pairs(rule: Rule, prompts: Iterable[Prompt], seed: int) -> Iterator[dict[str, Any]]:
    """The best with the worst, the next with the next, until one kind is used up. Each reply is in one pair at the
    most; among equals, the seed decides.
    """

    def rank(reply: Scored) -> bytes:
        return hashlib.sha256(f"{seed}:{reply.text}".encode()).digest()

    for prompt in prompts:
        good = sorted(prompt.good(rule.at_least), key=lambda reply: (-reply.score, rank(reply)))
        bad = sorted(prompt.bad(rule.at_most), key=lambda reply: (reply.score, rank(reply)))
        for chosen, rejected in zip(good, bad, strict=False):
            yield {
                "prompt": prompt.messages,
                "chosen": _said(chosen),
                "rejected": _said(rejected),
                "question_id": prompt.question_id,
                "variant": prompt.variant,
                "model_chosen": chosen.model,
                "model_rejected": rejected.model,
                "score_chosen": chosen.score,
                "score_rejected": rejected.score,
            }


def _said(reply: Scored) -> Messages:
    return [{"role": "assistant", "content": reply.text}]
