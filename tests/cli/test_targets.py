"""Where files are to be written: what can't be is said in one sentence, and before anything is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands import counterfoil
from counterfoil.errors import UserError
from counterfoil.files import check_target


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of explain, a study of it and a ledger."""
    folder = tmp_path_factory.mktemp("there")
    counterfoil("run", "explain", "--model", "planted/explain", "--limit", "5", "--out", "run", cwd=folder)
    done = counterfoil("rate", "new", "--run", "run", "--name", "pilot", "--sample", "2", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("target", [".", "/", "run"])
@pytest.mark.parametrize(
    "command",
    [
        ("report", "run", "--out"),
        ("ledger", "export", "--to"),
        ("rate", "results", "run/pilot.study.sqlite", "--csv"),
        ("run", "bias", "--model", "planted/bias", "--limit", "2", "--out", "new", "--write-official"),
    ],
)
def test_a_folder_is_no_file(command: tuple[str, ...], target: str, there: Path) -> None:
    before = sorted(there.rglob("*"))
    done = counterfoil(*command, target, cwd=there)
    assert (done.returncode, done.stderr) == (2, f"counterfoil: {target} is a folder: name a file to write.\n")
    assert sorted(there.rglob("*")) == before


@pytest.mark.parametrize("target", ["file/official.tsv", "/proc/official.tsv", "x" * 300])
def test_the_official_table_has_a_place_before_anything_is_asked(target: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    arguments = ("run", "bias", "--model", "planted/bias", "--limit", "2", "--write-official", target)
    done = counterfoil(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert f"{target} can't be written: " in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_folders_that_are_not_there_yet_are_made_later(tmp_path: Path) -> None:
    check_target(tmp_path / "a" / "b" / "table.tsv")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "table.tsv").write_text("old")
    check_target(tmp_path / "table.tsv")
    assert (tmp_path / "table.tsv").read_text() == "old"
    with pytest.raises(UserError, match=r"table\.tsv/b/c can't be written: Not a directory"):
        check_target(tmp_path / "table.tsv" / "b" / "c")


def test_a_run_leaves_the_official_table_in_a_new_folder(tmp_path: Path) -> None:
    arguments = ("run", "bias", "--model", "planted/bias", "--limit", "2", "--variant", "1")
    done = counterfoil(*arguments, "--write-official", "a/b/table.tsv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a" / "b" / "table.tsv").read_text(encoding="utf-8").startswith("model\tcategory\t")
