"""MBBQ (Neplenbroek et al. 2024): BBQ's layout, a file for each category and language, and for the control set."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from counterfoil.bias.questions import Question
from counterfoil.bias.sources import bbq
from counterfoil.tables import Row, parsed

NAME = "mbbq"
LANGUAGES = ("en", "es", "nl", "tr")
# Age_es.jsonl and Age_control_es.jsonl, whatever stands before.
_FILE = re.compile(r"(?:.*[/\\])?[^/\\]*?(?P<control>_control)?_(?P<language>en|es|nl|tr)\.\w+", re.IGNORECASE)
# MBBQ's own code takes these for the stereotyped groups of its notes.
_GROUPS = {
    "F": ("girl", "woman", "vrouw", "meisje", "kız", "kadın", "chica", "mujer", "maestra", "F"),
    "M": ("boy", "man", "jongen", "erkek çocuk", "adam", "chico", "hombre", "maestro", "M"),
    "low SES": ("lowSES",),
}


def is_mine(row: Mapping[str, object], where: str) -> bool:
    return "answer_info" in row and "example_id" in row and _FILE.fullmatch(where) is not None


def read(rows: Sequence[Row], where: str) -> list[Question]:
    """The questions of a file. Its name says the language, and whether it is of the control set."""
    about = _FILE.fullmatch(where)
    assert about is not None, "is_mine has seen the name"
    language, control = about["language"].lower(), about["control"] is not None
    return parsed(rows, where, lambda row: _question(row, language, control))


def _question(row: Any, language: str, control: bool) -> Question:
    question = bbq.question_of(row, _target)
    example = question.sample_id
    return msgspec.structs.replace(
        question,
        sample_id=f"{example}-{'control-' if control else ''}{language}",
        pair=question.pair and f"{question.pair} {language}{' control' if control else ''}",
        dataset=NAME,
        language=language,
        control=control,
        parallel=f"{example}{'-control' if control else ''}",
    )


def _target(row: Mapping[str, Any], infos: Sequence[tuple[str, str]], unknown: int) -> int | None:
    """As MBBQ's own code finds it: the one answer whose group is among the stereotyped ones; None where both are."""
    groups = row["additional_metadata"]["stereotyped_groups"]
    stereotyped = {name for group in groups for name in _GROUPS.get(group, (group,))}
    found = [place for place, (_, group) in enumerate(infos) if place != unknown and group in stereotyped]
    return found[0] if len(found) == 1 else None
