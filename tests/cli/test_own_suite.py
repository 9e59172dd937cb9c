"""A suite in a file of the user's own, named as MODULE:ATTRIBUTE: every command that takes its runs finds it again."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import counterfoil as cf
from counterfoil.cli.main import main
from counterfoil.running.folder import Run

SUITE = "doubted:suite"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("own")
    cf.run(
        SUITE,
        model=["planted/doubted:suite?folds=0.2", "planted/doubted:suite?folds=0.6"],
        data="60",
        repeats=2,
        temperature=1.0,
        out=folder / "run",
        ledger=folder / "ledger.sqlite",
    )
    return str(folder / "run")


def test_both_turns_are_asked_and_read(run: str) -> None:
    records = Run(run).records
    assert set(records["outcome"]) == {"answered"}
    folded = records.filter(pl.col("first") != pl.col("choice"))
    shares = [folded.filter(pl.col("model").str.ends_with(end)).height / 120 for end in ("0.2", "0.6")]
    assert shares[0] < 0.35 < 0.45 < shares[1]


def test_it_is_shown_and_reported_on_with_its_plots(
    run: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", run]) == 0
    assert "accuracy" in capsys.readouterr().out
    page, plots = tmp_path / "page.html", tmp_path / "plots"
    assert main(["report", run, "--out", str(page), "--plots", str(plots)]) == 0
    assert "Right after doubt" in page.read_text(encoding="utf-8")
    assert [path.name for path in sorted(plots.glob("[!.]*"))] == ["1-right-after-doubt.png", "1-right-after-doubt.svg"]


def test_its_models_are_compared(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", run, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["metric"]: row["verdict"] for row in rows} == {
        "accuracy": "worse",
        "out_of_choice": "can't be told apart",
    }


def test_it_is_exported_as_tables_and_as_training_data(run: str, tmp_path: Path) -> None:
    assert main(["export", run, "--to", "csv", str(tmp_path / "csv")]) == 0
    ledger = str(Path(run).parent / "ledger.sqlite")
    assert main(["export", run, "--to", "sft", str(tmp_path / "sft"), "--ledger", ledger]) == 0
    first = json.loads((tmp_path / "sft" / "train.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert first["score"] == 1


def test_people_rate_it(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rate", "new", "--run", run, "--name", "pilot", "--raters", "2", "--sample", "8", "--json"]) == 0
    study = json.loads(capsys.readouterr().out)["study"]
    assert main(["rate", "results", study, "--json"]) == 0
    metrics = {estimate["metric"] for estimate in json.loads(capsys.readouterr().out)["estimates"]}
    assert "human_reading" in metrics


def test_judges_are_refused_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["run", SUITE, "--model", "planted/doubted:suite", "--judge", "planted/doubted:suite"]
    assert main([*given, "--out", str(tmp_path / "run"), "--ledger", str(tmp_path / "ledger.sqlite")]) == 2
    assert capsys.readouterr().err == "counterfoil: doubted asks no judges: leave --judge out.\n"
    assert not (tmp_path / "run").exists()


def test_a_run_whose_suite_is_gone_has_tables_and_no_plots(
    run: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    moved = tmp_path / "moved"
    moved.mkdir()
    for name in ("records.parquet", "summary.json"):
        (moved / name).write_bytes(Path(run, name).read_bytes())
    manifest = json.loads(Path(run, "manifest.json").read_bytes()) | {"suite_at": "no_such_module:suite"}
    (moved / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert main(["report", str(moved), "--plots", str(tmp_path / "plots")]) == 0
    out, err = capsys.readouterr()
    assert "The report is" in out
    assert err == "There are no plots: no suite of these runs is here that has some.\n"
    assert main(["compare", str(moved)]) == 2
    sentence = "counterfoil: The suite no_such_module:suite can't be loaded: there is no module no_such_module.\n"
    assert capsys.readouterr().err == sentence
