"""From a template to questions: the original, the levels, the controls, the lure arm.

Everything follows from the template and the seed; the draws of one template do not depend on the others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from functools import partial
from random import Random
from typing import Any, Literal, NamedTuple

import msgspec

from counterfoil.errors import UserError
from counterfoil.perturbing.questions import (
    LETTERS,
    Change,
    Computed,
    Control,
    Letter,
    Order,
    Question,
    three,
    value_of,
    variant_of,
)
from counterfoil.perturbing.templates import draws, numbers, wording
from counterfoil.perturbing.templates.draws import Draw, Rejected, Worked, solve
from counterfoil.perturbing.templates.given import STRETCHES, Stretch, does_not_hold, options_as_printed, verify_given
from counterfoil.perturbing.templates.likeness import Likeness, told_by_text, told_by_zeros
from counterfoil.perturbing.templates.lures import Old, draw_lures
from counterfoil.perturbing.templates.names import SHORT
from counterfoil.perturbing.templates.numbers import USUAL
from counterfoil.perturbing.templates.template import Template
from counterfoil.perturbing.templates.unknowns import options_as_round, options_on_grid
from counterfoil.perturbing.templates.wording import ORDERS, Three

LEVELS = (1, 2, 3)
CONTROLS: tuple[Control, ...] = ("again", "reshuffled", "reoptioned", "renamed", "stand_in")


class Original(NamedTuple):
    """An original, and what it was made of."""

    template: Template
    seed: int
    question: Question
    draw: Draw
    # The options' numbers as printed, from A to C.
    contents: Three
    # How its gold is told by its zeros, and by the text, with options that are computed; where it has printed ones.
    by_zeros: tuple[int, ...] | None
    by_text: int | None
    worked: Worked

    @property
    def gold(self) -> Decimal:
        """The right option's number."""
        return self.contents[LETTERS.index(self.question.gold)]

    @property
    def golds(self) -> set[Decimal]:
        """The right option's number, and the answer as it is computed: no option of a variant comes close to them."""
        return {self.gold, self.draw.answer}


def make_original(template: Template, seed: int) -> Original:
    """The original; UserError if its values, or the options it gives, do not hold."""
    given = template.given
    if given is not None and template.source != "bank":
        contents = three(number.value for number in given.numbers)
        return _original(template, seed, verify_given(template, given), contents, given.gold)
    if template.source == "bank":
        stream = draws.seeded(seed, template.id, "original")
        draw, wrong = draws.accepted(
            lambda: attempt(template, draws.fresh_slots(template, stream)), template, "original"
        )
    else:
        try:
            draw = draws.work_out(template, draws.original_slots(template), conditions=template.own_text is None)
            wrong = wrong_options(template, draw)
        except Rejected as error:
            raise does_not_hold(template, error) from error
    order = wording.orders_of(template.id, seed, "original")[0]
    by_content = (draw.answer, *wrong)
    contents = three(by_content[content] for content in order)
    return _original(template, seed, draw, contents, LETTERS[order.index(0)])


def attempt(template: Template, slots: Mapping[str, Decimal]) -> tuple[Draw, tuple[Decimal, Decimal]]:
    """A draw worked out, and its two wrong options."""
    draw = draws.work_out(template, slots)
    return draw, wrong_options(template, draw)


def wrong_options(
    template: Template,
    draw: Draw,
    never: Collection[Decimal] = (),
    *,
    made: bool = True,
    stretch: Sequence[Stretch] = (),
) -> tuple[Decimal, Decimal]:
    """The two wrong options of a draw: like those that are printed, where there are such, else the distractors."""
    if template.printed:
        return options_as_printed(template, draw, never, made=made, stretch=stretch)
    return draws.wrong_options(template.distractors, draw.values, draw.answer, template.digits, template.percent, never)


def _original(template: Template, seed: int, draw: Draw, contents: Three, gold: Letter) -> Original:
    markers = wording.printed(template, draw, template.first_names)
    options = _original_options(template, contents, template.first_names)
    question = Question(
        id=f"{template.id}/0",
        parent=None,
        template=template.id,
        topic=template.topic,
        level=0,
        draw=0,
        control=None,
        text=template.text.render(markers) if template.own_text is None else template.own_text,
        options=options,
        gold=gold,
        value=value_of(options[LETTERS.index(gold)]),
        digits=template.digits,
        percent=template.percent,
        old=gold,
        sham=None,
        changes=(),
        steps=template.steps.render(markers),
        expression=template.answer.source,
        computed=computed(draw),
        status="verified",
        source=template.source,
        like=msgspec.UNSET if template.like is None else template.like,
    )
    by_zeros, by_text = None, None
    if template.printed and template.source != "bank":
        with suppress(Rejected):
            wrong = wrong_options(template, draw)
            by_zeros = told_by_zeros(draw.answer, wrong, template.digits)
            by_text = _told_by_text(draw, wrong, question.text)
    return Original(template, seed, question, draw, contents, by_zeros, by_text, Worked(template))


def _told_by_text(draw: Draw, wrong: tuple[Decimal, Decimal], text: str) -> int:
    """How far the gold is told by being nearest to a number of the text."""
    return told_by_text([float(value) for value in (draw.answer, *wrong)], wording.numbers_of(text))[0]


def _original_options(template: Template, contents: Three, names: Mapping[str, str]) -> tuple[str, str, str]:
    """The original's options under these names. Given ones are printed as they are given."""
    if template.given is None or template.source == "bank":
        return wording.options(template, contents, names)
    return three(option.render(names) for option in template.given.options)


def computed(draw: Draw) -> Computed:
    """The three computations; of floats only the digits that every machine agrees on."""
    return Computed(
        decimal=f"{draw.values['answer']:.20g}", float=f"{draw.floats['answer']:.12g}", check=f"{draw.check:.20g}"
    )


def make_variants(
    template: Template,
    seed: int,
    levels: Collection[int] = (1,),
    controls: Collection[Control] = (),
    lure: bool = False,
    count: int = 5,
) -> list[Question]:
    """The original, then `count` draws of each level, each control and the lure arm that the template can have. Whether
    it can have a lure arm shows when it is drawn.
    """
    original = make_original(template, seed)
    questions = [original.question]
    for level in sorted(levels):
        if has_level(template, level):
            make = _another_unknown if level == 3 else partial(_changed_slots, count=level)
            questions += _drawn(original, level, count, make)
    for control in CONTROLS:
        if control in controls and has_control(template, control):
            questions += _controlled(original, control, count)
    if lure:
        questions += _lures(original, count)
    return questions


def variants_as_far_as_possible(
    template: Template, seed: int, levels: Collection[int], controls: Collection[Control], lure: bool, count: int
) -> tuple[list[Question], dict[str, str]]:
    """As `make_variants`, arm by arm: what the template can't give is left out, with the reason."""
    questions = [make_original(template, seed).question]
    refused: dict[str, str] = {}
    arms: dict[str, dict[str, Any]] = {f"level {level}": {"levels": (level,)} for level in sorted(levels)}
    arms |= {control: {"levels": (), "controls": (control,)} for control in CONTROLS if control in controls}
    arms |= {"lure": {"levels": (), "lure": True}} if lure else {}
    for arm, chosen in arms.items():
        try:
            questions += make_variants(template, seed, count=count, **chosen)[1:]
        except UserError as error:
            refused[arm] = str(error)
    return questions, refused


# A draw, and its key: two with the same key are the same draw. With whom its numbers and options are to agree.
_Maker = Callable[[Original, Random, Order, Likeness], tuple[object, Question]]


def has_level(template: Template, level: int) -> bool:
    """Level 2 needs two slots that can be changed, level 3 a text that asks for another unknown."""
    if level == 3:
        return bool(template.inverses)
    return level in template.moves if template.moves else len(template.changeable) >= level


def has_control(template: Template, control: Control) -> bool:
    """Without names there is nothing to rename."""
    return control != "renamed" or bool(template.names)


def _drawn(original: Original, arm: int | Literal["stand_in"], count: int, make: _Maker) -> list[Question]:
    """`count` accepted draws of an arm."""
    template, seed = original.template, original.seed
    stream, orders = draws.seeded(seed, template.id, arm), wording.orders_of(template.id, seed, arm)
    found: dict[object, Question] = {}
    tries = 0

    def attempt_another() -> None:
        nonlocal tries
        tries, number = tries + 1, len(found)
        key, question = make(original, stream, orders[number % len(orders)], Likeness.after(tries))
        if key in found:
            raise Rejected("it was drawn before")
        level = 0 if arm == "stand_in" else arm
        found[key] = msgspec.structs.replace(question, id=f"{template.id}/{arm}/{number}", level=level, draw=number)

    for number in range(count):
        # Once something was given up, the other draws do without it from the start.
        tries = Likeness.after(tries).tries
        what = "the control stand_in" if arm == "stand_in" else f"level {arm}"
        draws.accepted(attempt_another, template, f"draw {number + 1} of {what}")
    return list(found.values())


def _changed_slots(
    original: Original, stream: Random, order: Order, likeness: Likeness, count: int
) -> tuple[object, Question]:
    """One slot changed, or two."""
    slots = draws.other_slots(original.template, original.draw.slots, count, stream, likeness.round)
    draw, wrong = _alike(original, slots, likeness, stream)
    return tuple(slots.values()), _changed(original, draw, (draw.answer, *wrong), order)


def _alike(
    original: Original, slots: Mapping[str, Decimal], likeness: Likeness, stream: Random
) -> tuple[Draw, tuple[Decimal, Decimal]]:
    """A draw worked out, and its two wrong options; these are like the original's, where that has printed ones.

    All three keep apart from the original's gold: otherwise a remembered answer would point at one of them.
    """
    template, never = original.template, original.golds
    draw = original.worked.out(slots)
    if not all(USUAL.holds(draw.answer, old, template.digits) for old in never):
        raise Rejected("the answer comes too close to the original's")
    # In the end, where an original has no options of its own, any are better than none.
    any_options = template.given is None and not likeness.round
    like = replace(template, printed=()) if any_options else template
    stretch: list[Stretch] = []
    if likeness.stretched and template.printed:
        stretch = [STRETCHES[draws.below(stream, len(STRETCHES))] for _ in template.printed]
    wrong = wrong_options(like, draw, never, made=likeness.made, stretch=stretch)
    if likeness.by_zeros and original.by_zeros is not None:
        by_zeros = told_by_zeros(draw.answer, wrong, template.digits)
        if by_zeros != original.by_zeros:
            raise Rejected("the gold can be told by its zeros, or the original's can")
    if likeness.by_text and original.by_text is not None:
        by_text = _told_by_text(draw, wrong, wording.text_of(template, draw))
        if by_text != original.by_text:
            raise Rejected("the gold can be told by the text's numbers, or the original's can")
    return draw, wrong


def _stand_in(original: Original, stream: Random, order: Order, likeness: Likeness) -> tuple[object, Question]:
    """All slots drawn anew: a question that could have been the original, and that nobody has seen."""
    template = original.template
    if template.moves:
        slots = draws.other_slots(template, original.draw.slots, max(template.moves), stream)
    else:
        slots = draws.fresh_slots(template, stream, likeness.round)
    draw, wrong = _alike(original, slots, likeness, stream)
    question = _changed(original, draw, (draw.answer, *wrong), order)
    return tuple(slots.values()), msgspec.structs.replace(question, control="stand_in")


def _lures(original: Original, count: int) -> list[Question]:
    """One slot changed; the options are the new gold, the old one, and the sham: the gold of another draw, which
    changes the same slot. Nothing where old gold and sham could be told apart.
    """
    template, seed, slots = original.template, original.seed, original.draw.slots
    stream, orders = draws.seeded(seed, template.id, "lure"), wording.orders_of(template.id, seed, "lure")
    questions = []
    old = Old(slots, original.gold, original.golds)
    for number, lure in enumerate(draw_lures(original.worked, old, stream, count)):
        order = orders[number % len(orders)]
        question = _changed(original, lure.draw, (lure.draw.answer, original.gold, lure.sham), order)
        letters = {"old": LETTERS[order.index(1)], "sham": LETTERS[order.index(2)]}
        fields = {"id": f"{template.id}/lure/{number}", "draw": number, **letters}
        questions.append(msgspec.structs.replace(question, control="lure", **fields))
    return questions


def _changed(original: Original, draw: Draw, contents: Three, order: Order) -> Question:
    """The original with other numbers; the first of the contents is the gold."""
    template = original.template
    markers = wording.printed(template, draw, template.first_names)
    return variant_of(
        original.question,
        wording.options(template, contents, template.first_names),
        order,
        text=wording.text_of(template, draw),
        changes=wording.changes(template, original.draw, draw),
        steps=template.steps.render(markers),
        computed=computed(draw),
    )


def _another_unknown(original: Original, stream: Random, order: Order, likeness: Likeness) -> tuple[object, Question]:
    """All slots drawn anew, and another unknown asked for."""
    template = original.template
    which = draws.below(stream, len(template.inverses))
    inverse, slots = template.inverses[which], draws.fresh_slots(template, stream, likeness.round)
    draw = draws.work_out(template, slots)
    unknown = template.slots[inverse.unknown]
    drawn = draw.slots[unknown.name]
    if template.given is None or template.source == "bank":
        wrong = options_on_grid(inverse, unknown, draw.values, drawn)
    else:
        wrong = options_as_round(inverse, unknown, draw.values, drawn, above=ORDERS.index(order) // 2)
    solved = solve(template, inverse, draw)
    markers = wording.printed(template, draw, template.first_names)
    options = wording.options(inverse, (drawn, *wrong), template.first_names, plain=unknown.plain)
    if original.question.value in map(value_of, options):
        raise Rejected("the old gold is among the options")
    given = numbers.printed(draw.answer, template.digits, plain=True) + ("%" if template.percent else "")
    expression = f"{template.answer.source} = {given}, solved for {unknown.name}"
    question = variant_of(
        original.question,
        options,
        order,
        text=wording.with_articles(inverse.text.render(markers)),
        digits=inverse.digits,
        percent=unknown.percent,
        changes=(
            Change(name="asked for", before="answer", after=unknown.name),
            *wording.changes(template, original.draw, draw),
        ),
        steps=expression if inverse.steps is None else inverse.steps.render(markers),
        expression=expression,
        computed=Computed(decimal=str(draw.values[unknown.name]), float=f"{solved:.12g}", check=f"{draw.check:.20g}"),
    )
    return (which, *slots.values()), question


def _controlled(original: Original, control: Control, count: int) -> list[Question]:
    """The original asked again, with its options in another order or computed as the variants' are, or under other
    names: its numbers stay. Or others in its place.
    """
    if control == "stand_in":
        return _drawn(original, "stand_in", count, _stand_in)
    if control == "reoptioned":
        return _reoptioned(original, count)
    name, parent = original.template.id, original.question.id
    questions = []
    for number in range(count):
        question = msgspec.structs.replace(
            original.question, id=f"{name}/{control}/{number}", parent=parent, draw=number, control=control
        )
        if control == "reshuffled":
            question = _reshuffled(question, draws.below(draws.seeded(original.seed, name, control), 5) + number)
        questions.append(_renamed(original, question, number) if control == "renamed" else question)
    return questions


def _reoptioned(original: Original, count: int) -> list[Question]:
    """The original's numbers, with options that are computed and ordered as the variants' are."""
    template, draw = original.template, original.draw
    orders = wording.orders_of(template.id, original.seed, "reoptioned")
    try:
        contents = (draw.answer, *wrong_options(template, draw))
    except Rejected as error:
        raise UserError(f"template {template.id}: the original can't have other options: {error}.") from error
    questions = []
    for number in range(count):
        question = _changed(original, draw, contents, orders[number % len(orders)])
        fields = {"id": f"{template.id}/reoptioned/{number}", "draw": number, "old": question.gold}
        questions.append(msgspec.structs.replace(question, text=original.question.text, control="reoptioned", **fields))
    return questions


def _reshuffled(question: Question, turn: int) -> Question:
    """The options in one of the five other orders."""
    others = [order for order in ORDERS if order != (0, 1, 2)]
    order = others[turn % len(others)]
    options = three(question.options[content] for content in order)
    gold = LETTERS[order.index(LETTERS.index(question.gold))]
    return msgspec.structs.replace(question, options=options, gold=gold, old=gold)


def _renamed(original: Original, question: Question, number: int) -> Question:
    """Each name by one of its other words, in rotation."""
    template = original.template
    names = {}
    for name, words in template.names.items():
        # An abbreviation goes with its name.
        whole = name.removesuffix(SHORT)
        start = draws.below(draws.seeded(original.seed, template.id, "renamed", whole), len(words) - 1)
        names[name] = words[1 + (start + number) % (len(words) - 1)]
    markers = wording.printed(template, original.draw, names)
    options = _original_options(template, original.contents, names)
    return msgspec.structs.replace(
        question,
        text=template.text.render(markers),
        options=options,
        value=value_of(options[LETTERS.index(question.gold)]),
        steps=template.steps.render(markers),
        changes=tuple(Change(name=name, before=words[0], after=names[name]) for name, words in template.names.items()),
    )
