"""Curation: each step with its file, stopped and gone on with, and nothing asked twice."""

from __future__ import annotations

import json
import signal
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from commands import counterfoil, ended, start, wait_for_line
from counterfoil import targets
from counterfoil.asking.models.base import ModelSpec
from counterfoil.datasets.curation import Manifest, read_manifest
from counterfoil.datasets.judged import JudgeSettings
from counterfoil.errors import UserError
from counterfoil.explain.curate import CurateRequest, curate, freeze
from counterfoil.explain.questions import load_questions
from mock_server import Answer, MockServer, completion, error, held
from waiting import wait_until

CORRECT, CLEAR = "Reason: It is so.\nVerdict: correct", "Reason: One answer.\nVerdict: clear"
QUESTIONS_88 = Path(__file__).parents[3] / "shared" / "data" / "cfe" / "questions_88.json"


def dataset(folder: Path, count: int = 40) -> str:
    """Questions of which every second is confusing, with two kinds of scores."""
    rows = [
        {
            "id": f"q{i:02}",
            "question": f"What is number {i:02}?",
            "answer": f"=gold {i}",
            "aliases": ["other"] if i == 0 else [],
            "candidates": {
                "first": {"listwise": 80 if i % 2 else 20, "plackett_luce": 100.0},
                "second": {"listwise": 10, "plackett_luce": 12.5},
            },
        }
        for i in range(count)
    ]
    path = folder / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def replay(folder: Path, *lines: dict[str, Any]) -> JudgeSettings:
    path = folder / "judge.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return JudgeSettings(
        spec=ModelSpec(name=f"replay/{path}", params={"temperature": 0.0}), ledger=folder / "ledger.sqlite"
    )


def ready_judge(folder: Path) -> JudgeSettings:
    """Says that numbers below 10 are wrong, and from 30 on ambiguous; fails at 21."""
    return replay(
        folder,
        {"when": ["fact checker", "number 0"], "text": '{"verdict": "incorrect", "reason": "No."}'},
        {"when": ["fact checker", "number 21"], "text": "I can't help.", "status": "refused"},
        {"when": ["fact checker"], "text": CORRECT},
        {"when": ["question evaluator", "number 3"], "text": "Reason: Two.\nVerdict: ambiguous"},
        {"when": ["question evaluator"], "text": CLEAR},
    )


def run(request: CurateRequest) -> Manifest:
    return curate(request, lambda sentence: None)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def steps(manifest: Manifest) -> dict[str, tuple[int, int]]:
    return {step.step: (step.taken, step.left) for step in manifest.steps}


def decide(path: Path, decision: str = "yes,") -> None:
    """Fill in the list as a spreadsheet would."""
    text = path.read_text(encoding="utf-8-sig")
    path.write_text(text.replace(",,\n", f",{decision}\n"), encoding="utf-8-sig")


def test_all_steps_with_their_files_and_the_manifest(tmp_path: Path) -> None:
    out = tmp_path / "out"
    judge = ready_judge(tmp_path)
    request = CurateRequest(data=dataset(tmp_path), out=out, sample=36, keep=8, judge=judge, check_ambiguity=True)
    manifest = run(request)
    sample = rows(out / "1-sample.jsonl")
    assert len(sample) == 36
    assert sum(row["candidates"]["first"]["listwise"] == 80 for row in sample) == 18, "as many confusing ones as in all"
    numbers = [int(row["id"][1:]) for row in sample]
    verified = {row["id"]: row for row in rows(out / "2-verified.jsonl")}
    assert len(verified) == 36
    right = next(f"q{number}" for number in numbers if number > 21)
    assert verified[right]["verdict"] == "correct"
    assert verified[right]["reason"] == "It is so."
    assert {row["verdict"] for name, row in verified.items() if name < "q10"} == {"incorrect"}
    assert verified["q21"]["verdict"] == "failed"
    assert verified["q21"]["reason"] == "refused"
    correct = [n for n in numbers if n >= 10 and n != 21]
    clear = [n for n in correct if n < 30]
    unambiguous = rows(out / "3-unambiguous.jsonl")
    assert [int(row["id"][1:]) for row in unambiguous] == correct
    assert {row["ambiguity"] for row in unambiguous if row["id"] >= "q30"} == {"ambiguous"}
    assert steps(manifest) == {
        "sample": (40, 36),
        "verify": (36, len(correct)),
        "ambiguity": (len(correct), len(clear)),
        "review": (len(clear), 8),
    }
    assert manifest.left_open == {"failed": 1}
    assert manifest.judge is not None
    assert manifest.judge["name"] == judge.spec.name
    review = (out / "4-review.csv").read_text(encoding="utf-8-sig").splitlines()
    assert review[0] == "id,question,answer,candidates,verdicts,keep,reason"
    assert review[1].endswith(",correct: It is so. | clear: One answer.,,")
    assert ",'=gold " in review[1]

    with pytest.raises(UserError, match=r"8 of the 8 questions .* are undecided"):
        freeze(out)
    text = (out / "4-review.csv").read_text(encoding="utf-8-sig")
    first, *others = text.splitlines()[1:]
    decided = [review[0], first[:-1] + "no,two answers", *(row[:-1] + "yes," for row in others)]
    (out / "4-review.csv").write_text("\n".join(decided), encoding="utf-8")
    frozen = freeze(out)
    assert steps(frozen)["freeze"] == (8, 7)
    kept = load_questions(str(out / "dataset.jsonl"))
    assert sum(1 for _ in kept) == 7
    record = frozen.step("freeze")
    assert record is not None
    assert record.counts == {"two answers": 1}
    assert record.sha256 == kept.sha256
    source = {question.id: question for question in load_questions(request.data)}
    assert all(question == source[question.id] for question in kept)
    other_scores = {question.id: question for question in load_questions(request.data, "plackett_luce")}
    assert all(q == other_scores[q.id] for q in load_questions(str(out / "dataset.jsonl"), "plackett_luce"))
    written = msgspec.json.decode((out / "curation.json").read_bytes(), type=Manifest)
    assert written == frozen
    assert written.data.sha256 == load_questions(request.data).sha256


def test_a_second_call_asks_nothing_and_changes_nothing(tmp_path: Path) -> None:
    out, judge = tmp_path / "out", ready_judge(tmp_path)
    request = CurateRequest(data=dataset(tmp_path), out=out, sample=36, keep=8, judge=judge, check_ambiguity=True)
    first = run(request)
    files = {path.name: path.read_bytes() for path in out.iterdir() if path.name not in ("curation.json", targets.LIST)}
    second = run(request)
    assert {
        path.name: path.read_bytes() for path in out.iterdir() if path.name not in ("curation.json", targets.LIST)
    } == files
    assert second.steps == first.steps
    assert first.judge is not None
    assert second.judge is not None
    assert (second.judge["asked"], second.judge["in_ledger"]) == (0, first.judge["asked"])


def test_without_a_judge_its_steps_are_skipped_and_the_manifest_says_so(tmp_path: Path) -> None:
    manifest = run(CurateRequest(data=dataset(tmp_path), out=tmp_path / "out", sample=20, keep=5))
    assert steps(manifest) == {"sample": (40, 20), "verify": (20, 20), "ambiguity": (20, 20), "review": (20, 5)}
    skipped = {step.step: step.skipped for step in manifest.steps if step.skipped}
    assert skipped == {"verify": "no judge was named", "ambiguity": "no judge was named"}
    assert manifest.judge is None
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"1-sample.jsonl", "4-review.csv", "curation.json", ".lock", targets.LIST}


def test_the_seed_decides_the_sample_and_other_settings_start_again(tmp_path: Path) -> None:
    data, out = dataset(tmp_path), tmp_path / "out"
    run(CurateRequest(data=data, out=out, sample=20, keep=5, judge=ready_judge(tmp_path)))
    first = (out / "1-sample.jsonl").read_bytes()
    assert (out / "2-verified.jsonl").exists()
    manifest = run(CurateRequest(data=data, out=out, sample=20, keep=5, seed=1))
    assert (out / "1-sample.jsonl").read_bytes() != first
    assert not (out / "2-verified.jsonl").exists()
    assert manifest.settings["seed"] == 1
    run(CurateRequest(data=data, out=out, sample=20, keep=5))
    assert (out / "1-sample.jsonl").read_bytes() == first


def test_a_list_that_people_have_begun_is_never_overwritten(tmp_path: Path) -> None:
    data, out = dataset(tmp_path), tmp_path / "out"
    request = CurateRequest(data=data, out=out, sample=20, keep=5)
    run(request)
    path = out / "4-review.csv"
    decide(path)
    filled = path.read_bytes()
    run(request)
    for name, other in (
        ("seed", msgspec.structs.replace(request, seed=1)),
        ("judge", msgspec.structs.replace(request, judge=ready_judge(tmp_path))),
        ("data", msgspec.structs.replace(request, data="english")),
    ):
        with pytest.raises(UserError, match=f"has entries, and was made with another {name}: name another folder"):
            run(other)
    assert path.read_bytes() == filled
    (out / "curation.json").unlink()
    with pytest.raises(UserError, match="does not belong to a curation"):
        run(request)
    assert path.read_bytes() == filled


def test_a_judge_that_lets_nothing_through(tmp_path: Path) -> None:
    judge = replay(tmp_path, {"text": "Reason: No.\nVerdict: unsure"})
    with pytest.raises(UserError, match=r"let no question through: see .*2-verified\.jsonl"):
        run(CurateRequest(data=dataset(tmp_path), out=tmp_path / "out", judge=judge))


def test_answers_that_people_have_edited_are_frozen_so(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(CurateRequest(data=dataset(tmp_path), out=out, sample=20, keep=5))
    decide(out / "4-review.csv", "yes,")
    before = [json.loads(line) for line in (out / "1-sample.jsonl").read_text().splitlines()]
    manifest = read_manifest(out)
    assert manifest is not None
    listed = manifest.step("review")
    assert listed is not None
    edited, *others = listed.more["ids"]
    (out / "4-edits.json").write_text(json.dumps({edited: {"answer": "another", "aliases": ["one more"]}}))
    step = freeze(out).step("freeze")
    frozen = {row["id"]: row for row in map(json.loads, (out / "dataset.jsonl").read_text().splitlines())}
    assert (frozen[edited]["answer"], frozen[edited]["aliases"]) == ("another", ["one more"])
    assert {row["id"]: row["answer"] for row in before if row["id"] in others} == {
        name: frozen[name]["answer"] for name in others
    }
    assert step is not None
    assert step.more["edited"] == [edited]
    (out / "4-edits.json").write_text("[]")
    with pytest.raises(UserError, match=r"4-edits\.json can't be read"):
        freeze(out)


def test_what_can_not_be_frozen(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(UserError, match="holds no list to freeze"):
        freeze(out)
    assert not out.exists()
    run(CurateRequest(data=dataset(tmp_path), out=out, sample=20, keep=5))
    decide(out / "4-review.csv", "no,bad")
    with pytest.raises(UserError, match="nothing to freeze"):
        freeze(out)
    (out / "1-sample.jsonl").write_text("")
    with pytest.raises(UserError, match="is not what the list was drawn from"):
        freeze(out)
    (out / "curation.json").write_text("{")
    with pytest.raises(UserError, match=r"curation\.json can't be read"):
        freeze(out)


def test_a_failed_call_is_made_again_by_the_next_command_and_no_other(tmp_path: Path) -> None:
    data = dataset(tmp_path)
    broken = True

    def behave(request: dict[str, Any]) -> Answer:
        return error(400) if broken and "number 07" in request["messages"][-1]["content"] else completion(CORRECT)

    with MockServer(behave) as server:
        command = ("data", "curate", data, "--judge", "vllm/m", "--base-url", server.url, "--keep", "5", "--out", "out")
        first = counterfoil(*command, cwd=tmp_path)
        assert first.returncode == 1, first.stderr
        assert "1 judge calls failed" in first.stdout
        verdicts = {row["id"]: row["verdict"] for row in rows(tmp_path / "out" / "2-verified.jsonl")}
        assert verdicts.pop("q07") == "failed"
        assert set(verdicts.values()) == {"correct"}
        assert len(server.requests) == 40
        broken = False
        second = counterfoil(*command, cwd=tmp_path)
        assert second.returncode == 0, second.stderr
        assert len(server.requests) == 41
        assert {row["verdict"] for row in rows(tmp_path / "out" / "2-verified.jsonl")} == {"correct"}


def test_an_interrupted_command_goes_on_where_it_was(tmp_path: Path) -> None:
    data = dataset(tmp_path)
    stopping = threading.Event()

    def behave(request: dict[str, Any]) -> Answer:
        return completion(CORRECT) if len(server.requests) < 3 else held(stopping, CORRECT)

    with MockServer(behave) as server:
        command = ("data", "curate", data, "--judge", "vllm/m", "--base-url", server.url, "--out", "out")
        process = start(*command, "--concurrency", "1", cwd=tmp_path)
        wait_until(lambda: len(server.requests) == 3)
        process.send_signal(signal.SIGINT)
        wait_for_line(process, "Stopping: ")
        stopping.set()
        first = ended(process)
        assert first.returncode == 1, first.stderr
        assert len(server.requests) == 3
        assert "questions were not asked about: run the same command again" in first.stdout
        assert not (tmp_path / "out" / "4-review.csv").exists()
        verdicts = [row["verdict"] for row in rows(tmp_path / "out" / "2-verified.jsonl")]
        assert verdicts.count("correct") == len(server.requests)
        done = counterfoil(*command, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert len(server.requests) == 40, "each question once"
        assert (tmp_path / "out" / "4-review.csv").exists()


def test_a_budget_stops_it_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    data = dataset(tmp_path)
    (tmp_path / "prices.toml").write_text('["vllm/m"]\ninput = 1000\noutput = 1000\n')
    with MockServer(lambda request: completion(CORRECT)) as server:
        command = ("data", "curate", data, "--judge", "vllm/m", "--base-url", server.url, "--prices", "prices.toml")
        command += ("--concurrency", "1", "--out", "out")
        first = counterfoil(*command, "--max-cost", "1", cwd=tmp_path)
        assert first.returncode == 1
        assert "the budget of $1 is reached" in first.stderr
        sent = len(server.requests)
        assert 0 < sent < 40
        again = counterfoil(*command, "--max-cost", "1", cwd=tmp_path)
        assert (again.returncode, len(server.requests)) == (1, sent), "what is in the ledger was paid for"
        assert counterfoil(*command, "--max-cost", "100", cwd=tmp_path).returncode == 0
        assert len(server.requests) == 40


@pytest.mark.skipif(not QUESTIONS_88.exists(), reason="../shared/data/cfe is not here")
def test_all_kinds_of_scores_of_plausibleqa_survive(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(CurateRequest(data=str(QUESTIONS_88), out=out))
    decide(out / "4-review.csv")
    freeze(out)
    for kind in ("listwise", "bradley_terry", "plackett_luce"):
        assert list(load_questions(str(out / "dataset.jsonl"), kind)) == list(load_questions(str(QUESTIONS_88), kind))


@pytest.mark.heavy
def test_over_seeds_each_question_has_the_same_chance_in_both_samples(tmp_path: Path) -> None:
    """12 of 25 questions, and 5 of these for people: 13 are plain and 12 confusing."""
    data = dataset(tmp_path, 25)
    sampled: Counter[str] = Counter()
    listed: Counter[str] = Counter()
    for seed in range(150):
        out = tmp_path / str(seed)
        manifest = run(CurateRequest(data=data, out=out, sample=12, keep=5, seed=seed))
        sampled.update(row["id"] for row in rows(out / "1-sample.jsonl"))
        review = manifest.step("review")
        assert review is not None
        listed.update(review.more["ids"])
    # 150 · 12 / 25 = 72 times with a standard error of 6.1, and 150 · 5 / 25 = 30 times with one of 4.9.
    assert len(sampled) == len(listed) == 25
    assert max(abs(count - 72) for count in sampled.values()) < 4.5 * 6.1
    assert max(abs(count - 30) for count in listed.values()) < 4.5 * 4.9
    # Every second question is confusing: 12 of 25, of 750 listed ones 360, with a standard error below 13.7.
    confusing = sum(count for name, count in listed.items() if int(name[1:]) % 2)
    assert abs(confusing - 360) < 3 * 13.7
