"""Files: a crash leaves the old one or the new one, never half of one; a lock has one holder, and dies with it."""

from __future__ import annotations

import fcntl
import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from counterfoil.errors import UserError
from counterfoil.files import replacing, take_lock, write_json
from counterfoil.running.folder import Run


def test_an_error_while_writing_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_json(path, {"old": True})

    def write_half() -> None:
        with replacing(path) as temporary:
            temporary.write_text('{"new": tr')
            raise ValueError("oops")

    with pytest.raises(ValueError, match="oops"):
        write_half()
    assert path.read_text() == '{\n  "old": true\n}\n'
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.json"]


def test_a_kill_while_writing_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_json(path, {"old": True})
    code = textwrap.dedent(f"""
        import os, signal
        from pathlib import Path
        from counterfoil.files import replacing
        with replacing(Path({str(path)!r})) as temporary:
            temporary.write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)
    """)
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -signal.SIGKILL
    assert path.read_text() == '{\n  "old": true\n}\n'


def test_a_folder_that_is_no_run_and_a_broken_summary_are_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not a run folder"):
        Run(tmp_path)
    (tmp_path / "summary.json").write_text("{")
    with pytest.raises(UserError, match=r"summary\.json can't be read"):
        _ = Run(tmp_path).estimates


def test_a_lock_has_one_holder_and_leaves_with_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / ".lock"
    lock = take_lock(path)
    assert lock is not None
    assert take_lock(path) is None
    lock.release()
    again = take_lock(path)
    assert again is not None
    again.release()


def test_the_lock_of_a_process_that_was_killed_is_free(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    code = textwrap.dedent(f"""
        import sys
        from pathlib import Path
        from counterfoil.files import take_lock
        lock = take_lock(Path({str(path)!r}))
        print(lock is not None, flush=True)
        sys.stdin.read()
    """)
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        assert take_lock(path) is None
        holder.kill()
        holder.wait()
    lock = take_lock(path)
    assert lock is not None
    lock.release()


def test_a_lock_on_a_folder_that_was_removed_meanwhile_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, flock = tmp_path / "out", fcntl.flock
    removed: list[Path] = []

    def after_the_other_has_left(*arguments: Any) -> None:
        if not removed:  # the folder goes between the opening of its lock and the taking
            shutil.rmtree(folder)
            removed.append(folder)
        flock(*arguments)

    monkeypatch.setattr(fcntl, "flock", after_the_other_has_left)
    lock = take_lock(folder / ".lock")
    assert lock is not None
    assert removed
    assert (folder / ".lock").exists()
    assert take_lock(folder / ".lock") is None
    lock.release()


def test_a_lock_in_a_place_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        take_lock(tmp_path / "file" / ".lock")
