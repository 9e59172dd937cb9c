"""The originals of five files of the bank come to what an independent computation says."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

import counterfoil.perturbing
from counterfoil.perturbing.templates import draws, numbers
from counterfoil.perturbing.templates.tables import load_templates
from counterfoil.perturbing.templates.template import Template

SAMPLES = Path(counterfoil.perturbing.__file__).parent / "bank"
FILES = ("economics", "financial_statement_analysis", "equity", "alternative_investments", "portfolio_management")
BANK = {name: load_templates(SAMPLES / f"{name}.toml", "bank") for name in FILES}
TEMPLATES = [template for templates in BANK.values() for template in templates]
TRUTH: dict[str, Any] = runpy.run_path(str(Path(__file__).with_name("bank_truth_2.py")))["TRUTH"]


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.id)
def test_the_original_is_right(template: Template) -> None:
    answer = draws.work_out(template, draws.original_slots(template)).answer
    assert numbers.printed(answer, template.digits) == f"{float(TRUTH[template.id]):,.{template.digits}f}"


def test_every_truth_belongs_to_one_template() -> None:
    assert sorted(TRUTH) == sorted(template.id for template in TEMPLATES)


@pytest.mark.parametrize("name", FILES)
def test_a_file_holds_its_topic(name: str) -> None:
    assert {template.topic for template in BANK[name]} == {name.replace("_", " ")}
    assert len(BANK[name]) >= 9


def test_the_bank_is_as_large_and_as_changeable_as_promised() -> None:
    assert len(TEMPLATES) >= 48
    assert sum(bool(template.inverses) for template in TEMPLATES) >= 28
    for template in TEMPLATES:
        assert len(template.changeable) >= 2, template.id
        assert min(map(len, template.names.values()), default=0) >= 3, template.id
