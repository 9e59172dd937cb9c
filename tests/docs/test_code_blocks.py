"""Every code block of the documentation does what it says.

Each page is gone through in a folder of its own, from its top to its end. A block with a `title` is written to the file
of that name; Python is executed; commands behind a `$` are run (`page_commands.py` says how far), and must end with
exit code 0 and print what stands below them, where a line `…` stands for any lines. Pages on what needs packages that
are not here, or a machine that is not this one, are read and not run.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from page_commands import PARSED_ONLY, CommandFailed, run_command
from page_files import FILES
from pages import Block, blocks, commands, indented_code, pages

LANGUAGES = ("console", "csv", "json", "python", "text", "toml", "yaml")
# Pages whose blocks need what is not here; `make test-extras` runs the same by other tests.
READ_ONLY = {
    "batch.md": "batches take a provider's hours",
    "inspect.md": "needs Inspect",
    "lm-eval.md": "needs lm-eval",
    "scale.md": "needs Ray",
    "training.md": "needs torch and TRL",
    "transformers.md": "needs torch",
}
PAGES = pages()
ANY_LINES = "…"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_says_what_it_is(page: Path) -> None:
    assert indented_code(page) == [], "code is fenced, with its language"
    for block in blocks(page):
        assert block.language in LANGUAGES, f"{block.where} is of no language that the test knows"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_works(page: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, make in FILES.get(page.name, {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        make(folder / name)
    capsys.readouterr()
    names: dict[str, Any] = {"__name__": page.stem}
    only_read = page.name in READ_ONLY
    for block in blocks(page):
        try:
            _check(block, names, only_read, capsys)
        except Exception as error:
            error.add_note(f"in {block.where}\n{capsys.readouterr().err}")
            raise


def _check(block: Block, names: dict[str, Any], only_read: bool, capsys: pytest.CaptureFixture[str]) -> None:
    if block.language == "toml":
        tomllib.loads(block.text)
    elif block.language == "json":
        _parse_json(block)
    elif block.language == "python":
        code = compile(block.text, block.where, "exec")
        if not only_read:
            exec(code, names)
    elif block.language == "console":
        for command in commands(block):
            run_command(command.text, only_parse=only_read)
            printed = capsys.readouterr().out
            if command.output and not only_read:
                assert _fits(command.output, printed), _difference(command.output, printed)
    if block.title is not None:
        Path(block.title).write_text(f"{block.text}\n", encoding="utf-8")


def _parse_json(block: Block) -> None:
    """One value, or one on each line."""
    try:
        json.loads(block.text)
    except json.JSONDecodeError:
        for line in block.text.splitlines():
            json.loads(line)


def _fits(shown: str, printed: str) -> bool:
    parts = [re.escape(_plain(part)) for part in re.split(rf"^{ANY_LINES}\n", shown, flags=re.MULTILINE)]
    return re.fullmatch(r"(?:.*\n)*?".join(parts), _plain(printed)) is not None


def _plain(text: str) -> str:
    """Without spaces at the ends of lines, and without empty lines at both ends."""
    return "".join(f"{line.rstrip()}\n" for line in text.strip("\n").splitlines()) if text.strip() else ""


def _difference(shown: str, printed: str) -> str:
    return "the page shows something else:\n" + "\n".join(difflib.ndiff(printed.splitlines(), shown.splitlines()))


def test_what_is_parsed_only_is_shown_somewhere() -> None:
    shown = "\n".join(it.text for page in PAGES for block in blocks(page) for it in _commands(block))
    for begin in PARSED_ONLY:
        assert f"counterfoil {begin}" in shown, f"{begin} is on no page: take it out of the list"


def _commands(block: Block) -> list[Any]:
    return commands(block) if block.language == "console" else []


@pytest.mark.parametrize(
    ("command", "only_parse"),
    [
        ("counterfoil run explain --modle planted/explain", False),
        ("counterfoil run explain --modle planted/explain", True),
        ("counterfoil serve --prot 1", False),
        ("counterfoil show nowhere", False),
        ("make nothing", True),
        ("pip install 'counterfoil[nothing]'", True),
        ("python -m benchmarks.nothing", False),
        ("nothing", False),
    ],
)
def test_a_command_that_does_not_work_is_found(command: str, only_parse: bool, folder: Path) -> None:
    with pytest.raises(CommandFailed):
        run_command(command, only_parse=only_parse)


@pytest.mark.parametrize(
    ("shown", "printed", "fits"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\nc\n", False),
        ("a\n", "a\nb\n", False),
        ("a\n…\nc\n", "a\nx\ny\nc\n", True),
        ("a\n…\n", "a\nx\n", True),
        ("…\nc\n", "a\nx\nd\n", False),
        ("a.c\n", "abc\n", False),
    ],
)
def test_what_a_page_shows_is_compared(shown: str, printed: str, fits: bool) -> None:
    assert _fits(shown, printed) is fits
