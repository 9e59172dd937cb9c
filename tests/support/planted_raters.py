"""Raters who know the truth of planted replies, and err as often as they are told to."""

from __future__ import annotations

import random
from pathlib import Path

from counterfoil.rating.store import Study
from counterfoil.suite.opinions import items


def rate_all(path: Path, *, errs: float = 0.0, seed: int = 0) -> None:
    """Rate every reply of a study of `planted/explain`: an answer is right where the reply has its words."""
    luck = random.Random(seed)
    with Study(path) as study:
        for rater in study.raters():
            while not rater.is_adjudicator and (number := study.next_task(rater)) is not None:
                task = study.task(number)
                for item in items(study.form, task):
                    kind = study.form.question(item.question).kind
                    is_right = task.right in task.reply
                    truth = {"correct": is_right, "unneeded": bool(task.alternatives)}.get(item.question, True)
                    value: bool | float | str = truth != (luck.random() < errs) if kind == "yes_no" else ""
                    study.rate(rater, number, item.key, 70.0 if kind == "score" else value)
