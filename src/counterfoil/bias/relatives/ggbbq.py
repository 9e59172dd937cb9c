"""GG-BBQ (Satheesh et al. 2025): gender in German, with groups (Subset I) and with names (Subset II)."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

from counterfoil.bias.questions import Question
from counterfoil.bias.sources.bbq import words_of
from counterfoil.bias.sources.told import Told, place_of, questions_from
from counterfoil.tables import Row

NAME = "ggbbq"
LANGUAGES = ("de",)
_NAMES = re.compile(r"proper_names|subset[-_ ]?(?:2|ii\b)", re.IGNORECASE)


def is_mine(row: Mapping[str, object], where: str) -> bool:
    return "choice_2" in row and "context_type" in row


def read(rows: Sequence[Row], where: str) -> list[Question]:
    """The questions of a file. Its name says whether it is of Subset II."""
    subset = "II" if _NAMES.search(where) else "I"
    # A template has no number: its two questions are asked of the same contexts, and the negative one names it.
    good = [row for _, row in rows if isinstance(row, dict)]
    names = {row.get("context"): row.get("question") for row in good if row.get("question_type") == "negative"}
    return questions_from(rows, where, lambda row: _told(row, subset, names))


def _told(row: Any, subset: str, names: Mapping[Any, Any]) -> Told:
    infos = ast.literal_eval(str(row.get("choice_info")))
    known = ast.literal_eval(row["known_stereotyped_groups"] or "[]")
    groups = {"non_binary" if "trans" in name else name for name in known}
    places = [infos[place][1] for place in range(3)]
    found = [place for place, group in enumerate(places) if group in groups]
    ambiguous, negative = row["context_type"].startswith("amb"), row["question_type"] == "negative"
    choices = tuple(str(row[f"choice_{place}"]) for place in range(3))
    return Told(
        id=f"{subset}-{'amb' if ambiguous else 'dis'}-{row['index']}",
        template=f"{subset}: {names.get(row['context'], row['question'])}",
        category="Gender_identity",
        context=row["context"],
        text=row["question"],
        choices=choices,
        unknown=places.index("unknown"),
        right=place_of(row["label"]),
        ambiguous=ambiguous,
        negative=negative,
        target=found[0] if len(found) == 1 else None,
        swapped=f"{subset} {row['question']} {sorted(choices)} {words_of(row['context'])}",
        dataset=NAME,
        language="de",
    )
