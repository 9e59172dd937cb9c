"""Whether the words found in a reply mean the candidate there, judged by what stands around them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property

from counterfoil.explain.mentions.forms import Lexicon
from counterfoil.explain.mentions.names import GOLD, Form, Part, is_number
from counterfoil.explain.mentions.otherwise import ALL_PEOPLES
from counterfoil.explain.mentions.vocabulary import (
    BEFORE_BARE_NOUNS,
    BEFORE_OTHER_NAMES,
    BEFORE_TO_NOUN,
    BEFORE_VERBS,
    BEHIND_PEOPLE,
    BEHIND_VERBS,
    FUNCTION_WORDS,
    KINDS,
    MONTH_NUMBERS,
    NAME_PARTICLES,
    TEAMS,
    THINGS,
    TITLES,
)
from counterfoil.explain.mentions.words import Word, Words, fold

_SENIOR = frozenset(("sr", "jr", "senior", "junior"))
_HYPHEN = re.compile(r"-(?<=[^\W\d_]-)(?=[^\W\d_])")
_WITHIN = re.compile(r'[\w,"“ ][ "“*]')


class Reply(Words):
    """A reply's words, with what the rules ask about their surroundings."""

    @cached_property
    def closed_up(self) -> list[tuple[int, str]]:
        """What is written with a hyphen, by its first word, as the key of one word: "infrared" for infra-red."""
        if "-" not in self.text:
            return []
        firsts = [bisect_left(self.starts, hyphen.start()) - 1 for hyphen in _HYPHEN.finditer(self.text)]
        firsts = [at for at in firsts if 0 <= at < len(self) - 1 and self.gap(at) == "-"]
        return [(at, fold(self.raws[at] + self.raws[at + 1])) for at in firsts]

    def gap(self, left: int) -> str:
        """What stands between a word and the next."""
        return self.text[self.starts[left] + len(self.raws[left]) : self.starts[left + 1]]

    def before(self, at: int) -> Word | None:
        """The word directly before, if only a space, a hyphen or the point of an initial or title lies between."""
        return self[at - 1] if at and self._beside(at - 1) else None

    def after(self, at: int) -> Word | None:
        return self[at + 1] if at + 1 < len(self) and self._beside(at) else None

    def _beside(self, left: int) -> bool:
        gap = self.gap(left)
        return gap in (" ", "-", "‑") or (gap == ". " and (len(self.raws[left]) == 1 or self.keys[left] in TITLES))

    def joined(self, first: int, last: int) -> bool:
        """Whether the words from `first` to `last` are one run: no line, sentence or clause ends between them."""
        for at in range(first, last):
            gap = self.gap(at)
            if len(gap) > 4 or "\n" in gap or ";" in gap or "? " in gap:
                return False
            if ". " in gap and self.raws[at + 1] in ("The", "A", "An"):
                return False
            if ". " in gap and len(self[at].raw) > 3 and self[at].key not in TITLES:
                return False
        return True


def is_capital(word: Word | None) -> bool:
    return word is not None and word.raw[0].isupper()


def is_echo(reply: Reply, first: int, last: int, known: Lexicon) -> bool:
    """The words stand beside the same neighbour as in the question: they are repeated from there."""
    keys = tuple(reply.keys[first : last + 1])
    asked = known.question_keys
    if keys[0] not in asked:
        return False
    left = reply.keys[first - 1] if first else ""
    right = reply.keys[last + 1] if last + 1 < len(reply) else ""
    for at in range(len(asked) - len(keys) + 1):
        if asked[at : at + len(keys)] != keys:
            continue
        if at and asked[at - 1] == left and left not in FUNCTION_WORDS:
            return True
        end = at + len(keys)
        if end < len(asked) and asked[end] == right and right not in FUNCTION_WORDS:
            return True
    return False


def is_inside_other_name(reply: Reply, first: int, last: int) -> bool:
    """South Korea is not Korea, 2 Kings 7 is not Kings, Kingston upon Hull is not Hull."""
    raws = reply.raws
    left, right = raws[first - 1] if first else "", raws[last + 1] if last + 1 < len(raws) else ""
    if not (
        left[:1].isupper()
        or left[:1].isdigit()
        or left in ("on", "upon", "of")
        or right[:1].isupper()
        or right[:1].isdigit()
    ):
        return False
    before, after = reply.before(first), reply.after(last)
    if before is not None:
        if is_capital(before) and before.key in BEFORE_OTHER_NAMES and reply.keys[first] not in BEFORE_OTHER_NAMES:
            return True
        if before.key == "of" and first > 1 and reply.raws[first - 2] in ("University", "Treaty", "Archbishop", "Duke"):
            return True  # the University of Chicago
        if before.key == "upon" or (before.key == "on" and reply.gap(first - 1) == "-"):
            return True
        if before.raw in ("1", "2", "3", "I", "II", "III"):
            return after is not None and is_number(after.key)
    if after is not None and is_capital(after) and _goes_on(reply, first, last, after):
        return True
    # A chapter and verse: Ruth 1:16.
    return after is not None and re.match(r"\s\d+:\d", reply.text[reply[last].end : reply[last].end + 8]) is not None


def _goes_on(reply: Reply, first: int, last: int, after: Word) -> bool:
    """Whether a name goes on into another one: the Washington Post, George Washington Carver."""
    if reply.gap(last) != " " or not is_capital(reply[last]) or after.raw.isupper():
        return False
    if first == last:
        return after.key in THINGS
    return (
        last - first == 1
        and is_capital(reply[first])
        and after.raw.isalpha()
        and after.key not in FUNCTION_WORDS | KINDS | _SENIOR
    )


def is_contracted(reply: Reply, at: int) -> bool:
    """The Don of "Don't", the Won of "won't"."""
    return reply.text.startswith(("'t", "’t"), reply.end(at))


def is_people(reply: Reply, at: int) -> bool:
    """Whether a people stands for its country: "the Dutch lost", "the Germans", "the Dutch side"; not "Dutch art"."""
    raw = reply.raws[at]
    if not raw[0].isupper():
        return False
    after = reply.after(at)
    if raw.endswith(("s", "men")) and not raw.endswith(("ss", "is")):
        return not is_capital(after)
    if after is not None and after.key in TEAMS:
        return True
    if at > 1 and reply.keys[at - 1] in ("a", "an") and reply.keys[at - 2] in ("is", "wa", "was"):
        return True  # "Sibelius was a Norwegian composer"
    named = at > 0 and reply.keys[at - 1] == "the" and reply.gap(at - 1) == " "
    return named and (
        after is None or after.key in FUNCTION_WORDS or after.key in BEHIND_PEOPLE or after.raw.endswith("ed")
    )


def is_year_of(reply: Reply, at: int, months: frozenset[int]) -> bool:
    """Whether a year is not that of a date in another month."""
    before = [MONTH_NUMBERS[key] for key in reply.keys[max(0, at - 2) : at] if key in MONTH_NUMBERS]
    return not before or bool(months.intersection(before))


def is_behind_new(reply: Reply, first: int) -> bool:
    """New York is never York; South Korea may be Korea."""
    before = reply.before(first)
    return before is not None and before.raw == "New"


def is_other_word(reply: Reply, first: int, last: int, form: Form, gold_is_a_name: bool) -> bool:
    """A word in small letters that is not the name in capitals: "frank" beside the answer Oliver is not Frank."""
    word = reply[first]
    if form.symbol:
        return word.raw != form.symbol or not _is_symbol(reply, first)
    if form.exact_case:
        return not all(raw.isupper() for raw in reply.raws[first : last + 1])
    if first != last or not word.raw.islower():
        # "Brazilians speak Portuguese" does not name a language.
        plural = first == last and word.key in ALL_PEOPLES and word.raw.endswith("s") and not word.raw.endswith("ss")
        return plural and form.keys == (word.key,) and not form.people
    if _is_verb(reply, first):
        return True
    return gold_is_a_name and not _is_bare(reply, first)


def _is_symbol(reply: Reply, at: int) -> bool:
    """Whether a word that is also a symbol is one here: "In is indium", "not In"; not "In case"."""
    after = reply.text[reply.end(at) :][:1]
    if after != " ":
        return True
    if at + 1 < len(reply) and reply.keys[at + 1] in ("is", "stand", "mean", "for", "and", "or", "wa"):
        return True
    return at > 0 and reply.gap(at - 1) == " " and reply.raws[at - 1].islower()


def _is_bare(reply: Reply, at: int) -> bool:
    """Whether a noun stands here by itself, as names do: "silver, gold and tin"; not "the silver surface"."""
    before = reply.text[max(0, reply.starts[at] - 2) : reply.starts[at]]
    return at == 0 or before[:1] in ",;:\n*-" or before[-1:] in "\"“'‘*(\n" or reply.keys[at - 1] in BEFORE_BARE_NOUNS


def _is_verb(reply: Reply, at: int) -> bool:
    """As in "able to fly", "they fly", "can fly", "leads to"; not in "compared to glass"."""
    before, after = reply.before(at), reply.after(at)
    if before is not None and after is not None and reply.raws[at].endswith("s") and after.key in BEHIND_VERBS:
        return not reply.keys[at].endswith("s")
    if before is None or before.key not in BEFORE_VERBS:
        return False
    return before.key != "to" or at < 2 or reply.keys[at - 2] not in BEFORE_TO_NOUN


def part_owner(reply: Reply, at: int, part: Part) -> tuple[bool, bool]:
    """Whether a word stands for the whole name, and whether it belongs to somebody else (then it does everywhere)."""
    word = reply[at]
    if not is_capital(word):
        return False, False
    following = _capitals_beside(reply, at, 1)
    if following and word.key in TITLES:
        return False, False  # Major Tom is not John Major
    following = [key for key in following if key not in _SENIOR]
    if following and following[0] not in FUNCTION_WORDS:
        same_name = any(key in part.name or key in KINDS for key in following)
        return same_name and not part.last, not same_name
    leading = _capitals_beside(reply, at, -1)
    # The "Van" of "Van Gogh" tells whose name it is only where no first name does.
    leading = [key for key in leading if key not in NAME_PARTICLES] or leading
    if leading and leading[0] not in FUNCTION_WORDS | TITLES:
        others = part.name - {reply.keys[at]}
        same_name = any(key in part.name or key in KINDS or _short_for(key, others) for key in leading)
        # "Pistol Pete" says nothing against Sampras elsewhere.
        return same_name and part.last, part.last and not same_name
    return True, False


def _capitals_beside(reply: Reply, at: int, step: int) -> list[str]:
    """Up to three words with capitals that go on from a word, to the right or to the left."""
    keys: list[str] = []
    while len(keys) < 3:
        beside = reply.after(at) if step > 0 else reply.before(at)
        if beside is None or not (is_capital(beside) or (step < 0 and beside.key in NAME_PARTICLES)):
            break
        at += step
        if is_capital(beside):
            keys.append(reply.keys[at])
    return keys


def _short_for(key: str, name: frozenset[str]) -> bool:
    """S for Steven, Steve and Steven, Wm and William: the letters of one are among the other's, from the first.

    And JK for J. K.: initials.
    """
    if 1 < len(key) < 4 and {other[0] for other in name}.issuperset(key):
        return True
    return any(_letters_among(*sorted((key, other), key=len)) for other in name if len(other) > 1)


def _letters_among(short: str, long: str) -> bool:
    letters = iter(long)
    return short[0] == long[0] and all(letter in letters for letter in short)


def gold_is_name(reply: Reply, owners: Sequence[tuple[int, int, Form]], asks_for_name: bool) -> bool:
    """Whether this reply writes the answers as names: the gold one with capitals, never without.

    Every word has one at the head of a sentence: there it depends on what the question asks for.
    """
    inside = False
    for first, last, form in owners:
        if form.owner != GOLD:
            continue
        if reply.raws[first][0].islower() or reply.raws[last][0].islower():
            return False
        before = reply.text[max(0, reply[first].start - 2) : reply[first].start]
        inside = inside or asks_for_name or first != last or _WITHIN.fullmatch(before) is not None
    return inside
