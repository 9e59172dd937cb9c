"""The whole way to a frozen set: from the bank, from recipes, by proposals, by direct writing."""

from __future__ import annotations

import hashlib
import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from counterfoil import targets
from counterfoil.asking.models.base import ModelSpec
from counterfoil.datasets.judged import JudgeSettings
from counterfoil.errors import UserError
from counterfoil.perturbing.expressions.functions import FUNCTIONS
from counterfoil.perturbing.making import asking, candidates, proposer
from counterfoil.perturbing.making.existing import text_hash
from counterfoil.perturbing.making.perturb import perturb, report_path
from counterfoil.perturbing.making.recipes import parse_recipes
from counterfoil.perturbing.making.report import PerturbRequest, Report
from counterfoil.perturbing.questions import read_set
from counterfoil.perturbing.templates import draws
from counterfoil.perturbing.templates.tables import load_bank, parse_templates
from counterfoil.perturbing.templates.variants import make_original, make_variants
from mock_server import Answer, MockServer, completion

pytestmark = pytest.mark.heavy

ANNUITY = Path(__file__).parent / "annuity.toml"
DATA = Path(__file__).parents[2].parent / "shared" / "data" / "cfa"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="../shared/data/cfa is not here: it holds public questions")

NUMBERS = {"one": 12, "two": 30, "three": 40, "four": 50, "five": 60, "six": 70, "seven": 80}


def row(name: str) -> dict[str, Any]:
    """“Basket one holds 12 eggs and 8 more; in all:”, which is 20."""
    count = NUMBERS[name]
    options = [f"{count + 8} eggs", f"{count - 8} eggs", f"{count * 8} eggs"]
    return {"question": f"Basket {name} holds {count} eggs and 8 more; in all:", "options": options, "answer": "A"}


def proposal(name: str, **fields: Any) -> str:
    table = {
        "text": f"Basket {name} holds {{a}} eggs and {{b}} more; in all:",
        "slots": {
            "a": {"original": str(NUMBERS[name]), "low": "10", "high": "99", "step": "1"},
            "b": {"original": "8", "low": "5", "high": "40", "step": "1"},
        },
        "answer": "a + b",
        "check": "b + a",
        "distractors": ["a - b", "a * b", "a + 2 * b"],
        **fields,
    }
    return json.dumps(table)


def questions(folder: Path, *rows: Any) -> str:
    path = folder / "questions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def replay(folder: Path, *lines: dict[str, Any]) -> JudgeSettings:
    path = folder / "model.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    spec = ModelSpec(name=f"replay/{path}", params={"temperature": 0.0})
    return JudgeSettings(spec=spec, ledger=folder / "ledger.sqlite")


def made(folder: Path, source: str, **settings: Any) -> Report:
    return perturb(
        PerturbRequest(source=source, out=folder / "set.jsonl", overwrite=True, **settings), lambda sentence: None
    )


def test_from_the_bank(tmp_path: Path) -> None:
    report = made(tmp_path, "bank", levels=(1, 3), controls=True, lure=True, draws=2, limit=6)
    frozen = read_set(tmp_path / "set.jsonl")
    assert report.sha256 == frozen.sha256 == hashlib.sha256((tmp_path / "set.jsonl").read_bytes()).hexdigest()
    found = list(frozen)
    assert report.questions == len(found)
    assert report.counts["original"] == len({question.template for question in found}) == 6
    assert report.counts["level 1"] == report.counts["again"] == report.counts["stand_in"] == 12
    assert report.counts["lure"] == 12 - 2 * report.without.get("lure", 0)
    assert report.counts.get("level 3", 0) == 12 - 2 * report.without.get("level 3", 0)
    assert report.statuses == {"verified": report.counts["level 1"] + report.counts.get("level 3", 0)}
    assert {shift.level for shift in report.shifts} <= {1, 3}
    written = json.loads(report_path(tmp_path / "set.jsonl").read_bytes())
    assert written["sha256"] == report.sha256
    assert written["settings"]["levels"] == [1, 3]
    assert sorted(path.name for path in tmp_path.iterdir()) == [targets.LIST, "set.jsonl", "set.report.json"]


def test_the_sample_is_seeded_and_over_the_topics(tmp_path: Path) -> None:
    def ids(seed: int, limit: int) -> set[str]:
        made(tmp_path, "bank", draws=1, limit=limit, seed=seed)
        return {question.template for question in read_set(tmp_path / "set.jsonl")}

    assert ids(1, 5) == ids(1, 5) != ids(2, 5)
    bank = {template.id: template.topic for template in load_bank()}
    assert ids(1, len(set(bank.values())) * 3) != set(list(bank)[: len(set(bank.values())) * 3]), "never the first N"
    assert ids(1, 10_000) == set(bank)


def test_the_same_command_gives_the_same_bytes_and_replaces_the_set_whole(tmp_path: Path) -> None:
    first = made(tmp_path, str(ANNUITY), levels=(1, 2, 3), draws=3)
    content = (tmp_path / "set.jsonl").read_bytes()
    other = made(tmp_path, str(ANNUITY), levels=(1,), draws=1, seed=1)
    assert other.sha256 != first.sha256
    assert len((tmp_path / "set.jsonl").read_bytes().splitlines()) == 2
    again = made(tmp_path, str(ANNUITY), levels=(1, 2, 3), draws=3)
    assert (tmp_path / "set.jsonl").read_bytes() == content
    assert again.sha256 == first.sha256
    assert again.source_sha256 == hashlib.sha256(ANNUITY.read_bytes()).hexdigest()


def test_a_users_template_that_does_not_hold_leaves_the_set_alone(tmp_path: Path) -> None:
    made(tmp_path, str(ANNUITY))
    before = (tmp_path / "set.jsonl").read_bytes()
    wrong = tmp_path / "wrong.toml"
    wrong.write_bytes(ANNUITY.read_bytes().replace(b'"annuity_due(', b'"2 * annuity_due('))
    with pytest.raises(UserError, match="one of the two expressions is wrong"):
        made(tmp_path, str(wrong))
    assert (tmp_path / "set.jsonl").read_bytes() == before


RECIPE = """
[[recipe]]
sha256 = "{sha256}"
topic = "sums"
answer = "a + b"
check = "b + a"
distractors = ["a - b", "a * b", "a + 2 * b"]
[recipe.slots]
a = {{ span = [19, 21], low = 10, high = 99, step = 1 }}
b = {{ span = [31, 32], low = 5, high = 40, step = 1 }}
"""


def with_recipe(monkeypatch: pytest.MonkeyPatch, *names: str, **changes: str) -> None:
    """Recipes for these questions take the place of those that ship."""
    found = []
    for name in names:
        options = row(name)["options"]
        text = f"Q:{row(name)['question']},CHOICES: A: {options[0]},B: {options[1]},C: {options[2]}"
        content = RECIPE.format(sha256=text_hash(text))
        for before, after in changes.items():
            content = content.replace(before, after)
        found += parse_recipes(content.encode(), "recipes")
    monkeypatch.setattr(candidates, "shipped_recipes", lambda: found)


def test_recipes_are_applied_and_the_rest_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_recipe(monkeypatch, "one", "six")
    wordy = {"question": "How many?", "options": ["one", "two", "three"], "answer": "A"}
    data = questions(tmp_path, row("one"), wordy, row("two"))
    report = made(tmp_path, "cfa-easy", data=Path(data), levels=(1, 2), draws=4)
    assert (report.existing, report.perturbable, report.covered) == (3, 2, 1)
    assert report.set_aside == {candidates.NO_NUMBER: 1}
    assert len(report.unused_recipes) == 1
    assert report.counts == {"original": 1, "level 1": 4, "level 2": 4}
    original = next(iter(read_set(tmp_path / "set.jsonl")))
    assert (original.text, original.source, original.value) == (row("one")["question"], "recipe", "20 eggs")
    same = made(tmp_path, data, levels=(1, 2), draws=4)
    assert same.sha256 == report.sha256, "a file of questions is treated in the same way"


def test_what_a_recipe_can_not_give_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_recipe(monkeypatch, "one", **{'topic = "sums"': 'topic = "sums"\nconditions = ["a == 12 or b == 8"]'})
    report = made(tmp_path, questions(tmp_path, row("one")), levels=(1, 2))
    assert report.counts == {"original": 1, "level 1": 5}
    (refused,) = report.refused
    assert refused.arm == "level 2"
    assert "no draw 1 of level 2 in 2,000 tries" in refused.reason


def test_a_recipe_that_does_not_fit_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_recipe(monkeypatch, "one")
    with pytest.raises(UserError, match=r"gave a variant \(1 refused: template cfa-.*: its answer is 20, but the gold"):
        made(tmp_path, questions(tmp_path, {**row("one"), "answer": "B"}))


@needs_data
def test_the_recipes_that_ship_cover_the_public_questions(tmp_path: Path) -> None:
    report = made(tmp_path, "cfa-easy", data=DATA / "cfa_easy.json", levels=(1, 2), draws=1)
    assert report.existing == 1032
    assert report.covered is not None
    assert report.covered >= 100
    assert not report.refused
    assert not report.unused_recipes
    assert report.counts["original"] == report.counts["level 1"] == report.covered


def a_model(folder: Path) -> JudgeSettings:
    """One right at once, two after it was told, the others never."""
    return replay(
        folder,
        {"when": "Basket one", "text": f"```json\n{proposal('one')}\n```"},
        {"when": ["Basket two", "This can't be used", "is wrong"], "text": proposal("two")},
        {"when": ["Basket two"], "text": proposal("two", answer="a - b")},
        {"when": ["Basket three", "This can't be used"], "text": "Sorry: {"},
        {"when": ["Basket three"], "text": "{'answer': 1,}"},
        {"when": ["Basket four"], "text": proposal("four", text="Basket four holds {a} eggs and {b}, {a} more")},
        {"when": ["Basket five"], "text": "No.", "status": "refused"},
        {"when": ["Basket six"], "text": proposal("six", answer="__import__('os')", check="9**9**9")},
        {"when": ["Basket seven"], "text": '{"impossible": "who knows"}'},
    )


def test_proposals_are_accepted_sent_back_and_rejected(tmp_path: Path) -> None:
    data = questions(tmp_path, *(row(name) for name in NUMBERS))
    report = made(tmp_path, data, levels=(1, 2), draws=3, controls=True, lure=True, proposer=a_model(tmp_path))
    asked = report.proposals
    assert asked is not None
    assert (asked.asked, asked.accepted, asked.failed, asked.not_asked) == (7, 2, 0, 0)
    assert asked.rejected == {
        asking.UNREADABLE: 1,
        proposer.OTHER_NUMBERS: 1,
        "the reply was refused": 1,
        proposer.NO_TEMPLATE: 1,
        proposer.IMPOSSIBLE: 1,
    }
    assert len(asked.details) == 5
    assert report.counts == {"original": 2, "level 1": 6, "level 2": 6, "again": 6, "reshuffled": 6} | {
        "reoptioned": 6, "stand_in": 6, "lure": 4,
    }  # fmt: skip
    # For one of them no sham is like the old gold, and the report says so.
    assert report.without == {"lure": 1, "renamed": 2}
    assert not any(report.left_open.values())
    assert {question.source for question in read_set(tmp_path / "set.jsonl")} == {"proposed"}
    assert report.model is not None
    # One, five and seven are asked about once; two, three, four and six a second time.
    assert report.model["asked"] == 11


def test_running_again_asks_nobody(tmp_path: Path) -> None:
    def behave(request: dict[str, Any]) -> Answer:
        text = request["messages"][-1]["content"]
        if "This can't be used" in text:
            return completion(proposal("two"))
        return completion(proposal("one") if "Basket one" in text else "no")

    data = questions(tmp_path, row("one"), row("two"))
    with MockServer(behave) as server:
        spec = ModelSpec(name="vllm/m", base_url=server.url, params={"temperature": 0.0})
        settings = JudgeSettings(spec=spec, ledger=tmp_path / "ledger.sqlite")
        first = made(tmp_path, data, proposer=settings)
        sent = server.requests
        again = made(tmp_path, data, proposer=settings)
        assert first.counts["original"] == 2
        assert len(sent) == len(server.requests) == 3
    assert again.sha256 == first.sha256


def test_what_fails_is_told_and_what_was_not_asked_writes_no_set(tmp_path: Path) -> None:
    data = questions(tmp_path, row("one"), row("two"))
    failing = replay(tmp_path, {"when": "Basket one", "text": proposal("one")})
    report = made(tmp_path, data, proposer=failing)
    assert report.left_open == {"failed": 1, "not_asked": 0}
    assert report.counts["original"] == 1
    before = (tmp_path / "set.jsonl").read_bytes()

    def never(request: dict[str, Any]) -> Answer:
        raise AssertionError("the budget is spent")

    with MockServer(never) as server:
        spec = ModelSpec(name="openai/gpt-4o", base_url=server.url, params={"temperature": 0.0})
        prices = tmp_path / "prices.toml"
        prices.write_text('["openai/gpt-4o"]\ninput = 2.5\noutput = 10.0\n')
        settings = JudgeSettings(spec=spec, ledger=tmp_path / "l.sqlite", max_cost=0.0, prices=prices)
        stopped = made(tmp_path, data, proposer=settings)
    assert stopped.sha256 is None
    assert stopped.left_open["not_asked"] == 2
    assert (tmp_path / "set.jsonl").read_bytes() == before, "the set that was there stays"


def written(name: str, b: int, answer: int) -> str:
    options = f" A: {answer} eggs, B: {answer + 31} eggs, C: {answer + 77} eggs"
    return json.dumps(
        {
            "perturbed_question": f"Basket {name} holds {NUMBERS[name]} eggs and {b} more; in all:{options}",
            "perturbed_answer": f"{answer} eggs",
            "changes_made": [f"eggs added changed from 8 to {b}"],
            "solution_steps": f"{NUMBERS[name]} + {b}",
        }
    )


def test_written_directly_verified_refuted_or_unverified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_recipe(monkeypatch, "one")
    data = questions(tmp_path, row("one"), row("two"), row("three"), row("four"))
    model = replay(
        tmp_path,
        {"when": ["into a template"], "text": '{"impossible": "no"}'},
        {"when": ["Basket one", "Version 1"], "text": written("one", 9, 21)},
        {"when": ["Basket one", "Version 2", "from 8 to 9"], "text": written("one", 10, 99)},
        {"when": ["Basket two", "Version 1"], "text": written("two", 9, 39)},
        {"when": ["Basket two"], "text": written("two", 9, 39)},
        {"when": ["Basket three", "Version 1"], "text": written("three", 9, 49)},
        {"when": ["Basket three"], "text": written("three", 10, 50)},
        {"when": ["Basket four"], "text": "{}"},
    )
    report = made(tmp_path, data, draws=2, controls=True, direct=True, proposer=model)
    found = {question.id: question for question in read_set(tmp_path / "set.jsonl")}
    statuses = {(q.text.split()[1], q.draw): q.status for q in found.values() if q.level}
    assert statuses == {
        ("one", 0): "verified",
        ("one", 1): "refuted",
        ("two", 0): "unverified",
        ("three", 0): "unverified",
        ("three", 1): "unverified",
    }
    assert report.statuses == {"verified": 1, "refuted": 1, "unverified": 3}
    assert report.rewritten is not None
    assert (report.rewritten.asked, report.rewritten.accepted) == (8, 5)
    assert report.rewritten.rejected == {"it repeats an earlier version": 1, asking.UNREADABLE: 2}
    assert {q.source for q in found.values() if q.level} == {"direct"}
    # Controls are made where there is a template.
    assert report.counts == {"original": 3, "level 1": 5, "again": 2, "reshuffled": 2, "reoptioned": 2, "stand_in": 2}


def test_from_the_bank_directly(tmp_path: Path) -> None:
    report = made(tmp_path, str(ANNUITY), direct=True, draws=1, proposer=replay(tmp_path, {"text": json.dumps({
        # 2,000 × (1 − 1.07^−10) ÷ 0.07 = 14,047.16, × 1.07 = 15,030.46.
        "perturbed_question": "Dana reads that at a 7% interest rate per year compounded annually, the PV of a 10-year "
        "ordinary annuity with annual payments of $2,000 is $14,047.16. "
        "The PV of a 10-year annuity due is closest to: ...",
        "perturbed_answer": "$15,030.46",
        "changes_made": ["interest rate changed from 5% to 7%"],
        "solution_steps": "PV_due = PV_ordinary × (1+r) = 14,047.16 × 1.07 = 15,030.46",
    })}))  # fmt: skip
    assert report.statuses == {"verified": 1}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"source": "bank", "direct": True}, "--generator direct needs a model"),
        ({"source": "bank", "data": Path("x")}, "--data names your copy"),
        ({"source": "x.txt"}, "it must be bank, cfa-easy, gsm8k, a file of templates"),
        ({"source": "x.toml"}, "can't be read"),
        ({"source": "x.json"}, "can't be read"),
    ],
)
def test_wrong_use_is_one_sentence(settings: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        made(tmp_path, **settings)
    assert said in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_the_documentation_has_every_function_and_its_example_is_right(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "templates.md").read_text(encoding="utf-8")
    for name, function in FUNCTIONS.items():
        assert f"`{name}({', '.join(function.parameters)})`" in text
    (template,) = parse_templates(re.split(r"```toml.*\n", text)[1].split("```")[0].encode(), "templates.md")
    original = make_original(template, 0)
    assert original.question.value == "$7,465.01"
    assert sorted(original.question.options) == ["$6,770.98", "$7,465.01", "$8,209.53"]
    draw = draws.work_out(template, {**original.draw.slots, "rate": Decimal(7)})
    assert draw.values["pv"] == Decimal("6568.43")
    assert draw.answer == Decimal("7028.22")
    assert f"{original.draw.check:,.4f}" in text
    assert f"{draw.check:,.4f}" in text
    assert len(make_variants(template, 0, (1, 2, 3), count=3)) == 10
