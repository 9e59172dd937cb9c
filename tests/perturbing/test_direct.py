"""Questions that a model writes: checked for what they claim, and confirmed or refuted by a template."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.perturbing.making import direct
from counterfoil.perturbing.making.asking import Unfit
from counterfoil.perturbing.making.confirming import confirm
from counterfoil.perturbing.making.direct import (
    NO_OPTIONS,
    Source,
    content,
    prompt,
    question_in,
    read_written,
    unconfirmed_original,
)
from counterfoil.perturbing.making.existing import ExistingQuestion
from counterfoil.perturbing.questions import Change, Question, encode_set, parse_set
from counterfoil.perturbing.templates import numbers
from counterfoil.perturbing.templates.tables import parse_templates
from counterfoil.perturbing.templates.variants import make_original
from worked_example import worked_example

# The CFA study's question and its example, with the options that the example leaves out.
STEM = (
    "At a {rate}% interest rate per year compounded annually, the PV of a {years}-year ordinary annuity with annual "
    "payments of ${payment} is ${pv}. The PV of a {years}-year annuity due is closest to:"
)
TABLE = Path(__file__).parent / "annuity.toml"
(TEMPLATE,) = parse_templates(
    TABLE.read_bytes().replace(b"{person} reads that at a", b"{person}: At a"), "annuity.toml"
)
ORIGINAL = make_original(TEMPLATE, 0)
SOURCE = Source(ORIGINAL.question, ORIGINAL)
# 2,000 × (1 − 1.07^−10) ÷ 0.07 = 14,047.16; × 1.07 = 15,030.46.
LETTER_B = {"perturbed_answer": "B"}
OPTIONS = " A: $13,128.19, B: $15,030.46, C: $16,047.16"


def text(rate: str = "7", years: str = "10", payment: str = "2,000", pv: str = "14,047.16") -> str:
    return "Dana: " + STEM.format(rate=rate, years=years, payment=payment, pv=pv)


def reply(**fields: Any) -> dict[str, Any]:
    return {
        "perturbed_question": text() + OPTIONS,
        "perturbed_answer": "$15,030.46",
        "changes_made": ["interest rate changed from 5% to 7%"],
        "solution_steps": "PV_due = PV_ordinary × (1+r) = 14,047.16 × 1.07 = 15,030.46",
        **fields,
    }


def read(
    fields: dict[str, Any], level: int = 1, source: Source = SOURCE, earlier: list[Question] | None = None
) -> Question:
    return question_in(json.dumps(fields), source=source, level=level, earlier=earlier or [], seed=0)


def test_the_original_is_the_seeds() -> None:
    assert ORIGINAL.question.text == text("5", pv="15,443.47")
    assert ORIGINAL.question.value == "$16,215.64"


def test_the_example_of_the_cfa_study_is_verified() -> None:
    question = read(reply())
    assert question.status == "verified"
    assert question.text == text().rstrip()
    assert sorted(question.options) == ["$13,128.19", "$15,030.46", "$16,047.16"]
    assert question.options["ABC".index(question.gold)] == question.value == "$15,030.46"
    assert question.changes == (Change(name="interest rate", before="5%", after="7%"),)
    assert (question.level, question.source, question.parent, question.old) == (1, "direct", "annuity-due/0", None)
    assert (question.digits, question.percent) == (2, False)
    assert question.computed is not None
    assert question.computed.decimal == "15030.4612", "14,047.16 × 1.07"
    assert question.steps.endswith("= 15,030.46")


@pytest.mark.parametrize(
    ("fields", "level", "status"),
    [
        ({}, 1, "verified"),
        # By the letter, by the bare number, with less precision, in other white space.
        ({"perturbed_answer": "B"}, 1, "verified"),
        ({"perturbed_answer": "B: $15,030.46"}, 1, "verified"),
        ({"perturbed_answer": 15030.46}, 1, "verified"),
        ({"perturbed_question": text().replace(" ", "\n ") + OPTIONS}, 1, "verified"),
        ({"perturbed_question": text() + "\n(A) $13,128\n(B) $15,030\n(C) $16,047"} | LETTER_B, 1, "verified"),
        # The wrong option is called right; the PV was not recomputed; it was recomputed wrongly.
        ({"perturbed_answer": "A"}, 1, "refuted"),
        ({"perturbed_question": text(pv="15,443.47") + OPTIONS}, 1, "refuted"),
        ({"perturbed_question": text(pv="14,047.00") + OPTIONS}, 1, "refuted"),
        # A second number was changed, and not told.
        ({"perturbed_question": text(payment="3,000", pv="21,070.74") + " A: $1, B: $22,545.69, C: $3",
          "perturbed_answer": "B"}, 1, "refuted"),
        # Other words: nothing can be said.
        ({"perturbed_question": "Now " + text() + OPTIONS}, 1, "unverified"),
        # Two at level 2. 2,000 × (1 − 1.07^−15) ÷ 0.07 = 18,215.83; × 1.07 = 19,490.94.
        ({"perturbed_question": text(years="15", pv="18,215.83") + " A: $17,024.14, B: $19,490.94, C: $20,215.83",
          "perturbed_answer": "$19,490.94",
          "changes_made": ["interest rate changed from 5% to 7%", "years from 10 years to 15 years"]}, 2, "verified"),
    ],
)  # fmt: skip
def test_the_template_tells(fields: dict[str, Any], level: int, status: str) -> None:
    assert read(reply(**fields), level).status == status


INVERSE = (
    "Dana pays ${answer} for a 10-year annuity due with annual payments of $2,000. "
    "The interest rate per year, compounded annually, is closest to:"
)


@pytest.mark.parametrize(
    ("pays", "answer", "status"),
    [
        ("15,030.46", "7.0%", "verified"),
        # 7 % is the nearest whole percent.
        ("15,000.00", "7%", "verified"),
        ("15,030.46", "6.0%", "refuted"),
        ("15,030.46", "8.5%", "refuted"),
    ],
)
def test_at_level_3_the_answer_is_put_back(pays: str, answer: str, status: str) -> None:
    fields = reply(
        perturbed_question=INVERSE.format(answer=pays) + f" A: 1.0%, B: {answer}, C: 20.0%",
        perturbed_answer=answer,
        changes_made=["asks for the interest rate instead of the PV"],
    )
    question = read(fields, 3)
    assert question.status == status
    assert question.percent
    assert question.value == answer
    assert question.changes[0].after == "asks for the interest rate instead of the PV"


def test_without_a_template_nothing_is_confirmed() -> None:
    existing = ExistingQuestion(stem=ORIGINAL.question.text, options=ORIGINAL.question.options, gold=0)
    original = unconfirmed_original(existing)
    assert original.status == "unverified"
    question = read(reply(), source=Source(original))
    assert question.status == "unverified"
    assert question.computed is None
    assert question.parent == original.id == f"direct-{existing.sha256[:12]}/0"


@pytest.mark.parametrize("ending", ["", " ...", " …"])
def test_without_options_the_templates_mistakes_are_the_wrong_ones(ending: str) -> None:
    question = read(reply(perturbed_question=text() + ending))
    # 14,047.16 ÷ 1.07 and 14,047.16 + 2,000.
    assert sorted(question.options) == ["$13,128.19", "$15,030.46", "$16,047.16"]
    assert question.text == text().rstrip()
    assert question.status == "verified"


def test_without_options_and_template_the_originals_are_scaled() -> None:
    original = unconfirmed_original(ExistingQuestion(stem="Half of 10 is:", options=("5.0", "10.0", "20.0"), gold=0))
    fields = reply(perturbed_question="Half of 12 is:", perturbed_answer="6", changes_made=["number from 10 to 12"])
    # 6 × 10 ÷ 5 and 6 × 20 ÷ 5.
    assert sorted(read(fields, source=Source(original)).options) == ["12.0", "24.0", "6.0"]


def test_the_letters_of_the_gold_go_round() -> None:
    earlier: list[Question] = []
    for rate in range(6, 12):
        fields = reply(
            perturbed_question=text(rate=str(rate)) + f" A: $1, B: ${rate}00.00, C: $3",
            perturbed_answer="B",
            changes_made=[f"rate from 5% to {rate}%"],
        )
        earlier.append(read(fields, earlier=earlier))
    assert sorted(question.gold for question in earlier) == list("AABBCC")


@pytest.mark.parametrize(
    ("fields", "kind", "said"),
    [
        ({"perturbed_question": ""}, direct.INCOMPLETE, "perturbed_question is missing"),
        ({"perturbed_answer": None}, direct.INCOMPLETE, "perturbed_answer is missing"),
        ({"solution_steps": {}}, direct.INCOMPLETE, "solution_steps is missing"),
        ({"changes_made": [1]}, direct.INCOMPLETE, "changes_made is no list of texts"),
        ({"perturbed_question": "x" * 30_000}, direct.INCOMPLETE, "longer than 20,000 characters"),
        ({"perturbed_question": text("5", pv="15,443.47") + OPTIONS}, direct.SAME, "is the original"),
        ({"changes_made": []}, direct.NOT_CHANGED, "changes_made is empty"),
        ({"changes_made": ["rate from 5% to 7%", "years from 10 to 15"]}, direct.NOT_CHANGED, "2 entries instead of 1"),
        ({"changes_made": ["the rate is higher"]}, direct.NOT_CHANGED, "does not say from which number to which"),
        ({"changes_made": ["rate from 5% to 8%"]}, direct.NOT_CHANGED, "is not what was changed"),
        ({"changes_made": ["rate from 6% to 7%"]}, direct.NOT_CHANGED, "is not what was changed"),
        ({"changes_made": ["years from 10 to 7"]}, direct.NOT_CHANGED, "is not what was changed"),
        ({"perturbed_answer": "$15,030.47"}, NO_OPTIONS, "not exactly one of the options"),
        ({"perturbed_answer": "none of these"}, NO_OPTIONS, "has no number"),
        ({"perturbed_question": text() + " A: $15,030.46, B: $15,030.46, C: $1"}, NO_OPTIONS, "exactly one"),
        ({"perturbed_question": text() + " A: up, B: $15,030.46, C: $1"}, NO_OPTIONS, "'up' has no number"),
        ({"perturbed_question": text() + " A: $16,215.64, B: $15,030.46, C: $1"}, direct.OLD_ANSWER, "original"),
    ],
)  # fmt: skip
def test_what_does_not_hold_is_rejected_with_its_reason(fields: dict[str, Any], kind: str, said: str) -> None:
    with pytest.raises(Unfit) as unfit:
        read(reply(**fields))
    assert unfit.value.kind == kind, str(unfit.value)
    assert said in str(unfit.value)


def test_a_version_is_not_repeated() -> None:
    first = read(reply())
    with pytest.raises(Unfit) as unfit:
        read(reply(), earlier=[first])
    assert unfit.value.kind == direct.REPEATED


@pytest.mark.parametrize("level", [1, 2, 3])
def test_the_prompts_example_passes_its_own_checks(level: int) -> None:
    (line,) = [line for line in prompt(level).split("\n") if line.startswith('{"perturbed_question"')]
    original = make_original(worked_example(), 0)
    written = read_written(line, original.question, level)
    assert written.options is not None
    assert len(written.changes) == (2 if level == 2 else 1)
    if level < 3:
        answer = numbers.read(written.answer)
        assert confirm(original, level, written.text, answer).status == "verified"


def test_the_model_is_told_what_earlier_versions_changed() -> None:
    told = content(ORIGINAL.question, 1, 5, [read(reply())])
    assert told.startswith(f"Question: {ORIGINAL.question.text}\nOptions:\nA: ")
    assert told.endswith("Version 2 of 5.\n\nEarlier versions:\n- interest rate from 5% to 7%")


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=30)
    | st.sampled_from(["A", "1 to 2", "B:"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from(direct.FIELDS), anything, min_size=1, max_size=2), st.sampled_from([1, 2, 3]))
def test_whatever_a_field_holds_it_is_accepted_or_rejected(fields: dict[str, Any], level: int) -> None:
    try:
        question = read(reply(**fields), level)
    except Unfit:
        return
    parse_set(encode_set([ORIGINAL.question, msgspec.structs.replace(question, id="x")]), "it can be written")


@given(st.text(alphabet="ABC:.,;() 12\n", max_size=60))
def test_options_are_split_off_any_text(ending: str) -> None:
    try:
        written = read_written(json.dumps(reply(perturbed_question=text() + ending)), ORIGINAL.question, 1)
    except Unfit:
        return
    assert written.options is None or len(set(written.options)) == 3
