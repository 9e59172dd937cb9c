"""counterfoil export, as a user calls it."""

from __future__ import annotations

import csv
import json
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

import counterfoil as cf
from counterfoil import targets
from counterfoil.cli.main import main

pytestmark = pytest.mark.heavy

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "kobbq"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="../shared/data/kobbq is not here: it holds predictions")
TABLES = ("context", "category", "category_context", "label", "label_context", "policy", "habit")
MODEL = "planted/bias?unknown=0.5&unread=0.1"


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def a_run(**options: Any) -> None:
    usual: dict[str, Any] = {"model": MODEL, "variant": "1", "limit": 4, "out": "run"}
    cf.run("bias", **(usual | options))


def shipped(*parts: str) -> bytes:
    return resources.files("counterfoil.bias").joinpath(*parts).read_bytes()


@pytest.mark.parametrize(
    ("to", "names"),
    [
        ("csv", ["summary.csv", "records.csv"]),
        ("parquet", ["summary.parquet", "records.parquet"]),
        ("latex", ["summary.tex", *(f"summary_by_{name}.tex" for name in TABLES)]),
    ],
)
def test_tables_of_a_run(to: str, names: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    a_run()
    assert main(["export", "run", "--to", to, "tables"]) == 0
    said = capsys.readouterr().out
    assert sorted(path.name for path in Path("tables").iterdir()) == sorted([*names, targets.LIST])
    assert said.split() == ["Written:", *(f"tables/{name}" for name in names)]


def test_json_is_the_list_of_paths(capsys: pytest.CaptureFixture[str]) -> None:
    a_run()
    assert main(["export", "run", "--to", "csv", "tables", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == ["tables/summary.csv", "tables/records.csv"]


def test_records_are_all_there() -> None:
    a_run(limit=None)
    main(["export", "run", "--to", "csv", "tables"])
    with Path("tables/records.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    # 1,152 sample questions in three orders.
    assert len(rows) == 3456
    assert {row["outcome"] for row in rows} == {"answered", "out_of_choice"}


def said_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The sentence of a command that fails."""
    capsys.readouterr()
    assert main(["export", *arguments]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert len(err.strip().split("\n")) == 1
    return err


def test_what_there_is_not_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    a_run()
    assert "no export to xlsx. There are: csv, parquet, latex, kobbq, inspect, sft, dpo." in said_of(
        capsys, "run", "--to", "xlsx", "d"
    )
    assert "did you mean csv?" in said_of(capsys, "run", "--to", "cvs", "d")
    assert "required: DIR" in said_of(capsys, "run", "--to", "csv")
    assert "nowhere is not a run folder" in said_of(capsys, "nowhere", "--to", "csv", "d")
    assert "--variant is for --to kobbq, sft or dpo: leave it out" in said_of(
        capsys, "run", "--to", "csv", "d", "--variant", "1"
    )
    assert "--max-score is for --to dpo: leave it out" in said_of(capsys, "run", "--to", "sft", "d", "--max-score", "0")
    assert "test-share must be at most 0.99" in said_of(capsys, "run", "--to", "sft", "d", "--test-share", "1")
    Path("run/records.parquet").unlink()
    assert "has no records.parquet" in said_of(capsys, "run", "--to", "csv", "d")
    assert not Path("d").exists()


def test_the_official_files_of_all_variants_or_some(capsys: pytest.CaptureFixture[str]) -> None:
    a_run(variant=["1", "2-debiased"])
    assert main(["export", "run", "--to", "kobbq", "all", "--json"]) == 0
    # Evaluation JSON and TSV, raw and processed predictions; two variants.
    assert len(json.loads(capsys.readouterr().out)) == 8
    assert main(["export", "run", "--to", "kobbq", "one", "--variant", "2-debiased", "--json"]) == 0
    name = "KoBBQ_test_evaluation_debiased_2"
    assert json.loads(capsys.readouterr().out) == [
        f"one/data/KoBBQ_test/{name}.json",
        f"one/data/KoBBQ_test/{name}.tsv",
        f"one/outputs/raw/KoBBQ_test_debiased_2/{name}_{MODEL.replace('/', '_')}_predictions.tsv",
        f"one/outputs/processed/KoBBQ_test_debiased_2/{name}_{MODEL.replace('/', '_')}.tsv",
    ]
    assert "it has 1, 2-debiased" in said_of(capsys, "run", "--to", "kobbq", "d", "--variant", "3")


def test_of_repeats_it_is_the_first_and_that_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    a_run(repeats=2)
    capsys.readouterr()
    assert main(["export", "run", "--to", "kobbq", "d"]) == 0
    assert "the first of the repeats" in capsys.readouterr().err


def test_prompts_of_a_table_are_named_again(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine.tsv").write_bytes(shipped("prompts", "kobbq.tsv"))
    a_run(variant="mine.tsv:3")
    assert "name its file with --variant FILE" in said_of(capsys, "run", "--to", "kobbq", "d")
    assert main(["export", "run", "--to", "kobbq", "d", "--variant", "mine.tsv"]) == 0
    # The official fifth script is called with --topic KoBBQ_test_evaluation_mine --prompt-id 3.
    assert Path("d/data/KoBBQ_test/KoBBQ_test_evaluation_mine_3.tsv").is_file()
    Path("mine.tsv").write_text(
        Path("mine.tsv").read_text(encoding="utf-8").replace("주어진", "다음"), encoding="utf-8"
    )
    assert "is not the one that was asked" in said_of(capsys, "run", "--to", "kobbq", "d", "--variant", "mine.tsv")


def test_questions_that_moved_are_named_again(capsys: pytest.CaptureFixture[str]) -> None:
    questions = Path("mine.tsv")
    questions.write_bytes(shipped("samples", "kobbq_templates.tsv"))
    a_run(data="mine.tsv", model="planted/bias?data=mine.tsv")
    questions.rename("moved.tsv")
    assert "mine.tsv) can't be loaded: name them with --data" in said_of(capsys, "run", "--to", "kobbq", "d")
    assert main(["export", "run", "--to", "kobbq", "d", "--data", "moved.tsv"]) == 0
    lines = Path("moved.tsv").read_text(encoding="utf-8").split("\n")
    questions.write_text("\n".join([*lines[:-2], ""]), encoding="utf-8")
    assert "mine.tsv is not what the run was asked from" in said_of(capsys, "run", "--to", "kobbq", "d")
    assert "no such dataset" in said_of(capsys, "run", "--to", "kobbq", "d", "--data", "nowhere.tsv")


def test_what_is_not_kobbq_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    a_run(data="english", variant="en", model="planted/bias?data=english")
    assert "no such export of BBQ" in said_of(capsys, "run", "--to", "kobbq", "d")
    cf.run("explain", model="planted/explain?right=1", variant="baseline", limit=4, out="other")
    assert "is a run of explain" in said_of(capsys, "other", "--to", "kobbq", "d")


@needs_data
def test_an_import_is_exported_as_it_came(capsys: pytest.CaptureFixture[str]) -> None:
    """The official first script's content, and the predictions that were imported, come out as they are."""
    given = DATA / "KoBBQ_test_evaluation_1_planted-a_predictions.tsv"
    samples = str(DATA / "KoBBQ_test_samples.tsv")
    cf.score("bias", given, format="kobbq", data=samples, variant="1", reading="kobbq", out="run")
    assert main(["export", "run", "--to", "kobbq", "d"]) == 0
    made = Path("d/outputs/raw/KoBBQ_test_1", given.name)

    def raws(path: Path) -> dict[str, tuple[str, str]]:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return {row["guid"]: (row["truth"], row["raw"]) for row in csv.DictReader(file, delimiter="\t")}

    assert raws(made) == raws(given)


def test_training_data_with_its_options(capsys: pytest.CaptureFixture[str]) -> None:
    a_run(limit=None, repeats=3, variant=["1", "2"])
    capsys.readouterr()
    assert main(["export", "run", "--to", "sft", "all", "--json"]) == 0
    names = ["train.jsonl", "test.jsonl", "held_out.jsonl", "README.md"]
    assert json.loads(capsys.readouterr().out) == [f"all/{name}" for name in names]
    options = ["--variant", "2", "--test-share", "0.5", "--seed", "1", "--min-score", "1", "--max-score", "0"]
    assert main(["export", "run", "--to", "dpo", "some", *options]) == 0
    assert capsys.readouterr().out.split() == ["Written:", *(f"some/{name}" for name in names)]
    with Path("some/train.jsonl").open(encoding="utf-8") as file:
        assert {json.loads(line)["variant"] for line in file} == {"2"}
    # Half of 72 templates of 16 questions each.
    assert len(Path("some/held_out.jsonl").read_text(encoding="utf-8").splitlines()) == 36 * 16


def test_nothing_to_learn_from_is_an_error_and_leaves_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    a_run(model="planted/bias?unread=1", limit=60)
    assert "No reply to a question for training has a correct of at least 1" in said_of(
        capsys, "run", "--to", "sft", "d"
    )
    assert "did you mean correct?" in said_of(capsys, "run", "--to", "sft", "d", "--score", "corect")
    assert not Path("d").exists()


def test_a_run_that_wrote_the_official_table_is_exported_all_the_same() -> None:
    # What the run was to write is written: whoever reads the run later writes nothing there.
    arguments = ["run", "bias", "--model", MODEL, "--variant", "1", "--limit", "20", "--out", "run"]
    assert main([*arguments, "--write-official", "official.tsv"]) == 0
    assert main(["export", "run", "--to", "kobbq", "files"]) == 0
