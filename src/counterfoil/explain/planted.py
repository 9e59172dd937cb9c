"""A simulated respondent: `planted/explain?right=…&clarifies=…&overclarifies=…`, with its true values.

On a confusing question (by the threshold) it clears things up with chance `clarifies`, on a plain one with chance
`overclarifies`; if it does, it mentions each candidate with a chance of plausibility ÷ 100. It answers right with
chance `right`. It knows the questions of the run, or those that `data` names.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from counterfoil.asking.ask import Message
from counterfoil.asking.models.planted import Respondent, parse_settings
from counterfoil.errors import UserError
from counterfoil.explain.metrics import (
    ACCURACY,
    CLARIFIES_CONFUSING,
    CLARIFIES_PLAIN,
    DISCERNMENT,
    MENTIONS,
    PENALTY,
    REWARD,
    SCORE_CONFUSION_INDEX,
    SCORE_THRESHOLD,
)
from counterfoil.explain.questions import Question, load_questions
from counterfoil.explain.scoring import Facts, penalty, reward


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The chances, and whose questions it knows."""

    right: float = 0.9
    clarifies: float = 0.7
    overclarifies: float = 0.2
    data: str | None = None


def respondent(given: Mapping[str, str], questions: Iterable[Question] | None = None) -> Respondent:
    """Answers from the messages alone: it knows the questions by their texts, those of `data` or else these."""
    settings = parse_settings("explain", given, Settings)
    known = questions if settings.data is None and questions is not None else load_questions(settings.data)
    by_text = {question.text: question for question in known}

    def respond(messages: Sequence[Message], sample: int) -> str:
        question = by_text.get(messages[-1].content)
        if question is None:
            raise UserError("planted/explain does not know these questions: name them with data=… in its name.")
        words = "\n".join(message.content for message in messages)
        chance = random.Random(hashlib.sha256(f"{given} {sample} {words}".encode()).digest())  # noqa: S311
        answer = question.gold if chance.random() < settings.right else "something else altogether"
        parts = [f"The answer is {answer}."]
        need = settings.clarifies if question.stratum == "confusing" else settings.overclarifies
        if chance.random() < need:
            mentioned = [name for name, p in question.candidates.items() if chance.random() < p / 100]
            parts += [f"It is not {name}, although one might think so." for name in mentioned]
        return "\n".join(parts)

    return respond


def true_values(questions: Iterable[Question], facts: Facts, settings: Settings) -> dict[str, float]:
    """The expected value of each metric over these questions.

    The expected reward, penalty and score are linear in the mentions, so candidate i counts with its chance
    c · p ÷ 100, where c is the chance to clear up; a reply clears something up with chance c · (1 − Π(1 − p ÷ 100)).
    """
    sums: dict[str, list[float]] = {}

    def add(metric: str, value: float) -> None:
        sums.setdefault(metric, []).append(value)

    for question in questions:
        labels, every = facts.labels[question.id], list(question.candidates.values())
        need = settings.clarifies if labels.threshold else settings.overclarifies
        expected_reward = sum(need * p / 100 * reward([p], every) for p in every)
        expected_penalty = sum(need * p / 100 * penalty([p], every) for p in every)
        clears = need * (1 - math.prod(1 - p / 100 for p in every))
        add(ACCURACY.name, settings.right)
        add(SCORE_THRESHOLD.name, expected_reward if labels.threshold else 1 - expected_penalty)
        add(SCORE_CONFUSION_INDEX.name, expected_reward if labels.confusion_index else 1 - expected_penalty)
        add(
            REWARD.name if labels.threshold else PENALTY.name, expected_reward if labels.threshold else expected_penalty
        )
        add(MENTIONS.name, sum(need * p / 100 for p in every))
        add(CLARIFIES_CONFUSING.name if labels.threshold else CLARIFIES_PLAIN.name, clears)
    means = {metric: sum(values) / len(values) for metric, values in sums.items()}
    means[DISCERNMENT.name] = means[CLARIFIES_CONFUSING.name] - means[CLARIFIES_PLAIN.name]
    return means
