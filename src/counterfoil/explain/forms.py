"""The forms in which a candidate or the right answer can stand in a reply."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from counterfoil.explain.reading_korean import has_hangul_or_cjk, unspaced_script
from counterfoil.explain.reading_words import (
    COMPASS,
    FUNCTION_WORDS,
    KINDS_OF_PLACE,
    MONTHS,
    NUMBER_WORDS,
    TITLES,
    Word,
    fold,
    keys_of,
    words_of,
)

GOLD = -1
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_WORDS_BY_NUMBER = {number: word for word, number in NUMBER_WORDS.items()}
MONTH_KEYS = {fold(name): n for n, name in enumerate(MONTHS, 1)} | {name[:3]: n for n, name in enumerate(MONTHS, 1)}
KIND_KEYS = frozenset(map(fold, KINDS_OF_PLACE))
_ARTICLES = frozenset(("the", "a", "an"))


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
    gold_keys: tuple[str, ...]
    question_keys: tuple[str, ...]
    counted: frozenset[str]  # what "how many …" asks for
    counts: bool
    acronyms: dict[str, int]  # by their letters
    acronym_candidates: bool
    gapped: dict[str, list[tuple[str, int]]]  # first words of two-word names, with the last word and the owner


@lru_cache(maxsize=4096)
def lexicon(candidates: tuple[str, ...], gold: str, question: str) -> Lexicon:
    """Compiled once for a question, used for all replies to it."""
    names = [*enumerate(candidates), *([(GOLD, gold)] if gold else [])]
    question_keys = tuple(keys_of(question))
    gold_keys = spelled(gold)
    forms: dict[tuple[str, ...], Form] = {}
    numbers = set()
    shared = shared_words(candidates, gold)
    for owner, name in sorted(names):  # the gold answer first: a form that both have is the gold answer's
        if has_hangul_or_cjk(name):
            continue
        for form in forms_of(name, owner, shared):
            forms.setdefault(form.keys, form)
            if len(form.keys) == 1 and _NUMBER.fullmatch(form.keys[0]):
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
    unspaced, unspaced_owners = unspaced_script(names)
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
        gold_keys=gold_keys,
        question_keys=question_keys,
        counted=frozenset(question_keys[asked : asked + 2]) - FUNCTION_WORDS if asked else frozenset(),
        counts=asked is not None,
        acronyms={name: owner for owner, name in names if is_acronym(name)},
        acronym_candidates=any(map(is_acronym, candidates)),
        gapped=gapped,
    )


def is_acronym(name: str) -> bool:
    return 2 <= len(name) <= 5 and name.isalpha() and name.isascii() and name.isupper()


@lru_cache(maxsize=4096)
def gold_lexicon(gold: str, aliases: tuple[str, ...], candidates: tuple[str, ...], question: str) -> Lexicon:
    """As `lexicon`, with the gold answer's aliases, short forms and other spellings beside it."""
    names = {spelled(name) for name in (gold, *aliases)}
    others = tuple(name for name in candidates if spelled(name) not in names)
    known = lexicon((*aliases, *others), gold, question)
    mine = len(aliases)
    return known if not mine else owned_by_gold(known, mine)


def owned_by_gold(known: Lexicon, mine: int) -> Lexicon:
    """The lexicon with the first `mine` owners made the gold answer."""

    def renamed(owner: int) -> int:
        return owner if owner >= mine else GOLD

    return known._replace(
        forms={key: [form._replace(owner=renamed(form.owner)) for form in forms] for key, forms in known.forms.items()},
        parts={key: part._replace(owner=renamed(part.owner)) for key, part in known.parts.items()},
        unspaced_owners=tuple(map(renamed, known.unspaced_owners)),
        numbers=frozenset(map(renamed, known.numbers)),
        same_as_gold=frozenset(owner for owner in known.same_as_gold if owner >= mine),
        acronyms={name: renamed(owner) for name, owner in known.acronyms.items()},
        gapped={key: [(last, renamed(owner)) for last, owner in pairs] for key, pairs in known.gapped.items()},
    )


def spelled(name: str) -> tuple[str, ...]:
    """The name's keys without a leading article."""
    keys = tuple(keys_of(name))
    return keys[1:] if len(keys) > 1 and keys[0] in _ARTICLES else keys


def shared_words(candidates: Sequence[str], gold: str) -> frozenset[str]:
    """Words that several of the answers have: what kind of thing they are, rather than which."""
    times = Counter(key for name in (*candidates, gold) for key in set(spelled(name)))
    return frozenset(key for key, n in times.items() if n > 1)


def forms_of(name: str, owner: int, shared: frozenset[str]) -> list[Form]:
    """All runs of words that mean `name` by themselves."""
    found: list[Form] = []
    for text in (name, re.sub(r"\([^()]*\)", " ", name), *name_in_description(name)):
        words = words_of(text)
        if len(words) > 1 and words[0].key in _ARTICLES:
            words = words[1:]
        keys = tuple(word.key for word in words)
        if not keys:
            continue
        # "US" is not "us", "IT" is not "it".
        short = len(words) == 1 and len(words[0].raw) <= 3 and words[0].raw.isupper() and words[0].raw.isalpha()
        found.append(Form(keys, owner, exact_case=short))
        found += [Form(other, owner) for other in (*dates(keys), *numbers_in_words(keys))]
        if all(len(word.raw) == 1 and word.raw.isupper() for word in words) and len(words) > 1:
            found.append(Form((fold("".join(word.raw for word in words)),), owner, exact_case=True))
        initials = "".join(word.raw[0] for word in words if word.key not in FUNCTION_WORDS)
        if is_acronym(initials) and (len(initials) > 2 or keys[0] in ("new", "united")):
            found.append(Form((fold(initials),), owner, exact_case=True))
        if is_acronym(name):
            found.append(Form(tuple(name.casefold()), owner, exact_case=True))  # "U.S."
        kept = tuple(key for key in keys if key not in shared)
        if kept != keys and is_number(keys[0]) and kept == keys[:1]:
            found.append(Form(kept, owner))  # "12 episodes" among other numbers of episodes: 12
        if len(kept) > 1 and kept == keys[-len(kept) :] and not FUNCTION_WORDS & set(kept):
            found.append(Form(kept, owner))  # "Italian Prime Minister" beside "Italian President": Prime Minister
        bare = keys[1:] if keys[0] in KIND_KEYS else keys[:-1] if keys[-1] in KIND_KEYS else ()
        if len(bare) > 1 and not (FUNCTION_WORDS | KIND_KEYS) & set(bare):
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


def is_number(key: str) -> bool:
    return bool(_NUMBER.fullmatch(key))


def dates(keys: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The other orders of a day and a month, with or without a year."""
    months = [MONTH_KEYS[key] for key in keys if key in MONTH_KEYS]
    plain = [re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", key) for key in keys if key not in MONTH_KEYS and key != "of"]
    days = [key for key in plain if key.isdecimal() and len(key) <= 2]
    years = [key for key in plain if key.isdecimal() and 3 <= len(key) <= 4]
    if len(months) != 1 or len(days) != 1 or len(years) > 1 or len(plain) != 1 + len(years):
        return []
    day, year = days[0], tuple(years)
    ending = {1: "st", 2: "nd", 3: "rd"}.get(int(day) % 10 if int(day) not in (11, 12, 13) else 0, "th")
    found = []
    for month in (fold(MONTHS[months[0] - 1]), MONTHS[months[0] - 1][:3]):
        for number in (day, day + ending):
            found += [(month, number, *year), (number, month, *year), (number, "of", month, *year)]
    return [*found, (*year, str(months[0]), day)] if year else found


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
            if (not is_name(words) or len(words) == 1) and not epithet:
                continue
            if FUNCTION_WORDS & {word.key for word in words} and not epithet:
                continue
            together = frozenset(word.key for word in words)
            hyphened = {
                word.end for word, after in zip(words, words[1:], strict=False) if name[word.end : after.start] == "-"
            }
            first, last = words[0], words[-1]
            if not epithet and words[-2].end not in hyphened and len(last.raw) > 2 and last.raw.isalpha():
                found.append((last.key, Part(owner, True, together)))
            numbered = last.raw.isupper() and set(last.raw) <= set("IVX")
            placed = last.key in KIND_KEYS
            double = len(words) == 2 and first.end in hyphened  # "Rolls" for Rolls-Royce
            single = first.end not in hyphened and (asks_who or epithet or numbered or placed)
            if (double or single) and len(first.raw) > 3:
                found.append((first.key, Part(owner, False, together)))
    unwanted = FUNCTION_WORDS | COMPASS | KIND_KEYS | TITLES | set(question_keys)
    return {
        key: part
        for key, part in found
        if times[key] == 1 and key not in unwanted and (key,) not in forms and not is_number(key)
    }
