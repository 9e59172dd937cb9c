"""`python quick_batches.py ARGUMENTS`: the command line with less patience than a provider needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SUPPORT = Path(__file__).parent


def start_quick(*arguments: str, cwd: Path) -> subprocess.Popen[str]:
    """Start a command and go on; it has the environment of this process."""
    return subprocess.Popen(
        [sys.executable, str(SUPPORT / "quick_batches.py"), *arguments],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(SUPPORT), "NO_COLOR": "1", "COLUMNS": "120"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def quick(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, in this process: with its environment and with as little patience as it has."""
    from commands import command_here

    return command_here(arguments, cwd, os.environ | {"NO_COLOR": "1", "COLUMNS": "120"})


def have_little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, for a test."""
    from counterfoil.asking.batches import carrier, submitting

    for module, name, value in (
        (carrier, "FIRST_LOOK", 0.01),
        (carrier, "LONGEST_LOOK", 0.01),
        (submitting, "FIRST_WAIT", 0.01),
        (submitting, "LONGEST_WAIT", 0.01),
        (submitting, "LOOK_SECONDS", 0.02),
        (submitting, "SETTLE_SECONDS", 0.1),
        (submitting, "LOCK_SECONDS", 0.01),
        (carrier, "LINES_AT_ONCE", 7),
    ):
        monkeypatch.setattr(module, name, value)


def _main() -> int:
    from counterfoil.asking.batches import carrier, submitting
    from counterfoil.cli.main import main

    carrier.FIRST_LOOK = carrier.LONGEST_LOOK = 0.05
    submitting.FIRST_WAIT = submitting.LONGEST_WAIT = submitting.LOOK_SECONDS = 0.05
    submitting.SETTLE_SECONDS = 0.5
    submitting.LOCK_SECONDS = 0.02
    carrier.LINES_AT_ONCE = 10
    return main()


if __name__ == "__main__":
    sys.exit(_main())
