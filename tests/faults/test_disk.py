"""A full or read-only file system: one clear sentence, and nothing that was stored is harmed."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands import SUITE, counterfoil
from mock_server import MockServer

pytestmark = pytest.mark.heavy


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of half a megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a file system takes rights that this user does not have")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def count_replies(ledger: Path) -> int:
    connection = sqlite3.connect(ledger)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    (number,) = connection.execute("SELECT count(*) FROM replies").fetchone()
    connection.close()
    return int(number)


def test_a_full_disk_under_the_ledger(small_disk: Path, tmp_path: Path) -> None:
    ledger = small_disk / "ledger.sqlite"
    with MockServer() as server:
        arguments = ("run", SUITE, "--model", "vllm/m", "--base-url", server.url, "--ledger", str(ledger))
        first = counterfoil(*arguments, "--data", "100", "--out", "first", cwd=tmp_path)
        assert first.returncode == 0, first.stderr
        done = counterfoil(*arguments, "--data", "5000", "--out", "second", cwd=tmp_path)
    assert done.returncode == 2
    assert "disk is full" in done.stderr
    assert "What was stored is kept" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert count_replies(ledger) >= 100
    assert not (tmp_path / "second" / "records.parquet").exists()
    # The replies of the first run are all there: it can be scored again without a server.
    again = counterfoil(*arguments, "--data", "100", "--out", "first", cwd=tmp_path)
    assert again.stdout == first.stdout


def test_a_full_disk_under_the_run_folder(small_disk: Path, tmp_path: Path) -> None:
    with MockServer() as server:
        arguments = ("run", SUITE, "--model", "vllm/m", "--base-url", server.url, "--data", "3000")
        filler = small_disk / "filler"
        filler.write_bytes(b"x" * 500_000)
        done = counterfoil(*arguments, "--out", str(small_disk / "out"), cwd=tmp_path)
        assert done.returncode == 2
        assert "replies that have come are safe in the ledger" in done.stderr
        assert "Traceback" not in done.stderr
        asked = len(server.requests)
        # With room, the same command goes on and ends well; what was stored is not asked again.
        filler.unlink()
        stored = count_replies(tmp_path / ".counterfoil" / "ledger.sqlite")
        assert stored >= 1_024  # the first window of records was full before anything had to be written
        done = counterfoil(*arguments, "--out", str(small_disk / "out"), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert len(server.requests) == asked + 3_000 - stored


def test_a_read_only_ledger(small_disk: Path, tmp_path: Path) -> None:
    ledger = small_disk / "ledger.sqlite"
    with MockServer() as server:
        arguments = ("run", SUITE, "--model", "vllm/m", "--base-url", server.url, "--ledger", str(ledger))
        assert counterfoil(*arguments, "--data", "50", cwd=tmp_path).returncode == 0
        before = ledger.read_bytes()
        subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
        done = counterfoil(*arguments, "--data", "60", cwd=tmp_path)
        assert len(server.requests) == 50, "nothing is asked that can't be kept"
    assert done.returncode == 2
    assert f"The ledger {ledger} can't be opened for writing" in done.stderr
    assert ledger.read_bytes() == before


def test_a_ledger_in_an_archive_can_be_read(small_disk: Path, tmp_path: Path) -> None:
    ledger = small_disk / "ledger.sqlite"
    with MockServer() as server:
        arguments = ("run", SUITE, "--model", "vllm/m", "--base-url", server.url, "--ledger", str(ledger))
        assert counterfoil(*arguments, "--data", "50", cwd=tmp_path).returncode == 0
        subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
        dry = counterfoil(*arguments, "--data", "50", "--dry-run", cwd=tmp_path)
    assert dry.returncode == 0, dry.stderr
    for action in ("info", "export", "check"):
        done = counterfoil("ledger", action, "--ledger", str(ledger), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "50" in done.stdout or len(done.stdout.splitlines()) == 50


def test_no_room_is_noticed_before_anything_is_asked(small_disk: Path, tmp_path: Path) -> None:
    ledger = small_disk / "ledger.sqlite"
    with MockServer() as server:
        arguments = ("run", SUITE, "--model", "vllm/m", "--base-url", server.url, "--ledger", str(ledger))
        assert counterfoil(*arguments, "--data", "10", cwd=tmp_path).returncode == 0
        (small_disk / "filler").write_bytes(b"x" * (shutil.disk_usage(small_disk).free - 45_000))
        done = counterfoil(*arguments, "--data", "50", cwd=tmp_path)
        assert len(server.requests) == 10
        new = ("--ledger", str(small_disk / "new.sqlite"), "--data", "50")
        (small_disk / "rest").write_bytes(b"x" * (shutil.disk_usage(small_disk).free - 5_000))
        fresh = counterfoil(*arguments[:-2], *new, cwd=tmp_path)
    for refused in (done, fresh):
        assert refused.returncode == 2
        assert "the disk is full" in refused.stderr
