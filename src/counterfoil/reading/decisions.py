"""What a reply decides for, and how firmly it says so."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from counterfoil.reading import cues
from counterfoil.reading.negation import joined
from counterfoil.reading.options import CONFLICT, Mention, starts_line

# How firmly a decision is worded. The last of the firmest ones counts.
EXPLICIT, BY_LETTER, BY_TEXT, ASSERTED = 4, 3, 2, 1
_NEAR, _FAR, _LONGEST_SENTENCE = 100, 300, 400

_LINE_REST = re.compile(r"[\s.,:;!\"')\]}]{0,9}(?:입니다|이다|이에요|예요|임)?[\s.!\"')\]}]{0,9}(?:\n|$)")
_SENTENCE_HEAD = re.compile(r"[.!?;…][\"')\]]* (?:so |option |choice )?[\"'(\[]*$")
_SENTENCE_REST = re.compile(r"[\"')\]]*(?P<stop>[.!]?)[\"')\]]*\s*(?:\n|$)")
_OF_THESE = re.compile(r" ?(?:중|가운데|사이)")
_BETWEEN = re.compile(r"\b(?:between|among|out of|either)\b[^.\n]{0,20}$")
CORRECTS = re.compile(r"지만|하지만|그러나|그렇지만|\bbut\b|\bhowever\b|\bthough\b|\byet\b|다만")


class Decision(NamedTuple):
    firmness: int
    at: int
    # None: it says so itself, but between two choices, or with a letter and another choice's text.
    place: int | None


class Reading(NamedTuple):
    text: str
    lower: str
    mentions: list[Mention]
    rejected: list[bool]
    listed: list[bool]

    def asserted(self, i: int) -> bool:
        return not self.rejected[i] and not self.listed[i]


def decisions(reading: Reading) -> Iterator[Decision]:
    lower, mentions = reading.lower, reading.mentions
    for cue in cues.AHEAD.finditer(lower):
        yield from _ahead(reading, cue)
    for i, mention in enumerate(mentions):
        if not reading.asserted(i) or mention.paraphrase:
            continue
        index = _index(mention)
        first = starts_line(lower, mention.start)
        alone = joined_to(reading, i) is None and (i == 0 or joined_to(reading, i - 1) is None)
        own_line = first and (mention.letter or _stands_off(lower, mention.start))
        by_itself = own_line and _LINE_REST.match(lower, mention.end) is not None
        if by_itself or _is_whole_sentence(lower, mention):
            yield Decision(EXPLICIT if mention.letter else BY_TEXT, mention.start, index)
        elif first and mention.start < 5 and alone and mention.letter and not _is_question(lower, mention.end):
            yield Decision(BY_LETTER, 0, index)
        elif first and mention.start < 5 and alone and lower[mention.end : mention.end + 1] in (".", ",", "\n"):
            yield Decision(BY_TEXT, 0, index)
        if _decided_behind(reading, mention):
            yield Decision(EXPLICIT, mention.start, index if alone else None)
        elif alone and _is_said_to_be_it(lower, mention):
            yield Decision(BY_LETTER if mention.letter else ASSERTED, mention.start, index)
        elif alone and (_inferred_behind(reading, i) or _is_subject(reading, i)):
            yield Decision(ASSERTED, mention.start, index)
    for start in cues.CONCLUSION.finditer(lower):
        yield from _concluded(reading, start.end())
    if True in reading.listed:
        yield from _verdicts(reading)
    for start in cues.INFERRED.finditer(lower):
        yield from _inferred(reading, start.end())


def last_word(reading: Reading) -> Decision | None:
    """The last of the firmest decisions; behind "wait" or "actually", of those that are made there, if any are firm."""
    made = list(decisions(reading))
    firm = [decision for decision in made if decision.firmness > ASSERTED]
    last = max((decision.at for decision in firm), default=0)
    corrections = [match.start() for match in cues.CORRECTION.finditer(reading.lower, 0, last)]
    if corrections:
        made = [decision for decision in firm if decision.at >= corrections[-1]]
    return max(made, key=lambda decision: decision[:2], default=None)


def joined_to(reading: Reading, i: int) -> int | None:
    """The next mention, of another choice, that is named in one breath with this one; None where there is none."""
    mentions = reading.mentions
    j = i + 1
    if j < len(mentions) and mentions[j].place != mentions[i].place and not reading.rejected[j]:
        return j if joined(reading.lower, mentions[i], mentions[j]) else None
    return None


def sentence_end(lower: str, at: int) -> int:
    end = cues.SENTENCE_END.search(lower, at, at + _LONGEST_SENTENCE)
    return end.start() if end else min(len(lower), at + _LONGEST_SENTENCE)


def _stands_off(lower: str, at: int) -> bool:
    """Whether the line begins the reply, follows an empty one, or a colon: the last one of a cut-off reply does not."""
    before = lower[max(0, at - 10) : at].rstrip(" \"'([{-")
    return before.endswith(("\n\n", ":\n")) or before == ""


def _is_whole_sentence(lower: str, mention: Mention) -> bool:
    """The "C." of "Not A. C.": a line's last sentence that is nothing but the choice; of its text, with a full stop."""
    if not _SENTENCE_HEAD.search(lower, max(0, mention.start - 20), mention.start):
        return False
    rest = _SENTENCE_REST.match(lower, mention.end)
    return rest is not None and (mention.letter or rest["stop"] != "")


def _index(mention: Mention) -> int | None:
    return None if mention.place == CONFLICT else mention.place


def _ahead(reading: Reading, cue: re.Match[str]) -> Iterator[Decision]:
    """What a cue like "the answer is" points to: the first choice behind it that is not rejected."""
    lower, mentions = reading.lower, reading.mentions
    if cues.HYPOTHESIS.search(lower, _sentence_start(lower, cue.start()), cue.start()):
        return
    i = bisect_left(mentions, (cue.end(),))
    at = cue.end()
    while i < len(mentions) and mentions[i].start - at <= _NEAR and at - cue.end() <= _FAR:
        mention = mentions[i]
        gap = lower[at : mention.start]
        if cues.SENTENCE_END.search(gap.lstrip(" \n\"'(:")):
            return
        other = joined_to(reading, i)
        if reading.rejected[i]:
            at = mention.end
        elif reading.listed[i]:
            yield Decision(EXPLICIT, mention.start, None)
            return
        elif other is not None:
            if not _OF_THESE.match(lower, mentions[other].end) and not _BETWEEN.search(
                lower, max(0, mention.start - 30), mention.start
            ):
                yield Decision(EXPLICIT, mention.start, None)
                return
            i, at = other, mentions[other].end
        elif _is_question(lower, mention.end) or cues.CONDITION.match(lower, mention.end):
            return
        else:
            yield Decision(EXPLICIT, mention.start, _index(mention))
            return
        i += 1


def _decided_behind(reading: Reading, mention: Mention) -> bool:
    lower = reading.lower
    behind = cues.BEHIND_ENGLISH.match(lower, mention.end) or cues.BEHIND_KOREAN.match(lower, mention.end)
    if behind is None and mention.letter:
        behind = cues.LETTER_BEHIND_KOREAN.match(lower, mention.end)
    if behind is None or cues.UNDONE.match(lower, behind.end()) or _is_question(lower, behind.end()):
        return False
    return not cues.HYPOTHESIS.search(lower, _sentence_start(lower, mention.start), mention.start)


def _concluded(reading: Reading, start: int) -> Iterator[Decision]:
    """What a sentence that begins with "therefore" is about, where that is one choice."""
    lower, mentions = reading.lower, reading.mentions
    end = sentence_end(lower, start)
    if lower[end : end + 1] == "?":
        return
    i = bisect_left(mentions, (start,))
    within = []
    while i < len(mentions) and mentions[i].start < end:
        if reading.asserted(i):
            within.append(mentions[i])
        i += 1
    by_letter = {mention.place for mention in within if mention.letter}
    loose = [mention for mention in within if mention.paraphrase]
    by_text = {mention.place for mention in within if not mention.paraphrase}
    if len(by_letter) == 1:
        yield Decision(BY_LETTER, start, _index(next(mention for mention in within if mention.letter)))
    elif loose and (not by_text or not CORRECTS.search(lower, loose[-1].end, end)):
        yield Decision(BY_TEXT, start, loose[-1].place)
    elif len(by_text) == 1:
        yield Decision(BY_TEXT, start, by_text.pop())


def _verdicts(reading: Reading) -> Iterator[Decision]:
    """The one option of a list that its own line says to be right."""
    lower = reading.lower
    right = []
    for i, mention in enumerate(reading.mentions):
        if reading.listed[i]:
            line_end = lower.find("\n", mention.end, mention.end + _LONGEST_SENTENCE)
            line = lower[mention.end : line_end if line_end >= 0 else mention.end + _LONGEST_SENTENCE]
            if cues.VERDICT.search(line) and not cues.NO_VERDICT.search(line):
                right.append(mention)
    if len(right) == 1:
        yield Decision(EXPLICIT, right[0].start, _index(right[0]))


def _inferred(reading: Reading, start: int) -> Iterator[Decision]:
    """What follows "this suggests that", where that sentence is about one choice."""
    end = sentence_end(reading.lower, start)
    i = bisect_left(reading.mentions, (start,))
    within = set()
    while i < len(reading.mentions) and reading.mentions[i].start < end:
        if reading.asserted(i) and not reading.mentions[i].paraphrase:
            within.add(reading.mentions[i].place)
        i += 1
    if len(within) == 1 and reading.lower[end : end + 1] != "?":
        index = within.pop()
        yield Decision(ASSERTED, start, None if index == CONFLICT else index)


def _is_said_to_be_it(lower: str, mention: Mention) -> bool:
    """Whether the reply says "it was" this one, in either language."""
    if cues.CLEFT.search(lower, max(0, mention.start - 30), mention.start):
        return True
    return cues.ASSERTION.match(lower, mention.end) is not None and not _is_question(lower, mention.end)


def _is_subject(reading: Reading, i: int) -> bool:
    """Whether the reply begins with this one, and names another only to give the reason."""
    lower, mentions = reading.lower, reading.mentions
    start, end = mentions[i][:2]
    if start > 4 or not starts_line(lower, start) or i + 1 == len(mentions):
        return False
    return cues.REASON.search(lower, end, min(mentions[i + 1].start, sentence_end(lower, end) + 10)) is not None


def _inferred_behind(reading: Reading, i: int) -> bool:
    """Whether the sentence goes on to say, in Korean, that this can be concluded, with no other choice in between."""
    mentions = reading.mentions
    said = cues.INFERRED_KOREAN.match(reading.lower, mentions[i].end)
    if said is None or cues.UNDONE.match(reading.lower, said.end()):
        return False
    return i + 1 == len(mentions) or mentions[i + 1].start >= said.end()


def _sentence_start(lower: str, at: int) -> int:
    low = max(0, at - _NEAR)
    return max(low, lower.rfind("\n", low, at) + 1, lower.rfind(". ", low, at) + 1, lower.rfind(", ", low, at) + 1)


def _is_question(lower: str, at: int) -> bool:
    end = sentence_end(lower, at)
    return lower[end : end + 1] == "?"
