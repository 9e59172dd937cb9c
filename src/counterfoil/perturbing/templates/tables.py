"""Compiling a template from a table: every check names the template and the field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from counterfoil.errors import UserError
from counterfoil.perturbing.expressions.language import Expression, Kind
from counterfoil.perturbing.questions import LETTERS, Source
from counterfoil.perturbing.templates import numbers
from counterfoil.perturbing.templates.fields import (
    MAX_DIGITS,
    Number,
    WrongField,
    converted_field,
    digits_field,
    distractor_fields,
    expression_field,
    number_field,
    option_field,
    text_field,
)
from counterfoil.perturbing.templates.parts import Derived, Given, Inverse, Slot, Template

ANSWER = "answer"
MAX_NAMES = 100
MAX_VALUES = 1_000_000
_ID = re.compile(r"[a-z0-9-]{1,80}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class _SlotTable(msgspec.Struct, forbid_unknown_fields=True):
    original: Number
    low: Number | None = None
    high: Number | None = None
    step: Number | None = None
    percent: bool = False
    fixed: bool = False
    plain: bool = False


class _DerivedTable(msgspec.Struct, forbid_unknown_fields=True):
    value: Number
    digits: int | None = None
    percent: bool = False
    plain: bool = False


class _InverseTable(msgspec.Struct, forbid_unknown_fields=True):
    unknown: str
    text: str
    digits: int
    distractors: list[Number]
    prefix: str = ""
    suffix: str = ""
    steps: str | None = None


class _TemplateTable(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    topic: str
    text: str
    answer: Number
    check: Number
    distractors: list[Number]
    digits: int
    slots: dict[str, dict[str, Any]]
    derived: dict[str, dict[str, Any]] = {}
    conditions: list[str] = []
    prefix: str = ""
    suffix: str = ""
    percent: bool = False
    steps: str = ""
    names: dict[str, list[str]] = {}
    inverse: list[dict[str, Any]] = []
    options: list[str] | None = None
    gold: str | None = None
    slack: int = 0


def template_from(table: Any, where: str, source: Source, number: int = 1) -> Template:
    """A template from a table as TOML or JSON gives it. UserError says what is wrong with which field of it."""
    label = table.get("id") if isinstance(table, dict) else None
    name = label[:80] if isinstance(label, str) and label else f"number {number}"
    try:
        return _compiled(converted_field(table, _TemplateTable, ""), source)
    except WrongField as error:
        raise UserError(f"{where}: template {name}: {error}.") from error


def _compiled(table: _TemplateTable, source: Source) -> Template:
    if not _ID.fullmatch(table.id):
        raise WrongField("id", "it is made of a to z, 0 to 9 and hyphens, 80 at most")
    if not table.topic.strip():
        raise WrongField("topic", "it is empty")
    slots = {name: _slot(name, converted_field(raw, _SlotTable, f"slots.{name}")) for name, raw in table.slots.items()}
    if all(slot.choices == 1 for slot in slots.values()):
        raise WrongField("slots", "none of them can be changed")
    _check_names(table)
    known = {*table.slots, *table.derived}
    derived = _derived(table.derived, known)
    shown = {*slots, *(value.name for value in derived if value.digits is not None), *table.names}
    text = text_field("text", table.text, shown)
    for name in (*(slot.name for slot in slots.values() if not slot.fixed), *table.names):
        if name not in text.markers:
            raise WrongField("text", f"{{{name}}} does not occur in it, so that a change would not be seen")
    answer = expression_field("answer", table.answer, known)
    known_with_answer = {*known, ANSWER}
    return Template(
        id=table.id,
        topic=table.topic.strip(),
        source=source,
        text=text,
        slots=slots,
        derived=derived,
        answer=answer,
        check=expression_field("check", table.check, known),
        distractors=distractor_fields("distractors", table.distractors, known_with_answer),
        conditions=tuple(
            expression_field(f"conditions[{number}]", condition, known_with_answer, Kind.CONDITION)
            for number, condition in enumerate(table.conditions)
        ),
        digits=digits_field("digits", table.digits),
        percent=table.percent,
        prefix=text_field("prefix", table.prefix, table.names),
        suffix=text_field("suffix", table.suffix, table.names),
        steps=text_field("steps", table.steps, {*shown, ANSWER}),
        names={name: tuple(words) for name, words in table.names.items()},
        inverses=tuple(
            _inverse(f"inverse[{number}]", raw, table, slots, derived, answer, shown)
            for number, raw in enumerate(table.inverse)
        ),
        given=_given(table),
    )


def _slot(name: str, table: _SlotTable) -> Slot:
    field = f"slots.{name}"
    original = number_field(f"{field}.original", table.original)
    if table.fixed:
        low, step, choices = original.value, original.value, 1
        digits = original.decimals
    else:
        low, high, step = (
            number_field(f"{field}.{part}", value).value
            for part, value in (("low", table.low), ("high", table.high), ("step", table.step))
        )
        if step <= 0:
            raise WrongField(f"{field}.step", "it must be above 0")
        if not low < high:
            raise WrongField(f"{field}.low", "it must be below high")
        choices = int((high - low) / step) + 1
        if not 2 <= choices <= MAX_VALUES:
            raise WrongField(
                f"{field}.step", f"from low to high there must be 2 to {MAX_VALUES:,} values, not {choices:,}"
            )
        if not low <= original.value <= high:
            raise WrongField(f"{field}.original", "it must be from low to high")
        digits = max(original.decimals, numbers.decimals_of(step), numbers.decimals_of(low))
    if digits > MAX_DIGITS:
        raise WrongField(field, f"its values have {digits} digits behind the point, and {MAX_DIGITS} are the most")
    slot = Slot(
        name=name,
        original=original.value,
        low=low,
        step=step,
        choices=choices,
        percent=table.percent,
        fixed=table.fixed,
        plain=table.plain,
        digits=digits,
        at_least=original.decimals,
        minus=original.sign or "-",
    )
    if slot.printed(slot.original) != str(table.original):
        raise WrongField(f"{field}.original", f"{table.original} would be printed as {slot.printed(slot.original)}")
    return slot


def _check_names(table: _TemplateTable) -> None:
    """Every name is one, and there for one thing only; words of two names never meet."""
    if len(table.slots) + len(table.derived) + len(table.names) > MAX_NAMES:
        raise WrongField("slots", f"with derived values and names there are more than {MAX_NAMES}")
    seen: set[str] = {ANSWER}
    for field, names in (("slots", table.slots), ("derived", table.derived), ("names", table.names)):
        for name in names:
            if not _NAME.fullmatch(name):
                raise WrongField(f"{field}.{name[:40]}", "a name is made of letters, digits and underscores")
            if name in seen:
                raise WrongField(f"{field}.{name}", "the name is taken")
            seen.add(name)
    words: set[str] = set()
    for name, choices in table.names.items():
        if len(set(choices)) < 2 or not all(word.strip() for word in choices):
            raise WrongField(f"names.{name}", "it needs two different words or more")
        if not words.isdisjoint(choices):
            raise WrongField(
                f"names.{name}", f"{sorted(words.intersection(choices))[0]!r} is a choice of another name, too"
            )
        words.update(choices)


def _derived(tables: Mapping[str, dict[str, Any]], known: set[str]) -> tuple[Derived, ...]:
    """The derived values, each behind those that it uses; a cycle is refused."""
    compiled = {}
    for name, raw in tables.items():
        field = f"derived.{name}"
        table = converted_field(raw, _DerivedTable, field)
        digits = None if table.digits is None else digits_field(f"{field}.digits", table.digits)
        compiled[name] = Derived(
            name, expression_field(f"{field}.value", table.value, known), digits, table.percent, table.plain
        )
    ordered: dict[str, Derived] = {}
    while len(ordered) < len(compiled):
        ready = [
            name
            for name, value in compiled.items()
            if name not in ordered and not (value.value.names & compiled.keys()) - ordered.keys()
        ]
        if not ready:
            left = [name for name in compiled if name not in ordered]
            raise WrongField("derived", f"{', '.join(left)} need each other in a cycle")
        ordered |= {name: compiled[name] for name in ready}
    return tuple(ordered.values())


def _inverse(
    field: str,
    raw: dict[str, Any],
    table: _TemplateTable,
    slots: Mapping[str, Slot],
    derived: tuple[Derived, ...],
    answer: Expression,
    shown: set[str],
) -> Inverse:
    inverse = converted_field(raw, _InverseTable, field)
    slot = slots.get(inverse.unknown)
    if slot is None or slot.choices == 1:
        raise WrongField(f"{field}.unknown", f"{inverse.unknown!r} is not a slot that can be changed")
    text = text_field(f"{field}.text", inverse.text, {*shown, ANSWER} - {slot.name})
    if ANSWER not in text.markers:
        raise WrongField(f"{field}.text", "it does not give the {answer}")
    missing = _needed(answer, derived, set(text.markers)) - {slot.name, *text.markers}
    missing -= {name for name, other in slots.items() if other.fixed}
    if missing:
        raise WrongField(f"{field}.text", f"it does not give {', '.join(sorted(missing))}, which the answer needs")
    digits = digits_field(f"{field}.digits", inverse.digits)
    if digits < max(numbers.decimals_of(slot.low), numbers.decimals_of(slot.step)):
        raise WrongField(
            f"{field}.digits", f"the values of {slot.name} have more digits behind the point than {digits}"
        )
    return Inverse(
        unknown=slot.name,
        text=text,
        steps=None if inverse.steps is None else text_field(f"{field}.steps", inverse.steps, {*shown, ANSWER}),
        distractors=distractor_fields(
            f"{field}.distractors", inverse.distractors, {*table.slots, *table.derived, ANSWER}
        ),
        digits=digits,
        prefix=text_field(f"{field}.prefix", inverse.prefix, table.names),
        suffix=text_field(f"{field}.suffix", inverse.suffix, table.names),
    )


def _needed(expression: Expression, derived: tuple[Derived, ...], given: set[str]) -> set[str]:
    """The slots that an expression depends on, but not by way of derived values that are given."""
    needed = set(expression.names)
    for value in reversed(derived):
        if value.name in needed:
            needed.discard(value.name)
            if value.name not in given:
                needed |= value.value.names
    return needed


def _given(table: _TemplateTable) -> Given | None:
    if table.options is None and table.gold is None:
        return None
    if table.options is None or len(table.options) != 3 or len(set(table.options)) != 3:
        raise WrongField("options", "there must be three different ones, since there is a gold")
    if table.gold not in LETTERS:
        raise WrongField("gold", "it must be A, B or C, since there are options")
    if not 0 <= table.slack <= 100:
        raise WrongField("slack", "it must be from 0 to 100 units of the last digit")
    first, second, third = (
        text_field(f"options[{number}]", option, table.names) for number, option in enumerate(table.options)
    )
    originals = {name: words[0] for name, words in table.names.items()}
    one, two, three = (
        option_field(f"options[{number}]", text.render(originals)) for number, text in enumerate((first, second, third))
    )
    return Given((first, second, third), (one, two, three), table.gold, table.slack)
