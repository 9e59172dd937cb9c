"""What `explain` plants for its self-test."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from counterfoil.explain.metrics import CLARIFIES_CONFUSING, CLARIFIES_PLAIN, CLARIFYING, DISCERNMENT, SCORES
from counterfoil.explain.planted import Settings, true_values
from counterfoil.explain.questions import Question
from counterfoil.explain.scoring import Facts
from counterfoil.suite.planting import Cell, Planting

MIDDLE = {"right": 0.7, "clarifies": 0.6, "overclarifies": 0.3}
GOOD = {"right": 0.95, "clarifies": 0.9, "overclarifies": 0.1}
POOR = {"right": 0.1, "clarifies": 0.2, "overclarifies": 0.05}
# Clears up where it is not needed rather than where it is.
UPSIDE_DOWN = {"right": 0.5, "clarifies": 0.3, "overclarifies": 0.8}
BETTER = {"right": 0.85, "clarifies": 0.8, "overclarifies": 0.1}
# Metrics over right replies alone: whether a reply is right has nothing to do with what else it says.
OF_CORRECT = [metric.name for metric in (*SCORES, *CLARIFYING)]


class ExplainPlanting(Planting):
    """A cluster is a question with its repeats."""

    variant = "baseline"
    constant: Sequence[str] = ()
    names: Sequence[str] = ()
    cells: Sequence[Cell] = (
        Cell(name="middling", clusters=8, settings=MIDDLE, compared=True),
        Cell(name="middling, correlated", clusters=8, settings=MIDDLE, correlation=0.3, repeats=3),
        Cell(
            name="middling, correlated",
            clusters=30,
            settings=MIDDLE,
            correlation=0.3,
            repeats=3,
            compared=True,
            other=BETTER,
        ),
        Cell(name="good", clusters=30, settings=GOOD),
        Cell(name="poor", clusters=88, settings=POOR),
        Cell(name="upside down, correlated", clusters=88, settings=UPSIDE_DOWN, correlation=0.1, repeats=3),
        Cell(name="good", clusters=269, settings=GOOD),
        Cell(name="middling, correlated", clusters=269, settings=MIDDLE, correlation=0.3, repeats=2),
    )

    def clusters(self, questions: Iterable[Question], cell: Cell) -> list[list[Question]]:
        return [[question] for question in questions]

    def settings_used(self, question: Question) -> Sequence[str]:
        return ("right", "clarifies" if question.stratum == "confusing" else "overclarifies")

    def truth(
        self, clusters: Sequence[Sequence[Question]], facts: Facts, cell: Cell, settings: Mapping[str, float]
    ) -> dict[tuple[str, str], float]:
        """All metrics are linear in the chances, so that latent states change none of their means."""
        questions = [question for cluster in clusters for question in cluster]
        values = true_values(questions, facts, Settings(**settings))  # type: ignore[arg-type]
        by_index = {
            label: [
                _clears(question, settings)
                for question in questions
                if facts.labels[question.id].confusion_index is label
            ]
            for label in (True, False)
        }
        confusing, plain = (sum(values) / len(values) for values in by_index.values())
        label = "label confusion_index"
        return {
            **{(metric, ""): value for metric, value in values.items()},
            **{(metric, "replies correct"): values[metric] for metric in OF_CORRECT},
            (CLARIFIES_CONFUSING.name, label): confusing,
            (CLARIFIES_PLAIN.name, label): plain,
            (DISCERNMENT.name, label): confusing - plain,
        }


def _clears(question: Question, settings: Mapping[str, float]) -> float:
    """The chance of a reply that clears something up. Who answers goes by the threshold."""
    need = settings["clarifies" if question.stratum == "confusing" else "overclarifies"]
    return need * (1 - math.prod(1 - plausibility / 100 for plausibility in question.candidates.values()))
