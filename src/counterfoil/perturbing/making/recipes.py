"""Recipes for public questions: what is needed to make a template of a question, without any of its text.

docs/templates.md lists the fields of a recipe. Each option of its question holds one number, and the words around it
are the gold's in at least one other option.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from counterfoil.errors import UserError
from counterfoil.files import read_bytes
from counterfoil.perturbing.making.existing import (
    Mark,
    Span,
    around,
    layout,
    markup,
    occurrences,
    option_fields,
    option_number,
    printed_number,
    text_hash,
)
from counterfoil.perturbing.making.unknowns import inverse_tables
from counterfoil.perturbing.questions import LETTERS, require
from counterfoil.perturbing.templates import numbers
from counterfoil.perturbing.templates.names import SHORT, behind, initials, other_companies, other_persons
from counterfoil.perturbing.templates.tables import Number, SlotRange, shipped_files, template_from, toml_tables
from counterfoil.perturbing.templates.template import Template
from counterfoil.perturbing.templates.variants import make_original
from counterfoil.tables import in_words, rows_of

_FIELDS_AS_THEY_ARE = ("id", "topic", "answer", "check", "conditions", "percent", "steps", "slack")
Kind = Literal["person", "company", "currency"]


def spans_of(span: Sequence[int | Span]) -> list[Span]:
    """One span or several, as recipes write them: [start, end] or [[start, end], …]."""
    match span:
        case [int(start), int(end)]:
            return [(start, end)]
    several = [part for part in span if isinstance(part, tuple)]
    require(0 < len(several) == len(span), f"the span {list(span)} is neither [start, end] nor a list of those")
    return several


class _Slot(SlotRange):
    span: list[int | Span]


class _Derived(msgspec.Struct, forbid_unknown_fields=True):
    value: Number
    span: list[int | Span] | None = None
    digits: int | None = None
    percent: bool = False


class _Name(msgspec.Struct, forbid_unknown_fields=True):
    span: Span
    kind: Kind


class Recipe(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """How the numbers of one public question follow from each other."""

    sha256: str
    topic: str
    answer: Number
    check: Number
    slots: dict[str, _Slot]
    derived: dict[str, _Derived] = {}
    distractors: dict[str, Number] | list[Number]
    conditions: list[str] = []
    options: dict[str, Span] = {}
    digits: int | None = None
    percent: bool = False
    slack: int = 0
    steps: str = ""
    names: list[_Name] = []
    # Slots that level 3 can ask for.
    unknowns: list[str] = []

    @property
    def id(self) -> str:
        """The id of its template."""
        return recipe_id(self.sha256)


def recipe_id(sha256: str) -> str:
    """The id of the template for the question with this hash."""
    return f"cfa-{sha256[:12]}"


def shipped_recipes() -> list[Recipe]:
    """The recipes that ship with the package."""
    return [recipe for name, raw in shipped_files("recipes") for recipe in parse_recipes(raw, name)]


def load_recipes(path: Path) -> list[Recipe]:
    """The recipes of a TOML file."""
    return parse_recipes(read_bytes(path), str(path))


def parse_recipes(raw: bytes, where: str) -> list[Recipe]:
    """The recipes of a file's content; no two are for the same question."""
    recipes: dict[str, Recipe] = {}
    for number, table in enumerate(toml_tables(raw, where, "recipe"), start=1):
        try:
            recipe = msgspec.convert(table, Recipe)
        except msgspec.ValidationError as error:
            raise UserError(f"{where}: recipe number {number}: {in_words(error)}.") from error
        if not re.fullmatch(r"[0-9a-f]{64}", recipe.sha256):
            raise UserError(f"{where}: recipe number {number}: sha256: it must be 64 hexadecimal digits.")
        if recipe.sha256 in recipes:
            raise UserError(f"{where}: recipe {recipe.id}: there is another one for the same question.")
        recipes[recipe.sha256] = recipe
    return list(recipes.values())


def read_rows(path: Path) -> list[Any]:
    """The rows of a JSON file of questions."""
    return [row for _, row in rows_of(read_bytes(path), str(path), ".json")]


def apply(recipes: Iterable[Recipe], questions: Sequence[Any]) -> tuple[list[Template], list[str]]:
    """The templates of those questions that have a recipe, and the ids of recipes without a question.

    UserError names a recipe that does not give its question.
    """
    rows = {
        text_hash(row["text"]): row for row in questions if isinstance(row, dict) and isinstance(row.get("text"), str)
    }
    templates, unused = [], []
    for recipe in recipes:
        row = rows.get(recipe.sha256)
        if row is None:
            unused.append(recipe.id)
        else:
            templates.append(apply_one(recipe, row))
    return templates, unused


def apply_one(recipe: Recipe, row: Mapping[str, Any]) -> Template:
    """The template of a question. With the original values it gives back the text, the options and the gold."""
    try:
        template = template_from(_table(recipe, row), "recipes", "recipe")
        question = make_original(template, 0).question
        stem = row["text"][slice(*layout(row["text"]).stem)]
        require(question.text == stem, f"its values do not give the printed numbers, but: {question.text}")
    except ValueError as error:
        raise UserError(f"recipe {recipe.id}: {error}.") from error
    return template


def _table(recipe: Recipe, row: Mapping[str, Any]) -> dict[str, Any]:
    """The template as a table. ValueError says what is wrong."""
    text, gold = row["text"], row.get("gold")
    if isinstance(gold, bool) or not isinstance(gold, int) or gold not in range(3):
        raise ValueError("the question's gold is not 0, 1 or 2")
    stem, options = layout(text)
    slots = {name: _slot_table(slot, text, stem) for name, slot in recipe.slots.items()}
    derived = {name: _derived_table(value, text, stem) for name, value in recipe.derived.items()}
    names, name_marks = _names(recipe, text)
    marks = [*name_marks, *_number_marks(recipe)]
    given = [recipe.options.get(letter) for letter in LETTERS]
    spans = [option_number(text, option, span) for option, span in zip(options, given, strict=True)]
    words = [around(text, option, span, name_marks) for option, span in zip(options, spans, strict=True)]
    bare = [(before, behind.rstrip(" .")) for before, behind in words]
    require(bare.count(bare[gold]) > 1, "the words around the gold option's number are in no other option")
    table = {
        **{name: getattr(recipe, name) for name in _FIELDS_AS_THEY_ARE},
        **option_fields(text, options, spans, gold, name_marks),
        "text": markup(text, stem, marks),
        "slots": slots,
        "derived": derived,
        "distractors": _distractors(recipe, gold),
        "names": names,
    }
    if recipe.unknowns:
        table["inverse"] = inverse_tables(recipe.unknowns, table)
    return table if recipe.digits is None else table | {"digits": recipe.digits}


def _slot_table(slot: _Slot, text: str, stem: Span) -> dict[str, Any]:
    printed = printed_number(text, spans_of(slot.span), stem)
    table = msgspec.structs.asdict(slot) | {"original": printed, "plain": numbers.read(printed).plain}
    del table["span"]
    return table


def _derived_table(derived: _Derived, text: str, stem: Span) -> dict[str, Any]:
    table: dict[str, Any] = {"value": derived.value, "digits": derived.digits, "percent": derived.percent}
    if derived.span is not None:
        printed = numbers.read(printed_number(text, spans_of(derived.span), stem))
        table["plain"] = printed.plain
        if derived.digits is None:
            table["digits"] = printed.decimals
    return table


def _number_marks(recipe: Recipe) -> list[Mark]:
    spans = {name: slot.span for name, slot in recipe.slots.items()}
    spans |= {name: derived.span for name, derived in recipe.derived.items() if derived.span is not None}
    return [Mark(span, name) for name, several in spans.items() for span in spans_of(several)]


def _names(recipe: Recipe, text: str) -> tuple[dict[str, list[str]], list[Mark]]:
    """The names with their other words, and every place where one stands. An abbreviation in brackets follows the name
    that it is of. Signs of currency stay: one that changes alone makes no other question.
    """
    names: dict[str, list[str]] = {}
    marks = []
    for name in recipe.names:
        if name.kind == "currency":
            continue
        word = text[slice(*name.span)]
        if name.span not in occurrences(word, text):
            raise ValueError(f"the span {name.span[0]} to {name.span[1]} is no whole name")
        abbreviated = _abbreviated(names, text, word)
        if abbreviated is not None:
            marker, words = abbreviated
        else:
            turn = sum(other.startswith(name.kind) for other in names)
            marker = f"{name.kind}_{turn + 1}"
            persons = name.kind == "person"
            words = other_persons(text, name.span[0], word, turn) if persons else other_companies(text, word, turn)
        names[marker] = [word, *words]
        marks += [Mark(span, marker) for span in occurrences(word, text)]
    return names, marks


def _abbreviated(names: Mapping[str, Sequence[str]], text: str, short: str) -> tuple[str, list[str]] | None:
    """The marker of an abbreviation of one of the names, and the abbreviations of that one's other words."""
    for marker, (name, *others) in names.items():
        between = behind(text, name, short)
        if between is not None:
            return f"{marker}{SHORT}", [initials(f"{other}{between}") for other in others]
    return None


def _distractors(recipe: Recipe, gold: int) -> list[Number]:
    if isinstance(recipe.distractors, list):
        return recipe.distractors
    wrong = [letter for letter in LETTERS if letter != LETTERS[gold]]
    if sorted(recipe.distractors) != wrong:
        raise ValueError(f"its distractors must be those of the wrong options, {' and '.join(wrong)}")
    return [recipe.distractors[letter] for letter in wrong]
