"""Recipes: templates from a question's hash and spans, without its text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from counterfoil.errors import UserError
from counterfoil.memorization.check import main as check
from counterfoil.perturbing.making.existing import text_hash
from counterfoil.perturbing.making.recipes import apply, read_rows, shipped_recipes
from counterfoil.perturbing.questions import LETTERS
from counterfoil.perturbing.templates.variants import CONTROLS, LEVELS, make_variants
from made_up_recipe import ROW, STEM, TEXT, recipes, span, table, toml

CFA = Path(__file__).parents[2].parent / "shared" / "data" / "cfa"


def test_a_recipe_gives_its_question_back() -> None:
    templates, unused = apply(recipes(table(), table(sha256="0" * 64)), [ROW, {"text": "Q:other"}, {"query": "…"}])
    assert (len(templates), unused) == (1, ["cfa-000000000000"])
    question = make_variants(templates[0], 1, [])[0]
    assert question.text == STEM
    assert question.options == ("€4,200.", "€4,400.", "€4,410")
    assert (question.gold, question.value, question.source) == ("C", "€4,410", "recipe")
    assert question.id == f"cfa-{text_hash(TEXT)[:12]}/0"


def test_its_variants_change_every_place_and_keep_the_rest() -> None:
    (template,), _ = apply(recipes(table()), [ROW])
    for question in make_variants(template, 5, LEVELS, CONTROLS, lure=True):
        values = {change.name: change.after for change in question.changes}
        amount, rate = values.get("amount", "4,000"), values.get("rate", "5")
        number = int(amount.replace(",", ""))
        # A sign of currency stays: one that changes alone makes no other question.
        name, currency = values.get("person_1", "Ola"), "€"
        assert question.text == (
            f"{name} puts {currency}{amount} away at {rate}% a year, {{braces}} and all. {name}'s {amount} is "
            f"102.5% of {number / 1.025:,.2f}. After two years she has:"
        )
        gold = question.options[LETTERS.index(question.gold)]
        assert gold == f"{currency}{round(number * (100 + int(rate)) ** 2 / 10_000):,}"
        assert question.level != 3, "there is no text that asks for another unknown"
    renamed = make_variants(template, 5, [], ["renamed"])[1:]
    assert all("Ola" not in question.text and "€" in "".join(question.options) for question in renamed)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"answer": "amount * (1 + 2 * rate)", "check": "amount * (1 + 2 * rate)"}, "the gold option C is 4410"),
        ({"answer": "amount * 1.3", "check": "amount * 1.3"}, "its answer is 5200.0, but the gold option C is 4410"),
        (
            {"derived": {"less": {"span": span("3,902.44"), "value": "amount / 1.02"}}},
            "do not give the printed numbers",
        ),
        ({"derived": {"less": {"span": span("3,902"), "value": "amount"}}}, "does not cover the whole number"),
        ({"derived": {"less": {"span": span("02.44"), "value": "amount"}}}, "does not cover the whole number"),
        ({"derived": {"less": {"span": span("a year"), "value": "amount"}}}, "'a year' is not a printed number"),
        ({"derived": {"less": {"span": span("4,200"), "value": "amount"}}}, "is not within 2 to"),
        ({"derived": {"less": {"span": [3], "value": "amount"}}}, "neither [start, end] nor a list"),
        ({"derived": {"less": {"span": [span("4,000"), span("5")], "value": "1"}}}, "hold different numbers"),
        ({"derived": {"less": {"span": span("4,000"), "value": "amount", "digits": 0}}}, "overlaps another one"),
        ({"distractors": {"A": "1", "C": "2"}}, "those of the wrong options, A and B"),
        ({"options": {"A": span("4,400")}}, "is not within"),
        ({"options": {"A": [span("4,200")[0], span("4,200")[0] + 1]}}, "does not cover the whole number"),
        ({"names": [{"span": span("Ol"), "kind": "person"}]}, "is no whole name"),
        ({"answer": "amount * tax"}, "answer: "),
    ],
)
def test_a_recipe_that_does_not_fit_is_named(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError) as error:
        apply(recipes(table(**changes)), [ROW])
    assert f"cfa-{text_hash(TEXT)[:12]}" in str(error.value)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("text", "gold", "said"),
    [
        ("Q:no options", 2, "has not the form"),
        (TEXT, 3, "gold is not 0, 1 or 2"),
        (TEXT, None, "gold is not 0, 1 or 2"),
        (TEXT.replace("€4,410", "more"), 2, "has no number"),
        (TEXT.replace("€4,410", "€4,410 in 2 years"), 2, "more than one number"),
        (TEXT.replace("€4,410", "at most €4,410"), 2, "the words around the gold option's number"),
    ],
)
def test_a_question_that_is_not_as_expected(text: str, gold: object, said: str) -> None:
    with pytest.raises(UserError) as error:
        apply(recipes(table(sha256=text_hash(text))), [{**ROW, "text": text, "gold": gold}])
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ([table(sha256="abc")], "recipe number 1: sha256"),
        ([table(), table()], "there is another one for the same question"),
        ([table(text="words")], "recipe number 1: it has text, which is not known"),
        ([table(names=[{"span": [0, 1], "kind": "planet"}])], "recipe number 1: Invalid enum value 'planet'"),
    ],
)
def test_files_with_wrong_recipes(tables: list[dict[str, Any]], said: str) -> None:
    with pytest.raises(UserError) as error:
        recipes(*tables)
    assert str(error.value).startswith("recipes.toml: ")
    assert said in str(error.value)


def test_signs_and_digits_follow_the_options() -> None:
    # 40 × (1 − 1.25) = −10.00 and the options have a dash before the currency sign.
    text = "Q:A share at $40.0 gains –25%. The result is:,CHOICES: A: –$10.00.,B: $10.00.,C: –$8.00."
    one = {
        "sha256": text_hash(text),
        "topic": "equity",
        "slots": {
            "price": {"span": span("40.0", text=text), "low": "20", "high": "90", "step": "0.5"},
            "gain": {"span": span("–25", text=text), "low": "–40", "high": "–5", "step": "1", "percent": True},
        },
        "answer": "price * gain",
        "check": "price * (1 + gain) - price",
        "distractors": ["-price * gain", "answer / (1 - gain)"],
    }
    (template,), _ = apply(recipes(one), [{"text": text, "gold": 0}])
    for question in make_variants(template, 2, [1], count=20)[1:]:
        assert "gains –" in question.text
        assert question.value.startswith("-$")
        assert len(question.value.partition(".")[2]) == 2
        assert sum(option.startswith("$") for option in question.options) == 1


def test_the_checker_covers_recipes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, file = tmp_path / "data.json", tmp_path / "recipes.toml"
    data.write_text(json.dumps([ROW, {**ROW, "text": "Q:other"}]))
    lines = "\n".join(f"{key} = {toml(value)}" for key, value in table().items())
    file.write_text(f"[[recipe]]\n{lines}\n")
    assert check(["--recipes", str(file), "--data", str(data)]) == 0
    assert "1 recipes, 1 with level 2, for 1 of 2 questions: 0 problems" in capsys.readouterr().out
    data.write_text(json.dumps([]))
    assert check(["--recipes", str(file), "--data", str(data)]) == 1
    assert "there is no such question" in capsys.readouterr().out


@pytest.mark.parametrize("content", [b"{", b"{}", b"\xff"])
def test_data_that_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "data.json").write_bytes(content)
    with pytest.raises(UserError, match=r"data\.json (is not valid JSON|must hold a list|is not UTF-8)"):
        read_rows(tmp_path / "data.json")
    with pytest.raises(UserError, match="can't be read"):
        read_rows(tmp_path / "none.json")


def test_shipped_recipes_are_for_different_questions() -> None:
    shipped = shipped_recipes()
    assert shipped
    assert len({recipe.sha256 for recipe in shipped}) == len(shipped)


@pytest.mark.skipif(not CFA.exists(), reason="../shared/data/cfa is not here: it holds the public questions")
def test_shipped_recipes_give_their_questions() -> None:
    rows = read_rows(CFA / "cfa_easy.json")
    templates, unused = apply(shipped_recipes(), rows)
    assert (len(rows), unused) == (1032, [])
    given = {text_hash(row["text"])[:12]: row for row in rows}
    for template in templates:
        question, *others = make_variants(template, 0, [1], count=5)
        row = given[template.id.removeprefix("cfa-")]
        options = ",".join(f"{letter}: {option}" for letter, option in zip(LETTERS, question.options, strict=True))
        assert f"Q:{question.text},CHOICES: {options}" == row["text"]
        assert question.gold == LETTERS[row["gold"]]
        assert len({other.text for other in (question, *others)}) == 6
