"""What the user sees in a terminal: sentences beside the results, and tables."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress

GAP = "  "


def say(sentence: str) -> None:
    """Tell the user a sentence on standard error. Nobody may be listening any more: that is no reason to stop."""
    with suppress(OSError):
        print(sentence, file=sys.stderr, flush=True)


def table(rows: Sequence[Sequence[str]], *, left: bool = False) -> str:
    """Rows under their heading, the first column to the left, the others to the right unless they are texts."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if left or column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append(GAP.join(cells).rstrip())
    lines.insert(1, GAP.join("-" * width for width in widths))
    return "\n".join(lines)
