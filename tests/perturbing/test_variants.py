"""Questions from templates: what each level changes, what the controls leave, what the lure arm offers."""

from __future__ import annotations

import copy
import tomllib
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.errors import UserError
from counterfoil.perturbing.questions import LETTERS, Question, encode_set
from counterfoil.perturbing.templates import numbers
from counterfoil.perturbing.templates.tables import template_from
from counterfoil.perturbing.templates.template import Template
from counterfoil.perturbing.templates.variants import CONTROLS, LEVELS, make_variants
from counterfoil.perturbing.templates.wording import with_articles

pytestmark = pytest.mark.heavy

ANNUITY = tomllib.loads((Path(__file__).parent / "annuity.toml").read_text())["template"][0]
# The CFA study's own question has these options.
SEED_OPTIONS = ["$14,709.02", "$16,215.64", "$17,443.47"]


def annuity(source: Any = "bank", **changes: Any) -> Template:
    return template_from({**copy.deepcopy(ANNUITY), **changes}, "test", source)


def arms(template: Template, seed: int, count: int = 5) -> dict[object, list[Question]]:
    found: dict[object, list[Question]] = {}
    for question in make_variants(template, seed, LEVELS, CONTROLS, lure=True, count=count):
        found.setdefault(question.control or question.level, []).append(question)
    return found


def number(option: str) -> Any:
    start, end = numbers.only(option)
    return numbers.read(option[start:end]).value


def test_all_arms_are_there_with_their_ids() -> None:
    found = arms(annuity(), 1)
    assert {arm: len(questions) for arm, questions in found.items()} == {
        0: 1, 1: 5, 2: 5, 3: 5, "again": 5, "reshuffled": 5, "reoptioned": 5, "renamed": 5, "stand_in": 5,
        "lure": 6,
    }  # fmt: skip
    (original,) = found[0]
    assert (original.id, original.parent, original.control) == ("annuity-due/0", None, None)
    assert found[1][3].id == "annuity-due/1/3"
    assert found["lure"][2].id == "annuity-due/lure/2"
    for arm, questions in found.items():
        assert [question.draw for question in questions] == list(range(len(questions)))
        for question in questions:
            assert question.level == (arm if isinstance(arm, int) else 0)
            assert question.parent == (None if arm == 0 else "annuity-due/0")
            assert (question.cluster, question.stratum) == ("annuity-due", "quantitative methods")
            assert question.status == "verified"
            assert question.source == "bank"


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**9))
def test_what_holds_for_every_seed(seed: int) -> None:
    found = arms(annuity(), seed)
    (original,) = found[0]
    for question in (question for questions in found.values() for question in questions):
        values = [number(option) for option in question.options]
        assert all(numbers.USUAL.holds(one, other, question.digits) for one, other in combinations(values, 2))
        assert question.options[LETTERS.index(question.gold)] == question.value
        assert "{" not in question.text
    for level in (1, 2):
        assert len({question.text for question in found[level]}) == 5
        for question in found[level]:
            assert len(question.changes) == level
            assert all(change.before != change.after for change in question.changes)
            # No option is near to what somebody would answer who remembers the original.
            assert all(numbers.USUAL.holds(number(option), number(original.value), 2) for option in question.options)
            assert question.old is None
    assert len({question.text for question in found[3]}) == 5
    for question in found[3]:
        assert question.changes[0].after == "rate"
        assert question.value.endswith("%")
        assert question.computed is not None
        assert float(question.computed.float) == pytest.approx(float(question.computed.decimal), abs=0.0005)
    for question in found.get("lure", []):
        assert len(question.changes) == 1
        assert question.old is not None
        assert question.sham is not None
        assert {question.gold, question.old, question.sham} == set(LETTERS)
        assert question.options[LETTERS.index(question.old)] == original.value


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**9))
def test_what_the_controls_leave(seed: int) -> None:
    found = arms(annuity(), seed)
    (original,) = found[0]
    for question in found["again"]:
        assert (question.text, question.options, question.gold) == (original.text, original.options, original.gold)
    orders = {question.options for question in found["reshuffled"]}
    assert len(orders | {original.options}) == 6
    for question in found["reshuffled"]:
        assert question.text == original.text
        assert question.value == original.value == question.options[LETTERS.index(question.gold)]
    for question in found["renamed"]:
        assert (question.options, question.gold) == (original.options, original.gold)
        assert question.text != original.text
        assert question.changes[0].before == "Dana"
        assert question.text.replace(question.changes[0].after, "Dana") == original.text
    kept = [control for control in CONTROLS if control != "stand_in"]
    assert all(question.old == question.gold for control in kept for question in found[control])
    # The same question with its options in all orders; from the bank they are the original's.
    assert {question.text for question in found["reoptioned"]} == {original.text}
    assert all(set(question.options) == set(original.options) for question in found["reoptioned"])
    assert len({question.options for question in found["reoptioned"]}) == 5
    # Other numbers throughout, and nothing of the original to remember.
    assert len({question.text for question in found["stand_in"]}) == 5
    for question in found["stand_in"]:
        assert (question.level, question.old) == (0, None)
        assert all(numbers.USUAL.holds(number(one), number(original.value), 2) for one in question.options)


def test_the_level_1_draw_of_the_seed_is_among_those_of_the_worked_example() -> None:
    template = annuity("file", options=SEED_OPTIONS, gold="B")
    for seed in range(200):
        for question in make_variants(template, seed, [1], count=5):
            if question.changes and (question.changes[0].name, question.changes[0].after) == ("rate", "7"):
                # 14,047.16 × 1.07 = 15,030.4612; 14,047.16 / 1.07 = 13,128.19; 14,047.16 + 2,000 = 16,047.16.
                assert "$14,047.16." in question.text
                assert question.value == "$15,030.46"
                assert set(question.options) == {"$13,128.19", "$15,030.46", "$16,047.16"}
                assert question.changes[0].before == "5"
                return
    raise AssertionError("7 % was never drawn")


def test_an_original_that_is_given_stays_as_it_is() -> None:
    question = make_variants(annuity("file", options=SEED_OPTIONS, gold="B"), 3, [])[0]
    assert question.options == tuple(SEED_OPTIONS)
    assert (question.gold, question.value, question.source) == ("B", "$16,215.64", "file")
    assert "at a 5% interest rate per year compounded annually, the PV of a 10-year" in question.text
    assert "payments of $2,000 is $15,443.47." in question.text
    # Without options, they are computed: 15,443.47 / 1.05 = 14,708.07, 15,443.47 × 1.05, 15,443.47 + 2,000.
    question = make_variants(annuity("file"), 3, [])[0]
    assert set(question.options) == {"$14,708.07", "$16,215.64", "$17,443.47"}
    assert question.value == "$16,215.64"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"gold": "A"}, "its answer is 16215.6435, but the gold option A is 14709.02"),
        ({"options": ["$16,216", "$16,215.64", "$1"]}, "fits the wrong option A, too"),
        # 0.0085 from the gold is within its slack of 0.01, but the wrong option is only 0.0065 away.
        ({"options": ["$16,215.65", "$16,215.635", "$1"], "slack": 10}, "fits the wrong option A, too"),
        ({"conditions": ["answer < pv"]}, "its original does not hold: the condition answer < pv fails"),
    ],
)
def test_given_options_that_the_answer_does_not_fit(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match="template annuity-due: ") as error:
        make_variants(annuity("file", **{"options": SEED_OPTIONS, "gold": "B", **changes}), 0)
    assert said in str(error.value)


def test_slack_takes_a_gold_that_was_computed_with_rounded_factors() -> None:
    options = ["$14,709.02", "$16,215.68", "$17,443.47"]
    with pytest.raises(UserError, match="but the gold option B"):
        make_variants(annuity("file", options=options, gold="B"), 0)
    # 16,215.68 − 16,215.6435 = 3.65 units.
    assert make_variants(annuity("file", options=options, gold="B", slack=4), 0)[0].value == "$16,215.68"


def test_letters_are_balanced_and_do_not_follow_the_original() -> None:
    pairs: dict[object, Counter[tuple[str, str]]] = {}
    golds: dict[object, Counter[str]] = {}
    for seed in range(300):
        found = arms(annuity(), seed, count=3)
        for arm in (0, 1, 2, 3, "lure"):
            for question in found.get(arm, []):
                golds.setdefault(arm, Counter())[question.gold] += 1
                pairs.setdefault(arm, Counter())[found[0][0].gold, question.gold] += 1
    # Three draws in rotation have every letter once.
    assert all(set(golds[arm].values()) == {300} for arm in (1, 2, 3))
    # A few originals have no lure arm. Of four lures one letter is there twice, by chance: 300 letters with a standard
    # deviation of 8.2 beside one each.
    assert all(350 < golds["lure"][letter] < 435 for letter in LETTERS)
    # Originals: 300 letters by chance, 100 each with a standard deviation of 8.2.
    assert all(65 < count < 135 for count in golds[0].values())
    # The same in each original's letter: exactly a third each.
    for arm in (1, 2, 3):
        assert all(pairs[arm][one, "A"] == pairs[arm][one, "B"] == pairs[arm][one, "C"] for one in LETTERS)


def test_the_same_seed_gives_the_same_bytes_and_another_one_others() -> None:
    def made(seed: int, **changes: Any) -> bytes:
        return encode_set(make_variants(annuity(**changes), seed, LEVELS, CONTROLS, lure=True))

    assert made(1) == made(1)
    assert made(1) != made(2)
    # Draws follow from the id, so that two templates that are otherwise alike have different ones.
    assert made(1).replace(b"annuity-due", b"another") != made(1, id="another")


def test_levels_do_not_depend_on_which_others_are_asked_for() -> None:
    every = make_variants(annuity(), 4, LEVELS, CONTROLS, lure=True, count=4)
    assert set(make_variants(annuity(), 4, [2], count=3)) <= set(every)


def test_what_a_template_can_not_have_is_left_out() -> None:
    slots = copy.deepcopy(ANNUITY["slots"])
    for name in ("years", "payment"):
        slots[name] = {"original": slots[name]["original"], "fixed": True}
    text = ANNUITY["text"].replace("{person}", "Somebody")
    found = arms(annuity("file", slots=slots, names={}, inverse=[], text=text), 0)
    assert {arm: len(questions) for arm, questions in found.items()} == {
        0: 1, 1: 5, "again": 5, "reshuffled": 5, "reoptioned": 5, "stand_in": 5, "lure": 6,
    }  # fmt: skip


def test_too_few_different_draws_are_an_error_that_names_the_template() -> None:
    slots = copy.deepcopy(ANNUITY["slots"])
    for name in ("years", "payment"):
        slots[name] = {"original": slots[name]["original"], "fixed": True}
    # 4, 5 and 6 %: beside the original, two draws.
    slots["rate"] |= {"low": "4", "high": "6", "step": "1"}
    template = annuity("file", slots=slots, inverse=[])
    assert len(make_variants(template, 0, [1], count=2)) == 3
    with pytest.raises(UserError, match=r"template annuity-due: no draw 3 of level 1 .*because it was drawn before"):
        make_variants(template, 0, [1], count=3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A 8-year bond and a 11% coupon", "An 8-year bond and an 11% coupon"),
        ("an 7-year bond, a 18-year one, a 80.5% share", "a 7-year bond, an 18-year one, an 80.5% share"),
        ("a $8,500 loan, an $1,000 one, an 11,000 one", "an $8,500 loan, a $1,000 one, an 11,000 one"),
        ("a 110-day rate, a 1.8% fee, an 180-day one", "a 110-day rate, a 1.8% fee, a 180-day one"),
        ("Bond A 8%, Bond B 7%. A 8% one. plan 8", "Bond A 8%, Bond B 7%. An 8% one. plan 8"),
    ],
)
def test_articles_go_with_the_numbers_behind_them(text: str, expected: str) -> None:
    assert with_articles(text) == expected
