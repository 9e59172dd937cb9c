"""The wordings: KoBBQ's prompts in parts, as its own table has them; English ones; and debiased ones."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path

import msgspec

from counterfoil.asking.ask import Message
from counterfoil.bias.questions import Question
from counterfoil.errors import UserError
from counterfoil.suite.options import nearest
from counterfoil.suite.suite import Variant
from counterfoil.tables import cells_of

FILES = ("kobbq.tsv", "kobbq_debiased.tsv", "english.tsv")
PARTS = ("instruction", "context", "question", "a", "b", "c", "answer", "unknown")
# What is asked where the user names no variant, by the dataset's language.
USUAL = {"korean": ("1", "2", "3", "4", "5"), "english": ("en",)}


class Prompt(msgspec.Struct, frozen=True):
    """What stands before each part of a question. `unknown` is its wording of that choice; empty: the dataset's."""

    instruction: str
    context: str
    question: str
    a: str
    b: str
    c: str
    answer: str
    unknown: str


def load_variants(names: Sequence[str], language: str) -> list[Variant]:
    """The variants of these names, or in these tables; all prompts of a table, or one of them as FILE.tsv:ID."""
    shipped = _shipped()
    variants = []
    for name in names or USUAL[language]:
        if name in shipped:
            variants.append(shipped[name])
        else:
            variants += _of_user(name, shipped)
    known = [variant.name for variant in variants]
    if len(set(known)) < len(known):
        raise UserError(f"Two variants are called {max(known, key=known.count)}: give one of the files another name.")
    return variants


def messages(question: Question, variant: Variant) -> list[Message]:
    """The whole prompt, as one message."""
    return [Message("user", variant.prompt.instruction + "\n\n" + query(question, variant.prompt))]


def query(question: Question, prompt: Prompt) -> str:
    """The prompt without its instruction."""
    first, second, third = shown_choices(question, prompt)
    return (
        f"{prompt.context}{question.context}\n{prompt.question}{question.text}\n"
        f"{prompt.a}{first}\n{prompt.b}{second}\n{prompt.c}{third}\n{prompt.answer}"
    )


def shown_choices(question: Question, prompt: Prompt | None) -> tuple[str, ...]:
    """The choices in the order shown, the unknown one in the prompt's words."""
    shown = question.shown
    if prompt is None or not prompt.unknown or prompt.unknown == question.unknown:
        return shown
    return tuple([prompt.unknown if choice == question.unknown else choice for choice in shown])


def _shipped() -> dict[str, Variant]:
    folder = resources.files("counterfoil.bias") / "prompts"
    variants: dict[str, Variant] = {}
    for file in FILES:
        variants |= _parse((folder / file).read_text(encoding="utf-8"), file)
    return variants


def _of_user(name: str, shipped: Mapping[str, Variant]) -> list[Variant]:
    """The prompts of a table in the layout of 0_evaluation_prompts.tsv, named after it."""
    path, _, wanted = name.partition(":") if ":" in name and not Path(name).exists() else (name, "", "")
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"There is no variant {name}{nearest(name, shipped)}, nor a table of prompts of that name. "
            f"There are: {', '.join(shipped)}."
        ) from error
    found = _parse(text, path)
    if wanted and wanted not in found:
        raise UserError(f"{path} has no prompt {wanted}: it has {', '.join(found)}.")
    chosen = {wanted: found[wanted]} if wanted else found
    return [Variant(f"{Path(path).stem}-{key}", it.sha256, it.prompt) for key, it in chosen.items()]


def _parse(text: str, where: str) -> dict[str, Variant]:
    variants: dict[str, Variant] = {}
    for place, row in cells_of(text, where, ("prompt_id", *PARTS), delimiter="\t"):
        # The official table writes a line's end within a cell as \n.
        prompt = Prompt(*(row[part].replace("\\n", "\n") for part in PARTS))
        name = row["prompt_id"].strip()
        if not name or name in variants:
            raise UserError(f"{where}, {place}: its prompt_id is {'there twice' if name else 'missing'}.")
        sha256 = hashlib.sha256(msgspec.json.encode(prompt)).hexdigest()
        variants[name] = Variant(name, sha256, prompt)
    if not variants:
        raise UserError(f"{where} holds no prompts.")
    return variants
