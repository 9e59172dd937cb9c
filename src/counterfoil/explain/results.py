"""What is known of one reply: what was read from it, and what the judges say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from counterfoil.explain.judge import Judgement

MEASURES = ("confusion", "precision", "recall", "f1", "quality", "restraint", "correct", "changed")


class Reading(msgspec.Struct, frozen=True):
    """What a reply says: the candidates it mentions, and whether its answer is the right one."""

    text: str
    mentioned: tuple[str, ...]
    correct: bool


class Verdicts(msgspec.Struct, frozen=True):
    """What each judge says of one reply. `mentioned` is set where a judge, and not the rules, has found that."""

    judgements: Mapping[str, Judgement]
    mentioned: tuple[str, ...] | None = None

    def __or__(self, newer: Verdicts) -> Verdicts:
        """The verdicts that came with an imported reply, and those of judges who were asked on top."""
        return Verdicts({**self.judgements, **newer.judgements}, newer.mentioned)

    @property
    def failed(self) -> bool:
        """Whether a step of one of the judges gave no result."""
        return any(judgement.failures for judgement in self.judgements.values())

    def columns(self) -> dict[str, Any]:
        """The judges' columns of a record: lists with one entry for each judge, null where it has none."""
        judgements = self.judgements.values()
        failures = [f"{judge}: {reason}" for judge, it in self.judgements.items() for reason in it.failures]
        values = {f"judge_{name}": [_number(getattr(it, name)) for it in judgements] for name in MEASURES}
        return {"judges": list(self.judgements), "judge_failures": failures, **values}


def _number(value: float | bool | None) -> float | None:
    return None if value is None else float(value)
