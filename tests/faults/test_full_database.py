"""A ledger, and a study, that can't grow any more: at every size at which SQLite says so, nothing is lost."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from commands import SUITE, counterfoil
from counterfoil import sqlite

pytestmark = pytest.mark.slow

RUN = ("run", SUITE, "--model", "planted/three_choice:suite", "--data", "40", "--out", "run")
RATED = (
    "run",
    "bias",
    "--data",
    "english",
    "--model",
    "planted/bias",
    "--variant",
    "1",
    "--limit",
    "11",
    "--out",
    "run",
)
STUDY = ("rate", "new", "--run", "run", "--name", "pilot", "--sample", "4")
MOST = 60  # pages; more would be a database that is never large enough


@contextmanager
def pages(most: int) -> Iterator[None]:
    """Databases that were opened inside have so many pages at the most: SQLite fails where it needs another one."""
    connect = sqlite.connect

    def limited(*arguments: Any, **settings: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **settings)
        connection.execute(f"PRAGMA max_page_count = {most}")
        return connection

    with patch.object(sqlite, "connect", limited):
        yield


def outcomes(folder: Path) -> Any:
    return json.loads((folder / "run" / "manifest.json").read_bytes())["outcomes"]


@pytest.mark.parametrize("command", [RUN, STUDY], ids=["ledger", "study"])
def test_a_database_that_is_full_is_said_and_mended_by_the_same_command(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    refused = 0
    for most in range(1, MOST):
        folder = tmp_path / str(most)
        folder.mkdir()
        if command == STUDY:
            assert counterfoil(*RATED, cwd=folder).returncode == 0
        with pages(most):
            done = counterfoil(*command, cwd=folder)
        if done.returncode == 0:
            break
        refused += 1
        assert done.returncode == 2, (most, done.stderr)
        assert done.stderr.splitlines()[-1].startswith("counterfoil: "), (most, done.stderr)
        assert "Traceback" not in done.stderr
        again = counterfoil(*command, cwd=folder)
        assert again.returncode == 0, (most, again.stderr)
        # 11 questions in three orders.
        assert outcomes(folder)["answered"] == (33 if command == STUDY else 40)
    assert refused > 2
    assert most < MOST - 1, "it never comes to its end"
