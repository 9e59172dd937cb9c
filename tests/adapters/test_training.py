"""Runs as training data: what is chosen, what is rejected, what is held out."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import counterfoil as cf
from counterfoil.adapters.training.examples import Kind
from counterfoil.adapters.training.export import Wanted, export_training
from counterfoil.bias.sources.loading import load_questions as load_bias
from counterfoil.bias.suite import suite as bias
from counterfoil.errors import UserError
from counterfoil.explain.questions import load_questions as load_explain
from counterfoil.perturbing.questions import read_set
from counterfoil.running.folder import Run
from counterfoil.suite.finding import load_suite
from run_folders import make_run, record

pytestmark = pytest.mark.heavy

FILES = ["train.jsonl", "test.jsonl", "held_out.jsonl", "README.md"]
SCHEMA = {"correct": pl.Boolean, "score_threshold": pl.Float64, "score_confusion_index": pl.Float64}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def export(run: Run, kind: Kind, **wanted: Any) -> dict[str, list[dict[str, Any]]]:
    """The rows of all three files by name."""
    written = export_training(run, Path("out"), kind, Wanted(**wanted))
    assert written == [Path("out") / name for name in FILES]
    return {path.stem: [json.loads(line) for line in path.read_text().splitlines()] for path in written[:3]}


def explain_run(replies: list[dict[str, Any]], questions: int = 10, **manifest: Any) -> Run:
    """A run made by hand: each of these replies to each of the questions, under `baseline`."""
    rows = [
        {"id": f"q{number}", "question": f"Question {number}?", "answer": "right", "candidates": {"wrong": 60}}
        for number in range(questions)
    ]
    content = "".join(json.dumps(row) + "\n" for row in rows)
    Path("mine.jsonl").write_text(content)
    records = [
        record(question_id=row["id"], cluster=row["id"], variant="baseline", **reply)
        for row in rows
        for reply in replies
    ]
    sha256 = hashlib.sha256(content.encode()).hexdigest()
    about = {"name": "mine.jsonl", "given": "mine.jsonl", "sha256": sha256}
    return make_run(Path("run"), records, suite="explain", schema=SCHEMA, data=about, **manifest)


def reply(text: str, score: float | None, *, correct: bool = True, **more: Any) -> dict[str, Any]:
    return {"reply": text, "correct": correct, "score_threshold": score, "score_confusion_index": score} | more


# To be learnt from: the first, once. The others have another reason each why not.
REPLIES = [
    reply("good", 0.9),
    reply(" good\n", 0.9, model="other", repeat=1),
    reply("well said, but wrong", 0.9, correct=False),
    reply("so so", 0.5),
    reply("bad", 0.1),
    reply("cut o", 0.9, outcome="truncated"),
    reply("  ", 0.9, repeat=2),
    reply("not judged", None),
]


def test_good_replies_are_learnt_from_once() -> None:
    files = export(explain_run(REPLIES), "sft")
    # Ten questions, a fifth of them held out, one good text each.
    assert [len(rows) for rows in files.values()] == [8, 2, 2]
    system = load_suite("explain").variants(["baseline"], None)[0].prompt
    for row in files["train"] + files["test"]:
        number = row["question_id"][1:]
        assert row == {
            "prompt": [{"role": "system", "content": system}, {"role": "user", "content": f"Question {number}?"}],
            "completion": [{"role": "assistant", "content": "good"}],
            "question_id": f"q{number}",
            "variant": "baseline",
            "model": "m",
            "score": 0.9,
        }
    assert {row["question_id"] for row in files["test"]} == {row["id"] for row in files["held_out"]}


def test_thresholds_move_what_is_learnt() -> None:
    run = explain_run(REPLIES)
    texts = Counter(row["completion"][0]["content"] for row in export(run, "sft", min_score=0.5)["train"])
    assert texts == {"good": 8, "so so": 8}
    with pytest.raises(UserError, match=r"No reply to a question for training has a score_threshold of at least 0.95"):
        export(run, "sft", min_score=0.95)


def test_another_labelling_is_another_score() -> None:
    run = explain_run(
        [reply("a", 0.9) | {"score_confusion_index": 0.1}, reply("b", 0.1) | {"score_confusion_index": 1.0}]
    )
    assert {row["completion"][0]["content"] for row in export(run, "sft")["train"]} == {"a"}
    assert {row["completion"][0]["content"] for row in export(run, "sft", score="score_confusion_index")["train"]} == {
        "b"
    }
    with pytest.raises(UserError, match=r"no score reward. There are: score_threshold, score_confusion_index"):
        export(run, "sft", score="reward")


def test_the_best_is_paired_with_the_worst() -> None:
    second = [reply("better", 0.95), reply("worst", 0.05), reply("good again", 0.9)]
    files = export(explain_run([*REPLIES, *second]), "dpo")
    pairs: dict[str, list[tuple[Any, ...]]] = {}
    for row in files["train"]:
        assert row["prompt"][-1] == {"role": "user", "content": f"Question {row['question_id'][1:]}?"}
        [chosen], [rejected] = row["chosen"], row["rejected"]
        assert chosen["role"] == rejected["role"] == "assistant"
        about = row["score_chosen"], row["score_rejected"], row["model_chosen"], row["model_rejected"]
        pairs.setdefault(row["question_id"], []).append((chosen["content"], rejected["content"], *about))
    assert len(pairs) == 8
    for of_question in pairs.values():
        # Good are better (0.95), good and good again (0.9); bad the wrong one (0), worst (0.05) and bad (0.1).
        assert of_question[0] == ("better", "well said, but wrong", 0.95, 0.0, "m", "m")
        assert [pair[1:4] for pair in of_question[1:]] == [("worst", 0.9, 0.05), ("bad", 0.9, 0.1)]
        assert {pair[0] for pair in of_question[1:]} == {"good", "good again"}


def test_pairs_need_both_kinds_and_thresholds_apart() -> None:
    run = explain_run([reply("good", 0.9), reply("so so", 0.5)])
    with pytest.raises(UserError, match="No question for training has both"):
        export(run, "dpo")
    # What is so so is bad enough now.
    assert len(export(run, "dpo", max_score=0.55)["train"]) == 8
    with pytest.raises(UserError, match="make --max-score smaller than --min-score"):
        export(run, "dpo", min_score=0.5, max_score=0.5)


def test_words_that_score_now_so_now_so_are_neither() -> None:
    run = explain_run([reply("now so", 0.9), reply("now so", 0.1, repeat=1), reply("good", 0.7), reply("bad", 0.2)])
    assert {row["completion"][0]["content"] for row in export(run, "sft")["train"]} == {"good"}
    [pair] = {(row["chosen"][0]["content"], row["rejected"][0]["content"]) for row in export(run, "dpo")["train"]}
    assert pair == ("good", "bad")


def test_the_same_words_are_on_one_side() -> None:
    run = explain_run([reply("good", 0.9)], questions=40)
    text = Path("mine.jsonl").read_text()
    # Twenty questions have the words of another one, but for capitals and spaces.
    for number in range(20):
        text = text.replace(f'"Question {number + 20}?"', f'"question  {number}?"')
    Path("mine.jsonl").write_text(text)
    manifest = json.loads(Path("run/manifest.json").read_text())
    manifest["data"]["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    Path("run/manifest.json").write_text(json.dumps(manifest))
    for seed in range(5):
        held = {int(row["id"][1:]) for row in export(run, "sft", seed=seed)["held_out"]}
        assert len(held) == 8
        assert all((number < 20 and number + 20 in held) or number - 20 in held for number in held)


def test_the_split_is_the_same_for_every_run_and_kind() -> None:
    whole = cf.run("bias", data="english", model="planted/bias", repeats=3, out="whole")
    some = cf.run("bias", data="english", model="planted/bias", repeats=3, limit=100, out="some")
    held = {row["sample_id"] for row in export(whole, "sft", seed=3)["held_out"]}
    assert {row["sample_id"] for row in export(whole, "dpo", seed=3)["held_out"]} == held
    of_some = {row["sample_id"] for row in export(some, "sft", seed=3)["held_out"]}
    asked = set(some.records["question_id"])
    assert of_some == held & asked


@pytest.mark.parametrize(
    ("suite", "options"),
    [
        ("explain", {"model": "planted/explain?right=0.7", "variant": ["baseline", "cfe"], "repeats": 3}),
        ("bias", {"model": ["planted/bias?unread=0.1", "planted/bias?unknown=0.2"], "variant": ["1", "2-debiased"]}),
        ("bias", {"model": "planted/bias", "data": "english", "repeats": 2}),
        ("memorization", {"model": "planted/memorization", "draws": 2, "variant": ["mcq", "open"]}),
    ],
)
def test_nothing_of_a_test_question_is_in_the_training_data(suite: str, options: dict[str, Any]) -> None:
    run = cf.run(suite, out="run", **options)
    clusters = dict(run.records.select("question_id", "cluster").iter_rows())
    for kind in ("sft", "dpo"):
        files = export(run, kind, test_share=0.3)
        train, test = files["train"], files["test"]
        assert len(train) > len(test) > 0

        def prompts(rows: list[dict[str, Any]]) -> set[str]:
            return {json.dumps(row["prompt"]) for row in rows}

        def of(rows: list[dict[str, Any]]) -> set[str]:
            return {clusters[row["question_id"]] for row in rows}

        assert not prompts(train) & prompts(test)
        assert not of(train) & of(test)
        held = {str(row.get("id", row.get("sample_id"))) for row in files["held_out"]}
        assert {row["question_id"] for row in test} <= held
        assert not {row["question_id"] for row in train} & held
        for row in train + test:
            # TRL's conversational formats: lists of messages, the prompt ends with what the user says.
            said = ("completion",) if kind == "sft" else ("chosen", "rejected")
            for name in ("prompt", *said):
                assert all(set(message) == {"role", "content"} for message in row[name])
            assert row["prompt"][-1]["role"] == "user"
            assert all([message["role"] for message in row[name]] == ["assistant"] for name in said)
            if kind == "dpo":
                assert row["chosen"] != row["rejected"]
                assert row["score_chosen"] > row["score_rejected"]
        every = [json.dumps([row["prompt"], row.get("completion"), row.get("chosen")]) for row in train + test]
        assert len(set(every)) == len(every)


def test_right_and_wrong_replies_of_bias() -> None:
    """The right letter is chosen, and what could not be read is rejected as a wrong letter is."""
    run = cf.run("bias", model="planted/bias?unread=0.5&unknown=0.5", variant="1", repeats=6, out="run")
    [variant] = load_suite("bias").variants(["1"], load_bias("korean"))
    right = {bias.messages(it, variant)[0].content: "ABC"[it.shown.index(it.right)] for it in load_bias("korean")}
    rejected: Counter[str] = Counter()
    for row in export(run, "dpo")["train"]:
        assert row["chosen"][0]["content"] == right[row["prompt"][0]["content"]]
        rejected[row["rejected"][0]["content"]] += 1
    assert set(rejected) == {"A", "B", "C", "…"}


def test_held_out_questions_can_be_asked_again() -> None:
    run = cf.run("explain", model="planted/explain", variant="cfe", out="e")
    export(run, "sft")
    held = list(load_explain("out/held_out.jsonl"))
    known = {question.id: question for question in load_explain("english")}
    # 154 questions, of which 31 are nearest to a fifth.
    assert len(held) == 31
    assert all(known[question.id] == question for question in held)
    again = cf.run("explain", data="out/held_out.jsonl", model="planted/explain", variant="cfe", out="e2")
    assert set(again.records["question_id"]) == {question.id for question in held}


@pytest.mark.parametrize("data", ["korean", "english"])
def test_held_out_questions_of_bias_are_what_they_were(data: str) -> None:
    run = cf.run("bias", data=data, model="planted/bias", out="run")
    export(run, "sft")
    asked = load_bias(data)
    held = load_bias("out/held_out.jsonl")
    known = {question.id: question for question in asked}
    assert held.language == asked.language == {"korean": "ko", "english": "en"}[data]
    assert all(known[question.id] == question for question in held)
    # A template has 16 questions in three orders; nearest to a fifth of 72 and of 66 templates are 14 and 13.
    assert len(list(held)) == {"korean": 14, "english": 13}[data] * 16 * 3


def test_held_out_questions_of_memorization_have_their_draws() -> None:
    run = cf.run("memorization", model="planted/memorization", limit=30, draws=2, out="run")
    files = export(run, "sft")
    held = {question.id: question for question in read_set(Path("out/held_out.jsonl"))}
    asked = {question.id: question for question in read_set(Path("run/set.jsonl"))}
    assert all(asked[name] == question for name, question in held.items())
    parents = {question.unit for question in held.values()}
    in_run = run.records.filter(pl.col("parent").is_in(list(parents)))
    assert set(in_run["question_id"]) == set(held)
    trained = {row["question_id"] for row in files["train"]}
    assert not {asked[name].unit for name in trained} & parents


def test_what_is_in_doubt_is_not_learnt() -> None:
    run = cf.run("memorization", model="planted/memorization", draws=1, out="run")
    records = run.records
    doubtful = records["question_id"].unique().sort()[::2].to_list()
    changed = records.with_columns(
        status=pl.when(pl.col("question_id").is_in(doubtful)).then(pl.lit("unverified")).otherwise("status")
    )
    changed.write_parquet("run/records.parquet")
    Path("run/set.jsonl").write_bytes(
        b"".join(
            line.replace(b'"status":"verified"', b'"status":"unverified"')
            if json.loads(line)["id"] in doubtful
            else line
            for line in Path("run/set.jsonl").read_bytes().splitlines(keepends=True)
        )
    )
    manifest = json.loads(Path("run/manifest.json").read_text())
    manifest["data"]["sha256"] = hashlib.sha256(Path("run/set.jsonl").read_bytes()).hexdigest()
    Path("run/manifest.json").write_text(json.dumps(manifest))
    files = export(run, "sft")
    assert files["train"]
    assert not {row["question_id"] for row in files["train"] + files["test"]} & set(doubtful)
    assert f"{len(doubtful):,} without a score" in Path("out/README.md").read_text()


def test_replies_from_elsewhere_are_exported_too() -> None:
    """Imports have no key in the ledger; under a wording of their own, its file is named."""
    questions = list(load_explain("english"))
    lines = [
        {"question_id": it.id, "model": "theirs", "variant": variant, "reply": f"It is {it.gold}."}
        for it in questions
        for variant in ("baseline", "house")
    ]
    Path("r.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    run = cf.score("explain", "r.jsonl", out="run")
    with pytest.raises(UserError, match=r"variant house does not ship with counterfoil: name its file"):
        export(run, "sft")
    plain = {it.id for it in questions if it.stratum == "plain"}
    rows = export(run, "sft", variants=["baseline"])
    # The right answer alone clears nothing up: it is perfect on plain questions, and nothing on the others.
    assert {row["question_id"] for row in rows["train"] + rows["test"]} == plain
    Path("house.txt").write_text("Be brief.")
    rows = export(run, "sft", variants=["house.txt", "baseline"])
    assert Counter(row["variant"] for row in rows["train"] + rows["test"]) == {
        "house": len(plain),
        "baseline": len(plain),
    }
    assert {row["prompt"][0]["content"] for row in rows["train"] if row["variant"] == "house"} == {"Be brief."}


def test_other_questions_than_those_asked_are_refused() -> None:
    run = explain_run(REPLIES)
    Path("mine.jsonl").rename("moved.jsonl")
    with pytest.raises(UserError, match=r"mine.jsonl\) can't be loaded: name them with --data"):
        export(run, "sft")
    assert len(export(run, "sft", data="moved.jsonl")["train"]) == 8
    Path("moved.jsonl").write_text(Path("moved.jsonl").read_text().replace("Question 3?", "Question three?"))
    with pytest.raises(UserError, match=r"moved.jsonl is not what the run was asked from"):
        export(run, "sft", data="moved.jsonl")


def test_what_can_not_be_learnt_from_is_said_and_nothing_is_written() -> None:
    run = cf.run("bias", model="planted/bias?unknown=0&aligned=0&conflicting=0", variant="1", limit=30, out="run")
    with pytest.raises(UserError, match="at least 1: lower --min-score"):
        export_training(run, Path("none"), "sft", Wanted())
    with pytest.raises(UserError, match="No question for training has both"):
        export_training(run, Path("none"), "dpo", Wanted())
    one = cf.run("bias", model="planted/bias", variant="1", limit=1, out="one")
    with pytest.raises(UserError, match="take another --seed or --test-share"):
        export_training(one, Path("none"), "sft", Wanted())
    manifest = json.loads(Path("run/manifest.json").read_text())
    manifest["options"]["by"] = "logprob"
    Path("run/manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(UserError, match="log probabilities"):
        export_training(run, Path("none"), "sft", Wanted())
    other = cf.run("three_choice:suite", model="planted/three_choice:suite", limit=5, out="other")
    manifest = json.loads(Path("other/manifest.json").read_text()) | {"suite": "three_choice:suite"}
    Path("other/manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(UserError, match="does not say which of its replies are good"):
        export_training(other, Path("none"), "sft", Wanted())
    assert not Path("none").exists()


def test_an_empty_test_file_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    run = explain_run([reply("good", 0.9)])
    held = {row["id"] for row in export(run, "sft")["held_out"]}
    records = run.records.with_columns(
        score_threshold=pl.when(pl.col("question_id").is_in(list(held))).then(0.0).otherwise("score_threshold")
    )
    records.write_parquet("run/records.parquet")
    capsys.readouterr()
    files = export(run, "sft")
    assert (len(files["train"]), files["test"], len(files["held_out"])) == (8, [], 2)
    assert "test.jsonl is empty" in capsys.readouterr().err


def test_replies_that_were_cut_off_are_left_out_where_the_ledger_tells(capsys: pytest.CaptureFixture[str]) -> None:
    run = cf.run("bias", model="planted/bias", variant="1", orders=1, out="run")
    before = export(run, "sft")
    number = len(before["train"]) + len(before["test"])
    assert "is not known" not in capsys.readouterr().err
    with sqlite3.connect(".counterfoil/ledger.sqlite") as ledger:
        ledger.execute("UPDATE replies SET status = 'truncated', check_sum = NULL WHERE text = 'A'")
    ledger.close()
    texts = Counter(row["completion"][0]["content"] for row in before["train"] + before["test"])
    after = export(run, "sft")
    assert len(after["train"]) + len(after["test"]) == number - texts["A"]
    assert {row["completion"][0]["content"] for row in after["train"]} == {"B", "C"}
    capsys.readouterr()
    # Without the ledger nobody knows, and that is said: 1,152 questions in one order.
    assert export(run, "sft", ledger="elsewhere.sqlite") == before
    assert "1,152 of the run's replies are not in elsewhere.sqlite" in capsys.readouterr().err
    assert not Path("elsewhere.sqlite").exists()


def test_the_card_tells_where_it_comes_from() -> None:
    export(explain_run([*REPLIES, reply("good too", 0.8, model="a|b\n`c`")]), "dpo", test_share=0.3, seed=5)
    text = Path("out/README.md").read_text()
    assert text.startswith("---\nconfigs:\n")
    assert hashlib.sha256(Path("run/manifest.json").read_bytes()).hexdigest() in text
    assert hashlib.sha256(Path("mine.jsonl").read_bytes()).hexdigest() in text
    # Two good texts and two bad ones for each of ten questions, three of them held out.
    assert "| training | 7 | 7 | 7 | 14 |\n| test | 3 | 3 | 3 | 6 |" in text
    assert "| `m` | 10 | 20 |" in text
    assert "| `a\\|b 'c'` | 10 | 0 |" in text
    assert "chosen replies have a `score_threshold` of at least 0.6, rejected ones of at most 0.3" in text
    assert "0.3 of the questions held out, seed 5" in text
    # Nine replies to each question; of these, one was cut off, one is empty, one has no score.
    assert "Of 90 replies, 60 were considered; left out: 10 empty, 10 truncated, 10 without a score." in text
    assert "whose licence is for you to find out" in text
    assert "counterfoil run explain --data held_out.jsonl --variant baseline --model MODEL" in text


def test_the_card_knows_the_licence_of_what_ships() -> None:
    run = cf.run("bias", model="planted/bias", variant="1", limit=60, out="run")
    export(run, "sft")
    assert "questions of `korean`: Apache-2.0." in Path("out/README.md").read_text()
