"""The choice "unknown" said in other words, and refusals, which are not that."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from counterfoil.reading import cues, words
from counterfoil.reading.mentions import Mention

_VERBS = (
    r"(?:determin\w+|tell(?:ing)?|told|know(?:n|ing)?|infer\w*|conclude[d]?|identif\w+|decided?|establish(?:ed)?|"
    r"ascertain\w*|deduced?|say|"
    r"said|sure|certain|judged?|specify|specified|figured? out|pinpoint\w*|answered|definitively|definitely|"
    r"conclusively|confirm(?:ed)?)"
)
# What can't be answered from the text is unknown; who just can't answer declines.
_FROM = cues.FROM_TEXT.pattern
_ENGLISH = re.compile(
    rf"\b(?:can(?:'t|not| not)|could(?:n't| not)|unable to|impossible to|not possible to|no way (?:to|of)|"
    rf"insufficient to|(?:hard|difficult) to|not able to)(?: be)?(?: \w+ly)? {_VERBS}\b|"
    r"(?:\b(?:not|isn't|no|without|insufficient|lack(?:s|ing)?(?: of)?)|n't)"
    r"(?: (?:have|provide|give|contain|offer|include))?(?: (?:us|any|with))?"
    r"(?: (?:enough|sufficient|adequate|additional|further|explicit|clear|specific|direct))* (?:information|info|"
    r"context|evidence|details?|data)\b|(?:\bnot|n't) (?:\w+ly )?(?:specified|stated|clear|known|given|determinable|"
    r"answerable|provided|disclosed|told)\b|\b(?:is|are|remains?)(?: \w+ly)? unknown\b|"
    r"^[^\w\n]{0,9}unknown[^\w\n]{0,9}$|\bno conclusion (?:is |can be )?(?:possible|drawn|reached)\b|"
    rf"\bcan(?:'t|not| not) answer{_FROM}|"
    r"\b(?:no telling|no idea|anyone's guess|who knows)\b|"
    r"\bnothing (?:\w+ ){0,4}?(?:says?|tells?|indicates?|suggests?|states?|shows?|points?)\b|"
    r"\b(?:gives?|offers?|provides?|contains?|is|are) no (?:\w+ )?(?:hints?|clues?|indications?|information|"
    r"evidence|way)"
    r" (?:\w+ )?(?:either|about|as to|of|to|on|whether|which|who)\b|"
    r"\b(?:does not|doesn't|do not|don't|did not|didn't|never)(?: \w+ly)? (?:specify|state|say|mention|tell us|"
    r"indicate|clarify|reveal|provide)\b|\b(?:we|you|one) (?:do not|don't|can't|cannot)(?: \w+ly)? know\b|\b(?:unclear|"
    r"undetermined|indeterminate|undeterminable|unspecified|unknowable|inconclusive)\b",
    re.M,
)
_LATIN_WORD = re.compile(r"[a-z]{4}")
_KOREAN = re.compile(
    r"(?:알|판단할|판별할|확정할|확정지을|확정 지을|확인할|파악할|특정할|결정할|단정할|단정지을|단정 지을|추론할|"
    r"유추할|구분할|판단을 내릴|찾을|확신할|알아낼|결론지을|결론 내릴|결론을 내릴) ?수(?:가|는|도)? ?없|(?:판단|단정|"
    r"확정|결정|특정|파악|확인)(?:이|은|하기|하기가|하기는|하기에는)? ?(?:어렵|어려|힘들|불가)|알기 ?(?:어렵|어려|"
    r"힘들)|(?:정보|근거|단서|내용|언급|증거|맥락)[이가은는도]? ?(?:충분히 |전혀 |더 |따로 |직접적으로 )*"
    r"(?:부족|없|불충분|충분하지 않|제공되지 않|주어지지 않|주어져 있지 않|나와 ?있지 않)|(?:명시|언급|제시|서술|기술|"
    r"설명|특정|명확히 제시)(?:되어 ?있지|돼 ?있지|되지|하지|하고 있지)(?:는|도)? ?않|나와 ?있지(?:는|도)? ?않|"
    r"나타나(?:지|있지|나 있지) ?않|(?:나오|적혀 ?있|쓰여 ?있|밝혀)지 ?않|안 (?:나와|나오|적혀)|모르겠|모릅니다|"
    r"몰라요|모른다|"
    r"알 (?:길|도리|방법)이 없|말할 수 없|말하기 ?(?:어렵|어려)|정할 수 없|불분명|알려지지 않|드러나지 않|불명확"
)
_REFUSAL = re.compile(
    r"can(?:'t|not) (?:help|assist|comply|fulfill|engage)|(?:unable|not able) to (?:help|assist|comply|provide|answer|"
    r"engage)|\bas an ai\b|i'm (?:just )?an ai\b|i am (?:just )?an ai\b|"
    rf"i (?:can't|cannot|won't|will not) answer(?!{_FROM})|"
    r"인공지능|ai ?(?:언어 ?)?모델|도와드릴 수 없|도움을? ?드릴 수 없|답변?(?:을|은|해)? ?(?:드릴|제공할|할|하실|"
    r"해 드릴) ?수(?:는|가)? ?없|답변하지 않|응할 수 없|답변하기 ?(?:어렵|어려|곤란|힘들)"
)
_OTHER_REFUSALS = re.compile(words.either(words.REFUSES))
_INFLECTED = ("없습니다", "없다", "없어요", "없는", "없으므로", "없기", "없으며", "없지만", "없고")


@lru_cache(maxsize=64)
def _untold(languages: tuple[str, ...]) -> re.Pattern[str] | None:
    others = [language for language in languages if language in words.UNTOLD]
    return re.compile(words.either(words.UNTOLD, others)) if others else None


def find_paraphrases(lower: str, unknown: int, languages: tuple[str, ...] = ()) -> list[Mention]:
    """Where the reply says that the question can not be answered from what is given."""
    found = []
    if not lower.isascii():
        found = [Mention(m.start(), m.end(), unknown, False, True) for m in _KOREAN.finditer(lower)]
    if _LATIN_WORD.search(lower):
        found += [Mention(m.start(), m.end(), unknown, False, True) for m in _ENGLISH.finditer(lower)]
    untold = _untold(languages)
    if untold is not None:
        found += [Mention(m.start(), m.end(), unknown, False, True) for m in untold.finditer(lower)]
    return found


def find_inflected(lower: str, stems: Sequence[tuple[int, str]]) -> list[Mention]:
    """Where a choice that ends in "없음" stands as a sentence: "알 수 없습니다"."""
    found = []
    for place, stem in stems:
        at = lower.find(stem)
        while at >= 0:
            end = at + len(stem)
            if lower.startswith(_INFLECTED, end):
                found.append(Mention(at, end + 1, place, False, True))
            at = lower.find(stem, end)
    return found


def is_refusal(lower: str) -> bool:
    """Whether the reply declines to answer at all."""
    return _REFUSAL.search(lower) is not None or _OTHER_REFUSALS.search(lower) is not None
