"""What a question's answers look like in a reply, compiled once for all replies to it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from counterfoil.explain.mentions.korean import ENDING, sounds_of, without_particles
from counterfoil.explain.mentions.names import (
    GOLD,
    Form,
    Part,
    forms_of,
    in_years,
    is_acronym,
    is_name,
    is_number,
    other_forms,
    parts_of,
    shared_words,
    spelled,
    undated,
    years_in,
)
from counterfoil.explain.mentions.otherwise import KOREAN_NAMES
from counterfoil.explain.mentions.vocabulary import COUNTRIES, FUNCTION_WORDS, KINDS, NAMED
from counterfoil.explain.mentions.words import is_hangul, keys_of, tokens_of, words_of

# What is counted is often left out: 11명 is 11. Behind the bare number no other unit, list's point or digits may stand.
_COUNTED = re.compile(r"(\d+(?:[.,]\d+)*)\s?(년|년도|명|개|개국|살|세|번|회|대|권|마리|가지)")
_DAY = re.compile(r"0?(\d{1,2})월\s?0?(\d{1,2})일")
_OFFSET = re.compile(r"(?:UTC|GMT)\s?([+−–-])0?(\d{1,2})(?::?(\d\d))?", re.I)
_NO_OTHER_NUMBER = r"(?![.)]\s|[.,:/-]?\d|\s?[%년월일명개살세번회대권위층시분초만억천백조])"
_HANGUL = re.compile("[가-힣]")
_UNSPACED = re.compile("[가-힣\u3040-\u30ff\u3400-\u9fff]")
# Behind a name, these make the name of something else: 뉴턴 역학, 핼리 혜성.
_THINGS = (
    r"\s?(?:역학|혜성|법칙|정리|방정식|공식|대학|신문|일보|방송|공항"
    r"|올림픽|영화제|조약|협약|선언|선생님|동상|박물관|기념관|기념탑|센터|광장|대교)"
)
_ASKS_WHO = re.compile("누구|사람|인물|[가-힣]자는|분은")
_KOREAN_KINDS = """
사막 강 산 산맥 반도 제도 해협 바다 섬 호수 제국 왕국 공화국 대학교 전쟁 혁명 조약 왕조 대륙
장군 대왕 황제 여왕 왕 대통령 총리 선생 교수 박사 작가 감독 선수
"""
# What kind of thing a name stands for, behind a blank or written on to it.
_KINDS = frozenset(_KOREAN_KINDS.split())
_LONG_SUFFIXES = ("산", "섬", "호", "해", "시", "도")
_SUFFIXES = ("사막", "강", "산맥", "반도", "제도", "해협", "제국", "공화국", "대학교")
_CODE = re.compile(r"[A-Z]{1,3}-?\d{1,3}")
_HAN = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


class Lexicon(NamedTuple):
    """Everything about a question that reading its replies needs."""

    forms: dict[str, list[Form]]  # by first word, longest first
    pairs: dict[tuple[str, ...], list[Form]]  # those of several words, by the first two
    single: dict[str, Form]
    parts: dict[str, Part]
    unspaced: re.Pattern[str] | None  # Korean, Chinese, Japanese: matched as text, not word by word
    unspaced_owners: tuple[int, ...]
    counts_in_korean: bool
    asked_in_korean: frozenset[str]  # the nouns of a Korean question
    sounds: Mapping[str, int]  # names in Hangul, by their consonants
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
    asks_for_country = not COUNTRIES.isdisjoint(question_keys)
    asks_for_team = not {"team", "club", "franchise"}.isdisjoint(question_keys)
    gold_keys = spelled(gold)
    forms: dict[tuple[str, ...], Form] = {}
    numbers = set()
    shared = shared_words(names)
    for owner, name in golden + others:  # a form that both have is the gold answer's
        if _is_matched_as_text(name):
            continue
        short = [] if whole_dates and name != gold else [Form(keys, owner) for keys in undated(name, shared)]
        for form in forms_of(name, owner, shared) + short:
            forms.setdefault(form.keys, form)
            if len(form.keys) == 1 and is_number(form.keys[0]):
                numbers.add(owner)
    asked_keys = set(question_keys)
    years = Counter(year for _, name in names for year in set(years_in(name)))
    for owner, name in golden + others:
        alone = [form._replace(owner=owner) for form in in_years(name, years)]
        for form in (
            () if _is_matched_as_text(name) else other_forms(name, owner, asks_for_country, asks_for_team) + alone
        ):
            if not set(form.keys) <= asked_keys:  # who is asked about is not meant by another name of an answer
                forms.setdefault(form.keys, form)
    by_first: dict[str, list[Form]] = {}
    pairs: dict[tuple[str, ...], list[Form]] = {}
    for form in sorted(forms.values(), key=lambda form: -len(form.keys)):
        by_first.setdefault(form.keys[0], []).append(form)
        if len(form.keys) > 1:
            pairs.setdefault(form.keys[:2], []).append(form)
    parts = parts_of(names, question_keys, forms)
    gapped: dict[str, list[tuple[str, int]]] = {}
    for owner, name in names:
        words = words_of(name)
        if len(words) == 2 and is_name(words):
            gapped.setdefault(words[0].key, []).append((words[1].key, owner))
    unspaced, unspaced_owners = _unspaced_script(names, question)
    asked = question_keys.index("many") + 1 if "many" in question_keys and "how" in question_keys else None
    return Lexicon(
        forms=by_first,
        pairs=pairs,
        single={form.keys[0]: form for form in forms.values() if len(form.keys) == 1},
        parts=parts,
        unspaced=unspaced,
        unspaced_owners=unspaced_owners,
        counts_in_korean="몇" in question,
        asked_in_korean=frozenset(without_particles(raw) for raw in tokens_of(question) if is_hangul(raw)),
        sounds=sounds_of(names),
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


@lru_cache(maxsize=4096)
def wrong_candidates(gold: str, aliases: tuple[str, ...], candidates: tuple[str, ...]) -> tuple[str, ...]:
    """The candidates that are not the gold answer or an alias in another spelling."""
    golden = {spelled(name) for name in (gold, *aliases)}
    return tuple(name for name in candidates if spelled(name) not in golden)


def _is_matched_as_text(name: str) -> bool:
    """Names in these scripts, and names without any letter or digit, are looked for as they are, not word by word."""
    if _UNSPACED.search(name) is not None or (bool(name.strip()) and not tokens_of(name)):
        return True
    return _OFFSET.fullmatch(name.strip()) is not None


def _unspaced_script(names: Sequence[tuple[int, str]], question: str) -> tuple[re.Pattern[str] | None, tuple[int, ...]]:
    """A pattern with one group for each name in such a script, longest first, and the owners of the groups."""
    texts = [(owner, unicodedata.normalize("NFC", name.strip())) for owner, name in names if _is_matched_as_text(name)]
    if not texts:
        return None, ()
    texts += _korean_parts(texts, question)
    texts.sort(key=lambda text: -len(text[1]))
    return re.compile("|".join(_pattern(name) for _, name in texts), re.I), tuple(owner for owner, _ in texts)


def _korean_parts(texts: Sequence[tuple[int, str]], question: str) -> list[tuple[int, str]]:
    """What stands for a whole name where no other answer has it: 맥아더, 사하라 for 사하라 사막, 아마존."""
    found: list[tuple[int, str]] = []
    for owner, name in texts:
        words = name.split()
        found += [(owner, other) for other in KOREAN_NAMES.get(name, ())]
        if len(words) == 2 and _CODE.fullmatch(words[1]):
            found.append((owner, words[1]))  # B1 is 비타민 B1
        if not all(_HANGUL.match(word) for word in words) or _COUNTED.match(name):
            continue
        if len(words) > 1 and words[-1] in _KINDS:
            found.append((owner, " ".join(words[:-1])))
        elif len(words) > 1:
            found += [(owner, words[-1])] + [(owner, words[0])] * (
                len(words[0]) > 2 and _ASKS_WHO.search(question) is not None
            )
        found += [
            (owner, name.removesuffix(kind))
            for kind in (*_SUFFIXES, *_LONG_SUFFIXES)
            if name.endswith(kind) and len(name) > (3 if kind in _LONG_SUFFIXES else len(kind) + 1)
        ]
    whole = {name for _, name in texts}
    owners: dict[str, set[int]] = {}
    for owner, name in [*texts, *found]:
        for word in (name, *name.split()):
            owners.setdefault(word, set()).add(owner)
    return [
        (owner, part) for owner, part in found if part not in whole and len(owners[part]) == 1 and part not in question
    ]


def _pattern(name: str) -> str:
    day = _DAY.fullmatch(name)
    if day is not None:
        month, number = day.groups()
        return rf"(?<![\w/.])(0?{month}(?:월\s?|[/.]\s?0?){number}(?:일|(?![\d/.]\d|\d)))"
    offset = _OFFSET.fullmatch(name)
    if offset is not None:
        sign, hours, minutes = offset[1], offset[2], offset[3] or ""
        signs = r"\+" if sign == "+" else "[-−–]"
        return rf"(?<![\w.])((?:UTC|GMT)?\s?{signs}0?{hours}{f':?{minutes}' if minutes else '(?::?00)?'})(?![:\d])"
    counted = _COUNTED.fullmatch(name)
    if counted is not None:
        number, unit = map(re.escape, counted.groups())
        end = f"{ENDING}(?![가-힣])"
        # 흰건반 52개 counts something else than what is asked; "모두 88개" does not.
        return rf"(?<!\w)(?<!\d[.,:/-])({number}(?:\s?{unit}(?={end})|{_NO_OTHER_NUMBER}(?={end})))"
    # Spacing varies: 이순신 장군 is 이순신장군. Inside a short word a space would make another word of it.
    pieces = [re.escape(c) for c in name if not c.isspace()]
    if len(pieces) >= 4 and not _HAN.search(name):
        body = r"\s?".join(pieces)
    else:
        body = r"\s?".join(re.escape(piece) for piece in name.split())
    before = r"(?<!\w)" if not _HAN.match(name) else ""
    if _CODE.fullmatch(name):
        return f"(?<![A-Za-z0-9])({body})(?![A-Za-z0-9])"
    after = f"(?={ENDING}(?![가-힣]))(?!{_THINGS})" if _HANGUL.match(name[-1]) else ""
    return f"{before}({body}){after}"
