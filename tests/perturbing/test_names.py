"""Other names are of the same kind, belong together, and are enough for each draw."""

from __future__ import annotations

import pytest

from counterfoil.perturbing.templates.names import behind, extended, initials, other_companies, other_persons
from counterfoil.perturbing.templates.tables import load_bank
from counterfoil.perturbing.templates.variants import make_variants


def test_a_surname_becomes_a_surname_and_a_full_name_a_full_one() -> None:
    text = "Jason Williams bought 500 shares. Himari Fukumoto sold them, and Otto did nothing."
    assert "Okafor" in other_persons(text, text.index("Williams"), "Williams", 0)
    assert "Robin Okafor" in other_persons(text, text.index("Himari"), "Himari Fukumoto", 0)
    assert "Robin" in other_persons(text, text.index("Otto"), "Otto", 0)
    # Two names of one question share no word.
    assert not set(other_persons(text, 0, "Otto", 0)) & set(other_persons(text, 0, "Otto", 1))


def test_a_company_keeps_the_number_of_its_words_and_its_abbreviation_follows() -> None:
    text = "Calvan Water Corporation (CWC) and Halden reported net income."
    others = other_companies(text, "Calvan Water", 0)
    assert all(len(name.split()) == 2 for name in others)
    # Halden stands in the text.
    assert not any(name.startswith("Halden") for name in others)
    between = behind(text, "Calvan Water", "CWC")
    assert between == " Corporation"
    assert initials(f"Marlow Ridge{between}") == "MRC"
    assert behind(text, "Halden", "CWC") is None


@pytest.mark.parametrize(
    ("marker", "words", "expected"),
    [("firm", ("Tern Plastics", "Borealis Print"), "Orrin Plastics"), ("person", ("Ana", "Ben"), "Robin")],
)
def test_a_template_gets_enough_others(marker: str, words: tuple[str, ...], expected: str) -> None:
    found = extended({marker: words}, "Halden and {firm} agree.")[marker]
    assert found[:2] == words
    assert (len(found), len(set(found))) == (7, 7)
    assert expected in found or marker == "firm"
    # The trade stays.
    assert marker != "firm" or all(word.endswith("Plastics") for word in found[2:])


def test_every_draw_of_the_bank_has_names_of_its_own() -> None:
    for template in load_bank()[::9]:
        questions = make_variants(template, 0, (), ("renamed",), count=5)[1:]
        assert len({question.text for question in questions}) == 5


def test_templates_that_are_nearly_the_same_share_a_cluster() -> None:
    bank = {template.id: template for template in load_bank()}
    for one, other in (
        ("ci-cash-conversion-cycle", "fsa-cash-conversion-cycle"),
        ("de-currency-forward", "econ-interest-parity"),
        ("fi-yield-to-maturity", "fi-semiannual-price"),
    ):
        clusters = {make_variants(bank[name], 0)[0].cluster for name in (one, other)}
        assert clusters == {other}
