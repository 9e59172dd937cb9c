"""What `pip install .` puts into an environment is whole, and works without the repository."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.heavy

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "counterfoil"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package alone; what it depends on is in this environment."""
    target = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    alone = ["--no-deps", "--no-index", "--no-build-isolation", "--target", str(target), str(ROOT)]
    subprocess.run([*pip, *alone], check=True, capture_output=True)
    return target


def test_every_file_of_the_package_is_there(installed: Path) -> None:
    def files(folder: Path) -> set[str]:
        found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
        return {str(path) for path in found if "__pycache__" not in path.parts}

    assert files(installed / "counterfoil") == files(SOURCE)
    assert {"counterfoil/py.typed", "counterfoil/explain/prompts/cfe.txt"} <= files(installed)


@pytest.mark.parametrize("suite", ["explain", "bias", "memorization"])
def test_a_run_needs_nothing_of_the_repository(installed: Path, suite: str, tmp_path: Path) -> None:
    script = installed / "bin" / "counterfoil"
    line = [sys.executable, str(script), "run", suite, "--model", f"planted/{suite}", "--limit", "8", "--out", "run"]
    done = subprocess.run(
        line, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(installed)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run" / "summary.json").is_file()


def test_it_is_the_installed_one_that_runs(installed: Path) -> None:
    where = [sys.executable, "-c", "import counterfoil; print(counterfoil.__file__)"]
    done = subprocess.run(
        where, env=os.environ | {"PYTHONPATH": str(installed)}, capture_output=True, text=True, check=True
    )
    assert Path(done.stdout.strip()).is_relative_to(installed)
