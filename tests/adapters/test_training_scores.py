"""Training data by what judges and people say of the replies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import counterfoil as cf
from commands import counterfoil
from counterfoil.explain.questions import load_questions
from counterfoil.rating.store import Study
from counterfoil.rating.study import new_study

GOOD, BAD, WRONG = "{gold}. It is not {top}.", "{gold}. Or so.", "{top}. It is not {gold}."
USUAL: dict[str, Any] = {
    "correct": True,
    "confusion": 80,
    "plausible.0": True,
    "misread": "",
    "missing": "",
    "unneeded": False,
    "clear.0": 80,
    "accurate.0": 80,
    "convincing.0": 80,
}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def scored(**judges: list[dict[str, Any]]) -> cf.Run:
    """Ten questions, each with a good reply, a bad one and a wrong one, under `baseline`."""
    lines = []
    for question in list(load_questions(None))[:10]:
        words = {"gold": question.gold, "top": max(question.candidates, key=lambda name: question.candidates[name])}
        lines += [
            {"question_id": question.id, "model": model, "variant": "baseline", "reply": text.format(**words)}
            for model, text in (("good", GOOD), ("bad", BAD), ("wrong", WRONG))
        ]
    Path("replies.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    for name, said in judges.items():
        Path(f"{name}.jsonl").write_text("\n".join(map(json.dumps, said)), encoding="utf-8")
    named = {"judge": [f"replay/{name}.jsonl" for name in judges]} if judges else {}
    return cf.score("explain", "replies.jsonl", **named, out="run", ledger="ledger")


def exported(kind: str, score: str, *more: str) -> list[dict[str, Any]]:
    arguments = (
        "export",
        "run",
        "--to",
        kind,
        "--score",
        score,
        *more,
        "--test-share",
        "0.5",
        "--ledger",
        "ledger",
        kind,
    )
    done = counterfoil(*arguments, cwd=Path())
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in Path(kind, "train.jsonl").read_text(encoding="utf-8").splitlines()]


def judge(quality: int) -> list[dict[str, Any]]:
    """All is confusing; the ideal list is what was mentioned; each clarification has this quality."""
    said: list[dict[str, Any]] = [{"when": "rate a question", "text": "Explanation: x\nScore: 80"}]
    for question in list(load_questions(None))[:10]:
        top = max(question.candidates, key=lambda name: question.candidates[name])
        about = [
            ("plausible but incorrect alternatives", f"Alternatives:\n- {top}"),
            ("find the intersection", f"Intersection:\n- {top}"),
            ("convincing", f"Ratings:\n- {top} | clarity: {quality} | accuracy: {quality} | convincingness: {quality}"),
        ]
        said += [{"when": [cue, question.text], "text": text} for cue, text in about]
    return said


def test_replies_are_chosen_by_the_judges_f1() -> None:
    run = scored(a=judge(90))
    f1 = dict(zip(run.records["model"], run.records["judge_f1"].to_list(), strict=False))
    # Named and ideal: 1. Nothing named: 0. The wrong one gives what is ideal as its answer: nothing cleared up.
    assert f1 == {"good": [1.0], "bad": [0.0], "wrong": [0.0]}
    rows = exported("sft", "judge_f1")
    assert {row["model"] for row in rows} == {"good"}
    assert {row["score"] for row in rows} == {1.0}
    pairs = exported("dpo", "judge_f1")
    assert {(row["model_chosen"], row["score_chosen"]) for row in pairs} == {("good", 1.0)}
    assert {row["model_rejected"] for row in pairs} <= {"bad", "wrong"}
    assert "`judge_f1` of at least 0.6" in Path("dpo/README.md").read_text(encoding="utf-8")


def test_quality_goes_to_100_and_several_judges_have_a_mean() -> None:
    scored(a=judge(90), b=judge(50))
    # (90 + 50) / 2 = 70: above 60, which is 0.6 of 100.
    assert {row["score"] for row in exported("sft", "judge_quality")} == {70.0}
    done = counterfoil(
        "export",
        "run",
        "--to",
        "sft",
        "--score",
        "judge_quality",
        "--min-score",
        "75",
        "--test-share",
        "0.5",
        "no",
        cwd=Path(),
    )
    assert done.returncode == 2
    assert "judge_quality of at least 75" in done.stderr


def test_replies_are_chosen_by_what_people_say() -> None:
    run = scored()
    with new_study(run, "pilot", raters=1, per_question=1, sample=30) as study:
        rate_all(study)
    rows = exported("sft", "human_f1")
    assert {row["model"] for row in rows} == {"good"}
    # Something is missing in the bad ones, and people say that the wrong ones are wrong: both have a 0.
    pairs = exported("dpo", "human_f1")
    assert {(row["model_chosen"], row["score_rejected"]) for row in pairs} == {("good", 0.0)}
    assert {row["score"] for row in exported("sft", "human_quality")} == {80.0}


def test_corrected_scores_are_peoples_and_the_judges_as_people_have_them() -> None:
    # The judge gives every clarification 90, people 80; 30 replies are whole, 20 of them have a clarification.
    run = scored(a=judge(90))
    with new_study(run, "pilot", raters=1, per_question=1, sample=30) as study:
        rate_all(study)
    done = counterfoil("export", "run", "--to", "sft", "--score", "corrected_quality", "no", cwd=Path())
    assert done.returncode == 2
    assert (
        "corrected_quality takes 30 replies that have both a judge_quality and a human_quality, and run has"
        in done.stderr
    )
    # F1: the judge gives all confusing questions' replies one, people 1 or 0.
    corrected = exported("sft", "corrected_f1")
    assert {row["model"] for row in corrected} == {"good"}


def test_a_judges_scores_are_brought_to_peoples_scale() -> None:
    import polars as pl

    from counterfoil.adapters.training import export
    from counterfoil.suite.suite import Training

    # People give half of what the judge gives, and 0.1 more: 0.5 · x + 0.1.
    people = {f"q{i}": 0.5 * (i / 39) + 0.1 for i in range(40)}
    training = Training(
        scores=("judge", "people", "corrected"),
        score=lambda record, name: record["judge"],
        encode=lambda questions: b"",
        corrected={"corrected": ("judge", "people")},
    )
    frame = pl.DataFrame([{"question_id": f"q{i}", "judge": (i % 40) / 39, "reply": ""} for i in range(60)])

    class FakeRun:
        folder = Path("run")
        records = frame

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(export, "_by_people", lambda *_: lambda record: people.get(record["question_id"]))
        score_of = export._as_people_correct_it(FakeRun(), None, training, "corrected")  # type: ignore[arg-type]
    assert score_of({"question_id": "q39", "judge": 0.0}) == pytest.approx(0.6), "people's own goes first"
    assert score_of({"question_id": "q50", "judge": 0.5}) == pytest.approx(0.35), "0.5 · 0.5 + 0.1"
    assert score_of({"question_id": "q50", "judge": None}) is None


def rate_all(study: Study) -> None:
    rater = study.raters()[0]
    for task in study.tasks():
        answers = USUAL | {"correct": task.source.model != "wrong"}
        answers |= {"missing": "another"} if not task.task.alternatives else {}
        for key, value in answers.items():
            if "." not in key or task.task.alternatives:
                study.rate(rater, task.task.id, key, value)


@pytest.mark.parametrize(
    ("score", "sentence"),
    [
        ("judge_f1", "No reply of run is whole and has a judge_f1"),
        ("human_f1", "People have given no reply of run a human_f1: `counterfoil rate new --run run` makes a study."),
        ("judge_f2", "Replies have no score judge_f2"),
    ],
)
def test_where_nobody_said_anything_that_is_one_sentence(score: str, sentence: str) -> None:
    scored()
    done = counterfoil("export", "run", "--to", "sft", "--score", score, "out", cwd=Path())
    assert done.returncode == 2
    assert sentence in done.stderr
    assert not Path("out").exists()
