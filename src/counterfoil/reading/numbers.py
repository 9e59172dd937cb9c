"""Numbers as replies write them: separators, signs, percent, millions, powers of ten, words and fractions."""

from __future__ import annotations

import re
from decimal import Context, Decimal
from functools import lru_cache
from typing import NamedTuple

from counterfoil.reading.text import clean

_MAX_DIGITS, _MAX_EXPONENT = 40, 40
_CONTEXT = Context(prec=100)
# How far in size a number may be from the expected one: as an answer in the unit asked for, and in another.
_FAR, _NEAR = 900, 10
_ONE, _TEN = Decimal(1), Decimal(10)
PERCENT = Decimal("0.01")
_UNITS: dict[str, Decimal] = {
    **dict.fromkeys(("%", "percent", "per cent", "pct", "percentage point", "퍼센트", "프로"), PERCENT),
    **dict.fromkeys(("basis point", "bp", "베이시스포인트"), Decimal("0.0001")),
    **dict.fromkeys(("thousand", "k", "천"), Decimal(10**3)),
    **dict.fromkeys(("million", "mn", "mln", "mm", "mio", "m", "백만"), Decimal(10**6)),
    **dict.fromkeys(("billion", "bn", "bln", "b", "십억"), Decimal(10**9)),
    **dict.fromkeys(("trillion", "tn", "trn", "t", "조"), Decimal(10**12)),
    **dict.fromkeys(("만",), Decimal(10**4)),
    **dict.fromkeys(("천만",), Decimal(10**7)),
    **dict.fromkeys(("억",), Decimal(10**8)),
    **dict.fromkeys(("lakh",), Decimal(10**5)),
    **dict.fromkeys(("crore",), Decimal(10**7)),
}
# Single letters other than m stand right behind the number: "15 b" may be anything.
_UNIT = (
    r"(?: ?(?:%|퍼센트|프로|베이시스포인트|천만|백만|십억|천|만|억|조)"
    r"|[ -]?(?:percentage points?|percent|per cent|pct|basis points?|bps?|thousands?|millions?|billions?|trillions?|"
    r"lakhs?|crores?"
    r"|mn|mln|mm|mio|bn|bln|tn|trn|m)(?![a-z0-9])|[kbt](?![a-z0-9']))"
)
_BODY = r"\d{1,3}(?:[ ']\d{3})++(?:[.,]\d+)?(?![\d'])|\d++(?:[.,'_]\d+)*+|\.\d+"
NUMBER = re.compile(
    rf"(?P<bracket>\( ?)?(?P<sign>[-+] ?|(?:minus|negative) )?(?<![a-z0-9_.,])(?P<body>{_BODY})"
    r"(?:e(?P<e>[-+]?\d{1,3})(?!\w)| ?[x×·] ?10 ?\^ ?\(?(?P<power>[-+]?\d{1,3})\)?)?"
    rf"(?P<unit>{_UNIT})?(?:(?P<close> ?\))(?P<behind>{_UNIT})?)?",
    re.ASCII,
)
# What may not follow: letters ("5th", but "1.56x"), a hyphen and a word ("10-year").
_GOES_ON = re.compile(r"(?!(?:x|km|kg|cm|mm|ml|kwh|km/h|mph|hrs?|usd|eur)\b)[a-z0-9_]|-[a-z]|[.,]\d")
_LABELLED = re.compile(
    r"(?:year|month|period|step|option|part|question|equation|level|chapter|table|exhibit|statement|portfolio|bond|"
    r"fund|"
    r"scenario|company|project|stock|strategy|reason|recommendation|conclusion|item|case|#|표|그림|문제|단계|제) ?$"
)


class Stated(NamedTuple):
    """A number with what it is counted in: 0.01 for percent, 1,000,000 for millions, None where nothing is said."""

    value: Decimal
    unit: Decimal | None
    decimals: int
    start: int
    end: int

    @property
    def absolute(self) -> Decimal:
        return self.value if self.unit is None else _CONTEXT.multiply(self.value, self.unit)


def number_at(lower: str, at: int, end: int) -> Stated | None:
    """The number that begins here, in plain text in lower case."""
    match = NUMBER.match(lower, at, end)
    return None if match is None else _stated(lower, match)


def numbers_in(lower: str, start: int, end: int) -> list[Stated]:
    """All numbers of a stretch of text that are not part of a word, and no label of something."""
    found = (_stated(lower, match) for match in NUMBER.finditer(lower, start, end))
    return [one for one in found if one is not None and not _LABELLED.search(lower, max(0, one.start - 12), one.start)]


def in_unit(stated: Stated, unit: Decimal, digits: int, around: Decimal | None) -> Decimal:
    """The number in this unit.

    Where a reply names no unit, it means the one that was asked for, or none: a share for a percentage, dollars for
    millions of dollars. With `around`, an answer of the expected size, the reading that is nearer to it in size
    counts. Without, a number below 1 with more digits behind the point than a percentage was asked for with is a
    share, and anything else is in the unit asked for.
    """
    if stated.unit is not None:
        return _CONTEXT.divide(stated.absolute, unit)
    value = stated.value
    if unit == _ONE or not value:
        return value
    other = _CONTEXT.divide(value, unit)
    if around is None:
        return other if unit == PERCENT and abs(value) < 1 and stated.decimals > digits else value
    if not around:
        return value
    # Nearer on a logarithmic scale: value / around and other / around multiply to less than 1, or to more.
    product = _CONTEXT.divide(_CONTEXT.multiply(abs(value), abs(other)), _CONTEXT.multiply(around, around))
    return other if (product < 1) == (unit < 1) and product != 1 else value


def of_size(number: Decimal, value: Decimal, around: Decimal | None) -> Decimal:
    """The number; where it is far from the expected size, as it stands, or in thousands to billions, if that fits."""
    if not around or not number or _is_near(number, around, _FAR):
        return number
    scaled = (value, *(number.scaleb(-power, _CONTEXT) for power in (3, 6, 9)))
    return next((one for one in scaled if one != number and _is_near(one, around, _NEAR)), number)


def _is_near(number: Decimal, around: Decimal, times: int) -> bool:
    return abs(around) < abs(number) * times and abs(number) < abs(around) * times


def number_matches(number: Decimal, gold: Decimal, digits: int) -> bool:
    """Whether they differ by no more than half a unit of the last digit asked for. Both are in printed units.

    >>> number_matches(Decimal("15.504"), Decimal("15.50"), 2)
    True
    >>> number_matches(Decimal("15.51"), Decimal("15.50"), 2)
    False
    """
    return is_close(number, gold, digits, None)


def is_close(number: Decimal, gold: Decimal, digits: int, tolerance: Decimal | None) -> bool:
    """As `number_matches`; they may also differ by `tolerance`, if that is larger.

    >>> is_close(Decimal("15.51"), Decimal("15.50"), 2, Decimal("0.1"))
    True
    """
    half = Decimal(5).scaleb(-digits - 1)
    return abs(number - gold) <= (half if tolerance is None else max(half, tolerance))


@lru_cache(maxsize=65_536)
def printed_number(option: str) -> Stated | None:
    """The one number of an option as printed, with its unit; None where it holds none, or several."""
    return only_number(clean(option).lower())


def only_number(lower: str) -> Stated | None:
    """The same, for plain text in lower case."""
    found = numbers_in(lower, 0, len(lower))
    return found[0] if len(found) == 1 else None


def _stated(lower: str, match: re.Match[str]) -> Stated | None:
    read = _body(match["body"])
    exponent = int(match["e"] or match["power"] or 0)
    if read is None or abs(exponent) > _MAX_EXPONENT:
        return None
    start, end = match.start("body"), match.end()
    in_brackets = match["bracket"] is not None and match["close"] is not None
    if match["close"] is not None and not in_brackets:
        end = match.start("close")
    if _GOES_ON.match(lower, end):
        return None
    value, decimals = read
    if exponent:
        value = value.scaleb(exponent, _CONTEXT)
    sign = match["sign"]
    if sign is not None and not sign.startswith("+") and _is_sign(lower, match.start("sign")):
        value, start = -value, match.start("sign")
    elif in_brackets and sign is None:
        value = -value
    if in_brackets:
        start = match.start()
    unit = match["unit"] or (match["behind"] if in_brackets else None)
    if unit is not None and match["power"] and unit.strip() == "m":
        unit = None  # metres
    return Stated(value, None if unit is None else _UNITS[unit.strip(" -").removesuffix("s")], decimals, start, end)


def _is_sign(lower: str, at: int) -> bool:
    """Not the dash of "15-16", nor the minus of "20 - 5"."""
    before = lower[max(0, at - 2) : at]
    return not (before[-1:].isalnum() or before.rstrip()[-1:].isdigit() or before.rstrip()[-1:] in (")", "%"))


def _body(text: str) -> tuple[Decimal, int] | None:
    """Value and digits behind the point; None where the separators make no number, or there are too many digits.

    A comma is a decimal one where it can't separate thousands: not three digits behind it, or a 0 or more than three
    digits before it. A single point is a decimal one.
    """
    if text.isdigit():
        return (Decimal(text), 0) if len(text) <= _MAX_DIGITS else None
    if len(text) > 2 * _MAX_DIGITS:
        return None
    for separator in " '_":
        if separator in text:
            whole = re.split(r"[.,]", text)[0]
            if not _is_grouped(whole.split(separator)) or separator in text[len(whole) :]:
                return None
            text = text.replace(separator, "")
    point = max(text.rfind("."), text.rfind(","))
    if point >= 0:
        mark, other = text[point], "," if text[point] == "." else "."
        whole, behind = text[:point], text[point + 1 :]
        groups = text.split(mark)
        if mark in whole:  # 1,234,567 or 1.234.567
            if other in text or not _is_grouped(groups):
                return None
            text = "".join(groups)
        elif other in whole and not _is_grouped(whole.split(other)):
            return None
        elif mark == "," and other not in whole and len(behind) == 3 and 1 <= len(whole) <= 3 and whole[0] != "0":
            text = whole + behind
        else:
            text = f"{whole.replace(other, '')}.{behind}"
    value = Decimal(text)
    return (value, len(text.partition(".")[2])) if len(text) <= _MAX_DIGITS else None


def _is_grouped(groups: list[str]) -> bool:
    """Thousands, or the lakhs and crores of "12,34,567"."""
    if len(groups) < 2 or not 1 <= len(groups[0]) <= 3 or len(groups[-1]) != 3:
        return False
    return {len(group) for group in groups[1:-1]} in (set(), {2}, {3})


# Numbers in words: "twenty-five percent", "three billion", "5½", "8분의 5".
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_VALUES = {word: value for value, word in enumerate(_ONES.split())}
_VALUES |= {word: 10 * value for value, word in enumerate(_TENS.split(), 2)}
_SMALL = "|".join(sorted(_VALUES, key=len, reverse=True))
_SCALES = "thousand|million|billion|trillion"
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_PART = "half|halves|thirds?|quarters?|fourths?|fifths?|sixths?|eighths?|tenths?"
# "one" alone is often no number: it must be followed by something to count.
_WORDS = re.compile(
    rf"(?<![\w-])(?:(?P<count>a|one|two|three|four|five|seven|nine)[ -](?P<part>{_PART})|"
    rf"(?P<whole>(?:{_SMALL})(?:[ -](?:and )?(?:{_SMALL}|hundred))*)"
    rf"(?: and (?P<half>a half|one half|a quarter|three quarters))?(?=(?: (?P<scale>{_SCALES}))?))(?![\w-])"
)
_POINT = re.compile(rf"(?<![\w-])(?P<whole>{_SMALL}) point (?P<digits>(?:{_SMALL})(?: (?:{_SMALL})){{0,5}})(?![\w-])")
_FRACTION = re.compile(r"(?<![\d./,×*+^(-])(?<![×*+/^-] )(\d{1,4}) ?/ ?(\d{1,4})(?![\d/.,]\d|\d)(?! ?[-×*+=≈^(/÷])")
# "3:4" is a number where a ratio is spoken of, "1 in 5" where a chance is.
_RATIOS = (
    (re.compile(r"(?<![\d:.])(\d{1,4}) ?: ?(\d{1,4})(?![\d:])"), re.compile(r"\bratio\b|비율")),
    (
        re.compile(r"(?<![\d.,])(\d{1,4}) (?:in|out of) (\d{1,6})(?![\d.,]\d|\d)"),
        re.compile(r"\b(?:probability|chances?|odds)\b"),
    ),
)
# "1.8 to 1" is 1.8.
_TO_ONE = re.compile(
    r"(?<![\d.,:] )(?<![\d.,:])(\d{1,4}\.\d{1,4}|[2-9]\d{0,3})(?: to 1| ?: ?1(?!\d))(?![\d,]|\.\d|%| [a-z%])"
)
_KOREAN_FRACTION = re.compile(r"(\d{1,4}) ?분의 ?(\d{1,4})")
_KOREAN_DIGITS = {digit: value for value, digit in enumerate("영일이삼사오육칠팔구")}
_KOREAN_TENS = {"십": 10, "백": 100, "천": 1000}
_KOREAN = re.compile(
    r"(?<![가-힣\d])[일이삼사오육칠팔구십백천]{1,7}(?= ?(?:퍼센트|프로|%|원|만 ?원|달러|개|명|년|배|점|시간|일))"
)
# "1억 2,500만".
_LARGE_KOREAN = re.compile(r"(?<![\d.,])(?:(\d[\d,]*)조 ?)?(?:(\d[\d,]*)억 ?)(?:(\d[\d,]*)(천)?만)")
_WON = re.compile(r"(?<![\d.,])(\d[\d,]{0,6})만 ?(\d[\d,]{2,4})(?= ?원)")
_CENTS = re.compile(r"(\d+) (?:dollars|euros) and (\d\d) cents")
_ANY = re.compile(rf"(?<![a-z])(?:{_SMALL}|a (?:half|third|quarter))(?![a-z])")
_COUNTED = re.compile(r" (?:percent|per cent|dollars|euros|won|percentage)\b")
_ROUGH = Context(prec=10)


def in_digits(lower: str, small: bool = True) -> str:
    """The text with numbers in words and fractions written as decimals.

    Without `small`, words up to a hundred only where something large or a part follows: "three billion", "two thirds".
    """
    if _FRACTION.search(lower) or "분의" in lower:
        lower = _KOREAN_FRACTION.sub(lambda match: _ratio(int(match[2]), int(match[1])), lower)
        lower = _FRACTION.sub(lambda match: _ratio(int(match[1]), int(match[2])), lower)
    lower = _TO_ONE.sub(r"\1", lower) if " to 1" in lower or ":1" in lower else lower
    for pattern, about in _RATIOS:
        if pattern.search(lower) and about.search(lower):
            lower = pattern.sub(lambda match: _ratio(int(match[1]), int(match[2])), lower)
    if not lower.isascii():
        lower = _KOREAN.sub(_korean, lower)
        lower = _LARGE_KOREAN.sub(_large_korean, lower)
        lower = _WON.sub(
            lambda match: str(int(match[1].replace(",", "")) * 10**4 + int(match[2].replace(",", ""))), lower
        )
    if "cents" in lower:
        lower = _CENTS.sub(r"\1.\2", _WORDS.sub(_worded, lower))
    if not _ANY.search(lower):
        return lower
    lower = lower.replace("a hundred", "one hundred")
    lower = _POINT.sub(_with_point, lower)
    return _WORDS.sub(_worded if small else _worded_large, lower)


def _ratio(one: int, other: int) -> str:
    return f"{_ROUGH.divide(Decimal(one), Decimal(other)):f}" if other else f"{one}/{other}"


def _worded(match: re.Match[str]) -> str:
    if match["part"]:
        part = match["part"].replace("halves", "half").removesuffix("s")
        count = 1 if match["count"] == "a" else _VALUES[match["count"]]
        return _ratio(count, _PARTS[part])
    if match["whole"] == "one" and not (match["half"] or match["scale"]):
        return match[0]
    value = 0
    for word in re.split(r"[ -]+", match["whole"]):
        value = value * 100 if word == "hundred" else value + _VALUES.get(word, 0)
    quarters = {"a half": ".5", "one half": ".5", "a quarter": ".25", "three quarters": ".75"}
    return f"{value}{quarters.get(match['half'] or '', '')}"


def _worded_large(match: re.Match[str]) -> str:
    is_large = match["scale"] or "hundred" in (match["whole"] or "")
    plainly = match["part"] or match["half"] or is_large or _COUNTED.match(match.string, match.end())
    return _worded(match) if plainly else match[0]


def _with_point(match: re.Match[str]) -> str:
    return f"{_VALUES[match['whole']]}.{''.join(str(_VALUES[word]) for word in match['digits'].split())}"


def _large_korean(match: re.Match[str]) -> str:
    trillions, hundreds, tens = (int((match[i] or "0").replace(",", "")) for i in (1, 2, 3))
    return str(trillions * 10**12 + hundreds * 10**8 + tens * (10**7 if match[4] else 10**4))


def _korean(match: re.Match[str]) -> str:
    value, digit = 0, 0
    for character in match[0]:
        if character in _KOREAN_TENS:
            value += max(digit, 1) * _KOREAN_TENS[character]
            digit = 0
        else:
            digit = _KOREAN_DIGITS[character]
    return str(value + digit)
