"""The suite from end to end: the command line and Python, on the bank, on sets, on servers that behave badly."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import counterfoil as cf
from commands import counterfoil
from counterfoil.memorization.metrics import CONTROLS
from counterfoil.perturbing.questions import read_set
from counterfoil.stats import Estimate
from mock_server import Answer, MockServer, completion, error

pytestmark = pytest.mark.heavy

SHARED = Path(__file__).parents[3] / "shared" / "data" / "cfa"
MODEL = "planted/memorization?memorized=0.5"
METRICS = {
    *("out_of_choice", "accuracy_original", "accuracy_perturbed", "memorization_gap", "control_gap", "excess_gap"),
    *(
        "kept_old",
        "kept_old_excess",
        "robust_accuracy",
        "memorization_suspect",
        "improved",
        "consistency",
        "placebo_band",
    ),
    "memorized_share",
}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def overall(run: cf.Run) -> dict[str, Estimate]:
    return {it.metric: it for it in run.estimates if not it.group}


def served(behave: Any, **options: Any) -> tuple[cf.Run, list[str]]:
    """A run on a server; the prompts that came."""
    with MockServer(behave) as server:
        usual: dict[str, Any] = {"limit": 4, "draws": 2, "concurrency": 1, "out": "run"}
        run = cf.run("memorization", model="vllm/m", base_url=server.url, **(usual | options))
        return run, server.prompts


def test_a_run_on_the_bank() -> None:
    arguments = ("run", "memorization", "--model", MODEL, "--limit", "8", "--levels", "1", "--out", "out")
    done = counterfoil(*arguments, cwd=Path())
    assert done.returncode == 0, done.stderr
    run = cf.Run("out")
    # The limit counts originals, and each comes with all that was made from it.
    arms = Counter((row["level"], row["control"]) for row in run.records.to_dicts())
    renamed = arms.pop((0, "renamed"))
    # One of these originals has no sham that is like its gold; lures come in mirrored pairs.
    controls = {(0, name): 40 for name in ("again", "reshuffled", "reoptioned", "stand_in")}
    assert arms == {(0, None): 8, (1, None): 40, **controls, (0, "lure"): 42}
    assert renamed % 5 == 0, "those that have names"
    assert run.records["parent"].n_unique() == 8
    assert set(run.records["status"]) == {"verified"}
    assert {it.metric for it in run.estimates} == METRICS
    assert {it.group["control"] for it in run.estimates if "control" in it.group} == set(CONTROLS)
    shown = counterfoil("show", "out", "--all", cwd=Path()).stdout
    for metric in METRICS:
        assert metric in shown
    python = cf.run("memorization", model=MODEL, limit=8, levels=[1], out="python")
    assert python.records.drop("ask_key").equals(run.records.drop("ask_key")), "the same from Python"
    again = counterfoil(*arguments, cwd=Path())
    assert again.stdout == done.stdout
    assert cf.Run("out").manifest["models"][0]["asked"] == 0, "nothing is asked twice"


def test_the_sample_holds_as_much_of_each_topic_as_the_bank() -> None:
    whole = cf.run("memorization", model=MODEL, draws=1, controls=False, lure=False).records.filter(level=0)
    half = cf.run("memorization", model=MODEL, draws=1, controls=False, lure=False, limit=whole.height // 2).records
    counts, sampled = (Counter(rows.filter(level=0)["topic"]) for rows in (whole, half))
    assert set(sampled) == set(counts)
    for topic, count in counts.items():
        assert abs(sampled[topic] - count / 2) <= 1


def test_several_levels_by_one_option_or_by_repeating_it() -> None:
    common = ("run", "memorization", "--model", MODEL, "--limit", "3", "--draws", "1", "--json")
    one = counterfoil(*common, "--levels", "1", "2", "3", cwd=Path())
    other = counterfoil(*common, "--levels", "1", "--levels", "2", "--levels", "3", cwd=Path())
    assert one.returncode == 0, one.stderr
    assert json.loads(one.stdout)["estimates"] == json.loads(other.stdout)["estimates"]
    levels = {it["group"]["level"] for it in json.loads(one.stdout)["estimates"] if "level" in it["group"]}
    assert levels >= {1, 2}


def test_arms_that_are_not_wanted_are_not_asked() -> None:
    done = counterfoil(
        *("run", "memorization", "--model", MODEL, "--limit", "4", "--draws", "3", "--no-controls", "--no-lure"),
        *("--levels", "2", "--out", "out"),
        cwd=Path(),
    )
    assert done.returncode == 0, done.stderr
    records = cf.Run("out").records
    assert set(records["control"]) == {None}
    assert Counter(records["level"]) == {0: 4, 2: 12}


def test_again_is_really_asked_again() -> None:
    run, prompts = served(lambda request: completion("ANSWER: A"), lure=False)
    arms = run.records.filter(pl.col("control").is_null() | (pl.col("control") == "again"), level=0)
    for parent in arms["parent"].unique():
        rows = arms.filter(parent=parent)
        # The original and two draws: the same words, and three asks.
        assert rows.height == rows["ask_key"].n_unique() == 3
        [text] = {it.text for it in read_set(run.folder / "set.jsonl") if it.id == parent}
        shown = [prompt for prompt in prompts if text in prompt]
        # One of the two re-optioned ones may have the options in the original's order: that is asked, too.
        assert max(Counter(shown).values()) in (3, 4)
    assert len(prompts) == run.records.height


def test_repeats_and_again_are_different_asks() -> None:
    run, prompts = served(lambda request: completion("ANSWER: A"), repeats=2, limit=2)
    assert run.records["ask_key"].n_unique() == run.records.height == len(prompts)
    assert overall(run)["memorization_gap"].n == 2


def test_the_prompt_shows_question_and_options_and_open_shows_none() -> None:
    _, prompts = served(lambda request: completion("ANSWER: A"), limit=2, draws=1, controls=False, lure=False)
    run, numbers = served(lambda request: completion("1"), limit=2, draws=1, controls=False, lure=False, variant="open")
    known = [it for it in read_set(run.folder / "set.jsonl") if it.id in set(run.records["question_id"])]
    for question in known:
        [shown] = [prompt for prompt in prompts if question.text in prompt]
        for letter, option in zip("ABC", question.options, strict=True):
            assert f"{letter}: {option}" in shown
        [bare] = [prompt for prompt in numbers if question.text in prompt]
        assert f"B: {question.options[1]}" not in bare


def test_who_says_the_right_letter_is_right_in_every_arm() -> None:
    run, _ = served(lambda request: completion("ANSWER: B"), out="first")
    known = list(read_set(run.folder / "set.jsonl"))

    def behave(request: dict[str, Any]) -> Answer:
        prompt = request["messages"][-1]["content"]
        [letter] = {
            it.gold
            for it in known
            if it.text in prompt and f"A: {it.options[0]}\nB: {it.options[1]}\nC: {it.options[2]}" in prompt
        }
        return completion(f"So it must be {letter}.\n\n**ANSWER: {letter}**")

    run, _ = served(behave)
    assert run.records["correct"].all()
    estimates = overall(run)
    for metric in ("accuracy_original", "accuracy_perturbed", "robust_accuracy", "consistency"):
        assert estimates[metric].value == 1
    for metric in ("memorization_gap", "excess_gap", "kept_old", "kept_old_excess", "memorization_suspect"):
        assert estimates[metric].value == 0


def test_outcomes_are_kept_apart_and_a_failed_draw_leaves_its_question_out() -> None:
    asked: dict[str, int] = {}

    def behave(request: dict[str, Any]) -> Answer:
        kind = asked.setdefault(request["messages"][-1]["content"], len(asked))
        answers = {
            0: completion(""),
            1: completion("", finish_reason="content_filter"),
            2: completion("Let us see", finish_reason="length"),
            3: error(400, "bad"),
        }
        return answers.get(kind, completion("ANSWER: A"))

    # The original and five draws of each: the fourth ask is a draw of the first question.
    run, _ = served(behave, limit=6, draws=5, controls=False, lure=False)
    counts = Counter(run.records["outcome"])
    assert counts == {"out_of_choice": 1, "refused": 1, "truncated": 1, "failed": 1, "answered": 32}
    assert not run.is_complete
    failed = run.records.filter(outcome="failed")
    assert failed["correct"].to_list() == [None]
    assert overall(run)["memorization_gap"].n == overall(run)["accuracy_original"].n == 5
    out_of_choice = overall(run)["out_of_choice"]
    assert out_of_choice.value == pytest.approx(3 / 35)
    items = json.loads((run.folder / "items.json").read_bytes())
    assert failed["parent"][0] not in [it["question_id"] for it in items]
    assert len(items) == 5


def test_a_tolerance_makes_a_near_number_right() -> None:
    set_file = cf.run("memorization", model=MODEL, limit=1, out="first").folder / "set.jsonl"
    known = list(read_set(set_file))

    def behave(request: dict[str, Any]) -> Answer:
        prompt = request["messages"][-1]["content"]
        question = next(it for it in known if it.text in prompt)
        digits = "".join(letter for letter in question.value if letter.isdigit() or letter in ".-")
        return completion(f"ANSWER: {float(digits) + 1.1 * 10**-question.digits:.6f}")

    # The exact answer counts, too, and lies within half a unit of the printed one: 1.1 units off is wrong for both.
    usual = {"variant": "open", "limit": 12, "controls": False, "lure": False, "draws": 1}
    strict, _ = served(behave, **usual)
    loose, _ = served(behave, **usual, tolerance=2.0, out="loose")
    assert overall(strict)["accuracy_original"].value == 0
    assert overall(loose)["accuracy_original"].value == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--data", "nothing"), "nothing: there is no such dataset"),
        (("--data", "kobbq"), "there is no such dataset"),
        (("--data", "missing.jsonl"), "missing.jsonl can't be read"),
        (("--data", "missing.toml"), "missing.toml can't be read"),
        (("--variant", "mqc"), "There is no variant mqc (did you mean mcq?)"),
        (("--levels", "4"), "levels"),
        (("--draws", "0"), "draws"),
        (("--tolerance", "-1"), "tolerance"),
        (("--judge", "planted/judge"), "memorization asks no judges"),
    ],
)
def test_wrong_use_ends_with_2_and_a_sentence(arguments: tuple[str, ...], said: str) -> None:
    done = counterfoil("run", "memorization", "--model", MODEL, *arguments, cwd=Path())
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(Path().glob("runs/*/summary.json"))


@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/data/cfa is not here")
def test_public_questions_by_the_recipes_that_ship() -> None:
    run = cf.run("memorization", model=MODEL, data=str(SHARED / "cfa_easy.json"), limit=10, draws=2)
    assert run.records["parent"].n_unique() == 10
    assert all(name.startswith("cfa-") for name in run.records["parent"])
    assert run.manifest["data"]["name"] == "cfa_easy.json"
    done = counterfoil(
        *("run", "memorization", "--model", MODEL, "--data", str(SHARED / "cfa_challenge.json")), cwd=Path()
    )
    assert done.returncode == 2
    assert "recipes for none of the 90 questions" in done.stderr
    assert "--proposer" in done.stderr


def test_a_run_without_a_single_reply_has_every_metric_and_can_be_shown_and_compared() -> None:
    Path("failing.jsonl").write_text('{"text": "no", "status": "failed"}')
    models = ("--model", MODEL, "--model", "replay/failing.jsonl")
    done = counterfoil("run", "memorization", *models, "--limit", "3", "--draws", "2", "--out", "o", cwd=Path())
    assert done.returncode == 1
    run = cf.Run("o")
    lost = [it for it in run.estimates if it.model == "replay/failing.jsonl"]
    assert {it.metric for it in lost} == METRICS
    assert [(it.metric, it.group) for it in lost] == [
        (it.metric, it.group) for it in run.estimates if it.model == MODEL
    ]
    for it in lost:
        assert (it.value, it.low, it.high, it.n) == (None, None, None, 0)
        assert it.note
    for command in (("show", "o"), ("compare", "o"), ("report", "o", "--out", "r.html")):
        assert counterfoil(*command, cwd=Path()).returncode == 0, command


def test_originals_count_where_level_3_alone_was_asked_for() -> None:
    right = "planted/memorization?skill=1&memorized=1&slip=0&unread=0"
    run = cf.run("memorization", model=right, levels=[3], limit=3, draws=2, out="o")
    found = overall(run)
    reported = json.loads(Path("o/results.json").read_text())["summary"]
    assert found["accuracy_original"].value == reported["accuracy_original"] == 1
    assert found["accuracy_original"].n == 3
    assert found["memorization_gap"].value is None, "level 3 is apart"
