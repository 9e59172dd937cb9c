"""Korean: what is written on to a noun without a space, and names in Latin letters that are known in Hangul."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

# Several can follow each other: 서울+에서+는.
_PARTICLES = """
은 는 이 가 을 를 의 에 에서 에게 에게서 한테 께 께서 로 으로 로서 으로서 로써 으로써 와 과 랑 이랑 하고 도 만 까지
부터 마저 조차 밖에 뿐 보다 처럼 같이 만큼 대로 마다 나 이나 든지 든 라도 며 고 다 요 야 인 일 들 씨 님 군 양 등 쯤 경
에선 에겐 한테선 란 라는 라고 라 라면 자 임 측
"""
# What follows the stem of "to be", by the stem's form: plain, past, honorific, honorific past. In front of each 이 may
# stand or fall: 순종이십니다, 이순신이셨습니다, 부산이었지만, 대구였어요, 서울이랍니다.
_PLAIN = """
다 며 고 고요 구요 면서 자 지만 지요 죠 네요 군요 거든요 므로 니 니까 란 라는 라고 라고도 라 라면 라서
라기보다 라네요 라던데 라든지 라도 어서 여서 어야 여야 에요 예요 야 요 든지 든 든가 냐 냐고 나 기 기도
기에 기는
"""
_IRREGULAR = """
입니다 입니다만 랍니다 이랍니다 란다 이란다 래요 이래요 인 인데 인데요 인지 인가 인가요 일 일까 일까요 일지
일지도 임 임을 입니까 인줄 이지
"""
_PAST = """
다 습니다 습니다만 어요 죠 지요 지만 고 고요 으며 으나 으므로 으니 으니까 던 는데 는데요 을 을까 을지 음
음을 네요 군요 거든요 답니다 다고 다는
"""
_HONORIFIC = "다 며 고 지만 지요 죠 니 므로 라고 라는 라 네요 군요 던 는데 기도"


def _copulas() -> list[str]:
    plain = [i + ending for ending in _PLAIN.split() for i in ("", "이")]
    past = [stem + ending for stem in ("이었", "였", "이셨", "셨") for ending in _PAST.split()]
    honorific = [stem + ending for stem in ("이시", "시") for ending in _HONORIFIC.split()]
    honorific += [
        i + ending for i in ("", "이") for ending in ("십니다", "십니까", "세요", "셔요", "신", "신데", "신지", "실")
    ]
    return [*_IRREGULAR.split(), *plain, *past, *honorific]


_ENDINGS = "|".join(sorted({*_PARTICLES.split(), *_copulas()}, key=len, reverse=True))
# What kind of place it is, often written on to its name: 대구광역시 is 대구.
_PLACE = "(?:광역시|특별시|특별자치시|특별자치도|시)?"
# What somebody is, written on to the name: 정조대왕 is 정조.
_TITLE = "(?:대왕|황제|여왕|왕|장군|대통령|선생|교수|박사)?"
ENDING = f"{_PLACE}{_TITLE}(?:{_ENDINGS}){{0,3}}"
# Verbs made of a noun: 반포된, 반포되었습니다 and 반포했다 are 반포.
_VERB = re.compile("(?:되었|되어|되는|된|됐|됩|하였|하여|하는|한|했|합니|시킨|시켰)[가-힣]*$")
_LAST = re.compile(f"(?:{_ENDINGS})$")


@lru_cache(maxsize=1 << 14)
def without_particles(word: str) -> str:
    """The noun of a word; at least two syllables stay. 수도는 and 수도였습니다 are 수도; nothing is left of 를."""
    if _LAST.fullmatch(word):
        return ""
    verb = _VERB.search(word, 2)
    if verb is not None:
        return word[: verb.start()]
    for _ in range(3):
        match = _LAST.search(word, 2)
        if match is None:
            break
        word = word[: match.start()]
    return word


# The consonants of Hangul and of Latin letters, by how they sound alike.
_INITIALS = ["K", "K", "N", "T", "T", "L", "M", "P", "P", "S", "S", "-", "J", "J", "J", "K", "T", "P", "-"]
_FINALS = [
    "-",
    "K",
    "K",
    "K",
    "N",
    "N",
    "N",
    "T",
    "L",
    "K",
    "M",
    "P",
    "S",
    "T",
    "P",
    "-",
    "M",
    "P",
    "P",
    "S",
    "S",
    "N",
    "J",
    "J",
    "K",
    "T",
    "P",
    "-",
]
_LATIN = (
    ("sch|sh|x|s", "S"),
    ("ch|j|z", "J"),
    ("ph|[bpfv]", "P"),
    ("ck|[kqcg]", "K"),
    ("th|[dt]", "T"),
    ("r(?=[^aeiouy]|$)", ""),
    ("[lr]", "L"),
    ("m", "M"),
    ("ng|n", "N"),
    ("[aeiouy]+", "."),
)
_SOUNDS = re.compile("|".join(f"({letters})" for letters, _ in _LATIN))
_CLASSES = [sound for _, sound in _LATIN]
_TWICE = re.compile(r"(.)\1+")
_LATIN_NAME = re.compile(r"(?<![A-Za-z])[A-Z][a-z]{3,}(?![A-Za-z])")
_LEAST = 3


def _of_hangul(word: str) -> str:
    sounds = []
    for letter in word:
        code = ord(letter) - 0xAC00
        sounds += [_INITIALS[code // 588], ".", _FINALS[code % 28]]
    return _skeleton("".join(sounds).replace("-", ""))


def _skeleton(sounds: str) -> str:
    """The consonants, each once where it stands twice in a row: 콜럼버스 is KLMPS, 가가린 KKLN."""
    return _TWICE.sub(r"\1", sounds).replace(".", "")


def _of_latin(word: str) -> str:
    found = _SOUNDS.finditer(word.casefold())
    return _skeleton("".join(_CLASSES[(match.lastindex or 1) - 1] for match in found))


def sounds_of(names: Sequence[tuple[int, str]]) -> dict[str, int]:
    """The last words of names in Hangul, by their consonants: those that only one answer has."""
    owners: dict[str, set[int]] = {}
    for owner, name in names:
        words = name.split()
        if words and all("가" <= letter <= "힣" for letter in words[-1]):
            owners.setdefault(_of_hangul(words[-1]), set()).add(owner)
    return {sound: next(iter(of)) for sound, of in owners.items() if len(of) == 1 and len(sound) >= _LEAST}


def in_latin_letters(text: str, sounds: Mapping[str, int]) -> list[tuple[int, int, int]]:
    """Where a name that is known in Hangul stands in Latin letters: start, end and owner."""
    matches = ((match, sounds.get(_of_latin(match[0]))) for match in _LATIN_NAME.finditer(text))
    return [(*match.span(), owner) for match, owner in matches if owner is not None]
