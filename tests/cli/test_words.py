"""Help that says what there is, names that are nearly right, and options that mean nothing in a call."""

from __future__ import annotations

from pathlib import Path

import pytest

import counterfoil as cf
from commands import counterfoil


def test_help_names_the_suites_and_where_more_is(tmp_path: Path) -> None:
    text = counterfoil("--help", cwd=tmp_path).stdout
    assert "suites: explain, bias, memorization" in text
    assert "counterfoil run SUITE --help shows its options and variants" in text
    text = " ".join(counterfoil("run", "--help", cwd=tmp_path).stdout.split())
    assert "what to test: explain, bias, memorization" in text


@pytest.mark.parametrize(
    ("suite", "variants"),
    [("explain", "baseline, clarify-doubts"), ("bias", "1, 2, 3"), ("memorization", "mcq, open")],
)
def test_help_of_a_suite_names_its_variants(tmp_path: Path, suite: str, variants: str) -> None:
    assert f"variants of {suite}: {variants}" in counterfoil("run", suite, "--help", cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("shw", "x"), "There is no command shw (did you mean show?): there are run, score, "),
        (("data", "lst"), "There is no action lst (did you mean list?): there are list, "),
        (("run", "explain", "--modle", "smollm2"), "--modle smollm2 (did you mean --model?)"),
        (("run", "explian"), "There is no suite explian (did you mean explain?)"),
        (("run", "explain", "--model", "gpt-4o"), "There is no model gpt-4o (did you mean openai/gpt-4o?)"),
        (("run", "explain", "--model", "opnai/gpt-4o"), "There is no model opnai/gpt-4o (did you mean openai/gpt-4o?)"),
        (
            ("run", "explain", "--model", "opnrouter/meta/llama"),
            "There is no model opnrouter/meta/llama (did you mean openrouter/meta/llama?)",
        ),
        (("run", "explain", "--data", "plausibelqa"), "(did you mean plausibleqa?)"),
        (("run", "bias", "--data", "koreann"), "(did you mean korean?)"),
        (("run", "memorization", "--data", "bnak"), "(did you mean bank?)"),
        (("run", "explain", "--variant", "basline"), "There is no variant basline (did you mean baseline?)"),
        (("run", "memorization", "--variant", "opne"), "There is no variant opne (did you mean open?)"),
        # What means nothing in the call.
        (("run", "explain", "--judge-answer"), "--judge-answer is about what judges say: name one with --judge"),
        (("run", "explain", "--judge-swap"), "--judge-swap is about what judges say"),
        (("run", "explain", "--confusing-at", "30"), "--confusing-at is about what judges say"),
        (("run", "explain", "--confusing-at", "200"), "must be at most 100"),
        (
            ("run", "explain", "--plausibility", "bradley_terry"),
            "--plausibility bradley_terry: these candidates have one plausibility each",
        ),
        (("run", "bias", "--data", "english", "--metadata", "nofile"), "--metadata nofile is for BBQ's own .jsonl"),
        (("run", "memorization", "--tolerance", "0.05"), "--tolerance is for numbers"),
        (("serve", "--ledger", "nofile"), "--ledger nofile: there is no such file"),
        (("run", "explain", "--out", ""), "--out is empty: give a value, or leave it out"),
        (("score", "explain", "--from", "jsonl", "r.jsonl", "--temperature", "1"), "Unrecognized arguments: --temper"),
        (("score", "explain", "--from", "jsonl", "r.jsonl", "--seed", "5"), "Unrecognized arguments: --seed 5"),
        (("run", "explain", "--model", "openai/a,openai/b"), "openai/a,openai/b is more than one model"),
        (("run", "explain", "--model", "openai/gpt-4o "), "begins or ends with a space"),
        (("run", "explain", "--model", "planted/explain", "--out", "badmod.py"), "a file is where a folder is needed"),
        (
            ("run", "explain", "--model", "vllm/x", "--base-url", "http://localhost:99999/v1"),
            "--base-url http://localhost:99999/v1: its port must be a number from 1 to 65535.",
        ),
        (("run", "badmod:x"), "The suite badmod:x can't be loaded: badmod raises RuntimeError (boom)"),
    ],
)
def test_one_sentence_says_what_was_meant(tmp_path: Path, arguments: tuple[str, ...], sentence: str) -> None:
    (tmp_path / "badmod.py").write_text('raise RuntimeError("boom")\n', encoding="utf-8")
    done = counterfoil(*arguments, cwd=tmp_path)
    assert sentence in done.stderr
    assert (done.returncode, done.stdout) == (2, "")
    said = [line for line in done.stderr.splitlines() if not line.startswith("No --model was named")]
    assert len(said) == 1
    assert not (tmp_path / "runs").exists()


def test_a_frozen_set_has_as_many_draws_as_it_has(tmp_path: Path) -> None:
    made = counterfoil(
        "data", "perturb", "--from", "bank", "--limit", "4", "--draws", "2", "--out", "s.jsonl", cwd=tmp_path
    )
    assert made.returncode == 0, made.stderr
    usual = ("run", "memorization", "--data", "s.jsonl", "--model", "planted/memorization")
    assert "--draws 50: s.jsonl is frozen with 2" in counterfoil(*usual, "--draws", "50", cwd=tmp_path).stderr
    assert "--set-seed 5: s.jsonl is drawn already" in counterfoil(*usual, "--set-seed", "5", cwd=tmp_path).stderr
    assert counterfoil(*usual, "--draws", "1", cwd=tmp_path).returncode == 0


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_dry_run_from_python(here: Path) -> None:
    rows = cf.run("explain", model=("planted/explain",), variant=["cfe"], limit=4, dry_run=True)
    assert [(row.model, row.asks, row.to_ask) for row in rows] == [("planted/explain", 4, 4)]
    assert not (here / "runs").exists()


def test_an_experiment_names_the_suite_and_data_beside_it(here: Path) -> None:
    (here / "study").mkdir()
    question = '{"id":"q1","question":"Capital?","answer":"Canberra","aliases":[],"candidates":{"Sydney":80}}\n'
    (here / "study" / "q.jsonl").write_text(question, encoding="utf-8")
    lines = ['suite = "explain"', 'data = "q.jsonl"', 'model = "replay/r.jsonl"', 'variant = "cfe"']
    (here / "study" / "e.toml").write_text("\n".join(lines), encoding="utf-8")
    (here / "r.jsonl").write_text('{"text": "Canberra"}\n', encoding="utf-8")
    run = cf.run(experiment="study/e.toml")
    assert run.manifest["data"]["questions"] == 1
    with pytest.raises(cf.UserError, match="Name a suite"):
        cf.run()


def test_conditions_from_python(here: Path) -> None:
    run = cf.run("explain", model=["planted/explain?right=1", "planted/explain?right=0"], variant="cfe")
    failed = cf.compare(run, fail_if="accuracy < -0.02").failed
    assert len(failed) == 1
    assert failed[0].startswith("Failed: accuracy < -0.02, for planted/explain?right=0 against ")
    assert cf.compare(run, fail_if=["accuracy > 0.02"]).failed == []


def test_what_the_package_has_is_shown() -> None:
    assert [name for name in dir(cf) if not name.startswith("_")] == sorted(cf.__all__)
    assert cf.stats.proportion
    with pytest.raises(AttributeError):
        getattr(cf, "nothing")  # noqa: B009


@pytest.mark.parametrize("empty", [[], ()])
def test_no_model_at_all_is_refused(here: Path, empty: object) -> None:
    with pytest.raises(cf.UserError, match="model is empty: name at least one, or leave it out"):
        cf.run("explain", model=empty)


def test_options_that_only_asking_has_are_not_for_score(here: Path) -> None:
    with pytest.raises(cf.UserError, match="There is no option temperature"):
        cf.score("explain", "r.jsonl", temperature=1.0)
