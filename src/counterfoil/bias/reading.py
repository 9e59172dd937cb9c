"""From a raw reply to the choice it takes, by one of three rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from counterfoil.bias.reading_counterfoil import read_counterfoil
from counterfoil.bias.reading_kobbq import read_kobbq
from counterfoil.bias.reading_strict import read_strict
from counterfoil.errors import UserError

Rule = Callable[[str, tuple[str, ...], tuple[str, ...], int | None], int | None]

RULES: dict[str, Rule] = {"counterfoil": read_counterfoil, "kobbq": read_kobbq, "strict": read_strict}


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
    if rule not in RULES:
        raise UserError(f"{rule!r} is no rule of reading: take one of {', '.join(RULES)}.")
    letters = _letters(tuple(labels))
    if len(choices) != len(letters):
        raise UserError(f"{len(choices)} choices, but the labels {', '.join(labels)}: each choice needs one.")
    return RULES[rule](reply, tuple(choices), letters, unknown)


@lru_cache(maxsize=64)
def _letters(labels: tuple[str, ...]) -> tuple[str, ...]:
    letters = tuple(label.strip(" ().:").upper() for label in labels)
    if any(len(letter) != 1 for letter in letters):
        raise UserError(f"The labels {', '.join(labels)} can't be read in replies: each must be one letter.")
    return letters
