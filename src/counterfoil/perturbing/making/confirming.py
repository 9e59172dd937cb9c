"""Whether a template confirms a question that a model wrote: its numbers are read off and the answer is computed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from string import Formatter
from typing import NamedTuple

from counterfoil.errors import UserError
from counterfoil.perturbing.questions import Computed, Status
from counterfoil.perturbing.templates import draws, numbers
from counterfoil.perturbing.templates.draws import Draw, Rejected
from counterfoil.perturbing.templates.template import Inverse, Template, Text
from counterfoil.perturbing.templates.variants import Original, computed

_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"'})
_NUMBER = r"-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_END = " .:?…"


class Confirmation(NamedTuple):
    """What the template says, and why. `draw` is the question worked out, where that was possible."""

    status: Status
    reason: str
    computed: Computed | None = None
    expression: str = ""
    draw: Draw | None = None


def confirm(original: Original, level: int, text: str, answer: numbers.PrintedNumber) -> Confirmation:
    """`verified` if the text is the template's with other numbers and the answer follows from them, `refuted` if it
    does not follow, `unverified` where the template can't tell.
    """
    template = original.template
    names = template.first_names
    if level == 3:
        for inverse in template.inverses:
            found = _read_off(inverse.text, names, text)
            if found is not None:
                return _put_back(template, inverse, found, answer)
        return Confirmation("unverified", "no text of the template asks for another unknown in these words")
    found = _read_off(template.text, names, text)
    if found is None:
        return Confirmation("unverified", "its words are not the template's")
    slots = {name: found.get(name, slot.original) for name, slot in template.slots.items()}
    changed = sum(slots[name] != original.draw.slots[name] for name in slots)
    if changed != level:
        return Confirmation("refuted", f"it has {changed} changed parameters instead of {level}")
    try:
        draw = draws.work_out(template, slots)
    except (Rejected, UserError) as error:
        return Confirmation("unverified", str(error).rstrip("."))
    for derived in template.derived:
        if derived.name in found and derived.digits is not None:
            right = numbers.rounded(numbers.shown(draw.values[derived.name], derived.percent), derived.digits)
            if right != found[derived.name]:
                return Confirmation("refuted", f"it says {found[derived.name]} where {derived.name} is {right}")
    shown = numbers.shown(draw.values["answer"], template.percent)
    digits = min(answer.decimals, template.digits)
    status: Status = (
        "verified" if numbers.rounded(shown, digits) == numbers.rounded(answer.value, digits) else "refuted"
    )
    return Confirmation(status, f"the answer is {draw.answer}", computed(draw), template.answer.source, draw)


def _read_off(text: Text, names: Mapping[str, str], question: str) -> dict[str, Decimal] | None:
    """The number in each marker's place; None if the question has other words than the text."""
    pattern = []
    seen: set[str] = set()
    for words, marker, _, _ in Formatter().parse(text.source.lstrip()):
        pattern.append(re.escape(_folded(words)))
        if marker is None:
            continue
        if marker in names:
            pattern.append(re.escape(_folded(names[marker])))
        else:
            pattern.append(f"(?P={marker})" if marker in seen else f"(?P<{marker}>{_NUMBER})")
            seen.add(marker)
    whole = re.sub(r"(?:\\[ .?:]|[:…])*$", "", "".join(pattern))
    match = re.fullmatch(whole, _folded(question).strip().rstrip(_END))
    if match is None:
        return None
    try:
        return {marker: numbers.read(match[marker]).value for marker in seen}
    except ValueError:
        return None


def _folded(text: str) -> str:
    """The text with single spaces and plain quotes."""
    return re.sub(r"\s+", " ", text.translate(_QUOTES))


def _put_back(
    template: Template, inverse: Inverse, found: Mapping[str, Decimal], answer: numbers.PrintedNumber
) -> Confirmation:
    """Whether the answered unknown gives what the question says, within the rounding of the answer."""
    given = found["answer"]
    half = numbers.unit(answer.decimals) / 2
    sides = []
    for unknown in (answer.value, answer.value - half, answer.value + half):
        slots = {name: found.get(name, slot.original) for name, slot in template.slots.items()}
        try:
            sides.append(draws.work_out(template, slots | {inverse.unknown: unknown}).answer)
        except (Rejected, UserError) as error:
            return Confirmation("unverified", str(error).rstrip("."))
    holds = min(sides) <= given <= max(sides)
    expression = f"{template.answer.source} = {given}, solved for {inverse.unknown}"
    return Confirmation(
        "verified" if holds else "refuted", f"put back, the answer gives {sides[0]} for {given}", expression=expression
    )
