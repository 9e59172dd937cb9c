"""The ways in which a name, a number or a date can be written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from counterfoil.explain.mentions.vocabulary import (
    ARTICLES,
    COMPASS,
    FUNCTION_WORDS,
    KINDS,
    MONTH_NUMBERS,
    NAME_PARTICLES,
    TITLES,
)
from counterfoil.explain.mentions.words import Word, fold, keys_of, ordinal, words_of

GOLD = -1
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_YEAR = re.compile(r"\d{4}")
_SIZES = {fold("thousand"): (3, ("k",)), fold("million"): (6, ("m", "mn")), fold("billion"): (9, ("b", "bn"))}
_ROMAN = "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX"
ROMAN = dict(enumerate(_ROMAN.split(), 1))
_ROMAN_NUMBERS = {roman: number for number, roman in ROMAN.items()}
_MOST_NUMERAL = len(ROMAN)
_ORDINAL_NUMBERS = {ordinal(number): number for number in ROMAN}


class Form(NamedTuple):
    """A run of words that stands for its owner: a candidate's index, or GOLD."""

    keys: tuple[str, ...]
    owner: int
    exact_case: bool = False


class Part(NamedTuple):
    """One word of a name that can stand for the whole where nothing speaks against it."""

    owner: int
    last: bool
    name: frozenset[str]


def spelled(name: str) -> tuple[str, ...]:
    """The name's keys without a leading article."""
    keys = tuple(keys_of(name))
    return keys[1:] if len(keys) > 1 and keys[0] in ARTICLES else keys


def shared_words(candidates: Sequence[str], gold: str) -> frozenset[str]:
    """Words that several of the answers have: what kind of thing they are, rather than which."""
    times = Counter(key for name in (*candidates, gold) for key in set(spelled(name)))
    return frozenset(key for key, n in times.items() if n > 1)


def forms_of(name: str, owner: int, shared: frozenset[str]) -> list[Form]:
    """All runs of words that mean `name` by themselves."""
    found: list[Form] = []
    for text in (name, re.sub(r"\([^()]*\)", " ", name), *name_in_description(name)):
        words = words_of(text)
        if len(words) > 1 and words[0].key in ARTICLES:
            words = words[1:]
        keys = tuple(word.key for word in words)
        if not keys:
            continue
        # "US" is not "us", "IT" is not "it".
        short = len(words) == 1 and len(words[0].raw) <= 3 and words[0].raw.isupper() and words[0].raw.isalpha()
        found.append(Form(keys, owner, exact_case=short))
        others = (*dates(keys), *numbers_in_words(keys), *amounts(keys), *numbered(words))
        found += [Form(other, owner) for other in others]
        if all(len(word.raw) == 1 and word.raw.isupper() for word in words) and len(words) > 1:
            found.append(Form((fold("".join(word.raw for word in words)),), owner, exact_case=True))
        initials = "".join(word.raw[0] for word in words if word.key not in FUNCTION_WORDS)
        number = numeral(words[-1])
        if number and len(words) > 2:  # World War II is WWII and WW2, not WWI
            letters = "".join(word.raw[0] for word in words[:-1])
            ends = (str(number), ROMAN[number]) if is_acronym(letters) else ()
            found += [Form((fold(letters + end),), owner, exact_case=True) for end in ends]
        elif is_acronym(initials) and (len(initials) > 2 or keys[0] in ("new", "united")):
            found.append(Form((fold(initials),), owner, exact_case=True))
        if is_acronym(name):
            found.append(Form(tuple(name.casefold()), owner, exact_case=True))  # "U.S."
        kept = tuple(key for key in keys if key not in shared)
        counts = kept == keys[:1] != keys and is_number(keys[0])
        if counts and keys[1] not in _SIZES and not words[1].raw[0].isupper():
            found.append(Form(kept, owner))  # "12 players" among other numbers of players: 12
        if len(kept) > 1 and kept == keys[-len(kept) :] and not FUNCTION_WORDS & set(kept):
            found.append(Form(kept, owner))  # "French Prime Minister" beside "French President": Prime Minister
        bare = keys[1:] if keys[0] in KINDS else keys[:-1] if keys[-1] in KINDS else ()
        if len(bare) > 1 and not (FUNCTION_WORDS | KINDS) & set(bare):
            found.append(Form(bare, owner))  # "Hyde Park Corner Station": Hyde Park Corner
    return [form for form in found if form.keys[0] not in COMPASS or len(form.keys) > 1]


def name_in_description(name: str) -> list[str]:
    """The name in "war correspondent, Jane Doe" and the place in "Paris, France"."""
    pieces = [piece.strip() for piece in re.split(r"[,;:]\s", name)]
    if len(pieces) < 2:
        return []
    if is_name(words_of(pieces[-1])) and not is_name(words_of(pieces[0])):
        return [pieces[-1]]
    return [pieces[0]] if len(pieces) == 2 and all(is_name(words_of(piece)) for piece in pieces) else []


def is_name(words: Sequence[Word]) -> bool:
    """One to four words, all with a capital."""
    return 1 <= len(words) <= 4 and all(word.raw[0].isupper() for word in words)


def without_particles(words: Sequence[Word]) -> Sequence[Word]:
    """The words of a name less the small ones inside it: Vincent van Gogh is Vincent Gogh."""
    inside = [word for word in words[1:-1] if not (word.raw.islower() and word.key in NAME_PARTICLES)]
    return [words[0], *inside, words[-1]] if len(words) > 2 else words


def is_number(key: str) -> bool:
    return bool(_NUMBER.fullmatch(key))


def dates(keys: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The other orders of a day and a month, with or without a year."""
    months = [MONTH_NUMBERS[key] for key in keys if key in MONTH_NUMBERS]
    plain = [re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", key) for key in keys if key not in MONTH_NUMBERS and key != "of"]
    days = [key for key in plain if key.isdecimal() and len(key) <= 2]
    years = [key for key in plain if key.isdecimal() and 3 <= len(key) <= 4]
    if len(months) != 1 or len(days) != 1 or len(years) > 1 or len(plain) != 1 + len(years):
        return []
    day, year = days[0], tuple(years)
    found = []
    for month in (key for key, number in MONTH_NUMBERS.items() if number == months[0]):
        for number in (day, ordinal(int(day))):
            found += [(month, number, *year), (number, month, *year), (number, "of", month, *year)]
    if not year:
        return found
    month = str(months[0])
    pointed = {fold(f"{day}.{written}") for written in (month, month.zfill(2))}  # 20.07.1969
    return [
        *found,
        (*year, month, day),
        (day, month, *year),
        (month, day, *year),
        *((day_and_month, *year) for day_and_month in pointed),
    ]


def undated(name: str, shared: frozenset[str]) -> list[tuple[str, ...]]:
    """Day and month of a date whose year other answers have, too."""
    keys = spelled(name)
    kept = tuple(key for key in keys if not (key in shared and _YEAR.fullmatch(key)))
    return dates(kept) if kept != keys else []


def numbers_in_words(keys: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Twenty-five for 25, one hundred for 100; the single words are folded to digits already."""
    if len(keys) != 1 or not keys[0].isdecimal() or len(keys[0]) > 6:
        return []
    number = int(keys[0])
    if 20 < number < 100 and number % 10:
        return [(str(number // 10 * 10), str(number % 10))]
    for size, word in ((1000, "thousand"), (100, "hundred")):
        if number and number % size == 0:
            return [(str(number // size), word)]
    return []


def amounts(keys: tuple[str, ...]) -> list[tuple[str, ...]]:
    """2.5 million for 2,500,000, and 2.5M, and the other way round."""
    if not keys or not is_number(keys[0]):
        return []
    if len(keys) == 2 and keys[1] in _SIZES:
        exponent, letters = _SIZES[keys[1]]
        whole = Decimal(keys[0]).scaleb(exponent)
        short = [(keys[0] + letter,) for letter in letters] + [(keys[0], letter) for letter in letters if letter != "k"]
        return [*short, (str(int(whole)),)] if whole == int(whole) else [*short]
    for size, (exponent, letters) in _SIZES.items():
        if len(keys) == 1 and keys[0].isdecimal() and exponent < len(keys[0]) < exponent + 4:
            few = f"{Decimal(keys[0]).scaleb(-exponent).normalize():f}"
            return [(few, size), *((few + letter,) for letter in letters)] if len(few) < 6 else []
    return []


def numeral(word: Word) -> int:
    """The number that a word of a name is, 1 to 20, in digits or Roman; else 0."""
    if word.raw in _ROMAN_NUMBERS:
        return _ROMAN_NUMBERS[word.raw]
    return int(word.raw) if word.raw.isdecimal() and 0 < int(word.raw) <= _MOST_NUMERAL else 0


def numbered(words: Sequence[Word]) -> list[tuple[str, ...]]:
    """World War II, World War 2 and the Second World War; Henry the Eighth; 1 Kings, I Kings, First (Book of) Kings."""
    if len(words) < 2:
        return []
    keys = tuple(word.key for word in words)
    first, last = numeral(words[0]), numeral(words[-1])
    by_name = _ORDINAL_NUMBERS.get(words[0].key, 0) if words[0].raw.isalpha() else 0
    found: list[tuple[str, ...]] = []
    if (first or by_name) and words[1].raw[0].isupper():
        number, rest = first or by_name, keys[1:]
        found += [(str(number), *rest), (ROMAN[number].casefold(), *rest)]
        found += [(ordinal(number), *rest), (ordinal(number), "book", "of", *rest)]
    if (last or by_name) and words[-1].raw[0].isupper() | words[-1].raw.isdecimal() and words[0].raw[0].isupper():
        number, rest = (last, keys[:-1]) if last else (by_name, keys[1:])
        found += [(*rest, str(number)), (*rest, ROMAN[number].casefold())]
        found += [(ordinal(number), *rest), (*rest, "the", ordinal(number))]
    return found


def parts_of(
    names: Sequence[tuple[int, str]], question_keys: tuple[str, ...], forms: dict[tuple[str, ...], Form]
) -> dict[str, Part]:
    """Surnames and, where the question asks for a person, first names: those that only one answer has."""
    asks_who = bool({"who", "whom", "whose"} & set(question_keys))
    times: Counter[str] = Counter()
    found: list[tuple[str, Part]] = []
    for owner, whole in names:
        described = name_in_description(whole)
        times.update({word.key for word in words_of(described[0] if described else whole)})
        for name in (whole, *described):
            words = words_of(name)
            epithet = len(words) == 3 and words[1].key == "the"
            if (not is_name(without_particles(words)) or len(words) == 1) and not epithet:
                continue
            if FUNCTION_WORDS & {word.key for word in words} and not epithet:
                continue
            together = frozenset(word.key for word in words)
            hyphened = {word.end for word, after in pairwise(words) if name[word.end : after.start] == "-"}
            first, last = words[0], words[-1]
            if not epithet and words[-2].end not in hyphened and len(last.raw) > 2 and last.raw.isalpha():
                found.append((last.key, Part(owner, True, together)))
            numbered = last.raw.isupper() and set(last.raw) <= set("IVX")
            placed = last.key in KINDS
            double = len(words) == 2 and first.end in hyphened  # "Rolls" for Rolls-Royce
            single = first.end not in hyphened and (asks_who or epithet or numbered or placed)
            if (double or single) and len(first.raw) > 3:
                found.append((first.key, Part(owner, False, together)))
    unwanted = FUNCTION_WORDS | COMPASS | KINDS | TITLES | NAME_PARTICLES | set(question_keys)
    return {
        key: part
        for key, part in found
        if times[key] == 1 and key not in unwanted and (key,) not in forms and not is_number(key)
    }


def is_acronym(name: str) -> bool:
    return 2 <= len(name) <= 5 and name.isalpha() and name.isascii() and name.isupper()
