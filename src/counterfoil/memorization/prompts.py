"""The wordings: each is a text in a file of its own, shipped or the user's, with markers for a question's parts."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from counterfoil.asking.ask import Message
from counterfoil.errors import UserError
from counterfoil.perturbing.questions import Question
from counterfoil.suite.options import nearest
from counterfoil.suite.prompts import load_texts
from counterfoil.suite.suite import Variant

# With three options and a letter to give; without options and a number to give.
VARIANTS = ("mcq", "open")
USUAL = ("mcq",)

_OPTIONS = ("a", "b", "c")
_MARKERS = ("question", *_OPTIONS, "form")
_MARKER = re.compile(r"\{([a-z_]+)\}")
_NUMBER = re.compile(r"[-+\u2013\u2212]?([$€£₤¥]?)\d[\d,.]*(?<=\d)")


class Prompt(msgspec.Struct, frozen=True):
    """A text with markers; `open`: it shows no options, and what it asks for is a number."""

    text: str
    open: bool


def load_variants(names: Sequence[str]) -> list[Variant]:
    """The variants of these names, or in these files; `mcq` where none is named.

    A file is a text with `{question}` in it, and with all of `{a}`, `{b}` and `{c}`, or, to ask for a number, with
    none of them. `{form}` stands for how the number is to be written.
    """
    return load_texts(names or USUAL, __package__, VARIANTS, _parse)


def messages(question: Question, variant: Variant) -> list[Message]:
    """The whole prompt, as one message."""
    first, second, third = question.options
    parts = {"question": question.text, "a": first, "b": second, "c": third, "form": form_of(question)}
    # In one go: markers within the question's own text stay what they are.
    return [Message("user", _MARKER.sub(lambda marker: parts.get(marker[1], marker[0]), variant.prompt.text))]


def form_of(question: Question) -> str:
    """How the answer is to be written: its unit, and its digits behind the point, but nothing of its size or sign."""
    digits = question.digits
    blank = "#." + "#" * digits if digits else "#"
    places = f"{digits} digit{'s' if digits != 1 else ''} behind the decimal point" if digits else "no decimals"
    form = _NUMBER.sub(lambda number: number[1] + blank, question.value, count=1)
    return f"in the form {form}, with {places}"


def _parse(text: str, name: str) -> Prompt:
    markers = set(_MARKER.findall(text))
    for unknown in sorted(markers.difference(_MARKERS)):
        raise UserError(f"{name} has the marker {{{unknown}}}{nearest(unknown, _MARKERS)}: there is no such part.")
    if "question" not in markers:
        raise UserError(f"{name} never says where the question goes: write {{question}} there.")
    missing = [option for option in _OPTIONS if option not in markers]
    if missing and len(missing) < len(_OPTIONS):
        raise UserError(
            f"{name} shows some options, but not {{{missing[0]}}}: put all of {{a}}, {{b}} and {{c}} in, or none of "
            "them to ask for a number."
        )
    return Prompt(text, bool(missing))
