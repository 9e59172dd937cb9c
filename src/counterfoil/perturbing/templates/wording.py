"""The words of a question: its markers, options and changes, from a draw that was worked out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

from counterfoil.perturbing.questions import Change, Order, three
from counterfoil.perturbing.templates import draws, numbers, words
from counterfoil.perturbing.templates.draws import Draw
from counterfoil.perturbing.templates.template import Inverse, Template

Three = tuple[Decimal, Decimal, Decimal]
# A capital within a sentence is a name, as in “Bond A 8%”.
_ARTICLE = re.compile(r"(\ba|(?:^|(?<=[.!?:;] )|(?<=\n))A)n? ([$€£]?\d[\d,]*(?:\.\d+)?)")

# Which content stands at A, B and C; the first content, the gold, goes through the letters in turn.
ORDERS: tuple[Order, ...] = ((0, 1, 2), (1, 0, 2), (1, 2, 0), (0, 2, 1), (2, 0, 1), (2, 1, 0))


def orders_of(template: str, seed: int, arm: object) -> tuple[Order, ...]:
    """The orders of the options in the draws of an arm: all of them in rotation, beginning with a random one."""
    start = draws.below(draws.seeded(seed, template, arm, "letters"), len(ORDERS))
    return ORDERS[start:] + ORDERS[:start]


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
    for form in template.forms:
        found[form] = _in_form(template, draw, form, found)
    for clause in template.clauses:
        found[clause.name] = clause.text.render(found) if clause.when.holds(draw.values) else ""
    return found


def _in_form(template: Template, draw: Draw, marker: str, printed: Mapping[str, str]) -> str:
    """What a marker with a form prints: a number in words, as a date and so on; any words with a capital."""
    name, _, form = marker.partition(":")
    text = printed[name]
    try:
        for step in words.steps_of(form):
            if step in words.TEXT_FORMS:
                text = words.TEXT_FORMS[step](text)
            else:
                text = words.shaped(words.exact(_shown_value(template, draw, name)), step)
    except words.NoForm as error:
        raise draws.Rejected(f"{name} can't be printed as {form} ({error})") from error
    return text


def _shown_value(template: Template, draw: Draw, name: str) -> Decimal:
    """The number that a marker stands for, as it is printed."""
    if name == "answer":
        return draw.answer
    if name in draw.slots:
        return draw.slots[name]
    [derived] = [derived for derived in template.derived if derived.name == name]
    return numbers.rounded(numbers.shown(draw.values[name], derived.percent), derived.digits or 0)


def text_of(template: Template, draw: Draw) -> str:
    """The question with the numbers of a draw."""
    return with_articles(template.text.render(printed(template, draw, template.first_names)))


def numbers_of(text: str) -> list[float]:
    """The numbers that are printed in a text."""
    return [float(number.replace(",", "")) for number in numbers.in_text(text)]


def options(
    asked: Template | Inverse, contents: Three, names: Mapping[str, str], plain: bool = False
) -> tuple[str, str, str]:
    """Numbers with the unit of what is asked for."""
    prefix, suffix = asked.prefix.render(names), asked.suffix.render(names)
    texts = (numbers.printed(number, asked.digits, plain=plain) for number in contents)
    return three(numbers.with_unit(text, prefix, suffix) for text in texts)


def with_articles(text: str) -> str:
    """The text with “a” and “an” as the numbers behind them want: an 8-year bond, a 7-year one."""
    return _ARTICLE.sub(lambda match: f"{match[1]}{'n' if _is_vowel(match[2]) else ''} {match[2]}", text)


def _is_vowel(number: str) -> bool:
    """Whether its name begins with a vowel: eight, eighty and so on, eleven, eighteen."""
    first = number.lstrip("$€£").partition(".")[0].partition(",")[0]
    return first.startswith("8") or first in ("11", "18")


def changes(template: Template, before: Draw, after: Draw) -> tuple[Change, ...]:
    """The slots that differ."""
    return tuple(
        Change(name=name, before=slot.printed(before.slots[name]), after=slot.printed(after.slots[name]))
        for name, slot in template.slots.items()
        if before.slots[name] != after.slots[name]
    )
