"""Every sentence of every suite's report, in every situation in which little or nothing was measured."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import counterfoil as cf
from commands import counterfoil
from counterfoil.bias import metrics as bias
from counterfoil.explain import metrics as explain
from counterfoil.figures.numbers import cell
from counterfoil.figures.sentences import extremes, sides
from counterfoil.memorization import metrics as memorization
from counterfoil.report.sentences import PROSE, data_sentence, headline_of, warnings_of
from counterfoil.running.asked import suite_to_show
from run_folders import estimate, make_run, record

SUITES = {"bias": ("--data", "english"), "explain": ("--variant", "cfe"), "memorization": ("--draws", "1")}
# What a report says where an interval lies on one side of 0, or where two lie apart.
CLAIMS = ("leans towards", "leans against", "are easier", "are harder", "lies above", "lies below", "lie apart")
NO_CLAIM = "no interval: fewer than 5 clusters (3)"
# Value, low, high, note.
FIGURES: dict[str, tuple[float | None, float | None, float | None, str | None]] = {
    "no values": (None, None, None, "no values"),
    "no interval": (0.4, None, None, NO_CLAIM),
    "around 0": (0.1, -0.1, 0.3, None),
    "above 0": (0.2, 0.1, 0.3, None),
    "below 0": (-0.2, -0.3, -0.1, None),
    "one cluster": (0.4, None, None, "no interval: fewer than 5 clusters (1)"),
    "all equal": (0.0, -0.1, 0.1, "all clusters agree: each counts as one record"),
}
GROUPS: dict[str, list[tuple[str, dict[str, str | int]]]] = {
    "bias": [
        (metric.name, {})
        for metric in (bias.DIFF_BIAS_AMBIGUOUS, bias.DIFF_BIAS_DISAMBIGUATED, bias.POSITION_BIAS, bias.OUT_OF_CHOICE)
    ],
    "explain": [
        (metric.name, group)
        for metric in (explain.SCORE_THRESHOLD, explain.DISCERNMENT, explain.ACCURACY, explain.JUDGE_F1)
        for group in ({}, {"replies": "correct"})
    ],
    "memorization": [
        (memorization.MEMORIZATION_GAP.name, {}),
        (memorization.CONTROL_GAP.name, {"control": "again"}),
        (memorization.EXCESS_GAP.name, {}),
        (memorization.KEPT_OLD_EXCESS.name, {}),
        (memorization.MEMORIZATION_SUSPECT.name, {}),
        (memorization.OUT_OF_CHOICE.name, {}),
    ],
}


def check(sentences: list[str]) -> None:
    """What is true of every sentence, whatever it says."""
    assert sentences
    for sentence in sentences:
        assert sentence.endswith("."), sentence
        assert not re.search(r"  |\.\.|None|nan|inf\b| ,| \.|\(\)|\de-\d|lies there|tells of no|: \.", sentence), (
            sentence
        )
        assert sentence.count("(") == sentence.count(")"), sentence


@pytest.mark.parametrize("models", [1, 2, 8])
@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("suite", SUITES)
def test_sentences_claim_what_intervals_show(suite: str, figure: str, models: int, tmp_path: Path) -> None:
    value, low, high, note = FIGURES[figure]
    estimates = [
        estimate(metric, value, low, high, note=note, model=f"m{number}", group=group)
        for number in range(models)
        for metric, group in GROUPS[suite]
    ]
    run = make_run(tmp_path / "run", [record(model=f"m{n}") for n in range(models)], estimates, suite=suite)
    sentences = cf_suite(run).headline(run)
    check(sentences)
    text = " ".join(sentences)
    claimed = {words for words in CLAIMS if words in text}
    above = {"leans towards", "are easier", "lies above"}
    below = {"leans against", "are harder", "lies below"}
    assert claimed <= {"above 0": above, "below 0": below}.get(figure, set())
    if low is None:
        assert "can't be told" in text
        assert (str(note) if value is None else "of the 5 clusters that it takes") in text, "what is missing"
    if figure == "around 0":
        assert "can be told" in text or "can't be told" in text


def cf_suite(run: cf.Run) -> Any:
    return suite_to_show(run)


CANNED = {
    "all unread": [{"text": "Hm."}],
    "all empty": [{"text": " \n"}],
    "all truncated": [{"text": "", "status": "truncated"}],
    "all refused": [{"text": "I can't.", "status": "refused"}],
    "all equal": [{"text": "A"}],
    "failing": [{"text": "no", "status": "failed"}],
}
WHY = {
    "all empty": "all are empty. Look at the server",
    "all truncated": "all were cut off. Raise --max-tokens (it was 7).",
    "all refused": "all were refused. The model, or its provider's filter, declines these questions",
}


def canned(suite: str, situation: str, folder: Path) -> tuple[cf.Run, list[str], str]:
    """A real run on canned replies: the run, its warnings and sentences, and what the terminal shows."""
    lines = CANNED[situation]
    (folder / "canned.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    options = (*SUITES[suite], "--limit", "6", "--max-tokens", "7", "--out", "out")
    done = counterfoil("run", suite, "--model", "replay/canned.jsonl", *options, cwd=folder)
    assert done.returncode == (1 if situation == "failing" else 0), done.stderr
    run = cf.Run(folder / "out")
    return run, [*warnings_of(run), *headline_of(run, suite_to_show(run))], done.stdout


@pytest.mark.heavy
@pytest.mark.parametrize("situation", CANNED)
@pytest.mark.parametrize("suite", SUITES)
def test_a_run_says_why_there_is_nothing(suite: str, situation: str, tmp_path: Path) -> None:
    run, sentences, terminal = canned(suite, situation, tmp_path)
    check(sentences)
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    everything = counterfoil("show", "out", "--all", cwd=tmp_path).stdout
    for sentence in sentences[: len(warnings_of(run)) + PROSE]:
        assert sentence in terminal
    for sentence in sentences:
        assert sentence in everything
        assert sentence.replace("'", "&#x27;").replace('"', "&quot;") in page or "<" in sentence or "&" in sentence
    if situation in WHY:
        assert sentences[0].startswith(f"Nothing could be read in any of the {run.records.height} replies of replay/")
        assert WHY[situation] in sentences[0]
    if situation == "failing":
        assert data_sentence(run.manifest).split(": ")[1].startswith("replies to 0 of 6 questions that were chosen of")
    else:
        assert "replies to 6 of 6 questions that were chosen of" in terminal
    if situation != "all equal" and suite != "explain":
        # In explain what can't be read scores 0, so that there are figures.
        assert not any(words in " ".join(sentences) for words in CLAIMS)


@pytest.mark.heavy
@pytest.mark.parametrize("suite", SUITES)
def test_a_model_that_stopped(suite: str, tmp_path: Path) -> None:
    options = (*SUITES[suite], "--limit", "6", "--out", "out")
    models = ("--model", "vllm/gone", "--base-url", "http://127.0.0.1:9/v1")
    assert counterfoil("run", suite, *models, *options, cwd=tmp_path).returncode == 1
    run = cf.Run(tmp_path / "out")
    sentences = [*warnings_of(run), *headline_of(run, suite_to_show(run))]
    check(sentences)
    text = " ".join(sentences)
    assert not any(words in text for words in CLAIMS)
    assert "none of 6 questions" in text
    assert "can't be told" in text or "not defined" in text


def test_an_import_that_lacks_replies_says_how_many(tmp_path: Path) -> None:
    line = {"question_id": "en-001", "model": "m", "variant": "v", "reply": "Sicily"}
    (tmp_path / "r.jsonl").write_text(json.dumps(line), encoding="utf-8")
    done = counterfoil("score", "explain", "--from", "jsonl", "r.jsonl", "--out", "s", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    said = "There are replies of m, v, to 1 of 154 questions of english: its figures speak for these alone."
    assert done.stdout.startswith(said)
    assert said in (tmp_path / "s" / "report.html").read_text(encoding="utf-8")
    run = cf.Run(tmp_path / "s")
    data = run.manifest["data"]
    assert (data["questions"], data["asked"], data["answered"]) == (154, 1, 1)
    assert all("replies to 1 of 154 questions" in str(it.note) for it in run.estimates if it.model == "m")


def test_orders_are_no_questions(tmp_path: Path) -> None:
    """Two of the three orders of one question: 1 of 1,056 questions, 2 of 1,056 x 3 = 3,168."""
    whole = cf.run(
        "bias", data="english", model="planted/bias", limit=4, out=str(tmp_path / "whole"), ledger=str(tmp_path / "l")
    )
    assert data_sentence(whole.manifest) == "english: replies to 4 of 4 questions that were chosen of 1,056"
    rows = whole.records.filter(question_id=whole.records["question_id"][0]).head(2).to_dicts()
    lines = [{"question_id": f"{it['question_id']}-{it['order']}", "model": "m", "reply": "A"} for it in rows]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    arguments = ("score", "bias", "--from", "jsonl", "r.jsonl", "--data", "english", "--out", "s")
    done = counterfoil(*arguments, cwd=tmp_path)
    assert "to 1 of 1,056 questions, 2 of 3,168 with orders and draws of english" in done.stdout


def test_what_is_not_defined_is_never_left_out_or_generalized() -> None:
    some = [estimate("x", 0.5, 0.4, 0.6, model="a"), estimate("x", 0.5, 0.3, 0.7, model="b")]
    gone = estimate("x", None, note="no values", model="c")
    assert extremes("X", some) == ["X is 0.500 for every model and prompt. The widest interval is [0.300, 0.700]."]
    assert extremes("X", [*some, gone]) == [
        "X is 0.500 for a and b. The widest interval is [0.300, 0.700]. For c it is not defined (no values)."
    ]
    assert sides("x", [gone], "up", "down") == [
        "On which side of 0 x lies can't be told for c: there is no value (no values)."
    ]


def test_rounding_is_no_figure() -> None:
    assert (cell(-4.626e-18), cell(0.0), cell(0.0004)) == ("0.000", "0.000", "0.0004")
