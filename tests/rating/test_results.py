"""What a study finds: metrics and agreement worked out by hand, adjudication, and the run's summary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl
import pytest

import counterfoil as cf
from counterfoil.errors import UserError
from counterfoil.rating.results import disagreements, results, spread, trust, write_results
from counterfoil.rating.store import Study
from counterfoil.rating.study import new_study
from counterfoil.running.folder import RECORDS, SUMMARY, Run
from counterfoil.stats import Estimate
from counterfoil.suite.finding import load_suite
from run_folders import estimate

from .conftest import MakeStudy, explain_record

pytestmark = pytest.mark.heavy

USUAL: dict[str, Any] = {
    "correct": True,
    "confusion": 20,
    "plausible.0": True,
    "clear.0": 60,
    "accurate.0": 80,
    "convincing.0": 100,
    "misread": "",
    "missing": "",
    "unneeded": False,
}


def say(study: Study, rater: int, question: str, **answers: Any) -> None:
    """A rater's answers on the reply to a question; what is not named is as usual, what is None is not said."""
    [task] = [it.task.id for it in study.tasks() if it.source.question_id == question]
    for key, value in (USUAL | {name.replace("_0", ".0"): value for name, value in answers.items()}).items():
        if value is not None:
            study.rate(study.raters()[rater], task, key, value)


def all_say(study: Study, questions: int, raters: int = 3) -> None:
    for number in range(questions):
        for rater in range(raters):
            say(study, rater, f"q{number}")


def found(study: Study, metric: str, **group: str) -> Estimate:
    some = results(study)
    [it] = [it for it in (*some.estimates, *some.pairwise) if (it.metric, it.group) == (metric, group)]
    return it


def test_metrics_by_hand(explain_study: MakeStudy) -> None:
    study = explain_study(6)
    all_say(study, 6)
    # q0: right to two of three; plausible to one of three; confusing: (90 + 60 + 30)/3 = 60.
    for rater, (correct, plausible, confusion) in enumerate([(True, True, 90), (True, False, 60), (False, False, 30)]):
        say(study, rater, "q0", correct=correct, plausible_0=plausible, confusion=confusion, unneeded=True)
    # q1: clear is (0 + 60 + 60)/3 = 40, quality (40 + 80 + 100)/3; a clarification unneeded to one of three.
    say(study, 0, "q1", clear_0=0, unneeded=True)
    # q2: two alternatives missed by one of three: 2/3.
    say(study, 1, "q2", missing="Low; Other")
    expected = {
        "human_accuracy": (2 / 3 + 5) / 6,
        "human_precision": (1 / 3 + 5) / 6,
        # q2: 1/(1 + 2/3); the others miss nothing.
        "human_recall": (0.6 + 5) / 6,
        # q0: 2·(1/3)/(1 + 1/3) = 1/2; q2: 2/(1 + 1 + 2/3) = 3/4.
        "human_f1": (1 / 2 + 3 / 4 + 4) / 6,
        "human_quality": (220 / 3 + 5 * 80) / 6,
        # Not q0, which is confusing to people.
        "human_restraint": (2 / 3 + 4) / 5,
        "human_confusion": (60 + 5 * 20) / 6,
    }
    assert {metric: found(study, metric).value for metric in expected} == pytest.approx(expected)
    accuracy = found(study, "human_accuracy")
    assert (accuracy.model, accuracy.variant, accuracy.n, accuracy.clusters) == ("secret-model", "secret-prompt", 6, 6)
    assert accuracy.low is not None
    assert (found(study, "human_confusion").model, found(study, "human_restraint").n) == ("all", 5)


def test_what_was_decided_takes_the_place_of_what_was_said(explain_study: MakeStudy) -> None:
    study = explain_study(6)
    all_say(study, 6)
    say(study, 2, "q0", correct=False, confusion=90)
    # (20 + 20 + 90)/3 = 43.3, and five times 20.
    assert found(study, "human_accuracy").value == pytest.approx((2 / 3 + 5) / 6)
    assert found(study, "human_confusion").value == pytest.approx((130 / 3 + 100) / 6)
    nothing: dict[str, Any] = dict.fromkeys(key.replace(".", "_") for key in USUAL)
    alpha = found(study, "human_alpha", question="correct", level="nominal")
    say(study, 3, "q0", **(nothing | {"correct": False, "confusion": 80}))
    assert found(study, "human_accuracy").value == pytest.approx(5 / 6)
    assert found(study, "human_confusion").value == pytest.approx((80 + 100) / 6)
    # Who decides is none of those who agree or not.
    assert found(study, "human_alpha", question="correct", level="nominal") == alpha


def test_nothing_is_made_up_where_nothing_is_rated(explain_study: MakeStudy) -> None:
    study = explain_study(6, [explain_record(i, mentioned=["High", "Low"]) for i in range(6)])
    assert found(study, "human_accuracy").value is None
    assert results(study).ratings == 0
    study.rate(study.raters()[0], 1, "plausible.0", True)
    study.rate(study.raters()[0], 1, "clear.0", 50)
    # The second alternative is not rated yet.
    assert (found(study, "human_precision").value, found(study, "human_quality").value) == (None, None)
    study.rate(study.raters()[0], 1, "plausible.1", False)
    assert found(study, "human_precision").value == pytest.approx(0.5)


def test_a_reply_that_names_nothing(explain_study: MakeStudy) -> None:
    study = explain_study(2, [explain_record(0, mentioned=[]), explain_record(1, mentioned=[])])
    for number, missing in enumerate(["", "Low"]):
        for rater in range(3):
            [task] = [it.task.id for it in study.tasks() if it.source.question_id == f"q{number}"]
            study.rate(study.raters()[rater], task, "missing", missing)
    # Where nothing is named and nothing missed there is nothing to be found: only q1 counts.
    assert (found(study, "human_f1").value, found(study, "human_f1").n) == (0.0, 1)
    assert (found(study, "human_recall").value, found(study, "human_recall").n) == (0.0, 1)
    assert found(study, "human_precision").value is None


def test_agreement_of_people_by_hand(explain_study: MakeStudy) -> None:
    # Two raters, 20 replies: the second says no to q0 to q4, the first to q0 to q3 and q5.
    study = explain_study(20, raters=2, per_question=2)
    for number in range(20):
        say(study, 0, f"q{number}", correct=number not in (0, 1, 2, 3, 5), confusion=number)
        say(study, 1, f"q{number}", correct=number not in (0, 1, 2, 3, 4), confusion=number + 40)
    # κ: p_o = 18/20, p_e = (15² + 5²)/20² = 0.625, κ = 0.275/0.375.
    kappa = found(study, "human_kappa", question="correct", between="rater-1 and rater-2")
    assert kappa.value == pytest.approx(0.275 / 0.375)
    assert (kappa.n, kappa.clusters) == (20, 20)
    # α: o_01 = 2, n_0 = 10, n_1 = 30, n = 40: 1 − 39·2/300.
    alpha = found(study, "human_alpha", question="correct", level="nominal")
    assert alpha.value == pytest.approx(1 - 39 * 2 / 300)
    assert alpha.low is not None
    # The second always 40 more: the same order, and yet no agreement on the scores themselves.
    assert found(study, "human_spearman", question="confusion", between="rater-1 and rater-2").value == 1
    interval = found(study, "human_alpha", question="confusion", level="interval").value
    assert interval is not None
    assert interval < 0
    # Above 50: the second from q11 on, the first never.
    assert found(study, "human_kappa", question="confusion", between="rater-1 and rater-2").value == pytest.approx(0)
    assert not [it for it in results(study).estimates if "rater" in str(it.group)]


def test_agreement_with_algorithm_and_judge_by_hand(explain_study: MakeStudy) -> None:
    # Algorithm and judge call the even ones of 20 questions confusing; people all of these but q0.
    study = explain_study(20)
    for number in range(20):
        for rater in range(3):
            confusion = 80 + number if number % 2 == 0 and number else 20
            say(study, rater, f"q{number}", confusion=confusion, correct=number > 4, clear_0=number)
    # p_o = 19/20, p_e = 1/2·9/20 + 1/2·11/20 = 1/2, κ = 0.45/0.5.
    for side in ("threshold", "confusion_index", "secret-judge"):
        kappa = found(study, "human_label_kappa", between=f"{side} and people")
        assert kappa.value == pytest.approx(0.9)
        assert kappa.n == 20
    judged = found(study, "human_label_kappa", between="threshold and secret-judge")
    assert judged.value == 1
    # Algorithm and judge say right throughout: no better than chance.
    assert found(study, "human_correct_kappa", between="threshold and people").value == 0
    # The judge's quality is the question's number, and so is what is clear to people.
    assert found(study, "human_quality_spearman", between="secret-judge and people").value == 1
    assert found(study, "human_confusion_spearman", between="secret-judge and people").n == 20
    assert found(study, "human_score_spearman", between="threshold and secret-judge").value is None


def noisy_study(make: MakeStudy, judge_noise: float) -> Study:
    """Forty questions with a quality of their own; people see it with some noise, the judge with other noise."""
    rng = np.random.default_rng(2)
    truth = rng.uniform(20, 80, size=40)

    def seen(value: float, noise: float) -> float:
        return float(np.clip(np.round(value + noise * rng.normal()), 0, 100))

    records = [explain_record(i, judge_quality=[seen(value, judge_noise)]) for i, value in enumerate(truth)]
    study = make(40, records)
    for number, value in enumerate(truth):
        for rater in range(3):
            score = seen(value, 8)
            say(study, rater, f"q{number}", clear_0=score, accurate_0=score, convincing_0=score)
    return study


def quality_sentence(study: Study) -> str:
    [sentence] = [it for it in results(study).judges if it.startswith("secret-judge on quality")]
    return sentence


def test_a_judge_like_a_person_may_stand_in(explain_study: MakeStudy) -> None:
    study = noisy_study(explain_study, 6)
    gap = found(study, "human_judge_gap", question="quality", judge="secret-judge")
    pairs = {"question": "quality", "judge": "secret-judge"}
    people = found(study, "human_pair_alpha", **pairs, between="people")
    judged = found(study, "human_pair_alpha", **pairs, between="secret-judge and people")
    assert gap.value is not None
    assert people.value is not None
    assert judged.value is not None
    assert gap.value == pytest.approx(judged.value - people.value)
    # 40 replies: three pairs of people, and three of judge and person, each.
    assert (people.n, judged.n, gap.n, gap.clusters) == (120, 120, 240, 40)
    assert "agrees with a person about as well as another person does" in quality_sentence(study)


def test_a_judge_unlike_people_may_not(explain_study: MakeStudy) -> None:
    study = noisy_study(explain_study, 60)
    assert "agrees with people less than they do with each other" in quality_sentence(study)


def test_too_little_to_tell() -> None:
    group = {"judge": "j", "question": "quality"}
    wide = estimate("human_judge_gap", -0.05, -0.4, 0.3, group=group)
    assert (
        trust(wide)
        == "j on quality: too few ratings to tell whether it can stand in for a person (-0.05 [-0.40, +0.30])."
    )
    none = estimate("human_judge_gap", None, group=group, note="no values")
    assert trust(none) == "j on quality: can't be told (no values)."


def test_disagreements_furthest_apart_first(explain_study: MakeStudy) -> None:
    study = explain_study(3)
    all_say(study, 3)
    say(study, 0, "q0", confusion=45)
    assert disagreements(study) == []
    say(study, 0, "q0", confusion=46)
    say(study, 1, "q1", correct=False)
    say(study, 2, "q2", missing="Low", clear_0=0)
    task = {it.source.question_id: it.task.id for it in study.tasks()}
    assert [(it.of.task.id, it.item.key, spread(it)) for it in disagreements(study)] == [
        (task["q2"], "clear.0", 0.6),
        *sorted([(task["q1"], "correct", pytest.approx(1 / 3)), (task["q2"], "missing", pytest.approx(1 / 3))]),
        (task["q0"], "confusion", 0.26),
    ]
    assert disagreements(study)[0].values == {"rater-1": 60.0, "rater-2": 60.0, "rater-3": 0.0}
    study.rate(study.raters()[3], task["q2"], "clear.0", 55)
    assert disagreements(study)[0].decided == 55.0
    assert (results(study).disagreements, results(study).undecided) == (4, 3)


def test_every_metric_has_its_formula(explain_study: MakeStudy) -> None:
    study = noisy_study(explain_study, 6)
    some = results(study)
    declared = {metric.name for metric in load_suite("explain").people_metrics}
    assert {it.metric for it in (*some.estimates, *some.pairwise)} <= declared
    assert {it.metric for it in some.estimates} == declared - {
        *("human_reading", "human_reading_kappa", "human_kappa", "human_spearman")
    }


def test_into_the_summary_and_again(explain_study: MakeStudy) -> None:
    study = explain_study(6)
    run = Run(study.path.parent)
    before = msgspec.structs.replace(run.whole_summary, estimates=[estimate("accuracy", 0.5), estimate("human_x", 1.0)])
    (run.folder / SUMMARY).write_bytes(msgspec.json.encode(before))
    with pytest.raises(UserError, match="Nobody has rated anything in pilot yet"):
        write_results(study, run)
    all_say(study, 6)
    written = write_results(study, run)
    assert run.estimates == [estimate("accuracy", 0.5), *written.estimates, *written.corrected]
    assert run.outcomes == before.outcomes
    first = (run.folder / SUMMARY).read_bytes()
    write_results(study, run)
    assert (run.folder / SUMMARY).read_bytes() == first
    records = pl.read_parquet(run.folder / RECORDS)
    records.with_columns(reply=pl.lit("Another.")).write_parquet(run.folder / RECORDS)
    with pytest.raises(
        UserError, match=r"6 of the 6 replies that were rated in pilot are not in .*: nothing was written"
    ):
        write_results(study, run)
    assert (run.folder / SUMMARY).read_bytes() == first


@pytest.fixture
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("in_a_folder_of_its_own")
def test_the_reading_of_bias_is_checked() -> None:
    run = cf.run("bias", model="planted/bias?unread=0.3", variant="1", limit=8, out="run")
    with new_study(run, "pilot", raters=2, per_question=2, sample=24) as study:
        read = unread = 0
        for it in study.tasks():
            reading = it.source.algorithm["reading"]
            # The second rater reads A in what the rules could not read.
            study.rate(study.raters()[0], it.task.id, "answer", reading)
            study.rate(study.raters()[1], it.task.id, "answer", "A" if reading == "none" else reading)
            read, unread = read + (reading != "none"), unread + (reading == "none")
        assert found(study, "human_reading").value == pytest.approx((read + unread / 2) / 24)
        assert found(study, "human_reading", reading="read").value == 1
        assert found(study, "human_reading", reading="none").value == pytest.approx(0.5)
        # Ties are nobody's answer, until somebody decides.
        kappa = found(study, "human_reading_kappa", between="rules and people")
        assert (kappa.value, kappa.n) == (1, read)
        assert results(study).undecided == unread
        [first, *_] = disagreements(study)
        study.rate(study.raters()[2], first.of.task.id, "answer", "none")
        assert found(study, "human_reading_kappa", between="rules and people").n == read + 1
        assert results(study).undecided == unread - 1


@pytest.mark.usefixtures("in_a_folder_of_its_own")
def test_numbers_are_compared_by_their_amount() -> None:
    run = cf.run("memorization", model="planted/memorization", variant="open", limit=2, out="run")
    with new_study(run, "pilot", raters=2, per_question=2, sample=10) as study:
        for it in study.tasks():
            reading = it.source.algorithm["reading"]
            assert reading
            study.rate(study.raters()[0], it.task.id, "number", f"${reading}")
            study.rate(study.raters()[1], it.task.id, "number", f"{reading}{'' if '.' in reading else '.'}00%")
        assert found(study, "human_reading").value == 1
        assert disagreements(study) == []
