"""Numbers in words: three, one-third, twice, 3rd; as dates and times; one egg, two eggs. And read from words."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache

_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_GROUPS = ((10**9, "billion"), (10**6, "million"), (10**3, "thousand"), (100, "hundred"))
_ORDINALS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth",
}  # fmt: skip
_MULTIPLES = {2: "double", 3: "triple", 4: "quadruple", 5: "quintuple"}
_MONTHS = {
    "January": 31, "February": 28, "March": 31, "April": 30, "May": 31, "June": 30, "July": 31, "August": 31,
    "September": 30, "October": 31, "November": 30, "December": 31,
}  # fmt: skip
_DAY = 24 * 60
_LARGEST = 10**12
# A decimal with more digits behind the point than these stands for a fraction whose denominator is at most this.
_MOST_DIGITS, _LARGEST_DENOMINATOR = 20, 1_000


class NoForm(ValueError):
    """A number that can't be written in this form."""


def cardinal(number: int) -> str:
    """one, twenty-one, one hundred five."""
    if not 0 <= number < _LARGEST:
        raise NoForm(f"{number} has no words here")
    for size, name in _GROUPS:
        if number >= size:
            rest = f" {cardinal(number % size)}" if number % size else ""
            return f"{cardinal(number // size)} {name}{rest}"
    if number < len(_SMALL):
        return _SMALL[number]
    return _TENS[number // 10] + (f"-{_SMALL[number % 10]}" if number % 10 else "")


def ordinal(number: int) -> str:
    """first, twenty-first, one hundred fifth."""
    words = re.split(r"([ -])", cardinal(number))
    last = words[-1]
    words[-1] = _ORDINALS.get(last, f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")
    return "".join(words)


def short_ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 11th."""
    is_teen = number % 100 in (11, 12, 13)
    return f"{number}{'th' if is_teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def words_of(value: Fraction) -> str:
    """Three; one-third, half, three-quarters for a part of one; two and a half for both."""
    whole, part = divmod(value, 1)
    if not part:
        return cardinal(whole)
    if whole:
        return f"{cardinal(whole)} and {'a half' if part == Fraction(1, 2) else words_of(part)}"
    if part == Fraction(1, 2):
        return "half"
    name = "quarter" if part.denominator == 4 else ordinal(part.denominator)
    return f"{cardinal(part.numerator)}-{name}{'s' if part.numerator > 1 else ''}"


def times(value: Fraction) -> str:
    """Twice, three times; of a part of one its words: half."""
    if value == 2:
        return "twice"
    return words_of(value) if value < 1 else f"{words_of(value)} times"


def multiple(value: Fraction) -> str:
    """Double, triple; otherwise as times."""
    return _MULTIPLES[int(value)] if value in _MULTIPLES else times(value)


def day_of_year(day: int) -> str:
    """March 1 for 60, in a year without February 29; days behind the last one are in the next year."""
    left = (day - 1) % 365
    for month, days in _MONTHS.items():
        if left < days:
            return f"{month} {left + 1}"
        left -= days
    raise AssertionError


def time_of_day(minutes: int) -> str:
    """2:30 p.m. for 870 minutes behind midnight."""
    hour, minute = divmod(minutes % _DAY, 60)
    return f"{(hour - 1) % 12 + 1}:{minute:02} {'a.m.' if hour < 12 else 'p.m.'}"


def clock_time(minutes: int) -> str:
    """14:30 for 870 minutes behind midnight."""
    hour, minute = divmod(minutes % _DAY, 60)
    return f"{hour:02}:{minute:02}"


def duration(minutes: int) -> str:
    """1 hour 25 minutes for 85 minutes."""
    hours, left = divmod(minutes, 60)
    parts = [
        f"{count} {unit}{'' if count == 1 else 's'}" for count, unit in ((hours, "hour"), (left, "minute")) if count
    ]
    return " ".join(parts) or "0 minutes"


def _whole(shape: Callable[[int], str]) -> Callable[[Fraction], str]:
    def shaped(value: Fraction) -> str:
        if value.denominator != 1 or value < 0:
            raise NoForm(f"{value} is not a whole number")
        return shape(int(value))

    return shaped


FORMS: dict[str, Callable[[Fraction], str]] = {
    "words": words_of,
    "fraction": str,
    "times": times,
    "multiple": multiple,
    "ordinal": _whole(ordinal),
    "th": _whole(short_ordinal),
    "date": _whole(day_of_year),
    "time": _whole(time_of_day),
    "clock": _whole(clock_time),
    "duration": _whole(duration),
}


def capital(text: str) -> str:
    """With a capital at its beginning."""
    return text[:1].upper() + text[1:]


def plural(word: str) -> str:
    """Glasses, berries, eggs. A word that looks like a plural already gets nothing more."""
    if re.search(r"(?:ss|x|ch|sh|z)$", word):
        return f"{word}es"
    if re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    return word if word.endswith("s") else f"{word}s"


def with_article(text: str) -> str:
    """An egg, a hen, an hour, a unit, an 8-year bond, a 7-year one."""
    if digits := re.match(r"[$€£]?(\d+)", text):
        is_vowel = digits[1].startswith("8") or digits[1] in ("11", "18")
    else:
        is_vowel = bool(re.match(r"(?!uni|use|usu|eu|one\b|once\b)[aeiou]|hour|hono|heir", text.lower()))
    return f"a{'n' if is_vowel else ''} {text}"


# What can be done to anything that is printed, words as well.
TEXT_FORMS: dict[str, Callable[[str], str]] = {"capital": capital, "plural": plural, "a": with_article}


def steps_of(form: str) -> list[str]:
    """A form may be several, one behind the other: words capital."""
    return [form] if "|" in form else form.split(" ")


def exact(value: Decimal) -> Fraction:
    """The fraction that a decimal stands for: 1/3 for 0.333…"""
    number = Fraction(value)
    return number if number.denominator < 10**_MOST_DIGITS else number.limit_denominator(_LARGEST_DENOMINATOR)


def shaped(value: Fraction, form: str) -> str:
    """A number in a form; of `egg|eggs` the word that it wants. NoForm where it can't be."""
    if "|" in form:
        one, more = form.split("|", 1)
        return one if value == 1 else more
    return FORMS[form](value)


def read_number(text: str) -> Fraction | None:
    """The number that words, or digits, stand for: 12, 1,200, 0.25, 3/4, six, three quarters, twice, a third."""
    plain = re.sub(r"[\s-]+", " ", text.strip().lower().replace(",", "").strip("$€£%")).strip()
    if re.fullmatch(r"\d+(?: \d{3})*(?:\.\d+)?|\.\d+|\d+ ?/ ?[1-9]\d*", plain, re.ASCII):
        return Fraction(plain.replace(" ", ""))
    known = _known_words()
    whole, _, part = plain.partition(" and ")
    if part and known.get(part, 1) < 1 and whole in known:
        return known[whole] + known[part]
    return known.get(plain)


def read_ordinal(text: str) -> Fraction | None:
    """The number of an ordinal in words: third. A third is a part of one, and no ordinal."""
    return _known_ordinals().get(text.strip().lower())


@cache
def _known_ordinals() -> dict[str, Fraction]:
    return {ordinal(number): Fraction(number) for number in range(1, 101)}


@cache
def _known_words() -> dict[str, Fraction]:
    """Every wording that is read: whole numbers to 1,000, parts down to hundredths, multiples."""
    known: dict[str, Fraction] = {"once": Fraction(1), "thrice": Fraction(3), "a dozen": Fraction(12)}
    for number in range(1_001):
        known[cardinal(number).replace("-", " ")] = Fraction(number)
    for number, name in _MULTIPLES.items():
        known[name] = Fraction(number)
    known["twice"] = Fraction(2)
    for number in range(2, 101):
        known[f"{cardinal(number)} times".replace("-", " ")] = Fraction(number)
    for below in range(2, 101):
        names = {2: ("half", "halves"), 4: ("quarter", "quarters")}.get(below)
        ordinal_name = ordinal(below).replace("-", " ")
        for one, more in [*([names] if names else []), (ordinal_name, f"{ordinal_name}s")]:
            known |= {f"a {one}": Fraction(1, below), f"one {one}": Fraction(1, below)}
            if names and one == names[0]:
                known[one] = Fraction(1, below)
            known |= {
                f"{cardinal(above)} {more}".replace("-", " "): Fraction(above, below) for above in range(2, below)
            }
    return known
