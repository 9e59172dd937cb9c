"""Files in the CFA study's format, as questions, replies and readings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import counterfoil as cf
from commands import counterfoil
from counterfoil.errors import UserError
from counterfoil.memorization.files import Results, read_results, reported_summary
from counterfoil.memorization.report.headline import headline

pytestmark = pytest.mark.heavy

SHARED = Path(__file__).parents[3] / "shared" / "data" / "cfa"
needs_data = pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/data/cfa is not here")
RESULTS, EASY = SHARED / "results_gpt-4o-mini.json", SHARED / "cfa_easy.json"

Found = dict[tuple[Any, ...], Any]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def result(name: str, original: bool, *valid: bool, invalid: int = 0, level: int = 1, **more: Any) -> dict[str, Any]:
    perturbations: list[dict[str, Any]] = [
        {
            "level": level,
            "valid": True,
            "perturbed_answer": "B",
            "model_answer": "B" if right else "A",
            "correct": right,
        }
        for right in valid
    ]
    perturbations += [{"level": level, "valid": False}] * invalid
    given = {"question_id": name, "original": {"answer": "A", "correct": original}, "perturbations": perturbations}
    return given | more


# Two with a valid variant, of which one is kept; one right and one wrong original without any.
FOUR = [
    result("easy_0", True, True),
    result("easy_1", True, False),
    result("easy_2", True, invalid=1),
    result("easy_3", False, invalid=1),
]


def write(name: str, results: Any, model: str = "m", **more: Any) -> str:
    content = {"metadata": {"model": model, "dataset": "easy"}, "summary": {}, "results": results} | more
    Path(name).write_text(json.dumps(content), encoding="utf-8")
    return name


def score(*files: str, **options: Any) -> cf.Run:
    return cf.score("memorization", list(files), format="cfa", out="out", **options)


def found(run: cf.Run, model: str = "m") -> Found:
    return {(it.metric, *sorted(it.group.items())): it.value for it in run.estimates if it.model == model}


def test_as_reported_and_as_it_is_right_by_hand() -> None:
    made = found(score(write("results.json", FOUR)))
    reported = ("basis", "reported")
    # All four originals against both variants.
    assert made["accuracy_original", reported] == 0.75
    assert made["accuracy_perturbed", reported, ("level", 1)] == 0.5
    assert made["memorization_gap", reported] == made["memorization_gap", reported, ("level", 1)] == 0.25
    # easy_0, and easy_2 that has no variant.
    assert made["robust_accuracy", reported] == 0.5
    assert made["memorization_suspect", reported] == 0.25
    # The two that have a variant: originals 1 and 1, variants 1 and 0.
    assert made["accuracy_original",] == 1
    assert made["accuracy_perturbed",] == made["memorization_gap",] == made["robust_accuracy",] == 0.5
    assert made["memorization_gap", ("level", 1)] == 0.5
    assert not [name for name in made if "topic" in dict(name[1:])], "such a file knows no topics"


def test_records_say_which_question_and_which_draw() -> None:
    rows = [result("easy_7", True, True, False), result("easy_8", False, True)]
    records = score(write("results.json", rows)).records
    shown = records.select("question_id", "parent", "level", "draw", "answer", "correct", "outcome").rows()
    assert shown == [
        ("easy_7", "easy_7", 0, 0, "A", True, "answered"),
        ("easy_7/1/0", "easy_7", 1, 0, "B", True, "answered"),
        ("easy_7/1/1", "easy_7", 1, 1, "A", False, "answered"),
        ("easy_8", "easy_8", 0, 0, "A", False, "answered"),
        ("easy_8/1/0", "easy_8", 1, 0, "B", True, "answered"),
    ]


def test_levels_are_kept_apart_and_3_is_in_no_gap() -> None:
    rows = [
        result("a", True, True)
        | {
            "perturbations": [
                {"level": level, "valid": True, "correct": level == 1, "model_answer": "A"} for level in (1, 2, 3)
            ]
        }
    ]
    made = found(score(write("results.json", rows)))
    assert made["memorization_gap",] == 0.5
    assert made["accuracy_perturbed", ("level", 3)] == 0
    assert made["memorization_gap", ("basis", "reported"), ("level", 3)] == 1
    assert ("memorization_gap", ("basis", "reported")) not in made, "the CFA study has one for each level"


def test_an_answer_that_is_not_there_is_out_of_choice_and_wrong() -> None:
    rows = [*FOUR, result("easy_4", False, False) | {"original": {"answer": "", "correct": False}}]
    run = score(write("results.json", rows))
    assert run.records.filter(question_id="easy_4")["outcome"].to_list() == ["out_of_choice"]
    assert found(run)["accuracy_original",] == pytest.approx(2 / 3)


def test_several_files_of_different_models() -> None:
    other = [result("easy_0", False, True), result("easy_9", True, False)]
    run = score(write("one.json", FOUR), write("two.json", other, model="n"))
    assert found(run)["memorization_gap",] == 0.5
    assert found(run, "n")["memorization_gap",] == 0
    assert found(run, "n")["accuracy_original", ("basis", "reported")] == 0.5
    assert sorted(path.name.split("_")[0] for path in run.folder.glob("results*.json")) == ["results", "results"]


def test_two_runs_of_one_model_are_told_apart_and_compared() -> None:
    write("one.json", FOUR)
    write("two.json", FOUR)
    done = counterfoil("score", "memorization", "--from", "cfa", "one.json", "two.json", "--out", "out", cwd=Path())
    assert done.returncode == 0, done.stderr
    run = cf.Run("out")
    assert {one.model for one in run.estimates} == {"m (one)", "m (two)"}
    assert found(run, "m (one)")["memorization_gap",] == found(run, "m (two)")["memorization_gap",] == 0.5
    sides = ("--models", "m (one)", "m (two)")
    done = counterfoil("compare", "out", *sides, cwd=Path())
    assert done.returncode == 0, done.stderr
    assert "m (two)" in done.stdout


def test_files_with_the_same_name_are_told_apart_by_their_folders() -> None:
    for folder in ("a", "b"):
        Path(folder).mkdir()
        write(f"{folder}/results.json", FOUR)
    files = ("a/results.json", "b/results.json")
    done = counterfoil("score", "memorization", "--from", "cfa", *files, "--out", "out", cwd=Path())
    assert done.returncode == 0, done.stderr
    assert {one.model for one in cf.Run("out").estimates} == {"m (a/results)", "m (b/results)"}


def test_two_imports_of_one_model_side_by_side() -> None:
    write("one.json", FOUR)
    write("two.json", FOUR)
    for name in ("one", "two"):
        done = counterfoil("score", "memorization", "--from", "cfa", f"{name}.json", "--out", name, cwd=Path())
        assert done.returncode == 0, done.stderr
    assert counterfoil("compare", "one", "two", cwd=Path()).returncode == 0
    assert counterfoil("report", "one", "two", "--out", "both.html", cwd=Path()).returncode == 0


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "is not a results.json"),
        (b"\xff\xfe", "is not a results.json"),
        (b"[]", "is not a results.json"),
        (b'{"metadata": {}}', "results"),
        (b'{"metadata": {}, "results": []}', "holds no results"),
        (b'{"metadata": {}, "results": [{"question_id": 7, "original": {}}]}', "question_id"),
        (b'{"metadata": {}, "results": [{"question_id": "a", "original": {"answer": "A"}}]}', "does not say whether"),
        (b'{"metadata": {}, "results": ' + b"[" * 10_000 + b"]" * 10_000 + b"}", "is not a results.json"),
    ],
)
def test_broken_files_are_refused_with_a_sentence(content: bytes, said: str) -> None:
    Path("results.json").write_bytes(content)
    with pytest.raises(UserError, match=said) as refused:
        score("results.json")
    assert "results.json" in str(refused.value)
    assert not Path("out/summary.json").exists()


def test_a_missing_file_is_refused() -> None:
    with pytest.raises(UserError, match=r"There is no file nowhere\.json"):
        score("nowhere.json")


def test_the_same_question_twice_is_refused() -> None:
    with pytest.raises(UserError, match="easy_0"):
        score(write("results.json", [FOUR[0], FOUR[0]]))


def test_replies_of_anybody_are_read_as_our_own() -> None:
    run = cf.run(
        "memorization", model="planted/memorization?seed=1", limit=6, draws=2, variant=["mcq", "open"], out="r"
    )
    lines = [
        {"question_id": row["question_id"], "model": "x", "variant": row["variant"], "reply": row["reply"]}
        for row in run.records.to_dicts()
    ]
    Path("replies.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    scored = cf.score("memorization", "replies.jsonl", format="jsonl", data="r/set.jsonl", out="scored")
    key = ["variant", "question_id"]
    columns = [*key, "answer", "correct", "kept_old", "took_sham", "parent", "level", "draw", "control", "outcome"]
    assert scored.records.select(columns).sort(key).equals(run.records.select(columns).sort(key))
    # Words that nobody knows are taken to ask for a letter.
    Path("one.jsonl").write_text(json.dumps(lines[0] | {"variant": "theirs"}), encoding="utf-8")
    one = cf.score("memorization", "one.jsonl", format="jsonl", data="r/set.jsonl", out="one").records
    assert one["answer"].to_list() == run.records["answer"].to_list()[:1]


@needs_data
def test_the_summary_that_the_file_reports_is_made_anew() -> None:
    results = read_results(RESULTS)
    made = reported_summary(results)
    assert made["accuracy_original"] == pytest.approx(results.summary["accuracy_original"], abs=5e-5)
    assert made["robust_accuracy"] == pytest.approx(results.summary["robust_accuracy"], abs=5e-5)
    assert made["memorization_suspect"] == pytest.approx(results.summary["memorization_suspect"], abs=5e-5)
    assert made["perturbation_levels"]["1"] == pytest.approx(results.summary["perturbation_levels"]["1"], abs=5e-5)


@needs_data
@pytest.mark.parametrize("data", [None, str(EASY)], ids=["alone", "with its dataset"])
def test_a_real_run(data: str | None) -> None:
    run = score(str(RESULTS), data=data)
    made = found(run, "gpt-4o-mini")
    reported = ("basis", "reported")
    golden = {
        ("accuracy_original", reported): 0.8236,
        ("accuracy_perturbed", reported, ("level", 1)): 0.6382,
        ("accuracy_perturbed", ("level", 1)): 0.6382,
        ("memorization_gap", reported): 0.1855,
        ("memorization_gap",): 0.1709,
        ("robust_accuracy", reported): 0.6347,
        ("robust_accuracy",): 0.5313,
    }
    for name, value in golden.items():
        assert made[name] == pytest.approx(value, abs=5e-5), name
    robust = next(it for it in run.estimates if it.metric == "robust_accuracy" and not it.group)
    assert robust.n == 702
    assert robust.value == 373 / 702


@needs_data
def test_a_real_run_on_the_command_line(tmp_path: Path) -> None:
    arguments = ("score", "memorization", "--from", "cfa", str(RESULTS), "--out", "out")
    alone = counterfoil(*arguments, cwd=tmp_path)
    assert alone.returncode == 0, alone.stderr
    assert "216 of 702 variants list no change at all" in alone.stderr
    assert "1032 originals against variants of 702" in alone.stderr
    assert "without a single digit" not in alone.stderr
    named = counterfoil(*arguments, "--data", str(EASY), cwd=tmp_path)
    assert "534 of 702 variants are of questions without a single digit" in named.stderr
    wrong = counterfoil(*arguments, "--data", str(SHARED / "cfa_challenge.json"), cwd=tmp_path)
    assert wrong.returncode == 2
    assert "is not the dataset of these results" in wrong.stderr


@needs_data
def test_what_is_written_of_an_import_is_read_as_the_same() -> None:
    run = score(str(RESULTS))
    again = cf.score("memorization", str(run.folder / "results.json"), format="cfa", out="again")
    one, other = (found(it, "gpt-4o-mini") for it in (run, again))
    paired = [name for name in one if ("basis", "reported") not in name and ("basis", "finding") not in name]
    assert {name: other[name] for name in paired} == {name: one[name] for name in paired}
    assert msgspec.json.decode((run.folder / "results.json").read_bytes(), type=Results).model == "gpt-4o-mini"


def test_sentences_about_several_files_name_the_file_and_the_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two files of the same name: each sentence says whose it is, in the terminal, the summary and the report."""
    paths = []
    for model, changes in (("one", []), ("two", ["5 to 7"])):
        perturbed = {"level": 1, "perturbed_answer": "A", "model_answer": "A", "correct": True, "changes_made": changes}
        result = {"question_id": "easy_0", "original": {"answer": "B", "correct": True}, "correct_answer": "B"}
        unchanged = {"question_id": "easy_1", "original": {"answer": "B", "correct": True}, "correct_answer": "B"}
        content = {"metadata": {"model": model}, "results": [result | {"perturbations": [perturbed]}, unchanged]}
        paths.append(tmp_path / model / "results.json")
        paths[-1].parent.mkdir()
        paths[-1].write_text(json.dumps(content))
    run = cf.score("memorization", paths, format="cfa", out="run")
    said = capsys.readouterr().err
    one, two = (f"{path} ({path.parent.name}): " for path in paths)
    assert f"{one}1 of 1 variants list no change at all." in said
    assert f"{two}1 of 1 variants list no change at all." not in said
    for who in (one, two):
        sentence = f"{who}1 of 2 questions have no valid variant and are counted as robust."
        assert sentence in said
        assert sentence in headline(run)
