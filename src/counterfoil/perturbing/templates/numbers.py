"""Numbers as printed in questions: reading them, and printing others in the same way."""

from __future__ import annotations

import re
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_UP, Context, Decimal
from typing import NamedTuple

# Wider than what expressions compute with, so that rounding never meets a limit.
_CONTEXT = Context(prec=120, Emax=MAX_EMAX, Emin=MIN_EMIN, rounding=ROUND_HALF_UP)
_MAX_DIGITS = 30
_NUMBER = re.compile(
    r"(?P<sign>[-+\u2013\u2212]?)(?P<currency>[$€£₤¥]?)(?P<whole>\d{1,3}(?:,\d{3})+|\d+)?(?:\.(?P<fraction>\d+))?",
    re.ASCII,
)
_IN_TEXT = re.compile(r"(?:(?<![\w.,])[-+\u2013\u2212])?[$€£₤¥]?\d+(?:,\d{3})*(?:\.\d+)?", re.ASCII)
_UNSIGNED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+", re.ASCII)
_UNITS = tuple(Decimal(1).scaleb(-digits) for digits in range(_MAX_DIGITS + 1))


class Apart(NamedTuple):
    """How far options are from each other at least: in units of the last digit, and as a share of the larger one."""

    units: Decimal
    share: Decimal

    def holds(self, one: Decimal, other: Decimal, digits: int) -> bool:
        return abs(one - other) >= max(self.units * _UNITS[digits], self.share * max(abs(one), abs(other)))


USUAL = Apart(Decimal(4), Decimal("0.01"))


class PrintedNumber(NamedTuple):
    """A number, and how it was printed."""

    value: Decimal
    decimals: int
    # 1,000 or more, without thousands separators.
    plain: bool
    # The sign in front of it, if any: a hyphen, a dash or a minus.
    sign: str
    currency: str


def read(text: str) -> PrintedNumber:
    """A number with optional sign, currency sign, thousands separators and decimals. ValueError if it is none."""
    match = _NUMBER.fullmatch(text)
    if match is None or (match["whole"] is None and match["fraction"] is None):
        raise ValueError(f"{text[:40]!r} is not a printed number")
    whole, fraction = match["whole"] or "0", match["fraction"] or ""
    digits = whole.replace(",", "")
    if len(digits) + len(fraction) > _MAX_DIGITS:
        raise ValueError(f"{text[:40]!r} has more than {_MAX_DIGITS} digits")
    value = Decimal(f"{digits}.{fraction}" if fraction else digits)
    sign = match["sign"]
    negative = sign not in ("", "+")
    plain = len(digits) > 3 and "," not in whole
    return PrintedNumber(-value if negative else value, len(fraction), plain, sign, match["currency"])


def only(text: str) -> tuple[int, int]:
    """Where the one number in a text stands, its sign included. ValueError if there is none, or more than one."""
    spans = [match.span() for match in _IN_TEXT.finditer(text)]
    if len(spans) != 1:
        raise ValueError(f"{text[:60]!r} has {'more than one number' if spans else 'no number'}")
    return spans[0]


def only_number(text: str) -> PrintedNumber:
    """The one number in a text. ValueError if there is none, more than one, or one that can't be read."""
    start, end = only(text)
    return read(text[start:end])


def in_text(text: str) -> list[str]:
    """The numbers in a text as they are printed, without sign and currency."""
    return _UNSIGNED.findall(text)


def rounded(value: Decimal, digits: int) -> Decimal:
    """The nearest number with `digits` digits behind the point; halves go away from 0."""
    return value.quantize(_UNITS[digits], ROUND_HALF_UP, _CONTEXT)


def quotient(above: int, below: int) -> Decimal:
    """A fraction, to as many digits as expressions compute with and more."""
    return Context(prec=50).divide(Decimal(above), Decimal(below))


def unit(digits: int) -> Decimal:
    """One unit of the last of `digits` digits behind the point."""
    return _UNITS[digits]


def printed(value: Decimal, digits: int, at_least: int | None = None, plain: bool = False) -> str:
    """A number with `digits` digits behind the point, zeros at the end dropped down to `at_least` of them.

    Thousands are separated by commas unless `plain`; a negative number has a hyphen in front. Nothing prints as -0.
    """
    number = rounded(value, digits)
    if not number:
        number = abs(number)
    text = f"{number:f}" if plain else f"{number:,f}"
    if at_least is not None and at_least < digits:
        whole, _, fraction = text.partition(".")
        fraction = fraction[:at_least] + fraction[at_least:].rstrip("0")
        text = f"{whole}.{fraction}" if fraction else whole
    return text


def with_unit(number: str, prefix: str, suffix: str) -> str:
    """A printed number between its unit's parts; a minus stands before a currency sign, and behind words."""
    if not number.startswith("-"):
        return f"{prefix}{number}{suffix}"
    currency = re.split(r"\s", prefix)[-1]
    words = prefix.removesuffix(currency)
    return f"{words}-{currency}{number[1:]}{suffix}"


def shown(value: Decimal, percent: bool) -> Decimal:
    """A value as it is printed: 5 for 0.05 where it is a percentage."""
    return value.scaleb(2, _CONTEXT) if percent else value


def meant(value: Decimal, percent: bool) -> Decimal:
    """A printed number as expressions use it: 0.05 for 5 where it is a percentage."""
    return value.scaleb(-2, _CONTEXT) if percent else value


def significant(value: Decimal) -> int:
    """How many digits a number has without zeros in front and at the end; 0 has one."""
    return len(value.normalize(_CONTEXT).as_tuple().digits)


def decimals_of(value: Decimal) -> int:
    """Digits behind the point that a number needs."""
    exponent = value.normalize(_CONTEXT).as_tuple().exponent
    assert isinstance(exponent, int)
    return max(0, -exponent)
