"""Does what a page says: from its top to its end, in the folder that the test is in.

A block with a `title` is written to the file of that name; Python is executed; commands behind a `$` are run, and must
print what stands below them, where a line `…` stands for any lines.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from page_commands import run_command
from page_files import FILES
from pages import Block, blocks, commands

ANY_LINES = "…"


def work_through(page: Path, capsys: pytest.CaptureFixture[str], instead: Mapping[str, str] | None = None) -> None:
    """Raises at the first block that does not do what it says. `instead`: what takes the place of what is shown."""
    for name, make in FILES.get(page.name, {}).items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        make(Path(name))
    capsys.readouterr()
    names: dict[str, Any] = {"__name__": page.stem}
    with ExitStack() as until:
        for block in blocks(page):
            try:
                _check(block._replace(text=replaced(block.text, instead or {})), names, capsys, until)
            except Exception as error:
                error.add_note(f"in {block.where}\n{capsys.readouterr().err}")
                raise


def replaced(text: str, instead: Mapping[str, str]) -> str:
    for shown, here in instead.items():
        text = text.replace(shown, here)
    return text


def _check(block: Block, names: dict[str, Any], capsys: pytest.CaptureFixture[str], until: ExitStack) -> None:
    if block.language == "toml":
        tomllib.loads(block.text)
    elif block.language == "json":
        _parse_json(block)
    elif block.language == "python":
        exec(compile(block.text, block.where, "exec"), names)
    elif block.language == "console":
        for command in commands(block):
            run_command(command.text, until)
            printed = capsys.readouterr().out
            if command.output:
                assert fits(command.output, printed), _difference(command.output, printed)
    if block.title is not None:
        Path(block.title).write_text(f"{block.text}\n", encoding="utf-8")


def _parse_json(block: Block) -> None:
    """One value, or one on each line."""
    try:
        json.loads(block.text)
    except json.JSONDecodeError:
        for line in block.text.splitlines():
            json.loads(line)


def fits(shown: str, printed: str) -> bool:
    """Whether this is what the page shows."""
    parts = [re.escape(_plain(part)) for part in re.split(rf"^{ANY_LINES}\n", shown, flags=re.MULTILINE)]
    return re.fullmatch(r"(?:.*\n)*?".join(parts), _plain(printed)) is not None


def _plain(text: str) -> str:
    """Without spaces at the ends of lines, and without empty lines at both ends."""
    return "".join(f"{line.rstrip()}\n" for line in text.strip("\n").splitlines()) if text.strip() else ""


def _difference(shown: str, printed: str) -> str:
    return "the page shows something else:\n" + "\n".join(difflib.ndiff(printed.splitlines(), shown.splitlines()))
