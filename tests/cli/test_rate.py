"""counterfoil rate, as a user calls it."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

import counterfoil as cf
from counterfoil.cli.main import main
from counterfoil.rating.store import Study

pytestmark = pytest.mark.heavy


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run() -> str:
    cf.run("bias", model="planted/bias?unread=0.2", variant="1", limit=6, out="runs/bias-one")
    return "runs/bias-one"


STUDY = Path("runs/bias-one/pilot.study.sqlite")


def said_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The sentence of a command that fails."""
    capsys.readouterr()
    assert main(["rate", *arguments]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert len(err.strip().split("\n")) == 1
    return err


def new(run: str, *more: str) -> int:
    return main(["rate", "new", "--run", run, "--name", "pilot", *more])


def rate_everything() -> None:
    with Study(STUDY) as study:
        for rater in study.raters()[:3]:
            for task in study.assigned(rater):
                study.rate(rater, task, "answer", "A")


def test_a_new_study_says_where_it_is_and_gives_the_links(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert new(run, "--raters", "3", "--per-question", "2", "--sample", "9", "--seed", "5") == 0
    out = capsys.readouterr().out
    assert out.startswith(f"The study is in {STUDY}: 9 replies, each for 2 of 3 raters.")
    links = re.findall(r"^  (\S+) +http://127.0.0.1:8765/rate/(\S+)  (.+)$", out, re.MULTILINE)
    assert [(name, what) for name, _, what in links] == [
        *((f"rater-{i}", "6 replies") for i in (1, 2, 3)),
        ("adjudicator", "decides where the others disagree"),
    ]
    with Study(STUDY) as study:
        assert [study.rater(token).name for _, token, _ in links] == [name for name, *_ in links]
        assert (study.about.seed, study.about.per_question) == (5, 2)


def test_a_new_study_as_json(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert new(run, "--json", "--sample", "4") == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["study"], said["replies"], said["per_question"]) == (str(STUDY), 4, 3)
    assert (said["raters"][0]["rater"], said["raters"][0]["replies"]) == ("rater-1", 4)
    assert all(it["link"].startswith("/rate/") for it in said["raters"])


def test_results_by_file_and_by_name(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    new(run, "--sample", "18")
    rate_everything()
    capsys.readouterr()
    assert main(["rate", "results", str(STUDY)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("pilot: 54 ratings of bias")
    for part in ("rater-1    18       18", "human_reading", "human_alpha", "Disagreements: 0"):
        assert part in out
    assert main(["rate", "results", "pilot"]) == 0
    assert capsys.readouterr().out == out


def test_results_as_json_as_csv_and_into_the_summary(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    new(run, "--sample", "18")
    rate_everything()
    capsys.readouterr()
    assert main(["rate", "results", "pilot", "--json", "--csv", "ratings.csv", "--write"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["study"], said["suite"], said["ratings"], said["undecided"]) == ("pilot", "bias", 54, 0)
    assert said["progress"]["rater-2"] == [18, 18]
    with Path("ratings.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [row["value"] for row in csv.DictReader(file)] == ["A"] * 54
    estimates = json.loads((Path(run) / "summary.json").read_text(encoding="utf-8"))["estimates"]
    assert [it for it in estimates if it["metric"].startswith("human_")] == said["estimates"]
    assert any(it["metric"] == "diff_bias_ambiguous" for it in estimates)
    # Whatever reads a run reads it with what people say.
    assert main(["show", run, "--all"]) == 0
    assert "human_reading" in capsys.readouterr().out
    assert main(["report", run]) == 0


def test_what_is_wrong_is_said(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "is not a run folder" in said_of(capsys, "new", "--run", "nowhere", "--name", "x")
    assert "--per-question" not in said_of(capsys, "new", "--run", run)
    assert "by 1 to 3 of them, not 5" in said_of(capsys, "new", "--run", run, "--name", "x", "--per-question", "5")
    assert "is no name of a study" in said_of(capsys, "new", "--run", run, "--name", "../x")
    assert "There is no study nobody" in said_of(capsys, "results", "nobody")
    assert "is no study" in said_of(capsys, "results", f"{run}/summary.json")
    new(run)
    assert "There is a study pilot already" in said_of(capsys, "new", "--run", run, "--name", "pilot")
    assert "Nobody has rated anything" in said_of(capsys, "results", "pilot", "--write")
    cf.run("bias", model="planted/bias", variant="1", limit=3, out="runs/bias-two")
    main(["rate", "new", "--run", "runs/bias-two", "--name", "pilot"])
    assert "There are 2 studies called pilot" in said_of(capsys, "results", "pilot")


def test_raters_have_the_names_that_they_are_given(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["--rater", "Anna Lind", "--rater", "준호"]
    assert (
        main(["rate", "new", "--run", run, "--name", "이름", "--sample", "4", *names, "--site", "https://x.org/"]) == 0
    )
    out = capsys.readouterr().out
    assert [line.split("  ")[1] for line in out.splitlines() if "https://x.org/rate/" in line][:2] == [
        "Anna Lind",
        "준호",
    ]
    for wrong, said in (
        (["--rater", "A", "--rater", "A"], "named twice"),
        (["--rater", "adjudicator"], "take another name"),
        (["--rater", " "], "no name of a rater"),
        (["--rater", "A", "--raters", "2"], "choose one"),
    ):
        assert main(["rate", "new", "--run", run, "--name", "other", *wrong]) == 2
        assert said in capsys.readouterr().err
