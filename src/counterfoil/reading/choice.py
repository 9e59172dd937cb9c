"""The rule `counterfoil`: what a careful reader would say that the reply decides for."""

from __future__ import annotations

import re
from functools import lru_cache

from counterfoil.reading import cues
from counterfoil.reading.decisions import CORRECTS, Reading, joined_to, last_word, sentence_end
from counterfoil.reading.negation import rejected
from counterfoil.reading.options import (
    CONFLICT,
    Mention,
    find_letters,
    find_texts,
    listed,
    merge,
    short_texts_of,
    texts_of,
)
from counterfoil.reading.plain_text import spoken
from counterfoil.reading.text import clean
from counterfoil.reading.unknown import find_inflected, find_paraphrases, is_refusal

# A name in data is no answer, but for the field of the answer.
_FIELD = re.compile(r"[\"'][A-Za-z_]{1,20}[\"'] ?:")
_PLAIN = ("{}", "({})", "{}.", "{})", "{}:", "**{}**", "'{}'", "정답: {}", "답: {}", "정답은 {}입니다.", "Answer: {}")
_PLAIN_TEXTS = ("{0}", "{0}.", "{0}입니다.", "답: {0}", "{1}: {0}", "{1}) {0}", "({1}) {0}", "{1}. {0}")


def read_counterfoil(reply: str, choices: tuple[str, ...], letters: tuple[str, ...], unknown: int | None) -> int | None:
    """The choice that the reply decides for, in Korean or English; None where it does not decide for one.

    The last decision counts, after any reasoning. Choices that are rejected, doubted, or listed without a decision do
    not. Where a reply goes on to questions of its own, what it said before counts.
    """
    said = reply.strip()
    plain = _plain_forms(letters).get(said)
    if plain is None:
        plain = _plain_texts(choices, letters).get(said)
    if plain is not None:
        return plain
    text = clean(spoken(said))
    if not text:
        return None
    another = cues.ANOTHER_ROUND.search(text, 1) if "\n" in text else None
    if another is not None:
        first = _read(text[: another.start()].rstrip(), choices, letters, unknown)
        if first is not None:
            return first
    return _read(text, choices, letters, unknown)


@lru_cache(maxsize=64)
def _plain_forms(letters: tuple[str, ...]) -> dict[str, int]:
    """The replies that most models give most of the time, and what they say."""
    either = [(letter, i) for i, capital in enumerate(letters) for letter in (capital, capital.lower())]
    return {form.format(letter): i for form in _PLAIN for letter, i in either}


@lru_cache(maxsize=65_536)
def _plain_texts(choices: tuple[str, ...], letters: tuple[str, ...]) -> dict[str, int]:
    """The same for these choices' texts, where no two are alike."""
    texts = [choice.strip() for choice in choices]
    if len({text.lower() for text in texts}) < len(texts) or not all(texts):
        return {}
    each = [(text, letter, i) for i, (text, letter) in enumerate(zip(texts, letters, strict=True))]
    return {form.format(text, letter): i for form in _PLAIN_TEXTS for text, letter, i in each}


def _read(text: str, choices: tuple[str, ...], letters: tuple[str, ...], unknown: int | None) -> int | None:
    lower = text.lower()
    texts = texts_of(choices)
    named = find_texts(lower, texts)
    marked = find_letters(text, lower, letters)
    loose = find_inflected(lower, texts)
    if unknown is not None:
        loose += find_paraphrases(lower, unknown)
    if not named and not marked:
        named = find_texts(lower, short_texts_of(choices, unknown))
    mentions = _with_loose(merge(text, lower, marked, named), loose)
    if not mentions:
        return None
    no = rejected(lower, mentions)
    reading = Reading(text, lower, mentions, no, listed(text, lower, mentions, no))
    settled = _settled(reading)
    if settled is not None:
        return settled
    firmest = last_word(reading)
    if firmest is not None:
        return firmest.place
    return None if _FIELD.search(text) else _undecided(reading)


def _settled(reading: Reading) -> int | None:
    """The one choice that is named and not rejected, where that is plain: whatever is decided is decided for it."""
    only: int | None = None
    for mention, no, quoted in zip(reading.mentions, reading.rejected, reading.listed, strict=True):
        if quoted or mention.paraphrase:
            return None
        if not no:
            if only not in (None, mention.place):
                return None
            only = mention.place
    return None if only == CONFLICT or _FIELD.search(reading.text) else only


def _with_loose(mentions: list[Mention], loose: list[Mention]) -> list[Mention]:
    """Both kinds in order; words to a choice's effect that overlap its text, or each other, are one."""
    if not loose:
        return mentions
    out: list[Mention] = []
    for mention in sorted(mentions + loose, key=lambda one: (one.start, one.paraphrase)):
        if out and mention.start < out[-1].end and (mention.paraphrase or out[-1].paraphrase):
            if out[-1].paraphrase and not mention.paraphrase:
                out[-1] = mention
            continue
        out.append(mention)
    return out


def _undecided(reading: Reading) -> int | None:
    """Without a decision: the only choice that is named and not rejected, or that nobody can know."""
    asserted = [mention for i, mention in enumerate(reading.mentions) if reading.asserted(i)]
    loose = [mention for mention in asserted if mention.paraphrase]
    named = {mention.place for mention in asserted if not mention.paraphrase}
    if CONFLICT in named:
        return None
    by_letter = {mention.place for mention in asserted if mention.letter}
    if len(by_letter) == 1:
        open_end = any(joined_to(reading, i) is not None for i, one in enumerate(reading.mentions) if one.letter)
        return None if open_end else by_letter.pop()
    if not loose:
        return named.pop() if len(named) == 1 else None
    if is_refusal(reading.lower):
        return None
    last = loose[-1]
    if named - {last.place}:
        later = {mention.place for mention in asserted if mention.start > last.end and not mention.paraphrase}
        if later - {last.place}:
            corrected = CORRECTS.search(reading.lower, last.end)
            return later.pop() if corrected and len(later) == 1 else _about_all(reading, last)
    return last.place


def _about_all(reading: Reading, loose: Mention) -> int | None:
    """ "It is not stated whether the nurse or the mechanic was late": what follows is what can not be known."""
    end = sentence_end(reading.lower, loose.end)
    named_behind = any(mention.start > end for mention in reading.mentions)
    return None if named_behind else loose.place
