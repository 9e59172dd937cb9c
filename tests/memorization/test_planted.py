"""The simulated respondent: what it is told to do comes out, and the estimates cover it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterfoil as cf
from arms import SCHEMA
from commands import counterfoil
from counterfoil.asking.ask import Message
from counterfoil.asking.models.planted import parse_settings
from counterfoil.errors import UserError
from counterfoil.memorization.planted import Settings, State, answer, respondent
from counterfoil.memorization.planted import true_values as true_values_by_group
from counterfoil.memorization.prompts import load_variants, messages
from counterfoil.memorization.questions import load_set
from counterfoil.memorization.reading import read_answer
from counterfoil.memorization.suite import suite
from counterfoil.perturbing.questions import Question
from counterfoil.stats import Estimate

pytestmark = pytest.mark.heavy

DRAWS = 5
chances = st.floats(0, 1)


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@cache
def bank() -> list[Question]:
    settings = {"levels": [1], "draws": DRAWS, "controls": True, "lure": True, "set_seed": 0, "topic": None}
    return list(load_set(None, settings))


def name_of(settings: Settings) -> str:
    return "planted/memorization?" + "&".join(
        f"{name}={getattr(settings, name)}" for name in settings.__struct_fields__
    )


def true_values(settings: Settings, draws: int, *, open_form: bool = False) -> dict[str, float]:
    values = true_values_by_group(settings, draws, open_form=open_form)
    return {f"{metric} {group}".strip(): value for (metric, group), value in values.items()}


def test_true_values_by_hand() -> None:
    # s = 0.5, m = 0.4, ε = 0.1: a = 0.9, u = 0.5, u·m = 0.2, u(1 − m) = 0.3, and q = 1/3 as the old is no option.
    made = true_values(Settings(skill=0.5, memorized=0.4, slip=0.1, survives=0.25), 2)
    assert made["accuracy_original"] == pytest.approx(0.9 * 0.7 + 0.3 / 3)  # 0.73
    assert made["accuracy_perturbed"] == pytest.approx(0.45 + 0.2 / 3 + 0.3 / 3)  # 0.6167
    assert made["memorization_gap"] == pytest.approx(0.2 * (0.9 - 1 / 3))  # 0.1133
    assert made["control_gap control again"] == 0
    # Memory does not survive in three of four: there it guesses.
    assert made["control_gap control reshuffled"] == pytest.approx(0.2 * 0.75 * (0.9 - 1 / 3))  # 0.085
    assert made["control_gap control renamed"] == made["control_gap control reshuffled"]
    assert made["excess_gap"] == pytest.approx(0.2 * 0.25 * (0.9 - 1 / 3))
    # Both right, and so for each draw: 0.5·0.9³ + 0.2·0.9/9 + 0.3/27.
    assert made["robust_accuracy"] == pytest.approx(0.3645 + 0.02 + 0.3 / 27)
    assert made["robust_accuracy k 1"] == pytest.approx(0.5 * 0.81 + 0.2 * 0.9 / 3 + 0.3 / 9)
    assert made["memorization_suspect"] == pytest.approx(0.73 - 0.3845 - 0.3 / 27)
    # Old: by slips of the half that is solved, 0.5·0.05; 0.2·0.9; 0.3/3. Sham: 0.5·0.05, 0.2·0.05, 0.3/3.
    assert made["kept_old"] == pytest.approx(0.025 + 0.18 + 0.1)
    assert made["kept_old_excess"] == pytest.approx(0.2 * (1 - 0.15))
    assert made["consistency"] == pytest.approx(made["accuracy_perturbed"] / 0.73)


def test_true_values_of_the_open_form_by_hand() -> None:
    # Nothing is guessed: right only what is solved, 0.5·0.9; and of the originals what is remembered, 0.2·0.9.
    made = true_values(Settings(skill=0.5, memorized=0.4, slip=0.1), 2, open_form=True)
    assert made["accuracy_original"] == pytest.approx(0.63)
    assert made["accuracy_perturbed"] == pytest.approx(0.45)
    assert made["memorization_gap"] == made["kept_old"] == made["kept_old_excess"] == pytest.approx(0.18)
    assert made["robust_accuracy"] == pytest.approx(0.5 * 0.9**3)


def test_what_is_unread_is_wrong_in_each_reply_apart() -> None:
    all_read, half = (true_values(Settings(skill=1, slip=0, unread=unread), 2) for unread in (0, 0.5))
    assert all_read["robust_accuracy"] == all_read["accuracy_original"] == 1
    assert (half["accuracy_original"], half["accuracy_perturbed"], half["memorization_gap"]) == (0.5, 0.5, 0)
    assert half["robust_accuracy"] == 0.125
    assert half["out_of_choice"] == 0.5


@given(chances, chances, chances, chances, chances, st.booleans())
def test_true_values_fit_together(
    skill: float, memorized: float, slip: float, survives: float, unread: float, open_form: bool
) -> None:
    made = true_values(Settings(skill, memorized, slip, survives, unread), 3, open_form=open_form)
    for metric, value in made.items():
        if metric != "consistency":
            assert -1 - 1e-9 <= value <= 1 + 1e-9, metric
    assert made["memorization_gap"] == pytest.approx(made["accuracy_original"] - made["accuracy_perturbed"], abs=1e-12)
    assert made["robust_accuracy"] <= made["robust_accuracy k 1"] + 1e-12
    nobody = true_values(Settings(skill, 0, slip, survives, unread), 3, open_form=open_form)
    assert nobody["memorization_gap"] == nobody["kept_old_excess"] == 0, "without memory there is no gap"


def simulated(settings: Settings, questions: Sequence[Question], trials: Iterable[int], form: str) -> list[Estimate]:
    """The estimates of many respondents, each a model of its own: states, replies and questions are drawn anew."""
    rows: list[dict[str, Any]] = []
    by_unit: dict[str, list[Question]] = {}
    for question in questions:
        by_unit.setdefault(question.unit, []).append(question)
    for trial in trials:
        chance = random.Random(f"{settings} {trial}")
        for number, unit in enumerate(chance.choices(sorted(by_unit), k=len(by_unit))):
            state = State(chance.random() < settings.skill, chance.random() < settings.memorized)
            for question in by_unit[unit]:
                reply = answer(question, state, settings, chance, open_form=form == "open")
                read = read_reply(question, reply, form)
                rows.append(
                    question.columns
                    | {"model": str(trial), "variant": form, "repeat": 0, "outcome": "answered"}
                    # One that is drawn twice is two questions of the same template.
                    | {"parent": f"{unit} {number}", "cluster": question.cluster, "question_id": question.id}
                    | dict(zip(("answer", "correct", "kept_old", "took_sham"), read, strict=True))
                )
    return suite.summarize(pl.DataFrame(rows, schema=SCHEMA), None)


@cache
def read_reply(question_of: Any, reply: str, form: str) -> tuple[str | None, bool, bool, bool]:
    [variant] = load_variants([form])
    found = read_answer(question_of, variant, reply, None)
    if found is None:
        return None, False, False, False
    return found.text, found.correct, found.kept_old, found.sham


@pytest.mark.slow
@pytest.mark.parametrize("skill", [0.2, 0.5, 0.9])
def test_without_memory_the_intervals_cover_0(skill: float) -> None:
    asked = [it for it in bank() if it.control in (None, "lure")]
    found = simulated(Settings(skill=skill, memorized=0, slip=0.05), asked, range(100), "mcq")
    for metric in ("memorization_gap", "kept_old_excess"):
        intervals = [(it.low, it.high) for it in found if it.metric == metric and not it.group]
        assert len(intervals) == 100
        covered = sum(low is not None and high is not None and low <= 0 <= high for low, high in intervals)
        assert covered >= 90, metric


@pytest.mark.slow
@pytest.mark.parametrize("form", ["mcq", "open"])
@pytest.mark.parametrize(
    "settings",
    [
        Settings(skill=0.5, memorized=0.4, slip=0.1, survives=0.5),
        Settings(skill=0.3, memorized=0.8, slip=0.0),
        Settings(skill=0.8, memorized=0.2, slip=0.05, unread=0.1),
    ],
    ids=["forgets", "remembers", "unread"],
)
def test_the_estimates_cover_the_truth(settings: Settings, form: str) -> None:
    truth = true_values(settings, DRAWS, open_form=form == "open")
    covered: dict[str, list[bool]] = {}
    for it in simulated(settings, bank(), range(40), form):
        name = it.metric
        if it.group in ({"k": 1},):
            name += " k 1"
        elif "control" in it.group:
            name += f" control {it.group['control']}"
        elif it.group:
            continue
        if name in truth:
            assert it.value is not None
            assert it.low is not None
            assert it.high is not None
            covered.setdefault(name, []).append(it.low <= truth[name] <= it.high)
    assert set(covered) == set(truth)
    for name, found in covered.items():
        # Fewer than 33 of 40 would come with a chance of 0.0003 where 95 % are covered.
        assert len(found) == 40
        assert sum(found) >= 33, name
    everything = [it for found in covered.values() for it in found]
    assert sum(everything) / len(everything) >= 0.93


def test_a_run_covers_its_truth() -> None:
    settings = Settings(skill=0.5, memorized=0.5, slip=0.05, seed=3)
    run = cf.run("memorization", model=name_of(settings), variant=["mcq", "open"])
    for it in run.estimates:
        truth = true_values(settings, DRAWS, open_form=it.variant == "open")
        if not it.group and it.metric in truth:
            assert it.value is not None
            assert it.low is not None
            assert it.high is not None
            # The interval, or in the worst case one twice as wide.
            assert abs(it.value - truth[it.metric]) <= it.high - it.low, (it.variant, it.metric)


def test_its_replies_are_read_as_they_were_meant() -> None:
    solver = cf.run("memorization", model="planted/memorization?skill=1&slip=0", variant=["mcq", "open"], draws=2)
    assert solver.records.filter(correct=False)["question_id"].to_list() == []
    rememberer = cf.run("memorization", model="planted/memorization?skill=0&memorized=1&slip=0", draws=2)
    by_arm = {
        (level, control): share
        for level, control, share in rememberer.records.group_by("level", "control")
        .agg(pl.col("correct").mean())
        .rows()
    }
    assert [by_arm[0, control] for control in (None, "again", "reshuffled", "renamed", "lure")] == [1, 1, 1, 1, 0]
    assert rememberer.records.filter(control="lure")["kept_old"].all()
    silent = cf.run("memorization", model="planted/memorization?unread=1", limit=4)
    assert silent.records["outcome"].unique().to_list() == ["out_of_choice"]


def test_memory_may_not_survive_a_control() -> None:
    model = "planted/memorization?skill=0&memorized=1&slip=0&survives=0"
    records = cf.run("memorization", model=model, lure=False).records
    share = {name: rows["correct"].mean() for (name,), rows in records.group_by("control")}
    assert share["again"] == 1
    # It guesses: about a third of some 400.
    for control in ("reshuffled", "renamed"):
        assert 0.2 < float(str(share[control])) < 0.47


def test_it_answers_the_same_again_and_repeats_apart() -> None:
    [variant] = load_variants(["mcq"])
    original = next(it for it in bank() if it.parent is None)
    respond = respondent({"skill": "0", "memorized": "0"}, bank())
    said = [respond(messages(original, variant), sample) for sample in range(30)]
    assert said == [respond(messages(original, variant), sample) for sample in range(30)]
    assert len(set(said)) == 3


def test_another_seed_is_another_respondent_with_the_same_chances() -> None:
    [variant] = load_variants(["mcq"])
    originals = [it for it in bank() if it.parent is None]
    answers = {
        seed: [respondent({"seed": seed, "slip": "0"}, originals)(messages(it, variant), 0) for it in originals]
        for seed in ("0", "1")
    }
    assert answers["0"] != answers["1"]


@pytest.mark.parametrize(
    ("given", "word"),
    [({"skil": "1"}, "skil"), ({"skill": "1.2"}, "skill"), ({"slip": "no"}, "slip"), ({"seed": "x"}, "seed")],
)
def test_wrong_settings_are_named(given: dict[str, str], word: str) -> None:
    with pytest.raises(UserError, match=word):
        parse_settings("memorization", given, Settings)


def test_wrong_settings_end_the_command_with_2() -> None:
    done = counterfoil("run", "memorization", "--model", "planted/memorization?skill=2", cwd=Path())
    assert done.returncode == 2
    assert "skill is a chance from 0 to 1" in done.stderr


def test_it_knows_only_its_questions() -> None:
    with pytest.raises(UserError, match="knows only"):
        respondent({}, bank())([Message("user", "What is 1 + 1?")], 0)
