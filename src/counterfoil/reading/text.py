"""A reply as plain text: one script of letters, no markup, nothing but what was said for the reader."""

from __future__ import annotations

import re
import unicodedata

from counterfoil.reading.plain_text import PLAIN

_PLAIN: dict[int, str] = {
    **PLAIN,
    **dict.fromkeys(map(ord, "《》〈〉"), '"'),
    **dict.fromkeys(map(ord, "【〔"), "("),
    **dict.fromkeys(map(ord, "】〕"), ")"),
    ord("．"): ".",
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
# "<b>C</b>", but not the choice "<B>".
_SHORT_TAG = re.compile(r"<([a-z])>([^<>\n]{0,200})</\1>")


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
        text = _TAG.sub("\n", _ANSWER_TAG.sub("\nAnswer: ", _SHORT_TAG.sub(r"\2", text)))
    text = _BULLET.sub("", text)
    if "*" in text or "`" in text or "_" in text:
        text = _MARKUP.sub("", _MARKED_LETTER.sub(r"(\2)\3", text))
    return text.strip()
