"""Level 3 for a recipe: the same question with its answer given and one of its numbers, X, asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from counterfoil.perturbing.questions import require
from counterfoil.perturbing.templates import numbers

UNKNOWN = "X"
# Beside the mistakes of the question itself: the unknown, so many times.
_TIMES = ("1.25", "0.8", "1.5", "0.6")


def inverse_tables(unknowns: Sequence[str], table: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The inverses of a template, as its table has them. ValueError for what is no slot with a range."""
    return [_inverse(name, table) for name in unknowns]


def _inverse(name: str, table: Mapping[str, Any]) -> dict[str, Any]:
    slot = table["slots"].get(name)
    require(slot is not None and not slot.get("fixed"), f"its unknown {name} is no slot with a range")
    require(UNKNOWN not in re.findall(r"\w+", table["text"]), f"its text has an {UNKNOWN} already")
    told = next((one for one in table["derived"] if _tells(one, name, table["derived"])), None)
    require(told is None, f"its unknown {name} is told by {told}")
    # A letter that is spoken with a vowel in front.
    stem = re.sub(rf"\b([Aa]) (\W?){{{name}}}", rf"\1n \2{UNKNOWN}", table["text"]).replace(f"{{{name}}}", UNKNOWN)
    digits = max(numbers.read(str(slot[end])).decimals for end in ("original", "low", "step") if slot.get(end))
    given = f"{table['prefix']}{{answer}}{table['suffix'].rstrip('. ')}"
    return {
        "unknown": name,
        "text": f"{stem}\nThe right answer to this question is {given}. {UNKNOWN} is closest to:",
        "steps": f"{{answer}} comes out where {UNKNOWN} = {{{name}}}",
        # By whoever gets the question wrong in a way that is printed, and believes that the unknown is in proportion.
        "distractors": [
            *(f"{name} * ({table['answer']}) / ({wrong})" for wrong in table["distractors"]),
            *(f"{name} * {times}" for times in _TIMES),
        ],
        "digits": digits,
    }


def _tells(derived: str, name: str, every: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether a derived value is printed and follows from the unknown."""
    return every[derived]["digits"] is not None and _depends(str(every[derived]["value"]), name, every)


def _depends(expression: str, name: str, every: Mapping[str, Mapping[str, Any]]) -> bool:
    words = set(re.findall(r"[A-Za-z_]\w*", expression))
    return name in words or any(_depends(str(every[word]["value"]), name, every) for word in words & every.keys())
