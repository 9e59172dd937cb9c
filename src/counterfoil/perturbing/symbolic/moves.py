"""Which numbers of a published template can change together while all others stay the original's.

Its conditions tie numbers together: a change of one alone may be impossible. Then the fewest that can change do. Its
ranges often hold larger numbers than the original has: of a range, the values of the original's size are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from itertools import combinations
from math import gcd, prod
from random import Random

from counterfoil.perturbing.expressions.language import ExpressionError
from counterfoil.perturbing.symbolic.syntax import Unexpressed
from counterfoil.perturbing.templates import draws
from counterfoil.perturbing.templates.numbers import USUAL
from counterfoil.perturbing.templates.template import Slot, Template

NO_DRAWS = "no other numbers than the original's fit its conditions"
LEVELS = (1, 2)
# Tries for all sets of one size together. A set with so many different draws is looked at no further, and so many must
# there be for a level.
_TRIES, _PLENTY, _ENOUGH = 20_000, 40, 6
# Values are near within this factor, or the nearest few.
_FACTOR, _FEW = 2, 6


def with_moves(template: Template) -> Template:
    """The template with the draws that its conditions allow at each level. Unexpressed where there are none."""
    for slots in ({name: near(slot) for name, slot in template.slots.items()}, template.slots):
        tried = replace(template, slots=slots)
        moves = _moves(tried)
        if moves:
            return replace(tried, moves=moves)
    raise Unexpressed(NO_DRAWS)


def near(slot: Slot) -> Slot:
    """Of a range, the values of the original's size, or those that come nearest to it."""
    if slot.listed or slot.choices <= _FEW or slot.original <= 0 or slot.low <= 0:
        return slot
    within = [
        number
        for number in range(slot.choices)
        if slot.original <= _FACTOR * slot.value(number) and slot.value(number) <= _FACTOR * slot.original
    ]
    if len(within) >= _FEW:
        first, last = within[0], within[-1]
    elif slot.low > slot.original:
        first, last = 0, _FEW - 1
    else:
        middle = min(range(slot.choices), key=lambda number: abs(slot.value(number) - slot.original))
        first = max(0, min(middle - _FEW // 2, slot.choices - _FEW))
        last = first + _FEW - 1
    return slot._replace(low=slot.value(first), choices=last - first + 1)


def _moves(template: Template) -> Mapping[int, tuple[Mapping[str, Decimal], ...]]:
    """By level, the draws: which slots have which other values. At level 2 more of them change than at level 1."""
    stream = draws.seeded(0, template.id, "moves")
    names = [slot.name for slot in template.changeable]
    found: dict[int, tuple[Mapping[str, Decimal], ...]] = {}
    size = 0
    for level in LEVELS:
        for size in range(max(level, size + 1), len(names) + 1):  # noqa: B020
            sets = list(combinations(names, size))
            made = [draw for some in sets for draw in _draws_with(template, some, _TRIES // len(sets), stream)]
            if len(made) >= _ENOUGH:
                found[level] = tuple(made)
                break
    return found


def _draws_with(
    template: Template, names: tuple[str, ...], tries: int, stream: Random
) -> Iterator[Mapping[str, Decimal]]:
    """Different draws in which these slots differ from the original's, and all conditions hold."""
    values = {name: float(value) for name, value in draws.original_slots(template).items()}
    old = template.answer.float(_with_derived(template, dict(values)))
    choices = [
        [value for value in map(slot.value, range(slot.choices)) if value != slot.original]
        for slot in (template.slots[name] for name in names)
    ]
    found = set()
    for drawn in _in_random_order(choices, tries, stream):
        changed = dict(zip(names, drawn, strict=True))
        answer = None if drawn in found else _answer(template, {**values, **_floats(changed)})
        if answer is not None and USUAL.holds(Decimal(answer), Decimal(old), template.digits):
            found.add(drawn)
            yield changed
            if len(found) == _PLENTY:
                break


def _floats(values: Mapping[str, Decimal]) -> dict[str, float]:
    return {name: float(value) for name, value in values.items()}


def _in_random_order(choices: list[list[Decimal]], tries: int, stream: Random) -> Iterator[tuple[Decimal, ...]]:
    """All combinations, each once, where they are few enough; else some of them."""
    count = prod(map(len, choices))
    step = count // 2 + 1
    while count and gcd(step, count) > 1:
        step += 1
    at = draws.below(stream, count) if count else 0
    for _ in range(min(count, tries)):
        place, drawn = at, []
        for values in choices:
            place, number = divmod(place, len(values))
            drawn.append(values[number])
        yield tuple(drawn)
        # Once through all if there is time for it; otherwise anywhere.
        at = (at + step) % count if count <= tries else draws.below(stream, count)


def _with_derived(template: Template, values: dict[str, float]) -> dict[str, float]:
    for derived in template.derived:
        values[derived.name] = derived.value.float(values)
    return values


def _answer(template: Template, values: dict[str, float]) -> float | None:
    """The answer in floating point; None where a condition fails."""
    try:
        _with_derived(template, values)
        values["answer"] = answer = template.answer.float(values)
        holds = all(condition.in_floats(values) for condition in template.conditions)
    except ExpressionError:
        return None
    return answer if holds else None
