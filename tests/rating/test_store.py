"""The study's file: every rating is a new row, the latest holds, and only one's own can be changed."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from counterfoil.errors import UserError
from counterfoil.rating.store import Study
from counterfoil.suite.opinions import Item, items

from .conftest import MakeStudy


def open_items(study: Study, rater: Any, task: int) -> list[Item]:
    """What the rater has not rated yet of a task."""
    said = study.answers(rater, task)
    return [item for item in items(study.form, study.task(task)) if item.key not in said]


def test_answers_are_saved_one_by_one(explain_study: MakeStudy) -> None:
    study = explain_study(2)
    rater = study.raters()[0]
    saved = study.rate(rater, 1, "correct", True)
    assert (saved.rater, saved.task, saved.item, saved.value, saved.undoes) == ("rater-1", 1, "correct", True, None)
    assert saved.form == study.form.version
    assert datetime.fromisoformat(saved.at).tzinfo is not None
    study.rate(rater, 1, "clear.0", "80")
    study.rate(rater, 1, "missing", "")
    assert study.answers(rater, 1) == {"correct": True, "clear.0": 80.0, "missing": ""}
    assert [item.key for item in open_items(study, rater, 1)] == [
        *("confusion", "plausible.0", "accurate.0", "convincing.0", "misread", "unneeded")
    ]
    with Study(study.path) as again:
        assert again.answers(rater, 1) == study.answers(rater, 1)


def test_a_changed_answer_is_a_new_row(explain_study: MakeStudy) -> None:
    study = explain_study(2)
    rater = study.raters()[0]
    rows = [study.rate(rater, 1, "confusion", score) for score in (10, 90, 90)]
    # The same again is the same: a client that repeats a request makes no second row.
    assert rows[1] == rows[2]
    assert [it.value for it in study.history()] == [10.0, 90.0]
    assert [it.value for it in study.latest()] == [90.0]


def test_undo_is_a_new_row_with_what_was_there_before(explain_study: MakeStudy) -> None:
    study = explain_study(2)
    one, other = study.raters()[:2]
    study.rate(one, 1, "confusion", 10)
    study.rate(one, 1, "confusion", 90)
    study.rate(other, 1, "confusion", 50)
    study.rate(one, 2, "correct", False)
    undone = [study.undo(one) for _ in range(4)]
    assert [None if it is None else (it.task, it.item, it.value) for it in undone] == [
        (2, "correct", None),
        (1, "confusion", 10.0),
        (1, "confusion", None),
        None,
    ]
    assert study.answers(one, 1) == {}
    assert study.answers(other, 1) == {"confusion": 50.0}
    assert len(study.history()) == 7
    study.rate(one, 1, "confusion", 33)
    study.undo(one)
    assert study.answers(one, 1) == {}


class Undoing(RuleBasedStateMachine):
    """Whatever is answered and taken back: the answers are those of a list that undo takes the last one from."""

    study: Study

    def __init__(self) -> None:
        super().__init__()
        self.rater, _, self.other, _ = self.study.raters()
        while self.study.undo(self.rater):
            pass
        self.done: list[tuple[int, str, float]] = []

    @rule(task=st.integers(1, 2), item=st.sampled_from(["confusion", "clear.0"]), score=st.integers(0, 2))
    def answer(self, task: int, item: str, score: int) -> None:
        if self.expected(task).get(item) != score:
            self.done.append((task, item, score))
        self.study.rate(self.rater, task, item, score)
        self.check()

    @rule()
    def someone_else(self) -> None:
        self.study.rate(self.other, 1, "confusion", len(self.done) % 100)

    @precondition(lambda self: self.done)
    @rule()
    def undo(self) -> None:
        self.done.pop()
        self.study.undo(self.rater)
        self.check()

    def expected(self, task: int) -> dict[str, float]:
        return {item: score for its, item, score in self.done if its == task}

    def check(self) -> None:
        for task in (1, 2):
            assert self.study.answers(self.rater, task) == self.expected(task)


def test_undo_takes_back_answer_by_answer(explain_study: MakeStudy) -> None:
    class OfThisStudy(Undoing):
        study = explain_study(2)

    run_state_machine_as_test(OfThisStudy, settings=settings(max_examples=15, stateful_step_count=20, deadline=None))


def rate_all(study: Study, rater: Any, task: int) -> None:
    for item in open_items(study, rater, task):
        kind = study.form.question(item.question).kind
        study.rate(rater, task, item.key, {"yes_no": True, "score": 50, "text": ""}[kind])


def test_progress_and_where_one_left(explain_study: MakeStudy) -> None:
    study = explain_study(3)
    rater = study.raters()[1]
    order = study.assigned(rater)
    assert sorted(order) == [1, 2, 3]
    assert (study.progress(rater), study.next_task(rater)) == ((0, 3), order[0])
    rate_all(study, rater, order[1])
    assert (study.progress(rater), study.next_task(rater)) == ((1, 3), order[0])
    study.rate(rater, order[0], "correct", True)
    assert study.next_task(rater) == order[0]
    rate_all(study, rater, order[0])
    with Study(study.path) as again:
        assert (again.progress(rater), again.next_task(rater)) == ((2, 3), order[2])
    study.undo(rater)
    assert (study.progress(rater), study.next_task(rater)) == ((1, 3), order[0])
    for task in order:
        rate_all(study, rater, task)
    assert (study.progress(rater), study.next_task(rater)) == ((3, 3), None)


def test_a_token_is_its_rater_and_no_other(explain_study: MakeStudy) -> None:
    study = explain_study(2)
    for rater in study.raters():
        assert study.rater(rater.token) == rater
        assert rater.link == f"/rate/{rater.token}"
    for wrong in ("", "x", study.raters()[0].token[:-1], study.raters()[0].token + "x", "한글", "\ud800"):
        with pytest.raises(UserError, match="no rater with this link"):
            study.rater(wrong)


def test_only_ones_own(explain_study: MakeStudy) -> None:
    study = explain_study(6, per_question=1)
    one, other, third, adjudicator = study.raters()
    assert sorted(study.assigned(one) + study.assigned(other) + study.assigned(third)) == [1, 2, 3, 4, 5, 6]
    foreign = study.assigned(other)[0]
    for call in (lambda: study.rate(one, foreign, "correct", True), lambda: study.answers(one, foreign)):
        with pytest.raises(UserError, match=f"Reply {foreign} of the study is not one of those that rater-1 rates"):
            call()
    assert study.history() == []
    study.rate(adjudicator, foreign, "correct", True)
    assert adjudicator.is_adjudicator
    assert study.assigned(adjudicator) == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("task", [0, -1, 7, 10**30])
def test_a_reply_that_is_not_there(explain_study: MakeStudy, task: int) -> None:
    study = explain_study(6)
    with pytest.raises(UserError, match=f"The study has no reply {task}"):
        study.rate(study.raters()[0], task, "correct", True)


def test_what_does_not_answer_is_not_saved(explain_study: MakeStudy) -> None:
    study = explain_study(2)
    rater = study.raters()[0]
    for key, value in (("confusion", 101), ("correct", "yes"), ("clear.1", 50), ("nothing", 1)):
        with pytest.raises(UserError):
            study.rate(rater, 1, key, value)
    assert study.history() == []


def test_the_file_itself_refuses_to_change_a_rating(explain_study: MakeStudy) -> None:
    study = explain_study(2)
    study.rate(study.raters()[0], 1, "correct", True)
    with closing(sqlite3.connect(study.path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        for statement in ("UPDATE rating SET value = 'false'", "DELETE FROM rating"):
            with pytest.raises(sqlite3.IntegrityError, match="a rating is never"):
                connection.execute(statement)
    assert [it.value for it in study.history()] == [True]


def test_the_file_is_its_owners(explain_study: MakeStudy) -> None:
    assert stat.S_IMODE(explain_study(2).path.stat().st_mode) == 0o600


def test_files_that_are_no_study(tmp_path: Path, explain_study: MakeStudy) -> None:
    with pytest.raises(UserError, match="There is no study"):
        Study(tmp_path / "missing.study.sqlite")
    text = tmp_path / "text.study.sqlite"
    text.write_text("no database, but long enough to be looked at " * 50)
    with pytest.raises(UserError, match="is no study, or is damaged"):
        Study(text)
    other = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE x (y)")
    with pytest.raises(UserError, match="is no study"):
        Study(other)
    study = explain_study(2)
    with closing(sqlite3.connect(study.path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(UserError, match="another version of counterfoil"):
        Study(study.path)
