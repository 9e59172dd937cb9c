"""A reply as plain text: one script of letters, no markup, nothing but what was said for the reader."""

from __future__ import annotations

import re
import unicodedata

# Who writes this much says the answer at the beginning or at the end: the time to read a reply has a limit.
_HEAD, _TAIL = 20_000, 40_000


def _compatible(*ranges: tuple[int, int]) -> dict[int, str]:
    """Full-width, circled, bracketed and mathematical letters as plain ones."""
    codes = (code for low, high in ranges for code in range(low, high))
    return {code: plain for code in codes if (plain := unicodedata.normalize("NFKC", chr(code))) != chr(code)}


_PLAIN: dict[int, str] = {
    **_compatible((0x2460, 0x2500), (0xFF01, 0xFF5F), (0x1D400, 0x1D7D0), (0x1F110, 0x1F150)),
    **{0x1F150 + i: chr(65 + i) for i in range(26)},  # white on black, round
    **{0x1F170 + i: chr(65 + i) for i in range(26)},  # white on black, square
    **dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f"), ""),
    **dict.fromkeys(map(ord, "“”„«»「」『』《》〈〉"), '"'),
    **dict.fromkeys(map(ord, "‘’‚´"), "'"),
    **dict.fromkeys(map(ord, "【〔"), "("),
    **dict.fromkeys(map(ord, "】〕"), ")"),
    **dict.fromkeys(map(ord, "\r\x0b\x0c\x85\u2028\u2029"), "\n"),
    **dict.fromkeys(map(ord, "。．"), "."),
    **dict.fromkeys(map(ord, "–—−"), "-"),
    ord("、"): ",",
    ord("İ"): "I",  # the only letter that is longer in lower case
    ord("$"): "",
}
_JAMO = re.compile("[\u1100-\u11ff]+")
_BLANKS = re.compile(r"[^\S\n]+")
_LINES = re.compile(r" ?\n[ \n]*")
_BULLET = re.compile(r"^[*•·▪‣+-] |^#{1,6} |^>+ ?", re.M)
_MARKED_LETTER = re.compile(r"(\*{1,3}|`{1,3}|__?)[\"']?\(?([A-Za-z])\)?[\"']?([.:]?)[\"']?\1")
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~")
_MARKUP = re.compile(r"\*+|`+|(?<![A-Za-z0-9])__?|__?(?![A-Za-z0-9])")
_BOX = re.compile(
    r"\\(?:boxed|fbox) ?\{ ?(?:\\(?:text|textbf|mathrm|mathbf|textit|mathit) ?\{)?([^{}\n]{1,200})\}{1,2}"
)
_ANSWER_TAG = re.compile(r"<(final_)?answer>", re.I)
_TAG = re.compile(r"</?[A-Za-z_]{2,20}/?>")
_THOUGHT_ENDS = re.compile(r"</(?:think|thinking|reasoning|thought|scratchpad)>|◁/think▷|\[/THINK\]", re.I)
_THOUGHT_STARTS = re.compile(r"<(?:think|thinking|reasoning|thought|scratchpad)>|◁think▷|\[THINK\]", re.I)


def clean(text: str) -> str:
    """The text without markup, with plain letters, quotes and blanks; as long in lower case as it is."""
    if text.isascii():
        text = text.replace("\r", "\n").replace("$", "")
    else:
        text = text.translate(_PLAIN)
        text = _JAMO.sub(lambda run: unicodedata.normalize("NFC", run[0]), text)
    text = _BLANKS.sub(" ", text)
    if "\n" in text:
        text = _LINES.sub(lambda run: "\n\n" if run[0].count("\n") > 1 else "\n", text)
    text = _STRUCK.sub("", text).strip() if "~~" in text else text.strip()
    if "\\" in text:
        text = _BOX.sub(r"\nAnswer: \1\n", text)
    if "<" in text:
        text = _TAG.sub("\n", _ANSWER_TAG.sub("\nAnswer: ", text))
    text = _BULLET.sub("", text)
    if "*" in text or "`" in text or "_" in text:
        text = _MARKUP.sub("", _MARKED_LETTER.sub(r"(\2)\3", text))
    return text.strip()


def spoken(reply: str) -> str:
    """What of the reply is meant for the reader: nothing of a marked train of thought, of a very long one the ends."""
    if "<" in reply or "◁" in reply or "[/" in reply or "[T" in reply:
        reply = _THOUGHT_ENDS.split(reply)[-1]
        start = _THOUGHT_STARTS.search(reply)
        if start is not None:
            reply = reply[: start.start()]
    if len(reply) > _HEAD + _TAIL:
        reply = reply[:_HEAD] + "\n" + reply[-_TAIL:]
    return reply
