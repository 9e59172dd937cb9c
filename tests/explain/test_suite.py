"""The suite from end to end: runs, imports, judges, a planted truth."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path

import polars as pl
import pytest

import counterfoil as cf
from commands import counterfoil
from counterfoil.explain.planted import Settings, true_values
from counterfoil.explain.questions import load_questions
from counterfoil.explain.suite import suite
from counterfoil.stats import Estimate

pytestmark = pytest.mark.heavy

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "cfe"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="../shared/data/cfe is not here: it holds real replies")


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def overall(estimates: list[Estimate]) -> dict[tuple[str, str, str], Estimate]:
    return {(it.model, it.variant, it.metric): it for it in estimates if not it.group}


@needs_data
def test_the_import_gives_the_expected_values_exactly() -> None:
    done = counterfoil(
        *("score", "explain", "--from", "cfe", str(DATA / "responses_dev.csv")),
        *("--data", str(DATA / "questions_88.json"), "--mentions", "given", "--out", "out"),
        cwd=Path(),
    )
    assert done.returncode == 0, done.stderr
    estimates = overall(cf.Run("out").estimates)
    expected = json.loads((DATA / "expected_dev.json").read_text())
    assert len(expected) == 25
    names = {"score_confusion_index": "score_ci"}
    for key, wanted in expected.items():
        model, variant = key.split(" | ")
        assert estimates[model, variant, "score_threshold"].n == wanted["n"]
        assert estimates[model, variant, "judge_f1"].n == wanted["judge_n"]
        for metric in ("score_threshold", "score_confusion_index", "judge_f1", "judge_precision", "judge_recall"):
            value = wanted[names.get(metric, metric)]
            found = estimates[model, variant, metric].value
            assert found == (None if value is None else pytest.approx(value, abs=1e-9)), (key, metric)
    # The CFE study's check on definitions, over these 956 replies.
    pearson = [it for it in cf.Run("out").estimates if it.metric == "label_pearson"]
    assert pearson[0].value == pytest.approx(-0.1060, abs=5e-5)
    assert pearson[0].low is None


CSV = """id,model,prompt_variant,llm_response,mentioned_cands,accuracy
en-029,m,cfe,Canberra is not Sydney or any of the rest.,"['Sydney', 'Rest']",True
en-001,m,cfe,Sicily.,[],True
"""


def test_a_mention_that_is_no_candidate_is_counted_and_left_out_as_in_the_study() -> None:
    Path("r.csv").write_text(CSV)
    done = counterfoil("score", "explain", "--from", "cfe", "r.csv", "--mentions", "given", "--out", "o", cwd=Path())
    assert done.returncode == 0, done.stderr
    said = "1 mention is no candidate of its question and is left out, as in the CFE study: r.csv, line 2: 'Rest' for "
    assert f"{said}en-029." in done.stderr
    assert cf.Run("o").records["mentioned"].to_list() == [["Sydney"], []]


def test_the_confusion_index_is_a_column() -> None:
    run = cf.run("explain", model="planted/explain", variant="baseline", out="o")
    facts = suite.prepare(load_questions(None))
    for row in run.records.iter_rows(named=True):
        assert row["confusion_index"] == facts.labels[row["question_id"]].ci
        assert row["confusing_by_index"] == (row["confusion_index"] > facts.mean_index)


def test_a_wrong_answer_is_never_a_clarification() -> None:
    # One model answers everything with the most plausible candidate, the other answers right, and says no more.
    questions = list(load_questions(None))
    tops = {it.text: max(it.candidates, key=lambda name, of=it: of.candidates[name]) for it in questions}
    for name, replies in (("wrong", tops), ("right", {it.text: it.gold for it in questions})):
        lines = [{"when": text, "text": f"{reply}."} for text, reply in replies.items()]
        Path(f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    run = cf.run("explain", model=["replay/wrong.jsonl", "replay/right.jsonl"], variant="baseline", out="o")
    records = run.records.filter(pl.col("model") == "replay/wrong.jsonl")
    assert records["correct"].to_list() == [False] * len(questions)
    assert records["instead"].to_list() == list(tops.values())
    assert records["mentioned"].to_list() == [[top] for top in tops.values()], "it is named all the same"
    found = overall(run.estimates)
    for metric in ("reward", "clarifies_confusing", "clarifies_plain"):
        assert found["replay/wrong.jsonl", "baseline", metric].value == 0, metric
    for metric in ("score_threshold", "score_confusion_index"):
        wrong, right = (found[f"replay/{name}.jsonl", "baseline", metric].value for name in ("wrong", "right"))
        # Neither is rewarded on confusing questions; on plain ones the wrong answer brings its penalty.
        assert wrong is not None
        assert right is not None
        assert wrong < right, metric
    # Over right replies the one has no score at all: accuracy says why.
    of_right = {(it.model[7:12], it.metric): it for it in run.estimates if it.group == {"replies": "correct"}}
    assert of_right["wrong", "score_threshold"].value is None
    assert of_right["right", "score_threshold"].n == len(questions)
    shown = counterfoil("show", "o", "--all", cwd=Path())
    assert "score_threshold, right replies" in shown.stdout


def test_a_wrong_reply_may_clear_up_what_it_does_not_answer() -> None:
    # Melbourne is the answer it gives; Sydney it rejects. The reward is that of Sydney alone.
    Path("r.jsonl").write_text('{"question_id": "en-029", "model": "m", "reply": "Melbourne. It is not Sydney."}')
    judge = judge_file(
        [
            {"when": "rate a question", "text": "Score: 80"},
            {"when": "plausible but incorrect alternatives", "text": "Alternatives:\n- Sydney\n- Melbourne"},
            {"when": ["find the intersection"], "text": "Intersection:\n- Sydney\n- Melbourne"},
            {"text": "Ratings:\n- Sydney | clarity: 90 | accuracy: 80 | convincingness: 70"},
        ]
    )
    run = cf.score("explain", "r.jsonl", judge=judge, out="o")
    [row] = run.records.to_dicts()
    candidates = {it.id: it.candidates for it in load_questions(None)}["en-029"]
    total = sum(p**2 for p in candidates.values())
    assert (row["correct"], row["instead"], row["clarifies"]) == (False, "Melbourne", True)
    assert row["reward"] == pytest.approx(candidates["Sydney"] ** 2 / total)
    # The judge is asked about Sydney alone: precision 1, and one of the two ideal ones.
    assert (row["judge_precision"], row["judge_recall"]) == ([1.0], [0.5])


@needs_data
def test_with_mentions_found_by_rules_the_scores_stay_close() -> None:
    files = (str(DATA / "responses_dev.csv"), "--data", str(DATA / "questions_88.json"))
    counterfoil("score", "explain", "--from", "cfe", *files, "--mentions", "given", "--out", "given", cwd=Path())
    counterfoil("score", "explain", "--from", "cfe", *files, "--out", "found", cwd=Path())
    given, found = overall(cf.Run("given").estimates), overall(cf.Run("found").estimates)
    for key, estimate in given.items():
        if key[2] in ("score_threshold", "score_confusion_index"):
            assert found[key].value == pytest.approx(estimate.value, abs=0.05), key


def test_replies_of_anybody() -> None:
    lines = [
        {"question_id": "en-029", "model": "me", "variant": "v", "reply": "Canberra. It is not Sydney."},
        {"question_id": "en-001", "model": "me", "variant": "v", "reply": "Sicily."},
        {"question_id": "en-020", "model": "me", "variant": "v", "reply": ""},
        {"question_id": "en-021", "model": "me", "variant": "v", "reply": "<think>Perhaps it is</think>"},
    ]
    Path("r.jsonl").write_text("\n".join(map(json.dumps, lines)))
    done = counterfoil("score", "explain", "--from", "jsonl", "r.jsonl", "--out", "out", cwd=Path())
    assert done.returncode == 0, done.stderr
    records = cf.Run("out").records
    assert cf.score("explain", "r.jsonl", out="python").records.equals(records), "the same from Python"
    assert records["outcome"].to_list() == ["answered", "answered", "out_of_choice", "out_of_choice"]
    assert records["mentioned"].to_list() == [["Sydney"], [], [], []]
    assert records["correct"].to_list() == [True, True, False, False]
    # en-020 is plain, and an empty reply is no restraint: 0, not 1.
    assert records["score_threshold"].to_list()[2] == 0.0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--from", "nix", "r.jsonl"), "explain can't read nix"),
        (("--from", "jsonl", "nix.jsonl"), "There is no file nix.jsonl"),
        (("--from", "jsonl", "r.jsonl"), "r.jsonl, line 1: the question nix is not in english"),
        (("--from", "cfe", "r.jsonl"), "lacks the column"),
        (("--from", "jsonl", "empty.jsonl"), "There are no replies in empty.jsonl"),
    ],
)
def test_wrong_imports_are_one_sentence(arguments: tuple[str, ...], sentence: str) -> None:
    Path("r.jsonl").write_text('{"question_id": "nix", "model": "m", "reply": "x"}\n')
    Path("empty.jsonl").write_text("\n")
    done = counterfoil("score", "explain", *arguments, cwd=Path())
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_planted_truth_is_covered() -> None:
    chances = {"right": 0.8, "clarifies": 0.7, "overclarifies": 0.3}
    name = "planted/explain?" + "&".join(f"{key}={value}" for key, value in chances.items())
    run = cf.run("explain", model=name, variant="baseline", repeats=8)
    questions = list(load_questions(None))
    truth = true_values(questions, suite.prepare(questions), Settings(**chances))
    assert set(truth) == {
        *("accuracy", "score_threshold", "score_confusion_index", "reward", "penalty", "mentions"),
        *("clarifies_confusing", "clarifies_plain", "discernment"),
    }
    for (_, _, metric), estimate in overall(run.estimates).items():
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.low <= truth[metric] <= estimate.high, metric


def test_the_planted_replies_are_read_as_they_were_meant() -> None:
    # What the respondent says is plain: with right=1 every answer is right, with right=0 none is.
    for right in (0, 1):
        run = cf.run("explain", model=f"planted/explain?right={right}&clarifies=1&overclarifies=1", variant="cfe")
        assert run.records["correct"].unique().to_list() == [bool(right)]
    with pytest.raises(cf.UserError, match="right is a chance from 0 to 1"):
        cf.run("explain", model="planted/explain?right=2")
    with pytest.raises(cf.UserError, match="planted/explain"):
        cf.run("explain", model="planted/explain?rihgt=1")


def judge_file(lines: list[Mapping[str, object]]) -> str:
    Path("judge.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return "replay/judge.jsonl"


def test_a_full_judge_run_through_all_steps() -> None:
    lines = [
        {"question_id": "en-029", "model": "m", "reply": "Canberra, not Sydney and not Melbourne."},
        {"question_id": "en-029", "model": "other", "reply": "Canberra."},
        {"question_id": "en-020", "model": "m", "reply": "Oslo, and not Bergen."},
    ]
    Path("r.jsonl").write_text("\n".join(map(json.dumps, lines)))
    judge = judge_file(
        [
            {"when": ["rate a question", "Australia"], "text": "Explanation: Sydney is larger.\nScore: 80"},
            {"when": ["rate a question", "Norway"], "text": '```json\n{"explanation": "plain", "score": 10}\n```'},
            {"when": ["plausible but incorrect alternatives", "Australia"], "text": "Alternatives:\n- Sydney\n- Perth"},
            {"when": ["find the intersection", "Sydney"], "text": "Intersection:\n- Sydney"},
            {"when": ["Norway"], "text": "yes"},
            {
                "when": ["Australia"],
                "text": "Ratings:\n- Sydney | clarity: 90 | accuracy: 80 | convincingness: 70\n"
                "- Melbourne | clarity: 30 | accuracy: 20 | convincingness: 10",
            },
        ]
    )
    arguments = ("score", "explain", "--from", "jsonl", "r.jsonl", "--judge", judge, "--out", "out")
    done = counterfoil(*arguments, cwd=Path())
    assert done.returncode == 0, done.stderr
    records = cf.Run("out").records
    assert records["judge_failures"].to_list() == [[], [], []]
    assert records["judge_confusion"].to_list() == [[80], [80], [10]]
    # Mentioned Sydney and Melbourne, ideal Sydney and Perth: precision 1/2, recall 1/2, F1 1/2. Without a mention
    # precision is not defined, recall and F1 are 0.
    assert records["judge_precision"].to_list() == [[0.5], [None], [None]]
    assert records["judge_recall"].to_list() == [[0.5], [0.0], [None]]
    assert records["judge_f1"].to_list() == [[0.5], [0.0], [None]]
    # (90 + 80 + 70) / 3 = 80 and (30 + 20 + 10) / 3 = 20, so 50.
    assert records["judge_quality"].to_list() == [[50.0], [None], [None]]
    # By aspect: (90 + 30) / 2, (80 + 20) / 2, (70 + 10) / 2.
    aspects = {name: records[f"judge_{name}"].to_list()[0] for name in ("clarity", "accuracy", "convincingness")}
    assert aspects == {"clarity": [60.0], "accuracy": [50.0], "convincingness": [40.0]}
    # What the judge said in words stays with the reply: why, what should be cleared up, and what of it is.
    assert records["judge_explanation"].to_list() == [["Sydney is larger."], ["Sydney is larger."], ["plain"]]
    assert records["judge_ideal"].to_list() == [[["Sydney", "Perth"]], [["Sydney", "Perth"]], [None]]
    assert records["judge_intersection"].to_list() == [[["Sydney"]], [[]], [None]]
    estimates = cf.Run("out").estimates
    by_aspect = {it.group["aspect"]: it.value for it in estimates if "aspect" in it.group and it.model == "m"}
    assert by_aspect == {name: pytest.approx(values[0]) for name, values in aspects.items()}
    # Two questions, with scores of 80 and 10: one of two is confusing, the median is 45, the ideal list has two.
    of_questions = {it.metric: (it.value, it.n) for it in estimates if it.group == {"judge": judge}}
    assert of_questions["judge_confusing"] == (0.5, 2)
    assert of_questions["judge_confusion_median"] == (45, 2)
    assert of_questions["judge_alternatives"] == (pytest.approx(2), 1)
    counterfoil("export", "out", "--to", "csv", "tables", cwd=Path())
    [row, *_] = list(csv.DictReader(Path("tables/records.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert json.loads(row["judge_ideal"]) == [["Sydney", "Perth"]]
    assert records["judge_restraint"].to_list() == [[None], [None], [0.0]]
    (about,) = cf.Run("out").manifest["judges"]
    # Confusion of two questions, alternatives of one, one intersection, one quality, one restraint: question-level
    # steps are asked once for both replies.
    assert about["asked"] == 6
    again = counterfoil(*arguments, cwd=Path())
    assert again.stdout == done.stdout
    assert cf.Run("out").manifest["judges"][0]["asked"] == 0


def test_a_judge_that_gives_nothing_usable_fails_and_is_never_a_default() -> None:
    Path("r.jsonl").write_text('{"question_id": "en-029", "model": "m", "reply": "Canberra, not Sydney."}')
    judge = judge_file([{"text": "Score: 250"}])
    done = counterfoil("score", "explain", "--from", "jsonl", "r.jsonl", "--judge", judge, "--out", "o", cwd=Path())
    assert done.returncode == 1, "finished, but not judged"
    assert "1 reply could not be judged, or not in every step. Most often: " in done.stdout
    assert "The column judge_failures of records.parquet says why for each." in done.stdout
    records = cf.Run("o").records
    assert records["judge_confusion"].to_list() == [[None]]
    assert "confusion" in records["judge_failures"].to_list()[0][0]
    refusing = judge_file([{"text": "No.", "status": "refused"}])
    counterfoil("score", "explain", "--from", "jsonl", "r.jsonl", "--judge", refusing, "--out", "o", cwd=Path())
    assert "refused" in cf.Run("o").records["judge_failures"].to_list()[0][0]


def test_mentions_by_a_judge() -> None:
    Path("r.jsonl").write_text('{"question_id": "en-029", "model": "m", "reply": "Canberra, not Sydney."}')
    arguments = ("score", "explain", "--from", "jsonl", "r.jsonl", "--out", "o", "--mentions", "judge")
    without = counterfoil(*arguments, cwd=Path())
    assert without.returncode == 2
    assert "--mentions judge needs a --judge" in without.stderr
    mentioning = {"when": "which of the candidates", "text": "Mentioned:\n- Melbourne"}
    judge = judge_file([mentioning, {"when": "rate a question", "text": "Score: 10"}, {"text": "no"}])
    done = counterfoil(*arguments, "--judge", judge, cwd=Path())
    assert done.returncode == 0, done.stderr
    assert cf.Run("o").records["mentioned"].to_list() == [["Melbourne"]]
    # A judge that gives no list: nothing takes its place, and the record and the exit code say so.
    judge = judge_file([{"when": "rate a question", "text": "Score: 10"}, {"text": "no"}])
    done = counterfoil(*arguments, "--judge", judge, cwd=Path())
    assert done.returncode == 1
    records = cf.Run("o").records
    assert records["mentioned"].to_list() == [None]
    assert records["score_threshold"].to_list() == [None]
    assert records["correct"].to_list() == [True]
    assert records["judge_failures"].to_list() == [["replay/judge.jsonl: mentions: the judge gave no list"]]
    given = counterfoil("run", "explain", "--model", "planted/explain", "--mentions", "given", cwd=Path())
    assert given.returncode == 2
    assert "--mentions given is for `counterfoil score explain --from cfe`" in given.stderr


def test_two_judges_are_kept_apart() -> None:
    Path("r.jsonl").write_text(
        "\n".join(
            json.dumps({"question_id": f"en-{number:03}", "model": "m", "reply": "I do not know."})
            for number in range(1, 41)
        )
    )
    for name, score in (("a", 90), ("b", 20)):
        Path(f"{name}.jsonl").write_text(
            json.dumps({"when": "rate a question", "text": f"Explanation: x\nScore: {score}"})
            + "\n"
            + json.dumps({"when": "generate a list", "text": "Alternatives:\n- None"})
            + "\n"
            + json.dumps({"text": "no"})
        )
    judges = ("--judge", "replay/a.jsonl", "--judge", "replay/b.jsonl")
    done = counterfoil("score", "explain", "--from", "jsonl", "r.jsonl", *judges, "--out", "o", cwd=Path())
    assert done.returncode == 0, done.stderr
    run = cf.Run("o")
    assert run.records["judge_confusion"].to_list()[0] == [90, 20]
    by_judge = [it for it in run.estimates if it.metric.startswith("judge_") and it.metric != "judge_variance"]
    groups = {it.group.get("judge") for it in by_judge}
    assert groups == {"replay/a.jsonl", "replay/b.jsonl"}
    confusion = {it.group["judge"]: it for it in run.estimates if it.metric == "judge_confusion"}
    assert confusion["replay/a.jsonl"].value == pytest.approx(90)
    assert confusion["replay/b.jsonl"].value == pytest.approx(20)
    assert confusion["replay/a.jsonl"].n == 40, "questions, not replies"
    shares = {(it.group["judge"][7], it.group["band"]): it.value for it in run.estimates if "share" in it.metric}
    assert shares["a", "86-100"] == shares["b", "16-40"] == 1
    assert sum(value for value in shares.values() if value) == 2
    shown = counterfoil("show", "o", "--all", cwd=Path()).stdout
    assert "judge_f1, replay/a.jsonl" in shown, "each judge has its row"
    assert "replay/a.jsonl and replay/b.jsonl" in shown, "and their agreement is shown with all figures"
    between = {it.group["between"] for it in run.estimates if it.metric == "label_kappa"}
    assert "replay/a.jsonl and replay/b.jsonl" in between


def test_a_judge_that_has_stopped_leaves_the_other_going() -> None:
    Path("r.jsonl").write_text('{"question_id": "en-029", "model": "m", "reply": "Canberra, not Sydney."}')
    good = judge_file([{"when": "rate a question", "text": "Score: 10"}, {"text": "no"}])
    judges = ("--judge", good, "--judge", "vllm/gone", "--base-url", "http://127.0.0.1:9/v1")
    done = counterfoil("score", "explain", "--from", "jsonl", "r.jsonl", *judges, "--out", "o", cwd=Path())
    assert done.returncode == 1
    assert done.stderr.count("vllm/gone: no server answers") == 1
    records = cf.Run("o").records
    assert records["judge_confusion"].to_list() == [[10, None]]
    assert records["judge_restraint"].to_list() == [[1, None]]


@needs_data
def test_a_judge_on_top_of_imported_verdicts_stands_beside_them() -> None:
    judge = judge_file([{"when": "rate a question", "text": "Score: 10"}, {"text": "no"}])
    files = (str(DATA / "responses_dev.csv"), "--data", str(DATA / "questions_88.json"), "--mentions", "given")
    done = counterfoil("score", "explain", "--from", "cfe", *files, "--judge", judge, "--out", "o", cwd=Path())
    assert done.returncode == 0, done.stderr
    groups = {it.group["judge"] for it in cf.Run("o").estimates if it.metric == "judge_f1"}
    assert groups == {"imported", judge}


def test_what_is_twice_in_an_import_is_named() -> None:
    Path("r.jsonl").write_text('{"question_id": "en-029", "model": "m", "reply": "Canberra."}\n' * 2)
    done = counterfoil("score", "explain", "--from", "jsonl", "r.jsonl", cwd=Path())
    assert done.returncode == 2
    assert "r.jsonl, line 2: m has answered en-029 in imported before (r.jsonl, line 1)" in done.stderr


def test_judges_are_not_asked_as_the_models_are() -> None:
    judge = judge_file([{"when": "rate a question", "text": "Score: 10"}, {"text": "no"}])
    options = {"temperature": 0.9, "max_tokens": 50, "limit": 2, "variant": "cfe"}
    run = cf.run("explain", model="planted/explain", judge=judge, judge_answer=True, **options)
    assert run.manifest["judges"][0]["params"] == {"temperature": 0.0, "max_tokens": 4096}
    assert run.manifest["models"][0]["params"] == {"temperature": 0.9, "max_tokens": 50}
    assert overall(run.estimates)["planted/explain", "cfe", "judge_correct"].value == 0


def test_the_planted_respondent_says_when_it_does_not_know_the_questions() -> None:
    with pytest.raises(cf.UserError, match="does not know these questions"):
        cf.run("explain", model="planted/explain?data=english", data="korean")
    # It knows those of the run, and those that it is told.
    for model in ("planted/explain?right=1", "planted/explain?data=korean&right=1"):
        run = cf.run("explain", model=model, data="korean", variant="baseline")
        assert overall(run.estimates)[model, "baseline", "accuracy"].value == 1


def test_run_shows_models_and_variants_side_by_side_and_asks_once() -> None:
    arguments = ("run", "explain", "--model", "planted/explain?right=1", "--model", "planted/explain?right=0.5")
    arguments += ("--variant", "cfe", "--variant", "baseline", "--limit", "10")
    done = counterfoil(*arguments, cwd=Path())
    assert done.returncode == 0, done.stderr
    assert "planted/explain?right=0.5" in done.stdout
    assert "discernment" in done.stdout
    assert "clarifies_confusing" not in done.stdout, "no figure to read first"
    folder = next(Path("runs").iterdir())
    records = pl.read_parquet(folder / "records.parquet")
    assert records.height == 40
    # Facts come from the whole dataset, whatever the limit: labels are those of all questions.
    labels = suite.prepare(load_questions(None)).labels
    for question_id, confusing in records.select("question_id", "confusing_by_index").rows():
        assert labels[question_id].confusion_index == confusing
    again = counterfoil(*arguments, cwd=Path())
    assert again.stdout == done.stdout
    manifest = json.loads((folder / "manifest.json").read_text())
    assert [model["asked"] for model in manifest["models"]] == [0, 0]


def test_a_run_without_a_single_reply_has_every_metric_and_can_be_shown_compared_and_planned_from() -> None:
    Path("failing.jsonl").write_text('{"text": "no", "status": "failed"}')
    judge = judge_file([{"text": "hm"}])
    models = ("--model", "planted/explain", "--model", "replay/failing.jsonl")
    options = ("--variant", "cfe", "--limit", "6", "--judge", judge)
    done = counterfoil("run", "explain", *models, *options, "--out", "o", cwd=Path())
    assert done.returncode == 1, "finished, with failed questions"
    found = overall(cf.Run("o").estimates)
    assert {metric for model, _, metric in found if model == "planted/explain"} == {
        metric for model, _, metric in found if model == "replay/failing.jsonl"
    }
    asked_of_all = {metric.name for metric in suite.metrics if metric.is_overall} - {"judge_correct", "judge_changed"}
    assert {metric for model, _, metric in found if model == "replay/failing.jsonl"} == asked_of_all
    for metric in asked_of_all:
        it = found["replay/failing.jsonl", "cfe", metric]
        assert (it.value, it.n, it.note) == (None, 0, "no values; none of 6 questions")
        # The judge said nothing that could be read: no figure of its own for the other model either.
        assert (found["planted/explain", "cfe", metric].value is None) == metric.startswith("judge_")
    shown = counterfoil("show", "o", "--all", cwd=Path())
    assert shown.returncode == 0, shown.stderr
    assert "judge_restraint" in shown.stdout
    for command in (("compare", "o"), ("report", "o", "--out", "r.html"), ("export", "o", "tables", "--to", "latex")):
        assert counterfoil(*command, cwd=Path()).returncode == 0, command
    only = counterfoil("run", "explain", *models[2:], *options, "--out", "p", cwd=Path())
    assert only.returncode == 1
    planned = counterfoil("plan", "explain", "--detect", "0.1", "--run", "p", cwd=Path())
    assert planned.returncode == 2
    assert "no values of accuracy" in planned.stderr
