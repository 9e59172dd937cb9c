"""The templates beside finance: their originals are right, and every level gives valid draws."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import counterfoil.perturbing
from counterfoil.memorization.check import problems_of
from counterfoil.perturbing.templates import draws, numbers
from counterfoil.perturbing.templates.tables import load_templates
from counterfoil.perturbing.templates.template import Template

FOLDER = Path(counterfoil.perturbing.__file__).parent / "everyday"
FILES = ("school_maths", "physics", "dosage", "tax")
BANK = {name: load_templates(FOLDER / f"{name}.toml", "bank") for name in FILES}
TEMPLATES = [template for templates in BANK.values() for template in templates]
TRUTH: dict[str, float] = runpy.run_path(str(Path(__file__).with_name("everyday_truth.py")))["TRUTH"]
SEEDS = 6


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.id)
def test_the_original_is_right(template: Template) -> None:
    answer = draws.work_out(template, draws.original_slots(template)).answer
    assert numbers.printed(answer, template.digits) == f"{TRUTH[template.id]:,.{template.digits}f}"


def test_every_truth_belongs_to_one_template() -> None:
    assert sorted(TRUTH) == sorted(template.id for template in TEMPLATES)


@pytest.mark.parametrize("name", FILES)
def test_a_file_holds_its_topic(name: str) -> None:
    assert {template.topic for template in BANK[name]} == {name.replace("_", " ")}
    assert len(BANK[name]) >= 15
    assert {file.stem for file in FOLDER.glob("*.toml")} == set(FILES)


def test_they_are_as_many_and_as_changeable_as_promised() -> None:
    assert len(TEMPLATES) >= 60
    for template in TEMPLATES:
        assert len(template.changeable) >= 2, template.id
        assert len(template.distractors) >= 3, template.id
        assert min(map(len, template.names.values()), default=3) >= 3, template.id


@pytest.mark.heavy
@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.id)
def test_a_template_gives_valid_draws_at_every_level(template: Template) -> None:
    problems = problems_of(template, SEEDS)
    assert [problem for problem in problems if "letters are not balanced" not in problem] == []
