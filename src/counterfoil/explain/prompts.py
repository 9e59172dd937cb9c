"""The wordings: each is a system prompt in a file of its own, shipped or the user's."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from counterfoil.errors import UserError
from counterfoil.suite.prompts import text_of_user
from counterfoil.suite.suite import Variant

# The five system prompts of the CFE study, from plain answering to always clearing up; and the same in Korean.
ENGLISH = ("baseline", "clarify-doubts", "clarify-doubts-unrestricted", "cfe", "cfe-unrestricted")
_IN_KOREAN = "-ko"
KOREAN = tuple(f"{name}{_IN_KOREAN}" for name in ENGLISH)
VARIANTS = (*ENGLISH, *KOREAN)
_HANGUL = re.compile("[가-힣]")


def load_variants(names: Sequence[str], usual: Sequence[str] = ENGLISH) -> list[Variant]:
    """The variants of these names, or in these files; if none is named, the usual five."""
    variants = [_load(name) for name in names or usual]
    known = [variant.name for variant in variants]
    if len(set(known)) < len(known):
        raise UserError(f"Two variants are called {max(known, key=known.count)}: give one of the files another name.")
    return variants


def unlike(variants: Sequence[Variant], questions: Sequence[str]) -> str:
    """What to say where shipped prompts are English and most questions Korean, or the reverse; else nothing."""
    in_korean = 2 * sum(_HANGUL.search(text) is not None for text in questions) > len(questions)
    others = ENGLISH if in_korean else KOREAN
    if not (named := [variant.name for variant in variants if variant.name in others]):
        return ""
    here, there = ("Korean", "English") if in_korean else ("English", "Korean")
    instead = f"{named[0]}{_IN_KOREAN}" if in_korean else named[0].removesuffix(_IN_KOREAN)
    return f"The questions are in {here}, and these prompts in {there}: {', '.join(named)}. There is {instead}, too."


def _load(name: str) -> Variant:
    if name in VARIANTS:
        folder = resources.files("counterfoil.explain") / "prompts"
        file = folder / "korean" / f"{name.removesuffix(_IN_KOREAN)}.txt" if name in KOREAN else folder / f"{name}.txt"
        text = file.read_text(encoding="utf-8")
    else:
        text = text_of_user(name, VARIANTS, "text file")
    prompt = text.strip()
    if not prompt:
        raise UserError(f"The variant {name} is an empty file: write a system prompt into it.")
    return Variant(
        Path(name).stem if name not in VARIANTS else name, hashlib.sha256(prompt.encode()).hexdigest(), prompt
    )
