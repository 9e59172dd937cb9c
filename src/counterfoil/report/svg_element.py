"""The elements of a drawing as text. Nothing gets into one but through `element` and `text`, which escape."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NewType

from counterfoil.report.svg_text import clean, wrap

Markup = NewType("Markup", str)

SIZE = 12.0
LINE = 15.0


def element(name: str, *children: Markup, **attributes: str | float | None) -> Markup:
    """An element; `stroke_width` is written stroke-width, `class_` class, and attributes of None are left out."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(clean(value)) if isinstance(value, str) else number(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{written}>{''.join(children)}</{name}>" if children else f"<{name}{written}/>")


def words(content: str) -> Markup:
    """Any text, as text."""
    return Markup(escape(clean(content)))


def hint(content: str) -> Markup:
    """What shows when one points at an element."""
    return element("title", words(content))


def text(
    content: str,
    x: float,
    y: float,
    *,
    room: float,
    lines: int = 1,
    size: float = SIZE,
    bold: bool = False,
    halo: str | None = None,
    **attributes: str | float | None,
) -> list[Markup]:
    """A text from (x, y) downwards, wrapped to the room; its full wording is its hint where it had to be cut.

    `halo` is the colour around the letters that keeps them legible on lines.
    """
    shown = wrap(content, size, room, lines, bold=bold)
    cut = bool(shown) and shown[-1].endswith("…") and not clean(content).endswith(shown[-1])
    return [
        element(
            "text",
            words(line),
            *([hint(content)] if cut else []),
            x=x,
            y=y + i * LINE * size / SIZE,
            font_size=size,
            font_weight="bold" if bold else None,
            stroke=halo,
            stroke_width=3 if halo else None,
            paint_order="stroke" if halo else None,
            **attributes,
        )
        for i, line in enumerate(shown)
    ]


def line(x1: float, y1: float, x2: float, y2: float, **attributes: str | float | None) -> Markup:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, **attributes)


def path(points: Sequence[tuple[float, float]], *children: Markup, **attributes: str | float | None) -> Markup:
    """A closed shape through the points."""
    return element(
        "path", *children, d="M" + "L".join(f"{number(x)} {number(y)}" for x, y in points) + "Z", **attributes
    )


def number(value: float) -> str:
    """A coordinate in hundredths, as short as it can be."""
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")
