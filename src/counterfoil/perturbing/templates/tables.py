"""From tables of TOML or JSON to templates, and the bank of templates that ships with the package.

Every check names the template and the field.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from counterfoil.errors import UserError
from counterfoil.files import read_bytes
from counterfoil.perturbing.expressions.language import Expression, ExpressionError, Kind, parse
from counterfoil.perturbing.questions import LETTERS, Source, three
from counterfoil.perturbing.templates import numbers, words
from counterfoil.perturbing.templates.given import apart_as_printed, printed_options
from counterfoil.perturbing.templates.names import extended
from counterfoil.perturbing.templates.numbers import PrintedNumber
from counterfoil.perturbing.templates.template import (
    Clause,
    Derived,
    GivenOptions,
    Inverse,
    Listed,
    Slot,
    Template,
    Text,
    parse_text,
)
from counterfoil.suite.options import nearest
from counterfoil.tables import in_words

_ANSWER = "answer"
_MAX_DIGITS = 9
_MAX_TEXT = 20_000
_MAX_NAMES = 100
_MAX_VALUES = 1_000_000
_ID = re.compile(r"[a-z0-9-]{1,80}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# A number, or an expression, may be written without quotes.
Number = str | int | float
_Table = TypeVar("_Table")


class SlotRange(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The values that a slot can take, as printed."""

    low: Number | None = None
    high: Number | None = None
    step: Number | None = None
    percent: bool = False
    fixed: bool = False


class _SlotTable(SlotRange):
    original: Number
    plain: bool = False
    # Instead of a range: the values as printed, or each word with its value.
    values: list[Number] | dict[str, Number] | None = None


class _ClauseTable(msgspec.Struct, forbid_unknown_fields=True):
    when: str
    text: str


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
    clauses: dict[str, dict[str, Any]] = {}
    inverse: list[dict[str, Any]] = []
    like: str | None = None
    options: list[str] | None = None
    gold: str | None = None
    slack: int = 0


def load_bank(topics: Collection[str] = ()) -> list[Template]:
    """The templates that ship with the package: all of finance, or those of the topics that are named."""
    if not topics:
        return _all_templates(shipped_files("bank"), "bank")
    return of_topics(_all_templates([*shipped_files("bank"), *shipped_files("everyday")], "bank"), topics)


def of_topics(templates: Sequence[Template], topics: Collection[str]) -> list[Template]:
    """The templates of these topics; all of them where none is named."""
    known = sorted({template.topic for template in templates})
    for topic in topics:
        if topic not in known:
            raise UserError(
                f"--topic {topic}: there is no such topic{nearest(topic, known)}. There are: {', '.join(known)}."
            )
    return [template for template in templates if not topics or template.topic in topics]


def load_templates(path: Path, source: Source = "file") -> list[Template]:
    """The templates of a TOML file."""
    return parse_templates(read_bytes(path), str(path), source)


def parse_templates(raw: bytes, where: str, source: Source = "file") -> list[Template]:
    """The templates of a file's content."""
    return _all_templates([(where, raw)], source)


def shipped_files(folder: str) -> list[tuple[str, bytes]]:
    """The TOML files of a folder in the package, each with its name."""
    files = (resources.files("counterfoil.perturbing") / folder).iterdir()
    return sorted((file.name, file.read_bytes()) for file in files if file.name.endswith(".toml"))


def _all_templates(files: Iterable[tuple[str, bytes]], source: Source) -> list[Template]:
    templates: dict[str, Template] = {}
    for where, raw in files:
        for number, table in enumerate(toml_tables(raw, where, "template"), start=1):
            template = template_from(table, where, source, number)
            if template.id in templates:
                raise UserError(f"{where}: template {template.id}: id: there is another template with it.")
            templates[template.id] = template
    return list(templates.values())


def toml_tables(raw: bytes, where: str, name: str) -> list[Any]:
    """The [[name]] tables of a TOML file that holds nothing else."""
    try:
        content = tomllib.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UserError(f"{where} is not valid TOML: {str(error) or 'it is nested too deeply'}.") from error
    tables = content.pop(name, None)
    if not isinstance(tables, list) or not tables or content:
        found = f"; it has {', '.join(sorted(content)[:5])}" if content else ""
        raise UserError(f"{where} must hold [[{name}]] tables and nothing else{found}.")
    return tables


def template_from(table: Any, where: str, source: Source, number: int = 1) -> Template:
    """A template from a table as TOML or JSON gives it. UserError says what is wrong with which field of it."""
    label = table.get("id") if isinstance(table, dict) else None
    name = label[:80] if isinstance(label, str) and label else f"number {number}"
    try:
        return _compiled(_converted(table, _TemplateTable, ""), source)
    except _WrongField as error:
        raise UserError(f"{where}: template {name}: {error}.") from error


def _compiled(table: _TemplateTable, source: Source) -> Template:
    _require(bool(_ID.fullmatch(table.id)), "id", "it is made of a to z, 0 to 9 and hyphens, 80 at most")
    _require(bool(table.topic.strip()), "topic", "it is empty")
    slots = {name: _slot(name, _converted(raw, _SlotTable, f"slots.{name}")) for name, raw in table.slots.items()}
    _require(any(slot.choices > 1 for slot in slots.values()), "slots", "none of them can be changed")
    _check_names(table)
    known = {*table.slots, *table.derived}
    derived = _derived(table.derived, known)
    shown = {*slots, *(value.name for value in derived if value.digits is not None), *table.names}
    text = _text("text", table.text, {*shown, *table.clauses})
    clauses = tuple(_clause(name, raw, shown, known) for name, raw in table.clauses.items())
    seen = {*text.markers, *(marker for clause in clauses for marker in clause.text.markers)}
    for name in (*(slot.name for slot in slots.values() if not slot.fixed), *table.names, *table.clauses):
        if name not in seen:
            raise _WrongField("text", f"{{{name}}} does not occur in it, so that a change would not be seen")
    known_with_answer = {*known, _ANSWER}
    template = Template(
        id=table.id,
        topic=table.topic.strip(),
        source=source,
        text=text,
        slots=slots,
        derived=derived,
        answer=_expression("answer", table.answer, known),
        check=_expression("check", table.check, known),
        distractors=_distractors("distractors", table.distractors, known_with_answer),
        conditions=tuple(
            _expression(f"conditions[{number}]", condition, known_with_answer, Kind.CONDITION)
            for number, condition in enumerate(table.conditions)
        ),
        digits=_digits("digits", table.digits),
        percent=table.percent,
        prefix=_text("prefix", table.prefix, table.names),
        suffix=_text("suffix", table.suffix, table.names),
        steps=_text("steps", table.steps, {*shown, _ANSWER}),
        names=_all_names(table, source),
        like=table.like,
        inverses=(),
        given=_given(table),
        clauses=clauses,
    )
    inverses = (_inverse(f"inverse[{number}]", raw, template, shown) for number, raw in enumerate(table.inverse))
    template = replace(template, inverses=tuple(inverses))
    _check_forms(template)
    if template.given is None or source == "bank":
        return template
    given = template.given
    return replace(
        template,
        printed=printed_options(template, given),
        apart=apart_as_printed(given.numbers, template.digits),
    )


def _check_forms(template: Template) -> None:
    """Every slot with a form can be printed in it, from its first value to its last."""
    for marker in sorted(template.forms):
        name, _, form = marker.partition(":")
        steps = [step for step in words.steps_of(form) if step not in words.TEXT_FORMS]
        unknown = [step for step in steps if "|" not in step and step not in words.FORMS]
        _require(not unknown, "text", f"{{{marker}}}: there is no form {unknown[0]!r}" if unknown else "")
        _require(name not in template.names or not steps, "text", f"{{{marker}}}: only a number has this form")
        slot = template.slots.get(name)
        if slot is None:
            continue
        first_and_last = {0, 1, slot.choices - 1} if not slot.fixed else set[int]()
        try:
            for value in (slot.original, *(slot.value(number) for number in first_and_last)):
                for step in steps:
                    words.shaped(words.exact(value), step)
        except words.NoForm as error:
            raise _WrongField("text", f"{{{marker}}}: {error}") from error


def _clause(name: str, raw: dict[str, Any], shown: set[str], known: set[str]) -> Clause:
    table = _converted(raw, _ClauseTable, f"clauses.{name}")
    when = _expression(f"clauses.{name}.when", table.when, known, Kind.CONDITION)
    return Clause(name, when, _text(f"clauses.{name}.text", table.text, shown))


def _listed_slot(name: str, table: _SlotTable) -> Slot:
    """A slot whose values are listed, each with what is printed for it."""
    field, given = f"slots.{name}", table.values
    assert given is not None
    pairs = given.items() if isinstance(given, dict) else ((str(value), value) for value in given)
    listed = tuple(Listed(word, _amount(f"{field}.values", value)) for word, value in pairs)
    original = str(table.original)
    found = [one.value for one in listed if one.word == original]
    has_range = table.low is not None or table.high is not None or table.step is not None or table.fixed
    _require(not has_range, field, "it has values, and then no low, high, step or fixed")
    _require(len({one.value for one in listed}) >= 2, f"{field}.values", "there must be two different ones or more")
    _require(len(found) == 1, f"{field}.original", f"{original!r} must be one of the values")
    return listed_slot(name, found[0], original, listed, percent=table.percent)


def listed_slot(name: str, original: Decimal, word: str, listed: tuple[Listed, ...], percent: bool = False) -> Slot:
    """A slot with these values; its original is printed as this word."""
    low = min(one.value for one in listed)
    return Slot(name, original, low, Decimal(1), len(listed), percent, False, False, 0, 0, "-", listed, word)


def _amount(field: str, value: Number) -> Decimal:
    """A number, a fraction (3/4), or either in words."""
    number = words.read_number(str(value))
    if number is None:
        return _number(field, value).value
    return numbers.quotient(number.numerator, number.denominator)


def _slot(name: str, table: _SlotTable) -> Slot:
    field = f"slots.{name}"
    if table.values is not None:
        return _listed_slot(name, table)
    original = _number(f"{field}.original", table.original)
    low, step, choices, digits = original.value, original.value, 1, original.decimals
    if not table.fixed:
        low, high, step = (
            _number(f"{field}.{part}", value).value
            for part, value in (("low", table.low), ("high", table.high), ("step", table.step))
        )
        _require(step > 0, f"{field}.step", "it must be above 0")
        _require(low < high, f"{field}.low", "it must be below high")
        choices = int((high - low) / step) + 1
        wanted = f"from low to high there must be 2 to {_MAX_VALUES:,} values, not {choices:,}"
        _require(2 <= choices <= _MAX_VALUES, f"{field}.step", wanted)
        _require(low <= original.value <= high, f"{field}.original", "it must be from low to high")
        digits = max(original.decimals, numbers.decimals_of(step), numbers.decimals_of(low))
    if digits > _MAX_DIGITS:
        raise _WrongField(field, f"its values have {digits} digits behind the point, and {_MAX_DIGITS} are the most")
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
    printed = slot.printed(slot.original)
    _require(printed == str(table.original), f"{field}.original", f"{table.original} would be printed as {printed}")
    return slot


def _all_names(table: _TemplateTable, source: Source) -> dict[str, tuple[str, ...]]:
    """The names with their other words; those of the bank have enough for each draw of `renamed`."""
    found = {name: tuple(words) for name, words in table.names.items()}
    return extended(found, table.text) if source == "bank" else found


def _check_names(table: _TemplateTable) -> None:
    """Names are spelled as names, each is used once, and no word belongs to two of them."""
    count = len(table.slots) + len(table.derived) + len(table.names) + len(table.clauses)
    _require(count <= _MAX_NAMES, "slots", f"with derived values and names there are more than {_MAX_NAMES}")
    seen: set[str] = {_ANSWER}
    fields: dict[str, Iterable[str]] = {
        "slots": table.slots, "derived": table.derived, "names": table.names, "clauses": table.clauses,
    }  # fmt: skip
    for field, names in fields.items():
        for name in names:
            if not _NAME.fullmatch(name):
                raise _WrongField(f"{field}.{name[:40]}", "a name is made of letters, digits and underscores")
            _require(name not in seen, f"{field}.{name}", "the name is taken")
            seen.add(name)
    words: set[str] = set()
    for name, choices in table.names.items():
        if len(set(choices)) < 2 or not all(word.strip() for word in choices):
            raise _WrongField(f"names.{name}", "it needs two different words or more")
        if shared := sorted(words.intersection(choices)):
            raise _WrongField(f"names.{name}", f"{shared[0]!r} is a choice of another name, too")
        words.update(choices)


def _derived(tables: Mapping[str, dict[str, Any]], known: set[str]) -> tuple[Derived, ...]:
    """The derived values, each after those that it uses. A cycle is refused."""
    compiled = {}
    for name, raw in tables.items():
        field = f"derived.{name}"
        table = _converted(raw, _DerivedTable, field)
        digits = None if table.digits is None else _digits(f"{field}.digits", table.digits)
        value = _expression(f"{field}.value", table.value, known)
        compiled[name] = Derived(name, value, digits, table.percent, table.plain)
    ordered: dict[str, Derived] = {}
    while len(ordered) < len(compiled):
        ready = [
            name
            for name, value in compiled.items()
            if name not in ordered and not (value.value.names & compiled.keys()) - ordered.keys()
        ]
        if not ready:
            left = [name for name in compiled if name not in ordered]
            raise _WrongField("derived", f"{', '.join(left)} need each other in a cycle")
        ordered |= {name: compiled[name] for name in ready}
    return tuple(ordered.values())


def _inverse(field: str, raw: dict[str, Any], template: Template, shown: set[str]) -> Inverse:
    inverse = _converted(raw, _InverseTable, field)
    slots, derived = template.slots, template.derived
    slot = slots.get(inverse.unknown)
    if slot is None or slot.choices == 1 or slot.listed:
        raise _WrongField(f"{field}.unknown", f"{inverse.unknown!r} is not a slot with a range")
    text = _text(f"{field}.text", inverse.text, {*shown, _ANSWER} - {slot.name})
    _require(_ANSWER in text.markers, f"{field}.text", "it does not give the {answer}")
    missing = _needed(template.answer, derived, set(text.markers)) - {slot.name, *text.markers}
    missing -= {name for name, other in slots.items() if other.fixed}
    if missing:
        raise _WrongField(f"{field}.text", f"it does not give {', '.join(sorted(missing))}, which the answer needs")
    digits = _digits(f"{field}.digits", inverse.digits)
    fits = digits >= max(numbers.decimals_of(slot.low), numbers.decimals_of(slot.step))
    _require(fits, f"{field}.digits", f"the values of {slot.name} have more digits behind the point than {digits}")
    known = {*slots, *(value.name for value in derived), _ANSWER}
    return Inverse(
        unknown=slot.name,
        text=text,
        steps=None if inverse.steps is None else _text(f"{field}.steps", inverse.steps, {*shown, _ANSWER}),
        distractors=_distractors(f"{field}.distractors", inverse.distractors, known),
        digits=digits,
        prefix=_text(f"{field}.prefix", inverse.prefix, template.names),
        suffix=_text(f"{field}.suffix", inverse.suffix, template.names),
    )


def _needed(expression: Expression, derived: tuple[Derived, ...], given: set[str]) -> set[str]:
    """The slots that an expression depends on. Derived values that are given need no slots."""
    needed = set(expression.names)
    for value in reversed(derived):
        if value.name in needed:
            needed.discard(value.name)
            if value.name not in given:
                needed |= value.value.names
    return needed


def _given(table: _TemplateTable) -> GivenOptions | None:
    if table.options is None and table.gold is None:
        return None
    if table.options is None or len(table.options) != 3 or len(set(table.options)) != 3:
        raise _WrongField("options", "there must be three different ones, since there is a gold")
    if table.gold not in LETTERS:
        raise _WrongField("gold", "it must be A, B or C, since there are options")
    _require(0 <= table.slack <= 100, "slack", "it must be from 0 to 100 units of the last digit")
    fields = {f"options[{number}]": option for number, option in enumerate(table.options)}
    texts = three(_text(field, option, table.names) for field, option in fields.items())
    first_names = {name: words[0] for name, words in table.names.items()}
    shown = [text.render(first_names) for text in texts]
    read = three(_number(field, text, numbers.only_number) for field, text in zip(fields, shown, strict=True))
    return GivenOptions(texts, read, table.gold, table.slack)


class _WrongField(Exception):
    def __init__(self, field: str, reason: object) -> None:
        super().__init__(f"{field}: {reason}".rstrip(".") if field else str(reason).rstrip("."))


def _require(holds: bool, field: str, reason: str) -> None:
    if not holds:
        raise _WrongField(field, reason)


def _converted(table: Any, kind: type[_Table], field: str) -> _Table:
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        raise _WrongField(field, in_words(error)) from error


def _number(field: str, value: Number | None, read: Callable[[str], PrintedNumber] = numbers.read) -> PrintedNumber:
    if value is None:
        raise _WrongField(field, "it is missing, and the slot is not fixed")
    try:
        return read(str(value))
    except ValueError as error:
        raise _WrongField(field, error) from error


def _distractors(field: str, sources: list[Number], known: set[str]) -> tuple[Expression, ...]:
    _require(len(sources) >= 2, field, "there must be two or more")
    return tuple(_expression(f"{field}[{number}]", source, known) for number, source in enumerate(sources))


def _expression(field: str, source: Number, known: set[str], kind: Kind = Kind.NUMBER) -> Expression:
    try:
        expression = parse(str(source), known)
    except ExpressionError as error:
        raise _WrongField(field, error) from error
    _require(expression.kind is kind, field, f"it is {expression.kind.value}, and must be {kind.value}")
    return expression


def _text(field: str, source: str, known: Iterable[str]) -> Text:
    _require(len(source) <= _MAX_TEXT, field, f"it is longer than {_MAX_TEXT:,} characters")
    try:
        text = parse_text(source)
    except ValueError as error:
        raise _WrongField(field, error) from error
    if unknown := sorted(set(text.markers).difference(known)):
        raise _WrongField(field, f"{{{unknown[0]}}} is nothing that can be printed there")
    return text


def _digits(field: str, digits: int) -> int:
    _require(0 <= digits <= _MAX_DIGITS, field, f"it must be from 0 to {_MAX_DIGITS}")
    return digits
