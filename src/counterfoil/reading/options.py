"""Where a cleaned reply names a choice: by its letter, by its text, or by both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from counterfoil.reading.text import clean

CONFLICT = -1  # a letter with another choice's text


class Mention(NamedTuple):
    start: int
    end: int
    place: int
    letter: bool
    # Not the choice's text, but something to the same effect.
    paraphrase: bool = False


# What may follow a name in Korean within the same word: particles and forms of "to be".
PARTICLE = re.compile(
    r"(?:이(?![가-힣])|이?거나|이?[가는란나라며고지]|은|을|를|의|와|과|랑|도|만|에|한테|께|로|으로|입니|이다|다|이에|예요|인|"
    r"일|임|이[었였기므]|였|므로|"
    r"처럼|보다|부터|까지|들|분|님|쪽|번|뿐|하고|조차|마저|밖에|대신|중|이랑|야|이야|요|이요|이죠|죠|네|같|[이]?든|"
    r"옵션|선택)"
)
# A word that can follow the article "a".
_AFTER_ARTICLE = re.compile(
    r" (?!(?:is|was|are|were|isn't|wasn't|or|and|nor|but|because|since|as|seems|would|could|should|must|can|cannot|"
    r"can't|does|doesn't|has|instead|over|rather|than|if|fits|refers|states|says|appears|makes|not|which|who|that|based|due|"
    r"given|to|in|on|with|for|from|by|at|of|after|before|the|therefore|so|when|while|where|then|it|its|might|may|will|"
    r"also|being|be|represents|matches|describes|indicates|mentions|corresponds|suggests|remains|stands|i|we|there|this|"
    r"even|only|both)(?![a-z']))[a-z']"
)
_BEFORE_LETTER = re.compile(r"(?:option|choice|answer|letter|선택지|보기|옵션|문항)[\"' :(]*$")
_OTHER_THINGS = re.compile(
    r"(?:vitamin|plan|hepatitis|grade|class|type|section|appendix|part|team|room|influenza|비타민|플랜|등급|학점) ?-?$"
)
_NAME = re.compile(r"[A-Z][a-z'’.-]+(?: [A-Z][A-Za-z'’.-]*)+")
# Within a sentence the article is small.
_WITHIN_SENTENCE = re.compile(r"[a-z,] $")
_ARTICLE = re.compile(r"(?:the|an?) $")
_WITHIN_GAP = frozenset(" :).,-=\"'([>\n→/]")
_STANDS_ALONE = re.compile(
    r"[\"')\]]*(?:$|[\n,;.!?(/]|입니다|이다|임| ?[-=] | ?(?:또는|혹은|및|이나|나|와|과) | (?:and|or|but|because|"
    r"since|as|[A-Ca-c][):.])\b)"
)


@lru_cache(maxsize=65_536)
def texts_of(choices: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """For each choice the texts to look for, in lower case."""
    return tuple(_variants(_core(choice)) for choice in choices)


@lru_cache(maxsize=65_536)
def short_texts_of(choices: tuple[str, ...], unknown: int | None) -> tuple[tuple[str, ...], ...]:
    """What tells a choice from the others, where all but that is common to two: the "old" of "old man", "young man".

    Of a person's name, each word that no other choice has.
    """
    forms: list[tuple[str, ...]] = []
    texts = [_core(choice) for choice in choices]
    words = [text.split() for text in texts]
    for i, own in enumerate(words):
        best = ""
        for j, other in enumerate(words):
            if i == j or own == other:
                continue
            head = tail = 0
            while head < min(len(own), len(other)) and own[head] == other[head]:
                head += 1
            while tail < min(len(own), len(other)) - head and own[-1 - tail] == other[-1 - tail]:
                tail += 1
            rest = " ".join(own[head : len(own) - tail])
            if (head or tail) and len(rest) > 1 and not _is_in_another(rest, i, texts):
                best = rest
        short = [best, _without_case(best)] if best else []
        if i != unknown and len(own) > 1 and _NAME.fullmatch(choices[i].strip()):
            short += own
        forms.append(tuple(form for form in dict.fromkeys(short) if not _is_in_another(form, i, texts)))
    return tuple(forms)


def _is_in_another(form: str, i: int, texts: Sequence[str]) -> bool:
    return any(form in text for k, text in enumerate(texts) if k != i)


def _without_case(form: str) -> str:
    """The 부산 of 부산에서, which alone is often said."""
    short = form.removesuffix("에서")
    return short if len(short) > 1 else form


def find_texts(lower: str, texts: Sequence[tuple[str, ...]]) -> list[Mention]:
    """All places of the choices' texts as words of their own; of two in the same place the longer one."""
    found: list[Mention] = []
    for index, variants in enumerate(texts):
        for text in variants:
            at = lower.find(text)
            while at >= 0:
                end = at + len(text)
                if _starts_word(lower, at) and _ends_word(lower, end):
                    article = _ARTICLE.search(lower, max(0, at - 4), at)
                    found.append(Mention(article.start() if article else at, end, index, False))
                at = lower.find(text, end)
    if len(found) < 2:
        return found
    found.sort(key=lambda mention: (mention.start, -mention.end))
    kept: list[Mention] = []
    for mention in found:
        if kept and mention.end <= kept[-1].end:
            continue
        kept.append(mention)
    return kept


def find_letters(text: str, lower: str, letters: tuple[str, ...]) -> list[Mention]:
    """All letters that stand for a choice: not the article "a", not a part of a word or of another name."""
    found = []
    for match in _alone(letters).finditer(text):
        at = match.start()
        if _is_label(text, lower, at):
            found.append(Mention(at, at + 1, letters.index(match[0].upper()), True))
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
    ordered = sorted(outside + texts)
    merged: list[Mention] = []
    skip = False
    for one, other in zip(ordered, [*ordered[1:], None], strict=True):
        if skip:
            skip = False
            continue
        if other is None or one.letter == other.letter or not _belongs(text, one, other):
            merged.append(one)
        elif one.place == other.place:
            merged.append(Mention(one.start, other.end, one.place, True))
            skip = True
        elif _STANDS_ALONE.match(lower, other.end):
            merged.append(Mention(one.start, other.end, CONFLICT, True))
            skip = True
        else:
            merged.append(one)
    return merged


def is_labelled(text: str, mention: Mention) -> bool:
    """Whether the letter stands like the label of a list: "A:", "(A)", "A."."""
    if not mention.letter:
        return False
    at = mention.start
    return text[at + 1 : at + 2] in (":", ")", ".") or (at > 0 and text[at - 1] == "(")


@lru_cache(maxsize=64)
def _alone(letters: tuple[str, ...]) -> re.Pattern[str]:
    either = "".join(re.escape(letter + letter.lower()) for letter in letters)
    return re.compile(rf"(?<![A-Za-z0-9_°])[{either}](?![A-Za-z0-9_+#'])|(?<![A-Za-z0-9_°])[{either}](?='(?![a-z]))")


def _is_label(text: str, lower: str, at: int) -> bool:
    before = text[at - 1] if at else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    if "가" <= before <= "힣" and before not in "은는답이가과와나도고":
        return False
    if before in ("-", "&", ".", "'", "\\") and at > 1 and text[at - 2].isascii() and text[at - 2].isalnum():
        return False
    beyond = text[at + 2] if at + 2 < len(text) else ""
    joined = after in ("-", ".", "&") and beyond.isascii() and beyond.isalnum()
    if joined and not (after == "." and _at_line_start(text, at)):
        return False
    if "가" <= after <= "힣" and not PARTICLE.match(text, at + 1):
        return False
    if after == " " and lower[at] == "a" and not _is_capital_within(text, at):
        word = _AFTER_ARTICLE.match(lower, at + 1)
        if word and not _BEFORE_LETTER.search(lower, max(0, at - 12), at):
            return False
    return not _OTHER_THINGS.search(lower, max(0, at - 12), at)


def _is_capital_within(text: str, at: int) -> bool:
    return text[at] == "A" and _WITHIN_SENTENCE.search(text, max(0, at - 2), at) is not None


def _at_line_start(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] == "\n"


def _belongs(text: str, one: Mention, other: Mention) -> bool:
    gap = text[one.end : other.start]
    if len(gap) > 5:
        return False
    if one.letter:
        return _WITHIN_GAP.issuperset(gap)
    return gap.strip(" \"'") == "(" and text[other.end : other.end + 1] == ")"


def _starts_word(lower: str, at: int) -> bool:
    if at == 0:
        return True
    before, first = lower[at - 1], lower[at]
    if "가" <= first <= "힣":
        return not "가" <= before <= "힣"
    return not (before.isalnum() or before == "_") or "가" <= before <= "힣"


def _ends_word(lower: str, end: int) -> bool:
    if end == len(lower):
        return True
    after, last = lower[end], lower[end - 1]
    if "가" <= after <= "힣":
        return PARTICLE.match(lower, end) is not None
    return not after.isalnum() or "가" <= last <= "힣"


def _core(choice: str) -> str:
    text = clean(choice).lower().rstrip(".")
    for article in ("the ", "a ", "an "):
        if text.startswith(article) and len(text) > len(article):
            return text[len(article) :]
    return text


def _variants(text: str) -> tuple[str, ...]:
    """The text as it is, and as it may be written: without blanks in Korean, with blanks for hyphens in English.

    남자 and 남성, 여자 and 여성 are one word.
    """
    if not text:
        return ()
    variants = [text]
    if any("가" <= character <= "힣" for character in text):
        for one, other in (("남성", "남자"), ("남자", "남성"), ("여성", "여자"), ("여자", "여성")):
            variants.append(text.replace(one, other))
        if text.endswith(" 없음"):
            variants += [f"{text.removesuffix(' 없음')}{particle} 없음" for particle in ("이", "은")]
        variants += [variant.replace(" ", "") for variant in variants]
    else:
        variants += [text.replace("-", " "), text.replace("can't", "cannot"), text.replace("cannot", "can't")]
    return tuple(dict.fromkeys(variants))


_LIST_GAP = re.compile(r"[\s.,;:/()\[\]\"'|-]*(?:(?:or|and|또는|혹은|및|그리고|와|과)[\s(\"']*)?$")
_LINE_HEAD = re.compile(r"(?:^|\n)[\s\"'(\[{-]*(?:the )?$")


def starts_line(lower: str, at: int) -> bool:
    """Whether nothing but marks stands before this place in its line."""
    return _LINE_HEAD.search(lower, max(0, at - 8), at) is not None


def listed(text: str, lower: str, mentions: list[Mention], rejected: list[bool]) -> list[bool]:
    """Which mentions are the options quoted back: several labels in a row, or at the heads of several lines.

    The B of "Not B. C." is no label, as it is rejected.
    """
    out = [False] * len(mentions)
    heads: dict[int, list[int]] = {}
    for i, mention in enumerate(mentions):
        if is_labelled(text, mention) and starts_line(lower, mention.start):
            heads.setdefault(ord(text[mention.start].upper()), []).append(i)
        if i == 0 or not mention.letter or not mentions[i - 1].letter:
            continue
        before = mentions[i - 1]
        both = is_labelled(text, mention) and is_labelled(text, before)
        both = both and not (rejected[i] or rejected[i - 1])
        different = text[mention.start].upper() != text[before.start].upper()
        if both and different and _LIST_GAP.match(lower[before.end : mention.start][:30]):
            out[i - 1] = out[i] = True
    if len(heads) > 1:
        for several in heads.values():
            for i in several:
                out[i] = True
    return out
