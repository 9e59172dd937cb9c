"""A simulated respondent: `planted/explain?right=…&clarifies=…&overclarifies=…`, its true values, and the self-test.

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
from counterfoil.explain import metrics
from counterfoil.explain.questions import Question, load_questions
from counterfoil.explain.scoring import Facts, penalty, reward
from counterfoil.selftest.levels import HEAVY, LOGISTIC_NORMAL, after_losses
from counterfoil.stats.metric import Metric
from counterfoil.suite.planting import Cell, Planting


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
        if chance.random() < getattr(settings, _chance_used(question)):
            mentioned = [name for name, p in question.candidates.items() if chance.random() < p / 100]
            parts += [f"It is not {name}, although one might think so." for name in mentioned]
        return "\n".join(parts)

    return respond


def _chance_used(question: Question) -> str:
    """The name of the chance with which it clears things up on this question."""
    return "clarifies" if question.stratum == "confusing" else "overclarifies"


def true_values(questions: Iterable[Question], facts: Facts, settings: Settings) -> dict[str, float]:
    """The expected value of each metric over these questions.

    The expected reward, penalty and score are linear in the mentions, so candidate i counts with its chance
    c · p ÷ 100, where c is the chance to clear up.
    """
    values: dict[str, list[float]] = {}

    def add(metric: Metric, value: float) -> None:
        values.setdefault(metric.name, []).append(value)

    for question in questions:
        labels, every = facts.labels[question.id], list(question.candidates.values())
        need = getattr(settings, _chance_used(question))
        rewarded = sum(need * p / 100 * reward([p], every) for p in every)
        penalized = sum(need * p / 100 * penalty([p], every) for p in every)
        clears = _chance_to_clear_up(question, settings)
        add(metrics.ACCURACY, settings.right)
        add(metrics.SCORE_THRESHOLD, rewarded if labels.threshold else 1 - penalized)
        add(metrics.SCORE_CONFUSION_INDEX, rewarded if labels.confusion_index else 1 - penalized)
        add(*((metrics.REWARD, rewarded) if labels.threshold else (metrics.PENALTY, penalized)))
        add(metrics.MENTIONS, sum(need * p / 100 for p in every))
        add(metrics.CLARIFIES_CONFUSING if labels.threshold else metrics.CLARIFIES_PLAIN, clears)
    means = {metric: sum(some) / len(some) for metric, some in values.items()}
    means[metrics.DISCERNMENT.name] = means[metrics.CLARIFIES_CONFUSING.name] - means[metrics.CLARIFIES_PLAIN.name]
    return means


def _chance_to_clear_up(question: Question, settings: Settings) -> float:
    """c · (1 − Π(1 − p ÷ 100)): it clears up, and mentions a candidate."""
    chance: float = getattr(settings, _chance_used(question))
    return chance * (1 - math.prod(1 - p / 100 for p in question.candidates.values()))


MIDDLE = {"right": 0.7, "clarifies": 0.6, "overclarifies": 0.3}
GOOD = {"right": 0.95, "clarifies": 0.9, "overclarifies": 0.1}
POOR = {"right": 0.1, "clarifies": 0.2, "overclarifies": 0.05}
# Clears up where it is not needed rather than where it is.
UPSIDE_DOWN = {"right": 0.5, "clarifies": 0.3, "overclarifies": 0.8}
BETTER = {"right": 0.85, "clarifies": 0.8, "overclarifies": 0.1}
_REPEATED = Cell(name="middling, correlated", clusters=8, settings=MIDDLE, correlation=0.3, repeats=3)


class ExplainPlanting(Planting):
    """The self-test. A cluster is a question with its repeats."""

    variant = "baseline"
    cells: Sequence[Cell] = (
        Cell(name="middling", clusters=8, settings=MIDDLE, compared=True),
        _REPEATED,
        msgspec.structs.replace(_REPEATED, clusters=30, compared=True, other=BETTER),
        Cell(name="good", clusters=30, settings=GOOD),
        Cell(name="poor", clusters=88, settings=POOR),
        Cell(name="upside down, correlated", clusters=88, settings=UPSIDE_DOWN, correlation=0.1, repeats=3),
        Cell(name="good", clusters=269, settings=GOOD),
        msgspec.structs.replace(_REPEATED, clusters=269, repeats=2),
    )

    witnesses: Sequence[Cell] = (
        Cell(name="logistic-normal", clusters=40, settings=MIDDLE, correlation=0.3, spread=LOGISTIC_NORMAL, repeats=3),
        Cell(name="heavy-tailed", clusters=40, settings=MIDDLE, correlation=0.3, spread=HEAVY, repeats=3),
        Cell(name="few giants", clusters=40, settings=MIDDLE, correlation=0.1, giants=3),
        Cell(name="missing by difficulty", clusters=60, settings=MIDDLE, correlation=0.3, missing=0.6, repeats=3),
    )

    def settings_used(self, question: Question) -> Sequence[str]:
        return ("right", _chance_used(question))

    def truth(
        self, clusters: Sequence[Sequence[Question]], facts: Facts, cell: Cell, settings: Mapping[str, float]
    ) -> dict[tuple[str, str], float]:
        """All metrics are linear in the chances, so that latent states change none of their means."""
        questions = [question for cluster in clusters for question in cluster]
        planted = Settings(**after_losses(settings, cell))  # type: ignore[arg-type]
        values = true_values(questions, facts, planted)
        truth = {(metric, ""): value for metric, value in values.items()}
        # Whether a reply is right has nothing to do with what else it says.
        truth |= {
            (metric.name, "replies correct"): values[metric.name] for metric in (*metrics.SCORES, *metrics.CLARIFYING)
        }
        by_index: dict[bool, list[float]] = {True: [], False: []}
        for question in questions:
            by_index[facts.labels[question.id].confusion_index].append(_chance_to_clear_up(question, planted))
        confusing, plain = (sum(chances) / len(chances) for chances in by_index.values())
        by_label = zip(metrics.CLARIFYING, (confusing, plain, confusing - plain), strict=True)
        return truth | {(metric.name, "label confusion_index"): value for metric, value in by_label}
