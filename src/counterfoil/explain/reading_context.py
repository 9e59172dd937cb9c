"""Whether the words found in a reply mean the candidate there, judged by what stands around them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from counterfoil.explain.forms import GOLD, KIND_KEYS, MONTH_KEYS, Form, Lexicon, Part, is_number
from counterfoil.explain.reading_words import FUNCTION_WORDS, TITLES, UNITS, Word, Words, fold

_UNIT_KEYS = frozenset(map(fold, UNITS))
# "Season 2" numbers a season: it does not say that there are two of anything.
_NUMBERED = frozenset(
    map(
        fold,
        "season episode series chapter verse volume part step page figure version section paragraph alternative answer "
        "option clarification example point note reason misconception choice question item table day week round".split(),
    )
)
_NEW = frozenset(("north", "south", "east", "west", "new"))
# A bare noun after one of these names a thing: "or chess", "think that chess"; "a different band" does not.
_BARE_AFTER = frozenset("and or not than that like as is was with called".split())

_BEFORE_VERBS = frozenset("to can could will would may might must should cannot they we i you".split())
_BEFORE_TO_NOUN = frozenset(
    "compared similar close closer related relative opposed due refer refers referring referred belong belongs limited "
    "next equal prior according identical attributed back switch switched turn turned changed change point points lead "
    "leads led apply applies from and or as".split()
)


class Reply(Words):
    """A reply's words, with what the rules ask about their surroundings."""

    def gap(self, left: int) -> str:
        """What stands between a word and the next."""
        return self.text[self.starts[left] + len(self.raws[left]) : self.starts[left + 1]]

    def before(self, at: int) -> Word | None:
        """The word directly before, if only a space, a hyphen or the point of an initial or title lies between."""
        if at == 0:
            return None
        word, gap = self[at - 1], self.gap(at - 1)
        return word if gap in (" ", "-", "‑") or (gap == ". " and (len(word.raw) == 1 or word.key in TITLES)) else None

    def after(self, at: int) -> Word | None:
        return self[at + 1] if at + 1 < len(self) and self.gap(at) in (" ", "-", "‑") else None

    def joined(self, first: int, last: int) -> bool:
        """Whether the words from `first` to `last` are one run: no line, sentence or clause ends between them."""
        for at in range(first, last):
            gap = self.gap(at)
            if len(gap) > 4 or "\n" in gap or ";" in gap:
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
    right = reply[last + 1].key if last + 1 < len(reply) else ""
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
    """South Africa is not Africa, 2 Samuel 7 is not Samuel, Newcastle upon Tyne is not the Tyne."""
    before, after = reply.before(first), reply.after(last)
    if before is not None:
        if is_capital(before) and before.key in _NEW and reply[first].key not in _NEW:
            return True
        if before.key == "upon" or (before.key == "on" and reply.gap(first - 1) == "-"):
            return True
        if before.raw in ("1", "2", "3", "I", "II", "III"):
            return after is not None and is_number(after.key)
    # A chapter and verse: Samuel 7:12.
    return after is not None and re.match(r"\s\d+:\d", reply.text[reply[last].end : reply[last].end + 8]) is not None


def is_other_word(reply: Reply, first: int, last: int, form: Form, gold_is_a_name: bool) -> bool:
    """A word in small letters that is not the name in capitals: "mark" beside the answer Timothy is not Mark."""
    word = reply[first]
    if form.exact_case:
        return not all(raw.isupper() for raw in reply.raws[first : last + 1])
    if first != last or not word.raw.islower():
        return False
    if _is_verb(reply, first):
        return True
    if not gold_is_a_name:
        return False
    before = reply.text[max(0, word.start - 2) : word.start]
    bare = first == 0 or before[:1] in ",;:\n*-" or before[-1:] in "\"“'‘*(\n" or reply[first - 1].key in _BARE_AFTER
    return not bare


def _is_verb(reply: Reply, at: int) -> bool:
    """ "Able to fly", "they fly", "can fly"; not "compared to glass"."""
    before = reply.before(at)
    if before is None or before.key not in _BEFORE_VERBS:
        return False
    return before.key != "to" or at < 2 or reply.keys[at - 2] not in _BEFORE_TO_NOUN


def is_number_of_it(reply: Reply, at: int, last: int, known: Lexicon) -> bool:
    """Whether a number stands for a number of what is asked for: not a list's number, a date, a measure, a label."""
    if at != last:  # "twenty-five" and "one hundred", in words
        return all(raw.isalpha() for raw in reply.raws[at : last + 1])
    word, text = reply[at], reply.text
    before = reply[at - 1] if at else None
    after = reply[at + 1] if at + 1 < len(reply) else None
    gap_before = reply.gap(at - 1) if at else text[: word.start]
    gap_after = reply.gap(at) if after else text[word.end :]
    asked = known.question_keys
    if not word.raw[0].isdecimal():
        return _is_number_word_of_it(reply, at, known)
    if gap_after[:1] in ".)" and len(word.raw) < 4 and after is not None and gap_after[1:2] in tuple(" *\t"):
        line_before = gap_before.rpartition("\n")[2]
        starts_line = (at == 0 or "\n" in gap_before) and not line_before.strip(" \t*#-•(>")
        # "(1) one thing (2) another", but "ten (10)".
        inline = gap_after[:1] == ")" and (before is None or before.key != word.key) and after.raw[0].isalpha()
        if starts_line or inline:
            return False
    could_be_day = len(word.key) <= 2
    if before is not None and could_be_day:
        if before.key in MONTH_KEYS and gap_before in (" ", ". "):
            return False
        if gap_before in ("-", "/") and len(before.key) == 4 and before.key.isdecimal():
            return False
    if after is not None and could_be_day:
        if gap_after == " " and after.key in MONTH_KEYS and (is_capital(after) or after.key != "may"):
            return False
        if gap_after == "" and after.key[0] in "월일":
            return False
        if gap_after in ("-", "/") and len(after.key) == 4 and after.key.isdecimal():
            return False
    if gap_after.startswith("%") and "percent" not in asked:
        return False
    if before is not None and gap_before == " " and before.key in _NUMBERED and before.key not in asked:
        return False
    if (gap_before.endswith(":") and before is not None and is_number(before.key)) or (
        gap_after == ":" and after is not None and is_number(after.key)
    ):
        return False
    return not _is_measure(reply, at, asked)


def _is_measure(reply: Reply, at: int, asked: Sequence[str]) -> bool:
    """ "30 minutes", "15-30 mph": another unit than the question's."""
    words = reply
    for _ in range(2):
        if at + 1 >= len(words):
            return False
        gap, after = reply.gap(at), words[at + 1]
        if gap in (" ", "-", "‑", "") and after.key in _UNIT_KEYS:
            return after.key not in asked
        if not (gap in ("-", "–", "—") or gap == " ") or not (is_number(after.key) or after.key in ("to", "or")):
            return False
        at += 1
    return False


def _is_number_word_of_it(reply: Reply, at: int, known: Lexicon) -> bool:
    word = reply[at]
    before, after = reply.before(at), reply.after(at)
    counted = after is not None and after.key in known.counted
    # "The Battle of the Five Armies" counts nothing.
    if not word.raw.islower() and before is not None and not counted:
        return False
    if before is not None and reply.gap(at - 1) == "-" and is_number(before.key):
        return False
    if counted:
        return True
    if word.key in ("0", "1") or _is_measure(reply, at, known.question_keys):
        return False
    if known.counts:
        return before is None or before.key not in ("the", "these", "those", "other", "of")
    return before is not None and before.key in ("number", "not", "is", "or", "be") and after is None


def part_owner(reply: Reply, at: int, part: Part) -> tuple[bool, bool]:
    """Whether a word stands for the whole name, and whether it belongs to somebody else (then it does everywhere)."""
    word = reply[at]
    if not is_capital(word):
        return False, False
    before, after = reply.before(at), reply.after(at)
    if after is not None and is_capital(after) and after.key not in FUNCTION_WORDS:
        mine = after.key in part.name or after.key in KIND_KEYS
        return mine and not part.last, not mine
    if before is not None and is_capital(before) and before.key not in FUNCTION_WORDS | TITLES:
        chain = at
        while at - chain < 4 and (left := reply.before(chain)) is not None and is_capital(left):
            chain -= 1
            if left.key in part.name or left.key in KIND_KEYS or _short_for(left.key, part.name):
                return part.last, False
        return False, True
    return True, False


def _short_for(key: str, name: frozenset[str]) -> bool:
    """Steve and Steven, Wm and William: the letters of one are among the other's, in order, from the first."""
    return any(_letters_among(*sorted((key, other), key=len)) for other in name)


def _letters_among(short: str, long: str) -> bool:
    letters = iter(long)
    return len(short) > 1 and short[0] == long[0] and all(letter in letters for letter in short)


def gold_is_name(reply: Reply, owners: Sequence[tuple[int, int, Form]]) -> bool:
    """Whether this reply writes the gold answer as a name: with a capital inside sentences, never without."""
    inside = False
    for first, _, form in owners:
        if form.owner != GOLD:
            continue
        if reply[first].raw[0].islower():
            return False
        before = reply.text[max(0, reply[first].start - 2) : reply[first].start]
        inside = inside or (before[-1:] in ' "“*' and (before[:1].isalnum() or before[:1] in ',"“ '))
    return inside
