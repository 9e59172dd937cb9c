"""The arm `noise`: sentences that do not matter, the question word for word, and the same gold."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from counterfoil.perturbing.noise.noise import ON_CHANGED, ON_ORIGINAL, strength_of, with_noise
from counterfoil.perturbing.noise.sentences import EVERYDAY, FINANCE
from counterfoil.perturbing.questions import encode_set, parse_set
from counterfoil.perturbing.templates import numbers
from counterfoil.perturbing.templates.tables import load_bank
from counterfoil.perturbing.templates.variants import make_variants

BANK = load_bank()


def test_nothing_but_the_noise_is_new_and_the_gold_stays() -> None:
    for template in BANK[::10]:
        made = with_noise(make_variants(template, 3, (1, 2), (), count=4), 3, 4)
        by_id = {question.id: question for question in made}
        arms = Counter(question.control for question in made if question.control)
        # Four draws become six, two of each strength.
        assert arms == {ON_ORIGINAL: 6, ON_CHANGED: 6}
        for question in made:
            if question.control is None:
                continue
            before = by_id[question.parent or ""]
            if question.control == ON_CHANGED:
                before = by_id[f"{template.id}/1/{question.draw % 4}"]
            noise = question.changes[-1].after
            assert question.text.replace(f"{noise} ", "", 1) == before.text
            assert (question.options, question.gold, question.value) == (before.options, before.gold, before.value)
            assert question.computed == before.computed
            pools = (FINANCE.numbers, FINANCE.data, FINANCE.formulas)
            assert noise.count(". ") + 1 == strength_of(question.draw) <= len(pools)
            # What it says is printed nowhere else: neither in the text nor as an option.
            printed = {number for text in (before.text, *before.options) for number in numbers.in_text(text)}
            assert not printed & set(numbers.in_text(noise))
        parse_set(encode_set(made), "set")


def test_draws_follow_from_the_seed_and_differ() -> None:
    questions = make_variants(BANK[0], 0, (1,), (), count=3)
    once, again, other = (with_noise(questions, seed, 3)[-6:] for seed in (0, 0, 1))
    assert once == again != other
    assert len({question.text for question in once}) == 6


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is 2 + 2?", "{}What is 2 + 2?"),
        ("He has 5. How many are left?", "He has 5. {}How many are left?"),
        # No sentence ends with an abbreviation.
        ("Halden Inc. Shares cost 5. Mr. Brown buys 2.", "Halden Inc. Shares cost 5. {}Mr. Brown buys 2."),
        ("The rate is 3.5 %.\nWhich\nis it?", "The rate is 3.5 %.\n{}Which\nis it?"),
    ],
)
def test_it_stands_before_the_sentence_that_asks(text: str, expected: str) -> None:
    original = msgspec.structs.replace(make_variants(BANK[0], 0, (), ())[0], text=text)
    found = with_noise([original], 0, 3)[1]
    assert found.text == expected.format(f"{found.changes[-1].after} ")


def test_a_text_that_is_not_english_has_none() -> None:
    original = msgspec.structs.replace(make_variants(BANK[0], 0, (), ())[0], text="사과가 5개 있다. 몇 개가 남는가?")
    assert with_noise([original], 0, 3) == [original]


def test_every_field_has_sentences_that_end() -> None:
    for field in (FINANCE, EVERYDAY):
        for kind in field:
            assert len(kind) >= 6
            assert all(sentence.text.endswith(".") for sentence in kind)
