"""What labels make of a run's figures: through the study's file, the run's summary and the command's sentences."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import polars as pl
import pytest

import counterfoil as cf
from counterfoil.errors import UserError
from counterfoil.rating.correction import FEWEST
from counterfoil.rating.results import results, write_results
from counterfoil.rating.store import Study
from counterfoil.rating.strata import allotted
from counterfoil.rating.study import new_study
from counterfoil.report.page.page import page as report_page
from counterfoil.running.asked import suite_of
from counterfoil.running.folder import RECORDS, SUMMARY, Run
from counterfoil.running.records import read_scores
from counterfoil.stats import Estimate
from counterfoil.stats.summary import summarize
from counterfoil.suite.opinions import StudyTask, items

from .conftest import MakeStudy, explain_record

pytestmark = pytest.mark.heavy

Say = Callable[[StudyTask, int], str]


@pytest.fixture(scope="module")
def bias_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("bias")
    return cf.run("bias", model="planted/bias", data="english", out=folder / "run", ledger=folder / "ledger.sqlite")


def rated(run: Run, name: str, say: Say, sample: int = 120) -> Study:
    """A study in which two people rate everything, and say this."""
    study = new_study(run, name, raters=2, per_question=2, sample=sample)
    for task in study.tasks():
        for number, rater in enumerate(study.raters()[:2]):
            study.rate(rater, task.task.id, "answer", say(task, number))
    return study


def found(estimates: list[Estimate], metric: str, **group: str) -> Estimate:
    [one] = [one for one in estimates if (one.metric, one.group) == (metric, group)]
    return one


def test_people_who_read_the_same_leave_the_figure_where_it_is(bias_run: Run) -> None:
    with rated(bias_run, "same", lambda task, _: task.source.algorithm["reading"]) as study:
        some = results(study, run=bias_run)
    reported = found(bias_run.estimates, "accuracy_disambiguated")
    corrected = found(some.corrected, "accuracy_disambiguated", basis="corrected")
    shift = found(some.corrected, "accuracy_disambiguated", basis="correction")
    assert reported.value is not None
    assert corrected.value == pytest.approx(reported.value, abs=0.02)
    assert shift.low is not None
    assert shift.high is not None
    assert shift.low < 0 < shift.high
    # All replies count, and about half of the labels do: the others are of ambiguous contexts.
    assert (corrected.n, shift.n) == (reported.n, corrected.note and int(corrected.note.split()[0]))


def test_a_reader_that_is_off_is_told_and_set_right(bias_run: Run) -> None:
    """People read the right answer in every reply: what was read wrong is the reader's fault."""
    with rated(bias_run, "right", lambda task, _: task.task.right[0]) as study:
        some = write_results(study, bias_run)
    corrected = found(bias_run.estimates, "accuracy_ambiguous", basis="corrected")
    people = found(bias_run.estimates, "accuracy_ambiguous", basis="people")
    shift = found(bias_run.estimates, "accuracy_ambiguous", basis="correction")
    reported = found(bias_run.estimates, "accuracy_ambiguous")
    assert (corrected.value, people.value) == (1, 1)
    assert reported.value is not None
    assert shift.value == pytest.approx(1 - reported.value)
    assert shift.low is not None
    assert shift.low > 0
    assert some.not_corrected is None
    # Once more changes nothing, and reported figures stay.
    before = bias_run.estimates
    with Study(bias_run.folder / "right.study.sqlite") as study:
        write_results(study, bias_run)
    assert Run(bias_run.folder).estimates == before


def test_raters_who_differ_count_with_their_shares(bias_run: Run) -> None:
    """One of two reads what was read, the other the right answer: people alone say the mean of both."""
    say: Say = lambda task, number: task.task.right[0] if number else task.source.algorithm["reading"]  # noqa: E731
    with rated(bias_run, "half", say) as study:
        some = results(study, run=bias_run)
        tasks = [task for task in study.tasks() if task.task.options and _is_ambiguous(bias_run, task)]
    right = [task.source.algorithm["reading"] == task.task.right[0] for task in tasks]
    people = found(some.corrected, "accuracy_ambiguous", basis="people")
    assert people.value == pytest.approx((1 + sum(right) / len(right)) / 2)


def _is_ambiguous(run: Run, task: StudyTask) -> bool:
    records = run.records
    [row] = records.filter(
        (records["question_id"] == task.source.question_id) & (records["order"] == task.source.identity["order"])
    ).to_dicts()
    return bool(row["ambiguous"])


def test_too_few_labels_say_how_many_more(bias_run: Run) -> None:
    with rated(bias_run, "few", lambda task, _: task.source.algorithm["reading"], sample=40) as study:
        some = results(study, run=bias_run)
    few = found(some.corrected, "out_of_choice", basis="corrected")
    assert few.value is not None
    of_half = found(some.corrected, "accuracy_ambiguous", basis="corrected")
    assert of_half.value is None
    assert of_half.note == f"too few labels: {FEWEST - of_half.n} more are needed"


def test_what_is_decided_takes_the_place_of_what_was_said(bias_run: Run) -> None:
    luck = random.Random(1)
    with rated(bias_run, "decided", lambda task, _: luck.choice("ABC"), sample=100) as study:
        adjudicator = study.raters()[-1]
        for task in study.tasks():
            study.rate(adjudicator, task.task.id, "answer", task.task.right[0])
        some = results(study, run=bias_run)
    assert found(some.corrected, "accuracy_ambiguous", basis="people").value == 1


def test_labels_of_other_replies_are_refused(bias_run: Run) -> None:
    with rated(bias_run, "moved", lambda task, _: "A", sample=40) as study:
        path = bias_run.folder / RECORDS
        whole = path.read_bytes()
        records = pl.read_parquet(path)
        records.with_columns(reply=pl.lit("Changed.")).write_parquet(path)
        some = results(study, run=Run(bias_run.folder))
        path.write_bytes(whole)
    assert some.corrected == []
    assert some.not_corrected is not None
    assert "40 of the 40 replies that were rated in moved are not in" in some.not_corrected


def test_explain_by_what_the_list_of_alternatives_got_wrong(tmp_path: Path) -> None:
    """People say that every alternative that was found is not in the reply, and that every answer is right."""
    run = cf.run(
        "explain",
        model="planted/explain?right=0.5",
        variant="baseline",
        out=tmp_path / "run",
        ledger=tmp_path / "ledger.sqlite",
    )
    with new_study(run, "pilot", raters=1, per_question=1, sample=120) as study:
        for task in study.tasks():
            said: dict[str, object] = {
                "correct": True,
                "plausible": True,
                "misread": "\n".join(task.task.alternatives),
                "missing": "",
                "unneeded": False,
            }
            for item in items(study.form, task.task):
                study.rate(study.raters()[0], task.task.id, item.key, said.get(item.question, 60))
        some = results(study, run=run)
    people = {one.metric: one.value for one in some.corrected if one.group == {"basis": "people"}}
    # Nothing is mentioned: no reward on confusing questions, no penalty on plain ones, where the score is 1.
    expected = {"accuracy": 1.0, "mentions": 0.0, "reward": 0.0, "penalty": 0.0, "discernment": 0.0}
    assert {name: people[name] for name in expected if name in people} == expected
    assert {"accuracy", "mentions", "score_threshold"} <= set(people)
    reported = found(run.estimates, "mentions")
    shift = found(some.corrected, "mentions", basis="correction")
    assert reported.value is not None
    assert shift.high is not None
    assert shift.high < 0


def test_memorization_by_weights_of_draws(tmp_path: Path) -> None:
    """People read the right answer in every reply: no gap is left, however originals and draws are weighed."""
    run = cf.run("memorization", model="planted/memorization", out=tmp_path / "run", ledger=tmp_path / "ledger.sqlite")
    with rated(run, "right", lambda task, _: task.task.right[0], sample=600) as study:
        some = results(study, run=run)
    people = {one.metric: one.value for one in some.corrected if one.group == {"basis": "people"}}
    assert people["accuracy_perturbed"] == pytest.approx(1)
    assert people["memorization_gap"] == pytest.approx(0)
    # A ratio of two sums: how many labels fell to originals is a matter of chance.
    assert people["consistency"] == pytest.approx(1, abs=0.25)
    assert people["kept_old"] == 0


def test_labels_go_where_they_are_worth_most() -> None:
    # In proportion to size times worth: 800 · 0.2 and 200 · 0.5 are 160 and 100 of 260: 61.5 and 38.5 of 100.
    assert sorted(allotted(np.array([800, 200]), np.array([0.2, 0.5]), 100)) == [38, 62]
    # Some of each, and none more than there are; what one can't take goes to the others.
    assert allotted(np.array([1000, 3, 40]), np.array([0.02, 0.5, 0.5]), 60)[1] == 3
    assert sum(allotted(np.array([1000, 3, 40]), np.array([0.02, 0.5, 0.5]), 60)) == 60
    assert allotted(np.array([10, 10]), np.array([0.2, 0.2]), 50) == [10, 10]
    with pytest.raises(UserError, match="A sample of 8 is too small for its 2 strata: take at least 10"):
        allotted(np.array([10, 10]), np.array([0.2, 0.2]), 8)


def test_a_sample_for_a_metric_has_known_weights(bias_run: Run) -> None:
    with new_study(bias_run, "strata", raters=1, per_question=1, sample=80, metric="accuracy_ambiguous") as study:
        design, tasks = study.design(), study.tasks()
        rater = study.raters()[0]
        counting = [task for task in tasks if _is_ambiguous(bias_run, task)]
        # Nobody has rated any of those that count.
        for task in tasks:
            if task not in counting:
                study.rate(rater, task.task.id, "answer", "A")
        before = results(study, run=bias_run)
        for task in counting:
            study.rate(rater, task.task.id, "answer", task.task.right[0])
        after = results(study, run=bias_run)
    assert design is not None
    assert sum(task.source.weight for task in tasks) == pytest.approx(design.replies)
    strata = design.shares["stratum"]
    assert sum(share.in_sample for share in strata.values()) == 80
    assert len(counting) > 60
    assert found(before.corrected, "accuracy_ambiguous", basis="corrected").note == "too few labels: 30 more are needed"
    assert found(before.corrected, "out_of_choice", basis="corrected").note is not None
    assert found(after.corrected, "accuracy_ambiguous", basis="people").value == 1


def test_a_stratum_without_labels_is_named(bias_run: Run) -> None:
    """Of a figure over all replies, those that do not count in the metric of the sample are a stratum, too."""
    with new_study(bias_run, "one", raters=1, per_question=1, sample=80, metric="accuracy_ambiguous") as study:
        for task in study.tasks():
            if _is_ambiguous(bias_run, task):
                study.rate(study.raters()[0], task.task.id, "answer", "A")
        some = results(study, run=bias_run)
    note = found(some.corrected, "out_of_choice", basis="corrected").note
    assert note is not None
    assert "nobody has rated a reply of the stratum “planted/bias, en: does not count” (1,584 replies) yet" in note


def test_a_metric_that_labels_of_single_replies_can_not_correct(bias_run: Run) -> None:
    with pytest.raises(UserError, match="Labels of single replies can't correct flip_rate: they can out_of_choice"):
        new_study(bias_run, "pairs", raters=1, per_question=1, metric="flip_rate")


def test_raters_who_never_agree_set_nothing_right(bias_run: Run) -> None:
    with rated(bias_run, "never", lambda task, number: "AB"[number], sample=40) as study:
        some = results(study, run=bias_run)
    assert some.corrected == []
    assert some.not_corrected is not None
    assert "In 40 pairs of answers to “answer” no two raters agree" in some.not_corrected


def test_the_report_shows_all_three(bias_run: Run) -> None:
    with rated(bias_run, "shown", lambda task, _: task.task.right[0]) as study:
        write_results(study, bias_run)
    page = report_page([Run(bias_run.folder)])
    assert "Checked by people" in page
    assert "Reported, corrected, people alone" in page
    assert "planted/bias: accuracy_ambiguous is 0.6" in page
    assert "The reported figure is too low: the difference is 0." in page


def test_judges_are_corrected_by_what_people_say_of_the_same(explain_study: MakeStudy) -> None:
    """Every question is confusing to people, and what each reply clears up is all that should be: F1 is 1."""
    records = [
        explain_record(number, judge_confusion=[80.0], judge_restraint=[None], judge_changed=[None])
        for number in range(40)
    ]
    study = explain_study(40, records, raters=1, per_question=1)
    run = Run(study.path.parent)
    suite = suite_of(run)
    reported = summarize(suite.metrics, suite.items(read_scores(run.folder / RECORDS)))
    summary = msgspec.structs.replace(run.whole_summary, estimates=reported)
    (run.folder / SUMMARY).write_bytes(msgspec.json.encode(summary))
    said = {"correct": True, "confusion": 80, "plausible": True, "misread": "", "missing": "", "unneeded": False}
    for task in study.tasks():
        for item in items(study.form, task.task):
            study.rate(study.raters()[0], task.task.id, item.key, said.get(item.question, 60))
    some = results(study, run=Run(run.folder))
    assert some.not_corrected is None
    # By the judge, F1 is the mean of 0, 0.01, … 0.39.
    assert found(run.estimates, "judge_f1").value == pytest.approx(0.195)
    assert found(some.corrected, "judge_f1", basis="people").value == 1
    assert found(some.corrected, "judge_f1", basis="correction").value == pytest.approx(1 - 0.195)
    assert found(some.corrected, "judge_quality", basis="people").value == pytest.approx(60)
    assert found(some.corrected, "judge_recall", basis="people").value == 1
