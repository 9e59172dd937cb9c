"""A crash leaves the old file or the new one, never half of one."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from counterfoil.errors import UserError
from counterfoil.files import replacing, write_json
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
