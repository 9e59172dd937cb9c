"""The templates that ship with the package: written as they should be, and complete."""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from importlib import resources
from itertools import chain
from pathlib import Path

import pytest

import counterfoil as cf
from counterfoil.bias.questions import Question
from counterfoil.bias.sources import templates, templates_bbq
from counterfoil.datasets.registry import BBQ_CATEGORIES

KOBBQ_CATEGORIES = (
    "age",
    "disability_status",
    "gender_identity",
    "physical_appearance",
    "race_ethnicity_nationality",
    "religion",
    "ses",
    "sexual_orientation",
    "domestic_area_of_origin",
    "family_structure",
    "political_orientation",
    "educational_background",
)
# The form behind a final consonant, and the one behind a vowel.
PARTICLES = {"은": True, "이": True, "을": True, "과": True, "는": False, "가": False, "를": False, "와": False}
# The same behind both.
ALIKE = ("의", "에게")


def rows(name: str, delimiter: str) -> list[tuple[str, dict[str, str]]]:
    text = resources.files("counterfoil.bias").joinpath("samples", name).read_text(encoding="utf-8")
    return [(f"row {number}", row) for number, row in enumerate(csv.DictReader(text.splitlines(), delimiter=delimiter))]


KOREAN_ROWS = rows("kobbq_templates.tsv", "\t")
ENGLISH_ROWS = rows("bbq_templates.csv", ",")
KOREAN = templates.expand(KOREAN_ROWS, "f")
ENGLISH = templates_bbq.expand(ENGLISH_ROWS, "f")
both = pytest.mark.parametrize("questions", [KOREAN, ENGLISH], ids=["korean", "english"])


def parts(question: Question) -> tuple[str, str, str, str]:
    """Group order, sample, kind of context, kind of question."""
    _, template, sample, kind, polarity = question.sample_id.rsplit("-", 4)
    return template[-1], sample, kind, polarity


@both
def test_ids_are_unique_and_there_are_about_a_thousand(questions: list[Question]) -> None:
    assert len({question.sample_id for question in questions}) == len(questions)
    assert 1_000 <= len(questions) <= 1_200


def test_six_templates_for_each_category() -> None:
    korean = Counter(category for category, _ in {(q.category, q.template) for q in KOREAN})
    assert korean == dict.fromkeys(KOBBQ_CATEGORIES, 6)
    english = Counter(category for category, _ in {(q.category, q.template) for q in ENGLISH})
    assert english == dict.fromkeys(BBQ_CATEGORIES, 6)


@both
def test_every_sample_has_all_eight_kinds(questions: list[Question]) -> None:
    kinds = defaultdict(set)
    for question in questions:
        order, sample, kind, polarity = parts(question)
        kinds[question.template, sample].add((order, kind, polarity))
    assert {len(found) for found in kinds.values()} == {8}


@both
def test_roles_are_three_different_choices(questions: list[Question]) -> None:
    for question in questions:
        assert len(set(question.choices)) == 3
        assert {question.unknown, question.biased, question.right} <= set(question.choices)
        assert question.biased != question.unknown
        assert (question.right == question.unknown) == question.ambiguous
        if not question.ambiguous:
            assert (question.right == question.biased) == question.biased_context


@both
def test_the_context_that_decides_begins_with_the_one_that_does_not(questions: list[Question]) -> None:
    contexts = {question.sample_id: question.context for question in questions}
    for question in questions:
        if not question.ambiguous:
            open_one = contexts[question.sample_id.replace("-dis-", "-amb-")]
            assert question.context.startswith(open_one + " ")


@both
def test_flip_partners_differ_only_in_which_group_is_which(questions: list[Question]) -> None:
    pairs = defaultdict(list)
    for question in questions:
        assert (question.columns["pair"] is not None) == question.ambiguous, "answers flip where nothing decides"
        pairs[question.pair].append(question)
    for first, second in pairs.values():
        assert (first.text, first.unknown, first.template) == (second.text, second.unknown, second.template)
        assert first.biased_context != second.biased_context
        assert first.biased == second.biased
        assert first.ambiguous == second.ambiguous
        # The two groups have changed places, and unknown has stayed.
        moved = [(a, b) for a, b in zip(first.choices, second.choices, strict=True) if a != b]
        assert len(moved) == 2
        assert moved[0] == moved[1][::-1]
    assert len(pairs) * 2 == len(questions)


@both
def test_each_group_is_named_in_both_sentences_and_nothing_is_left_to_fill(questions: list[Question]) -> None:
    for question in questions:
        assert not re.search(r"[\[\]{}]", question.context + question.text + "".join(question.choices))
        assert question.context.endswith(".")
        assert question.text.endswith("?")
        for choice in set(question.choices) - {question.unknown}:
            group = choice.removeprefix("The ")
            assert question.context.count(group) >= (1 if question.ambiguous else 2)


def test_korean_particles_fit_the_word_before_them() -> None:
    """은, 이, 을, 과 behind a final consonant; 는, 가, 를, 와 behind a vowel: by the syllable's code point."""
    seen = set()
    for _, row in KOREAN_ROWS:
        words = templates.declarations(f"{row['Names']}; {row['Lexical_diversity']}", "")
        texts = row["Ambiguous_context"] + row["Disambiguating_context"]
        for name, forms in re.findall(r"\[(\w+): ([^\]]+)\]", texts):
            for word, form in zip(words[name], forms.split(", "), strict=True):
                particle = form.removeprefix(word)
                assert form.startswith(word)
                if particle and particle not in ALIKE:
                    closed = (ord(word[-1]) - ord("가")) % 28 > 0
                    assert PARTICLES[particle] == closed, form
                    seen.add(particle)
    assert seen == set(PARTICLES)


def test_english_articles_fit_the_word_behind_them() -> None:
    for question in ENGLISH:
        assert not re.search(r"\b[Aa] (?:[aeiou]|8|11-|18-)", question.context, re.IGNORECASE), question.context


def test_every_template_names_a_stereotype() -> None:
    for _, row in chain(KOREAN_ROWS, ENGLISH_ROWS):
        assert row.get("Stereotype") or row.get("Relevant_social_values")


def test_six_predictions_ship_so_that_scoring_can_be_tried_at_once(tmp_path: Path) -> None:
    run = cf.score("bias", "samples", format="kobbq", out=tmp_path / "run", ledger=tmp_path / "ledger")
    counted = run.records.group_by("model", "variant").len()
    # 48 templates of 4 questions each in three orders.
    assert counted["len"].to_list() == [48 * 4 * 3] * 6
    assert set(counted["variant"]) == {"1", "1-debiased"}
    bias = {
        (one.model, one.variant): one.value
        for one in run.estimates
        if one.metric == "diff_bias_ambiguous" and not one.group
    }
    # As they were simulated: with a chance of 0.35 for "unknown" and 0.85 for the biased of the others, 0.65 · 0.7.
    assert abs((bias["leaning", "1"] or 0) - 0.455) < 0.1
    assert (bias["leaning", "1-debiased"] or 0) < (bias["leaning", "1"] or 0)
    assert abs(bias["careful", "1"] or 0) < 0.1
