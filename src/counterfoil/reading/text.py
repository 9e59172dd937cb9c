"""A reply as plain text: what was said for the reader, in plain letters, without markup, sentence by sentence.

Every way of reading a reply begins here.
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import Iterator

# A longer reply states its answer at the beginning or at the end. So the time to read one has a limit.
_HEAD, _TAIL = 8_000, 24_000
_LONGEST_SENTENCE, _LONG = 400, 150

_THOUGHT_ENDS = re.compile(r"</(?:think|thinking|reasoning|thought|scratchpad)>|◁/think▷|\[/THINK\]", re.I)
_THOUGHT_STARTS = re.compile(r"<(?:think|thinking|reasoning|thought|scratchpad)>|◁think▷|\[THINK\]", re.I)
# Another round, made up by the model: what it answers there was not asked.
_ANOTHER_QUESTION = r"question|q|problem|user|human|instruction|질문|문제|사용자"
_NEXT_QUESTION = re.compile(rf"\n(?:[*#> ]{{0,8}}(?:{_ANOTHER_QUESTION})\b ?\d{{0,3}}\*{{0,2}} ?[:.]|<\|)", re.I)
# Channels, as some models write them: what is said in the last one is the reply.
_CHANNEL = re.compile(r"<\|channel\|>(\w+)[^<]{0,80}<\|message\|>|\bassistantfinal(?=[\W_]|[A-Z0-9])")
_TURN_ENDS = re.compile(r"<\|(?:return|end|call|eot_id|im_end|endoftext|end_of_text)\|>")
_NEXT_CONTEXT = re.compile(r"\n[*#> ]{0,8}(?:context|passage|맥락|지문|내용) ?\d{0,3}\*{0,2} ?[:.]", re.I)
_BOLD = re.compile(r"\*\*([^*\n]{1,200})\*\*|__([^_\n]{1,200})__")
# A last line like "**ANSWER: B**".
_LAST_LINE = re.compile(r"[*_`#> ]{0,6}(?:final )?answer[*_`]{0,3} ?:", re.I)
_SENTENCE_END = re.compile(r"[.!?](?=[\s\"')]|$)|\n")
# How a whole text ends: with a mark, with a Korean or Japanese verb, with a number and its unit.
_ENDED = re.compile(
    r"[.!?…:)\]}|;~\"'✓✔✅]\s*$|(?:다|요|음|임|니다|죠|함|됨)\s*$|(?:す|た|る|だ)\s*$|"
    r"\d[\d.,]*%?(?: ?[^\s\d]{1,12}){0,2}\s*$"
)
# What can't be the last word.
_GOES_ON = re.compile(
    r"(?:[,(=×+*/-]|(?<!\w)(?:the|a|an|of|to|and|or|whether|then|that|is|are|was|in|on|which|with|for|because|so|if|"
    r"as|at|by|"
    r"from|we|it|this|these|el|la|los|las|un|una|del|al|con|de|que|y|pero|mientras que|der|die|das|den|dem|des|ein|"
    r"eine|"
    r"und|mit|dass|während|le|les|et|het|een|en|of|van|dat|zijn|haar|terwijl|ve|bir|ile|ise|els|amb|i|mentre que)|"
    r"므로|면|면서|하고|"
    r"이고|"
    r"중에서|때문에|[은는을를의에])\s*$"
)


def spoken(reply: str) -> str:
    """The part of the reply that is meant for the reader: no marked train of thought; both ends of a very long one."""
    if "<" in reply or "◁" in reply or "[/" in reply or "[T" in reply:
        reply = _THOUGHT_ENDS.split(reply)[-1]
        start = _THOUGHT_STARTS.search(reply)
        if start is not None:
            reply = reply[: start.start()]
    if "<|" in reply or "assistantfinal" in reply:
        reply = _last_channel(reply)
    if len(reply) > _HEAD + _TAIL:
        reply = reply[:_HEAD] + "\n" + reply[-_TAIL:]
    return reply


def _last_channel(reply: str) -> str:
    """What is said in the last channel that is for the reader; nothing where there are only thoughts."""
    channels = deque(_CHANNEL.finditer(reply), maxlen=1)
    if channels:
        reply = "" if channels[0][1] in ("analysis", "commentary") else reply[channels[0].end() :]
    end = _TURN_ENDS.search(reply)
    return reply[: end.start()] if end is not None and reply[: end.start()].strip() else reply


def own_words(reply: str) -> str:
    """The reply with blanks in place of a marked train of thought, until it goes on to another question.

    The words that are left keep their places.
    """
    said = spoken(reply)
    # `spoken` gives only the ends of a very long reply, which is read as it is.
    if said != reply and said in reply:
        reply = " " * reply.rfind(said) + said if said else ""
    another = _NEXT_QUESTION.search(reply) if "\n" in reply else None
    return reply[: another.start()] if another is not None and reply[: another.start()].strip() else reply


def parts_to_read(reply: str) -> Iterator[str]:
    """The parts of a reply that may hold its answer. The first one that holds an answer counts.

    A last line like "ANSWER: B" comes first, unless another answer stands right above it; then what was said before
    a question of the model's own; then all that was said.
    """
    said = spoken(reply).strip()
    if "\n" not in said:
        if said:
            yield said
        return
    ends = (another.start() for ask in (_NEXT_QUESTION, _NEXT_CONTEXT) if (another := ask.search(said)) is not None)
    end = min(ends, default=None)
    for text in (said,) if end is None else (said[:end].rstrip(), said):
        start = text.rfind("\n") + 1
        if start and _LAST_LINE.match(text, start) is not None:
            above = text[:start].rstrip()
            if "answer" not in above[above.rfind("\n") + 1 :].lower() and "boxed" not in above[-80:]:
                yield text[start:]
        yield text


def emphasised(part: str) -> list[str]:
    """What is in bold letters, in order, as it is written."""
    return [bold[1] or bold[2] for bold in _BOLD.finditer(part)] if "**" in part or "__" in part else []


def is_last_line(part: str) -> bool:
    """Whether this part of a reply is a line like "ANSWER: B"."""
    return "\n" not in part and _LAST_LINE.match(part) is not None


def _compatible(*ranges: tuple[int, int]) -> dict[int, str]:
    """Full-width, circled, bracketed and mathematical letters and digits as plain ones."""
    codes = (code for low, high in ranges for code in range(low, high))
    return {code: plain for code in codes if (plain := unicodedata.normalize("NFKC", chr(code))) != chr(code)}


def _all(characters: str, plain: str) -> dict[int, str]:
    return dict.fromkeys(map(ord, characters), plain)


# For str.translate: one script of letters, one kind of quotes, dashes and line ends, no currency, nothing invisible.
_PLAIN: dict[int, str] = {
    **_compatible((0x2460, 0x2500), (0xFF01, 0xFF5F), (0x1D400, 0x1D800), (0x1F110, 0x1F150)),
    **{0x1F150 + i: chr(65 + i) for i in range(26)},  # white on black, round
    **{0x1F170 + i: chr(65 + i) for i in range(26)},  # white on black, square
    **_all("\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f", ""),
    **_all("“”„«»「」『』《》〈〉", '"'),
    **_all("‘’‚´", "'"),
    **_all("\r\x0b\x0c\x85\u2028\u2029", "\n"),
    **_all("–—−\u2010\u2011\u2012\ufe63", "-"),
    **_all("【〔", "("),
    **_all("】〕", ")"),
    **_all("€£₤¥₩￥￡₹", ""),
    **_all("≅≃∼≒", "≈"),
    **_all("✕✖⨯", "×"),
    **_all("。．", "."),
    ord("、"): ",",
    # "5½"; alone, ".5".
    **{
        ord(sign): decimals
        for sign, decimals in zip("½¼¾⅓⅔⅛", (".5", ".25", ".75", ".333333", ".666667", ".125"), strict=True)
    },
    ord("İ"): "I",  # the only letter that is longer in lower case
}
_JAMO = re.compile("[\u1100-\u11ff]+")
_SUPERSCRIPT = {ord(high): low for high, low in zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+", strict=True)}
_POWERS = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+")
_RARE = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺\u1100-\u11ff]")
_BLANKS = re.compile(r"[^\S\n ][^\S\n]*| [^\S\n]+")
_LINES = re.compile(r" ?\n[ \n]*")
_BULLET = re.compile(r"^(?:[*•·▪‣+-] |#{1,6} |>+ ?)+", re.M)
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~")
_MARKED_LETTER = re.compile(r"(\*{1,3}|`{1,3}|__?)[\"']?\(?([A-Za-z])\)?[\"']?([.:]?)[\"']?\1")
_TIMES = re.compile(
    r" \* (?:(?<=[\d)%] \* )(?=\S)|(?<=\S \* )(?=[\d(])|(?<=\b\w \* )(?=\w\b))| \*\* (?<=[\d)] \*\* )(?=[\d(])|"
    r"\*\*(?<=[\d)]\*\*)(?=[\d(])|\*(?<=[\d)]\*)(?=[\d(])"
)
_MARKUP = re.compile(r"\*+|`+|(?<![A-Za-z0-9])__?|__?(?![A-Za-z0-9])")
_ANSWER_TAG = re.compile(r"<(?:final_)?answer>", re.I)
_TAG = re.compile(r"</?[A-Za-z_]{2,20}/?>")
# "<b>C</b>", but not the choice "<B>".
_SHORT_TAG = re.compile(r"<([a-z])>([^<>\n]{0,200})</\1>")
_DOLLARS = re.compile(r"(?<![A-Za-z$])(?:US|AU?|CA?|HK|NZ|SG?|NT|R)?\$(?=\s?[\d(.-])")
_CODES = re.compile(r"(?:USD|EUR|GBP|JPY|CHF|KRW|CAD|AUD|CNY|RMB|INR|HKD|SGD|NZD|SEK|NOK|DKK|BRL|MXN|ZAR) ?(?=[\d(.-])")
_LATEX = (
    (re.compile(r"\{,\}"), ","),
    (re.compile(r"\\[dt]?frac ?\{(\d+)\} ?\{(\d+)\}"), r"\1/\2"),
    (re.compile(r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathit|bf|rm) ?\{([^{}\n]{0,200})\}"), r"\1"),
    (re.compile(r"\^ ?\{([^{}\n]{1,20})\}"), r"^\1"),
    (re.compile(r"\\(?:boxed|fbox) ?\{([^{}\n]{0,200})\}"), r"\nBoxed answer: \1\n"),
    (re.compile(r"\\approx|\\simeq|\\sim\b"), "≈"),
    (re.compile(r"\\(?:times|cdot)\b"), "×"),
    (re.compile(r"\\(?:left|right|displaystyle|!)"), ""),
    (re.compile(r"\\(?:quad|qquad|[,;: ()\[\]])"), " "),
    (re.compile(r"\\(?=[$%#&_])"), ""),
)  # fmt: skip


def clean(text: str) -> str:
    """The text without markup, LaTeX and currency, with plain letters; as long in lower case as it is.

    Empty lines become one empty line.
    """
    if text.isascii():
        text = text.replace("\r", "\n")
    else:
        text = text.translate(_PLAIN)
        if _RARE.search(text):
            text = _POWERS.sub(lambda power: "^" + power[0].translate(_SUPERSCRIPT), text)
            text = _JAMO.sub(lambda run: unicodedata.normalize("NFC", run[0]), text)
    text = _BLANKS.sub(" ", text)
    if "\\" in text:
        for pattern, meant in _LATEX:
            text = pattern.sub(meant, text)
        text = _BLANKS.sub(" ", text)
    if "\n" in text:
        text = _LINES.sub(lambda run: "\n\n" if run[0].count("\n") > 1 else "\n", text)
    text = _STRUCK.sub("", text).strip() if "~~" in text else text.strip()
    if "$" in text:
        text = _DOLLARS.sub("", text).replace("$", "")
    text = _CODES.sub("", text)
    if "<" in text:
        text = _TAG.sub("\n", _ANSWER_TAG.sub("\nAnswer: ", _SHORT_TAG.sub(r"\2", text)))
    text = _BULLET.sub("", text)
    if "*" in text or "`" in text or "_" in text:
        text = _MARKUP.sub("", _TIMES.sub(" × ", _MARKED_LETTER.sub(r"(\2)\3", text)))
    return text.strip()


def last_paragraph(lower: str) -> int:
    """Where the last paragraph begins; what ends with a colon announces something, and is none."""
    end = len(lower)
    while True:
        start = lower.rfind("\n\n", 0, max(0, end - 2)) + 1
        if start <= 0 or not lower[start:end].rstrip().endswith(":"):
            return max(0, start)
        end = start


def is_cut(lower: str, named: int) -> bool:
    """Whether the text breaks off in mid-sentence: behind a word that wants another, or, if it is long, without a mark.

    What ends with a name (up to `named`), or with a number and its unit, is whole.
    """
    if len(lower) - named < 4:
        return False
    if _GOES_ON.search(lower, max(0, len(lower) - 16)):
        return True
    last = lower[lower.rfind("\n") + 1 :]
    return len(lower) > _LONG and last.count(" ") > 2 and not _ENDED.search(lower, max(0, len(lower) - 24))


def sentence_end(lower: str, at: int) -> int:
    """Where the sentence, or the line, that goes on at `at` ends."""
    end = _SENTENCE_END.search(lower, at, at + _LONGEST_SENTENCE)
    return end.start() if end else min(len(lower), at + _LONGEST_SENTENCE)


def sentence_start(lower: str, at: int) -> int:
    """Where the sentence, or the line, around `at` begins; of a long one, not its beginning."""
    low = max(0, at - _LONGEST_SENTENCE)
    return max(low, *(lower.rfind(end, low, at) + 1 for end in ("\n", ". ", "! ", "? ")))


def is_question(lower: str, at: int) -> bool:
    """Whether the sentence that goes on at `at` ends with a question mark."""
    end = sentence_end(lower, at)
    return lower[end : end + 1] == "?"


def ends_sentence(gap: str) -> bool:
    """Whether a sentence ends in this stretch of text."""
    return _SENTENCE_END.search(gap) is not None
