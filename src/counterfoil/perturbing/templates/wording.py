"""The words of a question: its text, steps and options, from a draw that was worked out."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from counterfoil.perturbing.questions import Change
from counterfoil.perturbing.templates import draws, numbers
from counterfoil.perturbing.templates.draws import Draw
from counterfoil.perturbing.templates.template import Inverse, Template

Three = tuple[Decimal, Decimal, Decimal]
Order = tuple[int, int, int]

# Which content stands at A, B and C; the first content, the gold, goes through the letters in turn.
ORDERS: tuple[Order, ...] = ((0, 1, 2), (1, 0, 2), (1, 2, 0), (0, 2, 1), (2, 0, 1), (2, 1, 0))


def orders_of(template: str, seed: int, arm: object) -> tuple[Order, ...]:
    """The orders of the options in the draws of an arm: all of them in rotation, beginning with a random one."""
    start = draws.below(draws.seeded(seed, template, arm, "letters"), len(ORDERS))
    return ORDERS[start:] + ORDERS[:start]


def arranged(contents: Three, order: Order) -> Three:
    return contents[order[0]], contents[order[1]], contents[order[2]]


def first_names(template: Template) -> dict[str, str]:
    """The names that the original has."""
    return {name: words[0] for name, words in template.names.items()}


def printed(template: Template, draw: Draw, names: Mapping[str, str]) -> dict[str, str]:
    """Every marker with what is printed in its place."""
    found = dict(names)
    for name, slot in template.slots.items():
        found[name] = slot.printed(draw.slots[name])
    for derived in template.derived:
        if derived.digits is not None:
            shown = numbers.shown(draw.values[derived.name], derived.percent)
            found[derived.name] = numbers.printed(shown, derived.digits, plain=derived.plain)
    found["answer"] = numbers.printed(draw.answer, template.digits)
    return found


def options(template: Template, contents: Three, names: Mapping[str, str]) -> tuple[str, str, str]:
    """Answers with their unit."""
    return _options(contents, template.digits, False, template.prefix.render(names), template.suffix.render(names))


def inverse_options(
    template: Template, inverse: Inverse, contents: Three, names: Mapping[str, str]
) -> tuple[str, str, str]:
    """Values of the unknown with their unit."""
    plain = template.slots[inverse.unknown].plain
    return _options(contents, inverse.digits, plain, inverse.prefix.render(names), inverse.suffix.render(names))


def _options(contents: Three, digits: int, plain: bool, prefix: str, suffix: str) -> tuple[str, str, str]:
    one, two, three = (
        numbers.with_unit(numbers.printed(number, digits, plain=plain), prefix, suffix) for number in contents
    )
    return one, two, three


def changes(template: Template, before: Draw, after: Draw) -> tuple[Change, ...]:
    """The slots that differ."""
    return tuple(
        Change(name=name, before=slot.printed(before.slots[name]), after=slot.printed(after.slots[name]))
        for name, slot in template.slots.items()
        if before.slots[name] != after.slots[name]
    )


def value_of(option: str) -> str:
    """An option without the full stop at its end."""
    return option.strip().removesuffix(".")
