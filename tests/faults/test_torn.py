"""A run folder that was left between two runs is seen as such, and the same command mends it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import counterfoil as cf
from commands import SUITE, SUPPORT, counterfoil, environment
from counterfoil import targets
from counterfoil.files import write_json

pytestmark = pytest.mark.heavy

# The command line in a process that is killed when a file of this name is to take its place in the folder "out".
KILLED = """
import os, signal, sys
from pathlib import Path
rename = os.replace
def replace(source, target):
    if Path(target) == Path("out", sys.argv[1]):
        os.kill(os.getpid(), signal.SIGKILL)
    rename(source, target)
os.replace = replace
from counterfoil.cli.main import main
sys.exit(main(sys.argv[2:]))
"""
PLANTED = ("run", SUITE, "--model", "planted/three_choice:suite", "--out", "out")


def killed_at(name: str, *arguments: str, cwd: Path) -> int:
    """The exit code of the command in a process that is killed before the file of this name is in its place."""
    source = Path(cf.__file__).parents[1]
    env = environment(PYTHONPATH=f"{SUPPORT}:{source}")
    return subprocess.run([sys.executable, "-c", KILLED, name, *arguments], cwd=cwd, env=env, check=False).returncode


@pytest.mark.parametrize("name", ["summary.json", "manifest.json"])
def test_a_folder_with_files_of_two_runs_is_seen_and_mended(name: str, tmp_path: Path) -> None:
    assert counterfoil(*PLANTED, "--data", "5", cwd=tmp_path).returncode == 0
    assert killed_at(name, *PLANTED, "--data", "7", cwd=tmp_path) == -signal.SIGKILL
    for command in (
        ("show", "out"),
        ("report", "out"),
        ("compare", "out", "out"),
        ("export", "out", "--to", "csv", "t"),
    ):
        done = counterfoil(*command, cwd=tmp_path)
        assert done.returncode == 2, done.stdout
        assert "out holds files of two runs" in done.stderr
        assert "run the same command again" in done.stderr
    assert counterfoil(*PLANTED, "--data", "7", cwd=tmp_path).returncode == 0
    assert cf.Run(tmp_path / "out").records.height == 7
    left = {path.name for path in (tmp_path / "out").iterdir()}
    assert left == {".lock", "manifest.json", "records.parquet", "summary.json", "report.html", targets.LIST}


def test_a_first_run_that_was_killed_is_not_taken_for_a_whole_one(tmp_path: Path) -> None:
    assert killed_at("manifest.json", *PLANTED, "--data", "5", cwd=tmp_path) == -signal.SIGKILL
    with pytest.raises(cf.UserError, match="run the same command again"):
        cf.Run(tmp_path / "out")


def test_a_run_that_is_killed_before_it_changes_anything_leaves_the_earlier_one_whole(tmp_path: Path) -> None:
    assert counterfoil(*PLANTED, "--data", "5", cwd=tmp_path).returncode == 0
    before = {name: (tmp_path / "out" / name).read_bytes() for name in ("records.parquet", "summary.json")}
    assert killed_at("records.parquet", *PLANTED, "--data", "7", cwd=tmp_path) == -signal.SIGKILL
    assert cf.Run(tmp_path / "out").records.height == 5
    assert {name: (tmp_path / "out" / name).read_bytes() for name in before} == before


def test_the_three_files_have_one_id_and_equal_records_have_the_same(tmp_path: Path) -> None:
    def ids(folder: str) -> set[str]:
        summary, manifest = (
            json.loads((tmp_path / folder / f"{name}.json").read_bytes()) for name in ("summary", "manifest")
        )
        return {
            summary["id"],
            manifest["id"],
            pl.read_parquet_metadata(tmp_path / folder / "records.parquet")["counterfoil_run"],
        }

    for folder, data in (("a", "5"), ("b", "5"), ("c", "7")):
        assert counterfoil(*PLANTED[:-1], folder, "--data", data, cwd=tmp_path).returncode == 0
    (a,), (b,), (c,) = ids("a"), ids("b"), ids("c")
    assert a == b != c


def test_older_folders_without_ids_stay_readable_and_are_seen_when_torn(tmp_path: Path) -> None:
    assert counterfoil(*PLANTED, "--data", "5", cwd=tmp_path).returncode == 0
    folder = tmp_path / "out"
    with_id = (folder / "records.parquet").read_bytes()
    for name in ("summary.json", "manifest.json"):
        content = json.loads((folder / name).read_bytes())
        del content["id"]
        write_json(folder / name, content)
    pl.read_parquet(folder / "records.parquet").write_parquet(folder / "records.parquet")
    assert cf.Run(folder).records.height == 5
    assert "accuracy" in counterfoil("show", "out", cwd=tmp_path).stdout
    # A newer run was killed behind its records: they have an id, and the older summary has none.
    (folder / "records.parquet").write_bytes(with_id)
    with pytest.raises(cf.UserError, match="holds files of two runs"):
        cf.Run(folder)
