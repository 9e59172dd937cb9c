"""HTML as text. Nothing gets into the page but through `tag`, which escapes whatever is not `Html` already."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

# What no HTML may hold, and no UTF-8 either: shown as the sign for a character that is not there.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_VOID = ("meta", "link", "br")


class Html(str):
    """Text that is markup. Only `tag` and `joined` make it from other texts."""

    __slots__ = ()


def shown(text: str) -> Html:
    """Any text, so that it shows as itself, on its lines."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return Html(escape(_FORBIDDEN.sub("\ufffd", lines)))


def tag(name: str, /, *children: str | None, **attributes: str | bool | None) -> Html:
    """An element. Children that are no `Html` are escaped, None is left out.

    `class_` is written class, `aria_label` aria-label; attributes that are None or False are left out.
    """
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{shown(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Html(f"<{name}{written}>" + ("" if name in _VOID else f"{joined(children)}</{name}>"))


def joined(children: Iterable[str | None]) -> Html:
    """One after the other, escaped as in `tag`."""
    return Html("".join(it if isinstance(it, Html) else shown(it) for it in children if it is not None))


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], *, names: int = 1, kind: str = "") -> Html:
    """A table in a box of its own that scrolls sideways, by keyboard, too. The first `names` cells name their row."""
    body = [
        tag("tr", *(tag("th", it, scope="row") for it in row[:names]), *(tag("td", it) for it in row[names:]))
        for row in rows
    ]
    content = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", *(tag("th", it, scope="col") for it in head))),
        tag("tbody", *body),
    )
    return tag("div", content, class_=f"scroll {kind}".strip(), role="region", aria_label=caption, tabindex="0")


def details(summary: str, *children: str | None, open_: bool = False, **attributes: str | None) -> Html:
    """What is folded away until somebody wants it."""
    return tag("details", tag("summary", summary), *children, open=open_, **attributes)


def facts(pairs: Iterable[tuple[str, str]]) -> Html:
    """Names with what they stand for."""
    return tag("dl", *(tag("div", tag("dt", name), tag("dd", value)) for name, value in pairs))


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
    return joined([*parts, text[at:]])
