"""Checks templates, and recipes with the questions they are for: one line per problem, and a summary.

python -m counterfoil.memorization.check FILE.toml…
python -m counterfoil.memorization.check --recipes FILE.toml --data cfa_easy.json
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from itertools import combinations
from pathlib import Path

from counterfoil.errors import UserError
from counterfoil.perturbing.making.recipes import apply, load_recipes, read_rows
from counterfoil.perturbing.questions import LETTERS, Question
from counterfoil.perturbing.templates import draws, numbers
from counterfoil.perturbing.templates.draws import Rejected
from counterfoil.perturbing.templates.tables import load_templates
from counterfoil.perturbing.templates.template import Template
from counterfoil.perturbing.templates.unknowns import APART
from counterfoil.perturbing.templates.variants import CONTROLS, LEVELS, has_level, make_variants, wrong_options

SEEDS = 40
DRAWS = 5
LEAST_FOR_LETTERS = 60
# What a printed number of a question may be: not 0, and neither below nor above this.
SMALLEST = Decimal("0.0001")
LARGEST = Decimal("1e11")


def problems_of(template: Template, seeds: int = SEEDS) -> list[str]:
    """What is wrong with a template: its original, and five draws of each level for each of so many seeds."""
    try:
        found = _original_problems(template)
        made: dict[object, list[Question]] = {}
        for seed in range(seeds):
            for question in make_variants(template, seed, LEVELS, CONTROLS, lure=True, count=DRAWS):
                made.setdefault(question.control or question.level, []).append(question)
    except UserError as error:
        return [str(error)]
    for level in LEVELS:
        if has_level(template, level):
            found += _level_problems(f"level {level}", template, made[level], seeds * DRAWS)
    # Not every original has a lure arm.
    lures = made.get("lure", [])
    found += _level_problems("lure", template, lures, len(lures))
    return [f"template {template.id}: {problem}" for problem in dict.fromkeys(found)]


def _original_problems(template: Template) -> list[str]:
    """The values that are written as the original's: they must hold, and give two distractors."""
    try:
        draw = draws.work_out(template, draws.original_slots(template))
        if template.given is None:
            wrong_options(template, draw)
    except Rejected as error:
        return [f"original: {error}"]
    return _size_problems("original", [draw.answer])


def _level_problems(what: str, template: Template, questions: Sequence[Question], wanted: int) -> list[str]:
    found = []
    if len(questions) != wanted:
        found.append(f"{what}: {len(questions)} draws instead of {wanted}")
    for question in questions:
        where = f"{what} ({question.id})"
        printed = [numbers.only_number(option).value for option in question.options]
        # What is asked for at level 3 was printed nowhere.
        apart = template.apart if question.level in (1, 2) else numbers.USUAL
        if question.level == 3 and template.given is not None:
            apart = APART
        if any(not apart.holds(one, other, question.digits) for one, other in combinations(printed, 2)):
            found.append(f"{where}: options come too close: {', '.join(question.options)}")
        found += _size_problems(where, printed)
    letters = Counter(question.gold for question in questions)
    off = max(abs(letters[letter] * 3 - len(questions)) for letter in LETTERS)
    if len(questions) >= LEAST_FOR_LETTERS and off > len(questions) // 5:
        found.append(f"{what}: the letters are not balanced: {dict(sorted(letters.items()))}")
    return found[:5]


def _size_problems(where: str, values: Sequence[Decimal]) -> list[str]:
    return [f"{where}: {value} is no realistic size" for value in values if not SMALLEST <= abs(value) <= LARGEST]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m counterfoil.memorization.check", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE.toml", help="templates")
    parser.add_argument("--recipes", type=Path, metavar="FILE.toml", help="recipes for the questions of --data")
    parser.add_argument("--data", type=Path, metavar="FILE.json", help="the questions that the recipes are for")
    options = parser.parse_args(argv)
    if bool(options.recipes) != bool(options.data) or not (options.files or options.recipes):
        parser.error("name files of templates, or --recipes together with --data")
    try:
        count = check_templates(options.files) if options.files else 0
        if options.recipes:
            count += check_recipes(options.recipes, options.data)
        return 1 if count else 0
    except UserError as error:
        print(error)
        return 2


def check_templates(files: Sequence[Path]) -> int:
    """Prints what is wrong in these files, and a summary; how many problems there are."""
    count = 0
    templates: list[Template] = []
    for file in files:
        # As from the bank: every seed has another original.
        for template in load_templates(file, "bank"):
            if any(template.id == other.id for other in templates):
                print(f"{file}: template {template.id}: there is another template with this id")
                count += 1
            templates.append(template)
            for problem in problems_of(template):
                print(f"{file}: {problem}", flush=True)
                count += 1
    with_inverse = sum(bool(template.inverses) for template in templates)
    two = sum(has_level(template, 2) for template in templates)
    print(f"{len(templates)} templates, {two} with level 2, {with_inverse} with level 3: {count} problems")
    return count


def check_recipes(file: Path, data: Path) -> int:
    """Prints what is wrong with these recipes, and how many questions they cover; how many problems there are."""
    count = 0
    rows = read_rows(data)
    recipes = load_recipes(file)
    covered = two = 0
    for recipe in recipes:
        try:
            templates, unused = apply([recipe], rows)
            problems = [f"recipe {name}: there is no such question in {data}" for name in unused]
            for template in templates:
                problems += problems_of(template)
                two += has_level(template, 2)
            covered += len(templates)
        except UserError as error:
            problems = [str(error)]
        count += len(problems)
        for problem in problems:
            print(f"{file}: {problem}", flush=True)
    print(f"{len(recipes)} recipes, {two} with level 2, for {covered} of {len(rows)} questions: {count} problems")
    return count


if __name__ == "__main__":
    sys.exit(main())
