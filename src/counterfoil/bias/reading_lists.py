"""Options that a reply only quotes back, as a list."""

from __future__ import annotations

import re

from counterfoil.bias.reading_mentions import Mention, is_labelled

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
