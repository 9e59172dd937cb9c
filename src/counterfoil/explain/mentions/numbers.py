"""Whether a number in a reply is a number of what the question asks for."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from counterfoil.explain.mentions.context import Reply, is_capital
from counterfoil.explain.mentions.forms import Lexicon
from counterfoil.explain.mentions.korean import without_particles
from counterfoil.explain.mentions.names import is_number
from counterfoil.explain.mentions.vocabulary import (
    FUNCTION_WORDS,
    MONTH_NUMBERS,
    NEUTRAL,
    NUMBERED,
    UNITS,
    UNITS_AFTER_HOW,
    UNITS_ASKED_FOR,
    VERBS,
)

_DATE = re.compile(r"\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{4}")
_NOUN_BEFORE = re.compile(r"([가-힣]+) ?$")
_TOGETHER = re.compile(
    "모두|총|약|전체|각각|무려|전부|합쳐서?|다|대략|최대|최소|오직|단|겨우|더해|더하면|합해|합하면|한 팀|팀당|바로|즉"
)
_JUST = frozenset(("just", "only", "exactly", "precisely", "about"))
_PART_OF = frozenset(("which", "them", "thes", "thos", "whom"))
_DEGREES = re.compile(r"\s?(?:°|º|degrees)\s?([CF])")
_NOT_COUNTING = frozenset(("the", "other", "of", "thes", "thos"))


def is_number_of_it(reply: Reply, first: int, last: int, known: Lexicon) -> bool:
    """Whether it stands for a number of what is asked for: not for a list's item, a day, a label, a measure."""
    if known.counts and _counts_something_else(reply, last, known):
        return False
    if first != last:  # "twenty-five", "one hundred", "11 players"; but not 20^5
        return not all(map(is_number, reply.keys[first : last + 1])) or reply.raws[last].isalpha()
    if not reply.raws[first][0].isdecimal():
        return _is_number_word_of_it(reply, first, known)
    return not (
        _is_list_item(reply, first)
        or _is_day(reply, first)
        or _is_label_or_ratio(reply, first, known.question_keys)
        or _is_measure(reply, first, known.question_keys)
    )


def _counts_something_else(reply: Reply, at: int, known: Lexicon) -> bool:
    """As in "52 white keys" and "5 substitutes", where keys or players are asked for; and "106 of which"."""
    after = reply.after(at)
    if after is None or reply.gap(at) != " " or not after.raw.islower() or after.key in known.counted:
        return False
    beyond = reply.after(at + 1)
    if after.key == "of":
        return beyond is not None and beyond.key in _PART_OF
    if after.key in FUNCTION_WORDS or after.key in NEUTRAL or after.key in UNITS or after.key in known.question_keys:
        return False
    if beyond is not None and reply.gap(at + 1) == " ":
        is_noun = beyond.raw.islower() and beyond.raw.endswith("s") and beyond.key not in FUNCTION_WORDS | VERBS
        if beyond.key in known.counted or (is_noun and beyond.key not in known.question_keys):
            return True
    return after.raw.endswith("s") and not after.raw.endswith(("ss", "us", "is")) and after.key not in VERBS


def counts_another(text: str, number: re.Match[str], asked: frozenset[str]) -> bool:
    """흰건반 52개, where 건반 are asked for: what is counted stands right before the number in Korean."""
    if number[0][-1] not in "개명마리권대곳" or not number[0][0].isdigit():
        return False
    before = _NOUN_BEFORE.search(text, max(0, number.start() - 20), number.start())
    if before is None or _TOGETHER.fullmatch(before[1]):
        return False
    noun = without_particles(before[1])
    return noun == before[1] and noun not in asked


def _is_list_item(reply: Reply, at: int) -> bool:
    """The "3." or "3)" that begins a line, and "(1) one thing, (2) another"; but not "ten (10)"."""
    if at + 1 == len(reply) or len(reply.raws[at]) > 3 or (at == 0 and _opens_no_list(reply)):
        return False
    after = reply.gap(at)
    if after[:1] not in (".", ")") or after[1:2] not in (" ", "*", "\t"):
        return False
    before = reply.gap(at - 1) if at else "\n" + reply.text[: reply.starts[0]]
    begins_line = "\n" in before and not before.rpartition("\n")[2].strip(" \t*#-•(>")
    repeated = at > 0 and reply.keys[at - 1] == reply.keys[at]
    return begins_line or (after[0] == ")" and not repeated and reply.raws[at + 1][0].isalpha())


def _opens_no_list(reply: Reply) -> bool:
    """The "180." of "180. Some people think …" is the answer: lists begin with 1, or go on with the next number."""
    number = reply.raws[0]
    if not number.isdecimal() or int(number) <= 1:
        return False
    return re.search(rf"\n\W*{int(number) + 1}[.)]", reply.text) is None


@lru_cache(maxsize=4096)
def _units_asked_for(asked: tuple[str, ...]) -> frozenset[str]:
    """The units that the question names, and those in which it can be answered: "how old" asks for years."""
    units = set(asked)
    for before, key in pairwise(("", *asked)):
        units |= UNITS_ASKED_FOR.get(key, frozenset())
        if before == "how":
            units |= UNITS_AFTER_HOW.get(key, frozenset())
    return frozenset(units)


def _is_day(reply: Reply, at: int) -> bool:
    """A day or month in a date: "March 4", "4 March", 2018-03-04, 3월 4일."""
    if len(reply.keys[at]) > 2:
        return False
    if at and reply.gap(at - 1) in (" ", ". ") and reply.keys[at - 1] in MONTH_NUMBERS:
        return True
    if at + 1 < len(reply):
        gap, key = reply.gap(at), reply.keys[at + 1]
        if gap == " " and key in MONTH_NUMBERS and (key != "may" or is_capital(reply[at + 1])):
            return True
        if gap == "" and key[0] in "월일":
            return True
    start = max(0, reply.starts[at] - 8)
    around = reply.text[start : reply.starts[at] + 10]
    return any(date.start() <= reply.starts[at] - start < date.end() for date in _DATE.finditer(around))


def _is_label_or_ratio(reply: Reply, at: int, asked: tuple[str, ...]) -> bool:
    """The 2 of "season 2", unless seasons are asked for; 7:30; 10 %."""
    before = reply.gap(at - 1) if at else ""
    is_last = at + 1 == len(reply)
    after = reply.text[reply[at].end :][:2] if is_last else reply.gap(at)
    if before == " " and reply.keys[at - 1] in NUMBERED and reply.keys[at - 1] not in asked:
        return True
    if before == ":" and is_number(reply.keys[at - 1]):
        return True
    if after == ":" and not is_last and is_number(reply.keys[at + 1]):
        return True
    degrees = _DEGREES.match(reply.text, reply.end(at))
    if degrees is not None:
        other = {"C": "fahrenheit", "F": "celsiu"}[degrees[1]]
        return other in asked
    return after.lstrip().startswith("%") and "percent" not in _units_asked_for(asked)


def _is_measure(reply: Reply, at: int, asked: tuple[str, ...]) -> bool:
    """As in "30 minutes" and "15-30 mph", in another unit than those that the question asks for."""
    for at_range in (at, at + 1, at + 2):
        if at_range + 1 >= len(reply):
            return False
        gap, key = reply.gap(at_range), reply.keys[at_range + 1]
        if gap in (" ", "-", "‑", "") and key in UNITS:
            return key not in _units_asked_for(asked)
        if gap not in (" ", "-", "–", "—") or not (is_number(key) or key in ("to", "or")):
            return False
    return False


def _is_number_word_of_it(reply: Reply, at: int, known: Lexicon) -> bool:
    before, after = reply.before(at), reply.after(at)
    # "Zero degrees" where a temperature is asked for, but not "one day" because the question speaks of a day.
    units = _units_asked_for(known.question_keys).difference(known.question_keys)
    counted = after is not None and (after.key in known.counted or after.key in units)
    # "The Three Musketeers" counts nothing.
    if before is not None and not reply.raws[at].islower() and not counted:
        return False
    if before is not None and reply.gap(at - 1) == "-" and is_number(before.key):
        return False
    if counted:
        return True
    if after is None and known.counts and (before is None or before.key in _JUST):
        return True
    if len(reply) == 1:
        return True
    if reply.keys[at] in ("0", "1") or _is_measure(reply, at, known.question_keys):
        return False
    if known.counts:
        return before is None or before.key not in _NOT_COUNTING
    return after is None and (before is None or before.key in ("number", "not", "is", "or", "be"))
