"""From a template to questions: the original, the levels, the controls, the lure arm.

Everything follows from the template and the seed; the draws of one template do not depend on the others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from itertools import combinations
from random import Random
from typing import Literal

import msgspec

from counterfoil.perturbing.questions import LETTERS, Change, Computed, Control, Question
from counterfoil.perturbing.templates import draws, numbers, wording
from counterfoil.perturbing.templates.draws import Draw, Rejected, solve
from counterfoil.perturbing.templates.originals import Original, attempt, computed, make_original, options_of
from counterfoil.perturbing.templates.template import Template
from counterfoil.perturbing.templates.wording import ORDERS, Order

LEVELS = (1, 2, 3)
CONTROLS: tuple[Control, ...] = ("again", "reshuffled", "renamed")


def make_variants(
    template: Template,
    seed: int,
    levels: Collection[int] = (1,),
    controls: Collection[Control] = (),
    lure: bool = False,
    count: int = 5,
) -> list[Question]:
    """The original, then `count` draws of each level, each control and the lure arm that the template can have."""
    original = make_original(template, seed)
    questions = [original.question]
    for level in sorted(levels):
        if has_level(template, level):
            make = _another_unknown if level == 3 else partial(_changed_slots, count=level)
            questions += _drawn(template, seed, original, level, count, make)
    for control in CONTROLS:
        if control in controls and has_control(template, control):
            questions += [_controlled(template, seed, original, control, number) for number in range(count)]
    if lure:
        questions += _drawn(template, seed, original, "lure", count, _lure)
    return questions


def has_level(template: Template, level: int) -> bool:
    """Level 2 needs two slots that can be changed, level 3 a text that asks for another unknown."""
    return bool(template.inverses) if level == 3 else len(template.changeable) >= level


def has_control(template: Template, control: Control) -> bool:
    """Without names there is nothing to rename."""
    return control != "renamed" or bool(template.names)


def _drawn(
    template: Template,
    seed: int,
    original: Original,
    arm: int | Literal["lure"],
    count: int,
    make: Callable[[Template, Original, Random, Order], tuple[object, Question]],
) -> list[Question]:
    """`count` accepted draws of an arm. `make` gives each with a key: two with the same key are the same draw."""
    stream, orders = draws.seeded(seed, template.id, arm), wording.orders_of(template.id, seed, arm)
    found: dict[object, Question] = {}

    def attempt_another() -> None:
        number = len(found)
        key, question = make(template, original, stream, orders[number % len(orders)])
        if key in found:
            raise Rejected("it was drawn before")
        level = 0 if arm == "lure" else arm
        found[key] = msgspec.structs.replace(question, id=f"{template.id}/{arm}/{number}", level=level, draw=number)

    for number in range(count):
        what = "the lure arm" if arm == "lure" else f"level {arm}"
        draws.accepted(attempt_another, template, f"draw {number + 1} of {what}")
    return list(found.values())


def _changed_slots(
    template: Template, original: Original, stream: Random, order: Order, count: int
) -> tuple[object, Question]:
    """One slot changed, or two."""
    slots = draws.changed_slots(original.draw.slots, draws.some(template.changeable, count, stream), stream)
    draw, wrong = attempt(template, slots, {original.gold, original.draw.answer})
    return tuple(slots.values()), _changed(template, original, draw, (draw.answer, *wrong), order)


def _lure(template: Template, original: Original, stream: Random, order: Order) -> tuple[object, Question]:
    """One slot changed; the options are the new gold, the old one, and the sham: the gold of another draw.

    The sham's draw changes the same slot: from the new question, the way to the old gold and to the sham is the same,
    so that without memory neither is the likelier mistake.
    """
    never = {original.gold, original.draw.answer}
    which = draws.some(template.changeable, 1, stream)
    slots = draws.changed_slots(original.draw.slots, which, stream)
    draw, _ = attempt(template, slots, never)
    other, _ = attempt(template, draws.changed_slots(original.draw.slots, which, stream), never)
    contents = (draw.answer, original.gold, other.answer)
    if not all(draws.apart(one, two, template.digits) for one, two in combinations(contents, 2)):
        raise Rejected("the new gold, the old one and the sham come too close")
    question = _changed(template, original, draw, contents, order)
    old, sham = LETTERS[order.index(1)], LETTERS[order.index(2)]
    return tuple(slots.values()), msgspec.structs.replace(question, control="lure", old=old, sham=sham)


def _changed(template: Template, original: Original, draw: Draw, contents: wording.Three, order: Order) -> Question:
    """The original with other numbers; the first of the contents is the gold."""
    names = wording.first_names(template)
    markers = wording.printed(template, draw, names)
    options = wording.options(template, wording.arranged(contents, order), names)
    gold = order.index(0)
    return msgspec.structs.replace(
        original.question,
        parent=original.question.id,
        text=template.text.render(markers),
        options=options,
        gold=LETTERS[gold],
        value=wording.value_of(options[gold]),
        old=None,
        changes=wording.changes(template, original.draw, draw),
        steps=template.steps.render(markers),
        computed=computed(draw),
    )


def _another_unknown(template: Template, original: Original, stream: Random, order: Order) -> tuple[object, Question]:
    """All slots drawn anew, and another unknown asked for."""
    which = draws.below(stream, len(template.inverses))
    inverse, slots = template.inverses[which], draws.fresh_slots(template, stream)
    draw = draws.work_out(template, slots)
    unknown = template.slots[inverse.unknown]
    drawn = draw.slots[unknown.name]
    wrong = draws.wrong_options(inverse.distractors, draw.values, drawn, inverse.digits, unknown.percent)
    solved = solve(template, inverse, draw)
    names = wording.first_names(template)
    markers = wording.printed(template, draw, names)
    options = wording.inverse_options(template, inverse, wording.arranged((drawn, *wrong), order), names)
    if original.question.value in map(wording.value_of, options):
        raise Rejected("the old gold is among the options")
    gold = order.index(0)
    given = numbers.printed(draw.answer, template.digits, plain=True) + ("%" if template.percent else "")
    equation = f"{template.answer.source} = {given}"
    question = msgspec.structs.replace(
        original.question,
        parent=original.question.id,
        text=inverse.text.render(markers),
        options=options,
        gold=LETTERS[gold],
        value=wording.value_of(options[gold]),
        digits=inverse.digits,
        percent=unknown.percent,
        old=None,
        changes=(
            Change(name="asked for", before="answer", after=unknown.name),
            *wording.changes(template, original.draw, draw),
        ),
        steps=f"{equation}, solved for {unknown.name}" if inverse.steps is None else inverse.steps.render(markers),
        expression=f"{equation}, solved for {unknown.name}",
        computed=Computed(decimal=str(draw.values[unknown.name]), float=f"{solved:.12g}", check=f"{draw.check:.20g}"),
    )
    return (which, *slots.values()), question


def _controlled(template: Template, seed: int, original: Original, control: Control, number: int) -> Question:
    """The original asked again, with its options in another order, or under other names; its numbers stay."""
    base = original.question
    question = msgspec.structs.replace(
        base, id=f"{template.id}/{control}/{number}", parent=base.id, draw=number, control=control
    )
    if control == "reshuffled":
        return _reshuffled(question, draws.below(draws.seeded(seed, template.id, control), 5) + number)
    if control == "renamed":
        return _renamed(template, seed, original, question, number)
    return question


def _reshuffled(question: Question, turn: int) -> Question:
    """The options in one of the five other orders."""
    others = [order for order in ORDERS if order != (0, 1, 2)]
    order = others[turn % len(others)]
    one, two, three = (question.options[content] for content in order)
    gold = LETTERS[order.index(LETTERS.index(question.gold))]
    return msgspec.structs.replace(question, options=(one, two, three), gold=gold, old=gold)


def _renamed(template: Template, seed: int, original: Original, question: Question, number: int) -> Question:
    """Each name by one of its other words, in rotation."""
    names = {}
    for name, words in template.names.items():
        start = draws.below(draws.seeded(seed, template.id, "renamed", name), len(words) - 1)
        names[name] = words[1 + (start + number) % (len(words) - 1)]
    markers = wording.printed(template, original.draw, names)
    options = options_of(template, original.contents, names)
    return msgspec.structs.replace(
        question,
        text=template.text.render(markers),
        options=options,
        value=wording.value_of(options[LETTERS.index(question.gold)]),
        steps=template.steps.render(markers),
        changes=tuple(Change(name=name, before=words[0], after=names[name]) for name, words in template.names.items()),
    )
