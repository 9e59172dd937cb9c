"""Published templates in files, beside GSM8K's questions, and as frozen sets."""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest

from counterfoil.datasets import registry
from counterfoil.datasets.registry import DataFile
from counterfoil.errors import UserError
from counterfoil.memorization.options import OPTIONS
from counterfoil.memorization.questions import load_set, sentences_about
from counterfoil.perturbing.making.perturb import perturb
from counterfoil.perturbing.making.report import PerturbRequest, report_text
from counterfoil.perturbing.questions import Question, read_set
from counterfoil.perturbing.symbolic.moves import near
from counterfoil.perturbing.symbolic.published import template_of
from counterfoil.perturbing.symbolic.sources import is_published, load_published
from counterfoil.perturbing.templates import draws
from counterfoil.perturbing.templates.variants import CONTROLS, variants_as_far_as_possible
from counterfoil.suite.options import with_defaults
from symbolic_rows import EGGS, SOLUTION, TRIP, row

SHARED = Path(__file__).parents[4] / "shared" / "data" / "gsm"
QUESTIONS = [{"question": f"What is {n} + 1?", "answer": f"{n} + 1 = {n + 1}\n#### {n + 1}"} for n in range(4)]
EGGS_ROW = {
    "question": "Ada's  own words", "answer": "#### 9", "id_orig": 1, "question_annotated": EGGS,
    "answer_annotated": SOLUTION,
}  # fmt: skip
WRONG_ROW = EGGS_ROW | {"id_orig": 2, "answer": "#### 10"}


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    """Four questions; the second has a template, and so has the third, whose formula is wrong."""
    rows = list(QUESTIONS)
    rows[1] = {"question": "Ada's own words", "answer": "#### 9"}
    rows[2] = {"question": "Ada's own words", "answer": "#### 10"}
    (tmp_path / "0000.json").write_text(json.dumps(EGGS_ROW, indent=1), encoding="utf-8")
    (tmp_path / "0001.json").write_text(json.dumps(WRONG_ROW), encoding="utf-8")
    return write(tmp_path / "test.jsonl", rows)


def test_templates_are_found_in_a_file_and_beside_the_questions(tmp_path: Path, questions: Path) -> None:
    alone = load_published(write(tmp_path / "all.jsonl", [EGGS_ROW, WRONG_ROW]))
    beside = load_published(questions)
    assert (
        [template.id for template in alone.templates] == [template.id for template in beside.templates] == ["gsm8k-1"]
    )
    assert (alone.questions, beside.questions) == (2, 4)
    assert [(one.id, one.kind) for one in beside.refused] == [
        ("gsm8k-2", "its formula does not give the original's answer")
    ]


def test_a_template_of_another_question_is_not_used(tmp_path: Path, questions: Path) -> None:
    (tmp_path / "0002.json").write_text(json.dumps(EGGS_ROW | {"id_orig": 3}), encoding="utf-8")
    refused = load_published(questions).refused
    assert ("gsm8k-3", "its original is not the question of its line") in [(one.id, one.kind) for one in refused]


def test_what_was_fetched_is_found_by_its_name(
    tmp_path: Path, questions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COUNTERFOIL_CACHE", str(tmp_path))
    folder = tmp_path / "data" / "gsm8k"
    folder.mkdir(parents=True)
    files = []
    for path in (questions, tmp_path / "0000.json", tmp_path / "0001.json"):
        (folder / path.name).write_bytes(path.read_bytes())
        files.append(DataFile(name=path.name, url="", sha256=hashlib.sha256(path.read_bytes()).hexdigest()))
    [gsm8k] = [one for one in registry.DATASETS if one.name == "gsm8k"]
    monkeypatch.setattr(registry, "DATASETS", [msgspec.structs.replace(gsm8k, files=tuple(files))])
    assert [template.id for template in load_published(None).templates] == ["gsm8k-1"]
    # A copy of the questions alone is changed by the templates that were fetched.
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "mine.jsonl").write_bytes(questions.read_bytes())
    assert [template.id for template in load_published(alone / "mine.jsonl").templates] == ["gsm8k-1"]
    (folder / "0001.json").write_text("{}", encoding="utf-8")
    for changed in (None, alone / "mine.jsonl"):
        with pytest.raises(UserError, match="no templates to change them by"):
            load_published(changed)


def test_the_registry_pins_the_questions_and_names_a_hundred_templates() -> None:
    [gsm8k] = [one for one in registry.DATASETS if one.name == "gsm8k"]
    assert [file.sha256 is not None for file in gsm8k.files] == [True, *[False] * 100]
    path = SHARED / "gsm8k_test.jsonl"
    if path.is_file():
        assert hashlib.sha256(path.read_bytes()).hexdigest() == gsm8k.files[0].sha256


def test_what_is_neither_is_refused(tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    with pytest.raises(UserError, match="no templates to change them by"):
        load_published(write(alone / "test.jsonl", QUESTIONS))
    with pytest.raises(UserError, match="neither GSM8K's questions nor GSM-Symbolic's templates"):
        load_published(write(alone / "other.jsonl", [{"x": 1}]))
    assert not is_published(alone / "other.jsonl")
    assert is_published(alone / "test.jsonl")


def made(questions: Path, out: Path) -> Any:
    request = PerturbRequest(source="gsm8k", data=questions, out=out, levels=(1, 2), controls=True, draws=3)
    return perturb(request, lambda sentence: None)


def test_a_set_has_the_originals_own_words_and_says_what_was_left_out(tmp_path: Path, questions: Path) -> None:
    report = made(questions, tmp_path / "set.jsonl")
    assert (report.existing, report.perturbable) == (4, 1)
    assert report.set_aside == {
        "no template is published for it": 2,
        "its formula does not give the original's answer": 1,
    }
    assert "set aside: no template is published for it" in report_text(report)
    found = list(read_set(tmp_path / "set.jsonl"))
    assert found[0].text == "Ada's  own words"
    assert {one.source for one in found} == {"published"}
    assert {one.source_id for one in found} == {"gsm8k_1"}
    changed = [one for one in found if one.level == 1]
    assert len(changed) == 3
    assert all(one.text.startswith("Ada fills ") and len(one.changes) == 1 for one in changed)


def test_a_run_draws_from_published_templates(questions: Path) -> None:
    settings = with_defaults(OPTIONS, {"draws": 2})
    found = load_set(str(questions), settings)
    assert {one.template for one in found} == {"gsm8k-1"}
    assert sentences_about(found.name, found.about)[0] == (
        "Of the 4 questions of test.jsonl, 1 can be changed by numbers with published templates: these alone can be "
        "asked, and the figures are about them."
    )


def test_numbers_that_are_tied_change_together() -> None:
    # Where a total must stay the sum of the others, no number can change alone.
    tied = TRIP.replace("- $total = a + b + left", "- $total = range(100, 300, 10)").replace(
        "- k == a + b", "- k == a + b\n- total == k + left"
    )
    template = template_of(row(tied, "#### 150", ""), "trip")
    assert {len(changed) for changed in template.moves[1]} == {2}
    assert {len(changed) for changed in template.moves[2]} == {3}
    for changed in (*template.moves[1], *template.moves[2]):
        draw = draws.work_out(template, draws.original_slots(template) | changed)
        assert draw.answer != 150


def test_values_are_drawn_near_the_original() -> None:
    slot = template_of(row(EGGS.replace("range(6, 25, 6)", "range(6, 600, 6)")), "eggs").slots["n"]
    # 6 to 24, the double of 12, and six values at least.
    assert [slot.value(number) for number in range(slot.choices)] == [6, 12, 18, 24, 30, 36]
    assert near(slot._replace(original=Decimal(100))).value(0) == 6
    far = near(slot._replace(low=Decimal(600), choices=90))
    assert [far.value(0), far.value(far.choices - 1)] == [600, 630]


@pytest.mark.heavy
def test_published_templates_give_their_sets() -> None:
    path = SHARED / "gsm8k_test.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is not here")
    found = load_published(path)
    assert (len(found.templates), found.questions, found.refused) == (50, 1319, [])
    for template in found.templates:
        assert 1 in template.moves, template.id
        for changed in template.moves[1][:5]:
            draw = draws.work_out(template, draws.original_slots(template) | changed)
            assert draw.answer == draw.answer.to_integral_value()
            assert draw.values["answer"] == msgspec.convert(str(draw.check), Decimal)


def test_variants_have_options_like_those_of_the_original() -> None:
    template = template_of(row(TRIP, "#### 150", ""), "trip")
    questions, refused = variants_as_far_as_possible(template, 0, (1, 2), CONTROLS, True, 5)
    assert not refused

    def rank(question: Question) -> int:
        values = [Decimal(option.replace(",", "")) for option in question.options]
        return sorted(values).index(Decimal(question.value.replace(",", "")))

    # The gold stands at the same place among the options by size, so that no rule by size tells the arms apart.
    assert {rank(one) for one in questions if one.control != "lure"} == {rank(questions[0])}
