"""The page of commands is what `--help` prints."""

from __future__ import annotations

import difflib

import pytest

from command_help import PAGE, page

pytestmark = pytest.mark.heavy


def test_the_page_of_commands_is_up_to_date() -> None:
    shown, printed = PAGE.read_text(encoding="utf-8"), page()
    # Where lines break differs between versions of argparse; the words do not.
    if shown.split() != printed.split():
        changes = difflib.unified_diff(shown.splitlines(), printed.splitlines(), "page", "help", lineterm="")
        raise AssertionError("write it anew: python tests/support/command_help.py\n" + "\n".join(changes))
