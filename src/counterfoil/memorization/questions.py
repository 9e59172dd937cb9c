"""The questions of a run: a frozen set, or templates that are drawn from as the options say."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from counterfoil.datasets.registry import is_registered
from counterfoil.errors import UserError
from counterfoil.memorization.options import DRAWS
from counterfoil.perturbing.making.existing import load_existing
from counterfoil.perturbing.making.recipes import apply, shipped_recipes
from counterfoil.perturbing.questions import PerturbedSet, Question, encode_set, read_set
from counterfoil.perturbing.templates.tables import load_bank, load_templates
from counterfoil.perturbing.templates.template import Template
from counterfoil.perturbing.templates.variants import CONTROLS, make_variants

BANK = "bank"
# The set that a run keeps in its folder.
SET = "set.jsonl"
# The names of the public questions in the CFA study and in the registry.
PUBLIC = {"cfa-easy": "cfa", "cfa": "cfa"}


def load_set(data: str | None, settings: Mapping[str, Any]) -> PerturbedSet:
    """A set that was frozen before (.jsonl); or one that is drawn now: from the bank, from templates (.toml), or from
    public questions (cfa-easy, or the user's copy) by the recipes that ship.
    """
    if data is not None and data.endswith(".jsonl"):
        return _part(read_set(Path(data)), settings)
    levels = settings["levels"] or [1]
    questions: list[Question] = []
    for template in _templates(data):
        questions += make_variants(
            template,
            settings["set_seed"],
            levels=levels,
            controls=CONTROLS if settings["controls"] else (),
            lure=settings["lure"],
            count=settings["draws"] or DRAWS,
        )
    if not any(question.level for question in questions):
        raise UserError(f"None of these templates has level {' or '.join(map(str, levels))}: ask for another --levels.")
    content = encode_set(questions)
    return PerturbedSet(Path(data or BANK).name, hashlib.sha256(content).hexdigest(), questions)


def _part(frozen: PerturbedSet, settings: Mapping[str, Any]) -> PerturbedSet:
    """What the options leave of a frozen set; its hash stays that of the file where they leave all of it."""
    levels, draws = settings["levels"], settings["draws"]

    def is_asked_for(question: Question) -> bool:
        if question.control == "lure":
            wanted = bool(settings["lure"])
        elif question.control is not None:
            wanted = bool(settings["controls"])
        else:
            wanted = not question.level or not levels or question.level in levels
        return wanted and (draws is None or question.draw < draws)

    left = [question for question in frozen if is_asked_for(question)]
    if len(left) == sum(1 for _ in frozen):
        return frozen
    if not any(question.level for question in left):
        raise UserError(f"{frozen.name} has no questions of level {' or '.join(map(str, levels))}.")
    return PerturbedSet(frozen.name, hashlib.sha256(encode_set(left)).hexdigest(), left)


def _templates(data: str | None) -> Sequence[Template]:
    if data is None or data == BANK:
        return load_bank()
    if data.endswith(".toml"):
        return load_templates(Path(data))
    existing = load_existing(existing_path(data))
    templates, _ = apply(shipped_recipes(), [{"text": one.text, "gold": one.gold} for one in existing])
    if not templates:
        raise UserError(
            f"There are recipes for none of the {len(existing):,} questions of {data}: let a model propose "
            "templates with `counterfoil data perturb --proposer`."
        )
    return templates


def existing_path(data: str) -> Path:
    """Where existing questions are: the fetched file of public ones, or the user's own."""
    if data in PUBLIC:
        from counterfoil.datasets.fetch import dataset_path  # loads aiohttp

        return dataset_path(PUBLIC[data])
    path = Path(data)
    if not path.is_file() or is_registered(data):
        raise UserError(
            f"--data {data}: there is no such dataset ({BANK}, {', '.join(PUBLIC)}), nor a file that can be read."
        )
    return path
