"""Each write, rename and fsync of a command fails once, in turn: nothing is lost, and the same command mends it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import counterfoil as cf
import three_choice
from commands import SUITE, counterfoil
from counterfoil.files import write_json
from failing_files import failing

pytestmark = pytest.mark.heavy

RUN = ("run", SUITE, "--model", "planted/three_choice:suite", "--out", "run", "--data")
# A run that says which replies are good to learn from, and has better and worse ones to the same questions.
MODELS = ("--model", "planted/bias", "--model", "planted/bias?unknown=0.1")
TAUGHT = ("run", "bias", "--data", "english", *MODELS, "--variant", "1", "--out", "taught", "--limit")
KOREAN = ("run", "bias", "--data", "korean", "--model", "planted/bias", "--variant", "1", "--out", "korean", "--limit")
STUDY = ("rate", "new", "--run", "taught", "--name", "pilot", "--sample", "4")
# Those with many files, or long ones.
SLOW = ("dpo", "kobbq", "plots")
COMMANDS = {
    "report": ("report", "run", "--out", "page.html"),
    "csv": ("export", "run", "--to", "csv", "csv"),
    "parquet": ("export", "run", "--to", "parquet", "parquet"),
    "latex": ("export", "run", "--to", "latex", "latex"),
    "sft": ("export", "taught", "--to", "sft", "sft"),
    "ledger": ("ledger", "export", "--to", "replies.jsonl"),
    "dpo": ("export", "taught", "--to", "dpo", "dpo"),
    "kobbq": ("export", "korean", "--to", "kobbq", "kobbq"),
    "plots": ("report", "taught", "--out", "plots.html", "--plots", "plots"),
}
MOST = 200  # faults of one command; more would be one that never comes to its end


def write_beside(suite: Any, run: cf.Run, facts: Any) -> None:
    """What a suite writes beside the run's own files."""
    for name in ("one.json", "two.json"):
        write_json(run.folder / name, [name, run.records.height])


@pytest.fixture(scope="module", autouse=True)
def suite_with_files() -> Iterator[None]:
    with (
        patch.object(three_choice.ThreeChoice, "finished", write_beside),
        patch.object(three_choice.ThreeChoice, "files", ("one.json", "two.json")),
    ):
        yield


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with runs, exports, and files of the user's beside them."""
    folder = tmp_path_factory.mktemp("earlier")
    for arguments in ((*RUN, "5"), (*TAUGHT, "22"), (*KOREAN, "12"), STUDY, *COMMANDS.values()):
        done = counterfoil(*arguments, cwd=folder)
        assert done.returncode == 0, done.stderr
    for place in ("run", "csv", "sft", "."):
        (folder / place / "mine.txt").write_text("mine")
    return folder


@pytest.fixture(scope="module")
def grown(earlier: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, with larger runs in the place of those that were exported."""
    folder = tmp_path_factory.mktemp("grown")
    shutil.copytree(earlier, folder, dirs_exist_ok=True)
    for arguments in ((*RUN, "7"), (*TAUGHT, "44"), (*KOREAN, "24")):
        assert counterfoil(*arguments, cwd=folder).returncode == 0
    return folder


def files(folder: Path) -> dict[str, bytes]:
    """What the user sees; the manifest without its times."""
    seen = (path for path in folder.rglob("*") if path.is_file() and not hidden(path.relative_to(folder)))
    return {str(path.relative_to(folder)): without_times(path) for path in seen}


def hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def without_times(path: Path) -> bytes:
    if path.name == "manifest.json":
        manifest = json.loads(path.read_bytes())
        return json.dumps({name: manifest[name] for name in ("id", "outcomes")}).encode()
    if path.suffix == ".html":
        return path.read_bytes()[-20:]
    return path.read_bytes()


def each_fault(earlier: Path, tmp_path: Path, *arguments: str) -> list[str]:
    """Let the command fail at every place; gives the places."""
    whole = tmp_path / "whole"
    shutil.copytree(earlier, whole)
    before = files(whole)
    assert counterfoil(*arguments, cwd=whole).returncode == 0
    after = files(whole)
    places = []
    for at in range(1, MOST):
        folder = tmp_path / f"{at}"
        shutil.copytree(earlier, folder)
        with failing(folder, at) as fault:
            done = counterfoil(*arguments, cwd=folder)
        if fault.done is None:
            assert done.returncode == 0, done.stderr
            return places
        places.append(fault.done.replace(str(folder), ""))
        if "/.live." in fault.done:
            # What others watch a run by: a run does without.
            assert (done.returncode, files(folder)) == (0, after), (fault.done, done.stderr)
            shutil.rmtree(folder)
            continue
        check(folder, before, after, done.returncode, done.stderr, fault.done)
        again = counterfoil(*arguments, cwd=folder)
        assert again.returncode == 0, (fault.done, again.stderr)
        assert files(folder) == after, fault.done
        left = {path.name for path in folder.rglob(".*")} - {".lock", ".counterfoil", ".counterfoil-files.json"}
        assert not left, fault.done
        shutil.rmtree(folder)
    raise AssertionError("the command never comes to its end")


def check(folder: Path, before: dict[str, bytes], after: dict[str, bytes], code: int, said: str, fault: str) -> None:
    """One sentence; every file is as it was or as it was to be, and a run of which some are is not taken for whole."""
    assert code == 2, (fault, said)
    assert said.splitlines()[-1].startswith("counterfoil: "), (fault, said)
    assert "Traceback" not in said
    now = files(folder)
    for name in before:
        if name not in now:
            assert name == "run/report.html", f"{name} is gone after {fault}"  # of an earlier run
    for name, content in now.items():
        assert content in (before.get(name), after.get(name)), f"{name} is neither old nor new after {fault}"
    assert all(now[name] == b"mine" for name in now if name.endswith("mine.txt"))
    of_run = {name for name in (*before, *after) if name.startswith("run/") and name != "run/report.html"}
    versions = [{name: state.get(name) for name in of_run} for state in (before, after)]
    if {name: now.get(name) for name in of_run} not in versions:
        with pytest.raises(cf.UserError, match="run the same command again"):
            cf.Run(folder / "run")


def test_a_run_in_the_place_of_an_earlier_one(earlier: Path, tmp_path: Path) -> None:
    places = each_fault(earlier, tmp_path, *RUN, "7")
    for name in ("records.parquet", "summary.json", "manifest.json", "one.json", "two.json"):
        assert f"rename run/.new/{name}" in places, f"{name} takes its place"
    assert len(places) > 30, places


@pytest.mark.parametrize("name", [pytest.param(it, marks=[pytest.mark.slow] * (it in SLOW)) for it in COMMANDS])
def test_an_export_in_the_place_of_an_earlier_one(name: str, grown: Path, tmp_path: Path) -> None:
    places = each_fault(grown, tmp_path, *COMMANDS[name])
    # Each file is written, made durable and renamed, and so is the list of its folder.
    assert len(places) >= 6, places


def test_ratings_as_csv(earlier: Path, tmp_path: Path) -> None:
    places = each_fault(earlier, tmp_path, "rate", "results", "taught/pilot.study.sqlite", "--csv", "ratings.csv")
    assert len(places) >= 6, places


@pytest.mark.slow
def test_a_set_of_perturbed_questions(earlier: Path, tmp_path: Path) -> None:
    places = each_fault(
        earlier, tmp_path, "data", "perturb", "--from", "bank", "--limit", "2", "--out", "new/set.jsonl"
    )
    assert "rename new/" in " ".join(places), places
    assert len(places) >= 6, places
