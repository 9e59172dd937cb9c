"""A reply as plain text: no markup, no LaTeX, one kind of quotes, dashes and blanks, no currency signs."""

from __future__ import annotations

import re

from counterfoil.reading.plain_text import PLAIN

_PLAIN: dict[int, str] = {
    **PLAIN,
    **dict.fromkeys(map(ord, "【〔"), "["),
    **dict.fromkeys(map(ord, "】〕"), "]"),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\ufe63"), "-"),
    **dict.fromkeys(map(ord, "€£₤¥₩￥￡"), ""),
    **dict.fromkeys(map(ord, "≅≃∼≒"), "≈"),
    **dict.fromkeys(map(ord, "✕✖⨯"), "×"),
}
_SUPERSCRIPT = {ord(high): low for high, low in zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+", strict=True)}
_POWERS = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+")
_BLANKS = re.compile(r"[^\S\n ][^\S\n]*| [^\S\n]+")
_LINES = re.compile(r" ?\n[ \n]*")
_BULLET = re.compile(r"^(?:[*•·▪‣+-] |#{1,6} |>+ ?)+", re.M)
_TIMES = re.compile(r" \*{1,2} (?=\S)|\*\*(?=[\d(])(?<=[\d)]\*\*)|\*(?=[\d(])(?<=[\d)]\*)")
_UNDERLINED = re.compile(r"(?<![A-Za-z0-9])__?|__?(?![A-Za-z0-9])")
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~")
_ANSWER_TAG = re.compile(r"<(?:final_)?answer>", re.I)
_TAG = re.compile(r"</?[A-Za-z_]{2,20}/?>")
_DOLLARS = re.compile(r"(?<![A-Za-z$])(?:US|AU?|CA?|HK|NZ|SG?|NT|R)?\$(?=\s?[\d(.-])")
_CODES = re.compile(r"(?:USD|EUR|GBP|JPY|CHF|KRW|CAD|AUD|CNY|RMB|INR|HKD|SGD|NZD|SEK|NOK|DKK|BRL|MXN|ZAR) ?(?=[\d(.-])")
_LATEX = (
    (re.compile(r"\{,\}"), ","),
    (re.compile(r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathit|bf|rm) ?\{([^{}\n]{0,200})\}"), r"\1"),
    (re.compile(r"\^ ?\{([^{}\n]{1,20})\}"), r"^\1"),
    (re.compile(r"\\(?:boxed|fbox) ?\{([^{}\n]{0,200})\}"), r"\nANSWER: \1\n"),
    (re.compile(r"\\approx|\\simeq|\\sim\b"), "≈"),
    (re.compile(r"\\(?:times|cdot)\b"), "×"),
    (re.compile(r"\\(?:left|right|displaystyle|!)"), ""),
    (re.compile(r"\\(?:quad|qquad|[,;: ()\[\]])"), " "),
    (re.compile(r"\\(?=[$%#&_])"), ""),
)  # fmt: skip
_ANOTHER_ROUND = re.compile(
    r"\n[*#> ]{0,8}(?:question|q|problem|user|human|instruction|질문|문제)\b ?\d{0,3} ?[:.]", re.I
)


def first_round(text: str) -> str:
    """The text until it goes on to a question of its own."""
    another = _ANOTHER_ROUND.search(text)
    return text if another is None else text[: another.start()].rstrip()


def plain(text: str) -> str:
    """The text without markup and currency, with plain letters; as long in lower case as it is."""
    if text.isascii():
        text = text.replace("\r", "\n")
    else:
        text = _POWERS.sub(lambda power: "^" + power[0].translate(_SUPERSCRIPT), text).translate(_PLAIN)
    text = _BLANKS.sub(" ", text)
    if "\\" in text:
        for pattern, meant in _LATEX:
            text = pattern.sub(meant, text)
        text = _BLANKS.sub(" ", text)
    if "\n" in text:
        text = _LINES.sub("\n", text)
    if "~~" in text:
        text = _STRUCK.sub("", text)
    if "$" in text:
        text = _DOLLARS.sub("", text).replace("$", "")
    text = _CODES.sub("", text)
    if "<" in text:
        text = _TAG.sub("\n", _ANSWER_TAG.sub("\nANSWER: ", text))
    text = _BULLET.sub("", text)
    if "*" in text:
        text = _TIMES.sub(" × ", text).replace("*", "")
    if "_" in text:
        text = _UNDERLINED.sub("", text)
    return text.replace("`", "").strip()
