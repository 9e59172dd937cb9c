"""100,000 questions drawn from the bank, each worked out again from what is printed in it; and how fast they are drawn.

    python -m benchmarks.memorization

A question is verified from its own words and options: the numbers are read out of the text, the answer is computed from
them in decimals, in floating point and by the checking expression, and all three must round to the option at the gold
letter. Rates are per second of one core, originals included. Exits with 1 if anything disagrees, or is too slow.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator, Mapping
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import cache
from itertools import combinations
from string import Formatter
from typing import NamedTuple

from benchmarks.asking import Report

from counterfoil.perturbing.expressions.language import ExpressionError
from counterfoil.perturbing.questions import LETTERS, Question
from counterfoil.perturbing.templates.tables import load_bank
from counterfoil.perturbing.templates.template import Template, Text
from counterfoil.perturbing.templates.variants import has_level, make_variants

DRAWS, DRAWS_OF_EACH = 100_000, 5
NUMBER = r"([-+–−]?(?:\d[\d,]*(?:\.\d+)?|\.\d+))"
MOST_SHOWN = 10
WIDE = Context(prec=120)


class Pass(NamedTuple):
    """Levels that are drawn together, and how many of their draws a second must give at least."""

    name: str
    levels: tuple[int, ...]
    least: float


PASSES = (Pass("levels 1 and 2", (1, 2), 2_000), Pass("level 3", (3,), 200))


class Computation(NamedTuple):
    """All values in decimals, and the answer by decimals, by floats and by the check: as printed, not yet rounded."""

    values: dict[str, Decimal]
    decimal: Decimal
    float: Decimal
    check: Decimal


class Work:
    """What one pass has drawn, the seconds of one core that it took to draw and to verify, and what disagreed."""

    def __init__(self) -> None:
        self.draws = 0
        self.drawing = self.verifying = 0.0
        self.disagreements: list[str] = []

    def add(self, template: Template, seed: int, levels: tuple[int, ...]) -> None:
        started_at = time.process_time()
        original, *drawn = make_variants(template, seed, levels, count=DRAWS_OF_EACH)
        drawn_at = time.process_time()
        base = _printed_slots(template, original, template.text, {})
        for question in drawn:
            self.disagreements += [
                f"{question.id}, seed {seed}: {it}" for it in verify(template, base, original, question)
            ]
        self.draws += len(drawn)
        self.drawing += drawn_at - started_at
        self.verifying += time.process_time() - drawn_at


def verify(template: Template, base: Mapping[str, Decimal], original: Question, question: Question) -> Iterator[str]:
    """What is wrong with a question whose original has the slots `base`."""
    slots = {**base}
    for change in question.changes:
        if change.name in template.slots:
            slots[change.name] = _number(change.after)
    options = [_number(_only_number(option)) for option in question.options]
    gold = options[LETTERS.index(question.gold)]
    if question.value != question.options[LETTERS.index(question.gold)].strip().removesuffix("."):
        yield f"its value {question.value} is not the option {question.gold}"
    if question.old is not None or original.value in question.options:
        yield "the old answer is among the options"
    for one, other in combinations(options, 2):
        if abs(one - other) < max(4 * _unit(question.digits), max(abs(one), abs(other)) / 100):
            yield f"the options {one} and {other} come too close"
    if question.level == 3:
        yield from _verify_inverse(template, question, slots, gold, [it for it in options if it != gold])
    else:
        yield from _verify_level(template, question, slots, gold)


def _verify_level(template: Template, question: Question, slots: Mapping[str, Decimal], gold: Decimal) -> Iterator[str]:
    changed = [change for change in question.changes if change.name in template.slots]
    if len(changed) != question.level or any(change.before == change.after for change in changed):
        yield f"{len(changed)} slots differ"
    if _printed_slots(template, question, template.text, {}) != slots:
        yield "its text and its list of changes differ"
    done = _compute(template, slots)
    yield from _agree(template, done, gold)
    yield from _derived_as_printed(template, question, template.text, done)
    yield from _conditions(template, done)
    if question.computed is None or Decimal(question.computed.decimal) != Decimal(
        f"{_share(template, done.decimal):.20g}"
    ):
        yield f"it was drawn with {question.computed}, and comes to {done.decimal}"


def _verify_inverse(
    template: Template, question: Question, slots: Mapping[str, Decimal], gold: Decimal, wrong: list[Decimal]
) -> Iterator[str]:
    """The answer is printed: the unknown at the gold letter must give it, and those at the other letters must not."""
    unknown = question.changes[0].after
    [inverse] = [
        it for it in template.inverses if it.unknown == unknown and _pattern(template, it.text).fullmatch(question.text)
    ]
    if slots[unknown] != gold:
        yield f"{slots[unknown]} was drawn for {unknown}, and {gold} is at the gold letter"
    in_text = _printed_slots(template, question, inverse.text, slots)
    if in_text != slots:
        yield "its text and its list of changes differ"
    printed = _read(template, inverse.text, question.text)
    done = _compute(template, slots)
    yield from _agree(template, done, printed["answer"])
    yield from _derived_as_printed(template, question, inverse.text, done)
    yield from _conditions(template, done)
    held = {name: printed[name] for name in printed if name not in template.slots and name != "answer"}
    for value in (gold, *wrong):
        try:
            again = _compute(template, {**slots, unknown: value}, held)
        except ExpressionError:
            continue
        fits = _rounded(again.decimal, template.digits) == printed["answer"]
        if fits != (value == gold) and (value == gold or not list(_conditions(template, again))):
            yield f"{unknown} = {value} gives {again.decimal:.12g}, and {printed['answer']} is printed"
    solved = Decimal(question.computed.float) if question.computed else Decimal("NaN")
    if _rounded(solved * 100 if question.percent else solved, question.digits) != gold:
        yield f"it was solved to {solved}, and {gold} is at the gold letter"


def _compute(
    template: Template, slots: Mapping[str, Decimal], held: Mapping[str, Decimal] | None = None
) -> Computation:
    """From the slots as printed; `held` are derived values as printed, which then stand in place of the computed."""
    values = {name: slots[name] / 100 if slot.percent else slots[name] for name, slot in template.slots.items()}
    floats = {name: float(value) for name, value in values.items()}
    for derived in template.derived:
        if held and derived.name in held:
            values[derived.name] = held[derived.name] / 100 if derived.percent else held[derived.name]
            floats[derived.name] = float(values[derived.name])
        else:
            values[derived.name] = derived.value.decimal(values)
            floats[derived.name] = derived.value.float(floats)
    scale = 100 if template.percent else 1
    answer = template.answer.decimal(values)
    values["answer"] = answer
    check = template.check.decimal(values)
    return Computation(values, answer * scale, Decimal(template.answer.float(floats)) * scale, check * scale)


def _agree(template: Template, done: Computation, printed: Decimal) -> Iterator[str]:
    for name in ("decimal", "float", "check"):
        value = getattr(done, name)
        if _rounded(value, template.digits) != printed:
            yield f"by {name} the answer is {value:.12g}, and {printed} is printed"


def _derived_as_printed(template: Template, question: Question, text: Text, done: Computation) -> Iterator[str]:
    printed = _read(template, text, question.text)
    for derived in template.derived:
        if derived.name in printed and derived.digits is not None:
            value = done.values[derived.name] * (100 if derived.percent else 1)
            if _rounded(value, derived.digits) != printed[derived.name]:
                yield f"{derived.name} is {value:.12g}, and {printed[derived.name]} is printed"


def _conditions(template: Template, done: Computation) -> Iterator[str]:
    for condition in template.conditions:
        if not condition.holds(done.values):
            yield f"the condition {condition.source} fails"


def _printed_slots(
    template: Template, question: Question, text: Text, others: Mapping[str, Decimal]
) -> dict[str, Decimal]:
    """The slots as the text prints them, and the others where it does not."""
    printed = _read(template, text, question.text)
    return {name: printed[name] if name in printed else others[name] for name in template.slots}


def _read(template: Template, text: Text, printed: str) -> dict[str, Decimal]:
    """The numbers at the markers; where one is printed twice, it must be the same."""
    match = _pattern(template, text).fullmatch(printed)
    assert match is not None, f"{template.id}: the text is not the template's: {printed}"
    found: dict[str, Decimal] = {}
    for marker, group in zip([it for it in text.markers if it not in template.names], match.groups(), strict=True):
        value = _number(group)
        assert found.setdefault(marker, value) == value, f"{template.id}: {marker} is printed in two ways"
    return found


def _pattern(template: Template, text: Text) -> re.Pattern[str]:
    return _compiled(text, tuple((name, words[0]) for name, words in template.names.items()))


@cache
def _compiled(text: Text, names: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    word = dict(names)
    pieces = []
    for words, marker, _, _ in Formatter().parse(text.source):
        pieces.append(re.escape(words))
        if marker is not None:
            pieces.append(re.escape(word[marker]) if marker in word else NUMBER)
    return re.compile("".join(pieces))


def _only_number(option: str) -> str:
    """The number of an option, with a minus in front of a currency sign or of the number."""
    [(sign, digits)] = re.findall(r"([-–−]?)[$€£¥]?(\d[\d,]*(?:\.\d+)?)", option)
    return f"{sign}{digits}"


def _number(text: str) -> Decimal:
    return Decimal(re.sub("[–−]", "-", text.replace(",", "")))


def _unit(digits: int) -> Decimal:
    return Decimal(1).scaleb(-digits)


def _rounded(value: Decimal, digits: int) -> Decimal:
    return value.quantize(_unit(digits), ROUND_HALF_UP, WIDE)


def _share(template: Template, shown: Decimal) -> Decimal:
    return shown / 100 if template.percent else shown


def main() -> int:
    report = Report()
    bank = load_bank()
    work = {it.name: Work() for it in PASSES}
    seed = 0
    while sum(it.draws for it in work.values()) < DRAWS:
        for template in bank:
            for part in PASSES:
                levels = tuple(level for level in part.levels if has_level(template, level))
                if levels:
                    work[part.name].add(template, seed, levels)
        seed += 1
    for part in PASSES:
        done = work[part.name]
        rate, both = done.draws / done.drawing, done.draws / (done.drawing + done.verifying)
        note = f"{rate:,.0f} a second for {done.draws:,} draws; {both:,.0f} a second with the second verification"
        report.line(f"{part.least:,.0f} / draws a second, {part.name}", part.least / rate, 1, "x", note)
    disagreements = [it for done in work.values() for it in done.disagreements]
    total = sum(it.draws for it in work.values())
    note = f"of {total:,} draws from {len(bank)} templates and {seed} seeds"
    report.line("draws that do not verify", len(disagreements), 0, "", note)
    for disagreement in disagreements[:MOST_SHOWN]:
        print(f"FAILED {disagreement}", file=sys.stderr)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
