"""Where a reply means a candidate or the gold answer."""

from __future__ import annotations

import re
from typing import NamedTuple, TypeAlias

from counterfoil.explain.mentions.context import (
    Reply,
    gold_is_name,
    is_behind_new,
    is_echo,
    is_inside_other_name,
    is_other_word,
    part_owner,
)
from counterfoil.explain.mentions.forms import Lexicon
from counterfoil.explain.mentions.names import GOLD, Form
from counterfoil.explain.mentions.numbers import is_number_of_it
from counterfoil.explain.mentions.words import fold, tokens_of

_HYPHENED = re.compile(r"-(?<=[^\W\d_]-)[^\W\d_]+")
_LAST_LETTERS = re.compile(r"[^\W\d_]+$")

Run: TypeAlias = tuple[int, int, Form]  # the first word, the last word, what they are


class Span(NamedTuple):
    start: int
    end: int
    owner: int


def spans(text: str, known: Lexicon, *, gaps: bool = False) -> list[Span]:
    """Every place where the text means a candidate or the gold answer, in order, none overlapping.

    With `gaps`, "Captain James Cook" is the name "Captain Cook" rather than "James Cook".
    """
    found = _by_words(text, known, gaps)
    if known.unspaced is not None:
        groups = ((match, match.lastindex or 1) for match in known.unspaced.finditer(text))
        unspaced = [Span(*match.span(group), known.unspaced_owners[group - 1]) for match, group in groups]
        found = _without_overlaps(unspaced + found)
    return sorted(span for span in found if span.owner not in known.same_as_gold)


def _without_overlaps(found: list[Span]) -> list[Span]:
    kept: list[Span] = []
    for span in sorted(found, key=lambda span: (span.start, -span.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


def _by_words(text: str, known: Lexicon, gaps: bool) -> list[Span]:
    tokens = tokens_of(text)
    closed = [fold(word) for word in _closed_up(text)]
    candidates = known.candidate_keys
    if (
        not (gaps or known.acronym_candidates)
        and candidates.isdisjoint(map(fold, tokens))
        and candidates.isdisjoint(closed)
    ):
        return []  # the usual case: no candidate at all
    reply = Reply(text, tokens)
    starts = [at for at, key in enumerate(reply.keys) if key in known.first_keys]
    runs = _full_runs(reply, starts, known) + _looser_runs(reply, known, gaps)
    if not known.forms.keys().isdisjoint(closed):
        runs += _hyphened_runs(reply, known)
    runs = _longest_runs(runs)
    named = gold_is_name(reply, runs, known.asks_for_name)
    found, taken = [], set[int]()
    for first, last, form in runs:
        taken.update(range(first, last + 1))
        if _is_meant(reply, first, last, form, named, known):
            found.append(Span(reply[first].start, reply[last].end, form.owner))
    return found + _parts(reply, [at for at in starts if at not in taken], known)


def _closed_up(text: str) -> list[str]:
    """What is written with a hyphen as one word: "infrared" for infra-red."""
    if "-" not in text:
        return []
    ends = (
        (_LAST_LETTERS.search(text[max(0, half.start() - 30) : half.start()]), half[0])
        for half in _HYPHENED.finditer(text)
    )
    return [before[0] + half[1:] for before, half in ends if before is not None]


def _full_runs(reply: Reply, starts: list[int], known: Lexicon) -> list[Run]:
    runs = []
    for first in starts:
        for form in known.forms.get(reply.keys[first], ()):
            last = first + len(form.keys) - 1
            if last == first or (tuple(reply.keys[first : last + 1]) == form.keys and reply.joined(first, last)):
                runs.append((first, last, form))
                break
            if last > first and _is_coordinated(reply, first, form):
                runs.append((first, first, form))
                break
    return runs


def _is_coordinated(reply: Reply, first: int, form: Form) -> bool:
    """The "1" of "1 and 2 Kings", the "White" of "the White and Blue Niles"."""
    if first + 1 == len(reply) or reply.keys[first + 1] not in ("and", "or"):
        return False
    rest, last = first + 3, first + 1 + len(form.keys)
    return tuple(reply.keys[rest : last + 1]) == form.keys[1:] and reply.joined(first, last)


def _looser_runs(reply: Reply, known: Lexicon, gaps: bool) -> list[Run]:
    """Words whose initials are an acronym, and names with other names inside."""
    runs = []
    raws = reply.raws
    for letters, owner in known.acronyms.items():
        for first, raw in enumerate(raws[: len(raws) - len(letters) + 1]):
            last = first + len(letters) - 1
            if raw[0] != letters[0]:
                continue
            initials = "".join(raw[0] for raw in raws[first : last + 1] if len(raw) > 1)
            if initials == letters and reply.joined(first, last):
                runs.append((first, last, Form((), owner)))
    if gaps and not known.gapped.keys().isdisjoint(reply.keys):
        for first, key in enumerate(reply.keys):
            for last_key, owner in known.gapped.get(key, ()):
                for last in range(first + 2, min(first + 4, len(reply))):
                    capitals = all(raw[0].isupper() for raw in raws[first : last + 1])
                    if reply.keys[last] != last_key or not capitals:
                        continue
                    # "Unlike Ann Lee, Ann Fox" names two people.
                    apart = any(mark in reply.text[reply[first].end : reply[last].start] for mark in ",:")
                    if not apart and reply.joined(first, last):
                        runs.append((first, last, Form((), owner)))
    return runs


def _hyphened_runs(reply: Reply, known: Lexicon) -> list[Run]:
    """Infra-red is infrared."""
    runs = []
    for first in range(len(reply) - 1):
        if reply.gap(first) == "-":
            forms = known.forms.get(fold(reply.raws[first] + reply.raws[first + 1]), ())
            runs += [(first, first + 1, form) for form in forms if len(form.keys) == 1]
    return runs


def _longest_runs(runs: list[Run]) -> list[Run]:
    """Of the runs that overlap, the longest: "New York City" is not "New York"."""
    runs.sort(key=lambda run: (run[0] - run[1], run[0]))
    kept, taken = [], set[int]()
    for run in runs:
        inside = range(run[0], run[1] + 1)
        if taken.isdisjoint(inside):
            taken.update(inside)
            kept.append(run)
    return sorted(kept, key=lambda run: run[0])


def _is_meant(reply: Reply, first: int, last: int, form: Form, gold_named: bool, known: Lexicon) -> bool:
    if form.owner != GOLD and is_echo(reply, first, last, known):
        return False
    if form.owner in known.numbers:
        return is_number_of_it(reply, first, last, known)
    if form.owner == GOLD:
        if is_behind_new(reply, first):
            return False
        return not form.exact_case or not is_other_word(reply, first, last, form, gold_named)
    return not (is_inside_other_name(reply, first, last) or is_other_word(reply, first, last, form, gold_named))


def _parts(reply: Reply, places: list[int], known: Lexicon) -> list[Span]:
    found, somebody_else = [], set[int]()
    for at in places:
        part = known.parts.get(reply.keys[at])
        if part is None:
            continue
        stands_for_it, for_another = part_owner(reply, at, part)
        if for_another:
            somebody_else.add(part.owner)
        elif stands_for_it:
            found.append(Span(reply[at].start, reply[at].end, part.owner))
    return [span for span in found if span.owner not in somebody_else]
