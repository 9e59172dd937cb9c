"""What a question's answers look like in a reply, compiled once for all replies to it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from counterfoil.explain.mentions.korean import is_matched_as_text, unspaced_script
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
from counterfoil.explain.mentions.words import keys_of, words_of


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
def lexicon(candidates: tuple[str, ...], gold: str, question: str, *, whole_dates: bool = False) -> Lexicon:
    """Compiled once for a question, used for all replies to it.

    With `whole_dates`, a candidate's date without the year does not stand for it.
    """
    names = [*enumerate(candidates), *([(GOLD, gold)] if gold else [])]
    question_keys = tuple(keys_of(question))
    gold_keys = spelled(gold)
    forms: dict[tuple[str, ...], Form] = {}
    numbers = set()
    shared = shared_words(candidates, gold)
    for owner, name in sorted(names):  # the gold answer first: a form that both have is the gold answer's
        if is_matched_as_text(name):
            continue
        short = [] if whole_dates and owner != GOLD else [Form(keys, owner) for keys in undated(name, shared)]
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
    """As `lexicon`, with the gold answer's aliases, short forms and other spellings beside it."""
    names = {spelled(name) for name in (gold, *aliases)}
    others = tuple(name for name in candidates if spelled(name) not in names)
    # "It left on April 10 and sank on April 15, 1912" gives the second one.
    known = lexicon((*aliases, *others), gold, question, whole_dates=True)
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
