"""A run on existing questions: how many of them can be asked, which levels they have, and under which names."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import counterfoil as cf
from counterfoil.memorization import questions as loading
from counterfoil.memorization.report.headline import headline
from counterfoil.perturbing.questions import read_set
from counterfoil.report.page.page import page
from made_up_recipe import ROW, recipes, table

# Two questions without a number, and the one that there is a recipe for.
PLAIN = {"text": "Q:What is a bond?,CHOICES: A: a loan.,B: a share.,C: a knot.", "gold": 0}
ROWS: list[Any] = [PLAIN, PLAIN | {"gold": 1}, ROW]
MODEL = "planted/memorization"
ASKED = (
    "Of the 3 questions of cfa_easy.json, 1 can be changed by numbers with the recipes that ship: these alone can be "
)
LEFT_OUT = "Level 3 is left out: cfa_easy.json has no such question."


@pytest.fixture(autouse=True)
def one_recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(loading, "shipped_recipes", lambda: recipes(table()))
    Path("cfa_easy.json").write_text(json.dumps(ROWS), encoding="utf-8")


def run_of(**options: Any) -> cf.Run:
    return cf.run("memorization", model=MODEL, data="cfa_easy.json", draws=2, out="run", **options)


def test_what_of_the_file_can_be_asked_is_said_in_terminal_manifest_and_report(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = run_of()
    assert ASKED in capsys.readouterr().err
    sha256 = hashlib.sha256(Path("cfa_easy.json").read_bytes()).hexdigest()
    assert run.manifest["data"]["from"] == {"name": "cfa_easy.json", "sha256": sha256, "questions": 3, "changed": 1}
    assert ASKED in " ".join(headline(run))
    assert ASKED in page([run])


def test_a_level_that_no_question_has_is_said_and_not_defined(capsys: pytest.CaptureFixture[str]) -> None:
    run = run_of(levels=[1, 2, 3])
    assert LEFT_OUT in capsys.readouterr().err
    assert LEFT_OUT in headline(run)
    assert run.manifest["data"]["levels_left_out"] == [3]
    [level_3] = [it for it in run.estimates if it.group == {"level": 3}]
    assert (level_3.metric, level_3.value, level_3.n) == ("accuracy_perturbed", None, 0)
    assert level_3.note == "no question of cfa_easy.json has level 3"
    metadata = json.loads(Path("run/results.json").read_bytes())["metadata"]
    assert (metadata["perturbation_levels"], metadata["levels_left_out"]) == ([1, 2, 3], [3])
    # So it is with a frozen set that has not all the levels that are asked for.
    again = cf.run("memorization", model=MODEL, data="run/set.jsonl", levels=[2, 3], out="again")
    assert "Level 3 is left out: set.jsonl has no such question." in capsys.readouterr().err
    assert again.manifest["data"]["levels_left_out"] == [3]
    assert "from" not in again.manifest["data"]


def test_where_all_levels_are_there_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    run = run_of(levels=[1, 2])
    assert "left out" not in capsys.readouterr().err
    assert "levels_left_out" not in run.manifest["data"]


def test_results_have_the_ids_of_the_dataset() -> None:
    run_of()
    [result] = json.loads(Path("run/results.json").read_bytes())["results"]
    [item] = json.loads(Path("run/items.json").read_bytes())
    # As in the CFA study: the third question of the easy ones.
    assert (result["question_id"], item["source_id"]) == ("easy_2", "easy_2")
    assert result["counterfoil_id"] == item["question_id"]
    assert {it.source_id for it in read_set(Path("run/set.jsonl"))} == {"easy_2"}
    # A dataset with ids of its own keeps them.
    Path("cfa_easy.json").write_text(json.dumps([PLAIN, ROW | {"id": "q-77"}]), encoding="utf-8")
    cf.run("memorization", model=MODEL, data="cfa_easy.json", draws=2, out="own")
    [result] = json.loads(Path("own/results.json").read_bytes())["results"]
    assert result["question_id"] == "q-77"
    # The bank's questions come from no dataset.
    cf.run("memorization", model=MODEL, limit=2, draws=2, out="bank")
    results = json.loads(Path("bank/results.json").read_bytes())
    assert all("counterfoil_id" not in it for it in results["results"])
    assert b"source_id" not in Path("bank/set.jsonl").read_bytes()


def test_the_summary_of_results_has_the_studys_four_digits() -> None:
    cf.run("memorization", model="planted/memorization?skill=0.4", limit=6, draws=5, out="bank")
    summary = json.loads(Path("bank/results.json").read_bytes())["summary"]
    numbers = [summary["accuracy_original"], *summary["perturbation_levels"]["1"].values()]
    assert all(round(number, 4) == number for number in numbers)
