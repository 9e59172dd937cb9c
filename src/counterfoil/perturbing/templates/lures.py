"""Draws for the lure arm, whose options are the new gold, the old one and a sham: the gold of another draw.

Old gold and sham are exchangeable to whoever looks at what is printed. The sham is printed as round as the old gold.
Draws come in mirrored pairs. Where in one the old gold is above the sham, in the closest pair, the nearest to a number
of the text, or longer, that is so of the sham in the other, with the new gold in the same place. And what a solver with
an error takes too often in one of them, it takes too seldom in the other.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from random import Random
from typing import NamedTuple

from counterfoil.perturbing.questions import LETTERS
from counterfoil.perturbing.templates import draws, wording
from counterfoil.perturbing.templates.draws import Draw, Rejected, Worked
from counterfoil.perturbing.templates.likeness import as_round, told_by_text
from counterfoil.perturbing.templates.numbers import USUAL
from counterfoil.perturbing.templates.template import Slot, Template


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
_STEPS = (_Step(6, False, True, 3), _Step(12, False, True, 2), _Step(40, True, True, 1), _Step(40, True, False, 1))
# So many pairs of a new gold and a sham are looked at, of each slot in each step, and a slot is enough with so many.
_LOOKED_AT, _ENOUGH = 40, 60
# So many draws are tried out for each pair; the one with the best mirror is kept, if both together pull no more.
_TRIED = 6
_MOST_PULL = 0.25
# The errors of the solvers that a pair is held against, as shares of the new gold.
_ERRORS = (0.02, 0.05, 0.1)


class Old(NamedTuple):
    """The original's slots and gold, and what no answer comes close to."""

    slots: Mapping[str, Decimal]
    gold: Decimal
    never: Collection[Decimal]


class _Leans(NamedTuple):
    """What speaks for the old gold (above 0), or for the sham (below): it is larger, in the closest pair, nearest to a
    number of the text, longer.
    """

    larger: int
    closest: int
    in_text: int
    longer: int

    @property
    def mirrored(self) -> _Leans:
        return _Leans(*(-lean for lean in self))


class Lure(NamedTuple):
    """A draw, and the sham. `pulls`: how much more often solvers with an error are off by the old gold than by the
    sham, for each of the errors.
    """

    draw: Draw
    sham: Decimal
    pulls: tuple[float, ...]

    @property
    def key(self) -> tuple[Decimal, ...]:
        return (*self.draw.slots.values(), self.sham)


# How many of old gold and sham the new gold is above; and what leans to which of them.
_Cells = dict[tuple[int, _Leans], list[Lure]]


def draw_lures(worked: Worked, old: Old, stream: Random, count: int) -> list[Lure]:
    """Draws, each with its mirror behind it: `count` of them, or one more, so that none is without its mirror. None
    where no draw has a mirror.
    """
    cells: _Cells = {}
    turns: list[int] = []
    for step in _STEPS:
        for place, leans, lure in _possible(worked, old, stream, step, cells):
            cells.setdefault((place, leans), []).append(lure)
        turns = sorted({place for place, leans in cells if (place, leans.mirrored) in cells})
        if len(turns) >= step.places:
            break
    found: list[Lure] = []
    used: set[tuple[Decimal, ...]] = set()
    start = draws.below(stream, len(turns))
    for turn in range(2 * _TRIED * count):
        if not turns or len(found) >= count:
            break
        pair = _mirrored(cells, turns[(start + turn) % len(turns)], used, stream)
        if pair is not None:
            used |= {lure.key for lure in pair}
            found += pair
    return found if len(found) >= count else []


def _mirrored(
    cells: _Cells, place: int, used: Collection[tuple[Decimal, ...]], stream: Random
) -> tuple[Lure, Lure] | None:
    """Of some of the lures with the new gold in this place the one that is mirrored best, with its mirror; new ones,
    where there are such.
    """
    with_mirror = [leans for other, leans in cells if other == place and (place, leans.mirrored) in cells]
    leans = with_mirror[draws.below(stream, len(with_mirror))]
    lures = _unused(cells[place, leans], used)
    mirrors = _unused(cells[place, leans.mirrored], used)
    tried = [lures[draws.below(stream, len(lures))] for _ in range(_TRIED)]
    pairs = [(lure, min(mirrors, key=lambda other: _pull(lure, other))) for lure in tried]
    best = min(pairs, key=lambda pair: _pull(*pair))
    return best if _pull(*best) <= _MOST_PULL else None


def _pull(lure: Lure, mirror: Lure) -> float:
    """How far solvers would go astray by one of the two wrong options more than by the other, in both draws."""
    return max(abs(one + other) for one, other in zip(lure.pulls, mirror.pulls, strict=True))


def _unused(lures: Sequence[Lure], used: Collection[tuple[Decimal, ...]]) -> Sequence[Lure]:
    return [lure for lure in lures if lure.key not in used] or lures


def _possible(
    worked: Worked, old: Old, stream: Random, step: _Step, cells: _Cells
) -> Iterator[tuple[int, _Leans, Lure]]:
    """New golds with shams, where both change the same slot and all three keep apart. Slots come in random order, until
    there is enough.
    """
    template, digits = worked.template, worked.template.digits
    for slot in draws.some(template.changeable, len(template.changeable), stream):
        new = list(_answers(worked, old, slot, stream, step.values, as_round=True))
        others = list(_answers(worked, old, slot, stream, step.values, as_round=False)) if step.any_sham else new
        rounded = dict.fromkeys(as_round(draw.answer, old.gold, digits, alike=step.alike) for draw in others)
        shams = [sham for sham in rounded if sham and all(USUAL.holds(sham, other, digits) for other in old.never)]
        shown: dict[int, list[float]] = {}
        for place in _some_of(len(new) * len(shams), stream):
            draw, sham = new[place // len(shams)], shams[place % len(shams)]
            if not USUAL.holds(draw.answer, sham, digits):
                continue
            if id(draw) not in shown:
                shown[id(draw)] = _numbers_of(template, draw)
            if text := shown[id(draw)]:
                longer = _sign(len(f"{old.gold:f}") - len(f"{sham:f}"))
                yield _placed((float(draw.answer), float(old.gold), float(sham)), text, longer, draw, sham)
        mirrored = {place for place, leans in cells if (place, leans.mirrored) in cells}
        if sum(map(len, cells.values())) >= _ENOUGH and len(mirrored) == len(LETTERS):
            return


def _some_of(count: int, stream: Random) -> Sequence[int]:
    """All numbers below the count; where these are many, as many random ones as are looked at."""
    if count <= _LOOKED_AT:
        return range(count)
    return list(dict.fromkeys(draws.below(stream, count) for _ in range(_LOOKED_AT)))


def _numbers_of(template: Template, draw: Draw) -> list[float]:
    """The numbers that are printed in the text of a draw; none where it can't be printed."""
    with suppress(Rejected):
        return wording.numbers_of(wording.text_of(template, draw))
    return []


def _placed(
    values: tuple[float, float, float], shown: Sequence[float], longer: int, draw: Draw, sham: Decimal
) -> tuple[int, _Leans, Lure]:
    new, old, other = values
    to_old, to_sham, between = abs(new - old), abs(new - other), abs(old - other)
    closest = (to_old < min(to_sham, between)) - (to_sham < min(to_old, between))
    _, to_old_in_text, to_sham_in_text = told_by_text(values, shown)
    leans = _Leans(_sign(old - other), closest, to_old_in_text - to_sham_in_text, longer)
    return (new > old) + (new > other), leans, Lure(draw, sham, _pulls(new, old, other))


def _pulls(new: float, old: float, sham: float) -> tuple[float, ...]:
    """For each error the chance that a normal result is nearest to the old gold, less that for the sham."""
    to_old, to_sham = abs(old - new), abs(sham - new)
    beside = (old > new) == (sham > new)
    pulls = []
    for error in _ERRORS:
        scale = abs(new) * error * math.sqrt(8)
        near, far = (0.5 * math.erfc(away / scale) for away in sorted((to_old, to_sham)))
        if beside:
            far = 0.5 * math.erfc((to_old + to_sham) / scale)
            near -= far
        pulls.append((near - far) * (1 if to_old < to_sham else -1))
    return tuple(pulls)


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
