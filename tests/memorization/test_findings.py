"""What is wrong with results from elsewhere, counted by hand."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from counterfoil.errors import UserError
from counterfoil.memorization.files import Results
from counterfoil.memorization.importers import finding_estimates, findings, reported_estimates, texts_by_id
from counterfoil.perturbing.making.existing import ExistingQuestion
from counterfoil.stats.metric import Metric


def results(*given: tuple[str, bool, list[dict[str, Any]]], **more: Any) -> Results:
    rows = [
        {"question_id": name, "original": {"answer": "A", "correct": right}, "perturbations": perturbations} | more
        for name, right, perturbations in given
    ]
    return msgspec.convert({"metadata": {"model": "m"}, "results": rows}, Results)


def variant(correct: bool, **more: Any) -> dict[str, Any]:
    return {"level": 1, "valid": True, "model_answer": "B", "correct": correct, "changes_made": ["rate"]} | more


INVALID = {"level": 1, "valid": False}
# Five questions; three have valid variants, one of them without a change, one without an answer.
FIVE = results(
    ("easy_0", True, [variant(True)]),
    ("easy_1", True, [variant(False, changes_made=[])]),
    ("easy_2", False, [variant(False, model_answer=" ")]),
    ("easy_3", True, [INVALID]),
    ("easy_4", False, []),
)
TEXTS = {"easy_0": "What is 2 + 2?", "easy_1": "What is a bond?", "easy_2": "Which one?", "easy_3": "Why?"}


def counted(found: list[tuple[Metric, int, int, str]]) -> dict[str, tuple[int, int]]:
    return {metric.name: (number, total) for metric, number, total, _ in found}


def test_each_finding_by_hand() -> None:
    assert counted(findings(FIVE, None)) == {
        # Two of five have no valid variant, and one of these is right.
        "unpaired": (2, 5),
        "robust_without_variant": (1, 5),
        "unchanged_variants": (1, 3),
        # Five originals and three variants were asked.
        "unread_answers": (1, 8),
    }
    assert counted(findings(FIVE, TEXTS))["variants_without_digits"] == (2, 3)


def test_sentences_hold_the_numbers() -> None:
    for _, number, _, sentence in findings(FIVE, TEXTS):
        assert sentence.endswith(".")
        # Of the unpaired it is said how many are paired.
        assert str(number) in sentence or "variants of 3 of them" in sentence


def test_nothing_is_said_where_nothing_is_wrong() -> None:
    fine = results(("easy_0", True, [variant(True)]), ("easy_1", False, [variant(True)]))
    assert findings(fine, {"easy_0": "1?", "easy_1": "2?"}) == []
    assert finding_estimates(fine, None) == []
    unknown = results(("easy_0", True, [variant(True, changes_made=None)]))
    assert findings(unknown, None) == [], "a file that does not list changes says nothing of them"


def test_findings_as_estimates() -> None:
    made = {it.metric: it for it in finding_estimates(FIVE, None)}
    unchanged = made["unchanged_variants"]
    assert unchanged.value == pytest.approx(1 / 3)
    assert (unchanged.n, unchanged.group, unchanged.model) == (3, {"basis": "finding"}, "m")
    assert unchanged.note == "1 of 3 variants list no change at all."


def test_what_is_reported_has_no_interval() -> None:
    for it in reported_estimates(FIVE):
        assert it.group["basis"] == "reported"
        assert (it.low, it.high) == (None, None)
        assert it.note
    nothing = {(it.metric, len(it.group)): it for it in reported_estimates(results(("easy_0", True, [INVALID])))}
    assert nothing["accuracy_perturbed", 2].value is None, "no valid variant: not defined, and not 0"
    assert nothing["memorization_gap", 1].value is None


def existing(stem: str, gold: int | None) -> ExistingQuestion:
    return ExistingQuestion(stem=stem, options=("1", "2", "3"), gold=gold)


def test_ids_number_the_questions_of_the_dataset() -> None:
    dataset = [existing("zero", 0), existing("one", 0), existing("two", None)]
    texts = texts_by_id(
        dataset, results(("easy_1", True, []), ("easy_2", True, []), ("easy_9", True, []), ("x", True, []))
    )
    assert texts == {"easy_1": "one", "easy_2": "two"}


def test_another_dataset_is_told_by_its_answers() -> None:
    dataset = [existing("zero", 2)]
    one = results(("easy_0", True, []), correct_answer="A")
    with pytest.raises(UserError, match="easy_0 is C in the one and A in the other"):
        texts_by_id(dataset, one)
    assert texts_by_id([existing("zero", 0)], one) == {"easy_0": "zero"}
    assert texts_by_id([existing("zero", None)], one) == {"easy_0": "zero"}, "a gold in doubt proves nothing"
