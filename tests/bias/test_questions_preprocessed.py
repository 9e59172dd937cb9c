"""What KoBBQ's preprocessing writes, and what its README lets people fill in, is read as the samples are."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import counterfoil as cf
from commands import counterfoil
from counterfoil.bias.questions import UNKNOWN
from counterfoil.bias.sources.loading import load_questions

HEADER = (
    "sample_id\tlabel_annotation\tcontext\tquestion\tchoices\tbiased_answer\tanswer\tbbq_id\tbbq_category\tprediction\n"
)
SAMPLES = [
    ("age-001a-001-amb-bsd", "할머니", UNKNOWN),
    ("age-001b-001-amb-bsd", "손자", UNKNOWN),
    ("age-001a-001-dis-cnt", "할머니", "손자"),
    ("age-001b-001-dis-bsd", "손자", "손자"),
]


@pytest.fixture(autouse=True)
def samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [
        f"{id}\tST\t맥락\t질문?\t['손자', '할머니', '{UNKNOWN}']\t{biased}\t{right}\t\t\t\n"
        for id, biased, right in SAMPLES
    ]
    Path("KoBBQ_test_samples.tsv").write_text(HEADER + "".join(rows), encoding="utf-8")


def exported(variant: str) -> Path:
    cf.run("bias", data="KoBBQ_test_samples.tsv", model="planted/bias", variant=variant, out="run", ledger="ledger")
    done = counterfoil("export", "run", "--to", "kobbq", "official", cwd=Path())
    assert done.returncode == 0, done.stderr
    return Path("official/data/KoBBQ_test")


# The second prompt has a wording of its own for what can't be known.
@pytest.mark.parametrize("ending", ["tsv", "json"])
@pytest.mark.parametrize(("variant", "name"), [("2", "evaluation_2"), ("1-debiased", "evaluation_debiased_1")])
def test_the_preprocessed_files_are_the_samples_again(variant: str, name: str, ending: str) -> None:
    file = exported(variant) / f"KoBBQ_test_{name}.{ending}"
    assert {it.id: it for it in load_questions(str(file))} == {
        it.id: it for it in load_questions("KoBBQ_test_samples.tsv")
    }
    # They are for one prompt, and the very asks of before: the ledger has all twelve.
    again = cf.run("bias", data=str(file), model="planted/bias", out="again", ledger="ledger")
    assert [it["name"] for it in again.manifest["variants"]] == [variant]
    assert again.manifest["models"][0]["asked"] == 0
    assert again.records.height == 3 * len(SAMPLES)
    named = cf.run("bias", data=str(file), model="planted/bias", variant="3", out="named", ledger="ledger")
    assert [it["name"] for it in named.manifest["variants"]] == ["3"]


def test_predictions_are_scored_with_the_preprocessed_table() -> None:
    folder = exported("2")
    [raw] = Path("official/outputs/raw").rglob("*.tsv")
    table = str(folder / "KoBBQ_test_evaluation_2.tsv")
    scored = cf.score("bias", raw, format="kobbq", data=table, model="m", out="scored", ledger="ledger")
    asked = cf.Run("run").records
    assert scored.records["role"].to_list() == asked.sort("question_id", "order")["role"].to_list()


def test_a_json_without_its_table_is_one_sentence() -> None:
    file = exported("1") / "KoBBQ_test_evaluation_1.json"
    file.with_suffix(".tsv").unlink()
    done = counterfoil("run", "bias", "--data", str(file), "--model", "planted/bias", cwd=Path())
    assert done.returncode == 2
    assert "KoBBQ's preprocessing writes that into KoBBQ_test_evaluation_1.tsv" in done.stderr


def test_the_readmes_own_way_samples_with_the_predictions_filled_in() -> None:
    with Path("KoBBQ_test_samples.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    # Unknown in both ambiguous contexts; the right answer, and then something that is no choice.
    for row, prediction in zip(rows, [UNKNOWN, UNKNOWN, "손자", "모두"], strict=True):
        row["prediction"] = prediction
    with Path("KoBBQ_test_evaluation_2_mine.tsv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], delimiter="\t")
        writer.writeheader()
        writer.writerows(rows)
    arguments = ("--from", "kobbq-processed", "KoBBQ_test_evaluation_2_mine.tsv", "--data", "KoBBQ_test_samples.tsv")
    done = counterfoil("score", "bias", *arguments, "--orders", "1", "--out", "out", cwd=Path())
    assert done.returncode == 0, done.stderr
    records = cf.Run("out").records
    assert records["model"].unique().to_list() == ["mine"]
    assert records["role"].to_list() == ["unknown", "unknown", "counter_biased", None]
    assert records["correct"].to_list() == [True, True, True, False]


def test_official_tables_have_the_official_names() -> None:
    variants = ("--variant", "1", "--variant", "1-debiased")
    arguments = ("--data", "KoBBQ_test_samples.tsv", "--model", "planted/bias", *variants)
    done = counterfoil("run", "bias", *arguments, "--write-official", "result/KoBBQ_test.tsv", "--out", "o", cwd=Path())
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in Path("result").glob("KoBBQ*")) == [
        "KoBBQ_test_1.tsv",
        "KoBBQ_test_debiased_1.tsv",
    ]
