"""What a question's answers look like in a reply, compiled once for all replies to it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from counterfoil.explain.mentions.names import (
    GOLD,
    Form,
    Part,
    forms_of,
    is_acronym,
    is_name,
    is_number,
    parts_of,
    shared_words,
    spelled,
    undated,
)
from counterfoil.explain.mentions.vocabulary import FUNCTION_WORDS, KINDS, NAMED
from counterfoil.explain.mentions.words import keys_of, tokens_of, words_of

# What can follow a noun without a space. Several can follow each other: 서울+에서+는.
_PARTICLES = """
은 는 이 가 을 를 의 에 에서 에게 에게서 한테 께 께서 로 으로 로서 으로서 로써 으로써 와 과 랑 이랑 하고 도 만 까지
부터 마저 조차 밖에 뿐 보다 처럼 같이 만큼 대로 마다 나 이나 든지 이든지 든 이든 라도 이라도 며 이며 고 이고 다 이다
입니다 이에요 예요 이예요 이야 야 요 이요 였다 이었다 였습니다 이었습니다 였고 이었고 였으며 이었으며 인 일 인지 인데
이란 란 라는 이라는 라고 이라고 라 이라 라면 이라면 지만 이지만 이므로 므로 이니 이자 자 여서 이어서 여야 이어야 임 들
씨 님 군 양 등
이었어요 였어요 이죠 죠 이지요 지요 이네요 네요 이었죠 였죠 인가요 일까요 이었으나
였으나 이었지만 였지만 이었던 였던 이니까 니까 이라서 라서 이었는데 였는데
"""
# What kind of place it is, often written on to its name: 대구광역시 is 대구.
_PLACE = "(?:광역시|특별시|특별자치시|특별자치도|시)?"
# What somebody is, written on to the name: 정조대왕 is 정조.
_TITLE = "(?:대왕|황제|여왕|장군|대통령|선생|교수|박사)?"
_ENDING = _PLACE + _TITLE + "(?:" + "|".join(sorted(_PARTICLES.split(), key=len, reverse=True)) + "){0,3}"
# What is counted is often left out: 11명 is 11. Behind the bare number no other unit, list's point or digits may stand.
_COUNTED = re.compile(r"(\d+(?:[.,]\d+)*)\s?(년|년도|명|개|개국|살|세|번|회|대|권|마리|가지)")
_NO_OTHER_NUMBER = r"(?![.)]\s|[.,:/-]?\d|\s?[%년월일명개살세번회대권위층시분초만억천백조])"
_HANGUL = re.compile("[가-힣]")
_UNSPACED = re.compile("[가-힣\u3040-\u30ff\u3400-\u9fff]")
_HAN = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


class Lexicon(NamedTuple):
    """Everything about a question that reading its replies needs."""

    forms: dict[str, list[Form]]  # by first word, longest first
    parts: dict[str, Part]
    unspaced: re.Pattern[str] | None  # Korean, Chinese, Japanese: matched as text, not word by word
    unspaced_owners: tuple[int, ...]
    first_keys: frozenset[str]
    candidate_keys: frozenset[str]  # those with which a candidate can begin
    numbers: frozenset[int]  # owners that are plain numbers
    same_as_gold: frozenset[int]  # candidates that are the right answer in another spelling
    question_keys: tuple[str, ...]
    counted: frozenset[str]  # what "how many …" asks for
    counts: bool
    asks_for_name: bool
    acronyms: dict[str, int]  # by their letters
    acronym_candidates: bool
    gapped: dict[str, list[tuple[str, int]]]  # first words of two-word names, with the last word and the owner


@lru_cache(maxsize=4096)
def lexicon(
    candidates: tuple[str, ...], gold: str, question: str, aliases: tuple[str, ...] = (), *, whole_dates: bool = False
) -> Lexicon:
    """Compiled once for a question, used for all replies to it. The aliases are owned by the gold answer.

    With `whole_dates`, a date without the year stands for the gold answer alone.
    """
    others = [*((GOLD, alias) for alias in aliases), *enumerate(candidates)]
    golden = [(GOLD, gold)] if gold else []
    names = others + golden
    question_keys = tuple(keys_of(question))
    gold_keys = spelled(gold)
    forms: dict[tuple[str, ...], Form] = {}
    numbers = set()
    shared = shared_words((*aliases, *candidates), gold)
    for owner, name in golden + others:  # a form that both have is the gold answer's
        if _is_matched_as_text(name):
            continue
        short = [] if whole_dates and name != gold else [Form(keys, owner) for keys in undated(name, shared)]
        for form in forms_of(name, owner, shared) + short:
            forms.setdefault(form.keys, form)
            if len(form.keys) == 1 and is_number(form.keys[0]):
                numbers.add(owner)
    by_first: dict[str, list[Form]] = {}
    for form in sorted(forms.values(), key=lambda form: -len(form.keys)):
        by_first.setdefault(form.keys[0], []).append(form)
    parts = parts_of(names, question_keys, forms)
    gapped: dict[str, list[tuple[str, int]]] = {}
    for owner, name in names:
        words = words_of(name)
        if len(words) == 2 and is_name(words):
            gapped.setdefault(words[0].key, []).append((words[1].key, owner))
    unspaced, unspaced_owners = _unspaced_script(names)
    asked = question_keys.index("many") + 1 if "many" in question_keys and "how" in question_keys else None
    return Lexicon(
        forms=by_first,
        parts=parts,
        unspaced=unspaced,
        unspaced_owners=unspaced_owners,
        first_keys=frozenset(by_first) | frozenset(parts),
        candidate_keys=frozenset(
            [key for key, group in by_first.items() if any(form.owner != GOLD for form in group)]
            + [key for key, part in parts.items() if part.owner != GOLD]
        ),
        numbers=frozenset(numbers),
        same_as_gold=frozenset(n for n, name in enumerate(candidates) if gold_keys and spelled(name) == gold_keys),
        question_keys=question_keys,
        counted=frozenset(question_keys[asked : asked + 2]) - FUNCTION_WORDS if asked else frozenset(),
        counts=asked is not None,
        asks_for_name=not (NAMED | KINDS).isdisjoint(question_keys),
        acronyms={name: owner for owner, name in names if is_acronym(name)},
        acronym_candidates=any(map(is_acronym, candidates)),
        gapped=gapped,
    )


@lru_cache(maxsize=4096)
def gold_lexicon(gold: str, aliases: tuple[str, ...], candidates: tuple[str, ...], question: str) -> Lexicon:
    """As `lexicon`, without candidates that are the gold answer or an alias in another spelling."""
    # "It left on April 10 and sank on April 15, 1912" gives the second one.
    return lexicon(wrong_candidates(gold, aliases, candidates), gold, question, aliases, whole_dates=True)


def wrong_candidates(gold: str, aliases: tuple[str, ...], candidates: tuple[str, ...]) -> tuple[str, ...]:
    """The candidates that are not the gold answer or an alias in another spelling."""
    golden = {spelled(name) for name in (gold, *aliases)}
    return tuple(name for name in candidates if spelled(name) not in golden)


def _is_matched_as_text(name: str) -> bool:
    """Names in these scripts, and names without any letter or digit, are looked for as they are, not word by word."""
    return _UNSPACED.search(name) is not None or (bool(name.strip()) and not tokens_of(name))


def _unspaced_script(names: Sequence[tuple[int, str]]) -> tuple[re.Pattern[str] | None, tuple[int, ...]]:
    """A pattern with one group for each name in such a script, longest first, and the owners of the groups."""
    texts = [(owner, unicodedata.normalize("NFC", name.strip())) for owner, name in names if _is_matched_as_text(name)]
    if not texts:
        return None, ()
    texts.sort(key=lambda text: -len(text[1]))
    return re.compile("|".join(_pattern(name) for _, name in texts), re.I), tuple(owner for owner, _ in texts)


def _pattern(name: str) -> str:
    counted = _COUNTED.fullmatch(name)
    if counted is not None:
        number, unit = map(re.escape, counted.groups())
        end = f"{_ENDING}(?![가-힣])"
        return rf"(?<!\w)(?<!\d[.,:/-])({number}(?:\s?{unit}(?={end})|{_NO_OTHER_NUMBER}(?={end})))"
    # Spacing varies: 이순신 장군 is 이순신장군. Inside a short word a space would make another word of it.
    pieces = [re.escape(c) for c in name if not c.isspace()]
    if len(pieces) >= 4 and not _HAN.search(name):
        body = r"\s?".join(pieces)
    else:
        body = r"\s?".join(re.escape(piece) for piece in name.split())
    before = r"(?<!\w)" if not _HAN.match(name) else ""
    after = f"(?={_ENDING}(?![가-힣]))" if _HANGUL.match(name[-1]) else ""
    return f"{before}({body}){after}"
