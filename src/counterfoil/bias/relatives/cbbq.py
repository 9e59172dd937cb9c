"""CBBQ (Huang and Xiong 2024): a list of objects for each category and kind of context, in Chinese."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from counterfoil.bias.questions import Question
from counterfoil.bias.sources.told import Told, place_of, questions_from
from counterfoil.tables import Row

NAME = "cbbq"
LANGUAGES = ("zh",)
# A byte order mark stands in the first key of some files.
_MARK = "\ufeff"
# Its templates have the group that the stereotype is about in the first place, and “unknown” in the third: its own
# scripts count ans0 as biased where the question is negative, else ans1.
_TARGET, _UNKNOWN = 0, 2


def is_mine(row: Mapping[str, object], where: str) -> bool:
    return "bias_targeted_groups" in row and "ans2" in row


def read(rows: Sequence[Row], where: str) -> list[Question]:
    """The questions of a file."""
    return questions_from(rows, where, _told)


def _told(row: Any) -> Told:
    cells = {str(name).lstrip(_MARK): value for name, value in row.items()}
    polarity = str(cells["question_polarity"]).strip().lower().replace("_", "").replace("-", "")
    condition = str(cells["context_condition"]).strip().lower()
    if polarity not in ("neg", "nonneg") or not condition.startswith(("amb", "dis")):
        raise ValueError(f"it is {polarity!r} and {condition!r}, and not neg or non_neg, ambiguous or disambiguous")
    category, index = str(cells["category"]).strip(), str(cells["question_index"]).strip()
    kind = "amb" if condition.startswith("amb") else "dis"
    choices = tuple(str(cells[f"ans{place}"]) for place in range(3))
    return Told(
        id=f"{category}-{kind}-{str(cells['example_id']).strip()}",
        template=f"{category}-{index}",
        category=category,
        context=str(cells["context"]),
        text=str(cells["question"]),
        choices=choices,
        unknown=_UNKNOWN,
        right=place_of(cells["label"]),
        ambiguous=kind == "amb",
        negative=polarity == "neg",
        target=_TARGET,
        # Chinese is written without spaces: contexts that name the groups the other way round have the same characters.
        swapped=f"{category}-{index}-{polarity} {cells['question']} {choices} {''.join(sorted(cells['context']))}",
        dataset=NAME,
        language="zh",
    )
