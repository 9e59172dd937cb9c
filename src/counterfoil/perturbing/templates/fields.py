"""The fields of a template's table, one by one: each either gives its value or says what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from counterfoil.perturbing.expressions.language import Expression, ExpressionError, Kind, parse
from counterfoil.perturbing.templates import numbers
from counterfoil.perturbing.templates.texts import Text, parse_text

MAX_DIGITS = 9
MAX_TEXT = 20_000
# A number, or an expression, may be written without quotes.
Number = str | int | float
_Table = TypeVar("_Table")


class WrongField(Exception):
    def __init__(self, field: str, reason: object) -> None:
        super().__init__(f"{field}: {reason}".rstrip(".") if field else str(reason).rstrip("."))


def converted_field(table: Any, kind: type[_Table], field: str) -> _Table:
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        raise WrongField(field, error) from error


def number_field(field: str, value: Number | None) -> numbers.Printed:
    if value is None:
        raise WrongField(field, "it is missing, and the slot is not fixed")
    try:
        return numbers.read(str(value))
    except ValueError as error:
        raise WrongField(field, error) from error


def option_field(field: str, option: str) -> numbers.Printed:
    try:
        start, end = numbers.only(option)
        return numbers.read(option[start:end])
    except ValueError as error:
        raise WrongField(field, error) from error


def distractor_fields(field: str, sources: list[Number], known: set[str]) -> tuple[Expression, ...]:
    if len(sources) < 2:
        raise WrongField(field, "there must be two or more")
    return tuple(expression_field(f"{field}[{number}]", source, known) for number, source in enumerate(sources))


def expression_field(field: str, source: Number, known: set[str], kind: Kind = Kind.NUMBER) -> Expression:
    try:
        expression = parse(str(source), known)
    except ExpressionError as error:
        raise WrongField(field, error) from error
    if expression.kind is not kind:
        raise WrongField(field, f"it is {expression.kind.value}, and must be {kind.value}")
    return expression


def text_field(field: str, source: str, known: Iterable[str]) -> Text:
    if len(source) > MAX_TEXT:
        raise WrongField(field, f"it is longer than {MAX_TEXT:,} characters")
    try:
        text = parse_text(source)
    except ValueError as error:
        raise WrongField(field, error) from error
    unknown = set(text.markers).difference(known)
    if unknown:
        raise WrongField(field, f"{{{sorted(unknown)[0]}}} is nothing that can be printed there")
    return text


def digits_field(field: str, digits: int) -> int:
    if not 0 <= digits <= MAX_DIGITS:
        raise WrongField(field, f"it must be from 0 to {MAX_DIGITS}")
    return digits
