"""Draws for the lure arm, whose options are the new gold, the old one and a sham: the gold of another draw.

Old gold and sham are exchangeable to whoever looks at what is printed. The sham is printed as round as the old gold.
Draws come in mirrored pairs. Where in one the old gold is above the sham, in the closest pair, the nearest to a number
of the text, or longer, that is so of the sham in the other, with the new gold in the same place.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from random import Random
from typing import NamedTuple

from counterfoil.perturbing.templates import draws, numbers, wording
from counterfoil.perturbing.templates.draws import Draw, Rejected, Worked
from counterfoil.perturbing.templates.likeness import as_round
from counterfoil.perturbing.templates.numbers import USUAL
from counterfoil.perturbing.templates.template import Slot


class _Step(NamedTuple):
    """How many values of each slot are worked out; whether the sham's are any, since they are printed nowhere, or those
    of the new golds; whether old gold and sham must be of the same length and sign.
    """

    values: int
    any_sham: bool
    alike: bool
    # The new gold below, between and above: this is enough of the three.
    places: int


# What takes longer, and what is less strict, is for templates that give nothing else.
_STEPS = (_Step(10, False, True, 3), _Step(40, True, True, 1), _Step(40, True, False, 1))
# So many draws are tried out for each pair; the one with the best mirror is kept.
_TRIED = 4


class Old(NamedTuple):
    """The original's slots and gold, and what no answer comes close to."""

    slots: Mapping[str, Decimal]
    gold: Decimal
    never: Collection[Decimal]


class _Leans(NamedTuple):
    """What speaks for the old gold (1), or for the sham (−1): it is larger, in the closest pair, nearest to a number of
    the text, longer.
    """

    larger: int
    closest: int
    in_text: int
    longer: int

    @property
    def mirrored(self) -> _Leans:
        return _Leans(*(-lean for lean in self))


class Lure(NamedTuple):
    """A draw, and the sham. `nearer`: the log of the sham's distance from the new gold, over the old gold's."""

    draw: Draw
    sham: Decimal
    nearer: float

    @property
    def key(self) -> tuple[Decimal, ...]:
        return (*self.draw.slots.values(), self.sham)


# How many of old gold and sham the new gold is above; and what leans to which of them.
_Cells = dict[tuple[int, _Leans], list[Lure]]


def draw_lures(worked: Worked, old: Old, stream: Random, count: int) -> list[Lure]:
    """`count` draws, each with its mirror behind it; none where no draw has a mirror."""
    cells: _Cells = {}
    places: dict[int, list[_Leans]] = {}
    for step in _STEPS:
        for place, leans, lure in _possible(worked, old, stream, step):
            cells.setdefault((place, leans), []).append(lure)
        for place, leans in cells:
            if (place, leans.mirrored) in cells and leans not in places.get(place, ()):
                places.setdefault(place, []).append(leans)
        if len(places) >= step.places:
            break
    found: list[Lure] = []
    used: set[tuple[Decimal, ...]] = set()
    turns = sorted(places)
    turn = draws.below(stream, len(turns))
    while places and len(found) < count:
        place = turns[turn % len(turns)]
        leans = places[place][draws.below(stream, len(places[place]))]
        pair = _mirrored(_unused(cells[place, leans], used), _unused(cells[place, leans.mirrored], used), stream)
        used |= {lure.key for lure in pair}
        found += pair
        turn += 1
    return found[:count]


def _unused(lures: Sequence[Lure], used: Collection[tuple[Decimal, ...]]) -> Sequence[Lure]:
    return [lure for lure in lures if lure.key not in used] or lures


def _mirrored(lures: Sequence[Lure], mirrors: Sequence[Lure], stream: Random) -> tuple[Lure, Lure]:
    """Of some of the lures the one whose distances are mirrored best, with its mirror."""
    tried = [lures[draws.below(stream, len(lures))] for _ in range(_TRIED)]
    pairs = [(lure, min(mirrors, key=lambda other: abs(lure.nearer + other.nearer))) for lure in tried]
    return min(pairs, key=lambda pair: abs(pair[0].nearer + pair[1].nearer))


def _possible(worked: Worked, old: Old, stream: Random, step: _Step) -> Iterator[tuple[int, _Leans, Lure]]:
    """New golds with shams, where both change the same slot and all three keep apart."""
    template, digits = worked.template, worked.template.digits
    for slot in template.changeable:
        new = list(_answers(worked, old, slot, stream, step.values, as_round=True))
        others = list(_answers(worked, old, slot, stream, step.values, as_round=False)) if step.any_sham else new
        rounded = dict.fromkeys(as_round(draw.answer, old.gold, digits, alike=step.alike) for draw in others)
        shams = [sham for sham in rounded if sham and all(USUAL.holds(sham, other, digits) for other in old.never)]
        for draw in new if shams else ():
            try:
                text = wording.text_of(template, draw)
            except Rejected:
                continue
            shown = [float(number.replace(",", "")) for number in numbers.in_text(text)]
            for sham in shams:
                if USUAL.holds(draw.answer, sham, digits):
                    values = (float(draw.answer), float(old.gold), float(sham))
                    longer = _sign(len(f"{old.gold:f}") - len(f"{sham:f}"))
                    yield _placed(values, shown, longer, draw, sham)


def _placed(
    values: tuple[float, float, float], shown: Sequence[float], longer: int, draw: Draw, sham: Decimal
) -> tuple[int, _Leans, Lure]:
    new, old, other = values
    to_old, to_sham, between = abs(new - old), abs(new - other), abs(old - other)
    closest = (to_old < min(to_sham, between)) - (to_sham < min(to_old, between))
    near = [min(abs(value - number) for number in shown) for value in values] if shown else [0.0, 0.0, 0.0]
    in_text = (near[1] == min(near)) - (near[2] == min(near))
    leans = _Leans(_sign(old - other), closest, in_text, longer)
    return (new > old) + (new > other), leans, Lure(draw, sham, math.log(to_sham / to_old))


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _answers(worked: Worked, old: Old, slot: Slot, stream: Random, most: int, *, as_round: bool) -> Iterator[Draw]:
    """The question with other values of one slot, worked out; answers that come close to the old one are left out."""
    template = worked.template
    made = (draws.changed_slots(template, old.slots, [slot], stream, as_round) for _ in range(most))
    for value in dict.fromkeys(slots[slot.name] for slots in made):
        with suppress(Rejected):
            draw = worked.out({**old.slots, slot.name: value})
            if all(USUAL.holds(draw.answer, other, template.digits) for other in old.never):
                yield draw
