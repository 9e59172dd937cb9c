"""HTML and SVG as text. All of a page and of a drawing goes through `tag`, which escapes whatever is no `Html`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

# What no HTML may hold, and no UTF-8 either: shown as the sign for a character that is not there.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_VOID = ("meta", "link", "br")
_SHAPES = ("line", "path", "rect")


class Html(str):
    """Text that is markup. Only `tag` and `joined` make it from other texts."""

    __slots__ = ()


def shown(text: str) -> Html:
    """Any text, so that it shows as itself, on its lines."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return Html(escape(_FORBIDDEN.sub("\ufffd", lines)))


def tag(name: str, /, *children: str | None, **attributes: str | float | bool | None) -> Html:
    """An element. Children that are no `Html` are escaped, None is left out.

    `class_` is written class, `aria_label` aria-label; attributes that are None or False are left out.
    """
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{_attribute(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _VOID:
        return Html(f"<{name}{written}>")
    if name in _SHAPES and not children:
        return Html(f"<{name}{written}/>")
    return Html(f"<{name}{written}>{joined(*children)}</{name}>")


def _attribute(value: str | float) -> str:
    return shown(value) if isinstance(value, str) else number(value)


def number(value: float) -> str:
    """A coordinate in hundredths, as short as it can be."""
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def joined(*children: str | None) -> Html:
    """One after the other, escaped as in `tag`."""
    return Html("".join(child if isinstance(child, Html) else shown(child) for child in children if child is not None))


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], *, names: int = 1, kind: str = "") -> Html:
    """A table in a box of its own that scrolls sideways, by keyboard, too. The first `names` cells name their row."""
    body = [
        tag("tr", *(tag("th", cell, scope="row") for cell in row[:names]), *(tag("td", cell) for cell in row[names:]))
        for row in rows
    ]
    content = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", *(tag("th", cell, scope="col") for cell in head))),
        tag("tbody", *body),
    )
    return tag("div", content, class_=f"scroll {kind}".strip(), role="region", aria_label=caption, tabindex="0")


def details(summary: str, *children: str | None, open_: bool = False, **attributes: str | None) -> Html:
    """What is folded away until somebody wants it."""
    return tag("details", tag("summary", summary), *children, open=open_, **attributes)


def facts(pairs: Iterable[tuple[str, str]]) -> Html:
    """Names with what they stand for."""
    return tag("dl", *(tag("div", tag("dt", name), tag("dd", value, lang=language_of(value))) for name, value in pairs))


def items(texts: Iterable[str], *, numbered: bool = False) -> Html:
    return tag("ol" if numbered else "ul", *(tag("li", text) for text in texts))


def highlighted(text: str, spans: Iterable[tuple[int, int, str]]) -> Html:
    """The text with its spans marked by their class. What lies outside of the text or over another span is left out."""
    parts: list[str] = []
    at = 0
    for start, end, kind in sorted(spans):
        if at <= start < end <= len(text):
            parts += [text[at:start], tag("mark", text[start:end], class_=kind)]
            at = end
    return joined(*parts, text[at:])


def language_of(text: str) -> str | None:
    """What to tell a browser of a text's language, so that it breaks its lines where readers of it do."""
    for name, letters in (("ko", "[\uac00-\ud7a3]"), ("ja", "[\u3040-\u30ff]"), ("zh", "[\u4e00-\u9fff]")):
        if re.search(letters, text):
            return name
    return None
