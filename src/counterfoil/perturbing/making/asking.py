"""Asking a model for something that is checked: what does not hold is sent back once with the reason, then rejected.

Every reply is in the ledger: the same questions asked again ask nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from counterfoil.asking.ask import Reply
from counterfoil.datasets.judged import Judging
from counterfoil.judging.step import Step, ask_again
from counterfoil.judging.text import Unreadable, embedded_json, whole_json, without_fences
from counterfoil.perturbing.questions import LETTERS

TIMES_ASKED = 2
UNREADABLE = "no JSON object that can be read"
FAILED = "the ask failed"

T = TypeVar("T")


class Unfit(Unreadable):
    """What a model wrote can't be used. `kind` is counted; the detail is for the model and for who looks closely.

    What is `final` is not asked for again.
    """

    def __init__(self, kind: str, detail: str, *, final: bool = False) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.is_final = final


def question_shown(text: str, options: Sequence[str], gold: str) -> str:
    """A question as it is put before the model."""
    lettered = "\n".join(f"{letter}: {option}" for letter, option in zip(LETTERS, options, strict=True))
    return f"Question: {text}\nOptions:\n{lettered}\nRight option: {gold}"


def json_object(text: str, fields: Sequence[str]) -> dict[str, Any]:
    """The one JSON object in a reply that has one of these fields, also in a code block or among words."""
    for values in (whole_json(text), embedded_json(without_fences(text))):
        found = [value for value in values if isinstance(value, dict) and any(field in value for field in fields)]
        if any(value != found[0] for value in found):
            raise Unfit(UNREADABLE, "there is more than one JSON object, and they differ")
        if found:
            return found[0]
    wanted = " or ".join(f'"{field}"' for field in fields)
    raise Unfit(UNREADABLE, f"there is no JSON object with {wanted} in it")


async def ask_twice(judging: Judging, prompt: str, content: str, read: Callable[[str], T]) -> T | Unfit:
    """What `read` makes of the reply, or why it was rejected. NotAsked if the model can't be asked any more."""
    (name,) = judging.judges
    result = await ask_again(judging, name, Step("", prompt, read), content, TIMES_ASKED)
    if isinstance(result, Reply):
        kind = FAILED if result.status == "failed" else f"the reply was {result.status}"
        return Unfit(kind, result.error or kind)
    assert isinstance(result, Unfit) or not isinstance(result, Unreadable), "what `read` raises is Unfit"
    return result
