"""The headline table for a terminal: numbers, intervals as bars, signs; as wide as the terminal is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from counterfoil import console
from counterfoil.console import SHORTEST, cut, page_width, printable, width_of
from counterfoil.figures.names import distinct
from counterfoil.figures.numbers import between, cell
from counterfoil.report.headline.table import Cell, Column, HeadlineTable

# Columns of a bar beside its number; where there are fewer it stands below, unless there are many rows.
WIDEST, NARROWEST = 21, 9
MOST_TALL = 12
GAP = "   "


def headline_text(table: HeadlineTable) -> str:
    """The table. In a narrow terminal models stand above their figures, and names are cut in the middle; in a file
    or a pipe nothing is cut.
    """
    names = [printable(" · ".join(filter(None, (row.name, row.prompt)))) for row in table.rows]
    texts = [[_figure(one) for one in row.cells] for row in table.rows]
    widths = [
        max(map(width_of, (*heads, *(row[n] for row in texts)))) for n, heads in enumerate(map(_heads, table.columns))
    ]
    room, first = page_width(), max(map(width_of, names))
    figures = sum(widths) + len(widths) * len(GAP)
    is_stacked = console.on_a_terminal() and figures + SHORTEST > room
    if is_stacked:
        names, first = distinct(names, lambda text: cut(text, room)), 2 - len(GAP)
    elif console.on_a_terminal() and figures + first > room:
        first = room - figures
        names = distinct(names, lambda text: cut(text, first))
    beside = (room - first - figures) // len(widths) - 1
    wide = min(beside, WIDEST) if beside >= NARROWEST else 0
    below = not wide and len(names) <= MOST_TALL
    whole = [width + (wide + 1 if wide else 0) for width in widths]
    indent = " " * max(first, 0)
    lines = [_line(indent, cells, whole) for cells in zip_longest(*map(_heads, table.columns), fillvalue="")]
    lines.append(_line("─" * first, ["─" * width for width in whole], whole))
    for name, figures_of, row in zip(names, texts, table.rows, strict=True):
        parts = [
            f"{text}{' ' * (width - width_of(text))} {_bar(column, one, wide)}" if wide else text
            for column, one, text, width in zip(table.columns, row.cells, figures_of, widths, strict=True)
        ]
        lines += [name, _line(indent, parts, whole)] if is_stacked else [_line(name.ljust(first), parts, whole)]
        if below:
            bars = [
                f"  {_bar(column, one, width - 2)}"
                for column, one, width in zip(table.columns, row.cells, widths, strict=True)
            ]
            lines.append(_line(indent, bars, whole))
    return "\n".join(line for line in lines if line)


def _line(first: str, cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (text + " " * (width - width_of(text)) for text, width in zip(cells, widths, strict=True))
    return GAP.join([first, *padded]).rstrip()


def _heads(column: Column) -> Iterator[str]:
    """What stands above a column, line by line; where its numbers begin."""
    yield from (f"  {text}" for text in (*column.title, column.better))


def _figure(one: Cell) -> str:
    """Sign, value and interval."""
    estimate = one.estimate
    if estimate is None:
        return "  –"
    if estimate.value is None:
        return f"  not defined (n={estimate.n})"
    return f"{one.sign or ' '} {cell(estimate.value)}{between(estimate.low, estimate.high) or f' (n={estimate.n})'}"


def _bar(column: Column, one: Cell, width: int) -> str:
    """The interval on the axis of its column: ├──●──┤. Without an interval there is nothing to draw."""
    marks = [" "] * width
    if column.holds_0:
        marks[_place(column, 0.0, width)] = "┊"
    estimate = one.estimate
    if estimate is None or estimate.value is None or estimate.low is None or estimate.high is None:
        return "".join(marks)
    low, value, high = (_place(column, end, width) for end in (estimate.low, estimate.value, estimate.high))
    marks[low : high + 1] = "─" * (high - low + 1)
    marks[low], marks[high] = "├", "┤"
    marks[value] = "●"
    return "".join(marks)


def _place(column: Column, value: float, width: int) -> int:
    inside = min(max(value, column.low), column.high) if math.isfinite(value) else column.high
    return round((inside - column.low) / (column.high - column.low) * (width - 1))
