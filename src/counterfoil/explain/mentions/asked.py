"""What a question asks for, and how much of that a clause of a reply speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from counterfoil.explain.mentions.korean import without_particles
from counterfoil.explain.mentions.vocabulary import FUNCTION_WORDS, KINDS, folded
from counterfoil.explain.mentions.words import Word, fold, is_hangul, words_of

# How much a word of the question tells about what is asked: a name or a number in it is only the topic, which replies
# leave out once they have said it; the kind of thing that is asked for ("which country") goes without saying.
_ASKED, _TOPIC, _KIND = 1.0, 0.25, 0.2
_WH = folded("what which who whom whose where when how why name")
_KOREAN_WORDS = """
누구 어디 무엇 언제 몇 얼마 어느 어떤 뭐 무슨
"""
_WH_KOREAN = frozenset(_KOREAN_WORDS.split())
_BE = folded("is are was were be does do did has have had can could would many much long old far tall")
_EMPTY = FUNCTION_WORDS | _WH | _BE | folded("name called known following please given")
_KOREAN_WORDS2 = """
사람 곳 것 나라 도시 해 년도 이름 가장 인가요 인가 있 하 되 입니까 있나요 하나요
"""
_EMPTY_KOREAN = _WH_KOREAN | frozenset(_KOREAN_WORDS2.split())
_GENERIC = (KINDS - {"fall"}) | folded(
    "country nation state person man woman year date number name word term element animal bird plant planet company "
    "people artist writer author painter composer player actor scientist physicist kind type sort thing one place"
)
_IRREGULAR = """
begin began begun | break broke broken | bring brought | build built | buy bought | catch caught |
choose chose chosen | come came | do did done | draw drew drawn | drive drove driven | eat ate eaten |
fall fell fallen | feel felt | fight fought | find found | fly flew flown | get got gotten | give gave given |
go went gone | grow grew grown | hold held | keep kept | know knew known | lead led | leave left | lie lay lain |
lose lost | make made | mean meant | meet met | pay paid | play played | rise rose risen | run ran | say said |
see saw seen | sell sold | send sent | shoot shot | sing sang sung | sink sank sunk | sit sat |
speak spoke spoken | spend spent | stand stood | steal stole | swim swam swum | take took taken | teach taught |
tell told | think thought | throw threw thrown | wear wore worn | win won winner winning |
write wrote written writer author authored | compose composer | paint painter painted |
invent inventor invention | discover discoverer discovery | large largest larger big biggest bigger |
high highest higher tall tallest taller | small smallest smaller tiny tiniest | long longest longer |
old oldest older | heavy heaviest heavier | deep deepest deeper | fast fastest faster | die died death dying
"""
_SAME = {form: forms[0] for forms in (group.split() for group in _IRREGULAR.split("|")) for form in forms}
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_RANKED = re.compile(r"\b(?:second|third|fourth|fifth|next)\b|두 번째|둘째|[2-9]대|[2-9]위", re.I)
_FIRST = re.compile(r"\b(?:first|original)|최초|초대|첫", re.I)
_SUFFIX = re.compile(r"(?<=[a-z]{3})(?:ing|ed|er|est|e)$")


@lru_cache(maxsize=1 << 14)
def stem(raw: str) -> str:
    """One key for the forms of a word: "fell" and "fall", "painted" and "painter", 수도는 and 수도."""
    if is_hangul(raw):
        return without_particles(raw)
    lower = raw.casefold()
    if lower in _SAME:
        return _SAME[lower]
    key = fold(raw)
    return _SUFFIX.sub("", _SAME.get(key, key))


class Asked(NamedTuple):
    """The words of a question by what they tell about what is asked, and their sum."""

    weights: Mapping[str, float]
    kinds: frozenset[str]
    topic: frozenset[str]
    years: frozenset[str]
    words: frozenset[str]
    first: bool
    ranked: bool  # asks for the second, the third
    total: float

    def share(self, stems: Iterable[str]) -> float:
        """How much of what is asked these words speak of, 0 to 1."""
        return sum(self.weights.get(one, 0.0) for one in set(stems)) / self.total if self.total else 0.0


@lru_cache(maxsize=4096)
def asked(question: str) -> Asked:
    words = words_of(question)
    quoted = [(match.start(), match.end()) for match in re.finditer(r"[\"“‘「'][^\"”’」']{2,80}[\"”’」']", question)]
    weights: dict[str, float] = {}
    kinds, topic = set(), set()
    for at, word in enumerate(words):
        one = stem(word.raw)
        if word.key in _EMPTY or one in _EMPTY_KOREAN or not one:
            continue
        if word.key in _GENERIC and word.raw.islower():
            weight = _KIND
            kinds.add(one)
        else:
            weight = _TOPIC if _is_topic(word, at, quoted) else _ASKED
            if weight == _TOPIC:
                topic.add(one)
        weights[one] = max(weight, weights.get(one, 0.0))
    return Asked(
        weights,
        frozenset(kinds),
        frozenset(topic),
        frozenset(_YEAR.findall(question)),
        frozenset(word.key for word in words),
        _FIRST.search(question) is not None,
        _RANKED.search(question) is not None,
        sum(weights.values()),
    )


def _is_topic(word: Word, at: int, quoted: list[tuple[int, int]]) -> bool:
    if any(start <= word.start < end for start, end in quoted):
        return True
    if is_hangul(word.raw):
        return word.raw.endswith("의")
    return word.raw[0].isdigit() or (at > 0 and word.raw[0].isupper())
