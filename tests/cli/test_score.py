"""Scoring replies from elsewhere: whose they are, where the file is silent."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import counterfoil as cf
from commands import SUITE, counterfoil
from counterfoil.bias.sources.loading import load_questions as bias_questions
from counterfoil.explain.questions import load_questions as explain_questions
from counterfoil.memorization.options import OPTIONS
from counterfoil.memorization.questions import load_set
from counterfoil.suite.options import with_defaults

pytestmark = pytest.mark.heavy


def _first(suite: str) -> str:
    """The id of a suite's first question, with the order where its choices have orders."""
    questions: dict[str, Any] = {
        "bias": lambda: bias_questions(None, 3, None),
        "explain": lambda: explain_questions(None),
        "memorization": lambda: load_set(None, with_defaults(OPTIONS, {})),
    }
    return str(next(iter(questions[suite]())).id)


@pytest.mark.parametrize("suite", ["bias", "explain", "memorization"])
def test_a_silent_file_is_of_the_model_that_the_user_names(suite: str, tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    file.write_text(json.dumps({"question_id": _first(suite), "reply": "A"}), encoding="utf-8")
    run = cf.score(suite, file, model="somebody/9b", out=tmp_path / "o", ledger=tmp_path / "l.sqlite")
    assert run.records["model"].to_list() == ["somebody/9b"]


def test_what_the_file_says_goes_before_what_the_user_says(tmp_path: Path) -> None:
    lines = [{"question_id": "q0", "reply": "A"}, {"question_id": "q1", "reply": "A", "model": "in-the-file"}]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    arguments = ("score", SUITE, "--from", "jsonl", "r.jsonl", "--data", "5", "--out", "o")
    done = counterfoil(*arguments, "--model", "named", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert cf.Run(tmp_path / "o").records["model"].to_list() == ["named", "in-the-file"]
    silent = counterfoil(*arguments, "--out", "p", cwd=tmp_path)
    assert silent.returncode == 2
    assert silent.stderr == (
        "counterfoil: r.jsonl, line 1: it does not say whose reply it is: name the model with --model.\n"
    )
    assert not (tmp_path / "p").exists()


def test_a_table_of_cfe_without_a_model_column(tmp_path: Path) -> None:
    file = tmp_path / "responses.csv"
    with file.open("w", newline="", encoding="utf-8") as table:
        writer = csv.writer(table)
        writer.writerow(["id", "prompt_variant", "llm_response"])
        writer.writerow([_first("explain"), "baseline", "An answer."])
    places = {"out": tmp_path / "o", "ledger": tmp_path / "l.sqlite"}
    with pytest.raises(cf.UserError, match="name the model with --model"):
        cf.score("explain", file, format="cfe", **places)
    run = cf.score("explain", file, format="cfe", model="named", **places)
    assert run.records["model"].to_list() == ["named"]
