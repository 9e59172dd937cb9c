"""Words of a text, folded so that the spellings of one word become equal."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

FUNCTION_WORDS = frozenset(
    "a an the and or nor but of in on at to by for from with without as than that this these those it its is was are "
    "were be been being not no so if while when although though however because since who whom whose which what where "
    "how why he she they we you his her their our your my i some many most other others another one both all any each "
    "every also only just even then thus therefore there here such like unlike instead rather similarly finally next "
    "additionally furthermore moreover meanwhile despite after before during between among about did does do had has "
    "have can could may might will would should must yes answer correct incorrect".split()
)
TITLES = frozenset(
    "sir dame lord lady dr prof professor mr mrs ms miss king queen prince princess emperor empress pope saint st "
    "president senator general colonel major captain lieutenant sergeant admiral inspector detective judge justice "
    "reverend father sister brother bishop archbishop cardinal baron baroness count countess duke duchess earl "
    "minister chancellor governor mayor prophet apostle coach chef uncle aunt".split()
)
# What kind of thing a name stands for; people drop it: "Sandown" is Sandown Park.
KINDS_OF_PLACE = frozenset(
    "river lake mount mountain mountains island islands isle park county city town village borough district province "
    "sea ocean bay gulf strait canal valley desert forest peninsula cape falls castle palace cathedral church abbey "
    "bridge tower street road avenue square station airport stadium racecourse university college museum zoo class".split()
)
COMPASS = frozenset("north south east west northern southern eastern western central".split())
MONTHS = (
    "january february march april may june july august september october november december".split()
)  # fmt: skip
UNITS = frozenset(
    "percent percentage year month week day hour minute second time mile kilometer kilometre km meter metre cm mm foot "
    "inch yard acre hectare mph kph kmh knot kg kilogram gram pound ounce ton tonne liter litre gallon degree celsius "
    "fahrenheit dollar euro cent million billion trillion thousand hundred am pm bc ad bce ce century decade".split()
)
_SMALL = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split()
_SMALL += "seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
NUMBER_WORDS = {word: str(n) for n, word in enumerate(_SMALL)} | {w: str(10 * n) for n, w in enumerate(_TENS, 2)}
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
_ORDINALS += "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
ORDINAL_WORDS = {word: f"{n}{_ENDINGS.get(n, 'th')}" for n, word in enumerate(_ORDINALS.split(), 1)}
_IRREGULAR = {"feet": "foot", "teeth": "tooth", "geese": "goose", "mice": "mouse", "lice": "louse", "oxen": "ox"}
_IRREGULAR |= {"children": "child", "dice": "die"}

# Numbers first (1,500 and 22.5 are one word each, 91² is 91), then runs of Hangul, then runs of other letters with
# their accents. The underscore is markup; "'s" is left outside the word.
_LETTER = r"[^\W_²³¹⁰-⁹₀-₉가-힣]"
_TOKEN = re.compile(
    rf"((?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?(?!{_LETTER})|[가-힣]+|{_LETTER}+(?:[\u0300-\u036f]+{_LETTER}*)*)"
    r"(['’ʼ]s(?!\w))?"
)
_ASCII_TOKEN = re.compile(
    r"([A-Za-z]+(?![A-Za-z0-9])|(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![A-Za-z])|[A-Za-z0-9]+)('s(?![A-Za-z0-9_]))?"
)


class Word(NamedTuple):
    """One word of a text: where it is, as written, and folded."""

    start: int
    end: int
    raw: str
    key: str


def tokens_of(text: str) -> list[tuple[str, str]]:
    """The words of a text, each with its "'s" or nothing."""
    return (_ASCII_TOKEN if text.isascii() else _TOKEN).findall(text)


def keys_of_tokens(tokens: list[tuple[str, str]]) -> list[str]:
    # "1990's" is the decade.
    return [raw + "s" if ending and raw.isdigit() else fold(raw) for raw, ending in tokens]


def keys_of(text: str) -> list[str]:
    """The folded words of a text."""
    return keys_of_tokens(tokens_of(text))


def words_of(text: str) -> list[Word]:
    tokens = tokens_of(text)
    return placed(text, tokens, keys_of_tokens(tokens))


def placed(text: str, tokens: list[tuple[str, str]], keys: list[str]) -> list[Word]:
    """The words with their places. Between two words there is no letter: where one is found next, there it stands."""
    words = []
    end = 0
    for (raw, ending), key in zip(tokens, keys, strict=True):
        start = text.index(raw, end)
        end = start + len(raw)
        words.append(Word(start, end, raw, key))
        end += len(ending)
    return words


@lru_cache(maxsize=1 << 16)
def fold(word: str) -> str:
    """One key for all spellings of a word: case, accents, ligatures, plural, number words, British and American."""
    if not word.isascii():
        word = unicodedata.normalize("NFKC", word)
        word = word.replace("ß", "ss").replace("æ", "ae").replace("œ", "oe").replace("ø", "o").replace("ł", "l")
    word = word.casefold()
    if not word.isascii() and not "가" <= word[:1] <= "힣":
        word = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    if word[:1].isdigit():
        plain = word.replace(",", "")
        return plain.lstrip("0") or "0"
    if word in NUMBER_WORDS:
        return NUMBER_WORDS[word]
    if word in ORDINAL_WORDS:
        return ORDINAL_WORDS[word]
    return singular(american(word)) if word.isalpha() else word


def american(word: str) -> str:
    """The spelling with what differs between the two Englishes, and doubled consonants, made alike."""
    if len(word) < 6:
        return word
    word = word.replace("ae", "e").replace("oe", "e").replace("bourg", "burg")
    word = re.sub(r"our(?=s?$|ed$|ing|it|ful|less)", "or", word)
    word = re.sub(r"tre(?=s?$)", "ter", word)
    word = re.sub(r"is(?=(?:e|es|ed|ing|ation|ations)$)", "iz", word)
    return re.sub(r"([b-df-hj-np-rtv-z])\1", r"\1", word)


def singular(word: str) -> str:
    """A key that a noun and its plural share; it need not be a word ("hors" for horse and horses)."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
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
