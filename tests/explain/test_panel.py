"""Judges asked again, and several judges as one: means, majorities, variances, prompts and parameters."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterfoil as cf
from counterfoil.errors import UserError
from counterfoil.explain.items import judged_twice
from counterfoil.explain.judging.judge import Judgement, shipped_prompts
from counterfoil.explain.judging.panel import is_repeat, majority_of, mean_of, repeat_name, with_means
from counterfoil.report.sentences import headline_of
from counterfoil.suite.finding import load_suite

A = Judgement(confusion=80, confusing=True, ideal=("Sydney", "Perth"), intersection=("Sydney",), f1=0.5, quality=60)
B = Judgement(confusion=60, confusing=True, ideal=("sydney", "Hobart"), intersection=("Sydney",), f1=1.0, quality=90)
C = Judgement(confusion=10, confusing=False, restraint=1.0, correct=True)
NOISY = "planted/explain?judge=a&noise=0.2&sensitivity=0.9&specificity=0.8"
STEADY = "planted/explain?judge=b"


def test_a_mean_is_over_those_who_say_something() -> None:
    # (80 + 60 + 10) / 3 = 50, which is not above 50; F1 (0.5 + 1) / 2; restraint and the answer are one judge's.
    mean = mean_of([A, B, C], 50)
    assert (mean.confusion, mean.confusing, mean.f1, mean.quality) == (50, False, 0.75, 75)
    assert (mean.restraint, mean.correct) == (1.0, True)
    # Sydney is in both lists, however it is written; Perth and Hobart in one of two each.
    assert mean.ideal == ("Sydney",)


def test_a_majority_counts_lists_anew() -> None:
    # Two of three find it confusing. Of the two ideal lists both have Sydney: 1 of 2 mentioned, 1 of 1 ideal.
    most = majority_of([A, B, C], mentioned=2)
    assert (most.confusing, most.ideal, most.intersection) == (True, ("Sydney",), ("Sydney",))
    assert (most.precision, most.recall, most.f1) == (0.5, 1.0, pytest.approx(2 / 3))
    assert (most.confusion, most.restraint) == (60, None)


def test_as_many_yes_as_no_say_nothing() -> None:
    tie = majority_of([A, C], mentioned=1)
    assert tie.confusing is None
    assert tie.f1 is None


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_a_mean_lies_among_its_numbers_and_one_is_itself(numbers: list[float]) -> None:
    said = [Judgement(f1=number) for number in numbers]
    mean = mean_of(said, 50).f1
    assert mean is not None
    assert min(numbers) - 1e-12 <= mean <= max(numbers) + 1e-12
    assert with_means(said[:1], "j", 50) == {"j": said[0]}


def test_names_of_times() -> None:
    assert repeat_name("openai/gpt-5", 0) == "openai/gpt-5 #1"
    assert is_repeat("openai/gpt-5 #12")
    assert not is_repeat("openai/gpt-5")


def reply(**said: Any) -> dict[str, Any]:
    return {"model": "m", "variant": "v", "cluster": "q", "item": "q 0", **said}


def test_variances_by_hand() -> None:
    frame = judged_twice(
        pl.DataFrame([reply(judges=["a", "a #1", "a #2", "b", "panel"], judge_f1=[0.5, 0.4, 0.6, 1.0, 0.75])])
    )
    own, other = frame.filter(pl.col("judge").is_not_null()), frame.filter(pl.col("judge").is_null())
    # Within a: (0.4 − 0.6)² / 2 = 0.02. Between a and b: ((0.6)² + (0.4)²) / 2 / 2 = 0.13; more: 0.13 − 0.02.
    assert own.select("judge", "judge_f1 own").rows() == [("a", pytest.approx(0.02))]
    assert other.select("judge_f1 other", "judge_f1 more").rows() == [(pytest.approx(0.13), pytest.approx(0.11))]


def run(folder: Path, **options: Any) -> cf.Run:
    usual: dict[str, Any] = {"model": "planted/explain?right=0.8", "variant": "baseline", "judge": [NOISY, STEADY]}
    return cf.run("explain", out=folder / "run", ledger=folder / "ledger", **(usual | options))


@pytest.mark.heavy
def test_repeats_and_a_panel_through_a_whole_run(tmp_path: Path) -> None:
    made = run(tmp_path, judge_repeats=3, judge_panel="majority", judge_max_tokens=300, judge_param={"top_p": 0.9})
    names = made.records["judges"][0].to_list()
    assert names == [
        NOISY,
        *(f"{NOISY} #{i}" for i in (1, 2, 3)),
        STEADY,
        *(f"{STEADY} #{i}" for i in (1, 2, 3)),
        "panel",
    ]
    judges = {str(one.group["judge"]) for one in made.estimates if one.metric == "judge_f1"}
    assert judges == {NOISY, STEADY, "panel"}
    between = {one.group["between"] for one in made.estimates if one.metric == "label_kappa"}
    assert f"{STEADY} and panel" in between
    assert not any("#" in str(name) for name in between)
    within = {
        one.group["judge"]: one.value
        for one in made.estimates
        if one.metric == "judge_variance" and one.group["of"] == "confusion" and one.group["part"] == "within"
    }
    # Evenly spread by up to 0.2 either way: variance 0.2² ÷ 3 = 0.013; the steady one is the same each time.
    assert within[STEADY] == 0
    assert within[NOISY] == pytest.approx(0.013, abs=0.004)
    said = headline_of(made, load_suite("explain"))
    assert any(f"confusing to {STEADY} (a score above 50)" in sentence for sentence in said)
    assert any(f"{NOISY} strays from itself by" in sentence for sentence in said)
    assert made.manifest["judges"][0]["params"] == {"temperature": 0.0, "max_tokens": 300, "top_p": 0.9}


def test_prompts_of_ones_own_are_sent_and_hashed(tmp_path: Path) -> None:
    words = shipped_prompts()["restraint"] + "\nBe strict."
    (tmp_path / "mine.txt").write_text(words + "\n", encoding="utf-8")
    judge = tmp_path / "judge.jsonl"
    lines = [{"when": ["Be strict."], "text": "Verdict: yes"}, {"text": "Explanation: x\nScore: 10"}]
    judge.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    options = {"judge": f"replay/{judge}", "limit": 3, "judge_prompt": f"restraint={tmp_path / 'mine.txt'}"}
    made = run(tmp_path, **options)
    assert made.records["judge_restraint"].explode().to_list() == [0.0] * 3
    hashes = made.manifest["judge_prompts"]
    assert hashes["restraint"] == hashlib.sha256(words.encode()).hexdigest()
    assert hashes["confusion"] == hashlib.sha256(shipped_prompts()["confusion"].encode()).hexdigest()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"judge_prompt": "style=x.txt"}, "is not STEP=FILE: the steps are mentions"),
        ({"judge_prompt": "restraint=none.txt"}, r"none\.txt can't be read"),
        ({"judge_prompt": "empty"}, "is not STEP=FILE"),
        ({"judge": [STEADY], "judge_panel": "mean"}, "--judge-panel is for several judges"),
        ({"judge": None, "judge_repeats": 2}, "--judge-repeats is about what judges say"),
        ({"judge_param": ["top_p"]}, "is not KEY=VALUE"),
    ],
)
def test_wrong_use_is_one_sentence(options: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=sentence):
        run(tmp_path, **options)
