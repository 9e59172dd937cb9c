"""The command line as a user calls it: a process of its own, in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SUPPORT = Path(__file__).parent
SUITE = "three_choice:suite"


def environment(**more: str) -> dict[str, str]:
    """The environment of a command, without keys that the machine may have."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_ORG_ID", "_URL"))}
    return kept | {"PYTHONPATH": str(SUPPORT), "NO_COLOR": "1", "COLUMNS": "120"} | more


def start(*arguments: str, cwd: Path, **more: str) -> subprocess.Popen[str]:
    """Start a command and go on."""
    return subprocess.Popen(
        [sys.executable, "-m", "counterfoil", *arguments],
        cwd=cwd,
        env=environment(**more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def counterfoil(*arguments: str, cwd: Path, timeout: float = 120, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; `more` goes into its environment."""
    process = start(*arguments, cwd=cwd, **more)
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)
