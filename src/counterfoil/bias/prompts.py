"""The wordings: KoBBQ's prompts in parts, as its own table has them; English ones; and debiased ones."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from counterfoil.bias.questions import Question
from counterfoil.bias.relatives.table import usual_prompts
from counterfoil.errors import UserError
from counterfoil.suite.prompts import shipped_text, text_of_user, with_different_names
from counterfoil.suite.suite import Variant
from counterfoil.tables import cells_of

FILES = ("kobbq.tsv", "kobbq_debiased.tsv", "english.tsv")
# The dataset and the language of a question; the dataset is None but for BBQ's relatives.
Place = tuple[str | None, str]


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


PARTS = Prompt.__struct_fields__


class Translated(msgspec.Struct, frozen=True):
    """A prompt of a run in several languages: one for the questions of each dataset and language."""

    prompts: dict[Place, Prompt]


def prompt_for(question: Question, variant: Variant) -> Prompt:
    """The words in which this question is asked."""
    prompt: Prompt | Translated = variant.prompt
    if isinstance(prompt, Prompt):
        return prompt
    return prompt.prompts[question.dataset, question.language or ""]


def shipped_variants() -> dict[str, Variant]:
    """Those that come with the package, by name."""
    shipped: dict[str, Variant] = {}
    for file in FILES:
        shipped |= _parse(shipped_text(__package__, file), file)
    return shipped


def load_variants(names: Sequence[str], places: Sequence[Place]) -> list[Variant]:
    """The variants of these names, or in these tables: all prompts of a table, or one of them as FILE.tsv:ID. Without
    names, the usual ones. Where there are several languages, the first prompts of each are one variant, and so on.
    """
    shipped = shipped_variants()
    found = [_in_language(names, place, shipped) for place in places]
    if len(places) == 1:
        return with_different_names(found[0])
    return with_different_names([_joined(dict(zip(places, some, strict=True))) for some in zip(*found, strict=False)])


def _in_language(names: Sequence[str], place: Place, shipped: Mapping[str, Variant]) -> list[Variant]:
    """Variants for the questions of one language: 1 stands for es-1 where that is there."""
    variants: list[Variant] = []
    for name in names or usual_prompts(*place):
        own = f"{place[1]}-{name}"
        name = own if own in shipped else name
        variants += [shipped[name]] if name in shipped else _of_user(name, shipped)
    return variants


def _joined(variants: Mapping[Place, Variant]) -> Variant:
    """Named by what their names share: 1 for es-1 and nl-1."""
    prompts = {place: variant.prompt for place, variant in variants.items()}
    names = dict.fromkeys(variant.name.removeprefix(f"{language}-") for (_, language), variant in variants.items())
    content = msgspec.json.encode([[place, variant.sha256] for place, variant in variants.items()])
    return Variant("+".join(names), hashlib.sha256(content).hexdigest(), Translated(prompts))


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


def _of_user(name: str, shipped: Mapping[str, Variant]) -> list[Variant]:
    """The prompts of a table in the layout of 0_evaluation_prompts.tsv, named after it."""
    path, _, wanted = name.partition(":") if ":" in name and not Path(name).exists() else (name, "", "")
    found = _parse(text_of_user(name, shipped, "table of prompts", path), path)
    if wanted and wanted not in found:
        raise UserError(f"{path} has no prompt {wanted}: it has {', '.join(found)}.")
    chosen = [found[wanted]] if wanted else found.values()
    return [msgspec.structs.replace(variant, name=f"{Path(path).stem}-{variant.name}") for variant in chosen]


def _parse(text: str, where: str) -> dict[str, Variant]:
    variants: dict[str, Variant] = {}
    for place, row in cells_of(text, where, ("prompt_id", *PARTS), delimiter="\t"):
        # The official table writes a line's end within a cell as \n.
        prompt = Prompt(*(row[part].replace("\\n", "\n") for part in PARTS))
        name = row["prompt_id"].strip()
        if not name or name in variants:
            raise UserError(f"{where}, {place}: its prompt_id is {'there twice' if name else 'missing'}.")
        variants[name] = Variant(name, hashlib.sha256(msgspec.json.encode(prompt)).hexdigest(), prompt)
    if not variants:
        raise UserError(f"{where} holds no prompts.")
    return variants
