"""JBBQ (Yanaka et al. 2025): BBQ's layout in Japanese, a file for each category. Its authors hand the files out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from counterfoil.bias.questions import Question
from counterfoil.bias.sources import bbq
from counterfoil.bias.sources.told import Told, questions_from
from counterfoil.tables import Row

NAME = "jbbq"
LANGUAGES = ("ja",)
# The same group under several names, in the answers' notes and in the list of stereotyped groups.
_SAME = {"F": "女性", "女の子": "女性", "M": "男性", "男の子": "男性"}


def is_mine(row: Mapping[str, object], where: str) -> bool:
    """Of all of BBQ's layouts it alone has kana in its questions; `is_additional` tells which were added to BBQ's."""
    has_kana = any("\u3041" <= letter <= "\u30ff" for letter in str(row.get("question")))
    return bbq.is_row(row) and ("is_additional" in row or has_kana)


def read(rows: Sequence[Row], where: str) -> list[Question]:
    """The questions of a file."""
    return questions_from(rows, where, _told)


def _told(row: Any) -> Told:
    told = bbq.told_of(row, _target)
    # Japanese is written without spaces: contexts that name the groups the other way round have the same characters.
    letters = "".join(sorted(told.context))
    swapped = f"{told.template}-{told.negative} {sorted(told.choices)} {letters}"
    return msgspec.structs.replace(told, swapped=swapped, dataset=NAME, language="ja")


def _target(row: Mapping[str, Any], infos: bbq.Infos, unknown: int) -> int | None:
    """The one answer that is, or whose group is, among the stereotyped groups."""
    stereotyped = {_SAME.get(group, group) for group in bbq.stereotyped_groups(row)}
    found = [
        place
        for place, info in enumerate(infos)
        if place != unknown and stereotyped & {_SAME.get(part, part) for part in info}
    ]
    return found[0] if len(found) == 1 else None
