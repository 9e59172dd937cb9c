"""What a run keeps beside its own files."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import counterfoil as cf
from arms import asked
from counterfoil.memorization.files import item_table, kind_of, results_of
from counterfoil.perturbing.questions import read_set
from counterfoil.stats import Estimate

pytestmark = pytest.mark.heavy

MODEL = "planted/memorization?skill=0.4&memorized=0.5&seed=2"


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def load(path: Path) -> Any:
    return json.loads(path.read_bytes())


def overall(run: cf.Run, basis: str | None = None) -> dict[str, Estimate]:
    group = {} if basis is None else {"basis": basis}
    return {it.metric: it for it in run.estimates if it.group == group}


def table(*rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    usual = {"correct": None, "kept_old": None, "took_sham": None, "answer": None}
    return item_table([usual | row for some in rows for row in some], "m", "mcq", {})


def test_the_item_table_by_hand() -> None:
    items = table(
        asked("a", "1", "11", "1", lure="1o"),
        asked("b", "1", "10", lure="oos"),
        asked("c", "0", "01"),
        asked("d", "-", "0-"),
    )
    assert [(it["question_id"], it["kind"], it["draws"], it["draws_right"]) for it in items] == [
        ("a", "robust", 3, 3),
        ("b", "suspect", 2, 1),
        ("c", "improved", 2, 1),
        ("d", "robust-incorrect", 2, 0),
    ]
    assert [(it["lures"], it["old_answers_kept"]) for it in items] == [(2, 1), (3, 2), (0, 0), (0, 0)]


def test_the_item_table_holds_questions_with_all_their_draws() -> None:
    assert table(asked("a", "1", "1x"), asked("b", "x", "11"), asked("c", "1", level_3="1", again="1")) == []
    # Level 3 and the controls do not make it a suspect, nor does what a model wrote.
    [item] = table(asked("a", "1", "11", level_3="0x", again="0", lure="x"))
    assert (item["kind"], item["draws"], item["lures"]) == ("robust", 2, 0)
    written = [row | {"draw": 9} for row in asked("a", "", "0", status="unverified")]
    [item] = table(asked("a", "1", "11"), written)
    assert (item["kind"], item["draws"]) == ("robust", 2)


def test_a_run_keeps_the_set_that_was_asked() -> None:
    run = cf.run("memorization", model=MODEL, limit=6, draws=2, out="run")
    content = (run.folder / "set.jsonl").read_bytes()
    assert hashlib.sha256(content).hexdigest() == run.manifest["data"]["sha256"]
    kept = {question.id: question for question in read_set(run.folder / "set.jsonl")}
    assert set(run.records["question_id"]) <= set(kept)
    again = cf.run("memorization", model=MODEL, limit=6, data="run/set.jsonl", out="again")
    assert again.manifest["data"]["sha256"] == run.manifest["data"]["sha256"]
    assert again.records.drop("ask_key").equals(run.records.drop("ask_key"))
    # One that somebody else has written keeps its bytes.
    Path("theirs.jsonl").write_bytes(content.replace(b"\n", b" \r\n\n"))
    theirs = cf.run("memorization", model=MODEL, limit=6, data="theirs.jsonl", out="theirs")
    assert (theirs.folder / "set.jsonl").read_bytes() == Path("theirs.jsonl").read_bytes()
    assert theirs.manifest["data"]["sha256"] == hashlib.sha256(Path("theirs.jsonl").read_bytes()).hexdigest()


def test_the_kinds_of_a_run_are_its_shares() -> None:
    run = cf.run("memorization", model=MODEL, levels=[1, 2, 3], draws=2, out="run")
    items = load(run.folder / "items.json")
    assert sorted(it["question_id"] for it in items) == sorted(set(run.records["parent"]))
    kinds = Counter(it["kind"] for it in items)
    kinds["suspect"] += kinds.pop("memorized", 0)
    assert set(kinds) == {"robust", "suspect", "improved", "robust-incorrect"}
    estimates = overall(run)
    for metric, kind in {
        "robust_accuracy": "robust",
        "memorization_suspect": "suspect",
        "improved": "improved",
    }.items():
        assert estimates[metric].value == pytest.approx(kinds[kind] / len(items))
    # The suspects come with the old answer, as it was printed, and with how often it was kept.
    originals = {it.id: it for it in read_set(run.folder / "set.jsonl") if it.parent is None}
    for item in items:
        assert item["old_answer"] == originals[item["question_id"]].value
        kept = run.records.filter(parent=item["question_id"], control="lure")["kept_old"].sum()
        assert item["old_answers_kept"] == kept


def test_results_in_the_seeds_format() -> None:
    run = cf.run("memorization", model=MODEL, limit=5, levels=[1, 2], draws=2, out="run")
    results = load(run.folder / "results.json")
    assert results["metadata"] == {"model": MODEL, "dataset": "bank", "n_questions": 5, "perturbation_levels": [1, 2]}
    assert set(results["summary"]) == {
        *("accuracy_original", "perturbation_levels", "robust_accuracy", "memorization_suspect"),
    }
    assert set(results["summary"]["perturbation_levels"]) == {"1", "2"}
    assert set(results["summary"]["perturbation_levels"]["1"]) == {"n_valid", "accuracy", "memorization_gap"}
    assert results["summary"]["perturbation_levels"]["1"]["n_valid"] == 10
    known = {question.id: question for question in read_set(run.folder / "set.jsonl")}
    for entry in results["results"]:
        assert set(entry["original"]) == {"answer", "correct"}
        assert entry["correct_answer"] == known[entry["question_id"]].gold
        assert [it["level"] for it in entry["perturbations"]] == [1, 1, 2, 2]
        for it in entry["perturbations"]:
            assert set(it) >= {"level", "valid", "perturbed_answer", "model_answer", "correct"}
            assert it["perturbed_answer"] in {question.value for question in known.values()}
            assert len(it["changes_made"]) >= it["level"], "and what follows from it"


@pytest.mark.parametrize("levels", [[1], [1, 2], [1, 2, 3]])
def test_our_own_results_are_read_back_as_the_same(levels: list[int]) -> None:
    run = cf.run("memorization", model=MODEL, limit=16, levels=levels, draws=2, out="run")
    back = cf.score("memorization", "run/results.json", format="cfa", out="back")
    one, other = overall(run), overall(back)
    for metric in (
        *("accuracy_original", "accuracy_perturbed", "memorization_gap", "robust_accuracy", "memorization_suspect"),
        *("improved", "consistency"),
    ):
        assert other[metric].value == pytest.approx(one[metric].value), metric
        assert other[metric].n == one[metric].n
    # Nothing to say against it; and every question has all its variants, so what is reported is what is right.
    assert not overall(back, "finding")
    assert overall(back, "reported")["accuracy_original"].value == pytest.approx(one["accuracy_original"].value)


def test_what_failed_is_left_out_of_the_results() -> None:
    usual = {"correct": None, "answer": None}
    rows = [usual | row for row in (*asked("a", "1", "10", again="x"), *asked("b", "1", "1x"), *asked("c", "x", "1"))]
    made = results_of(rows, "m", "d", {})
    assert [entry["question_id"] for entry in made["results"]] == ["a"]
    assert made["metadata"]["n_questions"] == 1
    assert [it["correct"] for it in made["results"][0]["perturbations"]] == [True, False]
    nothing = results_of([row for row in rows if row["parent"] == "b"], "m", "d", {})
    assert (nothing["results"], nothing["summary"]) == ([], {})


def test_what_nothing_confirms_is_not_valid() -> None:
    usual = {"correct": None, "answer": None}
    rows = [usual | row for row in asked("a", "1", "10", status="unverified")]
    [entry] = results_of(rows, "m", "d", {})["results"]
    assert [it["valid"] for it in entry["perturbations"]] == [False, False]


def test_each_model_and_variant_has_its_own_file() -> None:
    long = "planted/memorization?skill=0.5&memorized=0.25&slip=0.125&survives=0.5&unread=0.0&seed="
    run = cf.run("memorization", model=[f"{long}1", f"{long}2"], variant=["mcq", "open"], limit=2, draws=1, out="run")
    models = [load(path)["metadata"]["model"] for path in run.folder.glob("results_*.json")]
    assert sorted(models) == sorted([f"{long}1", f"{long}2"] * 2)
    items = load(run.folder / "items.json")
    assert len(items) == 2 * 4


def test_kinds_by_hand() -> None:
    assert kind_of(1, 1) == "robust"
    assert kind_of(1, 0.8) == "suspect"
    assert kind_of(1, 0) == "suspect"
    assert kind_of(0, 0.2) == "improved"
    assert kind_of(0, 1) == "improved"
    assert kind_of(0, 0) == "robust-incorrect"
