"""The most likely of the three letters, for models that tell the log probabilities of their first token."""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.asking.ask import TokenChoice
from counterfoil.bias.questions import LETTERS


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
