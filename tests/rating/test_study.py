"""A new study: what is drawn, who gets what, and what raters can't know."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import counterfoil as cf
from counterfoil.errors import UserError
from counterfoil.rating.results import suite_of_study
from counterfoil.rating.store import Study
from counterfoil.rating.study import assign, draw, new_study, same_replies, studies_of
from counterfoil.running.folder import RECORDS, Run
from counterfoil.suite.form import Task
from counterfoil.suite.opinions import Source, StudyTask

from .conftest import MakeRun, MakeStudy, explain_record

pytestmark = pytest.mark.heavy


def everything_shown(study: Study) -> str:
    return " ".join(msgspec.json.encode(study.task(task)).decode() for task in study.assigned(study.raters()[0]))


def test_a_rater_sees_question_right_answer_and_reply_and_nothing_else(explain_study: MakeStudy) -> None:
    study = explain_study(4)
    [task] = [it for it in map(study.task, range(1, 5)) if it.question == "Which? 2"]
    assert (task.right, task.reply) == ("Gold 2", "Gold 2. It is not High.")
    # By the alphabet: the order tells nothing of plausibility.
    assert (task.alternatives, task.suggestions) == (("High",), ("High", "Low"))
    assert set(msgspec.structs.asdict(task)) == {
        *("id", "context", "question", "options", "right", "reply", "alternatives", "suggestions", "language")
    }
    shown = everything_shown(study)
    for hidden in ("secret", "q2", "95", "judge", "score", "confusing"):
        assert hidden not in shown
    assert {it.source.model for it in study.tasks()} == {"secret-model"}


def test_the_study_stands_alone(explain_study: MakeStudy, tmp_path: Path) -> None:
    study = explain_study(3)
    before = everything_shown(study)
    (tmp_path / "questions.json").unlink()
    (tmp_path / "run" / RECORDS).unlink()
    with Study(study.path) as again:
        assert everything_shown(again) == before
        assert again.about == study.about
        assert again.tasks() == study.tasks()


def tasks_of(kinds: list[int]) -> list[StudyTask]:
    return [
        StudyTask(
            Task(id=i, question="?", right="x", reply="y"),
            Source(model=f"m{kind}", variant="v", question_id=f"q{i}", repeat=0, cluster=f"q{i}"),
        )
        for i, kind in enumerate(kinds, start=1)
    ]


@settings(deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.integers(1, 9), st.data())
def test_every_reply_has_its_raters_and_every_rater_as_much(kinds: list[int], raters: int, data: Any) -> None:
    per_question = data.draw(st.integers(1, raters))
    seed = data.draw(st.integers(0, 5))
    given_to = assign(tasks_of(kinds), raters, per_question, seed)
    assert sorted(given_to) == list(range(1, raters + 1))
    counts = Counter(task for tasks in given_to.values() for task in tasks)
    assert counts == dict.fromkeys(range(1, len(kinds) + 1), per_question)
    assert all(len(set(tasks)) == len(tasks) for tasks in given_to.values())
    loads = [len(tasks) for tasks in given_to.values()]
    assert max(loads) - min(loads) <= 1
    assert assign(tasks_of(kinds), raters, per_question, seed) == given_to


def test_all_pairs_of_raters_meet_and_orders_differ() -> None:
    given_to = assign(tasks_of([0] * 60), 6, 2, 0)
    # 60 replies in 15 pairs of raters: 4 each if all were the same.
    met = {pair: len(set(given_to[pair[0]]) & set(given_to[pair[1]])) for pair in combinations(given_to, 2)}
    assert min(met.values()) >= 2
    everything = assign(tasks_of([0] * 60), 3, 3, 0)
    assert len({tuple(tasks) for tasks in everything.values()}) == 3


def test_the_sample_holds_as_much_of_each_as_the_run(explain_run: MakeRun) -> None:
    records = [
        explain_record(i, model=model, variant=variant, correct=i % 3 == 0)
        for i in range(30)
        for model in ("a", "b")
        for variant in ("p", "q")
    ]
    run = explain_run(30, records)
    drawn = draw(run, 24, seed=3)
    assert Counter((it["model"], it["variant"]) for it in drawn) == dict.fromkeys(
        [("a", "p"), ("a", "q"), ("b", "p"), ("b", "q")], 6
    )
    # A third of all replies is right, in each of the four.
    assert sum(it["correct"] for it in drawn) == 8
    assert draw(run, 24, seed=3) == drawn
    assert draw(run, 24, seed=4) != drawn
    assert len(draw(run, 1000, seed=3)) == 120


def test_only_replies_that_there_are(explain_run: MakeRun) -> None:
    outcomes = ["answered", "out_of_choice", "refused", "failed", "not_asked", "answered", "answered"]
    records = [explain_record(i, outcome=outcome) for i, outcome in enumerate(outcomes)]
    records[3]["reply"] = records[4]["reply"] = None
    records[5]["reply"] = " \n"
    records[6]["mentioned"] = None
    run = explain_run(7, records)
    assert sorted(it["question_id"] for it in draw(run, 100, 0)) == ["q0", "q1", "q2"]


def test_the_same_seed_gives_the_same_study_with_new_tokens(explain_run: MakeRun) -> None:
    run = explain_run(8)
    options: dict[str, Any] = {"raters": 3, "per_question": 2, "sample": 5, "seed": 7}
    with new_study(run, "one", **options) as one, new_study(run, "two", **options) as two:
        assert one.tasks() == two.tasks()
        assert [one.assigned(it) for it in one.raters()] == [two.assigned(it) for it in two.raters()]
        tokens = {it.token for study in (one, two) for it in study.raters()}
    assert len(tokens) == 8
    assert min(map(len, tokens)) >= 32
    assert [path.name for path in studies_of(run.folder)] == ["one.study.sqlite", "two.study.sqlite"]


def test_replies_that_are_not_the_same_any_more_are_noticed(explain_study: MakeStudy) -> None:
    study = explain_study(4)
    run = Run(study.path.parent)
    assert same_replies(study, run)
    path = run.folder / RECORDS
    records = pl.read_parquet(path)
    records.with_columns(reply=pl.lit("Another.")).write_parquet(path)
    assert not same_replies(study, run)
    records.head(3).write_parquet(path)
    assert not same_replies(study, run)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"per_question": 4}, "by 1 to 3 of them, not 4"),
        ({"per_question": 0}, "by 1 to 3 of them, not 0"),
        ({"raters": 0, "per_question": 1}, "from 1 to 1,000 raters, not 0"),
        ({"sample": 0}, "at least 1 reply, not 0"),
    ],
)
def test_numbers_that_can_not_be(explain_study: MakeStudy, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        explain_study(3, **options)


def test_what_can_not_be_a_study(explain_run: MakeRun, tmp_path: Path) -> None:
    run = explain_run(3)
    options: dict[str, Any] = {"raters": 1, "per_question": 1}
    for name in ("", "../x", "a/b", "x" * 65, "-x", "a b"):
        with pytest.raises(UserError, match="is no name of a study"):
            new_study(run, name, **options)
    new_study(run, "pilot", **options).close()
    with pytest.raises(UserError, match="There is a study pilot already"):
        new_study(run, "pilot", **options)
    (tmp_path / "questions.json").write_text("[]", encoding="utf-8")
    with pytest.raises(UserError, match="is not what the run was asked from"):
        new_study(run, "other", **options)
    assert [path.name for path in run.folder.iterdir() if "study" in path.name] == ["pilot.study.sqlite"]


def test_questions_that_have_moved(explain_run: MakeRun, tmp_path: Path) -> None:
    run = explain_run(3)
    moved = (tmp_path / "questions.json").rename(tmp_path / "moved.json")
    with new_study(run, "pilot", raters=1, per_question=1, data=str(moved)) as study:
        assert study.task(1).right.startswith("Gold")


def test_no_reply_to_rate(explain_run: MakeRun) -> None:
    run = explain_run(2, [explain_record(0, reply=""), explain_record(1, reply=None, outcome="failed")])
    with pytest.raises(UserError, match="no reply with a text"):
        new_study(run, "pilot", raters=1, per_question=1)


@pytest.fixture
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("in_a_folder_of_its_own")
def test_a_run_of_bias_shows_the_choices_as_they_were_shown() -> None:
    run = cf.run("bias", model="planted/bias?unread=0.3", variant="1", limit=8, out="run")
    with new_study(run, "pilot", raters=2, per_question=2, sample=24) as study:
        shown = [it.task for it in study.tasks()]
        read = {it.source.algorithm["reading"] for it in study.tasks()}
    assert len(shown) == 24
    assert {len(task.options) for task in shown} == {3}
    assert all(task.context and task.right[3:] == task.options["ABC".index(task.right[0])] for task in shown)
    # The unread ones are there, too: the reading may be what is wrong.
    assert read == {"A", "B", "C", "none"}


@pytest.mark.usefixtures("in_a_folder_of_its_own")
def test_a_run_of_memorization_shows_options_only_where_the_model_saw_them() -> None:
    run = cf.run("memorization", model="planted/memorization", variant=["mcq", "open"], limit=2, out="run")
    with new_study(run, "pilot", raters=2, per_question=1, sample=30) as study:
        for it in study.tasks():
            if it.source.variant == "open":
                assert not it.task.options
                assert not it.task.right.startswith(("A:", "B:", "C:"))
            else:
                assert it.task.options["ABC".index(it.task.right[0])] == it.task.right[3:]
        assert {it.source.variant for it in study.tasks()} == {"mcq", "open"}
    (run.folder / "set.jsonl").unlink()
    with pytest.raises(UserError, match=r"there is no run/set\.jsonl"):
        new_study(cf.Run("run"), "other", raters=2, per_question=1)


def test_a_suite_without_a_form(explain_run: MakeRun) -> None:
    run = explain_run(2)
    manifest = run.manifest | {"suite": "mine"}
    (run.folder / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    with pytest.raises(UserError, match="There is no suite mine"):
        new_study(run, "pilot", raters=1, per_question=1)


def test_a_study_from_before_options_were_kept_is_read_as_it_was(explain_study: MakeStudy) -> None:
    study = explain_study(4)
    assert (study.about.options["confusing_at"], study.about.suite_at) == (50.0, "counterfoil.explain.suite:suite")
    [[content]] = study._all("SELECT content FROM about")
    older = {name: value for name, value in json.loads(content).items() if name not in ("options", "suite_at")}
    [[source]] = study._all("SELECT content FROM source WHERE task = 1")
    of_source = {name: value for name, value in json.loads(source).items() if name != "identity"}
    with sqlite3.connect(study.path) as connection:
        connection.execute("UPDATE about SET content = ?", [json.dumps(older | {"confusing_at": 30.0})])
        connection.execute("UPDATE source SET content = ? WHERE task = 1", [json.dumps(of_source | {"order": 2})])
    with Study(study.path) as again:
        assert again.about.options == {"confusing_at": 30.0}
        assert suite_of_study(again.about, None).settings["confusing_at"] == 30.0
        first, second, *_ = (task.source.columns for task in again.tasks())
        assert first["order"] == 2
        assert list(second) == ["model", "variant", "question_id", "repeat"]
