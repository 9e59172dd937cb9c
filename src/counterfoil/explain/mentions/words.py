"""Words of a text, folded so that the spellings of one word become equal."""

from __future__ import annotations

import re
import unicodedata
from itertools import accumulate
from typing import NamedTuple

_SMALL = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"""
NUMBER_WORDS = {word: str(n) for n, word in enumerate(_SMALL.split())}
NUMBER_WORDS |= {word: str(10 * n) for n, word in enumerate(_TENS.split(), 2)}


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th, …, 11th, …, 21st."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return f"{number}{ending}"


ORDINAL_WORDS = {word: ordinal(n) for n, word in enumerate(_ORDINALS.split(), 1)}
_APOSTROPHES = frozenset("'’ʼ")
_IRREGULAR = {"feet": "foot", "teeth": "tooth", "geese": "goose", "mice": "mouse", "lice": "louse", "oxen": "ox"}
_IRREGULAR |= {"children": "child", "dice": "die"}
_LONG = 6
_SHORT = {"saint": "st", "mt": "mount"}
# Words that are spelled in two ways that no rule of `american` covers.
_SPELLINGS = """aluminium aluminum sulphur sulfur grey gray tyre tire programme program catalogue catalog plough plow
mould mold doughnut donut yoghurt yogurt whiskey whisky czar tsar moustache mustache pyjama pajama litre liter
metre meter fibre fiber"""

# Numbers are one word each (1,500, 1 500, 22.5 and 7.2M; 91² is 91), so are runs of Hangul, and runs of other letters
# with their accents. The underscore is markup. Plain ASCII, which most replies are, has a faster pattern of its own.
_GROUPED = r"\d{1,3}(?:,\d{3})+|\d{1,3}(?:[ \u00a0\u2009\u202f]\d{3})+(?!\d)"
_NUMBER = rf"(?:{_GROUPED}|\d+)(?:\.\d+)?(?:[kKmMbB]n?(?![A-Za-z]))?"
_LETTER = r"[^\W_²³¹⁰-⁹₀-₉가-힣]"
_TOKEN = re.compile(rf"{_NUMBER}(?!{_LETTER})|[가-힣]+|{_LETTER}+(?:[\u0300-\u036f]+{_LETTER}*)*")
_PIECES = re.compile(f"({_TOKEN.pattern})")
_ASCII_TOKEN = re.compile(rf"[A-Za-z][A-Za-z0-9]*|{_NUMBER}(?![A-Za-z0-9])|[A-Za-z0-9]+")
_ASCII_PIECES = re.compile(f"({_ASCII_TOKEN.pattern})")
_LOW_DIGITS = {ord(low): plain for low, plain in zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True)}
_MOST_KEYS = 1 << 17


class Word(NamedTuple):
    """One word of a text: where it is, as written, and folded."""

    start: int
    end: int
    raw: str
    key: str


def tokens_of(text: str) -> list[str]:
    """The words of a text as written, in order."""
    return (_ASCII_TOKEN if text.isascii() else _TOKEN).findall(text)


class Words:
    """The words of a text, in order, without the "s" of possessives; each is made only where it is looked at."""

    def __init__(self, text: str) -> None:
        if not text.isascii():
            text = text.translate(_LOW_DIGITS)  # CO₂ is CO2; as long as it was
        self.text = text
        # Gaps and words in turn, so that the ends of gaps are the starts of words.
        pieces = (_ASCII_PIECES if text.isascii() else _PIECES).split(text)
        self.raws = pieces[1::2]
        self.starts = list(accumulate(map(len, pieces)))[:-1:2]
        self.keys = list(map(_KEYS.__getitem__, self.raws))
        if len(_KEYS) > _MOST_KEYS:
            _KEYS.clear()
        if "s" in self.raws:
            self._drop_possessives()

    def _drop_possessives(self) -> None:
        kept = []
        for at, raw in enumerate(self.raws):
            if raw != "s" or self.text[self.starts[at] - 1] not in _APOSTROPHES:
                kept.append(at)
            elif at and self.raws[at - 1].isdigit():
                self.keys[at - 1] += "s"  # "1990's" is the decade
        self.raws = [self.raws[at] for at in kept]
        self.keys = [self.keys[at] for at in kept]
        self.starts = [self.starts[at] for at in kept]

    def __len__(self) -> int:
        return len(self.raws)

    def end(self, at: int) -> int:
        return self.starts[at] + len(self.raws[at])

    def __getitem__(self, at: int) -> Word:
        start, raw = self.starts[at], self.raws[at]
        return Word(start, start + len(raw), raw, self.keys[at])


def is_hangul(word: str) -> bool:
    return "가" <= word[:1] <= "힣"


def words_of(text: str) -> list[Word]:
    words = Words(text)
    return [words[at] for at in range(len(words))]


def keys_of(text: str) -> list[str]:
    return Words(text).keys


class _Keys(dict[str, str]):
    """The keys of words that were seen."""

    def __missing__(self, word: str) -> str:
        key = self[word] = _fold(word)
        return key


_KEYS = _Keys()


def fold(word: str) -> str:
    """One key for all spellings of a word: case, accents, ligatures, plural, number words, British and American."""
    return _KEYS[word]


def _fold(word: str) -> str:
    if not word.isascii():
        word = unicodedata.normalize("NFKC", word)
        word = word.replace("ß", "ss").replace("æ", "ae").replace("œ", "oe").replace("ø", "o").replace("ł", "l")
    word = word.casefold()
    if not word.isascii() and not is_hangul(word):
        word = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    if word[:1].isdigit():
        plain = re.sub(r"[,\s]", "", word)
        plain = re.sub(r"\.0+(?!\d)|(?<=\.)(\d*[1-9])0+(?!\d)", r"\1", plain) if "." in plain else plain
        return plain.lstrip("0") or "0"
    if word in NUMBER_WORDS:
        return NUMBER_WORDS[word]
    if word in ORDINAL_WORDS:
        return ORDINAL_WORDS[word]
    if word in _SHORT:
        return _SHORT[word]
    if not word.isalpha():
        return word
    one = singular(word)
    if one in _OTHER_SPELLING:
        return american(_OTHER_SPELLING[one])
    # Whether a word is long must not depend on its number: "apples" keeps both its p, as "apple" does.
    return singular(american(word)) if len(one) >= _LONG else one


def american(word: str) -> str:
    """The spelling with what differs between the two Englishes, and doubled consonants, made alike."""
    if len(word) < _LONG:
        return word
    word = re.sub(r"ae|oe(?!s?$)", "e", word).replace("bourg", "burg")
    word = re.sub(r"our(?=s?$|ed$|ing|it|ful|less)", "or", word)
    word = re.sub(r"tre(?=s?$)", "ter", word)
    word = re.sub(r"is(?=(?:e|es|ed|ing|ation|ations)$)", "iz", word)
    return re.sub(r"([b-df-hj-np-rtv-z])\1", r"\1", word)


def singular(word: str) -> str:
    """A key that a noun and its plural share; it need not be a word ("hors" for horse and horses)."""
    word = _IRREGULAR.get(word, word)
    if len(word) < 4:
        return word
    if word.endswith("men"):
        return word[:-3] + "man"
    if word.endswith("ves"):
        return word[:-3] + "f"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    if word.endswith("ie"):
        return word[:-2] + "y"
    if word.endswith("fe"):
        return word[:-1]
    if word.endswith(("se", "xe", "ze", "che", "she")) or (word.endswith("oe") and len(word) > 4):
        return word[:-1]
    return word


_ALIKE = [singular(word) for word in _SPELLINGS.split()]
_OTHER_SPELLING = dict(zip(_ALIKE[::2], _ALIKE[1::2], strict=True))
