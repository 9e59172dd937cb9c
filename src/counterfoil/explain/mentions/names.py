"""The ways in which a name, a number or a date can be written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from counterfoil.explain.mentions.otherwise import FIRST_NAMES, PEOPLES, other_names
from counterfoil.explain.mentions.vocabulary import (
    ARTICLES,
    COMPASS,
    FUNCTION_WORDS,
    KINDS,
    MONTH_NUMBERS,
    NAME_PARTICLES,
    PERSONS,
    TITLES,
    WORDS_AS_NAMES,
)
from counterfoil.explain.mentions.words import Word, fold, keys_of, ordinal, words_of

GOLD = -1
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_YEAR = re.compile(r"\d{4}")
_YEARS = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_SIZES = {fold("thousand"): (3, ("k",)), fold("million"): (6, ("m", "mn")), fold("billion"): (9, ("b", "bn"))}
_ROMAN = "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX"
ROMAN = dict(enumerate(_ROMAN.split(), 1))
_ROMAN_NUMBERS = {roman: number for number, roman in ROMAN.items()}
_MOST_NUMERAL = len(ROMAN)
_UMLAUTS = {ord("ä"): "ae", ord("ö"): "oe", ord("ü"): "ue"}
_FRACTIONS: dict[str, tuple[str, ...]] = {
    str(n): (ordinal(n), fold(f"{word}s")) for n, word in enumerate(["third", "fourth", "fifth", "sixth"], 3)
}
_FRACTIONS["4"] += ("quarter",)
_ORDINAL_NUMBERS = {ordinal(number): number for number in ROMAN}


class Form(NamedTuple):
    """A run of words that stands for its owner: a candidate's index, or GOLD."""

    keys: tuple[str, ...]
    owner: int
    exact_case: bool = False
    # The people of a country: "the Dutch" are the Netherlands, "a Dutch painter" is not.
    people: bool = False
    # A year for a longer answer, which may have one of these months: not in a date with another month.
    months: frozenset[int] | None = None
    # A symbol that is also a small word: In, At, As.
    symbol: str = ""


class Part(NamedTuple):
    """One word of a name that can stand for the whole where nothing speaks against it."""

    owner: int
    last: bool
    name: frozenset[str]


def spelled(name: str) -> tuple[str, ...]:
    """The name's keys without a leading article."""
    keys = tuple(keys_of(name))
    return keys[1:] if len(keys) > 1 and keys[0] in ARTICLES else keys


def shared_words(names: Sequence[tuple[int, str]]) -> frozenset[str]:
    """Words that several of the answers have: what kind of thing they are, rather than which."""
    times = Counter(key for _, key in {(owner, key) for owner, name in names for key in spelled(name)})
    return frozenset(key for key, n in times.items() if n > 1)


def forms_of(name: str, owner: int, shared: frozenset[str]) -> list[Form]:
    """All runs of words that mean `name` by themselves."""
    found: list[Form] = []
    german = name.translate(_UMLAUTS)
    texts = (name, re.sub(r"\([^()]*\)", " ", name), *name_in_description(name), *([german] if german != name else []))
    for text in texts:
        words = words_of(text)
        if len(words) > 1 and words[0].key in ARTICLES:
            words = words[1:]
        keys = tuple(word.key for word in words)
        if not keys:
            continue
        # "US" is not "us", "IT" is not "it".
        short = len(words) == 1 and len(words[0].raw) <= 3 and words[0].raw.isupper() and words[0].raw.isalpha()
        symbol = words[0].raw if len(words) == 1 and words[0].key in FUNCTION_WORDS and words[0].raw.istitle() else ""
        found.append(Form(keys, owner, exact_case=short, symbol=symbol))
        others = (*dates(keys), *within_month(keys), *numbers_in_words(keys), *amounts(keys), *numbered(words))
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
        behind = next((at for at, key in enumerate(keys) if key not in shared), 0)
        if behind and len(keys) - behind > 1 and not FUNCTION_WORDS & set(keys):
            found.append(Form(keys[behind:], owner))  # "Chicago White Sox" beside "Chicago Cubs": White Sox
        if len(words) == 3 and words[1].key == "the" and words[2].raw[0].isupper() and words[2].key not in shared:
            found.append(Form(keys[1:], owner))  # Pitt the Younger is the Younger
        kept = tuple(key for key in keys if key not in shared)
        counts = kept == keys[:1] != keys and is_number(keys[0])
        if counts and keys[1] not in _SIZES and not words[1].raw[0].isupper():
            found.append(Form(kept, owner))  # "12 players" among other numbers of players: 12
        if len(kept) > 1 and kept == keys[-len(kept) :] and not FUNCTION_WORDS & set(kept):
            found.append(Form(kept, owner))  # "French Prime Minister" beside "French President": Prime Minister
        if len(keys) > 2 and keys[1] == "of" and words[2].raw[0].isupper() and (keys[0] in KINDS | shared):
            found.append(Form(keys[2:], owner))  # House of York beside House of Tudor: York
        if (
            len(keys) == 2
            and keys[0] in shared
            and len(words[1].raw) == 1
            and words[1].raw.isupper()
            and words[1].raw not in "AI"
        ):
            found.append(Form(keys[1:], owner, exact_case=True))  # "C" for Vitamin C
        if len(keys) == 2 and keys[1] in shared and words[0].raw[0].isupper() and keys[0] not in FUNCTION_WORDS:
            found.append(Form((keys[0], fold("one")), owner))  # "the French one" among francs
        bare = keys[1:] if keys[0] in KINDS else keys[:-1] if keys[-1] in KINDS else ()
        if len(bare) > 1 and not (FUNCTION_WORDS | KINDS) & set(bare) and not shared.issuperset(bare):
            found.append(Form(bare, owner))  # "Hyde Park Corner Station": Hyde Park Corner
    return [form for form in found if form.keys[0] not in COMPASS or len(form.keys) > 1]


def other_forms(name: str, owner: int, asks_for_country: bool, asks_for_team: bool) -> list[Form]:
    """What else it is called: a short first name, the people of a country, another name of the same thing."""
    words = words_of(name)
    if words and words[0].key in ARTICLES and len(words) > 1:
        words = words[1:]
    keys = tuple(word.key for word in words)
    found = [Form(spelled(other), owner, exact_case=is_acronym(other)) for other in other_names(keys)]
    if len(keys) > 1 and is_name(without_particles(words)):
        found += [Form((first, *keys[1:]), owner) for first in FIRST_NAMES.get(keys[0], ())]
        initials = [word.raw[0].casefold() for word in words[:-1]]
        if len(keys) > 2 and len(words[-1].raw) > 2:
            found += [Form((*initials, keys[-1]), owner), Form(("".join(initials), keys[-1]), owner)]  # T. H. Huxley
    if asks_for_team and len(keys) > 1 and keys[-1] not in KINDS:
        found.append(Form(keys[:-1], owner))  # Atlanta is the Atlanta Falcons
    if asks_for_country:
        found += [Form((people,), owner, people=True) for people in PEOPLES.get(keys, ())]
    return found


def years_in(name: str) -> list[str]:
    return _YEARS.findall(name)


def in_years(name: str, years: Counter[str]) -> list[Form]:
    """The year alone of a longer answer: "1969" for "July 1969", where no other answer has it."""
    found = years_in(name)
    rest = [key for key in keys_of(name) if key not in found]
    if len(found) != 1 or years[found[0]] > 1 or not rest or any(map(is_number, rest)):
        return []
    months = frozenset(MONTH_NUMBERS[key] for key in rest if key in MONTH_NUMBERS)
    return [Form((found[0],), GOLD, months=months)]


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


def within_month(keys: tuple[str, ...]) -> list[tuple[str, ...]]:
    """July 20, 1969 and the 20th of July 1969 for July 1969."""
    if len(keys) != 2 or keys[0] not in MONTH_NUMBERS or not _YEAR.fullmatch(keys[1]):
        return []
    months = [key for key, number in MONTH_NUMBERS.items() if number == MONTH_NUMBERS[keys[0]]]
    days = [day for number in range(1, 32) for day in (str(number), ordinal(number))]
    return [(month, day, keys[1]) for month in months for day in days] + [(month, keys[1]) for month in months]


def undated(name: str, shared: frozenset[str]) -> list[tuple[str, ...]]:
    """Day and month of a date whose year other answers have, too."""
    keys = spelled(name)
    kept = tuple(key for key in keys if not (key in shared and _YEAR.fullmatch(key)))
    return dates(kept) if kept != keys else []


def numbers_in_words(keys: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Twenty-five for 25, two hundred and six for 206, nineteen eighty-nine for 1989; single words are digits already.

    And two thirds for 2/3.
    """
    if len(keys) == 2 and all(key.isdecimal() and len(key) < 3 for key in keys):
        return [(keys[0], part) for part in _FRACTIONS.get(keys[1], ())] + ([("half",)] if keys == ("1", "2") else [])
    if len(keys) != 1 or not keys[0].isdecimal() or len(keys[0]) > 6 or keys[0] == "0":
        return []
    number = int(keys[0])
    found = [words for words in _in_words(number) if words != keys]
    if 1100 <= number < 2100 and number % 100 > 9:
        found += [(str(number // 100), *words) for words in _in_words(number % 100)]
    return found


def _in_words(number: int) -> list[tuple[str, ...]]:
    """The ways to say a number, with every simple word as its digits."""
    if number <= 20 or (number < 100 and number % 10 == 0):
        return [(str(number),)]
    if number < 100:
        return [(str(number // 10 * 10), str(number % 10))]
    size, word = (1000, "thousand") if number >= 1000 else (100, "hundred")
    many, rest = divmod(number, size)
    heads = [(*head, word) for head in _in_words(many)] + ([(word,)] if many == 1 else [])
    if not rest:
        return [head for head in heads if len(head) > 1]
    return [(*head, *between, *tail) for head in heads for between in ((), ("and",)) for tail in _in_words(rest)]


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
    """Surnames, and first names where the question asks for a person or the surname is common: those of one answer."""
    firsts = {owner: words_of(name)[0].key for owner, name in names if " " in name.strip() and words_of(name)}
    asks_who = bool({"who", "whom", "whose"} & set(question_keys))
    # Answers with first names are persons, whatever the question calls them: "Which Beatle".
    asks_who = asks_who or 2 * sum(key in FIRST_NAMES for key in firsts.values()) > len({owner for owner, _ in names})
    wh = next((at for at, key in enumerate(question_keys) if key in ("which", "what")), None)
    asks_who = asks_who or (wh is not None and not PERSONS.isdisjoint(question_keys[wh + 1 : wh + 4]))
    asks_for_person = asks_who or not PERSONS.isdisjoint(question_keys)
    owners: dict[str, set[int]] = {}
    found: list[tuple[str, Part]] = []
    described = [(owner, whole, name_in_description(whole)) for owner, whole in names]
    for owner, whole, inside in described:
        for word in words_of(inside[0] if inside else whole):
            owners.setdefault(word.key, set()).add(owner)
    for owner, whole, inside in described:
        for name in (whole, whole.translate(_UMLAUTS), *inside):
            words = words_of(name)
            for word in words:
                owners.setdefault(word.key, {owner})
            epithet = len(words) == 3 and words[1].key == "the"
            if (not is_name(without_particles(words)) or len(words) == 1) and not epithet:
                continue
            if FUNCTION_WORDS & {word.key for word in words} and not epithet:
                continue
            first, last = words[0], words[-1]
            together = frozenset(word.key for word in words) | FIRST_NAMES.get(first.key, frozenset())
            hyphened = {word.end for word, after in pairwise(words) if name[word.end : after.start] == "-"}
            if not epithet and words[-2].end not in hyphened and len(last.raw) > 2 and last.raw.isalpha():
                found.append((last.key, Part(owner, True, together)))
            numbered = last.raw.isupper() and set(last.raw) <= set("IVX")
            placed = last.key in KINDS
            double = len(words) == 2 and first.end in hyphened  # "Rolls" for Rolls-Royce
            common = len(owners.get(last.key, ())) > 1 and not placed
            # "Emily" of the Brontës, not "Mild" of the ales.
            common = common and (asks_for_person or last.key in question_keys or first.key in FIRST_NAMES)
            # Rio is Rio de Janeiro.
            particle = any(word.key in NAME_PARTICLES for word in words[1:-1])
            single = first.end not in hyphened and (asks_who or epithet or numbered or placed or common or particle)
            if (double or single) and len(first.raw) > (3 if placed or double else 2):
                found.append((first.key, Part(owner, False, together)))
                # "Ike" for Dwight D. Eisenhower; "Will" and "Rich" are words, too.
                short = FIRST_NAMES.get(first.key, frozenset()) if asks_who else frozenset()
                for other in {name for name in short if len(name) < len(first.key)} - WORDS_AS_NAMES:
                    owners.setdefault(other, set()).add(owner)
                    found.append((other, Part(owner, False, together)))
    unwanted = FUNCTION_WORDS | COMPASS | KINDS | NAME_PARTICLES | set(question_keys)
    return {
        key: part
        for key, part in found
        if len(owners.get(key, ())) == 1
        and key not in unwanted
        and (part.last or key not in TITLES)
        and (key,) not in forms
        and not is_number(key)
    }


def is_acronym(name: str) -> bool:
    return 2 <= len(name) <= 5 and name.isalpha() and name.isascii() and name.isupper()
