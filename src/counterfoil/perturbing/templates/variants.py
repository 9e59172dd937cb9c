"""From a template to questions: the original, the levels, the controls, the lure arm.

Everything follows from the template and the seed; the draws of one template do not depend on the others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from decimal import Decimal

import msgspec

from counterfoil.perturbing.questions import LETTERS, Change, Computed, Control, Question
from counterfoil.perturbing.templates import draws, numbers, wording
from counterfoil.perturbing.templates.draws import Rejected, Worked, solve
from counterfoil.perturbing.templates.originals import Original, attempt, computed, make_original, options_of
from counterfoil.perturbing.templates.template import Inverse, Template
from counterfoil.perturbing.templates.wording import ORDERS, Order

LEVELS = (1, 2, 3)
CONTROLS: tuple[Control, ...] = ("again", "reshuffled", "renamed")

# A draw's key, by which it is told from the others, and its question.
_Draw = tuple[object, Question]


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
            make = _level_3 if level == 3 else _level
            questions += make(template, seed, original, level, count)
    for control in CONTROLS:
        if control in controls and has_control(template, control):
            questions += [_controlled(template, seed, original, control, number) for number in range(count)]
    if lure:
        questions += _lure(template, seed, original, count)
    return questions


def has_level(template: Template, level: int) -> bool:
    """Level 2 needs two slots that can be changed, level 3 a text that asks for another unknown."""
    return bool(template.inverses) if level == 3 else len(template.changeable) >= level


def has_control(template: Template, control: Control) -> bool:
    """Without names there is nothing to rename."""
    return control != "renamed" or bool(template.names)


def _distinct(template: Template, what: str, count: int, attempt_number: Callable[[int], _Draw]) -> list[Question]:
    """So many draws that are accepted, and all different."""
    found: dict[object, Question] = {}

    def attempt_another() -> None:
        key, question = attempt_number(len(found))
        if key in found:
            raise Rejected("it was drawn before")
        found[key] = question

    for number in range(count):
        draws.accepted(attempt_another, template, f"draw {number + 1} of {what}")
    return list(found.values())


def _level(template: Template, seed: int, original: Original, level: int, count: int) -> list[Question]:
    """One slot changed, or two."""
    stream = draws.seeded(seed, template.id, level)
    never = {original.gold, original.worked.answer}

    def attempt_number(number: int) -> _Draw:
        which = draws.some(template.changeable, level, stream)
        slots = draws.changed_slots(original.worked.slots, which, stream)
        worked, wrong = attempt(template, slots, never)
        order = wording.order_of(template, seed, level, number)
        question = _changed(template, original, worked, (worked.answer, *wrong), order)
        question = msgspec.structs.replace(question, id=f"{template.id}/{level}/{number}", level=level, draw=number)
        return tuple(slots.values()), question

    return _distinct(template, f"level {level}", count, attempt_number)


def _lure(template: Template, seed: int, original: Original, count: int) -> list[Question]:
    """One slot changed; the options are the new gold, the old one, and the sham: the gold of another draw.

    The sham's draw changes the same slot: from the new question, the way to the old gold and to the sham is the same,
    so that without memory neither is the likelier mistake.
    """
    stream = draws.seeded(seed, template.id, "lure")
    never = {original.gold, original.worked.answer}

    def attempt_number(number: int) -> _Draw:
        which = draws.some(template.changeable, 1, stream)
        slots = draws.changed_slots(original.worked.slots, which, stream)
        worked, _ = attempt(template, slots, never)
        other, _ = attempt(template, draws.changed_slots(original.worked.slots, which, stream), never)
        contents = (worked.answer, original.gold, other.answer)
        for one, two in ((0, 1), (0, 2), (1, 2)):
            if not draws.apart(contents[one], contents[two], template.digits):
                raise Rejected("the new gold, the old one and the sham come too close")
        order = wording.order_of(template, seed, "lure", number)
        question = msgspec.structs.replace(
            _changed(template, original, worked, contents, order),
            id=f"{template.id}/lure/{number}",
            draw=number,
            control="lure",
            old=LETTERS[order.index(1)],
            sham=LETTERS[order.index(2)],
        )
        return tuple(slots.values()), question

    return _distinct(template, "the lure arm", count, attempt_number)


def _changed(template: Template, original: Original, worked: Worked, contents: wording.Three, order: Order) -> Question:
    """The original with other numbers; the first of the contents is the gold."""
    names = wording.first_names(template)
    markers = wording.printed(template, worked, names)
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
        changes=wording.changes(template, original.worked, worked),
        steps=template.steps.render(markers),
        computed=computed(worked),
    )


def _level_3(template: Template, seed: int, original: Original, level: int, count: int) -> list[Question]:
    """All slots drawn anew, and another unknown asked for."""
    stream = draws.seeded(seed, template.id, level)

    def attempt_number(number: int) -> _Draw:
        which = draws.below(stream, len(template.inverses))
        slots = draws.fresh_slots(template, stream)
        order = wording.order_of(template, seed, level, number)
        question = _inverted(template, original, template.inverses[which], slots, order)
        question = msgspec.structs.replace(question, id=f"{template.id}/{level}/{number}", level=level, draw=number)
        return (which, *slots.values()), question

    return _distinct(template, f"level {level}", count, attempt_number)


def _inverted(
    template: Template, original: Original, inverse: Inverse, slots: Mapping[str, Decimal], order: Order
) -> Question:
    worked = draws.work_out(template, slots)
    unknown = template.slots[inverse.unknown]
    drawn = worked.slots[unknown.name]
    wrong = draws.wrong_options(inverse.distractors, worked.values, drawn, inverse.digits, unknown.percent)
    solved = solve(template, inverse, worked)
    names = wording.first_names(template)
    markers = wording.printed(template, worked, names)
    options = wording.inverse_options(template, inverse, wording.arranged((drawn, *wrong), order), names)
    if original.question.value in map(wording.value_of, options):
        raise Rejected("the old gold is among the options")
    gold = order.index(0)
    given = numbers.printed(worked.answer, template.digits, plain=True) + ("%" if template.percent else "")
    equation = f"{template.answer.source} = {given}"
    return msgspec.structs.replace(
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
            *wording.changes(template, original.worked, worked),
        ),
        steps=f"{equation}, solved for {unknown.name}" if inverse.steps is None else inverse.steps.render(markers),
        expression=f"{equation}, solved for {unknown.name}",
        computed=Computed(
            decimal=str(worked.values[unknown.name]), float=f"{solved:.12g}", check=f"{worked.check:.20g}"
        ),
    )


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
    markers = wording.printed(template, original.worked, names)
    options = options_of(template, original.contents, names)
    return msgspec.structs.replace(
        question,
        text=template.text.render(markers),
        options=options,
        value=wording.value_of(options[LETTERS.index(question.gold)]),
        steps=template.steps.render(markers),
        changes=tuple(Change(name=name, before=words[0], after=names[name]) for name, words in template.names.items()),
    )
