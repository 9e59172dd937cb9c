"""Numbers in words, and fractions, as digits: "twenty-five percent", "three billion", "5½", "8분의 5"."""

from __future__ import annotations

import re
from decimal import Context, Decimal

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
_KOREAN_FRACTION = re.compile(r"(\d{1,4}) ?분의 ?(\d{1,4})")
_KOREAN_DIGITS = {digit: value for value, digit in enumerate("영일이삼사오육칠팔구")}
_KOREAN_TENS = {"십": 10, "백": 100, "천": 1000}
_KOREAN = re.compile(
    r"(?<![가-힣\d])[일이삼사오육칠팔구십백천]{1,7}(?= ?(?:퍼센트|프로|%|원|만 ?원|달러|개|명|년|배|점|시간|일))"
)
# "1억 2,500만".
_LARGE_KOREAN = re.compile(r"(?<![\d.,])(?:(\d[\d,]*)조 ?)?(?:(\d[\d,]*)억 ?)(?:(\d[\d,]*)(천)?만)")
_CENTS = re.compile(r"(\d+) (?:dollars|euros) and (\d\d) cents")
_ANY = re.compile(rf"(?<![a-z])(?:{_SMALL}|a (?:half|third|quarter))(?![a-z])")
_COUNTED = re.compile(r" (?:percent|per cent|dollars|euros|won|percentage)\b")
_CONTEXT = Context(prec=10)


def in_digits(lower: str, small: bool = True) -> str:
    """The text with numbers in words and fractions written as decimals.

    Without `small`, words up to a hundred only where something large or a part follows: "three billion", "two thirds".
    """
    if _FRACTION.search(lower) or "분의" in lower:
        lower = _KOREAN_FRACTION.sub(lambda match: _ratio(int(match[2]), int(match[1])), lower)
        lower = _FRACTION.sub(lambda match: _ratio(int(match[1]), int(match[2])), lower)
    for pattern, about in _RATIOS:
        if pattern.search(lower) and about.search(lower):
            lower = pattern.sub(lambda match: _ratio(int(match[1]), int(match[2])), lower)
    if not lower.isascii():
        lower = _KOREAN.sub(_korean, lower)
        lower = _LARGE_KOREAN.sub(_large_korean, lower)
    if "cents" in lower:
        lower = _CENTS.sub(r"\1.\2", _WORDS.sub(_worded, lower))
    if not _ANY.search(lower):
        return lower
    lower = _POINT.sub(_with_point, lower)
    return _WORDS.sub(_worded if small else _worded_large, lower)


def _ratio(one: int, other: int) -> str:
    return f"{_CONTEXT.divide(Decimal(one), Decimal(other)):f}" if other else f"{one}/{other}"


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
    plainly = match["part"] or match["half"] or match["scale"] or _COUNTED.match(match.string, match.end())
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
