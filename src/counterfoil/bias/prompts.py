"""The wordings: prompts in parts, as KoBBQ's own table has them, or whole; published ones, ours, and debiased ones."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

from counterfoil.bias.questions import Question
from counterfoil.bias.relatives.languages import KOREAN, LANGUAGES
from counterfoil.errors import UserError
from counterfoil.suite.prompts import shipped_text, text_of_user, with_different_names
from counterfoil.suite.suite import Variant
from counterfoil.tables import cells_of

# A table for each language; and what the authors of datasets have published, word for word.
FILES = (
    "kobbq.tsv",
    "kobbq_debiased.tsv",
    *(f"{code}.tsv" for code in LANGUAGES if code != KOREAN),
    "published.tsv",
)
# KoBBQ's, and the debiased ones made of them: they are Korean, though their names don't say so.
KOBBQ = tuple(name + ending for ending in ("", "-debiased") for name in LANGUAGES[KOREAN].prompts)
# The dataset and the language of a question; the dataset is None but for BBQ's relatives.
Place = tuple[str | None, str]


class Prompt(msgspec.Struct, frozen=True, omit_defaults=True):
    """What stands before each part of a question. `unknown` is its wording of that choice; empty: the dataset's.

    Where the parts do not each stand in a line, `text` is the whole prompt with {context} and so on, and the rest is
    empty.
    """

    instruction: str
    context: str
    question: str
    a: str
    b: str
    c: str
    answer: str
    unknown: str
    text: str = ""


PARTS = Prompt.__struct_fields__[:-1]
_WHOLE = ("text", "unknown")
_MARKER = re.compile(r"\{(context|question|a|b|c)\}")


class Translated(msgspec.Struct, frozen=True):
    """A prompt of a run in several languages: one for the questions of each dataset and language."""

    prompts: dict[Place, Prompt]


def prompt_for(question: Question, variant: Variant) -> Prompt | None:
    """The words in which this question is asked; None for replies from elsewhere in words that nobody knows."""
    prompt: Prompt | Translated | None = variant.prompt
    if not isinstance(prompt, Translated):
        return prompt
    return prompt.prompts[question.dataset, question.language or ""]


@lru_cache(maxsize=1)
def shipped_variants() -> Mapping[str, Variant]:
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
    for name in names or LANGUAGES[place[1]].prompts:
        own = f"{place[1]}-{name}"
        name = own if own in shipped else name
        is_meant = name in shipped and (name not in KOBBQ or place[1] == KOREAN)
        variants += [shipped[name]] if is_meant else _of_user(name, _in_reach(shipped, place[1]))
    return variants


def _in_reach(shipped: Mapping[str, Variant], language: str) -> list[str]:
    """The names of variants that are not another language's."""
    others = LANGUAGES.keys() - {language}
    ours = [name for name in shipped if name.partition("-")[0] not in others]
    return ours if language == KOREAN else [name for name in ours if name not in KOBBQ]


def _joined(variants: Mapping[Place, Variant]) -> Variant:
    """Named by what their names share: 1 for es-1 and nl-1, and for en, which has the words of en-1."""
    prompts = {place: variant.prompt for place, variant in variants.items()}
    names = dict.fromkeys(
        "1" if variant.name == language else variant.name.removeprefix(f"{language}-")
        for (_, language), variant in variants.items()
    )
    content = msgspec.json.encode([[place, variant.sha256] for place, variant in variants.items()])
    return Variant("+".join(names), hashlib.sha256(content).hexdigest(), Translated(prompts))


def opening(prompt: Prompt) -> str:
    """What stands before the question, the same for all questions."""
    return "" if prompt.text else f"{prompt.instruction}\n\n"


def query(question: Question, prompt: Prompt) -> str:
    """The prompt without its opening."""
    first, second, third = shown_choices(question, prompt)
    filled = {"context": question.context, "question": question.text, "a": first, "b": second, "c": third}
    return _MARKER.sub(lambda marker: filled[marker[1]], _layout(prompt))


def pattern_of(prompt: Prompt) -> re.Pattern[str]:
    """What whole prompts in these words look like, with a named group for each of their parts."""
    literal, *rest = _MARKER.split(opening(prompt) + _layout(prompt))
    parts = [f"(?P<{name}>.*?){re.escape(after)}" for name, after in zip(rest[::2], rest[1::2], strict=True)]
    return re.compile(re.escape(literal) + "".join(parts), re.DOTALL)


def _layout(prompt: Prompt) -> str:
    return prompt.text or (
        f"{prompt.context}{{context}}\n{prompt.question}{{question}}\n"
        f"{prompt.a}{{a}}\n{prompt.b}{{b}}\n{prompt.c}{{c}}\n{prompt.answer}"
    )


def shown_choices(question: Question, prompt: Prompt | None) -> tuple[str, ...]:
    """The choices in the order shown, the unknown one in the prompt's words."""
    shown = question.shown
    if prompt is None or not prompt.unknown or prompt.unknown == question.unknown:
        return shown
    return tuple([prompt.unknown if choice == question.unknown else choice for choice in shown])


def _of_user(name: str, shipped: Sequence[str]) -> list[Variant]:
    """The prompts of a table, named after it."""
    path, _, wanted = name.partition(":") if ":" in name and not Path(name).exists() else (name, "", "")
    found = _parse(text_of_user(name, shipped, "table of prompts", path), path)
    if wanted and wanted not in found:
        raise UserError(f"{path} has no prompt {wanted}: it has {', '.join(found)}.")
    chosen = [found[wanted]] if wanted else found.values()
    return [msgspec.structs.replace(variant, name=f"{Path(path).stem}-{variant.name}") for variant in chosen]


def _parse(text: str, where: str) -> dict[str, Variant]:
    variants: dict[str, Variant] = {}
    for place, name, prompt in _prompts(text, where):
        if not name or name in variants:
            raise UserError(f"{where}, {place}: its prompt_id is {'there twice' if name else 'missing'}.")
        variants[name] = Variant(name, hashlib.sha256(msgspec.json.encode(prompt)).hexdigest(), prompt)
    if not variants:
        raise UserError(f"{where} holds no prompts.")
    return variants


def _prompts(text: str, where: str) -> Iterator[tuple[str, str, Prompt]]:
    """The place, the name and the words of each row: in the parts of 0_evaluation_prompts.tsv, or whole, as `text`."""
    whole = "text" in text.partition("\n")[0].strip().split("\t")
    columns = _WHOLE if whole else PARTS
    for place, row in cells_of(text, where, ("prompt_id", *columns), delimiter="\t"):
        # The official table writes a line's end within a cell as \n.
        cells = {column: row[column].replace("\\n", "\n") for column in columns}
        if whole:
            _check_markers(cells["text"], f"{where}, {place}")
        yield place, row["prompt_id"].strip(), Prompt(**(dict.fromkeys(PARTS, "") | cells))


def _check_markers(text: str, where: str) -> None:
    """A whole prompt shows the context, the question, and all of the choices or none of them."""
    found = set(_MARKER.findall(text))
    lacks = [name for name in ("context", "question", *("abc" if found & set("abc") else "")) if name not in found]
    if lacks:
        raise UserError(f"{where}: its text lacks {', '.join(f'{{{name}}}' for name in lacks)}.")
