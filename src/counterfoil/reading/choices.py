"""Which of its choices a reply takes: what a careful reader would say that it decides for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from string import ascii_uppercase

from counterfoil.errors import UserError
from counterfoil.reading import choosing, cues
from counterfoil.reading.amounts import amounts_stated
from counterfoil.reading.choosing import Reading
from counterfoil.reading.decisions import ASSERTED, EXPLICIT, SAID, Decision, decided, is_withdrawn
from counterfoil.reading.inflected import INFLECTED, find_inflections
from counterfoil.reading.lists import gives_shares, judged, listed, share_in_line
from counterfoil.reading.mentions import (
    Mention,
    find_amounts,
    find_letters,
    find_ordinals,
    find_texts,
    longest,
    merge,
    rejected,
)
from counterfoil.reading.naming import Naming, choice_of_amount, naming_of, short_texts_of, words_apart
from counterfoil.reading.text import clean, emphasised, is_cut, is_last_line, parts_to_read, sentence_end
from counterfoil.reading.unknown import find_inflected, find_paraphrases, is_refusal
from counterfoil.reading.ways import Read, ReadBy
from counterfoil.reading.words import languages_in

_SHORT = 160
# Of very many places where choices are named, so many are looked at, the first and the last ones.
_MOST, _FIRST = 400, 100
_LONGEST_LABEL = 12
_USUAL = ("A", "B", "C")
# A name in data is no answer, but for the field of the answer.
_FIELD = re.compile(r"[\"'][A-Za-z_]{1,20}[\"'] ?:")
_PLAIN = (
    "{}", "({})", "{}.", "{})", "{}:", "**{}**", "'{}'", "정답: {}", "답: {}", "정답은 {}입니다.", "Answer: {}",
    "ANSWER: {}", "**ANSWER: {}**", "**Answer: {}**",
)  # fmt: skip
_PLAIN_TEXTS = ("{0}", "{0}.", "{0}입니다.", "답: {0}", "{1}: {0}", "{1}) {0}", "({1}) {0}", "{1}. {0}")


def read_choice(
    reply: str, choices: Sequence[str], *, labels: Sequence[str] = ("A", "B", "C"), unknown: int | None = None
) -> int | None:
    """The index of the choice that a reply takes; None where it takes none.

    `choices` are the texts as they were shown, `labels` the letters, numbers or short words beside them, with or
    without brackets, in either case; for fewer or more than three choices A, B, C, D … unless others are given.
    `unknown` is the index of the choice that nobody can know; with it, that choice is also read where the reply says
    so in other words.

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
    letters = tuple(clean(label).strip(" ().:").upper() for label in labels)
    if len(set(letters)) < len(letters) or not all(0 < len(letter) <= _LONGEST_LABEL for letter in letters):
        raise UserError(
            f"The labels {', '.join(labels)} can't be read in replies: each must be short and unlike others."
        )
    return letters


@lru_cache(maxsize=64)
def _labels_in_text(labels: tuple[str, ...]) -> re.Pattern[str]:
    """Where these labels stand as labels. Numbers and single letters, like i, only in brackets or behind "option"."""
    either = "|".join(re.escape(label) for label in sorted(labels, key=len, reverse=True))
    plain = "|".join(re.escape(label) for label in labels if len(label) > 1 and not label.isdigit()) or "(?!)"
    ahead = r"(?:(?<=option )|(?<=choice )|(?<=answer )|(?<=answer: )|(?<=answer is )|(?<=\*\*))"
    return re.compile(
        rf"(?<=\()(?:{either})(?=\))|{ahead}(?:{either})(?!\w|[.,]\d)|"
        rf"(?<![^\n])[ >*-]{{0,4}}(?:{either})(?=[.):]\W|\s*$)|"
        rf"(?<![\w'.,-])(?:{either})(?=\))|(?<![\w'-])(?:{plain})(?![\w'-])",
        re.IGNORECASE,
    )


def _relabelled(reply: str, labels: tuple[str, ...]) -> str:
    """The reply with A, B, C … for its labels."""
    places = dict(zip(labels, ascii_uppercase, strict=False))

    def letter_for(match: re.Match[str]) -> str:
        label = match[0].lstrip(" >*-")
        return match[0].removesuffix(label) + places[label.upper()]

    return _labels_in_text(labels).sub(letter_for, reply)


def choice_of(
    reply: str,
    choices: tuple[str, ...],
    letters: tuple[str, ...],
    unknown: int | None,
    *,
    by_name: bool = True,
    language: str | None = None,
) -> Read[int] | None:
    """As `read_choice`, with labels that are letters already; and how the choice was read.

    With `by_name`, a reply of any length that names one choice and no other takes it: the choices are people. Else
    only a short one does, and a long one must say that it decides.
    """
    said = reply.strip()
    if any(len(letter) > 1 for letter in letters) and len(letters) <= len(ascii_uppercase):
        said, letters = _relabelled(said, letters), tuple(ascii_uppercase[: len(letters)])
    plain = _plain_forms(letters)
    read = plain.get(said) or _plain_texts(choices, letters).get(said)
    if read is not None:
        return read
    for part in parts_to_read(said):
        read = plain.get(part) or _read(part, choices, letters, unknown, by_name, language)
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


def _read(
    part: str,
    choices: tuple[str, ...],
    letters: tuple[str, ...],
    unknown: int | None,
    by_name: bool,
    language: str | None,
) -> Read[int] | None:
    text = clean(part)
    if not text:
        return None
    lower = text.lower()
    naming = naming_of(choices)
    told = (language,) if language else _languages_of(choices)
    languages = tuple(dict.fromkeys((*languages_in(lower), *told)))
    mentions = _mentions(text, lower, choices, letters, unknown, languages)
    if not mentions and naming.amounts is None:
        return None
    no = rejected(lower, mentions, languages)
    bold = tuple(clean(bold).lower() for bold in emphasised(part))
    by_name = by_name or len(lower) <= _SHORT
    reading = Reading(text, lower, mentions, no, listed(text, lower, mentions, no), languages, bold, by_name)
    cut = is_cut(lower, mentions[-1].end if mentions else 0)
    if cut:
        # What a reply leans to before it breaks off is no decision.
        decisions = _decisions(reading, naming, len(choices))
        plain = (ReadBy.STATED, ReadBy.BY_NUMBER)
        firm = [one for one in decisions if one.firmness >= (SAID if one.by in plain else EXPLICIT)]
        return decided(lower, firm)
    if naming.amounts is None and by_name:
        settled = _settled(reading)
        if settled is not None:
            return settled
    decisions = _decisions(reading, naming, len(choices))
    if decisions:
        return decided(lower, decisions)
    return None if _FIELD.search(text) else _undecided(reading, choices)


@lru_cache(maxsize=65_536)
def _languages_of(choices: tuple[str, ...]) -> tuple[str, ...]:
    """The languages of the choices: a short reply may not tell its own."""
    return languages_in("\n".join(choices).lower())


def _mentions(
    text: str,
    lower: str,
    choices: tuple[str, ...],
    letters: tuple[str, ...],
    unknown: int | None,
    languages: tuple[str, ...],
) -> list[Mention]:
    """All places where a choice is named: by letter, place, text, amount, or to its effect."""
    naming = naming_of(choices)
    named = find_texts(lower, naming.texts)
    if not INFLECTED.isdisjoint(languages):
        named = longest(named + find_inflections(lower, naming.texts, languages))
    marked = find_letters(text, lower, letters)
    lettered = letters[0].isalpha()
    ordinals = find_ordinals(lower, len(choices), languages, lettered and naming.amounts is None)
    if ordinals:
        marked = sorted(marked + [one for one in ordinals if not any(one.start <= m.start < one.end for m in marked)])
    loose = find_inflected(lower, naming.stems)
    if unknown is not None:
        loose += find_paraphrases(lower, unknown, languages)
    if naming.amounts is not None:
        named = sorted(named + find_amounts(lower, marked, naming.amounts))
    elif not named and not marked:
        named = find_texts(lower, short_texts_of(choices, unknown))
    mentions = _with_loose(merge(text, lower, marked, named), loose)
    return mentions if len(mentions) <= _MOST else [*mentions[:_FIRST], *mentions[_FIRST - _MOST :]]


def _settled(reading: Reading) -> Read[int] | None:
    """The one choice that is named and not rejected, where that is plain: whatever is decided is decided for it."""
    only: Mention | None = None
    ruled_out = set()
    for mention, no, quoted in zip(reading.mentions, reading.rejected, reading.listed, strict=True):
        if quoted or mention.paraphrase:
            return None
        if no and only is not None and only.place == mention.place:
            return None
        if no:
            ruled_out.add(mention.place)
        else:
            if only is not None and only.place != mention.place:
                return None
            only = mention
    if only is None or only.place is None or _FIELD.search(reading.text) or is_withdrawn(reading.lower, only.end):
        return None
    ways = [one.by for one in sorted(choosing.by_name(reading), reverse=True) if one.said == only.place]
    if ways:
        return Read(only.place, ways[0])
    if only.place in ruled_out:
        return None
    return None if choosing.is_only_weighed(reading, only.place) else Read(only.place, ReadBy.ONLY_MENTIONED)


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


def _undecided(reading: Reading, choices: tuple[str, ...]) -> Read[int] | None:
    """Without a decision: the one that is left over, the only one that is named, or that nobody can know."""
    named = [mention for i, mention in enumerate(reading.mentions) if reading.asserted(i)]
    if named and is_withdrawn(reading.lower, named[-1].end):
        return None
    left = choosing.left_over(reading, len(choices))
    if left is not None:
        return Read(left, ReadBy.BY_ELIMINATION)
    read = _named_alone(reading, reading.by_name)
    if read is None:
        if is_refusal(reading.lower):
            return None
        last = choosing.stated_last(reading)
        if last is None and reading.by_name:
            last = choosing.stated_alone(reading)
        if last is None and not choosing.is_named_last(reading):
            last = choosing.stated_in_part(reading, words_apart(choices))
        return None if last is None else Read(last, ReadBy.CONCLUDED)
    if read is None or read.by == ReadBy.IN_OTHER_WORDS:
        return read
    return None if choosing.is_only_weighed(reading, read.said) else read


def _named_alone(reading: Reading, by_name: bool) -> Read[int] | None:
    asserted = [mention for i, mention in enumerate(reading.mentions) if reading.asserted(i)]
    loose = [mention for mention in asserted if mention.paraphrase]
    named = {mention.place for mention in asserted if not mention.paraphrase}
    if None in named or not (by_name or loose):
        return None
    by_letter = {mention.place for mention in asserted if mention.letter}
    if len(by_letter) == 1:
        open_end = any(
            choosing.joined_to(reading, i) is not None for i, one in enumerate(reading.mentions) if one.letter
        )
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


def _decisions(reading: Reading, naming: Naming, count: int) -> list[Decision[int]]:
    """All decisions; by a stated amount only where no letter and no text is decided for."""
    decisions = list(choosing.by_name(reading))
    if gives_shares(reading.lower, naming.amounts is not None):
        decisions += share_in_line(reading.lower, reading.mentions)
    if True in reading.listed:
        decisions += judged(reading.lower, reading.mentions, reading.listed, count, reading.languages)
    if reading.bold:
        decisions += choosing.in_bold(reading)
    if naming.amounts is not None and not any(one.firmness > ASSERTED for one in decisions):
        for firmness, start, end, stated, _ in amounts_stated(reading.lower, reading.bold):
            place = None if stated is None else choice_of_amount(stated, naming.amounts)
            if stated is not None and place is not None and not _is_listed(reading, stated.start):
                decisions.append(Decision(firmness, start, end, place, ReadBy.BY_NUMBER))
    return decisions


def _is_listed(reading: Reading, at: int) -> bool:
    """Whether a listed option holds this place."""
    return any(
        mention.start <= at < mention.end
        for mention, is_in in zip(reading.mentions, reading.listed, strict=True)
        if is_in
    )
