"""What a choice is called in replies: its text and how else that is written, what sets it apart, its amount."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from counterfoil.reading import words
from counterfoil.reading.numbers import Stated, in_unit, only_number
from counterfoil.reading.text import clean

# The article at the head of a choice; it may be another one in a sentence, or none.
_ARTICLE = re.compile(rf"(?:(?:{words.ARTICLES}) |l')(?=\w)")
_NAME = re.compile(r"[A-Z][a-z'’.-]+(?: [A-Z][A-Za-z'’.-]*)+")
# What may stand behind an amount that is all there is of a choice.
_COUNTED = re.compile(
    r"[x×)]?(?: ?(?:/[a-z]+|per [a-z]+|a (?:year|month|day|share)|(?:year|month|week|day|hour|quarter|time|share|unit|"
    r"point|contract|dollar|euro)s?))*"
)
# How far a number may be from the choice that it stands for, as a share of its size: as far as rounding in between can
# lead.
_CLOSE = Decimal("0.01")


class Naming(NamedTuple):
    """What the choices of a question are called, in lower case."""

    texts: tuple[tuple[str, ...], ...]
    # What stands before the "없음" with which a choice ends, and the choice's place.
    stems: tuple[tuple[int, str], ...]
    # The number of each choice that has one; None where fewer than two have.
    amounts: tuple[Stated | None, ...] | None


# "48.04 to 51.96".
_BETWEEN = re.compile(r"(-?[\d.,]+%?) ?(?:to|-|and) ?(-?[\d.,]+%?)")


@lru_cache(maxsize=65_536)
def naming_of(choices: tuple[str, ...]) -> Naming:
    """The names of choices. A choice that is nothing but an amount is named by that, however it is written."""
    cores = [_core(choice) for choice in choices]
    amounts = tuple(_amount_in(core) for core in cores)
    named_by_amount = sum(amount is not None for amount in amounts) > 1
    texts = tuple(
        () if named_by_amount and _is_bare(core, amount) else _variants(core)
        for core, amount in zip(cores, amounts, strict=True)
    )
    stems = [(place, stem) for place, variants in enumerate(texts) for text in variants for stem in _stems(text)]
    return Naming(texts, tuple(dict.fromkeys(stems)), amounts if named_by_amount else None)


def _amount_in(core: str) -> Stated | None:
    """The one number of a choice; not the 78 of "78세 남성", which is part of a word."""
    amount = only_number(core)
    return None if amount is None or "가" <= core[amount.end : amount.end + 1] <= "힣" else amount


def _is_bare(core: str, amount: Stated | None) -> bool:
    if amount is None or core[: amount.start].strip(" ("):
        return False
    return _COUNTED.fullmatch(core, amount.end) is not None


def _stems(text: str) -> list[str]:
    """The 알 수 of 알 수 없음, with or without a particle."""
    stem = text.removesuffix("없음")
    return [] if stem == text or not stem.strip() else [stem, f"{stem.rstrip()}이 ", f"{stem.rstrip()}은 "]


def choice_of_amount(stated: Stated, amounts: Sequence[Stated | None]) -> int | None:
    """The choice that is meant by its number: close to it, and less than half as far as the next one."""
    distances = []
    for place, printed in enumerate(amounts):
        if printed is not None:
            unit = Decimal(1) if printed.unit is None else printed.unit
            away = abs(in_unit(stated, unit, printed.decimals, abs(printed.value)) - printed.value)
            close = max(Decimal(1).scaleb(-printed.decimals) / 2, _CLOSE * abs(printed.value))
            distances.append((away * unit, place, away <= close))
    nearest, *others = sorted(distances)
    unambiguous = all(2 * nearest[0] < other[0] for other in others)
    return nearest[1] if nearest[2] and unambiguous else None


_STOP = frozenset(
    re.findall(
        r"\S+",
        "the a an of and or to in for on by with is are be was were that this it as at from its their his her than "
        "more most not no will would can may should does do did has have had because due when which who only also "
        "both all any el la los las de der die das und le les des du et en een het",
    )
)
_CONTENT = re.compile(r"[^\W_][\w'%.-]*")
_STEM = 6


@lru_cache(maxsize=65_536)
def words_apart(choices: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    """What each choice has of content words, by their beginnings, that no other has."""
    stems = [stems_of(_core(choice)) for choice in choices]
    return tuple(
        frozenset(own - set().union(*(other for j, other in enumerate(stems) if i != j))) for i, own in enumerate(stems)
    )


def stems_of(lower: str) -> set[str]:
    """The beginnings of the content words of a text."""
    words = (word.rstrip(".'").removesuffix("'s") for word in _CONTENT.findall(lower))
    return {word[:_STEM] for word in words if word not in _STOP and len(word) > 1}


@lru_cache(maxsize=65_536)
def short_texts_of(choices: tuple[str, ...], unknown: int | None) -> tuple[tuple[str, ...], ...]:
    """What tells a choice from the others, where the rest is common to two: the "old" of "old man", "young man".

    Of a person's name, each word that no other choice has.
    """
    forms: list[tuple[str, ...]] = []
    texts = [_core(choice) for choice in choices]
    words = [text.split() for text in texts]
    for i, own in enumerate(words):
        best = ""
        for j, other in enumerate(words):
            if i == j or own == other:
                continue
            head = tail = 0
            while head < min(len(own), len(other)) and own[head] == other[head]:
                head += 1
            while tail < min(len(own), len(other)) - head and own[-1 - tail] == other[-1 - tail]:
                tail += 1
            rest = " ".join(own[head : len(own) - tail])
            if (head or tail) and len(rest) > 1 and not _is_in_another(rest, i, texts):
                best = rest
        short = [best, _without_case(best)] if best else []
        if i != unknown and len(own) > 1 and _NAME.fullmatch(choices[i].strip()):
            short += own
        forms.append(tuple(form for form in dict.fromkeys(short) if not _is_in_another(form, i, texts)))
    return tuple(forms)


def _is_in_another(form: str, i: int, texts: Sequence[str]) -> bool:
    return any(form in text for k, text in enumerate(texts) if k != i)


def _without_case(form: str) -> str:
    """The 부산 of 부산에서, which alone is often said."""
    short = form.removesuffix("에서")
    return short if len(short) > 1 else form


def _core(choice: str) -> str:
    text = clean(choice).lower().rstrip(".")
    article = _ARTICLE.match(text)
    return text[article.end() :] if article else text


def _variants(text: str) -> tuple[str, ...]:
    """The text as it is, and as it may be written: without blanks in Korean, with blanks for hyphens in English.

    남자 and 남성, 여자 and 여성 are one word.
    """
    if not text:
        return ()
    variants = [text]
    between = _BETWEEN.fullmatch(text)
    if between is not None:
        low, high = between.groups()
        variants += [f"{low}{gap}{high}" for gap in (", ", " to ", "-", " - ", " and ")]
    if any("가" <= character <= "힣" for character in text):
        for one, other in (("남성", "남자"), ("남자", "남성"), ("여성", "여자"), ("여자", "여성")):
            variants.append(text.replace(one, other))
        if text.endswith(" 없음"):
            variants += [f"{text.removesuffix(' 없음')}{particle} 없음" for particle in ("이", "은")]
        variants += [variant.replace(" ", "") for variant in variants]
    else:
        variants += [text.replace("-", " "), text.replace("can't", "cannot"), text.replace("cannot", "can't")]
    return tuple(dict.fromkeys(variants))
