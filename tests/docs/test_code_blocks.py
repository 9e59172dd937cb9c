"""Every code block of the documentation does what it says.

Each page is gone through in a folder of its own (`page_blocks.py` and `page_commands.py` say how). Pages on what
needs packages that are not here are gone through by tests/extras/test_pages.py.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from page_blocks import fits, work_through
from page_commands import CommandFailed, run_command
from pages import NEEDS_EXTRAS, blocks, indented_code, pages

pytestmark = pytest.mark.heavy

LANGUAGES = ("console", "csv", "json", "python", "text", "toml", "yaml")
PAGES = pages()
BATCHES = "batch.md"
# The first pages that people read are gone through with every `make test`, the others with `make test-all`.
FIRST = ("README.md", "start.md", "suites.md")
HERE = [
    pytest.param(page, id=page.name, marks=() if page.name in FIRST else pytest.mark.slow)
    for page in PAGES
    if page.name not in (*NEEDS_EXTRAS, BATCHES)
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_says_what_it_is(page: Path) -> None:
    assert indented_code(page) == [], "code is fenced, with its language"
    for block in blocks(page):
        assert block.language in LANGUAGES, f"{block.where} is of no language that the test knows"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("page", HERE)
def test_every_block_works(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    work_through(page, capsys)


@pytest.mark.slow
@pytest.mark.usefixtures("batches")
def test_every_block_on_batches_works(capsys: pytest.CaptureFixture[str]) -> None:
    [page] = [page for page in PAGES if page.name == BATCHES]
    work_through(page, capsys)


def test_pages_that_need_extras_are_there() -> None:
    assert {page.name for page in PAGES} > set(NEEDS_EXTRAS)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "command",
    [
        "counterfoil run explain --modle planted/explain",
        "counterfoil show nowhere",
        "make nothing",
        "pip install 'counterfoil[nothing]'",
        "python -m benchmarks.nothing",
        "python examples/nothing.py",
        "cat nothing",
        "nothing",
    ],
)
def test_a_command_that_does_not_work_is_found(command: str) -> None:
    with ExitStack() as until, pytest.raises(CommandFailed):
        run_command(command, until)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", ["counterfoil serve --prot 1", "counterfoil serve nowhere"])
def test_a_site_that_does_not_start_is_found(command: str) -> None:
    with ExitStack() as until, pytest.raises(AssertionError, match="the site did not start"):
        run_command(command, until)


@pytest.mark.parametrize(
    ("shown", "printed", "is_it"),
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
def test_what_a_page_shows_is_compared(shown: str, printed: str, is_it: bool) -> None:
    assert fits(shown, printed) is is_it
