"""What the user sees in a terminal: sentences beside the results, and tables."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Callable, Sequence
from contextlib import suppress

GAP = "  "
# Where nobody says how wide the page is.
USUAL_WIDTH = 110
# A name is not cut shorter than this.
SHORTEST = 12


# What steers a terminal, turns the direction of a line, or is half a character. Lines and tabs are no harm.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """A text as it may be printed: servers, files and names hold what would steer the terminal. All that is printed
    for people goes through here.
    """
    return _STEERING.sub(lambda match: match[0].encode("unicode_escape", "backslashreplace").decode(), text)


def shown_name(name: str) -> str:
    """A name of a file as it may be written down, whatever bytes it has."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


# Tells the user a sentence, as `say` does.
Say = Callable[[str], None]


def say(sentence: str) -> None:
    """Tell the user a sentence on standard error. Nobody may be listening any more: that is no reason to stop."""
    with suppress(OSError):
        print(printable(sentence), file=sys.stderr, flush=True)


def on_a_terminal() -> bool:
    """Whether results go to a terminal, and not to a file or a pipe."""
    return sys.stdout.isatty()


def page_width() -> int:
    """How many columns the terminal has."""
    return shutil.get_terminal_size((USUAL_WIDTH, 24)).columns


def wrapped(sentence: str, indent: str = "") -> str:
    """The sentence in lines that fit the terminal, `indent` before all but the first; one line in a file or a pipe."""
    if not on_a_terminal():
        return sentence
    width = max(page_width(), 2 * SHORTEST)
    return textwrap.fill(sentence, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def table(rows: Sequence[Sequence[str]], *, left: bool = False, heading: int = 1) -> str:
    """Rows under their heading, the first column to the left, the others to the right unless they are texts.

    Where the table is wider than the terminal, names are cut in the middle: those of the heading and of the first
    column, and all texts. A number is never cut, and nothing is in a file or a pipe.
    """
    rows = [[printable(cell).replace("\n", "\\n").replace("\t", "\\t") for cell in row] for row in rows]
    widths = _widths(rows, left, heading)
    lines = []
    for row in rows:
        cells = [
            _padded(cut(cell, width), width, left or column == 0)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append(GAP.join(cells).rstrip())
    lines.insert(heading, GAP.join("-" * width for width in widths))
    return "\n".join(lines)


def cut(text: str, width: int) -> str:
    """The text without its middle, where it is wider than that."""
    if width_of(text) <= width:
        return text
    end = (width - 1) // 2
    start = width - 1 - end
    while width_of(text[:start]) + width_of(text[len(text) - end :]) >= width:  # some letters take two columns
        start, end = (start - 1, end) if start > end else (start, end - 1)
    return f"{text[:start]}…{text[len(text) - end :]}"


def width_of(text: str) -> int:
    """How many columns of a terminal a text takes: Korean letters take two."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(each) else 1 + (unicodedata.east_asian_width(each) in "WF") for each in text)


def _padded(cell: str, width: int, left: bool) -> str:
    space = " " * (width - width_of(cell))
    return cell + space if left else space + cell


def _widths(rows: Sequence[Sequence[str]], left: bool, heading: int) -> list[int]:
    """The widths of the columns, so that the table fits where it can."""
    columns = range(len(rows[0]))
    widths = [max(width_of(row[column]) for row in rows) for column in columns]
    fewest = [
        min(width, SHORTEST if left or column == 0 else max([SHORTEST, *(width_of(r[column]) for r in rows[heading:])]))
        for column, width in enumerate(widths)
    ]
    excess = sum(widths) + len(GAP) * (len(widths) - 1) - page_width() if on_a_terminal() else 0
    while excess > 0 and widths != fewest:
        column = max(columns, key=lambda each: widths[each] if widths[each] > fewest[each] else 0)
        widths[column] -= 1
        excess -= 1
    return widths
