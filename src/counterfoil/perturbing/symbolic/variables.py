"""The variables of a published template: numbers that can be changed, numbers that follow, and words."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

from counterfoil.perturbing.symbolic.annotated import Annotated, Assignment, Mark
from counterfoil.perturbing.symbolic.domains import Domain, Steps, domain, is_drawn
from counterfoil.perturbing.symbolic.syntax import Unexpressed, function_name, parsed, used_names
from counterfoil.perturbing.templates.words import read_number, read_ordinal

NO_ORIGINAL = "a number whose original value can't be read"
TWO_ORIGINALS = "a number with two original values"
_MOST_CORNERS = 4


@dataclass
class Variable:
    """A name of `#init`, with what the original has for it and what it is drawn from."""

    name: str
    marks: list[Mark]
    # What it is drawn from: a range, or numbers with their words; words alone; nothing where that can't be known.
    steps: Steps | None = None
    choices: list[tuple[str, Fraction]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    # It is computed from others.
    formula: ast.expr | None = None
    # Its range depends on others: where it begins, where it ends, and the step.
    bounds: tuple[ast.expr, ast.expr, ast.expr] | None = None
    is_number: bool = False
    sequential: bool = False
    original: Fraction | None = None
    # Numbers that are drawn from the same list and differ from it; the number that its words stand for.
    unlike: tuple[str, ...] = ()
    speaks_for: str | None = None

    @property
    def word(self) -> str:
        """The original's words: the most frequent of its marks, then the shortest, then that without a capital."""
        originals = [mark.original for mark in self.marks if mark.original]
        counts = Counter(text.lower() for text in originals)
        return min(
            originals, key=lambda text: (-counts[text.lower()], len(text), text.lower(), text[0].isupper()), default=""
        )

    @property
    def ends(self) -> list[Fraction]:
        """The least and the largest value."""
        if self.steps is not None:
            return [self.steps.low, self.steps.high]
        values = [value for _, value in self.choices] or ([self.original] if self.original is not None else [])
        return [min(values), max(values)] if values else []


def variables_of(source: Annotated) -> dict[str, Variable]:
    """All variables of a template. Unexpressed where a number of the original can't be known."""
    found: dict[str, Variable] = {}
    compared = _used_as_numbers(source)
    for line in source.init:
        for variable in _of_line(line, source, found):
            _settle(variable, variable.name in line.numbers or variable.name in compared)
            found[variable.name] = variable
    for mark in source.marks:
        if mark.name not in found:
            # A mark that nothing is drawn for: held at the original.
            found[mark.name] = variable = Variable(mark.name, [one for one in source.marks if one.name == mark.name])
            _settle(variable, mark.name in compared)
    return found


def _used_as_numbers(source: Annotated) -> set[str]:
    """Names that the answer or a condition computes with; those that are compared with words alone are left out."""
    found: set[str] = set()
    for text in (source.answer, *source.conditions):
        tree = parsed(text)
        words = {
            id(side)
            for part in ast.walk(tree)
            if isinstance(part, ast.Compare) and _speaks_of_words(part)
            for side in (part.left, *part.comparators)
        }
        for part in ast.walk(tree):
            if isinstance(part, ast.Name) and id(part) not in words:
                found.add(part.id)
    return found


def _speaks_of_words(node: ast.Compare) -> bool:
    return any(
        isinstance(part, ast.Constant) and isinstance(part.value, str)
        for side in (node.left, *node.comparators)
        for part in ast.walk(side)
    )


def _of_line(line: Assignment, source: Annotated, before: Mapping[str, Variable]) -> list[Variable]:
    """The variables of a line, with what they are drawn from, as far as that can be known."""
    made = [Variable(name, [mark for mark in source.marks if mark.name == name]) for name in line.names]
    try:
        node = parsed(line.source)
        needed = used_names(node) & before.keys()
        if needed:
            _dependent(made, node, [before[name] for name in sorted(needed)])
        elif isinstance(node, ast.Tuple) and len(node.elts) == len(made):
            for variable, part in zip(made, node.elts, strict=True):
                _fill(variable, domain(part))
        else:
            _together(made, domain(node), drawn_apart=_count(node) == len(made) or len(made) == 1)
    except Unexpressed:
        # Held at the original.
        pass
    return made


def _count(node: ast.expr) -> int:
    """How many are drawn at once: the second argument of sample."""
    match node:
        case ast.Call(args=[_, ast.Constant(value=int() as count)]) if function_name(node).startswith("sample"):
            return count
    return 1


def _together(made: Sequence[Variable], drawn: Domain, drawn_apart: bool) -> None:
    """Several variables of one line: one after the other from the same list, or all by one choice of it."""
    if drawn_apart:
        for number, variable in enumerate(made):
            variable.sequential = drawn.sequential
            variable.unlike = tuple(other.name for other in made[:number])
            _fill(variable, drawn)
        return
    items = drawn.values.values() if isinstance(drawn.values, Steps) else drawn.values
    if len(made) != 2 or not all(isinstance(item, tuple) and len(item) == 2 for item in items):
        return
    for words, numbers in (made, made[::-1]):
        at = made.index(words), made.index(numbers)
        if all(isinstance(item[at[0]], str) and isinstance(item[at[1]], Fraction) for item in items):
            numbers.choices = [(item[at[0]], item[at[1]]) for item in items]
            words.speaks_for = numbers.name
            # The original's word tells its number.
            if not numbers.marks:
                numbers.marks = list(words.marks)


def _fill(variable: Variable, drawn: Domain) -> None:
    if isinstance(drawn.values, Steps):
        variable.steps = drawn.values
        return
    for item in drawn.values:
        match item:
            case str():
                variable.words.append(item)
            case Fraction():
                variable.choices.append((_shown(item), item))
            case (str() as word, Fraction() as value) | (Fraction() as value, str() as word):
                variable.choices.append((word, value))
            case (Fraction() as shown, Fraction() as value):
                variable.choices.append((_shown(shown), value))
            case _:
                raise Unexpressed("a list of something that is neither words nor numbers")


def _shown(value: Fraction) -> str:
    is_decimal = 10**12 % value.denominator == 0
    return str(value.numerator) if value.denominator == 1 else str(float(value)) if is_decimal else str(value)


def _dependent(made: Sequence[Variable], node: ast.expr, needed: Sequence[Variable]) -> None:
    """A range whose ends depend on other variables, or a number that is computed from them."""
    [variable] = made if len(made) == 1 else [None]
    if variable is None:
        return
    if not is_drawn(node):
        variable.formula = node
        return
    if not isinstance(node, ast.Call) or function_name(node) not in ("range", "arange", "frange"):
        return
    zero, one = ast.Constant(0), ast.Constant(1)
    start, stop, step = {1: [zero, *node.args, one], 2: [*node.args, one]}.get(len(node.args), node.args)
    corners = [
        domain(
            ast.Call(node.func, [start, stop, step], []), dict(zip((one.name for one in needed), values, strict=True))
        )
        for values in list(product(*(other.ends for other in needed)))[: 2**_MOST_CORNERS]
    ]
    ranges = [corner.values for corner in corners if isinstance(corner.values, Steps)]
    low, by = min(steps.low for steps in ranges), ranges[0].step
    variable.steps = Steps(low, by, int((max(steps.high for steps in ranges) - low) / by) + 1)
    variable.bounds = (start, stop, step)


def _settle(variable: Variable, wanted_as_number: bool) -> None:
    """Whether it is a number, and which one the original has."""
    drawn = variable.steps is not None or bool(variable.choices)
    if variable.words and wanted_as_number and not variable.choices:
        read = [(word, read_number(word)) for word in variable.words]
        variable.choices = [(word, value) for word, value in read if value is not None]
        if len(variable.choices) < len(variable.words):
            variable.choices = []
            return
    variable.is_number = drawn or bool(variable.choices) or variable.formula is not None
    if not variable.is_number and wanted_as_number and not variable.words:
        variable.is_number = any(read_number(mark.original) is not None for mark in variable.marks)
    if variable.is_number:
        variable.original = _original(variable)


def _original(variable: Variable) -> Fraction | None:
    """The number that the original has; None where the text does not give it."""
    values: list[Fraction] = []
    for mark in variable.marks:
        if not mark.original:
            continue
        listed = [value for word, value in variable.choices if word.lower() == mark.original.lower()]
        value = listed[0] if listed else _leading_number(mark.original)
        if value is None:
            raise Unexpressed(NO_ORIGINAL, f"{variable.name}, {mark.original[:40]}")
        values.append(value)
    if len(set(values)) > 1:
        raise Unexpressed(TWO_ORIGINALS, variable.name)
    return values[0] if values else None


def _leading_number(text: str) -> Fraction | None:
    """The number that a text is, or begins with: six-sided, 8 AM. Whether it is the right one, the answer shows."""
    parts = re.split(r"(?<=\w)[\s-]+|(?<=\d)(?=[a-z%])", text.strip(), flags=re.IGNORECASE)
    tries = (read_number(" ".join(parts[:count])) for count in range(len(parts), 0, -1))
    return next((value for value in (read_number(text), read_ordinal(text), *tries) if value is not None), None)


def drawn_words(variables: Mapping[str, Variable], held: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The words that can stand in the place of others, by name, the original's first; no word is a choice of two.

    Those that are `held`, since the answer depends on them, and those that follow each other in a list stay.
    """
    taken = {variable.word.lower() for variable in variables.values() if not variable.is_number}
    lists: dict[tuple[Any, ...], list[Variable]] = {}
    for variable in variables.values():
        is_free = not variable.is_number and not variable.sequential and variable.name not in held
        if variable.word and variable.words and is_free:
            lists.setdefault(tuple(variable.words), []).append(variable)
    found = {}
    for words, sharing in lists.items():
        left = list(dict.fromkeys(word for word in words if word.lower() not in taken))
        taken |= {word.lower() for word in left}
        for number, variable in enumerate(sharing):
            if others := left[number :: len(sharing)]:
                found[variable.name] = (variable.word, *others)
    return found
