"""Responders without memory show none: on the bank, on public questions, and on any set that is written."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean, stdev

import pytest

from counterfoil.errors import UserError
from counterfoil.perturbing.balance import GAP, MOST, Figures, speaks_of_memory
from counterfoil.perturbing.content import contents
from counterfoil.perturbing.making.perturb import perturb
from counterfoil.perturbing.making.recipes import apply, shipped_recipes
from counterfoil.perturbing.making.report import PerturbRequest, report_path
from counterfoil.perturbing.placebos import RULES, SOLVERS
from counterfoil.perturbing.questions import Question, read_set
from counterfoil.perturbing.templates.tables import load_bank
from counterfoil.perturbing.templates.template import Template
from counterfoil.perturbing.templates.variants import CONTROLS, variants_as_far_as_possible
from leaning import LEANING

CFA = Path(__file__).parents[3] / "shared" / "data" / "cfa" / "cfa_easy.json"


def drawn(templates: list[Template], seed: int, count: int) -> list[Question]:
    return [
        question
        for template in templates
        for question in variants_as_far_as_possible(template, seed, [1, 2], CONTROLS, True, count)[0]
    ]


def means(templates: list[Template], seeds: range, count: int = 5) -> dict[tuple[str, str], list[float]]:
    """What each placebo shows of each figure that speaks of memory, set by set."""
    found: dict[tuple[str, str], list[float]] = {}
    for seed in seeds:
        for one in Figures(drawn(templates, seed, count)).leanings((*RULES, *SOLVERS)):
            if speaks_of_memory(one.figure):
                found.setdefault((one.placebo, one.figure), []).append(one.value)
    return found


@pytest.mark.heavy
def test_on_the_bank_no_placebo_shows_memory() -> None:
    for key, values in means(load_bank(), range(4), count=2).items():
        # The originals are drawn, too: a set of 111 has an error of about 0.045. What chance leaves is allowed for.
        assert abs(fmean(values)) <= MOST + 3 * stdev(values) / len(values) ** 0.5, (key, fmean(values))


@pytest.mark.heavy
def test_on_public_questions_no_placebo_shows_memory() -> None:
    if not CFA.is_file():
        pytest.skip(f"there is no {CFA}")
    templates, _ = apply(shipped_recipes(), json.loads(CFA.read_bytes()))
    for (placebo, figure), values in means(templates, range(3)).items():
        # What is printed in the originals stays as it is, so that habits show in the gap: there is a band for that.
        if figure != GAP:
            assert abs(fmean(values)) <= MOST, (placebo, figure, fmean(values))
        elif not placebo.startswith("always"):
            assert abs(fmean(values)) < 0.06, (placebo, fmean(values))


def leaning(tmp_path: Path) -> str:
    path = tmp_path / "leaning.toml"
    path.write_text("".join(LEANING.format(number=number) for number in range(10)), encoding="utf-8")
    return str(path)


def test_a_set_on_which_placebos_show_memory_is_refused(tmp_path: Path) -> None:
    request = PerturbRequest(source=leaning(tmp_path), out=tmp_path / "set.jsonl")
    with pytest.raises(UserError, match=r"Responders without memory show some on this set: .*middle: gap \+1") as error:
        perturb(request, lambda text: None)
    assert "--allow-unbalanced" in str(error.value)
    assert not (tmp_path / "set.jsonl").exists()


def test_it_is_written_where_that_is_allowed_and_says_so(tmp_path: Path) -> None:
    request = PerturbRequest(source=leaning(tmp_path), out=tmp_path / "set.jsonl", allow_unbalanced=True)
    report = perturb(request, lambda text: None)
    assert any(told.startswith("middle: gap +1.000") for told in report.unbalanced)
    written = json.loads(report_path(tmp_path / "set.jsonl").read_bytes())
    assert written["unbalanced"] == report.unbalanced
    original, level_1 = contents(read_set(tmp_path / "set.jsonl"))
    assert (original.arm, original.questions, original.texts) == ("original", 10, 10)
    assert (level_1.arm, level_1.questions) == ("level 1", 50)
    # 510 beside 560 and 420: 50 of 510; nothing is rounded; who takes the middle is always right.
    assert original.nearest == pytest.approx(50 / 510)
    assert (original.exact, original.right["middle"], level_1.right["middle"]) == (1.0, 1.0, 0.0)


def test_few_templates_can_not_tell(tmp_path: Path) -> None:
    path = tmp_path / "few.toml"
    path.write_text(LEANING.format(number=1), encoding="utf-8")
    report = perturb(PerturbRequest(source=str(path), out=tmp_path / "set.jsonl"), lambda text: None)
    assert report.unbalanced == []
