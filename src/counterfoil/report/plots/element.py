"""Texts, lines and shapes of a drawing: how wide a text is, and how it is wrapped into its room."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from counterfoil.figures.plots import Of
from counterfoil.report.html import Html, number, tag

# Widths in em, of a wide sans serif (DejaVu Sans): what fits in it fits in the narrower ones, too.
_WIDTHS = {
    **dict.fromkeys("iljI|!.,:;'`", 0.34),
    **dict.fromkeys('ftr()[]{}/\\-" ', 0.42),
    **dict.fromkeys("mwMW@%", 1.0),
    **dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZ&+=<>~#", 0.78),
    "…": 1.0,
    "−": 0.84,
}
_BOLD = 1.12
_FORBIDDEN = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
# A line may break after a space and after what joins the parts of a model's name.
_PIECES = re.compile(r"[^\s/\-_:,.;]*[\s/\-_:,.;]*")


def clean(text: str) -> str:
    """The text on one line, without the characters that XML forbids."""
    return " ".join(_FORBIDDEN.sub("", text).split())


def width(text: str, size: float, *, bold: bool = False) -> float:
    """About how wide the text is, rather too wide than too narrow."""
    return sum(map(_em, text)) * size * (_BOLD if bold else 1.0)


def wrap(text: str, size: float, room: float, lines: int, *, bold: bool = False) -> list[str]:
    """The cleaned text in at most so many lines that fit the room; what is left over is cut off, with an ellipsis."""

    def fits(line: str) -> bool:
        return width(line, size, bold=bold) <= room

    done: list[str] = []
    line = ""
    pieces = [piece for piece in _PIECES.findall(clean(text)) if piece][::-1]
    while pieces:
        piece = pieces.pop()
        if fits((line + piece).rstrip()):
            line += piece
            continue
        is_last = len(done) + 1 == lines
        if is_last or not line:
            # The piece is longer than a line, or the last line is full: as many characters as fit.
            count = next((i for i in range(len(piece), 0, -1) if fits(line + piece[:i])), 0 if line else 1)
            line, piece = line + piece[:count], piece[count:]
        if is_last and (piece or pieces):
            while line and not fits(line.rstrip() + "…"):
                line = line[:-1]
            return [*done, line.rstrip() + "…"]
        done.append(line.rstrip())
        line = ""
        pieces += [piece] if piece else []
    return [*done, line.rstrip()] if line.strip() else done


def shorten(text: str, size: float, room: float) -> str:
    """The cleaned text on one line that fits the room."""
    return "".join(wrap(text, size, room, 1))


def _em(character: str) -> float:
    if character.isascii():
        return _WIDTHS.get(character, 0.65)
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    if character >= "\U0001f000":
        return 1.3
    return _WIDTHS.get(character, 1.0 if unicodedata.east_asian_width(character) in "WF" else 0.85)


SIZE = 12.0
LINE = 15.0


def hint(content: str) -> Html:
    """What shows when one points at an element."""
    return tag("title", clean(content))


# The address of the records that a mark stands for, where there is one.
Address = Callable[[Of], str | None]
_ADDRESS: ContextVar[Address | None] = ContextVar("address", default=None)


@contextmanager
def leading_to(address: Address | None) -> Iterator[None]:
    """Marks that are drawn within are links to their records."""
    token = _ADDRESS.set(address)
    try:
        yield
    finally:
        _ADDRESS.reset(token)


def linked(mark: Html, of: Of, says: str) -> Html:
    """The mark as a link, where it stands for records that have an address."""
    address = _ADDRESS.get()
    href = address(of) if address is not None and of else None
    return mark if href is None else tag("a", mark, href=href, aria_label=clean(says))


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
) -> list[Html]:
    """A text from (x, y) downwards, wrapped to the room; its full wording is its hint where it had to be cut.

    `halo` is the colour around the letters that keeps them legible on lines.
    """
    shown = wrap(content, size, room, lines, bold=bold)
    cut = bool(shown) and shown[-1].endswith("…") and not clean(content).endswith(shown[-1])
    return [
        tag(
            "text",
            line,
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


def line(x1: float, y1: float, x2: float, y2: float, **attributes: str | float | None) -> Html:
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, **attributes)


def path(points: Sequence[tuple[float, float]], *children: Html, **attributes: str | float | None) -> Html:
    """A closed shape through the points."""
    return tag("path", *children, d="M" + "L".join(f"{number(x)} {number(y)}" for x, y in points) + "Z", **attributes)
