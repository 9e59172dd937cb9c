"""Where a reply means a candidate or the gold answer."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from counterfoil.explain.mentions.context import (
    Reply,
    gold_is_name,
    is_behind_new,
    is_contracted,
    is_echo,
    is_inside_other_name,
    is_other_word,
    is_people,
    is_year_of,
    part_owner,
)
from counterfoil.explain.mentions.forms import Lexicon
from counterfoil.explain.mentions.korean import in_latin_letters
from counterfoil.explain.mentions.names import GOLD, Form
from counterfoil.explain.mentions.numbers import counts_another, is_number_of_it

# Of a name that stands in a reply more often than this, the others are not looked at.
_MOST_LOOKS = 1000

Run: TypeAlias = tuple[int, int, Form]  # the first word, the last word, what they are


class Span(NamedTuple):
    start: int
    end: int
    owner: int


@lru_cache(maxsize=2)
def reply_of(text: str) -> Reply:
    """The words of a reply, which is read more than once: for mentions, for the answer."""
    return Reply(text)


def spans(text: str, known: Lexicon, *, gaps: bool = False, once: bool = False) -> list[Span]:
    """Every place where the text means a candidate or the gold answer, in order, none overlapping.

    With `gaps`, "Captain James Cook" is the name "Captain Cook" rather than "James Cook". With `once`, it is enough to
    find each candidate once, and the gold answer not at all.
    """
    found = _by_words(reply_of(text), known, gaps, once)
    if known.unspaced is not None:
        groups = ((match, match.lastindex or 1) for match in known.unspaced.finditer(text))
        unspaced = [
            Span(*match.span(group), known.unspaced_owners[group - 1])
            for match, group in groups
            if not (known.counts_in_korean and counts_another(text, match, known.asked_in_korean))
        ]
        if known.sounds:
            unspaced += [Span(*found) for found in in_latin_letters(text, known.sounds)]
        found = _without_overlaps(unspaced + found)
    return sorted(span for span in found if span.owner not in known.same_as_gold)


def _without_overlaps(found: list[Span]) -> list[Span]:
    kept: list[Span] = []
    for span in sorted(found, key=lambda span: (span.start, -span.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


def _by_words(reply: Reply, known: Lexicon, gaps: bool, once: bool) -> list[Span]:
    keys = reply.keys
    closed = {key: first for first, key in reply.closed_up}
    starts = [at for at, key in enumerate(keys) if key in known.first_keys]
    wanted = known.first_keys if gaps else known.candidate_keys
    if not (known.acronyms or any(keys[at] in wanted for at in starts) or not wanted.isdisjoint(closed)):
        return []  # the usual case: no candidate at all
    runs = _full_runs(reply, starts, known) + _looser_runs(reply, known, gaps)
    if not known.forms.keys().isdisjoint(closed):
        runs += _hyphened_runs(reply, known)
    runs = _longest_runs(runs)
    named = gold_is_name(reply, runs, known.asks_for_name)
    found, taken, done = [], set[int](), {GOLD} if once else set()
    looks: Counter[int] = Counter()
    for first, last, form in runs:
        taken.update(range(first, last + 1))
        looks[form.owner] += 1
        if form.owner in done or looks[form.owner] > _MOST_LOOKS:
            continue
        if _is_meant(reply, first, last, form, named, known):
            found.append(Span(reply.starts[first], reply.end(last), form.owner))
            if once:
                done.add(form.owner)
    return found + _parts(reply, [at for at in starts if at not in taken], known)


def _full_runs(reply: Reply, starts: list[int], known: Lexicon) -> list[Run]:
    runs = []
    keys = [*reply.keys, ""]
    for first in starts:
        run = None
        for form in known.pairs.get((keys[first], keys[first + 1]), ()):
            last = first + len(form.keys) - 1
            if (last == first + 1 or tuple(keys[first : last + 1]) == form.keys) and reply.joined(first, last):
                run = (first, last, form)
                break
        if run is None and keys[first + 1] in ("and", "or"):
            coordinated = (form for form in known.forms.get(keys[first], ()) if _is_coordinated(reply, first, form))
            run = next(((first, first, form) for form in coordinated), None)
        if run is None and keys[first] in known.single:
            run = (first, first, known.single[keys[first]])
        if run is not None:
            runs.append(run)
    return runs


def _is_coordinated(reply: Reply, first: int, form: Form) -> bool:
    """The "1" of "1 and 2 Kings", the "White" of "the White and Blue Niles"."""
    rest, last = first + 3, first + 1 + len(form.keys)
    return len(form.keys) > 1 and tuple(reply.keys[rest : last + 1]) == form.keys[1:] and reply.joined(first, last)


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
    return [
        (first, first + 1, form)
        for first, key in reply.closed_up
        for form in known.forms.get(key, ())
        if len(form.keys) == 1
    ]


def _longest_runs(runs: list[Run]) -> list[Run]:
    """Of the runs that overlap, the longest: "New York City" is not "New York"."""
    runs.sort(key=lambda run: run[0])
    if all(left[1] < right[0] for left, right in pairwise(runs)):
        return runs
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
    if form.months is not None:
        return is_year_of(reply, first, form.months)
    if form.people:
        return is_people(reply, first)
    if form.owner in known.numbers:
        return is_number_of_it(reply, first, last, known)
    if form.owner == GOLD:
        if is_behind_new(reply, first):
            return False
        return not (form.exact_case or form.symbol) or not is_other_word(reply, first, last, form, gold_named)
    if is_contracted(reply, last):
        return False
    return not (is_inside_other_name(reply, first, last) or is_other_word(reply, first, last, form, gold_named))


def _parts(reply: Reply, places: list[int], known: Lexicon) -> list[Span]:
    found, somebody_else = [], set[int]()
    looks: Counter[int] = Counter()
    for at in places:
        part = known.parts.get(reply.keys[at])
        if part is None:
            continue
        looks[part.owner] += 1
        if looks[part.owner] > _MOST_LOOKS:
            continue
        stands_for_it, for_another = part_owner(reply, at, part)
        if for_another:
            somebody_else.add(part.owner)
        elif stands_for_it:
            found.append(Span(reply[at].start, reply[at].end, part.owner))
    return [span for span in found if span.owner not in somebody_else]
