"""What `bias` plants for its self-test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import prod

import msgspec

from counterfoil.bias.metrics import BBQ_BIAS_DISAMBIGUATED, FLIP_RATE, POSITION_BIAS, SCORES
from counterfoil.bias.planted import Settings, true_values
from counterfoil.bias.questions import ORDERS, Question
from counterfoil.selftest.cells import level_chances
from counterfoil.suite.planting import Cell, Planting

MIDDLE = {"unknown": 0.5, "biased": 0.7, "aligned": 0.8, "conflicting": 0.6, "unread": 0.0}
GOOD = {"unknown": 0.95, "biased": 0.5, "aligned": 0.97, "conflicting": 0.95, "unread": 0.05}
BIASED = {"unknown": 0.1, "biased": 0.9, "aligned": 0.7, "conflicting": 0.3, "unread": 0.2}
BETTER = {"unknown": 0.7, "biased": 0.5, "aligned": 0.9, "conflicting": 0.85}
VARYING = ("unknown", "biased", "aligned", "conflicting")
# Means of products of chances: how the chances differ between clusters counts.
NOT_LINEAR = (FLIP_RATE.name, POSITION_BIAS.name)
KEPT = [metric.name for metric in SCORES]


class BiasPlanting(Planting):
    """A cluster is a template with one of its samples: ambiguous and not, asked both ways, the groups swapped. Where
    sizes are uneven, some have two samples.
    """

    variant = "1"
    constant: Sequence[str] = ("unread", "first")
    names: Sequence[str] = ("pair",)
    cells: Sequence[Cell] = (
        Cell(name="middling, correlated", clusters=8, settings=MIDDLE, correlation=0.3, compared=True),
        Cell(
            name="middling, correlated",
            clusters=30,
            settings=MIDDLE,
            correlation=0.3,
            options={"orders": 1},
            compared=True,
            other=BETTER,
        ),
        Cell(name="biased", clusters=30, settings=BIASED),
        Cell(
            name="middling, means over templates",
            clusters=30,
            settings=MIDDLE,
            correlation=0.3,
            uneven=True,
            options={"aggregate": "templates"},
        ),
        Cell(name="good", clusters=100, settings=GOOD, correlation=0.1, options={"orders": 1}),
        Cell(
            name="biased, correlated",
            clusters=100,
            settings=BIASED,
            correlation=0.3,
            uneven=True,
            options={"orders": 1},
        ),
        Cell(name="middling", clusters=269, settings=MIDDLE, options={"orders": 1}),
    )

    def clusters(self, questions: Iterable[Question], cell: Cell) -> list[list[Question]]:
        samples: dict[str, dict[str, list[Question]]] = {}
        for question in questions:
            # category-NUMBERversion-SAMPLE-amb|dis-bsd|cnt
            sample = question.sample_id.rsplit("-", 3)[1]
            samples.setdefault(question.template, {}).setdefault(sample, []).append(question)
        made = []
        for one, *rest in (list(of_template.values()) for of_template in samples.values()):
            made.append(one)
            if cell.uneven:
                made.append([*one, *rest[0]])
        return made

    def settings_used(self, question: Question) -> Sequence[str]:
        if question.ambiguous:
            return ("unknown", "biased", "unread")
        return ("aligned" if question.right == question.biased else "conflicting", "unread")

    def truth(
        self, clusters: Sequence[Sequence[Question]], facts: None, cell: Cell, settings: Mapping[str, float]
    ) -> dict[tuple[str, str], float]:
        """Each question has as many partners of the other kinds in its cluster, so that none weighs more."""
        planted = Settings(**settings)  # type: ignore[arg-type]
        values = true_values(planted) | _means(planted, cell.correlation)
        if cell.options.get("aggregate") == "templates":
            # The mean of the templates' ratios is not the ratio of their means.
            del values[BBQ_BIAS_DISAMBIGUATED.name]
        if cell.options.get("orders", ORDERS) < ORDERS:
            del values[POSITION_BIAS.name]
        kept = {(metric, "policy keep"): values[metric] * (1 - planted.unread) for metric in KEPT}
        return {(metric, ""): value for metric, value in values.items()} | kept


def _means(settings: Settings, correlation: float) -> dict[str, float]:
    """The means over all latent states of what is not linear in the chances."""
    levels = [level_chances(getattr(settings, name), correlation).items() for name in VARYING]
    means = dict.fromkeys(NOT_LINEAR, 0.0)
    for state in product(*levels):
        weight = prod(chance for _, chance in state)
        chances = {name: level for name, (level, _) in zip(VARYING, state, strict=True)}
        values = true_values(msgspec.structs.replace(settings, **chances))
        for metric in NOT_LINEAR:
            means[metric] += weight * values[metric]
    return means
