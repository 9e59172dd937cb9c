"""Which of its choices a reply takes: what a careful reader would say that it decides for."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from string import ascii_uppercase
from typing import NamedTuple

from counterfoil.errors import UserError
from counterfoil.reading import cues
from counterfoil.reading.amounts import amounts_stated
from counterfoil.reading.decisions import (
    ASSERTED,
    EXPLICIT,
    SAID,
    WEAK,
    Decision,
    clause_start,
    conclusions,
    cues_ahead,
    decided,
    is_withdrawn,
)
from counterfoil.reading.mentions import (
    Mention,
    find_amounts,
    find_letters,
    find_texts,
    joined,
    listed,
    merge,
    rejected,
    starts_line,
)
from counterfoil.reading.naming import Naming, choice_of_amount, naming_of, short_texts_of
from counterfoil.reading.text import clean, ends_sentence, is_last_line, is_question, parts_to_read, sentence_end
from counterfoil.reading.unknown import find_inflected, find_paraphrases, is_refusal
from counterfoil.reading.ways import Read, ReadBy

_NEAR, _FAR, _LONGEST_LINE, _SHORT = 100, 300, 400, 160
_USUAL = ("A", "B", "C")
# A name in data is no answer, but for the field of the answer.
_FIELD = re.compile(r"[\"'][A-Za-z_]{1,20}[\"'] ?:")
_PLAIN = (
    "{}", "({})", "{}.", "{})", "{}:", "**{}**", "'{}'", "정답: {}", "답: {}", "정답은 {}입니다.", "Answer: {}",
    "ANSWER: {}", "**ANSWER: {}**", "**Answer: {}**",
)  # fmt: skip
_PLAIN_TEXTS = ("{0}", "{0}.", "{0}입니다.", "답: {0}", "{1}: {0}", "{1}) {0}", "({1}) {0}", "{1}. {0}")

_LINE_REST = re.compile(r"[\s.,:;!\"')\]}]{0,9}(?:입니다|이다|이에요|예요|임)?[\s.!\"')\]}]{0,9}(?:\n|$)")
_SENTENCE_HEAD = re.compile(r"[.!?;…→][\"')\]]* (?:so |option |choice )?[\"'(\[]*$")
_SENTENCE_REST = re.compile(r"[\"')\]]*(?P<stop>[.!]?)[\"')\]]*\s*(?:\n|$)")
# "It matures, however: B.", "Respuesta: B": a letter behind a colon that ends the reply.
_HEADING = re.compile(r"[^\W\d][^\n:=\d]{2,30}: ?[\"'(\[]*$")
_NOTHING_MORE = re.compile(r"[\s.!\"')\]]*$")
# "B: 16,200": a last line with a letter and a number.
_LAST_NUMBER = re.compile(r"[).:\]\"']{0,3} ?[=-]? ?[-+(.]?\d[^\n]{0,30}$")


def read_choice(
    reply: str, choices: Sequence[str], *, labels: Sequence[str] = ("A", "B", "C"), unknown: int | None = None
) -> int | None:
    """The index of the choice that a reply takes; None where it takes none.

    `choices` are the texts as they were shown, `labels` the letters beside them, with or without brackets, in either
    case; for fewer or more than three choices A, B, C, D … unless others are given. `unknown` is the index of the
    choice that nobody can know; with it, that choice is also read where the reply says so in other words.

    The last decision counts, after any reasoning. Choices that are rejected, doubted, or listed without a decision do
    not. Where two or more choices hold a number, a stated number stands for the choice that is close to it (1 % of it,
    or half a unit of its last digit) and less than half as far from it as any other. A letter with another choice's
    text or number is no decision. Where a reply goes on to questions of its own, what it said before counts.

    >>> read_choice("Not the nurse. The answer is (B).", ["The nurse", "The cook", "The driver"])
    1
    >>> read_choice("정답은 할머니입니다.", ["손자", "할머니"])
    1
    >>> read_choice("The rate is 0.155.", ["12.25%", "15.50%", "9.75%", "4.00%"])
    1
    >>> read_choice("It is not stated who was late.", ["The nurse", "The cook", "Unknown"], unknown=2)
    2
    >>> read_choice("A or B.", ["The nurse", "The cook"]) is None
    True
    """
    read = choice_of(reply, tuple(choices), letters_of(labels, len(choices)), unknown, by_name=False)
    return None if read is None else read.said


def letters_of(labels: Sequence[str], count: int) -> tuple[str, ...]:
    """The letters that the labels of so many choices are: capitals, without brackets. The usual ones go on: D, E …"""
    if tuple(labels) != _USUAL:
        if count != len(labels):
            raise UserError(f"{count} choices, but the labels {', '.join(labels)}: each choice needs one.")
        return _letters(tuple(labels))
    if count > len(ascii_uppercase):
        raise UserError(f"{count} choices are more than there are letters: labels must say what stands beside them.")
    return tuple(ascii_uppercase[:count])


@lru_cache(maxsize=64)
def _letters(labels: tuple[str, ...]) -> tuple[str, ...]:
    letters = tuple(label.strip(" ().:").upper() for label in labels)
    if any(len(letter) != 1 for letter in letters):
        raise UserError(f"The labels {', '.join(labels)} can't be read in replies: each must be one letter.")
    return letters


def choice_of(
    reply: str, choices: tuple[str, ...], letters: tuple[str, ...], unknown: int | None, *, by_name: bool = True
) -> Read[int] | None:
    """As `read_choice`, with labels that are letters already; and how the choice was read.

    With `by_name`, a reply of any length that names one choice and no other takes it: the choices are people. Else
    only a short one does, and a long one must say that it decides.
    """
    said = reply.strip()
    plain = _plain_forms(letters)
    read = plain.get(said) or _plain_texts(choices, letters).get(said)
    if read is not None:
        return read
    for part in parts_to_read(said):
        read = plain.get(part) or _read(clean(part), choices, letters, unknown, by_name)
        if read is not None:
            return Read(read.said, ReadBy.FINAL_LINE) if read.by == ReadBy.STATED and is_last_line(part) else read
    return None


@lru_cache(maxsize=64)
def _plain_forms(letters: tuple[str, ...]) -> dict[str, Read[int]]:
    """The replies that most models give most of the time, and the choices that they take."""
    either = [(letter, i) for i, capital in enumerate(letters) for letter in (capital, capital.lower())]
    return {form.format(letter): Read(i, ReadBy.FINAL_LINE) for form in _PLAIN for letter, i in either}


@lru_cache(maxsize=65_536)
def _plain_texts(choices: tuple[str, ...], letters: tuple[str, ...]) -> dict[str, Read[int]]:
    """The same for these choices' texts, where no two are alike."""
    texts = [choice.strip() for choice in choices]
    if len({text.lower() for text in texts}) < len(texts) or not all(texts):
        return {}
    each = [(text, letter, i) for i, (text, letter) in enumerate(zip(texts, letters, strict=True))]
    return {
        form.format(text, letter): Read(i, ReadBy.FINAL_LINE if "{1}" in form else ReadBy.BY_TEXT)
        for form in _PLAIN_TEXTS
        for text, letter, i in each
    }


class Reading(NamedTuple):
    """A cleaned reply, the choices that it names, and which of these it rejects or only lists."""

    text: str
    lower: str
    mentions: list[Mention]
    rejected: list[bool]
    listed: list[bool]

    def asserted(self, i: int) -> bool:
        return not self.rejected[i] and not self.listed[i]


def _read(
    text: str, choices: tuple[str, ...], letters: tuple[str, ...], unknown: int | None, by_name: bool
) -> Read[int] | None:
    if not text:
        return None
    lower = text.lower()
    by_name = by_name or len(lower) <= _SHORT
    naming = naming_of(choices)
    named = find_texts(lower, naming.texts)
    marked = find_letters(text, lower, letters)
    loose = find_inflected(lower, naming.stems)
    if unknown is not None:
        loose += find_paraphrases(lower, unknown)
    if naming.amounts is not None:
        named = sorted(named + find_amounts(lower, marked, naming.amounts))
    elif not named and not marked:
        named = find_texts(lower, short_texts_of(choices, unknown))
    mentions = _with_loose(merge(text, lower, marked, named), loose)
    if not mentions and naming.amounts is None:
        return None
    no = rejected(lower, mentions)
    reading = Reading(text, lower, mentions, no, listed(text, lower, mentions, no))
    if naming.amounts is None and by_name:
        settled = _settled(reading)
        if settled is not None:
            return Read(settled, _way_of(reading, settled))
    decisions = _decisions(reading, naming)
    if decisions:
        return decided(lower, decisions)
    return None if _FIELD.search(text) else _undecided(reading, by_name)


def _way_of(reading: Reading, place: int) -> str:
    """How a choice is taken that is the only one named."""
    ways = [one.by for one in sorted(_by_name(reading), reverse=True) if one.said == place]
    return ways[0] if ways else ReadBy.ONLY_MENTIONED


def _settled(reading: Reading) -> int | None:
    """The one choice that is named and not rejected, where that is plain: whatever is decided is decided for it."""
    only: Mention | None = None
    for mention, no, quoted in zip(reading.mentions, reading.rejected, reading.listed, strict=True):
        if quoted or mention.paraphrase:
            return None
        if not no:
            if only is not None and only.place != mention.place:
                return None
            only = mention
    if only is None or _FIELD.search(reading.text) or is_withdrawn(reading.lower, only.end):
        return None
    return only.place


def _with_loose(mentions: list[Mention], loose: list[Mention]) -> list[Mention]:
    """Both kinds in order; words to a choice's effect that overlap its text, or each other, are one."""
    if not loose:
        return mentions
    out: list[Mention] = []
    for mention in sorted(mentions + loose, key=lambda one: (one.start, one.paraphrase)):
        if not out or mention.start >= out[-1].end or not (mention.paraphrase or out[-1].paraphrase):
            out.append(mention)
        elif not mention.paraphrase:
            out[-1] = mention
    return out


def _undecided(reading: Reading, by_name: bool) -> Read[int] | None:
    """Without a decision: the only choice that is named and not rejected, or that nobody can know."""
    asserted = [mention for i, mention in enumerate(reading.mentions) if reading.asserted(i)]
    loose = [mention for mention in asserted if mention.paraphrase]
    named = {mention.place for mention in asserted if not mention.paraphrase}
    if None in named or not (by_name or loose):
        return None
    by_letter = {mention.place for mention in asserted if mention.letter}
    if len(by_letter) == 1:
        open_end = any(_joined_to(reading, i) is not None for i, one in enumerate(reading.mentions) if one.letter)
        return None if open_end else _only(by_letter)
    if not loose:
        return _only(named)
    if is_refusal(reading.lower):
        return None
    last = loose[-1]
    later = {mention.place for mention in asserted if mention.start > last.end and not mention.paraphrase}
    if not later - {last.place}:
        return _only({last.place}, ReadBy.IN_OTHER_WORDS)
    if len(later) == 1 and cues.BUT.search(reading.lower, last.end):
        return _only(later)
    # "It is not stated whether the nurse or the mechanic was late": what follows is what can not be known.
    end = sentence_end(reading.lower, last.end)
    if any(mention.start > end for mention in reading.mentions):
        return None
    return _only({last.place}, ReadBy.IN_OTHER_WORDS)


def _only(places: set[int | None], by: str = ReadBy.ONLY_MENTIONED) -> Read[int] | None:
    """The one choice of these; None where there is none, or another one."""
    [place, *others] = places or [None]
    return None if place is None or others else Read(place, by)


def _decisions(reading: Reading, naming: Naming) -> list[Decision[int]]:
    """All decisions; by a stated amount only where no letter and no text is decided for."""
    decisions = list(_by_name(reading))
    if naming.amounts is not None and not any(one.firmness > ASSERTED for one in decisions):
        for firmness, start, end, stated, _ in amounts_stated(reading.lower):
            place = None if stated is None else choice_of_amount(stated, naming.amounts)
            if place is not None:
                decisions.append(Decision(firmness, start, end, place, ReadBy.BY_NUMBER))
    return decisions


def _by_name(reading: Reading) -> Iterator[Decision[int]]:
    lower, mentions = reading.lower, reading.mentions
    for cue in cues_ahead(lower):
        yield from _ahead(reading, cue)
    for i, mention in enumerate(mentions):
        if not reading.asserted(i) or mention.paraphrase:
            continue
        start, end, place = mention[:3]
        by = _by(mention)
        first = starts_line(lower, start)
        alone = _joined_to(reading, i) is None and (i == 0 or _joined_to(reading, i - 1) is None)
        own_line = first and (mention.letter or _stands_off(lower, start))
        by_itself = own_line and _LINE_REST.match(lower, end) is not None
        if by_itself or _is_whole_sentence(lower, mention):
            yield Decision(EXPLICIT if mention.letter else WEAK, start, end, place, by)
        elif first and start < 5 and alone and mention.letter and not is_question(lower, end):
            yield Decision(SAID, 0, end, place, by)
        elif first and start < 5 and alone and lower[end : end + 1] in (".", ",", "\n"):
            yield Decision(WEAK, 0, end, place, by)
        elif first and mention.letter and _LAST_NUMBER.match(lower, end):
            yield Decision(SAID, start, end, place, by)
        if _is_decided_behind(reading, mention):
            yield Decision(EXPLICIT, start, end, place if alone else None, by)
        elif alone and _is_said_to_be_it(lower, mention):
            yield Decision(SAID if mention.letter else ASSERTED, start, end, place, by)
        elif alone and (_is_inferred_behind(reading, i) or _is_subject(reading, i)):
            yield Decision(ASSERTED, start, end, place, by)
    for start, end in conclusions(lower):
        yield from _concluded(reading, start, end)
    if True in reading.listed:
        yield from _verdicts(reading)
    for match in cues.INFERRED.finditer(lower):
        yield from _inferred(reading, match.end())


def _by(mention: Mention) -> str:
    """How a choice is taken that is decided for where it is named."""
    if mention.letter:
        return ReadBy.STATED
    return ReadBy.IN_OTHER_WORDS if mention.paraphrase else ReadBy.BY_TEXT


def _joined_to(reading: Reading, i: int) -> int | None:
    """The next mention, of another choice, that is named in one breath with this one; None where there is none."""
    mentions = reading.mentions
    j = i + 1
    if j < len(mentions) and mentions[j].place != mentions[i].place and not reading.rejected[j]:
        return j if joined(reading.lower, mentions[i], mentions[j]) else None
    return None


def _stands_off(lower: str, at: int) -> bool:
    """Whether the line begins the reply, follows an empty one, or a colon: the last one of a cut-off reply does not."""
    before = lower[max(0, at - 10) : at].rstrip(" \"'([{-")
    return before.endswith(("\n\n", ":\n")) or before == ""


def _is_whole_sentence(lower: str, mention: Mention) -> bool:
    """The "C." of "Not A. C.": a line's last sentence that is nothing but the choice; of its text, with a full stop."""
    low, at = max(0, mention.start - 40), mention.start
    if mention.letter and _HEADING.search(lower, low, at) and _NOTHING_MORE.match(lower, mention.end):
        return True
    if not _SENTENCE_HEAD.search(lower, max(0, at - 20), at):
        return False
    rest = _SENTENCE_REST.match(lower, mention.end)
    return rest is not None and (mention.letter or rest["stop"] != "")


def _ahead(reading: Reading, cue: re.Match[str]) -> Iterator[Decision[int]]:
    """What a cue like "the answer is" points to: the first choice behind it that is not rejected."""
    lower, mentions = reading.lower, reading.mentions
    i = bisect_left(mentions, (cue.end(),))
    at = cue.end()
    while i < len(mentions) and mentions[i].start - at <= _NEAR and at - cue.end() <= _FAR:
        mention = mentions[i]
        if ends_sentence(lower[at : mention.start].lstrip(" \n\"'(:")):
            return
        other = _joined_to(reading, i)
        if reading.rejected[i]:
            at = mention.end
        elif reading.listed[i]:
            yield Decision(EXPLICIT, cue.start(), mention.end, None)
            return
        elif other is not None:
            of_these = cues.OF_THESE.match(lower, mentions[other].end)
            if not of_these and not cues.BETWEEN.search(lower, max(0, mention.start - 30), mention.start):
                yield Decision(EXPLICIT, cue.start(), mentions[other].end, None)
                return
            i, at = other, mentions[other].end
        elif is_question(lower, mention.end) or cues.CONDITION.match(lower, mention.end):
            return
        else:
            yield Decision(EXPLICIT, cue.start(), mention.end, mention.place, _by(mention))
            return
        i += 1


def _is_decided_behind(reading: Reading, mention: Mention) -> bool:
    lower = reading.lower
    behind = cues.BEHIND_ENGLISH.match(lower, mention.end) or cues.BEHIND_KOREAN.match(lower, mention.end)
    if behind is None and mention.letter:
        behind = cues.LETTER_BEHIND_KOREAN.match(lower, mention.end)
    if behind is None or cues.UNDONE.match(lower, behind.end()) or is_question(lower, behind.end()):
        return False
    return not cues.HYPOTHESIS.search(lower, clause_start(lower, mention.start), mention.start)


def _within(reading: Reading, start: int, end: int) -> list[Mention]:
    """The mentions in these bounds that are neither rejected nor listed."""
    first, behind = (bisect_left(reading.mentions, (at,)) for at in (start, end))
    return [reading.mentions[i] for i in range(first, behind) if reading.asserted(i)]


def _concluded(reading: Reading, start: int, end: int) -> Iterator[Decision[int]]:
    """What a sentence that begins with "therefore" is about, where that is one choice."""
    within = _within(reading, start, end)
    letters = [mention for mention in within if mention.letter]
    loose = [mention for mention in within if mention.paraphrase]
    by_text = {mention.place for mention in within if not mention.paraphrase}
    if len({mention.place for mention in letters}) == 1:
        yield Decision(SAID, start, letters[-1].end, letters[0].place, ReadBy.CONCLUDED)
    elif loose and (not by_text or not cues.BUT.search(reading.lower, loose[-1].end, end)):
        yield Decision(WEAK, start, end, loose[-1].place, ReadBy.IN_OTHER_WORDS)
    elif len(by_text) == 1:
        yield Decision(WEAK, start, end, by_text.pop(), ReadBy.CONCLUDED)


def _verdicts(reading: Reading) -> Iterator[Decision[int]]:
    """The one option of a list that its own line says to be right."""
    lower = reading.lower
    right = []
    for i, mention in enumerate(reading.mentions):
        if reading.listed[i]:
            line_end = lower.find("\n", mention.end, mention.end + _LONGEST_LINE)
            line = lower[mention.end : line_end if line_end >= 0 else mention.end + _LONGEST_LINE]
            if cues.VERDICT.search(line) and not cues.NO_VERDICT.search(line):
                right.append(mention)
    if len(right) == 1:
        yield Decision(EXPLICIT, right[0].start, right[0].end, right[0].place)


def _inferred(reading: Reading, start: int) -> Iterator[Decision[int]]:
    """What follows "this suggests that", where that sentence is about one choice."""
    end = sentence_end(reading.lower, start)
    within = {mention.place for mention in _within(reading, start, end) if not mention.paraphrase}
    if len(within) == 1 and reading.lower[end : end + 1] != "?":
        yield Decision(ASSERTED, start, end, within.pop(), ReadBy.CONCLUDED)


def _is_said_to_be_it(lower: str, mention: Mention) -> bool:
    """Whether the reply says "it was" this one, in either language, or that the result matches its letter."""
    at = mention.start
    if cues.CLEFT.search(lower, max(0, at - 30), at):
        return True
    if mention.letter and cues.MATCHED.search(lower, max(0, at - 60), at):
        return not is_question(lower, mention.end)
    return cues.ASSERTION.match(lower, mention.end) is not None and not is_question(lower, mention.end)


def _is_subject(reading: Reading, i: int) -> bool:
    """Whether the reply begins with this one, and names another only to give the reason."""
    lower, mentions = reading.lower, reading.mentions
    start, end = mentions[i][:2]
    if start > 4 or not starts_line(lower, start) or i + 1 == len(mentions):
        return False
    return cues.REASON.search(lower, end, min(mentions[i + 1].start, sentence_end(lower, end) + 10)) is not None


def _is_inferred_behind(reading: Reading, i: int) -> bool:
    """Whether the sentence goes on to say, in Korean, that this can be concluded, with no other choice in between."""
    mentions = reading.mentions
    said = cues.INFERRED_KOREAN.match(reading.lower, mentions[i].end)
    if said is None or cues.UNDONE.match(reading.lower, said.end()):
        return False
    return i + 1 == len(mentions) or mentions[i + 1].start >= said.end()
