"""What every reading of a reply begins with: what was said for the reader, in plain letters."""

from __future__ import annotations

import re
import unicodedata

# Who writes this much says the answer at the beginning or at the end: the time to read a reply has a limit.
_HEAD, _TAIL = 20_000, 40_000

_THOUGHT_ENDS = re.compile(r"</(?:think|thinking|reasoning|thought|scratchpad)>|◁/think▷|\[/THINK\]", re.I)
_THOUGHT_STARTS = re.compile(r"<(?:think|thinking|reasoning|thought|scratchpad)>|◁think▷|\[THINK\]", re.I)


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


def _compatible(*ranges: tuple[int, int]) -> dict[int, str]:
    """Full-width, circled, bracketed and mathematical letters and digits as plain ones."""
    codes = (code for low, high in ranges for code in range(low, high))
    return {code: plain for code in codes if (plain := unicodedata.normalize("NFKC", chr(code))) != chr(code)}


# For str.translate: one script of letters, one kind of quotes and line ends, nothing invisible.
PLAIN: dict[int, str] = {
    **_compatible((0x2460, 0x2500), (0xFF01, 0xFF5F), (0x1D400, 0x1D800), (0x1F110, 0x1F150)),
    **{0x1F150 + i: chr(65 + i) for i in range(26)},  # white on black, round
    **{0x1F170 + i: chr(65 + i) for i in range(26)},  # white on black, square
    **dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f"), ""),
    **dict.fromkeys(map(ord, "“”„«»「」『』"), '"'),
    **dict.fromkeys(map(ord, "‘’‚´"), "'"),
    **dict.fromkeys(map(ord, "\r\x0b\x0c\x85\u2028\u2029"), "\n"),
    **dict.fromkeys(map(ord, "–—−"), "-"),
    ord("。"): ".",
    ord("、"): ",",
    ord("İ"): "I",  # the only letter that is longer in lower case
}
