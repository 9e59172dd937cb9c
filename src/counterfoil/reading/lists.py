"""Options that a reply goes through one by one: lists and tables, the verdict and the share that each is given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from counterfoil.reading import words
from counterfoil.reading.decisions import EXPLICIT, SAID, WEAK, Decision
from counterfoil.reading.mentions import Mention
from counterfoil.reading.ways import ReadBy

_GAP = re.compile(r"[\s.,;:/()\[\]\"'|-]*(?:(?:or|and|또는|혹은|및|그리고|와|과)[\s(\"']*)?$")
# Before the first thing that an item names: bullets, numbers, bars of a table, "option".
_NOUNS = words.either(words.OPTION)
_HEAD = re.compile(rf"(?:^|\n)[\s|\"'(\[{{-]*(?:\d{{1,2}}[.)] )?(?:the )?(?:(?:{_NOUNS}) )?[\"'(\[]*$")
_COLON = re.compile(r"[\"')\].]*\s*(?:[:|-]|\n|\(|$)")
_SHARE = re.compile(
    r"(?<![\d.])(\d{1,3}(?:\.\d+)?) ?(?:%|percent|퍼센트)|"
    r"(?:(?:probability|confidence|likelihood|확률|p) ?[=:≈]?|\|) ?([01]?\.\d+)(?=\s|\||$|[,;)])"
)
_SHARE_BEHIND = re.compile(
    r"[)\]\"':\s=~≈-]{0,5}\(?(?:about |약 )?%?((?<=%)\d{1,3}(?:\.\d+)?|\d{1,3}(?:\.\d+)?(?= ?%)|0?\.\d+(?![\d%]))"
)
_LONGEST, _NEAR, _BRIEF, _ALL = 1_500, 120, 80, 105


class Item(NamedTuple):
    """An option of a list: its mention, and what is said of it between `start` and `end`."""

    mention: int
    place: int
    start: int
    end: int


def listed(text: str, lower: str, mentions: Sequence[Mention], rejected: Sequence[bool]) -> list[bool]:
    """Which mentions are the options gone through: several labels in a row, or at the heads of several lines.

    The B of "Not B. C." is no label, as it is rejected. Nor is a B behind an empty line below the list A, B, C.
    """
    out = [False] * len(mentions)
    for i in range(1, len(mentions)):
        mention, before = mentions[i], mentions[i - 1]
        both = _is_labelled(text, mention) and _is_labelled(text, before) and not (rejected[i] or rejected[i - 1])
        if both and mention.place != before.place and _GAP.match(lower[before.end : mention.start][:30]):
            out[i - 1] = out[i] = True
    heads = [i for i, mention in enumerate(mentions) if _is_head(text, lower, mention)]
    places = [mentions[i].place for i in heads]
    if len(set(places)) > 1:
        last, before_it = places[-1], places[-2]
        again = last in places[:-1] and (last is None or before_it is None or before_it + 1 != last)
        if again and lower.rfind("\n\n", 0, mentions[heads[-1]].start) >= mentions[heads[-2]].end:
            out[heads.pop()] = False
        for i in heads:
            out[i] = True
    return out


def _is_labelled(text: str, mention: Mention) -> bool:
    """Whether the letter stands like the label of a list: "A:", "(A)", "A."."""
    if not mention.letter:
        return False
    at = mention.start
    return text[at + 1 : at + 2] in (":", ")", ".")


def _is_head(text: str, lower: str, mention: Mention) -> bool:
    """Whether a line begins with it, as the name of an option of which something is said."""
    if mention.paraphrase or _HEAD.search(lower, max(0, mention.start - 24), mention.start) is None:
        return False
    if mention.letter:
        return _is_labelled(text, mention) or _COLON.match(lower, mention.end) is not None or _is_row(lower, mention)
    return _COLON.match(lower, mention.end) is not None and lower[mention.end : mention.end + 1] != ""


def _is_row(lower: str, mention: Mention) -> bool:
    return (
        "|" in lower[max(0, mention.start - 4) : mention.start]
        or lower[mention.end : mention.end + 3].lstrip()[:1] == "|"
    )


def items(lower: str, mentions: Sequence[Mention], is_listed: Sequence[bool]) -> list[Item]:
    """The options that are gone through at the heads of lines, each with what is said of it."""
    heads = [
        (i, mention)
        for i, mention in enumerate(mentions)
        if is_listed[i] and mention.place is not None and _HEAD.search(lower, max(0, mention.start - 24), mention.start)
    ]
    out: list[Item] = []
    for n, (i, mention) in enumerate(heads):
        assert mention.place is not None
        limit = min(len(lower), mention.end + _LONGEST)
        if n + 1 < len(heads):
            end = min(limit, lower.rfind("\n", 0, heads[n + 1][1].start) + 1)
        else:
            # As many lines as the others have.
            end = mention.end
            for _ in range(max((lower.count("\n", item.start, item.end) for item in out), default=1)):
                stop = lower.find("\n", end)
                end = limit if stop < 0 else min(limit, stop + 1)
        out.append(Item(i, mention.place, mention.end, max(end, mention.end)))
    return out


def judged(
    lower: str, mentions: Sequence[Mention], is_listed: Sequence[bool], count: int, languages: tuple[str, ...]
) -> Iterator[Decision[int]]:
    """What a list decides: by its verdicts, by what is left, by the largest share."""
    found = items(lower, mentions, is_listed)
    if len({item.place for item in found}) < 2:
        return
    at = mentions[found[-1].mention]
    good, bad, short = _verdicts(languages)
    yes = _places(lower, found, good)
    no = _places(lower, found, bad) | _places(lower, [item for item in found if item.end - item.start <= _BRIEF], short)
    right, wrong = yes - no, no - yes
    if len(right) == 1:
        yield Decision(EXPLICIT, at.start, at.end, right.pop(), ReadBy.STATED)
    elif not yes and len(wrong) == count - 1:
        [left] = set(range(count)) - wrong
        yield Decision(SAID, at.start, at.end, left, ReadBy.BY_ELIMINATION)
    else:
        right, wrong = _places(lower, found, _FITS), no | _places(lower, found, _MISSES)
        if len(right - wrong) == 1 and len(wrong) == count - 1:
            yield Decision(WEAK, at.start, at.end, (right - wrong).pop(), ReadBy.CONCLUDED)
    largest = _largest_share(lower, found)
    if largest is not None:
        yield Decision(WEAK, at.start, at.end, largest, ReadBy.CONCLUDED)


def _places(lower: str, found: Sequence[Item], verdict: re.Pattern[str]) -> set[int]:
    return {item.place for item in found if verdict.search(lower, item.start, item.end)}


@lru_cache(maxsize=64)
def _verdicts(languages: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """The option is said to be right, or not: at the head of what is said, behind "is", at the end of a row.

    The last expression is for what is said in a few words: "no evidence".
    """
    is_ = r"(?:is|are|es|ist|est|és|sería|wäre|serait)(?: (?:the|therefore|thus|clearly|most|also|la|die|das))*"
    lead = rf"(?:(?<!\w){is_} |[:|>(-]\s*\W{{0,3}}|\n\s*|\. )"
    good = rf"{lead}(?:{words.either(words.GOOD, languages)})(?! (?:in|that|for|only|but|if)\b)|{words.GOOD_MARKS}"
    bad = rf": ?x(?=\s*(?:\n|$))|{lead}(?:{words.either(words.BAD, languages)})|{words.BAD_MARKS}"
    return (
        re.compile(rf"{good}|: ?o(?=\s*(?:\n|$))|{_MATCHES}"),
        re.compile(rf"{bad}|탈락|오답|제외|incorrect|ruled out|eliminat"),
        re.compile(rf"{lead}(?:{words.either(words.REJECTS, languages)})"),
    )


_MATCHES = r"[.!;,] (?:that|this|it|which) (?:matches|fits|checks out|works|agrees)(?= ?[.!]|\s*(?:\n|$))"
# Weaker words, which count only together: one option fits, and all others do not.
_FITS = re.compile(
    r"\b(?:correctly|accurately|best|directly) (?:identifies|reflects|describes|states|captures|represents|addresses|"
    r"fits)\b|"
    r"\baligns? (?:with|well)\b|\b(?:is|are) (?:consistent with|correct|true|accurate|the (?:correct|best|most))\b"
)
_MISSES = re.compile(
    r"\b(?:not (?:accurate|accurately|consistent|correct|true|necessarily|typically|supported|relevant|applicable|"
    r"directly)|"
    r"misleading|incorrect|inaccurate|wrong|false|does not (?:align|address|apply|describe|reflect|match|directly)|"
    r"(?:was|were) not\b|irrelevant|unlikely|less (?:likely|relevant|appropriate))"
)


_CONFIDENCE = re.compile(r"\b(?:confidences?|probabilit(?:y|ies)|likelihoods?|p ?\([a-j]\))|확률|확신")


def gives_shares(lower: str, amounts: bool) -> bool:
    """Whether shares may stand behind the choices; where these are amounts, only if it says what is given."""
    return ("%" in lower and not amounts) or _CONFIDENCE.search(lower) is not None


def share_in_line(lower: str, mentions: Sequence[Mention]) -> Iterator[Decision[int]]:
    """ "A 20%, B 15%, C 65%": the choice with the largest share, where each letter is followed by one."""
    shares: dict[int, float] = {}
    for mention in mentions:
        share = None if mention.paraphrase else _SHARE_BEHIND.match(lower, mention.end)
        if share is not None and mention.place is not None:
            shares.setdefault(mention.place, float(share[1]))
    named = {mention.place for mention in mentions if not mention.paraphrase}
    best = [place for place, share in shares.items() if share == max(shares.values())]
    if len(shares) > 1 and named == set(shares) and len(best) == 1 and sum(shares.values()) <= _ALL:
        yield Decision(EXPLICIT, 0, len(lower), best[0], ReadBy.CONCLUDED)


def _largest_share(lower: str, found: Sequence[Item]) -> int | None:
    """The option with the largest share, where each has one and no two have the same."""
    shares: dict[int, float] = {}
    for item in found:
        share = _SHARE.search(lower, item.start, min(item.end, item.start + _NEAR))
        if share is None or item.place in shares:
            return None
        shares[item.place] = float(share[1]) if share[1] else 100 * float(share[2])
    top = max(shares.values())
    best = [place for place, share in shares.items() if share == top]
    return best[0] if len(best) == 1 and sum(shares.values()) <= _ALL else None
