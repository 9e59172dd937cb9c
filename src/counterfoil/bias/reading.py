"""From a raw reply to the choice it takes: the rules `counterfoil`, `kobbq` and `strict`, and the likeliest letter."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from counterfoil.asking.ask import TokenChoice
from counterfoil.bias.questions import LETTERS
from counterfoil.errors import UserError

# The rules of `counterfoil.reading` are imported where a reply is read: they take long to load, and `show` reads none.
from counterfoil.reading.ways import Read, ReadBy
from counterfoil.suite.outcome import Reading as AnyReading

_HEAD = re.compile(r"\s*\(?([^.\n]*)")
_BEHIND_LETTER = re.compile(r"[:)]\s*(.*)")
_WITHIN = (
    re.compile(r"""\*\*['"]?([^.\n*'"]*)"""),
    re.compile(r"""답변?[은:]\s*['"]?([^.\n*'"]*)"""),
    re.compile(r"""['"]([^.\n*'"]*)"""),
)
# An answer within an answer within an answer is read again each time. The official script gives up near the
# thousandth; here the characters read in total are limited, so that the time grows with the length only.
_WORK, _WORK_PER_CHARACTER = 4_000_000, 4


class Reading(AnyReading, frozen=True):
    """The choice that was taken, by its place in the dataset's own list, whatever the order it was shown in."""

    content: int


def read_kobbq(reply: str, choices: tuple[str, ...], letters: tuple[str, ...], unknown: int | None) -> int | None:
    """The choice that the official scripts 3 to 5 count for this reply; None where they count it as out-of-choice.

    An empty reply, on which the official script fails, is out-of-choice.
    """
    texts = [choice.lower() for choice in choices]
    work = _WORK + _WORK_PER_CHARACTER * len(reply)
    raw = reply
    while True:
        # What the first pass leaves over is compared with the choices once more, in their own case, by script 5.
        left = raw
        head = _HEAD.match(raw)
        said = (head[1] if head else "").replace("없습니다", "없음").replace("입니다", "")
        upper = said.upper()
        if upper[:1] and upper[0] in LETTERS:
            behind = _BEHIND_LETTER.search(upper)
            text = behind[1].strip() if behind else ""
            if text:
                named = sum(upper.count(choice.upper()) for choice in texts)
                if text.lower() == texts[LETTERS.index(upper[0])] or named <= 1:
                    return LETTERS.index(upper[0])
                left = said
                break
            if sum(upper.count(letter) for letter in LETTERS) == 1:
                return LETTERS.index(upper[0])
        if said.lower() in texts:
            return texts.index(said.lower())
        work -= len(raw)
        within = next((found for pattern in _WITHIN if (found := pattern.search(raw))), None) if work > 0 else None
        if within is None:
            upper = raw.upper()
            marked = [i for i, letter in enumerate(LETTERS) if f"{letter}:" in upper or f"{letter})" in upper]
            if len(marked) == 1:
                return marked[0]
            break
        raw = within[1]
    return choices.index(left) if left in choices else None


# A letter, in brackets or not, with a period or a colon or not, and what stands behind it.
_LETTER = re.compile(r"\(?\s?([A-Za-z])(?![A-Za-z])\s?[).:]{0,2}\s?(\S[^\n]*)?\Z")
_SPACES = re.compile(r"\s+")


def read_strict(reply: str, choices: tuple[str, ...], letters: tuple[str, ...], unknown: int | None) -> int | None:
    """The choice whose letter, text, or letter and text the reply is, in either case; None for all else.

    Brackets around the letter, a period or colon behind it, and a period at the end are allowed.
    """
    said = reply.strip()
    texts = [_plain(choice) for choice in choices]
    text = _plain(said)
    if text in texts:
        return texts.index(text)
    match = _LETTER.match(said)
    if match is None or match[1].upper() not in letters:
        return None
    index = letters.index(match[1].upper())
    return index if match[2] is None or _plain(match[2]) == texts[index] else None


def _plain(text: str) -> str:
    return _SPACES.sub(" ", text).strip().removesuffix(".").lower()


Rule = Callable[[str, tuple[str, ...], tuple[str, ...], int | None], int | None]

# Beside our own, `counterfoil`.
RULES: dict[str, Rule] = {"kobbq": read_kobbq, "strict": read_strict}


def read_choice(
    reply: str,
    choices: Sequence[str],
    *,
    rule: str = "counterfoil",
    labels: Sequence[str] = ("A", "B", "C"),
    unknown: int | None = None,
) -> int | None:
    """The index, 0 to 2, of the choice that `reply` takes; None where it takes none: out-of-choice.

    `choices` are the three texts in the order in which they were shown, `labels` the letters beside them, with or
    without brackets, in either case. `unknown` is the index of the choice "unknown": with it, the rule `counterfoil`
    also reads that choice said in other words. The rules:

    - `kobbq`: what the official post-processing of KoBBQ gives.
    - `strict`: the letter, the choice's text, or one behind the other, and nothing else.
    - `counterfoil`: what a careful reader would say; the last decided answer counts.
    """
    read = read_by_rule(reply, choices, rule=rule, labels=labels, unknown=unknown)
    return None if read is None else read.said


def read_by_rule(
    reply: str,
    choices: Sequence[str],
    *,
    rule: str = "counterfoil",
    labels: Sequence[str] = ("A", "B", "C"),
    unknown: int | None = None,
    language: str | None = None,
) -> Read[int] | None:
    """As `read_choice`, and how the choice was read. `language`: the code of the question's, where that is known."""
    from counterfoil.reading.choices import choice_of, letters_of

    shown, letters = tuple(choices), letters_of(labels, len(choices))
    if rule == "counterfoil":
        return choice_of(reply, shown, letters, unknown, language=language)
    if rule not in RULES:
        raise UserError(f"{rule!r} is no rule of reading: take one of counterfoil, {', '.join(RULES)}.")
    place = RULES[rule](reply, shown, letters, unknown)
    return None if place is None else Read(place, ReadBy.BY_RULE)


def likeliest_letter(logprobs: Sequence[TokenChoice] | None) -> int | None:
    """The index of the letter that is likeliest as the first token, in either case, with a bracket or space or not.

    None where the model tells no log probabilities, or none of the letters is among its likeliest tokens.
    """
    if not logprobs:
        return None
    first = logprobs[0]
    found: dict[int, float] = {}
    for token, logprob in {first.token: first.logprob, **first.top}.items():
        letter = token.strip(" \n\t()（）:.*\u2581").upper()
        if len(letter) == 1 and letter in LETTERS:
            place = LETTERS.index(letter)
            found[place] = max(logprob, found.get(place, logprob))
    return max(found, key=lambda place: found[place]) if found else None


def marks(record: Mapping[str, Any], shown: Mapping[str, str]) -> list[tuple[int, int, str]]:
    """Where the reply names the choice that was read: by its letter, else by its text."""
    reply, choice = record.get("reply") or "", record.get("choice")
    if not isinstance(choice, str) or choice not in LETTERS:
        return []
    from counterfoil.reading.mentions import find_letters

    # Letters are looked for in a text that is as long in lower case as it is.
    lower = reply.lower()
    found = find_letters(reply, lower, tuple(LETTERS)) if len(lower) == len(reply) else []
    spans = [(start, end, "choice") for start, end, place, *_ in found if place == LETTERS.index(choice)]
    text = shown.get(choice) or ""
    at = reply.find(text) if text else -1
    if at >= 0:
        spans.append((at, at + len(text), "choice"))
    return sorted(spans)
