"""GSM-Symbolic's templates, as they are published, as templates of ours.

A row has the question of GSM8K in its own words, and the same with marks for its names and numbers, what these can be,
the conditions that hold between them, and the answer's formula; the annotated solution gives the formula once more, as
a check. What can't be expressed in our language is told with the reason.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import msgspec

from counterfoil.perturbing.expressions.language import Expression, ExpressionError, Kind, parse
from counterfoil.perturbing.symbolic import annotated
from counterfoil.perturbing.symbolic.annotated import Annotated, Mark
from counterfoil.perturbing.symbolic.moves import with_moves
from counterfoil.perturbing.symbolic.syntax import (
    NO_NAME,
    Names,
    Unexpressed,
    condition,
    number,
    parsed,
    safe,
    used_names,
)
from counterfoil.perturbing.symbolic.variables import Variable, drawn_words, variables_of
from counterfoil.perturbing.templates import draws, numbers, words
from counterfoil.perturbing.templates.draws import Rejected
from counterfoil.perturbing.templates.given import options_as_printed
from counterfoil.perturbing.templates.numbers import USUAL, Apart
from counterfoil.perturbing.templates.tables import listed_slot
from counterfoil.perturbing.templates.template import (
    Derived,
    Listed,
    PrintedOption,
    Slot,
    Template,
    escaped,
    parse_text,
)

TOPIC = "school maths"
HIDDEN = "a number that the text does not give"
OTHER_ANSWER = "its formula does not give the original's answer"
NO_GOLD = "its solution gives no answer"
NOTHING_TO_CHANGE = "none of its numbers can be changed"
NOT_COMPUTED = "its original can't be computed"
_MOST_DISTRACTORS = 12
# Of small whole numbers, options may be neighbours but one.
_APART = Apart(Decimal(2), Decimal("0.01"))


class Row(msgspec.Struct):
    """A template as it is published."""

    question: str
    answer: str
    question_annotated: str
    answer_annotated: str = ""
    id_orig: int | None = None


class Refused(NamedTuple):
    """A template that can't be expressed, and why: in a few words that are counted, and in full."""

    id: str
    kind: str
    reason: str


def templates_of(rows: Iterable[Row]) -> tuple[list[Template], list[Refused]]:
    """The templates of all rows that can be expressed, and what the others lack."""
    templates: list[Template] = []
    refused: list[Refused] = []
    for place, row in enumerate(rows):
        name = template_id(row, place)
        try:
            templates.append(template_of(row, name))
        except Unexpressed as error:
            refused.append(Refused(name, error.kind, str(error)))
    return templates, refused


def template_id(row: Row, place: int) -> str:
    """gsm8k- and the line of the original in GSM8K's test questions, from 0."""
    return f"gsm8k-{place if row.id_orig is None else row.id_orig}"


def template_of(row: Row, name: str) -> Template:
    """The template of a row. Unexpressed says why there is none."""
    gold = annotated.gold_of(row.answer)
    if gold is None:
        raise Unexpressed(NO_GOLD)
    source = annotated.annotated(row.question_annotated)
    compiler = _Compiler(source, variables_of(source))
    template = compiler.template(name, row, numbers.read(gold).decimals)
    by_answer, by_solution = (_gives(template, formula) for formula in (template.answer, template.check))
    if Decimal(gold) not in (by_answer, by_solution):
        raise Unexpressed(OTHER_ANSWER, f"{by_answer} instead of {gold}")
    # Where only one of the two formulas gives the original's answer, the other is wrong.
    right = template.answer if by_answer == Decimal(gold) else template.check
    if by_answer != by_solution:
        template = replace(template, answer=right, check=right)
    if not template.changeable:
        raise Unexpressed(NOTHING_TO_CHANGE)
    return with_moves(replace(template, printed=_options(template)))


def _options(template: Template) -> tuple[PrintedOption, ...]:
    """Two wrong options for the original, which has none; variants get options like these. Over the templates, as often
    both are above the gold, or one, or none: where it stands among them tells nothing.
    """
    draw = draws.work_out(template, draws.original_slots(template), conditions=False)
    sides: dict[bool, list[tuple[Expression, Decimal]]] = {True: [], False: []}
    seen = [draw.answer]
    for distractor in template.distractors:
        try:
            value = numbers.rounded(distractor.decimal(draw.values), template.digits)
        except ExpressionError:
            continue
        if value > 0 and all(USUAL.holds(value, other, template.digits) for other in seen):
            seen.append(value)
            sides[value > draw.answer].append((distractor, value))
    if not draw.answer:
        return ()
    above = draws.below(draws.seeded(0, template.id, "options"), 3)
    found = [one for side in sides.values() for one in side]
    pairs = sorted(combinations(found, 2), key=lambda pair: sum(value > draw.answer for _, value in pair) != above)
    for pair in pairs:
        printed = tuple(PrintedOption(one, (value - draw.answer) / abs(draw.answer)) for one, value in pair)
        with suppress(Rejected):
            options_as_printed(replace(template, printed=printed), draw, (), made=True)
            return printed
    return ()


def _gives(template: Template, formula: Expression) -> Decimal:
    """What a formula gives with the original's numbers."""
    try:
        once = replace(template, answer=formula, check=formula)
        return draws.work_out(once, draws.original_slots(template), conditions=False).answer
    except Rejected as error:
        raise Unexpressed(NOT_COMPUTED, str(error)) from error


class _Compiler:
    def __init__(self, source: Annotated, variables: dict[str, Variable]) -> None:
        self._source = source
        self._variables = variables
        # Those that the text gives; a number that it does not give follows from the others, or is computed.
        self._given = {one.name: one for one in variables.values() if one.is_number and one.original is not None}
        self._words = {one.name: one.word for one in variables.values() if not one.is_number}
        self._names = Names({name: safe(name) for name, one in variables.items() if one.is_number}, self._words)
        self._conditions = [parsed(line) for line in source.conditions]
        self._extra: list[str] = []

    def template(self, name: str, row: Row, digits: int) -> Template:
        slots = {safe(one.name): self._slot(one) for one in self._given.values() if one.formula is None}
        derived = self._derived()
        known = {*slots, *(value.name for value in derived)}
        answer = self._expression(parsed(self._source.answer), known)
        conditions = [condition(node, self._names) for node in self._conditions]
        conditions += [*self._extra, *(["is_int(answer)"] if not digits else [])]
        drawn = drawn_words(self._variables, self._used(row.answer_annotated))
        return Template(
            id=name,
            topic=TOPIC,
            source="published",
            text=parse_text("".join(self._printed(part, slots, drawn) for part in self._source.text)),
            slots=slots,
            derived=derived,
            answer=answer,
            check=self._check(row.answer_annotated, known) or answer,
            distractors=self._distractors(row.answer_annotated, slots, known),
            conditions=tuple(_compiled(text, {*known, "answer"}, Kind.CONDITION) for text in conditions),
            digits=digits,
            percent=False,
            prefix=parse_text(""),
            suffix=parse_text(""),
            steps=parse_text(escaped(f"{self._source.answer} = ") + "{answer}"),
            names=drawn,
            inverses=(),
            given=None,
            apart=_APART,
            own_text=row.question,
        )

    def _used(self, solution: str) -> set[str]:
        """All names that the answer, its check or a condition speaks of."""
        last = annotated.last_expression(solution)
        texts = [self._source.answer, *([] if last is None else [last])]
        return set().union(*(used_names(node) for node in (*self._conditions, *map(parsed, texts))))

    def _expression(self, node: ast.expr, known: set[str]) -> Expression:
        return _compiled(number(node, self._names), known, Kind.NUMBER)

    def _check(self, solution: str, known: set[str]) -> Expression | None:
        """The answer as the annotated solution has it."""
        try:
            last = annotated.last_expression(solution)
            return None if last is None else self._expression(parsed(last), known)
        except Unexpressed:
            return None

    def _slot(self, variable: Variable) -> Slot:
        """A number that the text gives; fixed where it can't be known what else it could be."""
        name, original = safe(variable.name), variable.original
        assert original is not None
        value = _decimal(original)
        if variable.choices and len({worth for _, worth in variable.choices}) > 1:
            return _with_choices(name, variable, value)
        decimals = len(variable.word.partition(".")[2]) if variable.word.replace(".", "").isdigit() else 0
        steps = variable.steps
        if steps is None or steps.count < 2:
            digits = max(decimals, numbers.decimals_of(value))
            word = "" if variable.word[:1].isdigit() else variable.word
            return Slot(name, value, value, value, 1, False, True, True, digits, decimals, "-", (), word)
        low, step = _decimal(steps.low), _decimal(steps.step)
        digits = max(decimals, *(numbers.decimals_of(part) for part in (low, step, value)))
        return Slot(name, value, low, step, steps.count, False, False, True, digits, decimals, "-")

    def _derived(self) -> tuple[Derived, ...]:
        """Numbers that are computed, or that only the conditions speak of; each after those that it uses."""
        formulas: dict[str, str] = {}
        for variable in self._variables.values():
            if not variable.is_number:
                continue
            if variable.bounds is not None:
                self._extra += self._within(variable)
            self._extra += [f"{safe(variable.name)} != {safe(other)}" for other in variable.unlike]
            if variable.formula is not None:
                formulas[variable.name] = number(variable.formula, self._names)
            elif variable.original is None:
                formulas[variable.name] = self._solved(variable)
                self._extra += _in_range(variable)
        ordered: list[Derived] = []
        known = {safe(name) for name, one in self._given.items() if one.formula is None}
        while formulas:
            ready = [name for name, formula in formulas.items() if _is_known(formula, known)]
            if not ready:
                raise Unexpressed(HIDDEN, ", ".join(formulas))
            for name in ready:
                shown = self._variables[name].original
                digits = None if shown is None else numbers.decimals_of(_decimal(shown))
                ordered.append(Derived(safe(name), parse(formulas.pop(name), known), digits, False, True))
            known |= {safe(name) for name in ready}
        return tuple(ordered)

    def _within(self, variable: Variable) -> list[str]:
        """That a number is in its range, whose ends depend on others."""
        assert variable.bounds is not None
        start, stop, step = (number(bound, self._names) for bound in variable.bounds)
        name = safe(variable.name)
        return [f"{name} >= {start}", f"{name} < {stop}", f"divides({name} - {start}, {step})"]

    def _solved(self, variable: Variable) -> str:
        """A number that the text does not give, from an equation of the conditions in which it stands once.

        left - right is a straight line in it: with its values f at 0 and g at 1 it is 0 at f ÷ (f - g).
        """
        for node in self._conditions:
            match node:
                case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]) if variable.name in used_names(node):
                    at = [
                        f"({number(left, named)} - {number(right, named)})"
                        for named in (
                            Names({**self._names.numbers, variable.name: value}, self._words)
                            for value in ("0", "1", "2")
                        )
                    ]
                    self._extra.append(f"abs({at[0]} + {at[2]} - 2 * {at[1]}) < 0.000000001")
                    return f"({at[0]} / ({at[0]} - {at[1]}))"
        raise Unexpressed(HIDDEN, variable.name)

    def _distractors(self, solution: str, slots: dict[str, Slot], known: set[str]) -> tuple[Expression, ...]:
        """What the solution computes on its way, from its end; then the answer with a number too many or too few."""
        found: dict[str, Expression] = {}
        for text in reversed(annotated.expressions_in(solution)):
            try:
                node = parsed(text)
                if not isinstance(node, ast.Name | ast.Constant) and len(found) < _MOST_DISTRACTORS:
                    expression = self._expression(node, known)
                    found.setdefault(expression.source, expression)
            except Unexpressed:
                continue
        made = [form.format(name) for form in ("answer + {}", "abs(answer - {})", "answer * {}") for name in slots]
        made += ["answer * 2", "answer / 2", "answer + 10", "answer * 10"]
        return (*found.values(), *(_compiled(text, {*known, "answer"}, Kind.NUMBER) for text in made))

    def _printed(self, part: str | Mark, slots: dict[str, Slot], drawn: dict[str, tuple[str, ...]]) -> str:
        """A part of the text: words, or a marker with its form."""
        if isinstance(part, str):
            return escaped(part)
        variable = self._variables[part.name]
        if variable.speaks_for is not None:
            forms = ["plural"] * part.plural + ["a"] * bool(part.article) + ["capital"] * part.first
            return _marker(safe(variable.speaks_for), forms)
        if any(other.speaks_for == part.name for other in self._variables.values()):
            return _marker(safe(part.name), ["fraction"])
        before, behind, forms = "", "", ["plural"] if part.plural and not variable.is_number else []
        slot = slots.get(safe(part.name))
        if variable.is_number and (slot is None or not (slot.listed or slot.word)):
            before, forms, behind = _shape_of(part.original)
        is_spelled = not variable.is_number or _is_word(part.original)
        forms += ["a"] if part.article and is_spelled else []
        forms += ["capital"] if part.first and is_spelled and part.article != "a" else []
        if variable.is_number:
            rest = "s" if part.plural else ""
            return escaped(before) + _marker(safe(part.name), forms) + escaped(behind + rest)
        if part.name in drawn:
            return _marker(part.name, forms)
        text = variable.word
        for form in forms:
            text = words.TEXT_FORMS[form](text)
        return escaped(text)


def _shape_of(original: str) -> tuple[str, list[str], str]:
    """What stands before a number, the form that it has, and what stands behind it: $5, six, 3rd, 20%, two-sided."""
    text = original.strip()
    if _is_word(text):
        if words.read_ordinal(text) is not None:
            return "", ["ordinal"], ""
        ends = [match.start() for match in re.finditer(r"[\s-]|$", text)]
        end = max((end for end in ends if words.read_number(text[:end]) is not None), default=len(text))
        return "", ["words"], text[end:]
    match = re.fullmatch(r"([$€£]?)(\d[\d,. /]*)(.*)", text, re.DOTALL)
    if match is None:
        return "", [], ""
    if match[3] in ("st", "nd", "rd", "th"):
        return match[1], ["th"], ""
    return match[1], [], text[len(match[1]) + len(match[2].rstrip()) :]


def _is_known(formula: str, known: set[str]) -> bool:
    try:
        return bool(parse(formula, known))
    except ExpressionError:
        return False


def _marker(name: str, forms: Sequence[str]) -> str:
    return f"{{{name}:{' '.join(forms)}}}" if forms else f"{{{name}}}"


def _is_word(text: str) -> bool:
    return text[:1].isalpha()


def _decimal(value: Fraction) -> Decimal:
    return numbers.quotient(value.numerator, value.denominator)


def _compiled(source: str, known: set[str], kind: Kind) -> Expression:
    try:
        expression = parse(source, known)
    except ExpressionError as error:
        raise Unexpressed(NO_NAME if "unknown name" in str(error) else "it is too large", str(error)) from error
    assert expression.kind is kind
    return expression


def _with_choices(name: str, variable: Variable, value: Decimal) -> Slot:
    """A number whose values are listed with their words; those of the original's kind, digits or letters, where both
    are there.
    """
    listed = [Listed(word, _decimal(worth)) for word, worth in variable.choices]
    spelled = _is_word(variable.word)
    alike = [one for one in listed if _is_word(one.word) == spelled]
    if len({one.value for one in alike}) > 1:
        listed = alike
    by_value = {one.value: one for one in reversed(listed)}
    same = [one.word for one in listed if one.value == value]
    word = next((one for one in same if one.lower() == variable.word.lower()), same[0] if same else variable.word)
    return listed_slot(name, value, word, tuple(reversed(by_value.values())))


def _in_range(variable: Variable) -> list[str]:
    """That a number which follows from the others is one that it may be."""
    name = safe(variable.name)
    if variable.choices:
        return [" or ".join(f"abs({name} - {value}) < 0.000000001" for _, value in variable.choices)]
    if variable.steps is None:
        return []
    low, high, step = variable.steps.low, variable.steps.high, variable.steps.step
    return [f"{name} >= {low} - 0.000000001", f"{name} <= {high} + 0.000000001", f"divides({name} - {low}, {step})"]
