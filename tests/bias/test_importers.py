"""Predictions from elsewhere: the official files give the official figures, exactly."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import counterfoil as cf
from bbq_rows import bbq_row
from commands import counterfoil
from counterfoil.bias.questions import UNKNOWN

pytestmark = pytest.mark.heavy

DATA = Path(__file__).parents[2].parent / "shared" / "data"
KOBBQ, BBQ = DATA / "kobbq", DATA / "bbq"
needs_kobbq = pytest.mark.skipif(not KOBBQ.exists(), reason="../shared/data/kobbq is not here: it holds predictions")
needs_bbq = pytest.mark.skipif(not BBQ.exists(), reason="../shared/data/bbq is not here: it holds predictions")
METRICS = {
    "out_of_choice": "out-of-choice ratio",
    "accuracy_ambiguous": "accuracy in ambiguous contexts",
    "accuracy_disambiguated": "accuracy in disambiguated contexts",
    "diff_bias_ambiguous": "diff-bias in ambiguous contexts",
    "diff_bias_disambiguated": "diff-bias in disambiguated contexts",
}
SAMPLES = (
    "sample_id\tlabel_annotation\tcontext\tquestion\tchoices\tbiased_answer\tanswer\n"
    f"age-001a-001-amb-bsd\tST\t맥락\t질문?\t['손자', '할머니', '{UNKNOWN}']\t할머니\t{UNKNOWN}\n"
)
GUID = "age-001a-001-amb-bsd"


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.tsv").write_text(SAMPLES, encoding="utf-8")


def raw_files(prompt: int) -> list[str]:
    return [str(KOBBQ / f"KoBBQ_test_evaluation_{prompt}_planted-{name}_predictions.tsv") for name in "ab"]


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def predictions(*rows: tuple[str, str], column: str = "raw", name: str = "p.tsv", guid: str = "guid") -> str:
    with Path(name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t")
        writer.writerows([(guid, column), *rows])
    return name


@needs_kobbq
@pytest.mark.parametrize("prompt", [1, 2])
def test_the_official_table_is_reproduced(prompt: int) -> None:
    done = counterfoil(
        *("score", "bias", "--from", "kobbq", *raw_files(prompt), "--data", str(KOBBQ / "KoBBQ_test_samples.tsv")),
        *("--variant", str(prompt), "--reading", "kobbq", "--out", "out", "--write-official", "official.tsv"),
        cwd=Path(),
    )
    assert done.returncode == 0, done.stderr
    expected = table(KOBBQ / f"expected_prompt_{prompt}.tsv")
    # Two models; overall, three labels, twelve categories.
    assert len(expected) == 2 * (1 + 3 + 12)
    found = {
        (it.model, "".join(map(str, it.group.values())) or "overall", it.metric): it.value
        for it in cf.Run("out").estimates
        if it.variant == str(prompt) and set(it.group) <= {"label", "category"} and it.metric in METRICS
    }
    assert len(found) == len(expected) * len(METRICS)
    for row in expected:
        for metric, name in METRICS.items():
            assert found[row["model"], row["category"], metric] == pytest.approx(float(row[name]), abs=1e-9)
    official = table(Path("official.tsv"))
    assert list(official[0]) == list(expected[0]), "the official columns"
    assert {(row["model"], row["category"]) for row in official} == {
        (row["model"], row["category"]) for row in expected
    }
    by_key = {(row["model"], row["category"]): row for row in official}
    for row in expected:
        for name in METRICS.values():
            assert float(by_key[row["model"], row["category"]][name]) == pytest.approx(float(row[name]), abs=1e-9)


@needs_kobbq
def test_both_prompts_at_once_by_the_files_names() -> None:
    files = raw_files(1) + raw_files(2)
    run = cf.score("bias", files, format="kobbq", data=KOBBQ / "KoBBQ_test_samples.tsv", reading="kobbq", out="o")
    assert run.records.height == 4 * 6840
    overall = {
        (it.model, it.variant): it.value for it in run.estimates if not it.group and it.metric == "out_of_choice"
    }
    for prompt in ("1", "2"):
        for row in table(KOBBQ / f"expected_prompt_{prompt}.tsv"):
            if row["category"] == "overall":
                assert overall[row["model"], prompt] == pytest.approx(float(row["out-of-choice ratio"]), abs=1e-9)
    # Two prompts: mean, lowest and highest of each figure.
    mean = [it for it in run.estimates if it.variant == "all" and it.metric == "out_of_choice" and len(it.group) == 2]
    assert {(it.model, it.group["statistic"]) for it in mean} == {
        (f"planted-{name}", statistic) for name in "ab" for statistic in ("mean", "lowest", "highest")
    }


@needs_bbq
def test_bbqs_predictions_give_the_expected_values_exactly() -> None:
    expected = json.loads((BBQ / "expected_Age.json").read_text())
    columns = [it for name in expected for it in ("--column", name)]
    file = str(BBQ / "preds_Age.jsonl")
    done = counterfoil("score", "bias", "--from", "bbq", file, *columns, "--out", "out", cwd=Path())
    assert done.returncode == 0, done.stderr
    run = cf.Run("out")
    found = {(it.model, it.metric): it for it in run.estimates if not it.group}
    for name, wanted in expected.items():
        assert found[name, "out_of_choice"].n == wanted["rows"]
        assert found[name, "out_of_choice"].value == pytest.approx(wanted["unparsed"] / wanted["rows"], abs=1e-12)
        for kind, metric in (("ambig", "ambiguous"), ("disambig", "disambiguated")):
            accuracy, bias = found[name, f"accuracy_{metric}"], found[name, f"bbq_bias_{metric}"]
            assert accuracy.n == wanted[kind]["n"]
            assert accuracy.value == pytest.approx(wanted[kind]["accuracy"], abs=1e-12)
            assert bias.value == pytest.approx(wanted[kind]["bias"], abs=1e-12)
            roles = run.records.filter(model=name, ambiguous=kind == "ambig")["role"].value_counts()
            counts = dict(roles.rows())
            assert (counts["biased"], counts["counter_biased"]) == (wanted[kind]["biased"], wanted[kind]["counter"])


def test_raw_predictions_of_all_kinds_end_in_an_outcome() -> None:
    # Order 0: 손자, unknown, 할머니; order 1: 할머니, 손자, unknown; order 2: unknown, 할머니, 손자.
    file = predictions((f"{GUID}-0", "B"), (f"{GUID}-1", ""), (f"{GUID}-2", "보기 중 답을 찾을 수 없음"))
    run = cf.score("bias", file, format="kobbq", data="s.tsv", variant="2", model="me", reading="kobbq", out="o")
    assert run.records["outcome"].to_list() == ["answered", "out_of_choice", "answered"]
    assert run.records["choice"].to_list() == ["B", None, "A"]
    assert run.records["role"].to_list() == ["unknown", None, "unknown"]
    assert run.records["order"].to_list() == [0, 1, 2]
    assert set(run.records["question_id"]) == {GUID}
    assert run.records["model"].unique().to_list() == ["me"]


@pytest.mark.parametrize("name", ["KoBBQ_test_evaluation_debiased_2_gpt-4_predictions.tsv"])
def test_a_debiased_file_by_its_name_is_read_with_its_own_unknown(name: str) -> None:
    file = predictions((f"{GUID}-0", "보기 중 답을 찾을 수 없음"), name=name)
    run = cf.score("bias", file, format="kobbq", data="s.tsv", reading="kobbq", out="o")
    assert run.records.select("model", "variant", "role").row(0) == ("gpt-4", "2-debiased", "unknown")


def test_anybodys_replies_in_a_shipped_variant_are_read_with_its_unknown() -> None:
    line = {"question_id": f"{GUID}-0", "model": "m", "variant": "2-debiased", "reply": "보기 중 답을 찾을 수 없음"}
    Path("r.jsonl").write_text(json.dumps(line))
    run = cf.score("bias", "r.jsonl", data="s.tsv", reading="strict", out="o")
    assert run.records["role"].to_list() == ["unknown"]


def test_processed_predictions_are_the_choices_texts() -> None:
    rows = ((f"{GUID}-0", "할머니"), (f"{GUID}-1", "정답 없음"), (f"{GUID}-2", "A 손자"))
    file = predictions(*rows, column="prediction", guid="sample_id")
    run = cf.score("bias", file, format="kobbq-processed", data="s.tsv", variant="4", model="m", out="o")
    # Whole texts, in the prompt's words; all else is out of choice, whatever could be read from it.
    assert run.records["role"].to_list() == ["biased", "unknown", None]
    assert run.records["choice"].to_list() == ["C", "C", None]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--from", "kobbq", "p.tsv", "--variant", "1"), "whose predictions these are: name the model with --model"),
        (("--from", "kobbq", "p.tsv", "--model", "m"), "which prompt was asked: name one with --variant"),
        (("--from", "kobbq", "p.tsv", "--model", "m", "--variant", "1", "--column", "c"), "--column is for"),
        (("--from", "kobbq", "nix.tsv", "--model", "m", "--variant", "1"), "There is no file nix.tsv"),
        (("--from", "kobbq-processed", "p.tsv", "--model", "m", "--variant", "1"), "lacks the column prediction"),
        (("--from", "kobbq", "other.tsv", "--model", "m", "--variant", "1"), "other.tsv, line 2: the question x-0"),
        (("--from", "kobbq", "twice.tsv", "--model", "m", "--variant", "1"), "twice.tsv, line 3: m has answered"),
        (("--from", "bbq", "p.jsonl"), "--column NAME"),
        (("--from", "bbq", "p.jsonl", "--column", "x", "--column", "y", "--model", "m"), "one column"),
        (("--from", "nix", "p.tsv"), "bias can't read nix"),
        (("--from", "kobbq", "p.tsv", "--judge", "planted/bias"), "bias asks no judges"),
    ],
)
def test_wrong_imports_are_one_sentence(arguments: tuple[str, ...], sentence: str) -> None:
    predictions((f"{GUID}-0", "A"))
    predictions(("x-0", "A"), name="other.tsv")
    predictions((f"{GUID}-0", "A"), (f"{GUID}-0", "B"), name="twice.tsv")
    Path("p.jsonl").write_text("{}")
    done = counterfoil("score", "bias", *arguments, "--data", "s.tsv", cwd=Path())
    assert done.returncode == 2, done.stdout
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_bbqs_predictions_in_other_spellings_and_bad_lines() -> None:
    said = ["Ed", "the ed.", "unknown", "", None, "Al and Ed"]
    Path("p.jsonl").write_text("\n".join(json.dumps(bbq_row(n, mine=text)) for n, text in enumerate(said)))
    run = cf.score("bias", "p.jsonl", format="bbq", column="mine", model="me", out="o")
    assert run.records["role"].to_list() == ["biased", "biased", "unknown", None, None, None]
    assert run.records["model"].unique().to_list() == ["me"]
    Path("q.jsonl").write_text(json.dumps(bbq_row(0)))
    for bad in ("7", "[]", "{", '{"mine": "Ed"}', '{"example_id": 0, "category": "Age"}'):
        Path("p.jsonl").write_text(bad)
        with pytest.raises(cf.UserError, match=r"p\.jsonl has bad rows, 1 of 1: line 1: "):
            cf.score("bias", "p.jsonl", format="bbq", column="mine", data="q.jsonl", out="o")
