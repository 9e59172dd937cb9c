"""MBBQ (Neplenbroek et al. 2024): BBQ's layout, a file for each category and language, and for the control set."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from counterfoil.bias.questions import Question
from counterfoil.bias.sources import bbq
from counterfoil.bias.sources.told import Told, questions_from
from counterfoil.tables import Row

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
    return bbq.is_row(row) and _FILE.fullmatch(where) is not None


def read(rows: Sequence[Row], where: str) -> list[Question]:
    """The questions of a file. Its name says the language, and whether it is of the control set."""
    about = _FILE.fullmatch(where)
    assert about is not None, "is_mine has seen the name"
    language, control = about["language"].lower(), about["control"] is not None
    return questions_from(rows, where, lambda row: _told(row, language, control))


def _told(row: Any, language: str, control: bool) -> Told:
    told = bbq.told_of(row, _target)
    of = " control" if control else ""
    return msgspec.structs.replace(
        told,
        id=f"{told.id}{of.replace(' ', '-')}-{language}",
        swapped=f"{told.swapped} {language}{of}",
        dataset=NAME,
        language=language,
        control=control,
        parallel=f"{told.id}{of}",
    )


def _target(row: Mapping[str, Any], infos: bbq.Infos, unknown: int) -> int | None:
    """As MBBQ's own code finds it: the one answer whose group is among the stereotyped ones; None where both are."""
    stereotyped = {name for group in bbq.stereotyped_groups(row) for name in _GROUPS.get(group, (group,))}
    found = [place for place, (_, group) in enumerate(infos) if place != unknown and group in stereotyped]
    return found[0] if len(found) == 1 else None
