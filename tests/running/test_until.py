"""A run that stops when all is decided: it asks no more than it must, looks no more often than declared, says both."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import counterfoil as cf
from commands import SUITE, counterfoil
from counterfoil.errors import UserError
from counterfoil.report.decided import decided_sentences
from counterfoil.running.folder import LOOKS
from counterfoil.running.looks.design import design_of, parsed
from mock_server import MockServer, completion, error

pytestmark = pytest.mark.heavy

GOOD, BAD = f"planted/{SUITE}?right=0.95", f"planted/{SUITE}?right=0.5"


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*models: str, **given: Any) -> cf.Run:
    return cf.run(SUITE, model=list(models), variant="plain", out="run", **given)


def verdicts(of: cf.Run) -> list[tuple[tuple[str, ...], str]]:
    taken = of.manifest["until"]["taken"]
    return [(tuple(one["models"]), one["verdict"]) for look in taken for one in look["decisions"]]


def test_who_is_told_apart_is_asked_no_more() -> None:
    found = run(GOOD, BAD, until="compare accuracy")
    until = found.manifest["until"]
    assert verdicts(found) == [((GOOD, BAD), "below")]
    # Looks are at 19, 38, 75, 150, 225 and 300 clusters of one question.
    assert until["clusters"] == [19, 38, 75, 150, 225, 300]
    asked = until["clusters"][len(until["taken"]) - 1]
    assert asked < 300
    assert until["saved"]["asks"] == 2 * (300 - asked)
    assert found.is_complete
    assert [row["not_asked"] for row in found.outcomes] == [300 - asked] * 2
    assert found.unanswered == []
    assert set(found.records.filter(outcome="not_asked")["reason"]) == {"decided"}
    assert found.manifest["models"][0]["asked"] == asked
    # What was asked is a random part, and all figures say so and for which design they are.
    for figure in found.estimates:
        assert f"a random {asked} of 300 questions" in str(figure.note)
        assert "6 looks, at 96.5%" in figure.method
    assert not (Path("run") / LOOKS).exists()


def test_comparing_such_a_run_tests_at_the_level_of_its_figures() -> None:
    """With the usual looks √(5 % · 2.45 %) = 3.5 %, and p is 1.43 times as large."""
    found = cf.compare(run(GOOD, BAD, until="compare accuracy"))
    row = next(row for row in found.rows if row.metric == "accuracy")
    assert row.told_apart
    assert row.confidence == pytest.approx(1 - 0.035, abs=1e-4)
    assert row.p is not None
    assert row.p_adjusted == pytest.approx(row.p * 0.05 / 0.035, rel=0.01)
    assert any("tested at 3.5%" in caveat for caveat in found.alignment[0].caveats)


def test_the_same_command_asks_nothing_and_looks_no_more() -> None:
    first = run(GOOD, BAD, until="compare accuracy").manifest["until"]
    again = run(GOOD, BAD, until="compare accuracy")
    assert again.manifest["until"] == first
    assert [model["asked"] for model in again.manifest["models"]] == [0, 0]


def test_a_model_that_is_decided_stops_and_the_other_goes_on() -> None:
    found = run(GOOD, BAD, until="accuracy > 0.56", futility=0.0)
    good, bad = (row["answered"] for row in found.outcomes)
    assert good < bad
    assert dict(verdicts(found))[(GOOD,)] == "above"


def test_of_these_questions_each_model_knows_the_share_that_it_was_asked() -> None:
    """A model that stops first knows less of them: its intervals are narrower by √(1 − its own share) alone."""
    usual = {one.model: one for one in run(GOOD, BAD, until="accuracy > 0.56").estimates if one.metric == "accuracy"}
    narrower = run(GOOD, BAD, until="accuracy > 0.56", population="these")
    asked = {row["model"]: row["answered"] for row in narrower.outcomes}
    assert asked[GOOD] < asked[BAD]
    for one in narrower.estimates:
        if one.metric == "accuracy":
            before = usual[one.model]
            assert one.value == before.value is not None
            assert one.low is not None
            assert before.low is not None
            left = (1 - asked[one.model] / 300) ** 0.5
            assert one.low - one.value == pytest.approx(left * (before.low - one.value))


def test_where_nothing_is_decided_all_is_asked_and_exit_code_is_0() -> None:
    arguments = ["--model", BAD, "--variant", "plain", "--until", "accuracy ± 0.001", "--out", "run"]
    ended = counterfoil("run", SUITE, *arguments, cwd=Path.cwd())
    assert ended.returncode == 0, ended.stderr
    assert "accuracy of planted/three_choice:suite?right=0.5, plain, is not known to ± 0.001" in ended.stdout
    assert "Saved by --until: nothing, after 6 of 6 looks." in ended.stdout
    manifest = json.loads(Path("run/manifest.json").read_text(encoding="utf-8"))
    assert manifest["outcomes"]["not_asked"] == 0
    assert manifest["until"]["confidence"] == 0.95


def test_several_variants_and_repeats_are_looked_at_together() -> None:
    found = cf.run(
        SUITE,
        model=[GOOD, BAD],
        variant=["plain", "polite"],
        repeats=2,
        until=["compare accuracy", "accuracy ± 0.2"],
        out="run",
    )
    assert [verdict for _, verdict in verdicts(found)].count("narrow enough") == 4
    assert len({row["answered"] for row in found.outcomes}) == 1


def test_a_budget_ends_a_run_between_looks_and_the_same_command_goes_on() -> None:
    # Of each ask 62 tokens: 100 of them end within the third part, of each model 37 more.
    with MockServer(lambda request: completion("A")) as server:
        common: dict[str, Any] = {
            "base_url": server.url,
            "until": "accuracy > 0.4",
            "looks": "1/4 1/2 1",
            "futility": 0.0,
        }
        part = run("vllm/m", max_tokens_total=62 * 100, concurrency=1, **common)
        looks = part.manifest["until"]["taken"]
        assert len(looks) == 1
        assert not part.is_complete
        assert part.manifest["until"]["saved"]["asks"] == 0
        before = len(server.requests)
        whole = run("vllm/m", **common)
        assert whole.manifest["until"]["taken"][0] == looks[0]
        asked = sum(row["answered"] for row in whole.outcomes)
        assert len(server.requests) == asked
        assert before < asked


def test_a_look_that_was_taken_is_not_taken_again_on_other_replies() -> None:
    """What it has decided stays, whatever the replies say now: here, by a manifest that says something else."""
    near = f"planted/{SUITE}?right=0.8"
    found = run(GOOD, near, until="compare accuracy")
    manifest, saved = found.manifest, found.manifest["until"]["saved"]["asks"]
    first = manifest["until"]["taken"][0]
    assert first["decisions"] == []
    said = {"condition": "compare accuracy", "models": [GOOD, near], "verdict": "equal", "sentence": "as it was"}
    manifest["until"]["taken"] = [first | {"decisions": [said]}]
    Path("run/manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    again = run(GOOD, near, until="compare accuracy")
    assert verdicts(again) == [((GOOD, near), "equal")]
    assert again.manifest["until"]["saved"]["asks"] > saved


def test_a_look_that_was_begun_is_on_disk_before_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, Any]] = []

    def killed(*_: Any) -> None:
        seen.append(json.loads((Path("run") / LOOKS).read_text(encoding="utf-8")))
        raise RuntimeError("the power is gone")

    with monkeypatch.context() as patched:
        patched.setattr("counterfoil.deciding.decide.decide", killed)
        with pytest.raises(RuntimeError, match="power"):
            run(GOOD, BAD, until="compare accuracy")
    assert [(look["look"], look["decisions"]) for look in seen[0]["taken"]] == [(1, None)]
    resumed = run(GOOD, BAD, until="compare accuracy")
    assert resumed.manifest["until"]["taken"][0]["at"] == seen[0]["taken"][0]["at"]


def test_a_model_that_cannot_be_reached_holds_up_no_other() -> None:
    with MockServer(lambda request: error(401, "no")) as server:
        found = run(GOOD, BAD, "vllm/m", base_url=server.url, until="compare accuracy")
    assert verdicts(found) == [((GOOD, BAD), "below")]
    assert not found.is_complete


def test_it_says_what_it_saved_in_dollars(tmp_path: Path) -> None:
    """60 tokens in at 100 dollars a million and 2 out at 1,000 are 0.8 cents an ask."""
    prices = tmp_path / "prices.toml"
    prices.write_text('["vllm/m"]\ninput = 100.0\noutput = 1000.0\n')
    with MockServer(lambda request: completion("A")) as server:
        found = run("vllm/m", base_url=server.url, prices=str(prices), until="accuracy < 0.9")
    saved = found.manifest["until"]["saved"]
    assert saved["asks"] > 0
    assert saved["cost"] == pytest.approx(0.008 * saved["asks"])
    assert f"and about ${saved['cost']:,.2f}" in " ".join(decided_sentences(found))


def test_another_declaration_is_another_run() -> None:
    run(GOOD, BAD, until="compare accuracy")
    with pytest.raises(UserError, match="declared with other conditions or looks"):
        run(GOOD, BAD, until="compare accuracy", looks="1/2 1")
    one = cf.run(SUITE, model=[GOOD, BAD], variant="plain", until="compare accuracy")
    other = cf.run(SUITE, model=[GOOD, BAD], variant="plain", until="compare accuracy", looks=["1/2", "1"])
    assert one.folder != other.folder


def test_an_experiment_file_declares_it(tmp_path: Path) -> None:
    file = tmp_path / "it.toml"
    file.write_text(f'suite = "{SUITE}"\nmodel = ["{GOOD}", "{BAD}"]\nuntil = "accuracy +- 0.1"\nlooks = "1/4,1"\n')
    until = cf.run(experiment=file).manifest["until"]
    assert until["conditions"] == ["accuracy ± 0.1"]
    assert until["looks"] == [0.25, 1.0]


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("accuracy ± 0.03", "accuracy ± 0.03"),
        ("accuracy+-.03", "accuracy ± 0.03"),
        ("accuracy_ambiguous>0.9", "accuracy_ambiguous > 0.9"),
        ("gap < -0.1", "gap < -0.1"),
        ("compare  accuracy", "compare accuracy"),
    ],
)
def test_conditions_are_read_as_people_write_them(text: str, condition: str) -> None:
    assert parsed(text).text == condition
    assert parsed(condition) == parsed(text)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"until": ["accuracy"]}, "is no condition"),
        ({"until": ["accuracy > high"]}, "high is no number"),
        ({"until": ["accuracy ± 0"]}, "a width above 0"),
        ({"until": ["accuracy > 0.5"], "looks": ["2"]}, "a fraction of the clusters"),
        ({"until": ["accuracy > 0.5"], "margin": 0.1}, "--margin is for"),
        ({"looks": ["1/2"]}, "--looks is for --until"),
        ({"until": ["accuracy > 0.5"], "batch": True}, "--batch sends all"),
        ({"until": ["accuracy > 0.5"], "engine": "ray"}, "--engine ray sends all"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(given: dict[str, Any], said: str) -> None:
    usual = {"until": None, "looks": None, "margin": None, "futility": None, "batch": False, "engine": "local"}
    with pytest.raises(UserError, match=said):
        design_of(usual | given)


@pytest.mark.parametrize(
    ("until", "said"),
    [
        ("acuracy > 0.5", "did you mean accuracy"),
        ("accuracy > 1.5", "lies between 0 and 1"),
        ("compare accuracy", "there is one"),
    ],
)
def test_what_the_suite_cannot_decide_is_refused_before_anything_is_asked(until: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        run(GOOD, until=until)
    assert not Path("run").exists()
