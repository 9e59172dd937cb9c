"""Every template of the bank, and every recipe, by the checker that its authors use; benchmarks/ draws 100,000."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from counterfoil.memorization.check import problems_of
from counterfoil.perturbing.making.existing import load_existing
from counterfoil.perturbing.making.recipes import apply, shipped_recipes
from counterfoil.perturbing.templates.tables import load_bank
from counterfoil.perturbing.templates.template import Template
from counterfoil.perturbing.templates.variants import make_variants

pytestmark = pytest.mark.heavy

EASY = Path(__file__).parents[2].parent / "shared" / "data" / "cfa" / "cfa_easy.json"
# Of each level there are five draws for each seed: too few to tell of each template whether its letters are balanced.
SEEDS = 6


def problems(template: Template, seeds: int) -> list[str]:
    return [problem for problem in problems_of(template, seeds) if "letters are not balanced" not in problem]


@pytest.mark.parametrize("template", load_bank(), ids=lambda template: template.id)
def test_a_template_gives_valid_draws_at_every_level(template: Template) -> None:
    assert problems(template, SEEDS) == []


def test_letters_are_balanced_over_the_bank() -> None:
    questions = [question for template in load_bank() for question in make_variants(template, 0, (1,), count=5)]
    letters = Counter(question.gold for question in questions if question.level)
    # 555 draws in rotation: a third each, but for where the rotations start.
    assert letters.total() == 555
    assert all(abs(number - 185) <= 20 for number in letters.values())


def test_the_bank_is_as_large_as_it_must_be() -> None:
    bank = load_bank()
    # At least 80, each with two slots that can change, half of them with a text that asks for another unknown.
    assert len(bank) >= 80
    assert all(len(template.changeable) >= 2 for template in bank)
    assert 2 * sum(bool(template.inverses) for template in bank) >= len(bank)
    assert len({template.topic for template in bank}) == 9


@pytest.mark.skipif(not EASY.exists(), reason="../shared/data/cfa is not here: it holds the questions of the recipes")
def test_a_hundred_recipes_reproduce_their_questions() -> None:
    rows = [{"text": question.text, "gold": question.gold} for question in load_existing(EASY)]
    templates, unused = apply(shipped_recipes(), rows)
    assert len(templates) >= 100
    assert unused == []
    assert len(rows) == 1032
    for template in templates:
        assert problems(template, 1) == [], template.id
