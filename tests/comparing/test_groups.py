"""A model against itself in groups of questions: languages, in pairs where the questions are parallel."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import counterfoil as cf
from bbq_rows import bbq_row
from counterfoil.errors import UserError

pytestmark = pytest.mark.heavy
LANGUAGES = ("en", "es", "nl")


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def rows() -> list[dict[str, Any]]:
    """A question of each of 12 templates, which leaves the answer open."""
    return [bbq_row(number, question_index=str(number)) for number in range(12)]


def scored(said: dict[str, list[str]], language_of_file: dict[str, str]) -> cf.Run:
    """The replies to each question, by language."""
    lines = []
    for code, replies in said.items():
        Path(language_of_file[code]).write_text("\n".join(map(json.dumps, rows())), encoding="utf-8")
        for number, reply in enumerate(replies):
            name = f"mbbq-Age-{number}-{code}-0"
            lines.append({"question_id": name, "model": "m", "variant": "v", "reply": reply})
    Path("said.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return cf.score("bias", "said.jsonl", format="jsonl", data=list(language_of_file.values()), orders=1, out="run")


def test_parallel_questions_are_paired() -> None:
    # The first order shows Ed, Unknown, Al. In English always unknown, in Spanish always Ed, who is old; in Dutch once.
    said = {"en": ["B"] * 12, "es": ["A"] * 12, "nl": ["A", *["B"] * 11]}
    run = scored(said, {code: f"Age_{code}.jsonl" for code in LANGUAGES})
    comparison = cf.compare(run, by="language")
    assert [(it.a, it.b, it.both, it.compared) for it in comparison.alignment] == [
        ("en", "es", 12, 12),
        ("en", "nl", 12, 12),
        ("es", "nl", 12, 12),
    ]
    assert comparison.alignment[0].outcomes_b == {"answered": 12}
    overall = {(it.a, it.b, it.metric): it for it in comparison.rows if not it.group}
    there = overall["en", "es", "diff_bias_ambiguous"]
    assert (there.value_a, there.value_b, there.pairs, there.told_apart) == (0.0, 1.0, 12, True)
    near = overall["en", "nl", "diff_bias_ambiguous"]
    assert near.difference == pytest.approx(1 / 12)
    assert not near.told_apart
    assert overall["en", "nl", "mbbq_bias_a"].same_as == "diff_bias_ambiguous"
    assert not any("language" in it.group for it in comparison.rows)


def test_other_questions_are_groups_and_that_is_said() -> None:
    Path("Age_es.jsonl").write_text("\n".join(map(json.dumps, rows())), encoding="utf-8")
    data = ["Age_es.jsonl", "english"]
    run = cf.run("bias", data=data, model="planted/bias?unknown=0.5", variant="1", out="mixed")
    comparison = cf.compare(run, by="language")
    [aligned] = comparison.alignment
    assert (aligned.a, aligned.b, aligned.both, aligned.unpaired) == ("en", "es", 0, [])
    assert aligned.only_b == 36
    assert any("no parallel questions: they are compared as groups, unpaired" in it for it in aligned.caveats)
    [figure] = [it for it in comparison.rows if it.metric == "accuracy_ambiguous" and not it.group]
    values = {
        it.group["language"]: it.value
        for it in run.estimates
        if it.metric == "accuracy_ambiguous" and list(it.group) == ["language"]
    }
    assert (figure.value_a, figure.value_b, figure.pairs) == (values["en"], values["es"], 0)
    assert figure.low is not None
    assert figure.p is not None


def test_runs_of_one_language_each_are_compared_by_it() -> None:
    runs = [
        cf.run("bias", data=data, model="planted/bias", variant="1", limit=48, out=data)
        for data in ("korean", "english")
    ]
    comparison = cf.compare(*runs, by="language")
    assert [(it.a, it.b) for it in comparison.alignment] == [("ko", "en")]
    with pytest.raises(UserError, match="--by language: there is nothing to compare, only ko"):
        cf.compare(runs[0], by="language")
    with pytest.raises(UserError, match=r"--by langage \(did you mean language\?\): there are category"):
        cf.compare(runs[0], by="langage")
    with pytest.raises(UserError, match="leave --a and --b out"):
        cf.compare(*runs, by="language", a="1")


def test_several_datasets_are_for_bias_alone() -> None:
    with pytest.raises(UserError, match="explain takes one dataset: name --data once"):
        cf.run("explain", data=["a.json", "b.json"], model="planted/explain", out="x")
