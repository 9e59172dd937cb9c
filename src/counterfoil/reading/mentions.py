"""Where a cleaned reply names a choice, by its letter, its text or both; and whether it rejects it there."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from counterfoil.reading import cues, words
from counterfoil.reading.naming import choice_of_amount
from counterfoil.reading.numbers import Stated, number_at
from counterfoil.reading.text import is_question, sentence_start


class Mention(NamedTuple):
    start: int
    end: int
    # None: a letter with another choice's text.
    place: int | None
    letter: bool
    # Not the choice's text, but words to the same effect.
    paraphrase: bool = False


# What may follow a name in Korean within the same word: particles and forms of "to be".
_PARTICLE = re.compile(
    r"(?:이(?![가-힣])|이?거나|이?[가는란나라며고지]|은|을|를|의|와|과|랑|도|만|에|한테|께|로|으로|입니|이다|다|이에|"
    r"예요|인|"
    r"일|임|이[었였기므]|였|므로|처럼|보다|부터|까지|들|분|님|쪽|번|뿐|하고|조차|마저|밖에|대신|중|이랑|야|이야|요|"
    r"이요|"
    r"이죠|죠|네|같|[이]?든|옵션|선택)"
)
# A word that can follow the article "a".
_AFTER_ARTICLE = re.compile(
    r" (?!(?:is|was|are|were|isn't|wasn't|or|and|nor|but|because|since|as|seems|would|could|should|must|can|cannot|"
    r"can't|does|doesn't|has|instead|over|rather|than|if|fits|refers|states|says|appears|makes|not|which|who|that|"
    r"based|due|"
    r"given|to|in|on|with|for|from|by|at|of|after|before|the|therefore|so|when|while|where|then|it|its|might|may|will|"
    r"also|kal[ıi]yor|kalır|seçeneği|şıkkı|olamaz|olmalı|değil|doğru|being|be|represents|matches|describes|"
    r"indicates|mentions|corresponds|suggests|remains|stands|i|we|there|"
    r"this|"
    r"even|only|both|valt|klopt|ist|es|est|és|queda|scheidet|sería|wäre|serait)(?![a-z']))[a-z']| \d[\d,.]*%?[ -][a-z]"
)
# A word that can follow the pronoun "I".
_AFTER_PRONOUN = re.compile(r" (?!(?:is|isn't|because|since|or|nor|fits|matches|seems|appears)(?![a-z']))[a-z]")
_BEFORE_LETTER = re.compile(r"(?:option|choice|answer|letter|선택지|보기|옵션|문항)[\"' :(]*$")
_OTHER_THINGS = re.compile(
    r"(?:vitamin|plan|hepatitis|grade|class|type|section|appendix|part|team|room|influenza|비타민|플랜|등급|학점) ?-?$|"
    r"\bn/$|\b(?:machine|pump|bond|stock|fund|company|project|portfolio|firm|country|asset|security|manager|analyst|"
    r"investment|product|plant|model|event|point|group|scenario|strategy|client|account|tank|sample|patient|person|"
    r"player|tube|train|car|city|town|bank|loan|investor|share|student|set|box|bag|urn|factory|회사|기업|주식|펀드|"
    r"사람) $"
)
# Beside the symbols of a formula: "A × B", "A = 2,000", "C = (1 + r)", "y = C".
_SYMBOL_BEHIND = re.compile(r" ?[+^×÷≈]| ?=(?= ?(?:[a-z]?\(|[-+.]?\d))")
_SYMBOL_BEFORE = re.compile(r"(?:[+^×÷≈]|(?<![a-z])[a-z] ?=) ?$")
# Within a sentence the article is small.
_WITHIN_SENTENCE = re.compile(r"[a-z,] $")
_ARTICLE = re.compile(rf"(?<!\w)(?:{words.ARTICLES}) ?$")
_WITHIN_GAP = frozenset(" :).,-=\"'([>\n→/]")
_STANDS_ALONE = re.compile(
    r"[\"')\]]*(?:$|[\n,;.!?(/]|입니다|이다|임| ?[-=] | ?(?:또는|혹은|및|이나|나|와|과) | (?:and|or|but|because|since|"
    r"as|[a-z][):.])\b)"
)
_BEFORE_AMOUNT = re.compile(r"[)\].:,;\"' =(]{1,4}(?:- )?")
_ASKING = re.compile(
    r"[^a-z]*(?:(?:but|and|so|hmm),? )?"
    r"(?:is|are|was|were|could|would|might|can|may|does|do|did|should|what|which|who|why|how)\b"
)
_AGREED = re.compile(r"[^.!?\n]*\?[\"')]* ?(?:yes|yeah|correct|right|네|예|맞)")
_WINDOW, _LONGEST_AMOUNT, _DENIED_NEAR = 60, 60, 40


def find_texts(lower: str, texts: Sequence[tuple[str, ...]]) -> list[Mention]:
    """All places of the choices' texts as words of their own; of two in the same place the longer one."""
    found: list[Mention] = []
    for index, variants in enumerate(texts):
        for text in variants:
            at = lower.find(text)
            while at >= 0:
                end = at + len(text)
                if _starts_word(lower, at) and _ends_word(lower, end) and _is_meant(lower, at, text):
                    found.append(Mention(_with_article(lower, at), end, index, False))
                at = lower.find(text, end)
    return longest(found)


def longest(found: Iterable[Mention]) -> list[Mention]:
    """Mentions in order; of two in the same place the longer one."""
    kept: list[Mention] = []
    for mention in sorted(found, key=lambda mention: (mention.start, -mention.end)):
        if not kept or mention.end > kept[-1].end:
            kept.append(mention)
    return kept


def _with_article(lower: str, at: int) -> int:
    article = _ARTICLE.search(lower, max(0, at - 6), at)
    return article.start() if article else at


_YES_OR_NO = frozenset({"yes", "no", "sí", "si", "ja", "nein", "nee", "oui", "non", "예", "네", "아니오", "아니요"})
_SAID_YES = re.compile(r"(?:^|[\n:\"'(|.]\s?|\b(?:is|be|answer|say) (?:a )?[\"'(]?)$")


def _is_meant(lower: str, at: int, text: str) -> bool:
    """ "No" is a choice only where it stands as one; else it is a word."""
    return text not in _YES_OR_NO or _SAID_YES.search(lower, max(0, at - 10), at) is not None


def find_letters(text: str, lower: str, letters: tuple[str, ...]) -> list[Mention]:
    """All letters that stand for a choice: not the article "a", not a part of a word, of another name, of a formula."""
    found = []
    things = False
    for match in _alone(letters).finditer(text):
        at = match.start()
        if _is_label(text, lower, at):
            found.append(Mention(at, at + 1, letters.index(match[0].upper()), True))
        elif not things:
            things = _OTHER_THINGS.search(lower, max(0, at - 12), at) is not None
    # Where "machine C" is spoken of, a bare C is that.
    return [one for one in found if _stands_as_label(text, lower, one.start)] if things else found


def find_ordinals(lower: str, count: int, languages: tuple[str, ...], by_digit: bool) -> list[Mention]:
    """Choices by their place in words, or with `by_digit` by its number: "the second option", "2번", "option 3"."""
    found = []
    for match in _ordinals(languages).finditer(lower) if _maybe_ordinals(languages).search(lower) else ():
        word = next(name for name, value in match.groupdict().items() if value is not None)
        place = count - 1 if word == "o5" else int(word[1])
        # Without a noun, it must be all that there is.
        bare = match.end() == match.end(word) and not _HELD.match(lower, match.end()) and languages == ("en",)
        if place < count and not (bare and not starts_line(lower, match.start())):
            found.append(Mention(match.start(), match.end(), place, True))
    if by_digit:
        for match in _DIGIT.finditer(lower):
            alone = match.start() == 0 and not lower[match.end() :].strip(" .!")
            if int(match[1]) <= count and (
                alone or match[0].endswith("번") or lower.endswith(_BEFORE_DIGIT, 0, match.start())
            ):
                found.append(Mention(match.start(1), match.end(), int(match[1]) - 1, True))
    return sorted(found)


_HELD = re.compile(
    r" (?:is (?:correct|true|right|the (?:only|best|correct|right))|holds|applies|stimmt|is juist)\b|[을를이가로]"
)


@lru_cache(maxsize=64)
def _ordinals(languages: tuple[str, ...]) -> re.Pattern[str]:
    """One named group for each place, o0 to o4, and o5 for the last."""
    rows = [words.ORDINALS[language].split(";") for language in languages if language in words.ORDINALS]
    places = [f"(?P<o{place}>{'|'.join(row[place] for row in rows)})" for place in range(6)]
    nouns = words.either(words.OPTION, languages)
    one = r"one(?= (?:is|was|holds|fits|seems|applies)\b|[.,;!)]|$)"
    return re.compile(
        rf"(?:(?<!\w)|(?<=[\u3040-\u30ff\u4e00-\u9fff]))(?:{'|'.join(places)})"
        rf"(?: ?(?:{nouns})| {one}|(?={_HELD.pattern})|(?=[.!]?\s*$)|"
        rf"(?=[을를이가로])(?<=째))"
    )


@lru_cache(maxsize=64)
def _maybe_ordinals(languages: tuple[str, ...]) -> re.Pattern[str]:
    """The same, found faster: whether there is any."""
    rows = [words.ORDINALS[language].replace(";", "|") for language in languages if language in words.ORDINALS]
    return re.compile("|".join(rows))


# "2번" and "option 2", where the choices have letters.
_DIGIT = re.compile(r"(?<![\d.,#])\(?([1-9])\)?(?:번|(?=[\s,.:)!]|$)(?![.,]\d))")
_BEFORE_DIGIT = (
    "option ", "choice ", "answer ", "선택지 ", "보기 ", "opción ", "réponse ", "antwort ", "optie ", "answer: ",
    "answer is ", "정답: ", "정답은 ", "답: ", "답은 ", "respuesta: ", "antwort: ", "réponse : ", "答案是", "答案:",
)  # fmt: skip


def find_amounts(lower: str, letters: Sequence[Mention], amounts: Sequence[Stated | None]) -> list[Mention]:
    """The choices' amounts that stand right behind a letter. Brackets around one say nothing about its sign."""
    found = []
    for letter in letters:
        gap = _BEFORE_AMOUNT.match(lower, letter.end)
        stated = None if gap is None else number_at(lower, gap.end(), gap.end() + _LONGEST_AMOUNT)
        place = None if stated is None else choice_of_amount(stated, amounts)
        if stated is not None and place is not None:
            found.append(Mention(stated.start, stated.end, place, False))
    return found


def merge(text: str, lower: str, letters: list[Mention], texts: list[Mention]) -> list[Mention]:
    """Letters and texts in order; a letter and a text that belong together are one mention, or a conflict."""
    if not texts:
        return letters
    ends = iter(texts)
    inside = next(ends, None)
    outside = []
    for mention in letters:
        while inside is not None and inside.end <= mention.start:
            inside = next(ends, None)
        if inside is None or mention.start < inside.start:
            outside.append(mention)
    waiting = deque(sorted(outside + texts))
    merged: list[Mention] = []
    while waiting:
        one = waiting.popleft()
        if waiting and one.letter != waiting[0].letter and _belongs(text, one, waiting[0]):
            same = one.place == waiting[0].place
            if same or _STANDS_ALONE.match(lower, waiting[0].end):
                one = Mention(one.start, waiting.popleft().end, one.place if same else None, True)
        merged.append(one)
    return merged


# Behind a letter in Turkish: "B'dir".
_SUFFIX = "(?:[dt][ıiuü]r|y[ıiuü]|[dt][ae]n?|n[ıi]n)?"


@lru_cache(maxsize=64)
def _alone(letters: tuple[str, ...]) -> re.Pattern[str]:
    """The letters where they are no part of a word. Letters like 가, which are words too, only as labels: "가."."""
    either = "".join(re.escape(letter + letter.lower()) for letter in letters if letter.isascii())
    others = "".join(letter for letter in letters if not letter.isascii())
    kinds = []
    if either:
        kinds.append(rf"(?<![A-Za-z0-9_°À-ɏ])[{either}](?:(?![A-Za-z0-9_+#'À-ɏ])|(?='{_SUFFIX}(?![a-z])))")
    if others:
        kinds.append(rf"(?<!\w)[{others}](?=[.):\]|,]|\s*$|\s*\n|번|입니다|이다|\s*[|-])")
    return re.compile("|".join(kinds))


def _is_label(text: str, lower: str, at: int) -> bool:
    before = text[at - 1] if at else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    if "가" <= before <= "힣" and before not in "은는답이가과와나도고":
        return False
    if before in ("-", "&", ".", "'", "\\") and at > 1 and text[at - 2].isascii() and text[at - 2].isalnum():
        return False
    beyond = text[at + 2] if at + 2 < len(text) else ""
    joined = after in ("-", ".", "&") and beyond.isascii() and beyond.isalnum()
    if joined and not (after == "." and before in ("", "\n")):
        return False
    if "가" <= after <= "힣" and not _PARTICLE.match(text, at + 1):
        return False
    if after == " " and _is_word(text, lower, at) and not _BEFORE_LETTER.search(lower, max(0, at - 12), at):
        return False
    if _SYMBOL_BEHIND.match(lower, at + 1) or _SYMBOL_BEFORE.search(lower, max(0, at - 4), at):
        return False
    return not _OTHER_THINGS.search(lower, max(0, at - 12), at)


def _stands_as_label(text: str, lower: str, at: int) -> bool:
    """Whether the letter is marked as one: in brackets, with a colon, behind "option", alone in its line."""
    if text[at - 1 : at] == "(" or text[at + 1 : at + 2] in (":", ")") or starts_line(lower, at):
        return True
    return _BEFORE_LETTER.search(lower, max(0, at - 12), at) is not None or lower.endswith("answer is ", 0, at)


def _is_word(text: str, lower: str, at: int) -> bool:
    """Whether it is the article "a" or the pronoun "I"."""
    if lower[at] == "i":
        return _AFTER_PRONOUN.match(lower, at + 1) is not None
    if lower[at] != "a" or (text[at] == "A" and _WITHIN_SENTENCE.search(text, max(0, at - 2), at)):
        return False
    return _AFTER_ARTICLE.match(lower, at + 1) is not None or (text[at] == "a" and text[at + 2 : at + 3].isdigit())


def _belongs(text: str, one: Mention, other: Mention) -> bool:
    gap = text[one.end : other.start]
    if len(gap) > 5:
        return False
    if one.letter:
        # "The nurse (A)", and another in the next line.
        behind_text = (
            "\n" in gap and text[one.start - 1 : one.start] == "(" and text[one.start - 2 : one.start - 1] == " "
        )
        return _WITHIN_GAP.issuperset(gap) and not behind_text
    return gap.strip(" \"'") == "(" and text[other.end : other.end + 1] == ")"


# Scripts without blanks between words.
_BLANKLESS = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")


def _starts_word(lower: str, at: int) -> bool:
    if at == 0:
        return True
    before, first = lower[at - 1], lower[at]
    if _BLANKLESS.match(first):
        return True
    if "가" <= first <= "힣":
        return not "가" <= before <= "힣"
    return not (before.isalnum() or before == "_") or "가" <= before <= "힣"


def _ends_word(lower: str, end: int) -> bool:
    if end == len(lower):
        return True
    after, last = lower[end], lower[end - 1]
    if _BLANKLESS.match(last):
        return True
    if "가" <= after <= "힣":
        return _PARTICLE.match(lower, end) is not None
    return not after.isalnum() or "가" <= last <= "힣"


_LINE_HEAD = re.compile(r"(?:^|\n)[\s\"'(\[{-]*(?:the )?$")


def starts_line(lower: str, at: int) -> bool:
    """Whether nothing but marks stands before this place in its line."""
    return _LINE_HEAD.search(lower, max(0, at - 8), at) is not None


def rejected(lower: str, mentions: Sequence[Mention], languages: tuple[str, ...] = ("en", "ko")) -> list[bool]:
    """For each mention, whether it is not asserted: "not A", "A가 아니라", "whether A", "rather than A", "is it A?"."""
    asking = "?" in lower
    before, behind = _negations(languages)
    denied = [one.start() for one in _denials(languages).finditer(lower)]
    out = [
        _is_rejected(lower, mention)
        or (asking and _is_asked(lower, mention))
        or (not mention.paraphrase and _is_negated(lower, mention, before, behind))
        or _is_denied(lower, mention, denied)
        for mention in mentions
    ]
    for i in range(1, len(out)):
        if out[i - 1] and not out[i] and _negated_before(lower, mentions[i - 1]):
            out[i] = cues.JOINED_BY_OR.match(lower[mentions[i - 1].end : mentions[i].start][:20]) is not None
    for i in range(len(out) - 2, -1, -1):
        if out[i + 1] and not out[i] and not _negated_before(lower, mentions[i + 1]):
            out[i] = joined(lower, mentions[i], mentions[i + 1])
    return out


def _is_denied(lower: str, mention: Mention, denied: Sequence[int]) -> bool:
    """Whether the reply says behind it, in the same line, that this is not so."""
    i = bisect_left(denied, mention.end)
    return i < len(denied) and denied[i] - mention.end <= _DENIED_NEAR and "\n" not in lower[mention.end : denied[i]]


@lru_cache(maxsize=64)
def _denials(languages: tuple[str, ...]) -> re.Pattern[str]:
    """Words by which what was said right before is said not to be so."""
    return re.compile(words.either(words.DENIES, languages))


@lru_cache(maxsize=64)
def _negations(languages: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Of other languages than English and Korean."""
    return (
        re.compile(rf"(?:{words.either(words.NOT_BEFORE, languages)})[^.,;:\n]{{0,14}}$"),
        re.compile(rf"[\"')\]]*\s?(?:{words.either(words.NOT_BEHIND, languages)})"),
    )


def _is_negated(lower: str, mention: Mention, before: re.Pattern[str], behind: re.Pattern[str]) -> bool:
    if behind.match(lower, mention.end):
        return True
    return before.search(lower, max(0, mention.start - 24), mention.start) is not None


def joined(lower: str, one: Mention, other: Mention) -> bool:
    """Whether the two are named in one breath: "A or B", "A와 B", "A, B"."""
    gap = other.start - one.end
    return 0 < gap <= 20 and cues.JOINED.match(lower[one.end : other.start]) is not None


def _is_rejected(lower: str, mention: Mention) -> bool:
    if mention.paraphrase:
        return False
    if _negated_before(lower, mention):
        return True
    answers = not mention.letter and "answer" in lower[mention.start : mention.end]
    if answers and cues.SPEAKER.search(lower, max(0, mention.start - 12), mention.start):
        return cues.FROM_TEXT.match(lower, mention.end) is None
    after = lower[mention.end : mention.end + _WINDOW]
    if not after:
        return False
    if after.startswith("'s ") and not mention.letter:
        return True
    if cues.REJECTED_BEHIND_ENGLISH.match(after) or cues.REJECTED_BEHIND_KOREAN.match(after):
        return True
    # A person may not have been late; a letter alone "is not" only where it is not the answer.
    return mention.end - mention.start == 1 and cues.LETTER_REJECTED_BEHIND_ENGLISH.match(after) is not None


def _negated_before(lower: str, mention: Mention) -> bool:
    return (
        mention.start > 1 and cues.REJECTED_BEFORE.search(lower, max(0, mention.start - 40), mention.start) is not None
    )


def _is_asked(lower: str, mention: Mention) -> bool:
    """The B of "Is it B?", unless the reply says yes."""
    if not is_question(lower, mention.end) or _AGREED.match(lower, mention.end):
        return False
    return _ASKING.match(lower, sentence_start(lower, mention.start), mention.start) is not None
