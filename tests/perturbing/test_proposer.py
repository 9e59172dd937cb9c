"""Proposed templates: accepted only if they give back the original, its numbers, its words and its gold."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annuity_proposal import PROPOSAL, QUESTION
from counterfoil.errors import UserError
from counterfoil.perturbing.making import asking, proposer
from counterfoil.perturbing.making.asking import Unfit
from counterfoil.perturbing.making.existing import ExistingQuestion
from counterfoil.perturbing.making.proposer import content, prompt, read_proposal
from counterfoil.perturbing.templates.template import Template
from counterfoil.perturbing.templates.variants import make_original, make_variants
from worked_example import worked_example


def draw(template: Template) -> object:
    return make_variants(template, 3, (1, 2), count=3)


def read(proposal: dict[str, Any], question: ExistingQuestion = QUESTION, wrap: str = "{}") -> Template:
    return read_proposal(wrap.replace("{}", json.dumps(proposal)), question, draw)


def changed(**fields: Any) -> dict[str, Any]:
    return {**PROPOSAL, **fields}


@pytest.mark.parametrize("wrap", ["{}", "```json\n{}\n```", "Here it is:\n{}\nI hope it helps."])
def test_a_template_that_gives_back_the_original_is_accepted(wrap: str) -> None:
    template = read(PROPOSAL, wrap=wrap)
    original = make_original(template, 0).question
    assert original.text == QUESTION.stem
    assert original.options == QUESTION.options
    assert (original.gold, original.value) == ("B", "$16,215.64")
    assert original.source == "proposed"
    assert original.status == "verified"
    assert original.topic == "time value of money"
    variants = make_variants(template, 3, (1, 2), count=3)
    assert all(option.startswith("$") for variant in variants for option in variant.options)


def test_white_space_and_quotes_may_differ() -> None:
    question = ExistingQuestion(stem=f"Dana’s  note: {QUESTION.stem}", options=QUESTION.options, gold=1)
    assert read(changed(text=f"Dana's note: {PROPOSAL['text']}"), question).id != read(PROPOSAL).id


def test_names_stand_in_options_too() -> None:
    question = ExistingQuestion(
        stem=f"Dana reads: {QUESTION.stem}", options=tuple(f"Dana pays {option}" for option in QUESTION.options), gold=1
    )
    proposal = changed(text=f"{{who}} reads: {PROPOSAL['text']}", names={"who": ["Dana", "Imani"]})
    template = read(proposal, question)
    (_, renamed) = make_variants(template, 0, (), ("renamed",), count=1)
    assert renamed.text.startswith("Imani reads: At a 5% ")
    assert renamed.options[1] == "Imani pays $16,215.64"


def test_what_the_question_gives_is_not_taken_from_the_model() -> None:
    proposal = changed(gold="A", options=["1", "2", "3"], prefix="€", id="x", slack=100, digits=0)
    original = make_original(read(proposal), 0).question
    assert original.options == QUESTION.options
    assert original.gold == "B"
    assert original.template == f"proposed-{QUESTION.sha256[:12]}"


@pytest.mark.parametrize(
    ("fields", "kind", "said"),
    [
        # A wrong formula, with a check that has the same mistake, or with one that tells.
        ({"answer": "pv", "check": "annuity(rate, years, payment)"}, proposer.OTHER_ANSWER, "the gold option B is"),
        ({"answer": "pv / (1 + rate)"}, proposer.CHECK_DIFFERS, "one of the two expressions is wrong"),
        # It gives a wrong option.
        ({"answer": "pv + payment", "check": "payment + pv"}, proposer.OTHER_ANSWER, "the gold option B is 16215.64"),
        # A number is missing, or another one stands in its place.
        ({"text": PROPOSAL["text"].replace("{rate}%", "7% not {rate}%")},
         proposer.OTHER_NUMBERS, "it has 7, which the question has not"),
        ({"text": PROPOSAL["text"].replace(" is ${pv}", "")}, proposer.OTHER_NUMBERS, "it lacks the question's 15"),
        ({"slots": {**PROPOSAL["slots"], "rate": {**PROPOSAL["slots"]["rate"], "original": "6"}}},
         proposer.OTHER_NUMBERS, "it lacks the question's 5, 15,443.47"),
        # The words are other ones.
        ({"text": PROPOSAL["text"].replace("ordinary ", "")}, proposer.OTHER_WORDS, "word for word"),
        ({"text": PROPOSAL["text"] + " Hm?"}, proposer.OTHER_WORDS, "word for word"),
        # No template at all.
        ({"slots": {}}, proposer.NO_TEMPLATE, "slots: none of them can be changed"),
        ({"slots": 3}, proposer.NO_TEMPLATE, "its slots is a whole number, and must be an object"),
        ({"distractors": ["1"]}, proposer.NO_TEMPLATE, "distractors: there must be two or more"),
        ({"text": "{nix}"}, proposer.NO_TEMPLATE, "{nix} is nothing that can be printed there"),
        ({"names": {"who": [["x"]]}}, proposer.NO_TEMPLATE, "names"),
        # Expressions that want more than the language has.
        ({"answer": "__import__('os').system('true')"}, proposer.NO_TEMPLATE, "answer: "),
        ({"answer": "().__class__"}, proposer.NO_TEMPLATE, "answer: "),
        ({"answer": "9**9**9"}, proposer.NO_TEMPLATE, "answer: "),
        ({"check": "sum(i, 1, 10^12, i)"}, proposer.NO_TEMPLATE, "a sum of more than 10,000 terms"),
        ({"check": "sum(i, 1, payment * 10^9, i)"}, proposer.NOT_COMPUTED, "a sum of more than 10,000 terms"),
        ({"conditions": ["open('x') > 1"]}, proposer.NO_TEMPLATE, "conditions[0]: "),
        ({"answer": "(" * 500 + "pv" + ")" * 500}, proposer.NO_TEMPLATE, "nested deeper"),
        ({"answer": "pv" + " + 0" * 5_000}, proposer.NO_TEMPLATE, "the expression is too long"),
        # The original holds, but nothing else does.
        ({"conditions": ["rate == 0.05", "years == 10", "payment == 2000"]}, proposer.NO_DRAWS, "no draw 1 of level 1"),
    ],
)  # fmt: skip
def test_what_does_not_hold_is_rejected_with_its_reason(fields: dict[str, Any], kind: str, said: str) -> None:
    with pytest.raises(Unfit) as unfit:
        read(changed(**fields))
    assert (unfit.value.kind, unfit.value.is_final) == (kind, False), str(unfit.value)
    assert said in str(unfit.value)


@pytest.mark.parametrize(
    ("reply", "kind", "final"),
    [
        ("", asking.UNREADABLE, False),
        ("I'd rather not.", asking.UNREADABLE, False),
        ('{"answer": ', asking.UNREADABLE, False),
        ("[1, 2]", asking.UNREADABLE, False),
        ('{"answer": "1"} or {"answer": "2"}', asking.UNREADABLE, False),
        ("{" * 100_000, asking.UNREADABLE, False),
        ('{"impossible": "It is a matter of taste."}', proposer.IMPOSSIBLE, True),
        ('{"answer": 16215.64}', proposer.NO_TEMPLATE, False),
    ],
)
def test_a_reply_without_a_template(reply: str, kind: str, final: bool) -> None:
    with pytest.raises(Unfit) as unfit:
        read_proposal(reply, QUESTION, draw)
    assert (unfit.value.kind, unfit.value.is_final) == (kind, final)


def test_a_template_that_fits_two_options_is_rejected() -> None:
    # 15,443.47 × 1.05 = 16,215.6435: as printed it is the gold, but nearly as close to the other.
    question = ExistingQuestion(stem=QUESTION.stem, options=("$16,215.65", "$16,215.64", "$17,443.47"), gold=1)
    with pytest.raises(Unfit, match="fits the wrong option A, too"):
        read(PROPOSAL, question)


def test_what_can_not_be_drawn_is_sent_back() -> None:
    def refuse(template: Template) -> None:
        raise UserError("no draws.")

    with pytest.raises(Unfit) as unfit:
        read_proposal(json.dumps(PROPOSAL), QUESTION, refuse)
    assert (unfit.value.kind, str(unfit.value)) == (proposer.NO_DRAWS, "no draws")


def test_a_formula_that_would_hold_up_all_others_is_sent_back(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(PROPOSAL)
    monkeypatch.setattr(proposer, "SLOWEST", 0.0)
    with pytest.raises(Unfit) as unfit:
        read(PROPOSAL)
    assert unfit.value.kind == proposer.TOO_SLOW


def test_the_prompt_has_all_functions_and_an_example_that_is_accepted() -> None:
    text = prompt()
    assert "bond_price(coupon_rate, yield, years, per_year, face)" in text
    assert "<functions>" not in text
    (line,) = [line for line in text.split("\n") if line.startswith('{"topic"')]
    shown = make_original(worked_example(), 0).question
    gold = "ABC".index(shown.gold)
    # The question of the prompt has the options that the worked example computes.
    question = ExistingQuestion(stem=shown.text, options=shown.options, gold=gold)
    assert all(option in text for option in shown.options)
    assert isinstance(read_proposal(line, question, draw), Template)


def test_the_question_is_put_with_its_options() -> None:
    assert content(QUESTION) == (
        f"Question: {QUESTION.stem}\nOptions:\nA: $14,709.02\nB: $16,215.64\nC: $17,443.47\nRight option: B"
    )


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["{a}", "1/0", "9"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(sorted(proposer.FIELDS)), anything, min_size=1, max_size=2), st.text(max_size=5))
def test_whatever_a_field_holds_it_is_accepted_or_rejected(fields: dict[str, Any], around: str) -> None:
    try:
        template = read_proposal(f"{around}{json.dumps(changed(**fields))}{around}", QUESTION, draw)
    except Unfit:
        return
    assert make_original(template, 0).question.value == "$16,215.64"
