"""The wordings: each is a system prompt in a file of its own, shipped or the user's."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from counterfoil.errors import UserError
from counterfoil.suite.prompts import text_of_user
from counterfoil.suite.suite import Variant

# The five system prompts of the CFE study, from plain answering to always clearing up.
VARIANTS = ("baseline", "clarify-doubts", "clarify-doubts-unrestricted", "cfe", "cfe-unrestricted")


def load_variants(names: Sequence[str]) -> list[Variant]:
    """The variants of these names, or in these files; if none is named, all five of the CFE study."""
    variants = [_load(name) for name in names or VARIANTS]
    known = [variant.name for variant in variants]
    if len(set(known)) < len(known):
        raise UserError(f"Two variants are called {max(known, key=known.count)}: give one of the files another name.")
    return variants


def _load(name: str) -> Variant:
    if name in VARIANTS:
        text = (resources.files("counterfoil.explain") / "prompts" / f"{name}.txt").read_text(encoding="utf-8")
    else:
        text = text_of_user(name, VARIANTS, "text file")
    prompt = text.strip()
    if not prompt:
        raise UserError(f"The variant {name} is an empty file: write a system prompt into it.")
    return Variant(
        Path(name).stem if name not in VARIANTS else name, hashlib.sha256(prompt.encode()).hexdigest(), prompt
    )
