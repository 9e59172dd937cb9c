"""What a terminal is shown: nothing that others wrote steers it."""

from __future__ import annotations

import pytest

from counterfoil.console import printable, say, shown_name, table


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\n서울 😀", "plain\ttext\n서울 😀"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("over\rwritten", "over\\rwritten"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u202eb", "a\\u202eb"),
        ("\udcb0", "\\udcb0"),
    ],
)
def test_what_steers_a_terminal_is_spelled_out(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_sentences_and_tables_are_shown_so(capsys: pytest.CaptureFixture[str]) -> None:
    say("vllm/\x1b[2Jm: gone.")
    assert capsys.readouterr().err == "vllm/\\x1b[2Jm: gone.\n"
    # The spelled-out name is 10 letters wide, and the rule below the heading, too.
    assert table([["model", "n"], ["a\x1b[2J\nb", "1"]]).splitlines()[1:] == ["-----------  -", "a\\x1b[2J\\nb  1"]


def test_a_name_in_other_bytes_can_be_shown() -> None:
    name = "결과".encode("cp949").decode("utf-8", "surrogateescape")
    assert "\udcb0" not in shown_name(name)
    assert shown_name("결과") == "결과"
