"""counterfoil data perturb as a user calls it."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from commands import counterfoil
from counterfoil.cli.perturb import side_by_side
from counterfoil.perturbing.questions import read_set

ANNUITY = str(Path(__file__).parents[1] / "perturbing" / "annuity.toml")


def test_a_set_is_made_summed_up_and_shown(tmp_path: Path) -> None:
    arguments = ("--from", ANNUITY, "--levels", "1", "2", "3", "--controls", "--lure", "--draws", "2", "--seed", "4")
    done = counterfoil("data", "perturb", *arguments, "--out", "sets/s.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    sha256 = hashlib.sha256((tmp_path / "sets" / "s.jsonl").read_bytes()).hexdigest()
    lines = [line.split() for line in done.stdout.splitlines()]
    for words in (["original", "1"], ["level", "1", "2"], ["level", "3", "2"], ["lure", "2"], ["all", "19"]):
        assert words in lines
    assert "Kolmogorov–Smirnov" in done.stdout
    assert done.stdout.endswith(f"The set is sets/s.jsonl, its report sets/s.report.json.\nSHA-256 {sha256}\n")
    again = counterfoil("data", "perturb", *arguments, "--out", "t.jsonl", "--json", cwd=tmp_path)
    report = json.loads(again.stdout)
    assert report["sha256"] == sha256
    assert report == json.loads((tmp_path / "t.report.json").read_bytes())
    assert report["counts"]["renamed"] == 2

    shown = counterfoil("data", "perturb", "--show", "annuity-due/lure/1", "--set", "t.jsonl", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    for words in ("annuity-due/0 ", "| annuity-due/lure/1", "<- gold", "<- old", "<- sham", "changed: ", "solution: ",
                  "expression: pv * (1 + rate)", "in decimals: ", "in floating point: ", "by the check: ",
                  "status: verified (file)"):  # fmt: skip
        assert words in shown.stdout
    assert max(map(len, shown.stdout.split("\n\n")[0].splitlines())) <= 120
    pair = json.loads(
        counterfoil("data", "perturb", "--show", "annuity-due/3/0", "--out", "t.jsonl", "--json", cwd=tmp_path).stdout
    )
    assert pair["original"]["id"] == pair["question"]["parent"] == "annuity-due/0"
    after = counterfoil(
        "data", "perturb", "--from", ANNUITY, "--out", "u.jsonl", "--show", "annuity-due/1/0", cwd=tmp_path
    )
    assert "SHA-256" in after.stdout
    assert "| annuity-due/1/0" in after.stdout


def test_existing_questions_are_sorted_out_and_proposals_counted(tmp_path: Path) -> None:
    rows = [
        {"question": "A box holds 12 eggs and 8 more; in all:", "options": ["20", "4", "96"], "answer": "A"},
        {"question": "A bag holds 13 eggs and 8 more; in all:", "options": ["21", "5", "104"], "answer": "A"},
        {"question": "A tin holds 14 eggs and 8 more; in all:", "options": ["22", "6", "112"], "answer": "A"},
        {"question": "How many?", "options": ["1", "2", "3"], "answer": "A"},
    ]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    template = {
        "text": "A box holds {a} eggs and {b} more; in all:",
        "slots": {name: {"original": value, "low": "5", "high": "60", "step": "1"} for name, value in
                  (("a", "12"), ("b", "8"))},
        "answer": "a + b", "check": "b + a", "distractors": ["a - b", "a * b", "a + 2 * b"],
    }  # fmt: skip
    lines = [{"when": "A box", "text": json.dumps(template)}, {"when": "A bag", "text": "Hm."}]
    (tmp_path / "model.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    arguments = ("data", "perturb", "--from", "q.jsonl", "--proposer", "replay/model.jsonl", "--out", "s.jsonl")
    done = counterfoil(*arguments, cwd=tmp_path)
    assert done.returncode == 1, "the third question has no reply"
    text = re.sub(" +", " ", done.stdout)
    for words in (
        "set aside: there is no number in its text 1\n",
        "can be perturbed 3\n",
        "Recipes cover 0 of 4 questions",
        "accepted 1\n",
        "rejected: no JSON object that can be read 1\n",
        "failed 1\n",
        "1 asks failed: the same command asks again.",
        "level 1 5\n",
    ):
        assert words in text
    assert (tmp_path / ".counterfoil" / "ledger.sqlite").exists()


def test_directly_written_questions_come_with_a_warning(tmp_path: Path) -> None:
    row = {"question": "A box holds 12 eggs and 8 more; in all:", "options": ["20", "4", "96"], "answer": "A"}
    (tmp_path / "q.jsonl").write_text(json.dumps(row))
    reply = {
        "perturbed_question": "A box\x1b[m holds 12 eggs and 9 more; in all: A: 21, B: 3, C: 108",
        "perturbed_answer": "A",
        "changes_made": ["eggs added from 8 to 9"],
        "solution_steps": "12 + 9",
    }
    lines = [{"when": "into a template", "text": '{"impossible": "no"}'}, {"text": json.dumps(reply)}]
    (tmp_path / "m.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    arguments = ("--from", "q.jsonl", "--generator", "direct", "--proposer", "replay/m.jsonl", "--draws", "1")
    done = counterfoil("data", "perturb", *arguments, "--out", "s.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Of the changed questions, 1 unverified. Only gaps over verified ones can be relied on." in done.stdout
    (name,) = [question.id for question in read_set(tmp_path / "s.jsonl") if question.level]
    shown = counterfoil("data", "perturb", "--show", name, "--set", "s.jsonl", cwd=tmp_path)
    assert "A box?[m holds" in shown.stdout
    assert "\x1b" not in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "Name what to perturb: --from bank, --from cfa-easy, or --from FILE."),
        (("--from", "bank"), "Name the file to write: --out SET.jsonl."),
        (("--show", "x"), "Name the set that holds the question to show: --set SET.jsonl."),
        (("--show", "x", "--set", "nix.jsonl"), "nix.jsonl can't be read"),
        (("--from", "bank", "--out", "o", "--set", "x"), "--set goes with --show ID"),
        (("--from", "nix", "--out", "o"), "--from nix: it must be bank, cfa-easy"),
        (("--from", "bank", "--out", "."), "is a folder"),
        (("--from", "bank", "--out", "o", "--levels", "4"), "invalid choice: 4"),
        (("--from", "bank", "--out", "o", "--draws", "0"), "draws must be at least 1"),
        (("--from", "bank", "--out", "o", "--generator", "x"), "generator must be one of template, direct"),
        (("--from", "bank", "--out", "o", "--generator", "direct"), "--generator direct needs a model"),
        (("--from", "bank", "--out", "o", "--proposer", "replay/x"), "bank has templates already"),
        (("--from", "q.json", "--out", "o", "--proposer", "openai/gpt-4o"), "needs OPENAI_API_KEY"),
        (("--from", "cfa-easy", "--out", "o"), "fetch it with `counterfoil data get cfa`"),
        (("--from", "cfa-easy", "--out", "o", "--data", "nix.json"), "nix.json can't be read"),
    ],
)
def test_wrong_use_is_one_sentence_and_leaves_nothing_behind(
    arguments: tuple[str, ...], sentence: str, tmp_path: Path
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    done = counterfoil("data", "perturb", *arguments, cwd=folder, COUNTERFOIL_CACHE=str(tmp_path / "cache"))
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stdout == ""
    assert list(folder.iterdir()) == []


def test_a_level_that_no_template_has_is_the_reason_that_is_told(tmp_path: Path) -> None:
    content = Path(ANNUITY).read_text(encoding="utf-8").partition("[[template.inverse]]")[0]
    (tmp_path / "t.toml").write_text(content, encoding="utf-8")
    done = counterfoil("data", "perturb", "--from", "t.toml", "--levels", "3", "--out", "s.jsonl", cwd=tmp_path)
    assert done.returncode == 2
    assert "(1 templates give no level 3: they have no text that asks for another unknown)" in done.stderr


def test_help_has_an_example(tmp_path: Path) -> None:
    done = counterfoil("data", "perturb", "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert "example: counterfoil data perturb --from bank" in done.stdout


def test_an_original_stands_alone(tmp_path: Path) -> None:
    counterfoil("data", "perturb", "--from", ANNUITY, "--out", "s.jsonl", cwd=tmp_path)
    original = next(iter(read_set(tmp_path / "s.jsonl")))
    text = side_by_side(original, original, 80)
    assert "| variant" not in text
    assert text.count("annuity-due/0") == 1
    assert "changed: " not in text
