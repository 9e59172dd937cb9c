"""Where a reply decides for a choice that it names, and how firmly: each way of deciding is a function of its own."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from counterfoil.reading import cues, words
from counterfoil.reading.clauses import Clause, Does, clause_at, clauses
from counterfoil.reading.decisions import (
    ASSERTED,
    EXPLICIT,
    SAID,
    WEAK,
    Decision,
    clause_start,
    conclusions,
    cues_ahead,
)
from counterfoil.reading.mentions import Mention, joined, starts_line
from counterfoil.reading.naming import stems_of
from counterfoil.reading.text import ends_sentence, is_question, last_paragraph, sentence_end
from counterfoil.reading.ways import ReadBy

_NEAR, _FAR = 100, 300
# Nothing, or hardly anything, follows the last choice that is named: "Definitely B.", "Toch C dus."
_CLOSES = re.compile(r"[\s.,!\"')\]~…]*(?:[^\W\d]{1,6}[\s.!)]*){0,2}$")
_STOPS = re.compile("[.!]")
_CONCEDES = re.compile(words.either(words.CONCEDES))
# Of a choice's own words: how many, which share, and which share of any other's.
_ENOUGH, _MOST, _HARDLY = 2, 0.7, 0.3
_LINE_REST = re.compile(r"[\s.,:;!\"')\]}]{0,9}(?:입니다|이다|이에요|예요|임)?[\s.!\"')\]}]{0,9}(?:\n|$)")
_SENTENCE_HEAD = re.compile(r"[.!?;…→][\"')\]]* (?:so |option |choice )?[\"'(\[]*$")
_SENTENCE_REST = re.compile(r"[\"')\]]*(?P<stop>[.!]?)[\"')\]]*\s*(?:\n|$)")
# "It matures, however: B.", "Respuesta: B": a letter behind a colon that ends the reply.
_HEADING = re.compile(r"[^\W\d][^\n:=\d]{2,30}: ?[\"'(\[]*$")
_NOTHING_MORE = re.compile(r"[\s.!\"')\]]*$")
# "B: 16,200": a last line with a letter and a number.
_LAST_NUMBER = re.compile(r"[).:\]\"']{0,3} ?[=-]? ?[-+(.]?\d[^\n]{0,30}$")


@dataclass(frozen=True)
class Reading:
    """A cleaned reply, the choices that it names, and which of these it rejects or only lists."""

    text: str
    lower: str
    mentions: list[Mention]
    rejected: list[bool]
    listed: list[bool]
    languages: tuple[str, ...]
    # What is in bold letters, in lower case.
    bold: tuple[str, ...] = ()
    # A choice is named as soon as it is spoken of: a person. Else its words may be about anything.
    by_name: bool = True

    def asserted(self, i: int) -> bool:
        return not self.rejected[i] and not self.listed[i]

    @cached_property
    def clauses(self) -> list[Clause]:
        """The clauses, and what each does with what it names: the words of a choice itself do nothing."""
        pieces, at = [], 0
        for mention in self.mentions:
            if not mention.letter and mention.start >= at:
                pieces += [self.lower[at : mention.start], "\x00" * (mention.end - mention.start)]
                at = mention.end
        return clauses("".join([*pieces, self.lower[at:]]), self.languages)


def by_name(reading: Reading) -> Iterator[Decision[int]]:
    """The decisions for choices that are named, in every way in which one can decide."""
    lower, mentions = reading.lower, reading.mentions
    for cue in cues_ahead(lower):
        yield from _ahead(reading, cue)
    yield from _by_tables(reading)
    for i, mention in enumerate(mentions):
        if not reading.asserted(i) or mention.paraphrase:
            continue
        start, end, place = mention[:3]
        by = _by(lower, mention)
        first = starts_line(lower, start)
        alone = joined_to(reading, i) is None and (i == 0 or joined_to(reading, i - 1) is None)
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
        if i + 1 == len(mentions) and alone and _closes(reading, mention):
            yield Decision(SAID if mention.letter else WEAK, start, end, place, by)
        if _is_decided_behind(reading, mention):
            yield Decision(EXPLICIT, start, end, place if alone else None, by)
        elif alone and _is_said_to_be_it(lower, mention):
            yield Decision(SAID if mention.letter else ASSERTED, start, end, place, by)
        elif alone and (_is_inferred_behind(reading, i) or _is_subject(reading, i)):
            yield Decision(ASSERTED, start, end, place, by)
    last = 0 if reading.by_name else last_paragraph(lower)
    for start, end in conclusions(lower):
        if start >= last:
            yield from _concluded(reading, start, end)
    for match in cues.INFERRED.finditer(lower, last):
        yield from _inferred(reading, match.end())


def _closes(reading: Reading, mention: Mention) -> bool:
    """Whether the reply ends with this one, in a clause, or for its text in a sentence, that names no other."""
    lower = reading.lower
    if _CLOSES.match(lower, mention.end) is None or is_question(lower, mention.end) or lower[mention.start - 1] == ":":
        return False
    found = reading.clauses
    clause = clause_at(found, mention.start)
    if clause is None or clause.does not in (Does.STATES, Does.CORRECTS) or _CONCEDES.match(lower, clause.start):
        return False
    if not mention.letter and "\n" in lower and not _STOPS.search(lower, mention.end):
        return False
    start = next(one.start for one in found if one.sentence == clause.sentence)
    if mention.letter:
        # "A. Sorry, I meant B.": what seems to be a label may be a sentence.
        start = max(clause.start, lower.rfind(". ", clause.start, mention.start) + 1)
    return all(other.place == mention.place for other in reading.mentions[bisect_left(reading.mentions, (start,)) :])


def _by(lower: str, mention: Mention) -> str:
    """How a choice is taken that is decided for where it is named."""
    if mention.letter:
        return ReadBy.BOXED if "boxed answer:" in lower[max(0, mention.start - 16) : mention.start] else ReadBy.STATED
    return ReadBy.IN_OTHER_WORDS if mention.paraphrase else ReadBy.BY_TEXT


def joined_to(reading: Reading, i: int) -> int | None:
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


def _ahead(reading: Reading, cue: re.Match[str], firmness: int = EXPLICIT) -> Iterator[Decision[int]]:
    """What a cue like "the answer is" points to: the first choice behind it that is not rejected."""
    lower, mentions = reading.lower, reading.mentions
    i = bisect_left(mentions, (cue.end(),))
    at = cue.end()
    while i < len(mentions) and mentions[i].start - at <= _NEAR and at - cue.end() <= _FAR:
        mention = mentions[i]
        if ends_sentence(lower[at : mention.start].lstrip(" \n\"'(:")):
            return
        other = joined_to(reading, i)
        if reading.rejected[i]:
            at = mention.end
        elif reading.listed[i]:
            yield Decision(firmness, cue.start(), mention.end, None)
            return
        elif other is not None:
            of_these = cues.OF_THESE.match(lower, mentions[other].end)
            if not of_these and not cues.BETWEEN.search(lower, max(0, mention.start - 30), mention.start):
                yield Decision(firmness, cue.start(), mentions[other].end, None)
                return
            i, at = other, mentions[other].end
        elif is_question(lower, mention.end) or cues.CONDITION.match(lower, mention.end):
            return
        else:
            yield Decision(firmness, cue.start(), mention.end, mention.place, _by(lower, mention))
            return
        i += 1


def _is_decided_behind(reading: Reading, mention: Mention) -> bool:
    lower = reading.lower
    behind = cues.BEHIND_ENGLISH.match(lower, mention.end) or cues.BEHIND_KOREAN.match(lower, mention.end)
    if behind is None and mention.letter:
        behind = cues.LETTER_BEHIND_KOREAN.match(lower, mention.end)
    if behind is None or cues.UNDONE.match(lower, behind.end()) or is_question(lower, behind.end()):
        return False
    if "would" in behind[0] and cues.CONDITION.match(lower, behind.end()):
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
        is_last = len(reading.lower) - end <= 1
        yield Decision(SAID if is_last else WEAK, start, end, by_text.pop(), ReadBy.CONCLUDED)


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


@lru_cache(maxsize=64)
def _tables(languages: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Words before and behind a choice that is taken, of the languages' tables."""
    spaced = "(?: [^\\s.,:;?!]{1,14}){0,3}?"
    answer, is_ = words.either(words.ANSWER, languages), words.either(words.IS, languages)
    ahead = rf"(?:{answer})(?:{spaced} ?(?:{is_})|[\"']? ?[:=])|{words.either(words.CHOOSES, languages)}"
    return re.compile(ahead), re.compile(rf"[\"')\].]*\s?(?:{words.either(words.RIGHT, languages)})")


def _by_tables(reading: Reading) -> Iterator[Decision[int]]:
    """The same in every language that has tables."""
    ahead, behind = _tables(reading.languages)
    for cue in ahead.finditer(reading.lower):
        if not cues.HYPOTHESIS.search(reading.lower, clause_start(reading.lower, cue.start()), cue.start()):
            yield from _ahead(reading, cue, firmness=SAID)
    last = 0 if reading.by_name else last_paragraph(reading.lower)
    for i, mention in enumerate(reading.mentions):
        if not mention.letter and mention.start < last:
            continue
        if reading.asserted(i) and behind.match(reading.lower, mention.end) and joined_to(reading, i) is None:
            yield Decision(
                SAID if mention.letter else WEAK, mention.start, mention.end, mention.place, _by(reading.lower, mention)
            )


def in_bold(reading: Reading) -> Iterator[Decision[int]]:
    """The choice that is in bold letters in the last paragraph, as the only one there that is."""
    start = last_paragraph(reading.lower)
    places, at = set(), start
    for bold in reading.bold:
        here = reading.lower.find(bold, start)
        if here < 0:
            continue
        first, behind = (bisect_left(reading.mentions, (place,)) for place in (here, here + len(bold)))
        for i in range(first, behind):
            if reading.asserted(i):
                places.add(reading.mentions[i].place)
                at = max(at, reading.mentions[i].start)
    if len(places) == 1:
        place = places.pop()
        yield Decision(WEAK, at, at + 1, place, ReadBy.BY_TEXT)


def stated_last(reading: Reading) -> int | None:
    """The one choice that the last paragraph states something of."""
    start = last_paragraph(reading.lower)
    if not start:
        return None
    found = reading.clauses
    places = set()
    for i in range(bisect_left(reading.mentions, (start,)), len(reading.mentions)):
        clause = clause_at(found, reading.mentions[i].start)
        if reading.asserted(i) and clause is not None and clause.does in (Does.STATES, Does.CORRECTS):
            places.add(reading.mentions[i].place)
    return places.pop() if len(places) == 1 else None


def stated_alone(reading: Reading) -> int | None:
    """The one choice that anything is stated of, where others are only weighed, supposed or quoted."""
    places = set()
    for i, mention in enumerate(reading.mentions):
        clause = clause_at(reading.clauses, mention.start)
        if reading.asserted(i) and clause is not None and clause.does in (Does.STATES, Does.CORRECTS):
            places.add(mention.place)
    return places.pop() if len(places) == 1 else None


def is_only_weighed(reading: Reading, place: int) -> bool:
    """Whether the choice is named only where others are quoted, or where it is weighed, supposed or asked for."""
    found = reading.clauses
    for i, mention in enumerate(reading.mentions):
        if mention.place == place and reading.asserted(i):
            clause = clause_at(found, mention.start)
            if clause is None or clause.does in (Does.STATES, Does.CORRECTS, Does.REJECTS, Does.ASKS):
                return False
    return True


def is_named_last(reading: Reading) -> bool:
    """Whether the last paragraph names any choice."""
    return bool(reading.mentions) and reading.mentions[-1].end > last_paragraph(reading.lower)


def stated_in_part(reading: Reading, apart: tuple[frozenset[str], ...]) -> int | None:
    """The one choice most of whose own words the last paragraph has, where it has hardly any of the others'."""
    start = last_paragraph(reading.lower)
    said: set[str] = set()
    for clause in clauses(reading.lower[start:], reading.languages):
        if clause.does in (Does.STATES, Does.CORRECTS):
            said |= stems_of(reading.lower[start + clause.start : start + clause.end])
    shares = [len(own & said) / len(own) if own else 0.0 for own in apart]
    best = max(range(len(apart)), key=shares.__getitem__)
    others = max((share for place, share in enumerate(shares) if place != best), default=0.0)
    enough = len(apart[best] & said) >= _ENOUGH and shares[best] >= _MOST
    return best if enough and others <= _HARDLY and all(apart) else None


def left_over(reading: Reading, count: int) -> int | None:
    """The one choice that is left where all others are ruled out, in the end."""
    out: dict[int, bool] = {}
    ruled_out_in: dict[int, int] = {}
    for i, mention in enumerate(reading.mentions):
        clause = clause_at(reading.clauses, mention.start)
        if mention.place is None or clause is None:
            continue
        if reading.rejected[i] and clause.does == Does.REJECTS:
            out[mention.place] = True
            ruled_out_in[mention.place] = clause.sentence
        elif reading.asserted(i) and not mention.paraphrase:
            # "A is out: the nurse was on leave" gives the reason.
            is_reason = not mention.letter and ruled_out_in.get(mention.place) == clause.sentence
            out[mention.place] = is_reason
    left = [place for place in range(count) if not out.get(place, False)]
    return left[0] if len(left) == 1 and count > 2 else None
