"""docs/commands.md: the help of every command. `python tests/support/command_help.py` writes it anew."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from pathlib import Path
from unittest.mock import patch

from counterfoil.cli.main import COMMANDS, main

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"
SUITES = ("explain", "bias", "memorization")
ACTION = re.compile(r"^ {4}([a-z][a-z-]*)(?: |$)", re.MULTILINE)
HEAD = """# Commands

The help of every command, as `counterfoil COMMAND --help` prints it. A test holds this page to it. `score` and `plan`
take a suite's own options as `run` does.

Every command takes `--verbose`. It shows on standard error each request as sent, the status and time of its answer,
retries and their reasons, waits for pace and budget, how many replies the ledger held, the files that were written, and
the traceback behind an error. Keys are masked. `COUNTERFOIL_LOG=debug` in the environment does the same. From Python,
these are the lines of the loggers `counterfoil.*`.
"""


def page() -> str:
    """The page, at a width of 100 characters whatever the terminal has."""
    return f"{HEAD}\n{_section('counterfoil')}" + "".join(_sections())


def help_of(*arguments: str) -> str:
    """What `--help` prints."""
    out = io.StringIO()
    # Colours and widths are the terminal's, and the page has neither. It is argparse that leaves, when it has printed.
    with patch.dict(os.environ, {"COLUMNS": "100", "NO_COLOR": "1"}), redirect_stdout(out), suppress(SystemExit):
        main([*arguments, "--help"])
    return out.getvalue().strip()


def _sections() -> Iterator[str]:
    for name in COMMANDS:
        yield f"\n{_section(f'counterfoil {name}', name)}"
        if name == "run":
            yield from (_subsection(name, suite, _own_options(name, suite)) for suite in SUITES)
        yield from (_subsection(name, action, help_of(name, action)) for action in ACTION.findall(help_of(name)))


def _subsection(command: str, more: str, text: str) -> str:
    return f"\n### counterfoil {command} {more}\n\n```text\n{text}\n```\n"


def _section(title: str, *arguments: str) -> str:
    return f"## {title}\n\n```text\n{help_of(*arguments)}\n```\n"


def _own_options(command: str, suite: str) -> str:
    """Of a suite's help the part that other suites do not have."""
    heading = f"options of {suite}:"
    text = help_of(command, suite)
    return heading + text.partition(heading)[2].partition("\n\n")[0]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
